/* sampler.h - bursts over a recorded trace: at which checks sampling is on
   (bursty-tracing Figure 3; HPS's jitter). */
#ifndef SAMPLER_H
#define SAMPLER_H
#include <stdint.h>

typedef struct sampler {
    uint64_t every, burst; /* nCheck0, nInstr0 */
    uint32_t jitter;           /* of every, either way; 0: fixed */
    uint64_t left, seed;
    int on;
} sampler;

void sampler_start(sampler *s, uint64_t every, uint64_t burst, uint32_t jitter,
                   uint64_t seed);
/* A check. Returns 1 if sampling is on from here to the next check. *fresh: a
   burst begins. */
int sampler_check(sampler *s, int *fresh);

/* Reads the value of --every or --burst. Returns 1 if the text is not such a
   number. */
int sampler_number(const char *text, uint64_t *out);
#endif
