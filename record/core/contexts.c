/* contexts.c - sums over bursts of a tree of calling contexts. */
#include "contexts.h"

static uint32_t one_more(uint32_t count) { return count + (count != UINT32_MAX); }

static uint64_t with_square(uint64_t yy, uint32_t y) {
    uint64_t square = (uint64_t)y * y;
    return yy + square < yy ? UINT64_MAX : yy + square;
}

size_t contexts_bytes(uint32_t nodes) {
    return sizeof(contexts) + nodes * sizeof(context_sums);
}

static void count_node(contexts *c, uint32_t node, uint32_t key, uint32_t parent) {
    context_sums *s = &c->of[node];
    if (s->key != key || s->parent != parent) {
        s->yy = s->calls = s->bursts = s->burst = s->y = 0;
        s->key = key;
        s->parent = parent;
    }
    if (s->burst != c->bursts + 1) {
        s->yy = with_square(s->yy, s->y);
        s->y = 0;
        s->burst = c->bursts + 1;
        s->bursts = one_more(s->bursts);
    }
    s->y = one_more(s->y);
    s->calls = one_more(s->calls);
}

/* A call that has no place in the tree is one of all calls, and of no
   context. */
void contexts_count(contexts *c, const hcct *tree, uint32_t key) {
    hcct_place place = hcct_position(tree);
    c->in_burst = 1;
    count_node(c, 0, 0, 0);
    if (place.cursor == 0 || place.cursor > c->nodes || place.over) return;
    count_node(c, place.cursor, key, hcct_parent(tree, place.cursor));
}

void contexts_burst(contexts *c) {
    if (c->in_burst && c->bursts < UINT32_MAX - 1) c->bursts++;
    c->in_burst = 0;
}

void contexts_numbers(void *user, uint32_t node, uint64_t numbers[3]) {
    const contexts *c = (const contexts *)user;
    const context_sums *s = &c->of[node <= c->nodes ? node : 0];
    numbers[0] = node <= c->nodes ? s->calls : 0;
    numbers[1] = s->bursts;
    numbers[2] = with_square(s->yy, s->y);
}
