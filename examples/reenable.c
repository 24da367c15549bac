/* reenable.c - adaptive bursting: a burst that starts in a calling context that is known already is
   mostly left out, and a burst in a new context never is. bursty.h decides when to look, hcct.h
   remembers the contexts (Zhuang et al.; "Mining Hot Calling Contexts in Small Space", section 5).
   hcct_burst_begin gets the stack at the burst's begin and returns the weight of its calls, or 0
   for a burst to leave out. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include <stdio.h>
#include <string.h>

/* A key of the tree is a site's place in a table, which is found by its address. */
enum { KEYS = 1024 };
static const bursty_site *sites[KEYS];
static uint32_t key_of(const bursty_site *site) {
    uint32_t i = (uint32_t)((uintptr_t)site / sizeof *site) % (KEYS - 1);
    while (sites[i] && sites[i] != site) i = (i + 1) % (KEYS - 1);
    sites[i] = site;
    return i + 1;
}

typedef struct recorder {
    hcct tree;
    uint32_t weight, depth;
} recorder;

static void on_event(void *user, const bursty_event *e) {
    recorder *r = (recorder *)user;
    uint32_t keys[BURSTY_STACK], depth = e->depth < BURSTY_STACK ? e->depth : BURSTY_STACK, i;
    if (e->kind & BURSTY_BEGIN) {
        for (i = 0; i < depth; i++) keys[i] = key_of(e->stack[i]);
        r->weight = hcct_burst_begin(&r->tree, keys, depth);
        r->depth = depth;
    } else if (r->weight == 0) {
        return;
    } else if (e->kind & BURSTY_END) {
        hcct_burst_end(&r->tree);
    } else if (e->kind & BURSTY_CALL) {
        for (; r->depth > depth; r->depth--) hcct_leave(&r->tree);
        hcct_enter(&r->tree, key_of(e->site), r->weight);
        r->depth++;
    }
}

static volatile int work;
static void parse(void) {
    BURST_SCOPE("parse");
    work++;
    BURST_LEAVE();
}
static void reply(int i) {
    BURST_SCOPE("reply");
    if (i % 100 == 0) parse();
    work++;
    BURST_LEAVE();
}
static void request(int i) {
    BURST_SCOPE("request");
    parse();
    reply(i);
    BURST_LEAVE();
}

int main(void) {
    static recorder r;
    static uint64_t memory[8192];
    bursty_config config;
    hcct_config tree;
    hcct_stats stats;
    int i;
    memset(&config, 0, sizeof config);
    memset(&tree, 0, sizeof tree);
    tree.history = 256; /* stacks that are remembered */
    tree.reenable = 10; /* a known one gets every tenth burst, with ten times the weight */
    if (hcct_init(&r.tree, memory, sizeof memory, &tree) == 0) return 1;
    config.profile.every = 45;
    config.profile.burst = 5;
    config.profile.classes = BURSTY_CALL | BURSTY_BEGIN | BURSTY_END;
    config.profile.action = on_event;
    config.profile.user = &r;
    if (bursty_start(&config) == 0) return 1;
    for (i = 0; i < 200000; i++) request(i);
    bursty_set_profile(0, NULL);
    hcct_get_stats(&r.tree, &stats);
    printf("%.0f bursts: %.0f in new contexts, %.0f in known ones, %.0f left out\n",
        (double)stats.burst_points, (double)stats.burst_new, (double)stats.burst_again,
        (double)stats.burst_skipped);
    printf("%.0f calls in the tree stand for one in ten of %d\n", (double)stats.total,
        200000 * 3 + 2000);
#ifdef BURSTY_OFF
    return stats.burst_points != 0;
#else
    return stats.burst_skipped < 8 * stats.burst_again || stats.total < 48000 ||
           stats.total > 72000;
#endif
}
