/* ---- two threads ---- */

typedef struct footprint_p_pair_run { uint64_t first, time, length; } footprint_p_pair_run;
typedef struct footprint_p_pair_mark {
    uint64_t since, from, low;
    uint64_t x0, x1, times;          /* the latest ages, which are not in the row yet */
    uint64_t born;
    uint32_t row, period_log2;
    uint32_t cursor, stride;         /* run of since; how many runs the mark went on last time */
} footprint_p_pair_mark;
typedef struct footprint_p_pair_cell { uint64_t count, sum; } footprint_p_pair_cell;

/* Lays everything out from base on. If base is NULL it only returns how many
   bytes that takes. */
static uint64_t footprint_p_pair_layout(footprint_pair *pair, unsigned char *base, uint32_t runs,
                                        const footprint_config *config) {
    footprint_config settings;
    uint64_t at = 0, cells;
    footprint_p_zero(pair, sizeof *pair);
    pair->end = footprint_p_settings(&settings, config, &pair->columns);
    pair->c = settings.c;
    pair->mark_max = pair->columns - 1;
    pair->run_max = runs;
    cells = 1 + (uint64_t)pair->mark_max * (pair->columns - 1);
    cells -= (uint64_t)pair->mark_max * (pair->mark_max - 1) / 2;
    pair->marks   = (footprint_p_pair_mark *)footprint_p_take(base, &at, pair->mark_max,
                                                              sizeof *pair->marks);
    pair->cells   = (footprint_p_pair_cell *)footprint_p_take(base, &at, cells,
                                                              sizeof *pair->cells);
    pair->scratch = (footprint_p_pair_cell *)footprint_p_take(base, &at, pair->columns,
                                                              sizeof *pair->cells);
    pair->table_bytes = (size_t)at;
    pair->runs    = (footprint_p_pair_run *)footprint_p_take(base, &at, runs, sizeof *pair->runs);
    return at;
}

FOOTPRINT_API size_t footprint_pair_bytes(const footprint_config *config, uint32_t runs) {
    footprint_pair pair;
    uint64_t bytes = footprint_p_pair_layout(&pair, NULL, runs < 64 ? 64 : runs, config) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_pair_init(footprint_pair *pair, void *memory, size_t bytes,
                                           const footprint_config *config) {
    unsigned char *base = (unsigned char *)memory;
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, least, runs;
    least = footprint_pair_bytes(config, 64);
    if (memory == NULL || bytes < least) {
        footprint_p_zero(pair, sizeof *pair);
        return 0;
    }
    runs = 64 + (bytes - least) / sizeof(footprint_p_pair_run);
    if (runs > UINT32_C(1) << 30) runs = UINT32_C(1) << 30;
    footprint_p_pair_layout(pair, base + skip, (uint32_t)runs, config);
    footprint_p_zero(base + skip, pair->table_bytes);
    return pair->run_max;
}

/* Each low end F of a bin of counts has one mark, a time tau_F: windows that
   start at or before tau_F count as holding F accesses of thread 1 or more.
   Thread 1's accesses have the numbers 0, 1, 2, ..., and X_F is the time of
   number (count so far - F). A window holds F or more exactly when it starts at
   or before X_F. No search is needed to find X_F, only the runs in which the
   numbers lie:

       accesses   b b b b a a a b b b b b a b a b b b        a: thread 0, b: thread 1
       numbers    0 1 2 3       4 5 6 7 8   9   10 ..
       runs [0: 4] [4: 5] [9: 1] [10: 3] first number: length, and its first time

   A mark may lag behind X_F until pending, the number of thread 1's accesses
   since it was moved, would be more than slack(F) = floor((F - 1) / c) - (F -
   1). Then a window that is not counted as >= F holds at most (F - 1) / c, so
   counts are within [c, 1] of the truth. A mark moves exactly when the count
   reaches a multiple of its period, the largest power of two <= slack(F) + 1.

   Invariant after each run: tau_F falls as F grows. Powers of two nest, so
   whenever a mark moves all marks of smaller F with the same or a shorter
   period move as well, and the order needs no test.

   While a mark rests, its age (now - tau_F + 1) grows by one at each access. A
   rest adds the ages of one run to the row of F: for each bin their number and
   their sum. If thread 1 runs for long, mark and thread advance in step, and
   the same ages come again and again: one addition with a weight deals with
   them all.

   When memory is full, runs are dropped: those that no window of interest reaches,
   and those before the largest mark if no larger mark can come. If that is not enough and c < 1,
   runs are thinned from new to old: a dropped run counts as the end of the run
   before it, which takes at most half of the slack of the marks that look
   there; the other half remains for their period. At c = 1 the largest mark is
   given up with its row.

   Cost: for c < 1 a few moves for each access of thread 1, for c = 1 one for
   each mark. */

/* The largest count that a window may have without being counted as >= low. */
static uint64_t footprint_p_pair_slack(const footprint_pair *pair, uint64_t low) {
    if (pair->c >= 1) return 0;
    return (uint64_t)((double)(low - 1) / pair->c + 1e-9) - (low - 1);
}

static uint32_t footprint_p_pair_period_log2(const footprint_pair *pair, uint64_t low) {
    uint64_t slack = footprint_p_pair_slack(pair, low);
    return FOOTPRINT_P_LOG2((pair->is_thinned ? slack - slack / 2 : slack) + 1);
}

/* Adds the ages x0..x1, `weight` times each, to a row. */
static void footprint_p_pair_add_ages(footprint_p_pair_cell *row, uint32_t columns, uint64_t x0,
                                      uint64_t x1, uint64_t weight) {
    uint32_t bin = footprint_bin(x0);
    for (; bin < columns && x0 <= x1; bin++) {
        uint64_t high = footprint_bin_high(bin), end = high < x1 ? high : x1;
        uint64_t length = end - x0 + 1;
        row[bin].count += weight * length;
        row[bin].sum += weight * (length * end - footprint_p_triangle(length - 1));
        x0 = end + 1;
    }
}

/* What was left of a mark has ended; its ages were x0..x1. Where threads take turns of
   one length, a mark has the same ages again and again. They go to the row
   once, with their weight. */
static inline void footprint_p_pair_end_rest(const footprint_pair *pair,
                                             footprint_p_pair_mark *mark, uint64_t x0,
                                             uint64_t x1) {
    if (x0 == mark->x0 && x1 == mark->x1) {
        mark->times++;
        return;
    }
    footprint_p_pair_add_ages(pair->cells + mark->row, pair->columns, mark->x0, mark->x1,
                              mark->times);
    mark->x0 = x0;
    mark->x1 = x1;
    mark->times = 1;
}

/* Drops the first `count` runs. All that marks need to know of them is that
   they are old. */
static void footprint_p_pair_drop_runs(footprint_pair *pair, uint32_t count) {
    uint32_t i;
    if (count == 0) return;
    pair->dropped_time = pair->runs[count - 1].time + pair->runs[count - 1].length - 1;
    for (i = count; i < pair->run_count; i++) pair->runs[i - count] = pair->runs[i];
    pair->run_count -= count;
    for (i = 0; i < pair->mark_count; i++) {
        uint32_t cursor = pair->marks[i].cursor;
        pair->marks[i].cursor = cursor > count ? cursor - count : 0;
    }
}

/* Drops runs, from new to old, whose numbers may as well count as the end of
   the run before. The kept ones gather at the end; the two newest and the
   oldest always stay. */
static void footprint_p_pair_thin_runs(footprint_pair *pair) {
    uint32_t i, w = pair->run_count - 2;
    if (!pair->is_thinned) {
        pair->is_thinned = 1;
        for (i = 0; i < pair->mark_count; i++)
            pair->marks[i].period_log2 = footprint_p_pair_period_log2(pair, pair->marks[i].low);
    }
    for (i = w; i-- > 0; ) {
        uint64_t first = pair->runs[w].first;
        uint64_t slack = footprint_p_pair_slack(pair, pair->number - first);
        if (i > 0 && first - (pair->runs[i - 1].first + pair->runs[i - 1].length) <= slack / 2)
            continue;
        pair->runs[--w] = pair->runs[i];
    }
    for (i = w; i < pair->run_count; i++) pair->runs[i - w] = pair->runs[i];
    pair->run_count -= w;
    for (i = 0; i < pair->mark_count; i++) {                 /* the last run that began by then */
        footprint_p_pair_mark *mark = &pair->marks[i];
        uint32_t low = 0, high = pair->run_count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (pair->runs[middle].time <= mark->since) low = middle;
            else high = middle;
        }
        mark->cursor = low;
    }
}

static void footprint_p_pair_make_room(footprint_pair *pair) {
    uint64_t longest = footprint_bin_high(pair->columns - 1);
    uint32_t old = 0, b;
    while (old + 1 < pair->run_count &&
           pair->runs[old].time + pair->runs[old].length - 1 + longest <= pair->now) old++;
    if (pair->mark_count == pair->mark_max && old < pair->marks[pair->mark_count - 1].cursor)
        old = pair->marks[pair->mark_count - 1].cursor;
    footprint_p_pair_drop_runs(pair, old);
    if (pair->run_count == pair->run_max && pair->c < 1) footprint_p_pair_thin_runs(pair);
    while (pair->run_count == pair->run_max && pair->mark_count > 1) {
        footprint_p_pair_mark *largest = &pair->marks[--pair->mark_count];
        for (b = pair->mark_count + 1; b < pair->columns; b++)
            pair->cells[largest->row + b].count = pair->cells[largest->row + b].sum = 0;
        pair->mark_max = pair->mark_count;
        pair->flags |= FOOTPRINT_FULL;
        footprint_p_pair_drop_runs(pair, pair->marks[pair->mark_count - 1].cursor);
    }
    if (pair->run_count == pair->run_max) footprint_p_pair_drop_runs(pair, pair->run_count - 1);
}

/* Makes the marks that are due once thread 1 has made so many accesses. `time`
   and `number` are those before its run. A new mark starts at number 0. */
static void footprint_p_pair_add_marks(footprint_pair *pair, uint64_t time, uint64_t number) {
    uint32_t j;
    for (j = pair->mark_count; j < pair->mark_max; j++) {
        footprint_p_pair_mark *mark = &pair->marks[j];
        mark->low = footprint_bin_low(j + 1);
        if (mark->low > pair->number) return;
        mark->since = pair->runs[0].first == 0 ? pair->runs[0].time : pair->dropped_time;
        mark->from = mark->born = time + mark->low - number;
        mark->period_log2 = footprint_p_pair_period_log2(pair, mark->low);
        mark->cursor = mark->stride = 0;
        mark->row = j * (pair->columns - 1) - j * (j + 1) / 2;
        pair->mark_count = j + 1;
    }
}

/* Moves a mark to number x at time now. Returns how many numbers of its run
   come after x. */
static inline uint64_t footprint_p_pair_step(footprint_pair *pair, footprint_p_pair_mark *mark,
                                             uint64_t x, uint64_t now) {
    const footprint_p_pair_run *runs = pair->runs, *run;
    uint32_t cursor = mark->cursor, guess = cursor + mark->stride;
    uint64_t at;
    if (now > mark->from)
        footprint_p_pair_end_rest(pair, mark, mark->from - mark->since + 1, now - mark->since);
    mark->from = now;
    if (guess < pair->run_count && runs[guess].first <= x) cursor = guess;
    while (x - runs[cursor].first >= runs[cursor].length) {
        if (cursor + 1 == pair->run_count || runs[cursor + 1].first > x) break;
        cursor++;                                          /* x lies in a later run */
    }
    mark->stride = cursor - mark->cursor;
    mark->cursor = cursor;
    run = runs + cursor;
    at = x - run->first;
    if (at < run->length) {
        mark->since = run->time + at;
        return run->length - 1 - at;
    }
    mark->since = x < run->first ? pair->dropped_time : run->time + run->length - 1;
    return 0;
}

/* Moves a mark at each multiple t of its period up to `end`, the count of
   thread 1 by now. */
static void footprint_p_pair_move_mark(footprint_pair *pair, footprint_p_pair_mark *mark,
                                       uint64_t t, uint64_t end, uint64_t time,
                                       uint64_t number) {
    uint64_t period = UINT64_C(1) << mark->period_log2, steps, more;
    for (; t <= end; t += period) {
        uint64_t now = time + t - number;
        steps = footprint_p_pair_step(pair, mark, t - mark->low, now) >> mark->period_log2;
        more = (end - t) >> mark->period_log2;             /* in step with the thread */
        if (more < steps) steps = more;
        if (steps == 0) continue;
        now -= mark->since;
        footprint_p_pair_add_ages(pair->cells + mark->row, pair->columns, now + 1, now + period,
                                  steps);
        mark->since += steps << mark->period_log2;
        mark->from += steps << mark->period_log2;
        t += steps << mark->period_log2;
    }
}

FOOTPRINT_API void footprint_pair_run(footprint_pair *pair, int thread, uint64_t count) {
    uint64_t time = pair->now, number = pair->number, most = pair->end - pair->now, end, t;
    footprint_p_pair_mark *mark, *last;
    uint32_t old;
    FOOTPRINT_ASSERT(thread == 0 || thread == 1);
    if (count > most) {
        pair->flags |= FOOTPRINT_ENDED;
        pair->lost = footprint_p_sat_add(pair->lost, count - most);
        count = most;
    }
    if (count == 0) return;
    if (thread == 0) {
        pair->now += count;
        pair->is_joined = 0;
        return;
    }
    if (!pair->is_joined) {
        footprint_p_pair_run *run;
        if (pair->run_count == pair->run_max) footprint_p_pair_make_room(pair);
        run = &pair->runs[pair->run_count++];
        run->first = number;
        run->time = time + 1;
        run->length = 0;
    }
    pair->runs[pair->run_count - 1].length += count;
    pair->is_joined = 1;
    pair->now += count;
    pair->number += count;
    old = pair->mark_count;
    footprint_p_pair_add_marks(pair, time, number);
    end = pair->number;
    for (mark = pair->marks, last = mark + old; mark < last; mark++) {
        t = ((number >> mark->period_log2) + 1) << mark->period_log2;
        if (t > end) break;                                /* no larger one is due */
        if ((end - t) >> mark->period_log2 == 0)           /* it moves once */
            footprint_p_pair_step(pair, mark, t - mark->low, time + t - number);
        else footprint_p_pair_move_mark(pair, mark, t, end, time, number);
    }
    for (mark = last, last = pair->marks + pair->mark_count; mark < last; mark++) {
        t = ((mark->low >> mark->period_log2) + 1) << mark->period_log2;
        footprint_p_pair_move_mark(pair, mark, t, end, time, number);
    }
}

FOOTPRINT_API void footprint_pair_get_stats(const footprint_pair *pair, footprint_stats *out) {
    footprint_p_zero(out, sizeof *out);
    out->accesses = pair->now;
    out->lost = pair->lost;
    out->accesses_max = pair->end;
    out->blocks = pair->number;
    out->memory_bytes = pair->table_bytes + pair->run_max * sizeof *pair->runs;
    out->flags = pair->flags;
}

FOOTPRINT_API uint64_t footprint_pair_mark_time(const footprint_pair *pair, uint32_t bin) {
    if (bin == 0) return pair->now;
    return bin <= pair->mark_count ? pair->marks[bin - 1].since : 0;
}

/* How many windows of a run of n accesses have a length in bin. */
static uint64_t footprint_p_pair_windows(uint64_t n, uint32_t bin) {
    uint64_t low = footprint_bin_low(bin), high = footprint_bin_high(bin), width;
    if (bin == 0 || n < low) return 0;
    width = (high < n ? high : n) - low + 1;
    return width * (n - low + 1) - footprint_p_triangle(width - 1);
}

/* Turns a row of ages into windows. A window of length w is counted at every
   access at which the age is w or less. For lengths low..limit of a bin, the
   ages of the bins below (`open` many) count at each length, and an age x of
   this bin at limit - x + 1 lengths. This also counts lengths w > i at an
   access i, though such windows would start before access 1: `early` of
   them, (w - born) for each w > born. */
static void footprint_p_pair_add_row(const footprint_p_pair_cell *row, uint64_t now, uint64_t born,
                                     uint64_t *windows, uint32_t columns) {
    uint64_t open = 0;
    uint32_t b;
    for (b = 1; b < columns && footprint_bin_low(b) <= now; b++) {
        uint64_t low = footprint_bin_low(b), high = footprint_bin_high(b);
        uint64_t limit = high < now ? high : now, from = low > born ? low : born + 1, early = 0;
        if (limit > born) {
            early = (limit - from + 1) * (from - born);
            early += footprint_p_triangle(limit - from);
        }
        windows[b] += (limit - low + 1) * open + row[b].count * (limit + 1) - row[b].sum - early;
        open += row[b].count;
    }
}

FOOTPRINT_API size_t footprint_pair_snapshot_bytes(const footprint_pair *pair) {
    return footprint_profile_bytes(pair->mark_count + 1, pair->columns, 0);
}

FOOTPRINT_API int footprint_pair_snapshot(const footprint_pair *pair, footprint_profile *profile,
                                          void *memory, size_t bytes) {
    uint32_t b, j;
    if (footprint_profile_init(profile, pair->mark_count + 1, pair->columns, 0, memory, bytes))
        return -1;
    profile->accesses = pair->now;
    profile->blocks = pair->number;
    if (pair->columns) profile->c = pair->c;       /* else init failed */
    profile->flags = pair->flags | FOOTPRINT_INTERLEAVED;
    for (b = 1; b < pair->columns; b++)
        profile->at_least[b] = footprint_p_pair_windows(pair->now, b);
    for (j = 0; j < pair->mark_count; j++) {
        const footprint_p_pair_mark *mark = &pair->marks[j];
        footprint_p_zero(pair->scratch, pair->columns * sizeof *pair->scratch);
        for (b = j + 1; b < pair->columns; b++) pair->scratch[b] = pair->cells[mark->row + b];
        footprint_p_pair_add_ages(pair->scratch, pair->columns, mark->x0, mark->x1, mark->times);
        if (mark->from <= pair->now)                         /* the rest under way ends here */
            footprint_p_pair_add_ages(pair->scratch, pair->columns, mark->from - mark->since + 1,
                                      pair->now - mark->since + 1, 1);
        footprint_p_pair_add_row(pair->scratch, pair->now, mark->born,
                                 profile->at_least + (j + 1) * (size_t)pair->columns,
                                 pair->columns);
    }
    return 0;
}
