/* ---- laying out the memory ---- */

static uint32_t hotstream_p_choose(uint32_t value, uint32_t zero, uint32_t least, uint32_t most) {
    if (value == 0) value = zero;
    return value < least ? least : value > most ? most : value;
}

static void *hotstream_p_place(unsigned char *base, uint64_t *at, uint64_t count, size_t size) {
    void *here = base ? base + *at : NULL;
    *at = (*at + count * size + 7) & ~(uint64_t)7;
    return here;
}

#define HOTSTREAM_P_PLACE(type_, field_, count_) \
    h->field_ = (type_ *)hotstream_p_place(base, &at, count_, sizeof(type_))

/* Sets all pointers and sizes for so many nodes; base NULL: only counts.
   Returns the bytes. */
static uint64_t hotstream_p_layout(hotstream *h, unsigned char *base, uint32_t nodes,
                                   const hotstream_config *config) {
    const uint32_t most = HOTSTREAM_P_MOST;
    hotstream_config *c = &h->config;
    uint64_t at = 0;
    if (config) *c = *config;
    else hotstream_p_zero(c, sizeof *c);
    c->min_length = hotstream_p_choose(c->min_length, 10, 1, 1024);
    c->max_length = hotstream_p_choose(c->max_length,
                                       c->min_length > 10 ? 4 * c->min_length : 40, 1, 1024);
    if (c->min_length > c->max_length) c->min_length = c->max_length;
    if (!(c->coverage > 0)) c->coverage = 0.9;
    if (c->coverage > 1) c->coverage = 1;
    if (c->heat_min == 0) c->heat_min = 2 * (uint64_t)c->min_length;
    c->streams_max = hotstream_p_choose(c->streams_max, nodes < 512 ? 16 : nodes / 32, 1,
                                        most / 64);
    c->references_max = hotstream_p_choose(c->references_max, nodes / 4, 16, most);
    c->buffer_count = hotstream_p_choose(c->buffer_count, nodes / 16, 64, most);
    for (h->mask = 63; h->mask + 1 <= c->buffer_count / 2; ) h->mask = 2 * h->mask + 1;
    h->capacity = nodes;
    h->slots = nodes + nodes / 2 + 16;
    h->list_max = c->eager || nodes < 64 ? 0 : nodes < 8192 ? nodes / 16 : 512;
    h->item_max = 16 * c->streams_max + 4 * c->max_length;
    h->reference_slots = NULL;
    h->references = NULL;
    h->buffer = NULL;
    HOTSTREAM_P_PLACE(hotstream_p_slot, table, h->slots);
    if (!c->symbols) {
        HOTSTREAM_P_PLACE(uint32_t, reference_slots, hotstream_p_reference_places(h));
    }
    h->clear_bytes = (size_t)at;
    HOTSTREAM_P_PLACE(hotstream_p_node, nodes, (uint64_t)nodes + 1);
    HOTSTREAM_P_PLACE(hotstream_stream, entries, c->streams_max);
    HOTSTREAM_P_PLACE(hotstream_item, items, h->item_max);
    HOTSTREAM_P_PLACE(uint32_t, entry_slots, hotstream_p_entry_places(h));
    HOTSTREAM_P_PLACE(hotstream_item, spelled, c->max_length);
    HOTSTREAM_P_PLACE(uint32_t, spell_stack, c->max_length);
    HOTSTREAM_P_PLACE(uint32_t, list, h->list_max);
    if (!c->symbols) {
        HOTSTREAM_P_PLACE(hotstream_item, references, c->references_max);
        HOTSTREAM_P_PLACE(hotstream_item, buffer, (uint64_t)h->mask + 1);
    }
    return at;
}

HOTSTREAM_API size_t hotstream_bytes(const hotstream_config *config, uint32_t nodes) {
    hotstream h;
    uint64_t bytes = hotstream_p_layout(&h, NULL, nodes, config) + 7;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

HOTSTREAM_API uint32_t hotstream_init(hotstream *h, void *memory, size_t bytes,
                                      const hotstream_config *config) {
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 7;
    uint32_t nodes = 0, too_many = memory && bytes > skip ? HOTSTREAM_P_MOST : 1;
    hotstream_p_zero(h, sizeof *h);
    while (too_many - nodes > 1) {                          /* the most whose layout fits */
        uint32_t middle = nodes + (too_many - nodes) / 2;
        if (hotstream_p_layout(h, NULL, middle, config) <= bytes - skip) nodes = middle;
        else too_many = middle;
    }
    if (nodes < HOTSTREAM_P_RESERVE + 4) {
        hotstream_p_zero(h, sizeof *h);
        return 0;
    }
    h->bytes = (size_t)hotstream_p_layout(h, (unsigned char *)memory + skip, nodes, config);
    hotstream_p_zero(h->entry_slots, hotstream_p_entry_places(h) * sizeof *h->entry_slots);
    h->free_count = h->capacity;
    hotstream_p_zero(h->table, h->clear_bytes);
    hotstream_p_empty(h);
    return nodes;
}
