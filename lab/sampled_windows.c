/* sampled_windows.c - the paper's sampling: one window per access, measured
   exactly. */
#include "lab/sampled_windows.h"
#include "base/tool.h"
#include "footprint.h"
#include <stdlib.h>
#include <string.h>

static uint32_t bucket_of(uint64_t block, uint32_t buckets) {
    return (uint32_t)((block * 0xD1342543DE82EF95u >> 17) % buckets);
}

void sampled_start(sampled_windows *s, uint64_t seed) {
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->room = 1024;
    s->tree = (uint32_t *)tool_alloc((size_t)(s->room + 1) * sizeof *s->tree);
    s->buckets = 1024;
    s->key = (uint64_t *)tool_alloc(s->buckets * sizeof *s->key);
    s->last = (uint64_t *)tool_alloc(s->buckets * sizeof *s->last);
    s->cell = (uint64_t *)tool_alloc(SAMPLED_BINS * (size_t)SAMPLED_BINS * sizeof *s->cell);
}

/* tree: how many blocks were last used at times 1..t, a binary indexed tree
   over all times so far. */
static void tree_add(sampled_windows *s, uint64_t time, uint32_t add) {
    for (; time <= s->room; time += time & (0 - time)) s->tree[time] += add;
}

static uint32_t tree_sum(const sampled_windows *s, uint64_t time) {
    uint32_t sum = 0;
    for (; time; time &= time - 1) sum += s->tree[time];
    return sum;
}

static uint64_t *last_use(sampled_windows *s, uint64_t block) {
    uint32_t b = bucket_of(block, s->buckets);
    while (s->last[b] && s->key[b] != block) b = (b + 1) % s->buckets;
    s->key[b] = block;
    return &s->last[b];
}

static void more_blocks(sampled_windows *s) {
    uint32_t old = s->buckets, b;
    uint64_t *key = s->key, *last = s->last;
    s->buckets *= 2;
    s->key = (uint64_t *)tool_alloc(s->buckets * sizeof *s->key);
    s->last = (uint64_t *)tool_alloc(s->buckets * sizeof *s->last);
    for (b = 0; b < old; b++)
        if (last[b]) *last_use(s, key[b]) = last[b];
    free(key);
    free(last);
}

static uint64_t draw(sampled_windows *s, uint64_t below) {
    uint64_t z = s->seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % below;
}

void sampled_access(sampled_windows *s, uint64_t block) {
    uint64_t *last, low, high, length;
    uint32_t bin, blocks;
    if (2 * s->blocks >= s->buckets) more_blocks(s);
    if (++s->now > s->room) { /* twice the room: the new last entry counts everything so far */
        uint64_t i;
        s->tree = (uint32_t *)tool_grow(s->tree, (size_t)(2 * s->room + 1) * sizeof *s->tree);
        for (i = s->room + 1; i <= 2 * s->room; i++) s->tree[i] = 0;
        s->tree[2 * s->room] = s->blocks;
        s->room *= 2;
    }
    last = last_use(s, block);
    if (*last)
        tree_add(s, *last, UINT32_MAX);
    else
        s->blocks++;
    *last = s->now;
    tree_add(s, s->now, 1);
    bin = 1 + (uint32_t)draw(s, footprint_bin(s->now));
    low = footprint_bin_low(bin);
    high = footprint_bin_high(bin) < s->now ? footprint_bin_high(bin) : s->now;
    length = low + draw(s, high - low + 1);
    blocks = s->blocks - tree_sum(s, s->now - length);
    if (bin >= SAMPLED_BINS) return;
    s->windows[bin]++;
    s->cell[footprint_bin(blocks) * (size_t)SAMPLED_BINS + bin]++;
}

void sampled_free(sampled_windows *s) {
    free(s->tree);
    free(s->key);
    free(s->last);
    free(s->cell);
    memset(s, 0, sizeof *s);
}
