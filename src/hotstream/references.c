/* ---- references ---- */
/* They are numbered as they come, anew after each digest. */

/* The number of a reference, or HOTSTREAM_P_NONE if there is no room for a new
   one. */
HOTSTREAM_P_INLINE uint32_t hotstream_p_number(hotstream *h, const hotstream_item *item) {
    uint64_t mixed = (item->address * UINT64_C(0xD6E8FEB86659FD93)) ^ item->site;
    uint32_t places = hotstream_p_reference_places(h), at, i;
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    at = hotstream_p_home((uint32_t)(mixed >> 32), places);
    while ((i = h->reference_slots[at]) != 0) {
        const hotstream_item *known = &h->references[i - 1];
        if (known->site == item->site && known->address == item->address) return i - 1;
        if (++at == places) at = 0;
    }
    if (h->reference_count == h->config.references_max) return HOTSTREAM_P_NONE;
    h->references[h->reference_count] = *item;
    h->reference_slots[at] = ++h->reference_count;
    return h->reference_count - 1;
}

HOTSTREAM_API void hotstream_burst(hotstream *h) {
    if (h->buffer) {
        hotstream_record(h, 0, 0);
    } else {
        hotstream_p_flush(h);
        h->separate = 1;
    }
}

/* The buffer is a ring; put and got count for ever, modulo 2^32. */
HOTSTREAM_API int hotstream_p_make_room(hotstream *h) {
    uint32_t need = 1 + h->gap, got = HOTSTREAM_P_READ(h->got);
    if (!h->buffer) return 0;
    if (h->mask + 1 - (h->put - got) < need) {
        if (h->config.deferred) {
            if (h->lost < UINT32_MAX) HOTSTREAM_P_PUBLISH(h->lost, h->lost + 1);
            h->gap = 1;
            return 0;
        }
        hotstream_work(h, 0);
        got = h->got;
    }
    h->put_limit = got + h->mask + 1;
    if (h->gap) {                                           /* what was lost parts two bursts */
        h->buffer[h->put & h->mask].site = 0;
        HOTSTREAM_P_PUBLISH(h->put, h->put + 1);
        h->gap = 0;
    }
    return 1;
}

/* Takes references from the buffer. Returns 1 if the buffer is empty. */
static int hotstream_p_drain(hotstream *h, uint64_t *steps) {
    uint32_t end = HOTSTREAM_P_READ(h->put), got = h->got;
    for (; got != end && *steps && h->phase == HOTSTREAM_P_IDLE; --*steps) {
        const hotstream_item *item = &h->buffer[got & h->mask];
        uint32_t x;
        if (item->site == 0) {
            hotstream_p_flush(h);
            h->separate = 1;
            got++;
            continue;
        }
        x = hotstream_p_number(h, item);
        if (x == HOTSTREAM_P_NONE || hotstream_feed(h, x) != 0) {
            hotstream_p_walk_begin(h);
            h->phase = HOTSTREAM_P_WALK;
        } else {
            got++;
        }
    }
    HOTSTREAM_P_PUBLISH(h->got, got);
    return got == end;
}

#define HOTSTREAM_P_SLICE UINT64_C(256)     /* steps between two looks at the clock */

HOTSTREAM_API int hotstream_work(hotstream *h, uint64_t budget) {
    uint64_t (*clock)(void *) = budget ? h->config.clock : NULL, steps, given;
    uint64_t start = clock ? clock(h->config.user) : 0;
    for (;;) {
        given = budget && (clock || budget > HOTSTREAM_P_SLICE) ? HOTSTREAM_P_SLICE : budget;
        steps = given ? given : UINT64_MAX;
        if (h->phase != HOTSTREAM_P_IDLE) hotstream_p_digest_on(h, &steps);
        if (h->phase == HOTSTREAM_P_IDLE) {
            if (!h->buffer || hotstream_p_drain(h, &steps)) return 0;
        }
        if (clock && clock(h->config.user) - start >= budget) return 1;
        if (!clock && budget) {
            budget -= given;
            if (!budget) return 1;
        }
    }
}

HOTSTREAM_API void hotstream_get_stats(const hotstream *h, hotstream_stats *out) {
    uint32_t in_use = h->capacity - h->free_count;
    out->references = hotstream_p_sat_add(h->taken, h->count);
    out->lost = hotstream_p_sat_add(h->lost_before, HOTSTREAM_P_READ(h->lost));
    out->bursts = h->bursts;
    out->symbols = h->count;
    out->digests = h->digests;
    out->dropped = h->dropped;
    out->heat = h->heat;
    out->heat_lost = h->heat_lost;
    out->nodes = in_use;
    out->rules = h->rules + 1;
    out->nodes_peak = in_use > h->peak ? in_use : h->peak;
    out->node_count = h->capacity;
    out->references_max = h->references ? h->config.references_max : 0;
    out->buffer_count = h->buffer ? h->mask + 1 : 0;
    out->streams_max = h->config.streams_max;
    out->streams = h->entry_count;
    out->different = h->reference_count;
    out->bytes = h->bytes;
}
