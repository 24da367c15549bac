/* overlap.h - how much of one profile of hot data streams is found in another:
   equation 5 of "Bursty Tracing", the shares of "Hybrid Profiling Support", and
   windows of references, which a loop that was caught at another phase still
   shares. */
#ifndef MODEL_OVERLAP_H
#define MODEL_OVERLAP_H
#include <stddef.h>
#include <stdint.h>

/* Weights by key; equal keys add. */
typedef struct overlap_weights {
    struct overlap_weight {
        uint64_t key;
        double weight;
    } * at;
    size_t count, room;
} overlap_weights;

void overlap_add(overlap_weights *w, uint64_t key, double weight);
/* A stream: its sites' keys in order. */
void overlap_add_stream(overlap_weights *w, const uint64_t *sites, uint32_t length, double heat);
/* The same as windows: its runs of `window` sites share its heat. */
void overlap_add_windows(overlap_weights *w, const uint64_t *sites, uint32_t length, double heat,
                         uint32_t window);
/* Call it after the last addition: sorts and adds up. Returns the sum of all
   weights. */
double overlap_settle(overlap_weights *w);
/* 100 * the sum over all keys of the smaller share, where p's shares are of p_total and q's of
   q_total. 0 if a total is. */
double overlap_of(const overlap_weights *p, double p_total, const overlap_weights *q,
                  double q_total);
/* The sum of the heaviest members that hold that part of all weight (all that
   tie with the last); the others go. */
double overlap_keep(overlap_weights *w, double part);
void overlap_free(overlap_weights *w);
#endif
