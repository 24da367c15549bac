/* contexts.c - sums over bursts of a tree of calling contexts. */
#include "contexts.h"
#define BASE_P_SLOW __attribute__((unused)) static
#include "../../../src/chance.c" /* what the headers have, too */
#include <string.h>

#define LAST UINT32_MAX /* link of the first context of a burst */

static uint32_t more(uint32_t count, uint32_t by) {
    return count + (by < UINT32_MAX - count ? by : UINT32_MAX - count);
}

static uint32_t sum_of(uint32_t a, uint32_t b) { return a + b < b ? UINT32_MAX : a + b; }

/* Of the burst that runs. */
static uint32_t group_of(const contexts *c) {
    return base_p_state_of(c->seed, c->of[0].bursts, 0) >> 16 & (HCCT_GROUPS - 1);
}

static uint64_t with_product(uint64_t sum, uint32_t x, uint32_t y) {
    uint64_t product = (uint64_t)x * y;
    return sum + product < sum ? UINT64_MAX : sum + product;
}

size_t contexts_bytes(uint32_t nodes) {
    return sizeof(contexts) + nodes * sizeof(context_sums);
}

static void count_node(contexts *c, uint32_t node, uint32_t key, uint32_t parent,
                       uint32_t weight) {
    context_sums *s = &c->of[node];
    if (s->key != key || s->parent != parent) {
        memset(s->group, 0, sizeof s->group);
        s->yy = s->xy = s->calls = s->bursts = s->y = 0;
        s->key = key;
        s->parent = parent;
    }
    if (s->y == 0) s->bursts = more(s->bursts, 1);
    if (s->link == 0) {
        s->link = c->linked ? c->linked : LAST;
        c->linked = node + 1;
    }
    s->y = more(s->y, weight);
    s->calls = more(s->calls, weight);
}

/* A call that has no place in the tree is one of all calls, and of no
   context. */
void contexts_count(contexts *c, const hcct *tree, uint32_t key, uint32_t weight) {
    hcct_place place = hcct_position(tree);
    count_node(c, 0, 0, 0, weight);
    if (place.cursor == 0 || place.cursor > c->nodes || place.over) return;
    count_node(c, place.cursor, key, hcct_parent(tree, place.cursor), weight);
}

void contexts_burst(contexts *c) {
    uint32_t at = c->linked, x = c->of[0].y, group = group_of(c);
    for (c->linked = 0; at && at != LAST; ) {
        context_sums *s = &c->of[at - 1];
        s->yy = with_product(s->yy, s->y, s->y);
        s->xy = with_product(s->xy, x, s->y);
        s->group[group] = sum_of(s->group[group], s->y);
        at = s->link;
        s->y = s->link = 0;
    }
}

void contexts_numbers(void *user, uint32_t node, uint64_t *numbers) {
    const contexts *c = (const contexts *)user;
    const context_sums *s = &c->of[node <= c->nodes ? node : 0];
    uint32_t k;
    numbers[0] = node <= c->nodes ? s->calls : 0;
    numbers[1] = s->bursts;
    numbers[2] = with_product(s->yy, s->y, s->y);
    numbers[3] = with_product(s->xy, c->of[0].y, s->y);
    for (k = 0; k < HCCT_GROUPS; k++) numbers[4 + k] = s->group[k];
    numbers[4 + group_of(c)] += s->y;
}
