/* ---- the grammar ---- */
/* One array of nodes {next, prev, symbol}; index 0 means none. A rule is a
   ring: a guard node, then its body. The guard's index is the rule's name. Rule
   1 is S, which stands for all that was fed.

       abcabc.      S (1) -> (5) -> (5) -> back to 1         5: guard, 2 uses     S = 5 5
                    5 -> a -> b -> c -> back to 5                                5 = a b c

   symbol    0 .. 2^31 - 2     a terminal: what was fed
             2^31 + g          a use of rule g
             3 * 2^30 - 1      a separator: references were left out here
             3 * 2^30 + r      a guard; r is the number of the rule's uses. While the cursor's
                               walk is flushed, its list counts as uses, too.
             7 * 2^29 + k      a guard during an analysis; k is the number of its rule
             2^32 - 1          a free node, linked through next

   A *digram* is two neighbours that are terminals or uses. It is named by its
   left node. Invariants, whenever no digram waits in `pending`:
     1  S, expanded, is what was fed.
     2  Every rule but S has two uses or more, and two body nodes or more.
     3  Two nodes with equal digrams are neighbours of each other (the overlap in aaa).
     4  The table has exactly one entry for each digram that occurs, naming a node that bears it.
     5  Separators stand in S only.
   1, 2 and 5 hold always. 3 and 4 hold while `dropped` is 0; after that an
   entry may be missing, but none is wrong. The table is suspended (`stale`) by
   an analysis, which uses its memory.

   An append costs amortised constant time: each step takes a node away or makes
   a rule. */

#define HOTSTREAM_P_USE       UINT32_C(0x80000000)
#define HOTSTREAM_P_SEPARATOR UINT32_C(0xBFFFFFFF)
#define HOTSTREAM_P_GUARD     UINT32_C(0xC0000000)
#define HOTSTREAM_P_NUMBERED  UINT32_C(0xE0000000)
#define HOTSTREAM_P_FREE      UINT32_C(0xFFFFFFFF)
#define HOTSTREAM_P_NONE      UINT32_C(0xFFFFFFFF)
#define HOTSTREAM_P_MOST      UINT32_C(0x10000000)      /* nodes */
#define HOTSTREAM_P_START     UINT32_C(1)               /* S */
#define HOTSTREAM_P_BASE      UINT64_C(0x9E3779B97F4A7C15)  /* of the hash of all that was fed */

HOTSTREAM_P_INLINE int hotstream_p_is_guard(uint32_t symbol) { return symbol >= HOTSTREAM_P_GUARD; }
HOTSTREAM_P_INLINE int hotstream_p_is_use(uint32_t symbol) {
    return symbol - HOTSTREAM_P_USE < HOTSTREAM_P_SEPARATOR - HOTSTREAM_P_USE;
}
HOTSTREAM_P_INLINE int hotstream_p_pairable(uint32_t a, uint32_t b) {
    return a < HOTSTREAM_P_SEPARATOR && b < HOTSTREAM_P_SEPARATOR;
}
HOTSTREAM_P_INLINE uint32_t *hotstream_p_uses(hotstream *h, uint32_t use) {
    return &h->nodes[use - HOTSTREAM_P_USE].symbol;
}
/* Is it a use of a rule that has so many? */
HOTSTREAM_P_INLINE int hotstream_p_used(hotstream *h, uint32_t symbol, uint32_t times) {
    return hotstream_p_is_use(symbol) && *hotstream_p_uses(h, symbol) == HOTSTREAM_P_GUARD + times;
}
HOTSTREAM_P_INLINE void hotstream_p_link(hotstream_p_node *n, uint32_t left, uint32_t right) {
    n[left].next = right;
    n[right].prev = left;
}
HOTSTREAM_P_INLINE void hotstream_p_count_use(hotstream *h, uint32_t symbol) {
    if (hotstream_p_is_use(symbol)) ++*hotstream_p_uses(h, symbol);
}
HOTSTREAM_P_INLINE void hotstream_p_drop(hotstream *h, uint32_t symbol) {
    if (hotstream_p_is_use(symbol)) --*hotstream_p_uses(h, symbol);
}

HOTSTREAM_P_INLINE uint32_t hotstream_p_take(hotstream *h, uint32_t symbol) {
    uint32_t i = h->free_list;
    if (i) h->free_list = h->nodes[i].next;
    else i = ++h->used;
    h->free_count--;
    h->nodes[i].symbol = symbol;
    return i;
}

HOTSTREAM_P_INLINE void hotstream_p_release(hotstream *h, uint32_t i) {
    uint32_t k;
    for (k = 0; k < h->pending_count; k++) {
        if (h->pending[k] == i) h->pending[k] = 0;
    }
    h->nodes[i].symbol = HOTSTREAM_P_FREE;
    h->nodes[i].next = h->free_list;
    h->free_list = i;
    h->free_count++;
}

HOTSTREAM_P_INLINE void hotstream_p_push(hotstream *h, uint32_t i) {
    if (h->pending_count == HOTSTREAM_PENDING) h->dropped++;
    else h->pending[h->pending_count++] = i;
}
