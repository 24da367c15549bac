/* sampler.c - bursts over a recorded trace.

   Of every check_count + burst_count checks the last burst_count are a burst,
   that which begins it included. With jitter the first part is drawn anew each
   time, evenly from check_count less and plus the percentage. */
#include "lab/sampler.h"
#include <stdlib.h>

static uint64_t random64(uint64_t *seed) {
    uint64_t z = (*seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t next_gap(sampler *s) {
    uint64_t half = s->check_count * s->jitter_percent / 100;
    return half ? s->check_count - half + 1 + random64(&s->seed) % (2 * half) : s->check_count;
}

void sampler_start(sampler *s, uint64_t check_count, uint64_t burst_count, uint32_t jitter_percent,
                   uint64_t seed) {
    s->check_count = check_count;
    s->burst_count = burst_count;
    s->jitter_percent = jitter_percent;
    s->seed = seed;
    s->left = check_count; /* the first gap is never jittered */
    s->on = 0;
}

int sampler_check(sampler *s, int *fresh) {
    *fresh = 0;
    if (s->left && --s->left) return s->on;
    if (s->on && s->check_count) {
        s->on = 0;
        s->left = next_gap(s);
    } else {
        s->on = 1;
        s->left = s->burst_count;
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
