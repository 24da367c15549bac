/* cache_sizes.c - which cache would help? A footprint_average follows the loads of a matrix product
   that walks its matrices row by row, and of one that goes tile by tile, and says how often caches
   of all sizes miss. */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include <stdio.h>

enum { N = 128, TILE = 16 };
static int a[N][N], b[N][N], c[N][N];
static uint64_t memory[20000], table[2][2000];

static void multiply(footprint_average *loads, int i, int j, int k) {
    footprint_average_reference(loads, &a[i][k], sizeof(int));
    footprint_average_reference(loads, &b[k][j], sizeof(int));
    footprint_average_reference(loads, &c[i][j], sizeof(int));
    c[i][j] += a[i][k] * b[k][j];
}

static void by_rows(footprint_average *loads) {
    int i, j, k;
    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++) {
            for (k = 0; k < N; k++) multiply(loads, i, j, k);
        }
    }
}

static void by_tiles(footprint_average *loads) {
    int i, j, k, j0, k0;
    for (j0 = 0; j0 < N; j0 += TILE) {
        for (k0 = 0; k0 < N; k0 += TILE) {
            for (i = 0; i < N; i++) {
                for (j = j0; j < j0 + TILE; j++) {
                    for (k = k0; k < k0 + TILE; k++) multiply(loads, i, j, k);
                }
            }
        }
    }
}

int main(void) {
    footprint_profile profile[2];
    footprint_average loads;
    int turn, kilobytes;
    for (turn = 0; turn < 2; turn++) {
        if (footprint_average_init(&loads, memory, sizeof memory, NULL) == 0) return 1;
        if (turn == 0) by_rows(&loads);
        else by_tiles(&loads);
        if (footprint_average_snapshot(&loads, &profile[turn], table[turn], sizeof *table) != 0)
            return 1;
    }
    printf("cache      by rows  by tiles\n");
    for (kilobytes = 1; kilobytes <= 256; kilobytes *= 2) {
        double blocks = kilobytes * 1024 / 64;
        printf("%4d kB %9.2f%% %8.2f%%\n", kilobytes,
               100 * footprint_miss_ratio_by_average(&profile[0], blocks),
               100 * footprint_miss_ratio_by_average(&profile[1], blocks));
    }
    return 0;
}
