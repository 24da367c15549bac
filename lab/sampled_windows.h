/* sampled_windows.h - footprints of sampled windows, measured exactly by a
   counting tree: the method that the paper compares with. `bursty-lab footprint
   --one-in-n` shows it. */
#ifndef SAMPLED_WINDOWS_H
#define SAMPLED_WINDOWS_H
#include <stddef.h>
#include <stdint.h>

enum { SAMPLED_BINS = 330 }; /* window lengths below 2^43 */

/* The paper's method: at each access a range, a bin of window lengths, is
   drawn, and in it a length; the window of that length that ends here is
   measured exactly. */
typedef struct sampled_windows {
    uint64_t now, seed, windows[SAMPLED_BINS];
    uint64_t *cell; /* cell[footprint bin * SAMPLED_BINS + length bin] */
    uint64_t room, *key, *last;
    uint32_t *tree, buckets, blocks;
} sampled_windows;

void sampled_start(sampled_windows *s, uint64_t seed);
void sampled_access(sampled_windows *s, uint64_t block);
void sampled_free(sampled_windows *s);
#endif
