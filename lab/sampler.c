/* sampler.c - bursts over a recorded trace.

   Of every every + burst checks the last burst are a burst,
   that which begins it included. With jitter the first part is drawn anew each
   time, evenly from every less and plus the percentage. */
#include "lab/sampler.h"
#include <stdlib.h>

static uint64_t random64(uint64_t *seed) {
    uint64_t z = (*seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t next_gap(sampler *s) {
    uint64_t half = s->every * s->jitter / 100;
    return half ? s->every - half + 1 + random64(&s->seed) % (2 * half) : s->every;
}

void sampler_start(sampler *s, uint64_t every, uint64_t burst, uint32_t jitter,
                   uint64_t seed) {
    s->every = every;
    s->burst = burst;
    s->jitter = jitter;
    s->seed = seed;
    s->left = every; /* the first gap is never jittered */
    s->on = 0;
}

int sampler_check(sampler *s, int *fresh) {
    *fresh = 0;
    if (s->left && --s->left) return s->on;
    if (s->on && s->every) {
        s->on = 0;
        s->left = next_gap(s);
    } else {
        s->on = 1;
        s->left = s->burst;
        *fresh = 1;
    }
    return s->on;
}

int sampler_number(const char *text, uint64_t *out) {
    char *end;
    if (*text < '0' || *text > '9') return 1;
    *out = strtoull(text, &end, 10);
    return *end != 0 || *out > 1000000000;
}
