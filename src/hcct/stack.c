/* ---- the running stack ---- */

/* run.at.depth calls are open, and run.at.cursor is the node of the innermost
   one. The nodes of it and of its last callers are also in recent[]:

        root - a - b - c - d - e        depth 5, low 2, at 3
                   |   |   |   |
            recent[0] [1] [2] [3]

   A plain enter writes recent[at + 1] and raises `at`, and a plain leave lowers
   it, so that neither waits for the loads of the one before. The cursor and the
   depth are then out of date, and hcct_p_sync brings them back. An enter is
   plain below `stop`, a leave above 0. If something special goes on, `at` and
   `stop` are 0 between two events: then all of them go the slow way, which does
   everything.

   Invariant: the nodes in recent[1 .. at] are counted. So a plain leave comes
   from no cold leaf, and has nothing to prune. */

enum { HCCT_P_RECENT = 32 };                /* nodes in recent[] */

HCCT_P_INLINE void hcct_p_sync(hcct *t) {
    t->run.at.cursor = t->recent[t->at];
    t->run.at.depth = t->low + (uint32_t)t->at;
}

/* Whether events may be plain. Below 2^60 no counter is near its end. */
static int hcct_p_may_be_plain(const hcct *t) {
    return !t->run.at.over && !t->config.fold && t->stats.total >> 60 == 0;
}

static void hcct_p_window(hcct *t) {
    uint32_t left = t->depth_limit - t->low, most = HCCT_P_RECENT - 1;
    ptrdiff_t stop = hcct_p_may_be_plain(t) ? (ptrdiff_t)(left < most ? left : most) : 0;
    t->stop_any = stop;
    t->stop = hcct_p_saving(t) ? stop : 0;
    t->stop_full = hcct_p_full(t) ? stop : 0;
}

/* After any other change of the running stack: recent[] knows the cursor
   alone. */
static void hcct_p_mode(hcct *t) {
    t->recent[0] = t->run.at.cursor;
    t->low = t->run.at.depth;
    t->at = 0;
    hcct_p_window(t);
}

/* The call of node c begins, by any way. */
static void hcct_p_down(hcct *t, uint32_t c) {
    ptrdiff_t half = HCCT_P_RECENT / 2, k;
    hcct_p_sync(t);
    if (!hcct_p_may_be_plain(t)) {
        t->run.at.cursor = c;
        t->run.at.depth++;
        hcct_p_mode(t);
        return;
    }
    if (t->at == HCCT_P_RECENT - 1) { /* recent[] is full: forget half of it */
        for (k = 0; k < half; k++) t->recent[k] = t->recent[k + half];
        t->at -= half;
        t->low += (uint32_t)half;
        hcct_p_window(t);
    }
    t->recent[++t->at] = c;
}

/* The running call has ended, and its caller is the cursor: learns more callers
   at once, so that the next leaves are plain. */
static void hcct_p_learn(hcct *t) {
    uint32_t i = t->run.at.cursor, depth = t->run.at.depth, most = HCCT_P_RECENT / 2, n, k;
    uint32_t nodes[HCCT_P_RECENT / 2 + 1];
    if (!hcct_p_may_be_plain(t)) {
        hcct_p_mode(t);
        return;
    }
    for (n = 0; n < most && n < depth && !hcct_p_cold(t, i); n++) {
        nodes[n] = i;
        i = hcct_p_at(t, i)[HCCT_P_PARENT];
    }
    nodes[n] = i;
    for (k = 0; k <= n; k++) t->recent[k] = nodes[n - k];
    t->at = (ptrdiff_t)n;
    t->low = depth - n;
    hcct_p_window(t);
}
