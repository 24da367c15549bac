/* phases_of_data.c - how much data does each phase of a program touch? footprint.h counts while it
   runs: a live line says how far back a cache of 32 kB reaches, two snapshots and a subtraction
   give the windows of each phase, and a sum gives both phases as if two threads had run them. */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include <stdio.h>

enum { VERTICES = 40000, CACHE_BLOCKS = 32 * 1024 / 64, WINDOW = 10000 };
static float vertex[VERTICES][4];                    /* 640 kB, read from end to end */
static float bone[60][16];                           /* 3.8 kB, looked up again and again */
static uint64_t memory[300000], tables[3][60000];

/* One pass over all vertices. A row of 16 floats is one block of 64 bytes: report it once and say
   how often it is used again. */
static float sum_up(footprint *fp) {
    float sum = 0;
    int i, k;
    for (i = 0; i < VERTICES; i += 4) {
        footprint_reference(fp, vertex[i], 1);
        footprint_access_repeat(fp, 15);
        for (k = 0; k < 16; k++) sum += vertex[i + k / 4][k % 4];
    }
    return sum;
}

static float animate(footprint *fp) {
    float sum = 0;
    uint32_t seed = 1;
    int i;
    for (i = 0; i < VERTICES; i++) {
        seed = seed * 1664525u + 1013904223u;
        footprint_reference(fp, bone[seed >> 16 & 31], sizeof **bone);
        sum += bone[seed >> 16 & 31][0];
    }
    return sum;
}

/* A cache of so many blocks has forgotten what was last used before footprint_mark_time. */
static unsigned long reach(footprint *fp) {
    footprint_stats s;
    footprint_get_stats(fp, &s);
    return (unsigned long)(s.accesses - footprint_mark_time(fp, footprint_bin(CACHE_BLOCKS)));
}

static void show(const char *name, const footprint_profile *p) {
    uint32_t bin = footprint_bin(WINDOW);
    printf("%-8s a window of %d accesses touches %5.0f blocks on average, at most %5lu; "
           "32 kB miss %5.2f%%\n",
           name, WINDOW, footprint_average_of(p, WINDOW),
           (unsigned long)footprint_bin_high(footprint_percentile(p, bin, 100)),
           100 * footprint_miss_ratio(p, CACHE_BLOCKS));
}

int main(void) {
    footprint fp;
    footprint_profile first, second, both;
    unsigned long reach_first, reach_second;
    float sum;
    if (footprint_init(&fp, memory, sizeof memory, NULL) == 0) return 1;
    sum = sum_up(&fp) + sum_up(&fp);
    reach_first = reach(&fp);
    if (footprint_snapshot(&fp, &first, tables[0], sizeof tables[0]) != 0) return 1;
    sum += animate(&fp);
    reach_second = reach(&fp);
    if (footprint_snapshot(&fp, &second, tables[1], sizeof tables[1]) != 0) return 1;
    if (footprint_subtract(&second, &first) != 0) return 1;
    if (footprint_profile_init(&both, second.rows, second.columns, 0, tables[2], sizeof tables[2]) ||
        footprint_add(&both, &first) != 0 || footprint_add(&both, &second) != 0) return 1;
    show("vertices", &first);
    show("bones", &second);
    show("both", &both);
    printf("a cache of 32 kB reaches %lu accesses back after the vertices, %lu after the bones\n",
           reach_first, reach_second);
    /* a block of vertices is used 16 times; bones all fit */
    return !(sum >= 0 && footprint_miss_ratio(&first, CACHE_BLOCKS) > .05 &&
             footprint_miss_ratio(&second, CACHE_BLOCKS) < .01 && reach_first < 10000 &&
             reach_second >= VERTICES);
}
