/* ---- answers by averages ---- */

/* The average is known at the high ends of bins, and for the whole run. The
   line through these points and (0, 0) is the average footprint by window
   length. */
typedef struct footprint_p_piece { double window0, blocks0, window1, blocks1; } footprint_p_piece;

/* Returns whether there is a point n, and gives it in window1 and blocks1. */
static int footprint_p_point(const footprint_profile *p, uint32_t n, footprint_p_piece *to) {
    uint64_t before = footprint_bin_high(n - 1);
    if (p->flags & FOOTPRINT_BURSTS) {
        to->window1 = footprint_p_highest(n);
        to->blocks1 = n < p->columns ? footprint_p_average_without(p, n, UINT32_MAX) : -1;
        return to->blocks1 >= 0;
    }
    if (n < p->columns && p->total[n].windows) {
        const footprint_total *t = &p->total[n];
        uint64_t high = footprint_bin_high(n);
        to->window1 = (double)high;
        to->blocks1 = (double)t->high * 18446744073709551616.0 + (double)t->low;
        to->blocks1 /= (double)t->windows;
        return 1;
    }
    if (p->last_window == 0 || n > p->columns) return 0;
    if (n > 1 && (p->total[n - 1].windows == 0 || p->last_window <= before)) return 0;
    to->window1 = (double)p->last_window;
    to->blocks1 = (double)p->last_blocks;
    return 1;
}

/* Finds the piece of the line that holds a window or, if blocks >= 0, reaches
   so many blocks. Returns 0 behind the last; then window0 and blocks0 are the
   last point. */
static int footprint_p_find_piece(const footprint_profile *p, double window, double blocks,
                                  footprint_p_piece *to) {
    uint32_t n;
    to->window0 = to->blocks0 = to->window1 = to->blocks1 = 0;
    for (n = 1; footprint_p_point(p, n, to); n++) {
        if (blocks < 0 ? to->window1 >= window : to->blocks1 >= blocks) return 1;
        to->window0 = to->window1;
        to->blocks0 = to->blocks1;
    }
    return 0;
}

FOOTPRINT_API double footprint_average_of(const footprint_profile *p, double window) {
    footprint_p_piece at;
    if (window <= 0) return 0;
    if (!footprint_p_find_piece(p, window, -1, &at))
        return p->flags & FOOTPRINT_BURSTS ? -1 : at.blocks0;
    return at.blocks0 +
           (at.blocks1 - at.blocks0) * (window - at.window0) / (at.window1 - at.window0);
}

FOOTPRINT_API double footprint_fill_time(const footprint_profile *p, double blocks) {
    footprint_p_piece at;
    if (blocks <= 0) return 0;
    if (!footprint_p_find_piece(p, 0, blocks, &at)) return -1;
    return at.window0 +
           (at.window1 - at.window0) * (blocks - at.blocks0) / (at.blocks1 - at.blocks0);
}

/* Reuses whose window is longer than the high end of bin b are those of more
   than high(b) - 1 accesses: the line through these points and (0, 1) is the
   share of accesses by reuse. First accesses are never reuses. */
FOOTPRINT_API double footprint_reuse_after(const footprint_profile *p, double window) {
    double all = (double)p->accesses, longer = (double)p->blocks, from, to, before, after, share;
    uint32_t b, n;
    if (!p->reuse || p->flags & FOOTPRINT_BURSTS) return -1;
    if (p->accesses == 0) return 0;
    if (window <= 0) return 1;
    for (b = 2; b < p->columns && footprint_p_highest(b) - 1 < window; b++) {}
    for (n = b + 1; n <= p->columns; n++) longer += (double)p->reuse[n];
    after = longer / all;
    if (b >= p->columns) share = after;            /* the table ends here */
    else {
        before = b > 2 ? after + (double)p->reuse[b] / all : 1;
        from = b > 2 ? footprint_p_highest(b - 1) - 1 : 0;
        to = footprint_p_highest(b) - 1;
        if (before > 1) before = 1;
        share = before + (after - before) * (window - from) / (to - from);
    }
    return share < 0 ? 0 : share < 1 ? share : 1;  /* estimates may be above it */
}

FOOTPRINT_API double footprint_miss_ratio_by_average(const footprint_profile *p, double blocks) {
    double time = footprint_fill_time(p, blocks);
    if (footprint_p_is_unknown(p, blocks)) return -1;
    return footprint_reuse_after(p, time < 0 ? 18446744073709551616.0 : time);
}
