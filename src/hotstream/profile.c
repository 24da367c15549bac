/* ---- the profile ---- */
/* Streams of all digests, found by signature in an open hash table. Entries
   stand in the order of their items, but while an answer sorts them. */

static uint32_t hotstream_p_entry_places(const hotstream *h) {
    return h->config.streams_max + h->config.streams_max / 2 + 1;
}

/* The place of a signature, or the empty one where it would go. */
static uint32_t *hotstream_p_entry_find(hotstream *h, uint64_t signature) {
    uint32_t places = hotstream_p_entry_places(h);
    uint32_t at = hotstream_p_home((uint32_t)(signature >> 32), places);
    while (h->entry_slots[at] && h->entries[h->entry_slots[at] - 1].signature != signature) {
        if (++at == places) at = 0;
    }
    return &h->entry_slots[at];
}

/* Hottest first; by signature among equals, so that the order depends on
   nothing else. */
static int hotstream_p_by_heat(const hotstream_stream *a, const hotstream_stream *b) {
    return a->heat != b->heat ? a->heat > b->heat : a->signature < b->signature;
}
static int hotstream_p_by_place(const hotstream_stream *a, const hotstream_stream *b) {
    return a->items < b->items;
}

/* Shellsort with the gaps of Gonnet and Baeza-Yates: no recursion, no
   memory. */
static void hotstream_p_sort(hotstream_stream *e, uint32_t count,
                             int (*before)(const hotstream_stream *, const hotstream_stream *)) {
    uint32_t gap = count, i, k;
    while (gap > 1) {
        gap = gap < 5 ? 1 : (uint32_t)(((uint64_t)gap * 5 - 1) / 11);
        for (i = gap; i < count; i++) {
            hotstream_stream moved = e[i];
            for (k = i; k >= gap && before(&moved, &e[k - gap]); k -= gap) e[k] = e[k - gap];
            e[k] = moved;
        }
    }
}

static uint32_t hotstream_p_octave(uint64_t heat) {
    uint32_t octave = 0;
    while (heat >>= 1) octave++;
    return octave;
}

/* Gives up the colder half: whole octaves of heat, and of the octave in between
   the last ones. */
static void hotstream_p_evict(hotstream *h) {
    uint32_t counts[64], i, k, octave = 63, kept = 0, at = 0, room = h->entry_count / 2;
    hotstream_p_zero(counts, sizeof counts);
    for (i = 0; i < h->entry_count; i++) counts[hotstream_p_octave(h->entries[i].heat)]++;
    while (octave && counts[octave] <= room) room -= counts[octave--];
    for (i = 0; i < h->entry_count; i++) {
        hotstream_stream e = h->entries[i];
        uint32_t its = hotstream_p_octave(e.heat);
        if (its < octave || (its == octave && room-- == 0)) {
            room += its == octave;
            h->heat -= e.heat;
            h->heat_lost = hotstream_p_sat_add(h->heat_lost, e.heat);
            continue;
        }
        for (k = 0; k < e.length; k++) h->items[at + k] = e.items[k];
        e.items = h->items + at;
        at += e.length;
        h->entries[kept++] = e;
    }
    h->entry_count = kept;
    h->item_count = at;
    hotstream_p_zero(h->entry_slots, hotstream_p_entry_places(h) * sizeof *h->entry_slots);
    for (i = 0; i < kept; i++) *hotstream_p_entry_find(h, h->entries[i].signature) = i + 1;
}

static void hotstream_p_keep(void *user, const hotstream_stream *stream) {
    hotstream *h = (hotstream *)user;
    uint32_t *slot = hotstream_p_entry_find(h, stream->signature), k;
    hotstream_stream *e;
    if (stream->length > h->item_max) {                     /* of a merged object */
        h->heat_lost = hotstream_p_sat_add(h->heat_lost, stream->heat);
        return;
    }
    if (!*slot) {
        while (h->entry_count == h->config.streams_max ||
               h->item_max - h->item_count < stream->length) {
            hotstream_p_evict(h);
        }
        slot = hotstream_p_entry_find(h, stream->signature);
        e = &h->entries[h->entry_count++];
        *slot = h->entry_count;
        *e = *stream;
        e->frequency = 0;
        e->heat = 0;
        e->items = h->items + h->item_count;
        for (k = 0; k < stream->length; k++) h->items[h->item_count++] = stream->items[k];
    }
    e = &h->entries[*slot - 1];
    e->frequency = hotstream_p_sat_add(e->frequency, stream->frequency);
    e->heat = hotstream_p_sat_add(e->heat, stream->heat);
    h->heat = hotstream_p_sat_add(h->heat, stream->heat);
}

HOTSTREAM_API void hotstream_digest(hotstream *h) {
    uint64_t steps = UINT64_MAX;
    hotstream_p_stand(h);
    if (h->count == 0) return;
    hotstream_p_walk_begin(h);
    h->phase = HOTSTREAM_P_WALK;
    hotstream_p_digest_on(h, &steps);
}

HOTSTREAM_API size_t hotstream_top(hotstream *h, hotstream_stream *rows, size_t max) {
    uint64_t wanted, held = 0;
    uint32_t i;
    hotstream_digest(h);
    hotstream_p_sort(h->entries, h->entry_count, hotstream_p_by_heat);
    wanted = (uint64_t)(h->config.coverage * (double)h->taken);
    for (i = 0; i < h->entry_count && i < max && held < wanted; i++) {
        held = hotstream_p_sat_add(held, h->entries[i].heat);
        rows[i] = h->entries[i];
    }
    hotstream_p_sort(h->entries, h->entry_count, hotstream_p_by_place);
    return i;
}

HOTSTREAM_API void hotstream_merge(hotstream *x, hotstream *y) {
    uint32_t i;
    hotstream_digest(x);
    hotstream_digest(y);
    for (i = 0; i < y->entry_count; i++) hotstream_p_keep(x, &y->entries[i]);
    x->taken = hotstream_p_sat_add(x->taken, y->taken);
    x->lost_before = hotstream_p_sat_add(x->lost_before, y->lost_before);
    x->lost_before = hotstream_p_sat_add(x->lost_before, HOTSTREAM_P_READ(y->lost));
    x->bursts = hotstream_p_sat_add(x->bursts, y->bursts);
    x->digests = hotstream_p_sat_add(x->digests, y->digests);
    x->dropped = hotstream_p_sat_add(x->dropped, y->dropped);
    x->heat_lost = hotstream_p_sat_add(x->heat_lost, y->heat_lost);
}
