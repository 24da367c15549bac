/* main_chipmunk.c - a game's worth of physics: a pile of argv[1] boxes and
   balls falls into a bin and is stepped argv[2] times at 60 Hz; prints where
   some of them are. */
#include <stdio.h>
#include <stdlib.h>
#include "chipmunk/chipmunk.h"

static void wall(cpSpace *space, cpVect a, cpVect b) {
    cpShape *s = cpSpaceAddShape(space, cpSegmentShapeNew(cpSpaceGetStaticBody(space), a, b, 2));
    cpShapeSetFriction(s, 0.8);
    cpShapeSetElasticity(s, 0.2);
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: chipmunk BODIES STEPS\n"), 1;
    int count = atoi(argv[1]), steps = atoi(argv[2]);
    cpSpace *space = cpSpaceNew();
    cpBody **bodies = calloc((size_t)count, sizeof *bodies);
    if (!bodies) return 1;
    cpSpaceSetGravity(space, cpv(0, -300));
    cpSpaceSetIterations(space, 10);
    wall(space, cpv(-200, 0), cpv(200, 0));
    wall(space, cpv(-200, 0), cpv(-260, 2000));
    wall(space, cpv(200, 0), cpv(260, 2000));
    for (int i = 0; i < count; i++) {
        cpFloat size = 8 + i % 5;
        int ball = i % 3 == 0;
        bodies[i] = cpSpaceAddBody(space, cpBodyNew(1, ball ? cpMomentForCircle(1, 0, size, cpvzero) : cpMomentForBox(1, 2 * size, 2 * size)));
        cpBodySetPosition(bodies[i], cpv((i % 14 - 6.5) * 26 + i % 7, 40 + i / 14 * 30));
        cpShape *s = cpSpaceAddShape(space, ball ? cpCircleShapeNew(bodies[i], size, cpvzero)
                                                 : cpBoxShapeNew(bodies[i], 2 * size, 2 * size, 0.5));
        cpShapeSetFriction(s, 0.6);
        cpShapeSetElasticity(s, 0.1);
    }
    for (int i = 0; i < steps; i++) {
        cpSpaceStep(space, 1.0 / 60);
        if (i % 50 == 49)
            for (int b = 0; b < count; b += count / 8 + 1) {
                cpVect p = cpBodyGetPosition(bodies[b]);
                printf("%d %d %.9g %.9g %.9g\n", i, b, p.x, p.y, cpBodyGetAngle(bodies[b]));
            }
    }
    return 0;
}
