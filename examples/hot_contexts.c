/* hot_contexts.c - which calling contexts are hot? hcct.h behind bursty.h keeps a tree of them for
   each thread. Here the program asks that tree itself; `bursty report` shows the same of a dump.

       cc -I. -o hot_contexts examples/hot_contexts.c
       ./hot_contexts | flamegraph.pl >hot.svg */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include <stdio.h>

static void print_path(FILE *file, const hcct *tree, uint32_t node) {
    uint32_t path[80], depth = hcct_path(tree, node, path, 80), k;
    for (k = 0; k < depth && k < 80; k++) {
        fprintf(file, "%s%s", k ? ";" : "", callpaths_name(NULL, path[k]));
    }
}

static volatile int work;
static void price(void) {
    BURST_SCOPE("price");
    work++;
    BURST_LEAVE();
}
static void search(int n) {
    BURST_SCOPE("search");
    if (n) {
        search(n - 1);
        search(n - 1);
    } else {
        price();
    }
    BURST_LEAVE();
}
static void draw(void) {
    BURST_SCOPE("draw");
    work--;
    BURST_LEAVE();
}
static void frame(int n) {
    BURST_SCOPE("frame");
    search(n % 7);
    draw();
    BURST_LEAVE();
}

int main(void) {
    static bursty_config config;
    const hcct *tree;
    hcct_context hot[5], context;
    callpaths_stats stats;
    uint32_t i, n, depth = 0;
    config.profile.every = 900;
    config.profile.burst = 100;
    if (bursty_start(&config) == 0) return 1;
    for (i = 0; i < 20000; i++) frame((int)i);
    callpaths_get_stats(&stats);
    tree = callpaths_tree(0); /* of the first thread; its answers stand for the whole run */
    if (!tree) return 0;      /* BURSTY_OFF */
    fprintf(stderr, "%lu calls stand for %lu; the hottest contexts that have 1%% or more:\n",
            (unsigned long)stats.calls, (unsigned long)stats.estimated);
    n = hcct_hottest(tree, 1, 100, hot, 5);
    for (i = 0; i < n; i++) {
        fprintf(stderr, "%8lu to %8lu  ", (unsigned long)hot[i].lower, (unsigned long)hot[i].upper);
        print_path(stderr, tree, hot[i].node);
        fprintf(stderr, "\n");
    }
    /* Every context, for a flame graph. `bursty report --collapsed` does this with a dump. */
    for (i = hcct_next(tree, 0, &depth); i; i = hcct_next(tree, i, &depth)) {
        hcct_get_context(tree, i, &context);
        if (context.lower == 0) continue;
        print_path(stdout, tree, i);
        printf(" %lu\n", (unsigned long)context.lower);
    }
    return ferror(stdout) != 0 || n == 0;
}
