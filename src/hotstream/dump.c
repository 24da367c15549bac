/* ---- the dump ---- */

static void hotstream_p_put_string(hotstream_p_out *out, const char *string) {
    size_t size = 0;
    while (string && string[size]) size++;
    hotstream_p_put_varint(out, size);
    hotstream_p_put(out, string, size);
}

/* A site's number if it was written before: found by the table of digrams,
   which is empty after a digest. A slot holds an item that bears the site, and
   the site's number. */
static int hotstream_p_known_site(hotstream *h, uint32_t item, uint32_t next, uint32_t *number) {
    uint64_t site = h->items[item].site, mixed = site * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = hotstream_p_home((uint32_t)((mixed ^ mixed >> 32) >> 16), h->slots);
    for (; h->table[at].node; at = at + 1 == h->slots ? 0 : at + 1) {
        if (h->items[h->table[at].node - 1].site == site) {
            *number = h->table[at].hash;
            return 1;
        }
    }
    if (next < h->slots / 2) {                          /* else it is written in full each time */
        h->table[at].node = item + 1;
        h->table[at].hash = next;
    }
    return 0;
}

static void hotstream_p_put_head(const hotstream *h, hotstream_p_out *out) {
    const hotstream_config *c = &h->config;
    const uint64_t numbers[] = {
        c->symbols ? 1u : 0u, c->min_length, c->max_length, (uint64_t)(c->coverage * 1e6 + .5),
        h->taken, hotstream_p_sat_add(h->lost_before, HOTSTREAM_P_READ(h->lost)), h->bursts,
        h->digests, h->dropped, h->heat_lost, h->entry_count
    };
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hotstream_p_put_varint(out, numbers[i]);
    }
}

HOTSTREAM_API int hotstream_write(hotstream *h, const char *title, hotstream_name_fn name,
                                  void *name_user, hotstream_write_fn write, void *user) {
    hotstream_p_out out;
    uint32_t i, k, number, next = 0;
    hotstream_digest(h);
    hotstream_p_sort(h->entries, h->entry_count, hotstream_p_by_heat);
    hotstream_p_put_begin(&out, 5, write, user);
    hotstream_p_put_varint(&out, 1);
    hotstream_p_put_string(&out, title);
    hotstream_p_put_head(h, &out);
    for (i = 0; i < h->entry_count; i++) {
        const hotstream_stream *e = &h->entries[i];
        hotstream_p_put_varint(&out, e->length);
        hotstream_p_put_varint(&out, e->frequency);
        for (k = 0; k < e->length; k++) {
            const hotstream_item *item = &e->items[k];
            if (hotstream_p_known_site(h, (uint32_t)(item - h->items), next, &number)) {
                hotstream_p_put_varint(&out, (uint64_t)number + 1);
            } else {
                hotstream_p_put_varint(&out, 0);
                hotstream_p_put_varint(&out, item->site);
                hotstream_p_put_string(&out, name ? name(name_user, item->site) : NULL);
                next++;
            }
            hotstream_p_put_varint(&out, item->address);
        }
    }
    hotstream_p_zero(h->table, h->slots * sizeof *h->table);
    hotstream_p_sort(h->entries, h->entry_count, hotstream_p_by_place);
    return hotstream_p_put_end(&out) ? -1 : 0;
}
