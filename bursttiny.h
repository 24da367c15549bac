/* bursttiny.h - v0.2.0 - bursty.h in 24 bytes of RAM - MIT, text at end of file

   example:
       #define BURSTY_TINY
       #define BURSTY_IMPLEMENTATION
       #include "bursty.h"
       #include "bursttiny.h"
       static unsigned seen;
       static void sample(void *user, const bursty_event *e) { (void)user, (void)e, seen++; }
       int main(void) {
           bursty_profile p = { 90, 10, 0, 0, 0, 0, sample, NULL, 0 };
           int i;
           bursty_set_profile(0, &p);
           for (i = 0; i < 10000; i++) { BURST_LOOP(); }
           return seen > 10000;
       }
   end of example.

   STEP BY STEP
   1. Define BURSTY_TINY in every file, best on the command line. The forms of bursty.h then check
      one word in memory and nothing else.
   2. In one C or C++ file define BURSTY_IMPLEMENTATION, include bursty.h and then this header.
   3. Call bursty_set_profile(0, &profile) with an action. It gets each event of a burst, at once.
      check_count, burst_count, action and user of the profile are used. jitter_percent: -1 is none,
      any other value is about an eighth. There is no table, no dump and no depth, and an event has
      neither weight nor burst number, so the action knows only what it adds up itself.

   PROMISES
     - It takes 24 bytes of RAM and some 250 bytes of code on a Cortex-M0.
     - Until bursty_set_profile a check counts and does nothing else. It returns -1 for another
       profile than 0, for one without an action, and for counts of 2^31 or more; then no burst
       begins. NULL ends sampling.

   THREADS
     One thread checks, or one interrupt: give an interrupt a file of its own with BURSTY_STATIC.

   OPTIONS
     those of bursty.h's first group. BURSTY_POLL and BURSTY_STACK have no use here.

   COST
     a check of two instructions, as in bursty.h. */

#ifndef BURSTTINY_H
#define BURSTTINY_H
#include <stddef.h>
#include <stdint.h>
#if defined(BURSTY_TINY) && !defined(BURSTY_H)
#error "include bursty.h before bursttiny.h"
#elif defined(BURSTY_TINY) && defined(BURSTY_POLL)
#error "BURSTY_TINY has no BURSTY_POLL"
#endif
#endif /* BURSTTINY_H */

/* ---- implementation ------------------------------------------------------------------------- */

#if defined(BURSTY_IMPLEMENTATION) && defined(BURSTY_TINY) && !defined(BURSTY_OFF) \
    && !defined(BURSTTINY_IMPLEMENTED)
#define BURSTTINY_IMPLEMENTED
#if defined(__cplusplus) && defined(BURSTY_P_GNU)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

/* The word tells everything; d is the length of a gap, I of a burst:

       gap     d - 1, ..., 1, 0    the check that takes 0 to -1 is the first of a burst
       burst   -1, -2, ..., -I     the check that takes -I to -I - 1 is the first of a gap
       action  2^31 - 1, ...       its checks count down; no gap that can be set is above 3 * 2^29

   Without settings I is 0: no burst ever begins. The jitter is fixed: a gap is C - mask / 2 plus a
   random number from 0 to mask, where mask is the smallest 2^k - 1 that is at least C / 8. A
   division would cost 100 bytes. Flash and RAM: tests/firmware/run.sh. */

/* The word at the start of a gap: its length less one, 2^31 - 1 without settings. */
static uint32_t bursty_p_gap(void) {
    uint32_t n = BURSTY_P_HERE.check_count, r = BURSTY_P_HERE.random, mask = 1;
    if (r != 0) {
        r ^= r << 13;
        r ^= r >> 17;
        r ^= r << 5;
        BURSTY_P_HERE.random = r;
        while (mask < n / 8) mask += mask + 1; /* 2^k - 1 < C / 4: C - mask / 2 + [0, mask] */
        n += (r & mask) - mask / 2;
    }
    return (n - 1) & INT32_MAX;
}

BURSTY_P_INLINE void bursty_p_send(const bursty_site *site, uintptr_t value, uint32_t kind) {
    uint32_t keep = BURSTY_P_HERE.n;
    const bursty_event event = { site, value, kind, 0, 0, 0, NULL, NULL };
    BURSTY_P_HERE.n = INT32_MAX;
    BURSTY_P_HERE.action(BURSTY_P_HERE.user, &event);
    if (BURSTY_P_HERE.n >> 29 == 3) BURSTY_P_HERE.n = keep; /* else the action has set a profile */
}

BURSTY_API void bursty_p_event(const bursty_site *site, uintptr_t value, uint32_t kind) {
    bursty_p_send(site, value, kind);
}

BURSTY_API uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value) {
    if (0 - BURSTY_P_HERE.n > BURSTY_P_HERE.burst_count) {
        BURSTY_P_HERE.n = bursty_p_gap();
        return 0;
    }
    if (site) bursty_p_send(site, value, site->kind);
    return 1;
}

BURSTY_API uint32_t bursty_p_take(uint64_t left, uint32_t *live) {
    (void)left;
    BURSTY_P_HERE.n--;
    *live = bursty_p_hit(NULL, 0);
    return 1;
}

BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    if (!live && (int32_t)BURSTY_P_HERE.n >= 0) BURSTY_P_HERE.n += count;
}

BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    BURSTY_P_HERE.burst_count = BURSTY_P_HERE.check_count = BURSTY_P_HERE.n = 0;
    if (profile != 0) return -1;
    if (p && (!p->action || p->check_count > BURSTY_P_BUSY)) return -1;
    if (p && (int32_t)p->burst_count < 0) return -1;
    if (!p || p->off) return 0;
    BURSTY_P_HERE.check_count = p->check_count ? p->check_count : 990;
    BURSTY_P_HERE.action = p->action;
    BURSTY_P_HERE.user = p->user;
    BURSTY_P_HERE.random = p->jitter_percent >= 0;
    BURSTY_P_HERE.n = bursty_p_gap();
    BURSTY_P_HERE.burst_count = p->burst_count ? p->burst_count : 10;
    return 0;
}

BURSTY_API uint32_t bursty_in_burst(void) { return (int32_t)BURSTY_P_HERE.n < 0; }

#if defined(__cplusplus) && defined(BURSTY_P_GNU)
#pragma GCC diagnostic pop
#endif
#endif /* BURSTY_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
