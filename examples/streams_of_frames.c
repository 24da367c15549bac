/* streams_of_frames.c - two workers of a game record the objects that they visit, and a frame never
   waits for the analysis: config.deferred leaves it to the end of the frame, where hotstream_work
   stops when its time is used up. At the end both workers' streams are joined. */
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include <stdio.h>
#include <time.h>

enum { WORKERS = 2, OBJECTS = 24, FRAMES = 400 };
typedef struct object {
    int health, ammo;
    struct object *target;
} object;
static object objects[WORKERS][OBJECTS];
static hotstream streams[WORKERS];
static uint64_t memory[WORKERS][65536];

/* Microseconds of processor time: the unit of hotstream_work's budget. */
static uint64_t clock_us(void *user) {
    const clock_t now = clock();
    (void)user;
    return (uint64_t)((double)now * 1e6 / CLOCKS_PER_SEC);
}

/* The work of a frame. Sites are small numbers that we choose: 1 health, 2 ammo, 3 target. */
static int play(int worker, unsigned seed) {
    object *o = &objects[worker][seed % 4];
    int i, sum = 0;
    for (i = 0; i < 8; i++, o = o->target) {
        hotstream_record(&streams[worker], 1, (uintptr_t)&o->health);
        hotstream_record(&streams[worker], 2, (uintptr_t)&o->ammo);
        hotstream_record(&streams[worker], 3, (uintptr_t)&o->target);
        sum += o->health + o->ammo;
    }
    hotstream_burst(&streams[worker]);               /* the next frame begins elsewhere */
    return sum;
}

static const char *field(void *user, uint64_t site) {
    static const char *const names[] = {"?", "health", "ammo", "target"};
    (void)user;
    return names[site < 4 ? site : 0];
}

static int out(void *file, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)file) != size;
}

int main(void) {
    static hotstream_config config;                  /* zeros: defaults */
    hotstream_stats stats;
    hotstream_stream top[3];
    size_t count, i;
    int worker, frame, left = 0, sum = 0;
    FILE *file;
    config.deferred = 1;
    config.clock = clock_us;
    for (worker = 0; worker < WORKERS; worker++) {
        if (hotstream_init(&streams[worker], memory[worker], sizeof memory[0], &config) == 0)
            return 1;
        for (i = 0; i < OBJECTS; i++) {
            objects[worker][i].health = 100;
            objects[worker][i].target = &objects[worker][(i * 7 + 5) % OBJECTS];
        }
    }
    for (frame = 0; frame < FRAMES; frame++) {
        for (worker = 0; worker < WORKERS; worker++) sum += play(worker, (unsigned)(frame * 13));
        for (worker = 0; worker < WORKERS; worker++)
            left += hotstream_work(&streams[worker], 200);    /* at most 0.2 ms of this frame */
    }
    hotstream_merge(&streams[0], &streams[1]);
    count = hotstream_top(&streams[0], top, 3);
    hotstream_get_stats(&streams[0], &stats);
    printf("%u references of two workers, %u lost; %d times there was more to do than time\n",
           (unsigned)stats.references, (unsigned)stats.lost, left);
    for (i = 0; i < count; i++)
        printf("%3u accesses in the same order, %4u times: %s, %s, %s ...\n",
               (unsigned)top[i].length, (unsigned)top[i].frequency,
               field(NULL, top[i].items[0].site), field(NULL, top[i].items[1].site),
               field(NULL, top[i].items[2].site));
    file = fopen("streams_of_frames.brst", "wb");
    if (!file || hotstream_write(&streams[0], "frames", field, NULL, out, file) != 0) return 1;
    if (fclose(file) != 0) return 1;
    return !(sum > 0 && count > 0 && top[0].frequency > 1 &&
             stats.references + stats.lost == (uint64_t)WORKERS * FRAMES * 8 * 3);
}
