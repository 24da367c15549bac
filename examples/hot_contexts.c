/* hot_contexts.c - bursty.h decides when to look, hcct.h keeps the calling contexts that are hot.
   They meet in one action of fifteen lines, because every event carries the depth. A burst begins
   with the stack of scopes. Then each event first closes the calls that have returned since, in
   whatever way: by return, by longjmp, by an exception, or because a burst ended in the middle of a
   call.

       cc -I. -pthread -o hot_contexts examples/hot_contexts.c
       ./hot_contexts | flamegraph.pl >hot.svg */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include <stdio.h>

enum { SITES = 512, OTHERS = SITES };   /* sites to tell apart; key of the others */
static const bursty_site *sites[SITES]; /* a hash of pointers; a key is a site's place + 1 */
static uint32_t site_count;
static uint64_t memory[4096], weight_256, other_events;
static hcct tree;
static uint32_t deep; /* where the tree's cursor stands */

/* At most SITES - 1 sites are told apart, so that there is always a free place. */
static uint32_t key_of(const bursty_site *site) {
    uint32_t i = (uint32_t)((uintptr_t)site >> 3) % SITES;
    while (sites[i] && sites[i] != site) i = (i + 1) % SITES;
    if (!sites[i] && site_count == SITES - 1) {
        other_events++;
        return OTHERS;
    }
    site_count += sites[i] == NULL;
    sites[i] = site;
    return i + 1 == OTHERS ? SITES + 1 : i + 1;
}

static const char *name_of(uint32_t key) {
    if (key == HCCT_KEY_DEEP) return "(deep)";
    if (key == OTHERS) return "(other sites)";
    if (key > SITES) return sites[SITES - 1]->name; /* the place whose number is OTHERS's */
    return sites[key - 1]->name;
}

static void print_path(FILE *file, uint32_t node) {
    uint32_t path[BURSTY_STACK + 2], depth = hcct_path(&tree, node, path, BURSTY_STACK + 2), k;
    for (k = 0; k < depth && k < BURSTY_STACK + 2; k++) {
        fprintf(file, "%s%s", k ? ";" : "", name_of(path[k]));
    }
}

/* Scopes that the shadow stack had no room for are one node of the tree. */
static uint32_t tree_depth(uint32_t scopes) {
    return scopes > BURSTY_STACK ? BURSTY_STACK + 1 : scopes;
}

static void on_event(void *user, const bursty_event *e) {
    uint32_t depth = tree_depth(e->depth), keys[BURSTY_STACK + 1], i;
    (void)user;
    if (e->kind & BURSTY_BEGIN) {
        for (i = 0; i < depth; i++)
            keys[i] = i < BURSTY_STACK ? key_of(e->stack[i]) : HCCT_KEY_DEEP;
        deep = depth;
        hcct_burst_begin(&tree, keys, depth);
        return;
    }
    if (e->kind & BURSTY_END) {
        hcct_burst_end(&tree);
        return;
    }
    for (; deep > depth; deep--) hcct_leave(&tree);
    if (!(e->kind & BURSTY_CALL)) return;
    hcct_enter(&tree, key_of(e->site), 1);
    weight_256 += e->weight_256;
    if (e->kind & BURSTY_FRAME) deep++; /* a scope stays open; a point is over already */
    else hcct_leave(&tree);
}

static volatile int work;
static void price(void) {
    BURST_SCOPE("price");
    work++;
}
static void search(int n) {
    BURST_SCOPE("search");
    if (n) {
        search(n - 1);
        search(n - 1);
    } else {
        price();
    }
}
static void draw(void) {
    BURST_SCOPE("draw");
    work--;
}
static void frame(int n) {
    BURST_SCOPE("frame");
    search(n % 7);
    draw();
}

int main(void) {
    bursty_config config = {0};
    hcct_context hot[5], context;
    uint32_t i, n, depth;
    hcct_init(&tree, memory, sizeof memory, NULL);
    config.profile.check_count = 900;
    config.profile.burst_count = 100;
    config.profile.classes = BURSTY_CALL | BURSTY_RETURN | BURSTY_BEGIN | BURSTY_END;
    config.profile.action = on_event;
    bursty_start(&config);
    for (i = 0; i < 20000; i++) frame((int)i);
    hcct_scale_to(&tree, weight_256 / 256); /* from here on answers stand for the whole run */
    n = hcct_hottest(&tree, 1, 100, hot, 5);
    fprintf(stderr, "the hottest contexts that have 1%% of the calls or more:\n");
    for (i = 0; i < n; i++) {
        fprintf(stderr, "%8lu to %8lu  ", (unsigned long)hot[i].lower, (unsigned long)hot[i].upper);
        print_path(stderr, hot[i].node);
        fprintf(stderr, "\n");
    }
    if (other_events) {
        fprintf(stderr, "%lu events of sites beyond %d are under (other sites)\n",
                (unsigned long)other_events, SITES - 1);
    }
    /* Every context, for a flame graph. `bursty report --collapsed` does this with a dump. */
    depth = 0;
    for (i = hcct_next(&tree, 0, &depth); i; i = hcct_next(&tree, i, &depth)) {
        hcct_get_context(&tree, i, &context);
        if (context.lower == 0) continue;
        print_path(stdout, i);
        printf(" %lu\n", (unsigned long)context.lower);
    }
    return ferror(stdout) != 0;
}
