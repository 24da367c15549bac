/* ---- the running stack ---- */

/* run.at.depth calls are open, and run.at.cursor is the node of the innermost
   one. The nodes of the last callers are also in recent[]:

        root - a - b - c - d - e        depth 5, recent_from 2
                   |   |   |   |
            recent[2] [3] [4] [5]

   A plain enter writes recent[depth + 1] and a plain leave only lowers depth,
   so that neither waits for the loads of the one before. The cursor is then out
   of date, and hcct_p_sync brings it back. Plain are enters at depths below
   `stop` and leaves at depths above `stay`. hcct_p_window sets these so that
   recent[] reaches and nothing special goes on; else they are such that all
   calls go the slow way, which does everything. */

HCCT_P_INLINE void hcct_p_sync(hcct *t) { t->run.at.cursor = t->recent[t->run.at.depth % 32]; }

static void hcct_p_window(hcct *t) {
    uint32_t stop = t->depth_limit < t->recent_from + 31 ? t->depth_limit : t->recent_from + 31;
    int fast = !t->run.at.over && !t->config.fold;
    int leaves_warm = hcct_p_full(t) || (hcct_p_saving(t) && !t->zeros);
    t->stop = fast && !hcct_p_full(t) ? stop : 0;
    t->stop_full = fast && hcct_p_full(t) ? stop : 0;
    t->stay = fast && leaves_warm ? t->recent_from : UINT32_MAX;
}

/* After any other change of the running stack: recent[] knows the cursor
   alone. */
static void hcct_p_mode(hcct *t) {
    t->recent[t->run.at.depth % 32] = t->run.at.cursor;
    t->recent_from = t->run.at.depth;
    hcct_p_window(t);
}
