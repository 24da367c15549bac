/* ---- the table of digrams ---- */
/* Linear probing; an entry that goes pulls later ones back. */

HOTSTREAM_P_INLINE uint32_t hotstream_p_hash(uint32_t a, uint32_t b) {
    uint64_t x = (a * HOTSTREAM_P_BASE + b) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(x >> 32) & ~(uint32_t)((UINT64_C(1) << (32 - HOTSTREAM_P_HASH_BITS)) - 1);
}

/* The place where a hash belongs among so many. */
HOTSTREAM_P_INLINE uint32_t hotstream_p_home(uint32_t hash, uint32_t places) {
    return (uint32_t)((uint64_t)hash * places >> 32);
}

/* The slot of digram (a, b), or the empty one where it would go. */
HOTSTREAM_P_INLINE hotstream_p_slot *hotstream_p_find(hotstream *h, uint32_t a, uint32_t b,
                                                      uint32_t hash) {
    const hotstream_p_node *n = h->nodes;
    hotstream_p_slot *slot = h->table + hotstream_p_home(hash, h->slots);
    const hotstream_p_slot *end = h->table + h->slots;
    while (slot->node) {
        if (slot->hash == hash && n[slot->node].symbol == a && n[n[slot->node].next].symbol == b) {
            break;
        }
        if (++slot == end) slot = h->table;
    }
    return slot;
}

static void hotstream_p_delete(hotstream *h, hotstream_p_slot *slot) {
    hotstream_p_slot *t = h->table;
    uint32_t i = (uint32_t)(slot - t), j = i, home, to_home, to_hole;
    for (;;) {
        if (++j == h->slots) j = 0;
        if (!t[j].node) break;
        home = hotstream_p_home(t[j].hash, h->slots);
        to_home = j >= home ? j - home : j + h->slots - home;
        to_hole = j >= i ? j - i : j + h->slots - i;
        if (to_home >= to_hole) {
            t[i] = t[j];
            i = j;
        }
    }
    t[i].node = 0;
}

/* The digram at i is about to be cut, and of its nodes the left or the right
   one stays. In aaa the twin that overlaps it takes its entry over. */
enum { HOTSTREAM_P_LEFT, HOTSTREAM_P_RIGHT };

HOTSTREAM_P_INLINE void hotstream_p_forget(hotstream *h, uint32_t i, int stays) {
    const hotstream_p_node *n = h->nodes;
    uint32_t j = n[i].next, a = n[i].symbol, b = n[j].symbol;
    hotstream_p_slot *slot;
    if (!hotstream_p_pairable(a, b)) return;
    slot = hotstream_p_find(h, a, b, hotstream_p_hash(a, b));
    if (slot->node != i) return;
    if (a == b && stays == HOTSTREAM_P_LEFT && n[n[i].prev].symbol == a) {
        slot->node = n[i].prev;
    } else if (a == b && stays == HOTSTREAM_P_RIGHT && n[n[j].next].symbol == a) {
        slot->node = j;
    } else {
        hotstream_p_delete(h, slot);
    }
}
