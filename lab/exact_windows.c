/* exact_windows.c - exact footprints of all windows by a true LRU list with
   markers.

       places    0    1    2    3    4    5    6    7   <- used
       blocks         a    -    c    b    -    e    a'     (a' now; before at 1)
       markers                       ^depth 3       ^depth 1

   Each access takes a new place behind all others, so places are in the order
   of time: the newest block is in the last one. A place that its block has left
   drops out of the list of places. Marker i is the place at depth[i]. An access
   moves every marker at or above its block's depth to the next newer place,
   and nothing else changes. Markers are in order too, so a binary search finds
   how many lie above. When places run out, the list is packed: there are four
   times as many places as blocks, so that costs a constant for each access.

   Cost: a search in some 300 markers, and a step of each marker that moves.
   Neighbours in time are neighbours in memory, so steps hit the cache. */
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
    e->row = (struct exact_row *)tool_alloc(depth_count * sizeof *e->row);
    e->cells = (exact_cell *)tool_alloc(depth_count * EXACT_BINS * sizeof *e->cells);
    e->reuse = (uint64_t *)tool_alloc((depth_count + 1) * sizeof *e->reuse);
    e->block_room = 1024;
    e->block = (exact_block *)tool_alloc(e->block_room * sizeof *e->block);
    e->index = (uint32_t *)tool_alloc(2 * (size_t)e->block_room * sizeof *e->index);
    e->place = (exact_place *)tool_alloc(4 * (size_t)e->block_room * sizeof *e->place);
    e->blocks = e->places = 1;
}

/* The marker was at a block of time `since`; at every access from `from` to now -
   1 its age was one higher. */
static void add_rest(struct exact_row *row, exact_cell *cells, uint64_t now) {
    uint64_t age = row->from - row->since + 1,
             last = now - row->since; /* none when it has moved at this very access */
    while (row->since && age <= last) {
        uint64_t end;
        if (age < row->low || age > row->high) {
            row->bin = bin_of(age);
            row->low = bin_low(row->bin);
            row->high = bin_high(row->bin);
        }
        if (row->bin >= EXACT_BINS) break;
        if (age == last) {                        /* most often: it moved at the access before */
            cells[row->bin].count++;
            cells[row->bin].sum += age;
            break;
        }
        end = row->high < last ? row->high : last;
        cells[row->bin].count += end - age + 1;
        cells[row->bin].sum += (age + end) % 2 ? (age + end) * ((end - age + 1) / 2)
                                               : (age + end) / 2 * (end - age + 1);
        age = end + 1;
    }
}

static void move_marker(exact_windows *e, uint32_t i) {
    struct exact_row *row = &e->row[i];
    add_rest(row, e->cells + (size_t)i * EXACT_BINS, e->now);
    row->place = e->place[row->place].newer;
    row->since = e->place[row->place].time;
    row->from = e->now;
}

/* Twice as many blocks. */
static void grow(exact_windows *e) {
    uint32_t i, buckets;
    e->block_room *= 2;
    buckets = 2 * e->block_room;
    e->block = (exact_block *)tool_grow(e->block, e->block_room * sizeof *e->block);
    e->place = (exact_place *)tool_grow(e->place, 4 * (size_t)e->block_room * sizeof *e->place);
    free(e->index);
    e->index = (uint32_t *)tool_alloc(buckets * sizeof *e->index);
    for (i = 1; i < e->blocks; i++) {
        uint32_t b = bucket_of(e->block[i].number, buckets);
        while (e->index[b]) b = (b + 1) % buckets;
        e->index[b] = i;
    }
}

/* Moves the list to the first places, and the markers with it. */
static void pack(exact_windows *e) {
    uint32_t from, to = 1, i;
    for (i = 0; i < e->active; i++) e->row[i].place = e->place[e->row[i].place].block;
    for (from = e->place[0].newer; from; from = e->place[from].newer, to++) { /* to <= from */
        e->place[to].block = e->place[from].block;
        e->place[to].time = e->place[from].time;
        e->block[e->place[to].block].place = to;
    }
    for (i = 0; i < to; i++) {
        e->place[i].newer = i + 1 < to ? i + 1 : 0;
        e->place[i].older = i ? i - 1 : to - 1;
    }
    for (i = 0; i < e->active; i++) e->row[i].place = e->block[e->row[i].place].place;
    e->places = to;
}
/* How many markers are at newer places. */
static uint32_t markers_above(const exact_windows *e, uint32_t place) {
    uint32_t low = 0, high = e->active;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->row[middle].place > place) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* A new block is as if it had been the last of the list. Returns its number. */
static uint32_t add_block(exact_windows *e, uint64_t number) {
    uint32_t x = e->blocks++;
    e->block[x].number = number;
    e->block[x].place = 0;
    e->cold++;
    if (e->active < e->depth_count && e->depth[e->active] == x) {
        e->row[e->active].place = 0;
        e->row[e->active++].born = e->now;
    }
    return x;
}

static void drop(exact_windows *e, uint32_t place) {
    const exact_place *p = &e->place[place];
    e->place[p->newer].older = p->older;
    e->place[p->older].newer = p->newer;
}

static uint32_t new_place(exact_windows *e, uint32_t block) {
    uint32_t at = e->places++;
    exact_place *p = &e->place[at];
    p->block = block;
    p->time = e->now;
    p->newer = 0;
    p->older = e->place[0].older;
    e->place[p->older].newer = at;
    e->place[0].older = at;
    return at;
}

void exact_access(exact_windows *e, uint64_t number) {
    uint32_t b, x, i, old, zone, to, is_marked, buckets;
    if (e->blocks == e->block_room) grow(e);
    if (e->places == 4 * e->block_room) pack(e);
    e->now++;
    buckets = 2 * e->block_room;
    b = bucket_of(number, buckets);
    while (e->index[b] && e->block[e->index[b]].number != number) b = (b + 1) % buckets;
    x = e->index[b];
    if (x == 0) x = e->index[b] = add_block(e, number);
    old = e->block[x].place;
    zone = old ? markers_above(e, old) : e->active;
    is_marked = zone < e->active && e->row[zone].place == old;
    if (old) e->reuse[zone + is_marked]++;
    e->moved = zone + 1;
    to = new_place(e, x);
    for (i = 0; i < zone + is_marked; i++) move_marker(e, i);
    if (old) drop(e, old);
    e->block[x].place = to;
}

uint64_t exact_time(const exact_windows *e, uint32_t i) {
    return i < e->active ? e->row[i].since : 0;
}

static uint64_t sum_to(uint64_t k) { return k % 2 ? (k + 1) / 2 * k : k / 2 * (k + 1); }

uint64_t exact_at_least(const exact_windows *e, uint32_t i, uint32_t bin) {
    uint64_t low = bin_low(bin), high = bin_high(bin), limit = high < e->now ? high : e->now,
             total = 0, early;
    struct exact_row row;
    exact_cell cells[EXACT_BINS];
    uint32_t b;
    if (i >= e->active || low > e->now) return 0;
    row = e->row[i];
    memcpy(cells, e->cells + (size_t)i * EXACT_BINS, sizeof cells);
    add_rest(&row, cells, e->now + 1);
    for (b = 1; b < bin; b++) total += cells[b].count;
    total = total * (limit - low + 1) + cells[bin].count * (limit + 1) - cells[bin].sum;
    if (limit <= row.born) return total;
    early = low > row.born ? low : row.born + 1; /* counted at every time since born, also where
                                                    they would begin before access 1 */
    return total - (sum_to(limit - row.born) - sum_to(early - row.born - 1));
}

void exact_free(exact_windows *e) {
    free(e->depth);
    free(e->row);
    free(e->reuse);
    free(e->cells);
    free(e->place);
    free(e->block);
    free(e->index);
    memset(e, 0, sizeof *e);
}
