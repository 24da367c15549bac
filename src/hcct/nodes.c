/* ---- nodes ---- */

/* word    0    1       2            3             4              5      6 7
   full    key  parent  first child  next sibling  count
   pruned  key  parent  first child  next sibling  children       error  count

   Links are node numbers. Node 0 is the root and, as a link, "none". Bit 31 of
   `first child` says that the children are in the hash too. `children` is their
   number; its bit 31 pins the node and so keeps sweeps from freeing it, and is
   always set in the root. A free node has parent ~0 and children 1, and hangs
   on free_list by `next sibling`. In Space-Saving a count of ~0 marks a cold
   node, and its `error` holds `kept` instead: the weight that was certain
   before the eviction.

   Invariants: every ancestor of a counted node is in the tree. Siblings have
   distinct keys. Live and free nodes together are used - 1. After a sweep,
   every leaf is counted, pinned or the cursor. Between sweeps this is
   suspended: there may be other cold leaves. */

enum { HCCT_P_KEY, HCCT_P_PARENT, HCCT_P_CHILD, HCCT_P_NEXT, HCCT_P_COUNT32 };
enum { HCCT_P_CHILDREN = 4, HCCT_P_ERROR, HCCT_P_COUNT };
enum { HCCT_P_STRIDE_FULL = 5, HCCT_P_STRIDE = 8 };     /* words of a node */

HCCT_P_INLINE int hcct_p_full(const hcct *t) { return HCCT_P_HAS(t, HCCT_FULL); }
HCCT_P_INLINE int hcct_p_saving(const hcct *t) { return HCCT_P_HAS(t, HCCT_SPACE_SAVING); }
HCCT_P_INLINE uint32_t *hcct_p_at(const hcct *t, uint32_t i) {
    return t->words + (size_t)i * t->stride;
}
/* These two are for pruned trees. */
HCCT_P_INLINE uint32_t *hcct_p_node(const hcct *t, uint32_t i) {
    return t->words + (size_t)i * HCCT_P_STRIDE;
}
HCCT_P_INLINE uint64_t *hcct_p_count(const hcct *t, uint32_t i) {
    return (uint64_t *)(void *)(hcct_p_node(t, i) + HCCT_P_COUNT);
}
HCCT_P_INLINE uint32_t hcct_p_child(const hcct *t, uint32_t i) {
    return hcct_p_at(t, i)[HCCT_P_CHILD] & HCCT_P_LINK;
}
HCCT_P_INLINE int hcct_p_is_free(const hcct *t, uint32_t i) {
    return hcct_p_at(t, i)[HCCT_P_PARENT] == HCCT_P_FREE;
}
