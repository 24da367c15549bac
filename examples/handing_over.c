/* handing_over.c - does it pay to hand work over in batches? A producer and a consumer take turns
   on the lines of one queue. The finer their accesses interleave, the more often the lines move
   from one processor's cache to the other's. A footprint_pair counts that for all windows. */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include <stdio.h>

enum { ITEMS = 20000, WINDOW = 100 };
static uint64_t memory[200000], table[100000];

/* The order in which the two touched the queue: in a program, a log of both, merged by time. */
static void hand_over(footprint_pair *pair, uint32_t batch) {
    uint32_t done;
    for (done = 0; done < ITEMS; done += batch) {
        footprint_pair_run(pair, 0, 2 * batch);      /* writes an item, and moves the tail */
        footprint_pair_run(pair, 1, 3 * batch);      /* reads both, and moves the head */
    }
}

int main(void) {
    static const uint32_t batches[] = {1, 16, 256};
    footprint_pair pair;
    footprint_profile p;
    footprint_stats s;
    uint32_t i, bin = footprint_bin(WINDOW), apart = 0;
    printf("of %u to %u accesses in a row, so many are the consumer's:\n",
           (unsigned)footprint_bin_low(bin), (unsigned)footprint_bin_high(bin));
    printf("batch   in 5%% of windows up to   in half up to   in 95%% up to\n");
    for (i = 0; i < 3; i++) {
        uint64_t few, many;
        if (footprint_pair_init(&pair, memory, sizeof memory, NULL) == 0) return 1;
        hand_over(&pair, batches[i]);
        footprint_pair_get_stats(&pair, &s);
        if (s.lost || footprint_pair_snapshot(&pair, &p, table, sizeof table) != 0) return 1;
        few = footprint_bin_high(footprint_percentile(&p, bin, 5));
        many = footprint_bin_high(footprint_percentile(&p, bin, 95));
        printf("%5u %24u %15u %14u\n", (unsigned)batches[i], (unsigned)few,
               (unsigned)footprint_bin_high(footprint_percentile(&p, bin, 50)), (unsigned)many);
        apart = few == 0 && many >= WINDOW - 20;
    }
    printf("batches of 256 leave some windows to the producer alone, and some to the consumer\n");
    return !apart;
}
