/* yardsticks.c - literal Space-Saving, with the lazy scan or with the bucket
   list. */
#include "lab/yardsticks.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

#define COLD UINT64_MAX
#define FREE UINT32_MAX

/* ---- nodes ------------------------------------------------------------------------------- */

static uint32_t *chain_of(yardstick *y, uint32_t parent, uint32_t key) {
    uint32_t mix = parent * UINT32_C(0x9E3779B1) + key * UINT32_C(0x85EBCA6B);
    return &y->heads[(mix ^ mix >> 15) & (y->room - 1)];
}

static void grow(yardstick *y) {
    uint32_t i;
    y->room = y->room ? 2 * y->room : 1024;
    y->nodes = (yardstick_node *)tool_grow(y->nodes, y->room * sizeof *y->nodes);
    free(y->heads);
    y->heads = (uint32_t *)tool_alloc(y->room * sizeof *y->heads);
    for (i = 1; i < y->used; i++) {
        uint32_t *head = chain_of(y, y->nodes[i].parent, y->nodes[i].key);
        y->nodes[i].hash_next = *head; /* there is no free node when it grows */
        *head = i;
    }
}

static uint32_t child_of(yardstick *y, uint32_t parent, uint32_t key) {
    uint32_t *head = chain_of(y, parent, key), i;
    yardstick_node *n;
    for (i = *head; i; i = y->nodes[i].hash_next) {
        if (y->nodes[i].parent == parent && y->nodes[i].key == key) return i;
    }
    i = y->free_list;
    if (i) {
        y->free_list = y->nodes[i].hash_next;
    } else {
        if (y->used == y->room) grow(y);
        i = y->used++;
        head = chain_of(y, parent, key);
    }
    n = &y->nodes[i];
    memset(n, 0, sizeof *n);
    n->key = key;
    n->parent = parent;
    n->count = COLD;
    n->hash_next = *head;
    *head = i;
    y->nodes[parent].children++;
    y->live++;
    return i;
}

/* Figure 4: frees i and its callers while they are cold leaves and not the
   cursor. */
static void prune(yardstick *y, uint32_t i) {
    while (i && i != y->cursor && y->nodes[i].children == 0 && y->nodes[i].count == COLD) {
        yardstick_node *n = &y->nodes[i];
        uint32_t up = n->parent, *link = chain_of(y, up, n->key);
        while (*link != i) link = &y->nodes[*link].hash_next;
        *link = n->hash_next;
        n->hash_next = y->free_list;
        n->parent = FREE;
        y->free_list = i;
        y->nodes[up].children--;
        y->live--;
        i = up;
    }
}

int yardstick_is_free(const yardstick *y, uint32_t node) { return y->nodes[node].parent == FREE; }

/* ---- the bucket list ---------------------------------------------------------------------- */

static void bucket_leave(yardstick *y, uint32_t i) {
    yardstick_node *n = &y->nodes[i];
    yardstick_bucket *b = &y->buckets[n->bucket];
    if (n->same_prev) y->nodes[n->same_prev].same_next = n->same_next;
    else b->first = n->same_next;
    if (n->same_next) y->nodes[n->same_next].same_prev = n->same_prev;
    if (b->first) return;
    if (b->prev) y->buckets[b->prev].next = b->next;
    else y->bucket_first = b->next;
    if (b->next) y->buckets[b->next].prev = b->prev;
    b->next = y->bucket_free;
    y->bucket_free = n->bucket;
}

static uint32_t new_bucket(yardstick *y) {
    uint32_t i = y->bucket_free;
    if (i) {
        y->bucket_free = y->buckets[i].next;
        return i;
    }
    TOOL_ROOM(yardstick_bucket, y->buckets, y->bucket_used, y->bucket_room);
    return y->bucket_used++;
}

/* after: a bucket whose count is smaller, 0 for the beginning of the list. */
static void bucket_join(yardstick *y, uint32_t i, uint32_t after) {
    uint64_t count = y->nodes[i].count;
    uint32_t at = after ? y->buckets[after].next : y->bucket_first;
    while (at && y->buckets[at].count < count) {
        after = at;
        at = y->buckets[at].next;
    }
    if (!at || y->buckets[at].count != count) {
        uint32_t fresh = new_bucket(y);
        yardstick_bucket *b = &y->buckets[fresh];
        b->count = count;
        b->prev = after;
        b->next = at;
        b->first = 0;
        if (after) y->buckets[after].next = fresh;
        else y->bucket_first = fresh;
        if (at) y->buckets[at].prev = fresh;
        at = fresh;
    }
    y->nodes[i].same_next = y->buckets[at].first;
    y->nodes[i].same_prev = 0;
    y->nodes[i].bucket = at;
    if (y->nodes[i].same_next) y->nodes[y->nodes[i].same_next].same_prev = i;
    y->buckets[at].first = i;
}

/* A counted node moves on from its bucket, which may go. */
static void bucket_add(yardstick *y, uint32_t i, uint64_t weight) {
    const yardstick_node *n = &y->nodes[i];
    uint32_t after = n->bucket;
    if (y->buckets[after].first == i && !n->same_next) after = y->buckets[after].prev;
    bucket_leave(y, i);
    y->nodes[i].count += weight;
    bucket_join(y, i, after);
}

/* ---- one eviction --------------------------------------------------------------------------- */

/* Figure 5: from where the last minimum was found. Counts only grow and
   newcomers start above the minimum, so nothing in front of lazy_at equals
   it. */
static uint32_t find_lazily(yardstick *y) {
    uint32_t i = y->lazy_at, k;
    while (i < y->used && y->nodes[i].count != y->lazy_min) i++;
    y->visits += i - y->lazy_at;
    if (i >= y->used) {
        y->lazy_min = COLD;
        for (k = 1; k < y->used; k++) {
            if (y->nodes[k].count < y->lazy_min) y->lazy_min = y->nodes[k].count;
        }
        for (i = 1; y->nodes[i].count != y->lazy_min; i++) {
        }
        y->visits += y->used + i;
    }
    y->lazy_at = i + 1;
    return i;
}

static void evict(yardstick *y) {
    int lazy = y->kind == YARDSTICK_LAZY;
    uint32_t i = lazy ? find_lazily(y) : y->buckets[y->bucket_first].first;
    yardstick_node *n = &y->nodes[i];
    if (y->base < n->count) y->base = n->count;
    if (!lazy) bucket_leave(y, i);
    n->error = n->count - n->error;
    n->count = COLD;
    y->monitored--;
    prune(y, i);
}

/* ---- events --------------------------------------------------------------------------------- */

void yardstick_open(yardstick *y, int kind, uint32_t monitored) {
    memset(y, 0, sizeof *y);
    y->kind = kind;
    y->monitored_max = monitored;
    grow(y);
    memset(&y->nodes[0], 0, sizeof y->nodes[0]);
    y->nodes[0].count = COLD;
    y->used = 1;
    y->bucket_used = 1;
    y->lazy_at = 1;
    y->buckets = (yardstick_bucket *)tool_alloc(64 * sizeof *y->buckets);
    y->bucket_room = 64;
}

void yardstick_close(yardstick *y) {
    free(y->nodes);
    free(y->buckets);
    free(y->heads);
}

void yardstick_enter(yardstick *y, uint32_t key, uint64_t weight) {
    uint32_t i = child_of(y, y->cursor, key);
    y->cursor = i;
    if (weight == 0) return;
    y->total += weight;
    if (y->nodes[i].count != COLD) {
        if (y->kind == YARDSTICK_BUCKET) bucket_add(y, i, weight);
        else y->nodes[i].count += weight;
        return;
    }
    if (y->monitored >= y->monitored_max) evict(y);
    y->nodes[i].count = y->base + weight;
    y->nodes[i].error = y->base - y->nodes[i].error;
    y->monitored++;
    if (y->kind == YARDSTICK_BUCKET) bucket_join(y, i, 0);
}

void yardstick_leave(yardstick *y) {
    uint32_t i = y->cursor;
    if (i == 0) return;
    y->cursor = y->nodes[i].parent;
    prune(y, i);
}

void yardstick_return_to_root(yardstick *y) {
    uint32_t i = y->cursor;
    y->cursor = 0;
    prune(y, i);
}
