/* references.c - an expert's tools: data references recorded in a second copy of the code, nothing
   in the first, and several profiles at once, each with its own rate and burst. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <string.h>

typedef struct item { struct item *next; int price; } item;

/* A leaf: no check of its own. */
static BURST_DUAL_LEAF(int, price, (const item *a), (a)) {
    BURST_REF(BURSTY_LOAD, &a->price);
    return a->price;
}

static BURST_DUAL(long, total, (const item *list), (list)) {
    long sum = 0;
    const item *a;
    for (a = list; a; a = a->next) BURST_BODY({
        BURST_REF(BURSTY_LOAD, &a->next);
        sum += BURST_SAME(price, (a));
    })
    return sum;
}

typedef struct strides { uintptr_t last; unsigned forward, backward, first; } strides;
static void on_reference(void *user, const bursty_event *e) {
    strides *s = (strides *)user;
    if (e->kind & (BURSTY_BEGIN | BURSTY_GAP)) { /* what came before was not seen */
        s->last = 0;
        return;
    }
    if (s->last == 0) s->first++;
    else if (e->value > s->last) s->forward++;
    else s->backward++;
    s->last = e->value;
}

static void on_call(void *user, const bursty_event *e) {
    (void)e;
    ++*(unsigned *)user;
}

int main(void) {
    static item items[1000];
    strides seen;
    unsigned calls = 0;
    bursty_profile references, methods;
    long sum = 0;
    int i;
    for (i = 0; i < 1000; i++) {
        items[i].next = i < 999 ? &items[i + 1] : NULL;
        items[i].price = i;
    }
    memset(&seen, 0, sizeof seen);
    memset(&references, 0, sizeof references);
    memset(&methods, 0, sizeof methods);
    references.every = 10000; /* long bursts, rarely: sequences */
    references.burst = 100;
    references.classes = (uint32_t)BURSTY_LOAD | (uint32_t)BURSTY_STORE;
    references.classes |= (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_GAP;
    references.action = on_reference;
    references.user = &seen;
    methods.every = 499; /* short bursts, often: counts */
    methods.burst = 1;
    methods.classes = BURSTY_CALL;
    methods.action = on_call;
    methods.user = &calls;
    bursty_start(NULL);
    bursty_set_profile(0, &references);
    bursty_set_profile(1, &methods);
    for (i = 0; i < 2000; i++) sum += total(items);
    printf("references: %u forward, %u backward, %u bursts; %u calls sampled; sum %ld\n",
           seen.forward, seen.backward, seen.first, calls, sum);
    return seen.forward < seen.backward || sum != 2000L * 499500;
}
