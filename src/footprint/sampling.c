/* ---- samples: what bursts tell ---- */

/* What the first access to a block in a burst finds in a cache is not known:
   its last use was before the burst. The n-th such block has been used at a
   stack distance of n or more, for n - 1 other blocks came in between. That is
   what life tables call a life that is cut off, and the estimator of Kaplan and
   Meier takes such lives for what they are (lives: accesses; age: distance):

       S(d) = S(d - 1) (1 - reuses at distance d / accesses known to be at d or more)

   S(C) is the share of accesses that miss in an LRU cache of C blocks. A row has
   several distances. Of the lives that end in it by a cut, those cut at its low
   end count for none of its distances, and those cut at its high end for nearly
   all; half of them in the middle. Nothing is said of distances that fewer than
   half of the bursts reach: there, few unusual bursts would speak for all.

   How far off that may be is estimated by leaving out one group of bursts at a
   time (the jackknife): with answers e_1 .. e_G the variance is (G - 1) / G
   times the sum of squared distances from their mean, and the 95 % interval
   takes Student's t with G - 1 degrees of freedom. Bursts of one group need not
   be independent of one another. Neighbouring bursts are in different groups, so
   that each group has seen the whole run. */
enum { FOOTPRINT_P_LEAST_GROUPS = 8 };

/* Returns the share of misses without one group, or -1 if it is not known. A
   group of UINT32_MAX leaves none out, and looks whether enough bursts go so
   far. */
static double footprint_p_miss_without(const footprint_profile *p, double blocks,
                                       uint32_t group) {
    double reuses = 0, cuts = 0, survive = 1;
    uint32_t row, g, pass;
    if (p->groups == 0 || p->accesses == 0) return -1;
    for (pass = 0; pass < 2; pass++) {
        for (row = 1; row < p->rows; row++) {
            double low = footprint_p_lowest(row), here = 0, cut = 0, risk, part, width;
            width = (double)(footprint_bin_low(row + 1) - footprint_bin_low(row));
            for (g = 0; g < p->groups; g++) {
                if (g == group) continue;
                here += (double)p->group_depth[g * (size_t)p->rows + row];
                cut += (double)p->group_cut[g * (size_t)p->rows + row];
            }
            if (pass == 0) {
                reuses += here;
                cuts += cut;
                continue;
            }
            if (low > blocks) return survive;
            if (group == UINT32_MAX &&
                (row + 1 == p->rows || cut < width * (double)p->bursts / 2)) return -1;
            part = blocks - low + 1 < width ? (blocks - low + 1) / width : 1;
            risk = reuses + cuts - cut + cut * (width - 1) / (2 * width);
            if (here > 0) survive *= risk > here ? 1 - part * here / risk : 1 - part;
            reuses -= here;
            cuts -= cut;
        }
    }
    return group == UINT32_MAX ? -1 : survive;
}

/* The average footprint at the high end of a column, without one group; or -1.
   The windows of two columns differ by the bursts that reach the second one,
   once for each length in between. */
static double footprint_p_average_without(const footprint_profile *p, uint32_t column,
                                          uint32_t group) {
    footprint_total t = p->total[column];
    if (group == UINT32_MAX) {
        double lengths = (double)(footprint_bin_high(column) - footprint_bin_high(column - 1));
        double windows = (double)p->total[column - 1].windows;
        if (column == 1) windows = (double)p->accesses + (double)p->bursts;
        if (windows - (double)t.windows < lengths * (double)p->bursts / 2) return -1;
    } else {
        const footprint_total *less = p->group_total + group * (size_t)p->columns + column;
        t.windows -= less->windows;
        footprint_p_wide_less(&t.low, &t.high, less->low, less->high);
    }
    if (t.windows == 0) return -1;
    return ((double)t.high * 18446744073709551616.0 + (double)t.low) / (double)t.windows;
}

static double footprint_p_root(double square) {
    double root = square > 1 ? square : 1, next;
    if (square <= 0) return 0;
    while ((next = (root + square / root) / 2) < root) root = next;
    return root;
}

/* The interval around `middle` from answers that each leave one group out.
   Returns 0, or -1 if there are too few. */
static int footprint_p_jackknife(const double *answer, uint32_t count, double middle,
                                 double *low, double *high) {
    static const double student[] = {2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                     2.131};
    double mean = 0, square = 0;
    uint32_t i;
    if (count < FOOTPRINT_P_LEAST_GROUPS) return -1;
    for (i = 0; i < count; i++) mean += answer[i] / count;
    for (i = 0; i < count; i++) square += (answer[i] - mean) * (answer[i] - mean);
    square = footprint_p_root(square * (count - 1) / count);
    square *= student[count - FOOTPRINT_P_LEAST_GROUPS];
    *low = middle - square;
    *high = middle + square;
    return 0;
}

/* Groups without a burst do not count. */
static int footprint_p_has_bursts(const footprint_profile *p, uint32_t group) {
    return p->columns > 1 && p->group_total[group * (size_t)p->columns + 1].windows != 0;
}

static int footprint_p_miss_interval(const footprint_profile *p, double blocks, double *low,
                                     double *high) {
    double answer[FOOTPRINT_GROUPS], ratio = -1;
    uint32_t g, count = 0;
    if (p->flags & FOOTPRINT_BURSTS) ratio = footprint_miss_ratio(p, blocks);
    if (ratio < 0) return -1;
    for (g = 0; g < p->groups; g++) {
        if (!footprint_p_has_bursts(p, g)) continue;
        answer[count++] = footprint_p_miss_without(p, blocks, g);
    }
    if (footprint_p_jackknife(answer, count, ratio, low, high)) return -1;
    if (*low < 0) *low = 0;
    if (*high > 1) *high = 1;
    return 0;
}

/* Distances are short by up to c, and never too long. So a cache of so many
   blocks misses at least as often as it seems, and at most as often as one of c
   times as many seems to. */
FOOTPRINT_API int footprint_miss_interval(const footprint_profile *p, double blocks, double *low,
                                          double *high) {
    double lower, higher;
    if (footprint_p_miss_interval(p, blocks, low, high)) return -1;
    if (!(p->c < 1) || blocks < 1) return 0;
    if (footprint_p_miss_interval(p, blocks * p->c, &lower, &higher)) higher = 1;
    if (higher > *high) *high = higher;
    return 0;
}

FOOTPRINT_API int footprint_average_interval(const footprint_profile *p, double window,
                                             double *low, double *high) {
    double answer[FOOTPRINT_GROUPS], average = -1, from, part;
    uint32_t g, b = 1, count = 0;
    if (p->flags & FOOTPRINT_BURSTS) average = footprint_average_of(p, window);
    if (average < 0 || window <= 0) return -1;
    while (b < p->columns && footprint_p_highest(b) < window) b++;
    if (b >= p->columns) return -1;
    from = footprint_p_highest(b - 1);
    part = (window - from) / (footprint_p_highest(b) - from);
    for (g = 0; g < p->groups; g++) {
        double before, here;
        if (!footprint_p_has_bursts(p, g)) continue;
        before = b > 1 ? footprint_p_average_without(p, b - 1, g) : 0;
        here = footprint_p_average_without(p, b, g);
        if (before >= 0 && here >= 0) answer[count++] = before + (here - before) * part;
    }
    if (footprint_p_jackknife(answer, count, average, low, high)) return -1;
    if (*low < 0) *low = 0;
    if (*low > window) *low = window;
    if (*high > window) *high = window;
    return 0;
}
