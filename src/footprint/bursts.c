/* ---- bursts ---- */

/* A sample is many bursts, and each of them is a run of its own: its gaps, and
   the stretches of its rows, end with it. Tables add up over bursts, so that
   nothing is read out at the end of one.

   How far a sample can be trusted is what its bursts differ by. Bursts that
   follow each other make up a turn, and turns go to FOOTPRINT_GROUPS groups one
   after the other. What a group has counted is what all had counted when its
   turns ended, less what they had when its turns began: a change of groups adds
   to one and takes off from the next. Between changes there are
   FOOTPRINT_P_TURN accesses, or a 16th of all until then, for a change takes
   30 000 to 90 000 instructions: 4 to 11 for each access. A group whose turns
   are as long as the program's phases differs by phases that all groups
   together have seen in their right part: the interval is then up to five times
   too wide. */
#define FOOTPRINT_P_TURN 8192

/* Lays the groups out, if bursts are announced. Returns where they end. */
static uint64_t footprint_p_layout_bursts(footprint_bursts *bursts, unsigned char *base,
                                          uint64_t at, uint32_t flags, uint32_t rows,
                                          uint32_t columns) {
    uint64_t groups = flags & FOOTPRINT_BURSTS ? FOOTPRINT_GROUPS : 0;
    bursts->rows = rows;
    bursts->open = (footprint_p_gap *)footprint_p_take(base, &at, columns + UINT64_C(1),
                                                       sizeof *bursts->open);
    bursts->length = (footprint_p_gap *)footprint_p_take(base, &at, columns + UINT64_C(1),
                                                         sizeof *bursts->length);
    bursts->total = NULL;
    bursts->depth = bursts->cut = NULL;
    if (groups == 0) return at;
    bursts->total = (footprint_total *)footprint_p_take(base, &at, groups * columns,
                                                        sizeof *bursts->total);
    bursts->depth = (uint64_t *)footprint_p_take(base, &at, groups * rows, sizeof *bursts->depth);
    bursts->cut = (uint64_t *)footprint_p_take(base, &at, groups * rows, sizeof *bursts->cut);
    return at;
}

/* The first accesses of a burst: one at each stack distance from 1 to `count`,
   which is the least that it may have. */
static void footprint_p_cut(uint64_t *cut, uint32_t rows, uint64_t count) {
    uint32_t row;
    for (row = 1; row < rows && footprint_bin_low(row) <= count; row++) {
        uint64_t high = row + 1 < rows ? footprint_bin_high(row) : count;
        cut[row] += (high < count ? high : count) - footprint_bin_low(row) + 1;
    }
}

/* A burst of n accesses has ended; `first` are all first accesses by now.
   Returns whether the next one belongs to another group. */
static int footprint_p_end_burst(footprint_bursts *bursts, uint32_t columns, uint64_t n,
                                 uint64_t first) {
    uint64_t since;
    footprint_p_gap_sum(bursts->length, columns, n + 2, 1);
    if (bursts->cut)
        footprint_p_cut(bursts->cut + bursts->group * (size_t)bursts->rows, bursts->rows,
                        first - bursts->first);
    bursts->origin += n;
    bursts->first = first;
    bursts->count++;
    if (n > bursts->longest) bursts->longest = n;
    since = bursts->origin - bursts->turned;
    return bursts->total && (since >= FOOTPRINT_P_TURN || since >= bursts->origin / 16);
}

static footprint_total *footprint_p_group_total(const footprint_bursts *bursts,
                                                uint32_t columns) {
    return bursts->total + bursts->group * (size_t)columns;
}

/* Copies the groups into a profile, which has as many columns and may have
   fewer rows. What is not in a group yet is not there. */
static void footprint_p_copy_groups(const footprint_bursts *bursts, footprint_profile *p) {
    uint32_t group, row;
    if (!p->groups) return;
    footprint_p_copy(p->group_total, bursts->total,
                     FOOTPRINT_GROUPS * (size_t)p->columns * sizeof *p->group_total);
    for (group = 0; group < FOOTPRINT_GROUPS; group++) {
        for (row = 0; row < bursts->rows; row++) {
            size_t to = group * (size_t)p->rows + (row < p->rows ? row : p->rows - 1);
            size_t from = group * (size_t)bursts->rows + row;
            p->group_depth[to] += bursts->depth[from];
            p->group_cut[to] += bursts->cut[from];
        }
    }
}
