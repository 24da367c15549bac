/* ---- Lossy Counting (section 4.2) ---- */

/* Every node counts. When N passes a multiple of the width W = ceil(1 /
   epsilon), base becomes L = floor(N / W), and nodes with count + error <= base
   are freed. A new node starts with error = base, for it may have been freed
   with that much. So lower = count, upper = count + error and L <= epsilon N.
   Cost: one sweep every W units. One large weight can cross many multiples:
   then a sweep waits for min(W, used / 4) events, which costs memory but no
   accuracy. */

static void hcct_p_lossy_boundary(hcct *t) {
    uint64_t level = t->stats.total / t->width;
    uint64_t wait = t->width < t->used / 4 ? t->width : t->used / 4;
    if (level > t->floor) {
        if (t->stats.weighted && ++t->events < wait) return;
        t->events = 0;
        t->floor = level;
        hcct_p_sweep(t, 0);
    }
    t->boundary = UINT64_MAX;
    if (t->floor < UINT64_MAX / t->width) t->boundary = (t->floor + 1) * t->width;
}
