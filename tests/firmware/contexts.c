/* contexts.c - hcct.h on a board: a tree in 4 KiB that is too small for all
   contexts keeps the hot ones, writes itself to the host in mid-run, at the
   end, and once with the power cut. run.sh lets build/bursty read the files. */
#define HCCT_IMPLEMENTATION
#define HCCT_ALGORITHMS (1 << HCCT_SPACE_SAVING)
#include "hcct.h"
#include "board.h"

enum { FRAME = 1, UPDATE, DRAW, COLLIDE, OBJECTS = 10, ROUNDS = 400 };

static uint64_t memory[4096 / sizeof(uint64_t)];
static hcct tree;

void board_tick(void) {}

static const char *name(void *user, uint32_t key) {
    static const char *const names[] = { "frame", "update", "draw", "collide" };
    (void)user;
    return key <= COLLIDE ? names[key - 1] : "object";
}

/* One frame: update collides with every object once and with one object often;
   objects differ, 300 in all. */
static void frame(uint32_t number) {
    uint32_t i;
    hcct_enter(&tree, FRAME, 1);
    hcct_enter(&tree, UPDATE, 1);
    for (i = 0; i < 20; i++) {
        hcct_enter(&tree, COLLIDE, 1);
        hcct_leave(&tree);
    }
    for (i = 0; i < 3; i++) {
        hcct_enter(&tree, OBJECTS + (number * 3 + i) % 300, 1);
        hcct_leave(&tree);
    }
    hcct_leave(&tree);
    hcct_enter(&tree, DRAW, 1);
    hcct_leave(&tree);
    hcct_leave(&tree);
}

static uint32_t left = 0xFFFFFFFF; /* bytes until the power fails */
static int to_file(void *user, const void *data, size_t size) {
    size_t part = size < left ? size : left;
    left -= (uint32_t)part;
    return board_write(*(int *)user, data, part) || part < size;
}

static void dump(const char *path, int wanted) {
    int file = board_open(path);
    board_equal(path, (uint32_t)hcct_write(&tree, name, NULL, to_file, &file), (uint32_t)wanted);
    board_close(file);
}

int main(void) {
    static hcct_context rows[8];
    static hcct_stats stats;
    uint32_t contexts = hcct_init(&tree, memory, sizeof memory, NULL), i, count, hot = 0;

    board_equal("contexts fit, but not all 304", contexts > 20 && contexts < 304, 1);
    for (i = 0; i < ROUNDS / 2; i++) frame(i);
    dump("contexts-middle.brst", 0);
    for (; i < ROUNDS; i++) frame(i);
    dump("contexts-end.brst", 0);
    left = 100;
    dump("contexts-cut.brst", -1);

    count = hcct_hottest(&tree, 1, 10, rows, 8);
    for (i = 0; i < count; i++)
        if (rows[i].key == COLLIDE && rows[i].lower <= ROUNDS * 20u &&
            rows[i].upper >= ROUNDS * 20u)
            hot++;
    board_equal("collide is hot, its count within its bounds", hot, 1);
    board_equal("and hottest", rows[0].key, COLLIDE);
    hcct_get_stats(&tree, &stats);
    board_equal("every call was credited", (uint32_t)stats.total, ROUNDS * 26u);
    board_end();
    return 0;
}
