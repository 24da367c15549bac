/* exact_windows.c - exact footprints of all windows by a true LRU list with
   markers. Slow.

   The list runs from the block used last to the one unused longest. Marker i is
   the node at depth[i]; a node's zone is the number of markers at smaller
   depths, so a block's zone tells which markers lie above it. An access takes
   its node to the front; every marker above it moves to the next newer node,
   and nothing else changes. */
#include "lab/exact_windows.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* The 8-wide bins. */
static uint64_t bin_low(uint32_t bin) {
    return bin < 16 ? bin : (uint64_t)(8 + bin % 8) << (bin / 8 - 1);
}
static uint64_t bin_high(uint32_t bin) { return bin_low(bin + 1) - 1; }

static uint32_t bin_of(uint64_t value) {
    uint32_t bin = 0;
    for (; value >= 16; value /= 2) bin += 8;
    return bin + (uint32_t)value;
}

static uint32_t bucket_of(uint64_t block, uint32_t buckets) {
    return (uint32_t)((block * 0xD1342543DE82EF95u >> 17) % buckets);
}

void exact_start(exact_windows *e, const uint64_t *depth, uint32_t depth_count) {
    memset(e, 0, sizeof *e);
    e->depth_count = depth_count;
    e->depth = (uint64_t *)tool_alloc(depth_count * sizeof *e->depth);
    memcpy(e->depth, depth, depth_count * sizeof *depth);
    e->marker = (uint32_t *)tool_alloc(depth_count * sizeof *e->marker);
    e->row = (struct exact_row *)tool_alloc(depth_count * sizeof *e->row);
    e->reuse = (uint64_t *)tool_alloc((depth_count + 1) * sizeof *e->reuse);
    e->room = 1024;
    e->node = (exact_node *)tool_alloc(e->room * sizeof *e->node);
    e->nodes = 1;
    e->buckets = 2 * e->room;
    e->index = (uint32_t *)tool_alloc(e->buckets * sizeof *e->index);
}

/* Marker i was at a block of time `since`; at every access from `from` to now -
   1 its age was one higher. */
static void add_rest(struct exact_row *row, uint64_t now) {
    uint64_t age = row->from - row->since + 1,
             last = now - row->since; /* none when it has moved at this very access */
    while (row->since && age <= last) {
        uint32_t bin = bin_of(age);
        uint64_t end = bin_high(bin) < last ? bin_high(bin) : last;
        if (bin >= EXACT_BINS) break;
        row->count[bin] += end - age + 1;
        row->sum[bin] += (age + end) % 2 ? (age + end) * ((end - age + 1) / 2)
                                         : (age + end) / 2 * (end - age + 1);
        age = end + 1;
    }
}

static void move_marker(exact_windows *e, uint32_t i, uint32_t node) {
    add_rest(&e->row[i], e->now);
    e->marker[i] = node;
    e->row[i].since = e->node[node].time;
    e->row[i].from = e->now;
}

static void grow(exact_windows *e) {
    uint32_t i;
    e->node = (exact_node *)tool_grow(e->node, 2 * (size_t)e->room * sizeof *e->node);
    e->room *= 2;
    e->buckets *= 2;
    free(e->index);
    e->index = (uint32_t *)tool_alloc(e->buckets * sizeof *e->index);
    for (i = 1; i < e->nodes; i++) {
        uint32_t b = bucket_of(e->node[i].block, e->buckets);
        while (e->index[b]) b = (b + 1) % e->buckets;
        e->index[b] = i;
    }
}

void exact_access(exact_windows *e, uint64_t block) {
    uint32_t b, x, i, zone;
    exact_node *node;
    if (e->nodes == e->room) grow(e);
    e->now++;
    node = e->node;
    for (b = bucket_of(block, e->buckets); e->index[b] && node[e->index[b]].block != block;
         b = (b + 1) % e->buckets) {
    }
    x = e->index[b];
    if (x == 0) { /* as if it had been the last of the list */
        x = e->index[b] = e->nodes++;
        node[x].block = block;
        node[x].zone = e->active;
        node[x].newer = node[0].newer;
        node[x].older = 0;
        node[node[0].newer].older = x;
        node[0].newer = x;
        if (e->active < e->depth_count && e->depth[e->active] == e->nodes - 1) {
            e->marker[e->active] = x;
            e->row[e->active++].born = e->now;
        }
        e->cold++;
    } else {
        zone = node[x].zone;
        e->reuse[zone + (zone < e->active && e->marker[zone] == x)]++;
    }
    node[x].time = e->now;
    zone = node[x].zone;
    e->moved = zone + 1;
    if (zone < e->active && e->marker[zone] == x)
        move_marker(e, zone, node[x].newer ? node[x].newer : x);
    for (i = 0; i < zone; i++) {
        uint32_t old = e->marker[i];
        node[old].zone = i + 1;
        move_marker(e, i, e->depth[i] == 1 ? x : node[old].newer);
    }
    node[node[x].newer].older = node[x].older;
    node[node[x].older].newer = node[x].newer;
    node[x].older = node[0].older;
    node[x].newer = 0;
    node[node[0].older].newer = x;
    node[0].older = x;
    node[x].zone = 0;
}

uint64_t exact_time(const exact_windows *e, uint32_t i) {
    return i < e->active ? e->row[i].since : 0;
}

static uint64_t sum_to(uint64_t k) { return k % 2 ? (k + 1) / 2 * k : k / 2 * (k + 1); }

uint64_t exact_at_least(const exact_windows *e, uint32_t i, uint32_t bin) {
    uint64_t low = bin_low(bin), high = bin_high(bin), limit = high < e->now ? high : e->now,
             total = 0, early;
    struct exact_row row;
    uint32_t b;
    if (i >= e->active || low > e->now) return 0;
    row = e->row[i];
    add_rest(&row, e->now + 1);
    for (b = 1; b < bin; b++) total += row.count[b];
    total = total * (limit - low + 1) + row.count[bin] * (limit + 1) - row.sum[bin];
    if (limit <= row.born) return total;
    early = low > row.born ? low : row.born + 1; /* counted at every time since born, also where
                                                    they would begin before access 1 */
    return total - (sum_to(limit - row.born) - sum_to(early - row.born - 1));
}

void exact_free(exact_windows *e) {
    free(e->depth);
    free(e->marker);
    free(e->row);
    free(e->reuse);
    free(e->node);
    free(e->index);
    memset(e, 0, sizeof *e);
}
