/* ---- sums of contexts over bursts ---- */

/* What the variance between bursts needs of a context, by the number of its
   node. y is how many calls it has in one burst (times the weight of an adaptive
   one), and x how many all contexts have. x is known when the burst has ended, so
   the contexts of a burst are linked to one another and added up then. The tree
   may give a context up and use its node for another one: then the key or the
   parent differs, and the sums begin again. What the tool finds in the tree must
   be `calls`; if it is more, the context was given up in between, and it gets no
   interval.

   Sums of single contexts do not say how several contexts vary together. So each
   burst, with all of its contexts, is put into one of HCCT_GROUPS groups by chance.
   How much several contexts together differ between groups says how much they differ
   between bursts. */
typedef struct base_p_sums {
    uint64_t yy, xy;      /* of the bursts that have ended: y * y, x * y */
    uint32_t key, parent;
    uint32_t calls;       /* the sum of y, with this burst               */
    uint32_t bursts;      /* in which it was called, with this one       */
    uint32_t y;           /* in this burst so far                        */
    uint32_t link;        /* 0, or 1 + the node of another context of this burst */
    uint32_t group[HCCT_GROUPS]; /* `calls` by groups, of the bursts that have ended */
} base_p_sums;
#define BASE_P_LAST UINT32_MAX /* link of the first context of a burst */

typedef struct base_p_contexts {        /* all zero but `nodes` and `seed`: empty */
    uint32_t nodes;       /* so many have sums                           */
    uint32_t seed;        /* of this thread of this process: what all threads do at
                             first must not be in one group              */
    uint32_t linked;      /* the contexts of this burst: 1 + a node, or 0 */
    base_p_sums of[1];    /* of all calls, and of nodes 1 to `nodes`     */
} base_p_contexts;

static inline size_t base_p_contexts_bytes(uint32_t nodes) {
    return sizeof(base_p_contexts) + nodes * sizeof(base_p_sums);
}

static inline uint32_t base_p_sum_of(uint32_t a, uint32_t b) {
    return a + b < b ? UINT32_MAX : a + b;
}

static inline uint64_t base_p_with_product(uint64_t sum, uint32_t x, uint32_t y) {
    uint64_t product = (uint64_t)x * y;
    return sum + product < sum ? UINT64_MAX : sum + product;
}

/* The group of the burst that runs. */
static inline uint32_t base_p_group(const base_p_contexts *c) {
    uint32_t h = c->seed + c->of[0].bursts * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 16) * UINT32_C(0x7FEB352D);
    h = (h ^ h >> 15) * UINT32_C(0x846CA68B);
    return (h ^ h >> 16) % HCCT_GROUPS;
}

static inline void base_p_contexts_add(base_p_contexts *c, uint32_t node, uint32_t key,
                                       uint32_t parent, uint32_t weight) {
    base_p_sums *s = &c->of[node];
    uint32_t k;
    if (s->key != key || s->parent != parent) {
        s->yy = s->xy = s->calls = s->bursts = s->y = 0;
        for (k = 0; k < HCCT_GROUPS; k++) s->group[k] = 0;
        s->key = key;
        s->parent = parent;
    }
    if (s->y == 0) s->bursts = base_p_sum_of(s->bursts, 1);
    if (s->link == 0) {
        s->link = c->linked ? c->linked : BASE_P_LAST;
        c->linked = node + 1;
    }
    s->y = base_p_sum_of(s->y, weight);
    s->calls = base_p_sum_of(s->calls, weight);
}

/* The call that was just entered, which counts as `weight`. One that has no place
   in the tree is one of all calls, and of no context. */
static inline void base_p_contexts_count(base_p_contexts *c, const hcct *tree, uint32_t key,
                                         uint32_t weight) {
    hcct_place place = hcct_position(tree);
    base_p_contexts_add(c, 0, 0, 0, weight);
    if (place.cursor == 0 || place.cursor > c->nodes || place.over) return;
    base_p_contexts_add(c, place.cursor, key, hcct_parent(tree, place.cursor), weight);
}

/* The burst ends. Cost: as many steps as contexts were called in it. */
static inline void base_p_contexts_burst(base_p_contexts *c) {
    uint32_t at = c->linked, x = c->of[0].y, group = base_p_group(c);
    for (c->linked = 0; at && at != BASE_P_LAST; ) {
        base_p_sums *s = &c->of[at - 1];
        s->yy = base_p_with_product(s->yy, s->y, s->y);
        s->xy = base_p_with_product(s->xy, x, s->y);
        s->group[group] = base_p_sum_of(s->group[group], s->y);
        at = s->link;
        s->y = s->link = 0;
    }
}

/* For hcct_config.sums; user: a base_p_contexts. */
static inline void base_p_contexts_numbers(void *user, uint32_t node, uint64_t *numbers) {
    const base_p_contexts *c = (const base_p_contexts *)user;
    const base_p_sums *s = &c->of[node <= c->nodes ? node : 0];
    uint32_t k;
    numbers[0] = node <= c->nodes ? s->calls : 0;
    numbers[1] = s->bursts;
    numbers[2] = base_p_with_product(s->yy, s->y, s->y);
    numbers[3] = base_p_with_product(s->xy, c->of[0].y, s->y);
    for (k = 0; k < HCCT_GROUPS; k++) numbers[4 + k] = s->group[k];
    numbers[4 + base_p_group(c)] += s->y;
}
