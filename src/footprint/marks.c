/* ---- marks ---- */

/* The paper (section 3) walks O(log) ranges at every access. Here the low end F
   of each bin of footprints has one mark instead, a time tau_F:
       accesses   1 . . . . . . . . . . . . . . . . . . now
                        |       |    |    | | ||||||||||      windows that start at or before tau_F
                      tau_64  tau_56 tau_48 ...   tau_1 = now     count as touching F blocks or more
   Let X_F be the time of the last access to the F-th most recently used block.
   A window touches F blocks or more exactly when it starts at or before X_F. A
   mark may lag behind X_F. Call an access pending if it came after the mark was
   last moved and its block had not been used after tau_F. Each pending access
   has added one to the F - 1 blocks that are used after tau_F. With
       K(F) = floor((F - 1) / c)      slack(F) = K(F) - (F - 1)      pending <= slack(F)
   a window that is not counted as >= F holds at most K(F) <= (F - 1) / c
   blocks. One that is counted holds at least F. So every reported footprint is
   within [c, 1] of the truth.

       recent: T blocks, exact                slot: all older blocks, later used = higher slot
       top[0] top[1] ... top[T-1]  ------->   next   . . # # . # . # # # . . # # . #  2
         b      a          z  leaves                     ^place[0] ^place[1]  ^place[2] ...
                                              # is live (its bit is set), . has gone back to recent
   An access to a block found in recent at depth q moves it to the front. Any
   other block comes from slot p (p = 1: it is new). Its bit is cleared, z gets
   the next free slot, and each mark with place >= p has one more pending. G
   neighbouring marks form a group with the slack of its smallest F, whose mark
   always has the most pending. When that exceeds the slack, each mark of the
   group moves up over as many live slots as it has pending. It may overtake the
   last mark of the group below, which then moves as well. A miss moves about 4
   marks at c = 0.9, and each mark above p (O(log blocks)) at c = 1.

   Invariants between two accesses (for marks that wait for footprint_p_settle:
   after it).
     If nothing is pending, F - 1 - T live slots lie strictly after place[j].
     place[j] falls as j grows, over all groups. lead[g] is that of the first mark of group g.
     index finds each live slot by its block. An entry is stale if its slot holds another block or
     is not live: its block is recent, and the entry goes when that gets a new slot, or its time
     is one before the burst. What is forgotten has no entry.

   While a mark rests, its age (now - tau_F + 1), the shortest window counted as
   >= F, grows by one at each access. A rest is a stretch of ages, and row F of
   the table keeps where they start (+1) and end (-1). "reading rows out" turns
   them into windows. Rows F <= T need no marks: when a block moves from top[q]
   to top[q + 1] at age y, a stretch of row q + 1 ends and one of row q + 2
   starts (shifted[q][y]); when it is used again, a stretch of row q + 1 ends
   (reused[q][y]). */

/* Byte b of the result says how many of the lowest 8 (b + 1) bits of v are
   set. */
static uint64_t footprint_p_ones(uint64_t v) {
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return v * UINT64_C(0x0101010101010101);
}

/* Returns the step-th live slot after place. BMI2 saves 9 of 115 instructions
   an access. */
static FOOTPRINT_P_APART uint32_t footprint_p_select(const footprint *fp, uint32_t place,
                                                     uint32_t step) {
    const uint64_t *live = fp->live + (place >> 6), high = UINT64_C(0x8080808080808080);
    uint64_t bits = *live & (~UINT64_C(1) << (place & 63)), ones, reached;
    while ((ones = footprint_p_ones(bits)) >> 56 < step) {
        step -= (uint32_t)(ones >> 56);
        bits = *++live;
    }
    reached = ((ones | high) - step * UINT64_C(0x0101010101010101)) & high;
    place = FOOTPRINT_P_LOWEST(reached) & 56;              /* bytes below have fewer than step */
    step -= (uint32_t)(ones << 8 >> place & 127);
    for (bits = bits >> place << place; --step; ) bits &= bits - 1;
    return (uint32_t)(live - fp->live) << 6 | FOOTPRINT_P_LOWEST(bits);
}

#ifdef FOOTPRINT_P_SIMD
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_select_fast(const footprint *fp, uint32_t place,
                                                           uint32_t step) {
    for (place++;; place += 64 - (place & 7)) {
        uint64_t bits, bit = UINT64_C(1) << ((step - 1) & 63), found;
        __builtin_memcpy(&bits, (const unsigned char *)fp->live + (place >> 3), 8);
        bits >>= place & 7;
        __asm__("pdep %1, %2, %0" : "=r"(bit) : "r"(bits), "r"(bit));
        __asm__("tzcnt %1, %0" : "=r"(found) : "r"(bit) : "cc");
        if (step <= 64 && found < 64) return place + (uint32_t)found;
        __asm__("popcnt %1, %0" : "=r"(found) : "r"(bits) : "cc");
        step -= (uint32_t)found;
    }
}
#else
#define footprint_p_select_fast footprint_p_select
#endif

/* A mark that counts nothing from now on. */
static void footprint_p_close_mark(footprint *fp, uint32_t j) {
    fp->place[j] = fp->cut[j] = 0;
    if (j % FOOTPRINT_P_GROUP == 0)
        fp->lead[j / FOOTPRINT_P_GROUP] = fp->pending[j / FOOTPRINT_P_GROUP] = 0;
}

/* Counters of ages run backwards, so that a time is an index. Age 0 would be
   counters[age_0]. */
#define FOOTPRINT_P_TIME_0(counters, age_0, next) \
    ((uintptr_t)(counters) + 4 * ((uintptr_t)(age_0) - (uintptr_t)(next)))
#define FOOTPRINT_P_AT(q, y)     ((q) * FOOTPRINT_P_YOUNG + (FOOTPRINT_P_YOUNG - (uint32_t)(y)))
#define FOOTPRINT_P_REUSED(q, y) ((q) * FOOTPRINT_P_YOUNG + (uint32_t)(y))

/* Adds `count` events at age y to the moments of y's bin, see "reading rows
   out". */
static inline void footprint_p_event_at(footprint_p_moment *moments, uint32_t columns, uint64_t y,
                                    uint64_t count) {
    uint32_t k = y < 16 ? 0 : FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
    uint64_t room = (y | ((UINT64_C(1) << k) - 1)) - y + 1;
    footprint_p_moment *moment = moments + bin;
    if (FOOTPRINT_P_UNLIKELY(bin >= columns)) return;
    moment->count += count;
    moment->sum += room * count;
    moment->square += (room * (room + 1) >> 1) * count;
}

/* A run of a mark ended before age y, the next starts at age `start`. Neither
   is young, and mostly both are in one bin. */
static FOOTPRINT_P_ALWAYS void footprint_p_put_old(footprint *fp, const footprint_p_mark *mark,
                                                   uint64_t y, uint64_t start) {
    uint32_t k = FOOTPRINT_P_LOG2(y) - 3, bin = 8 * k + (uint32_t)(y >> k);
    uint64_t room = (y | ((UINT64_C(1) << k) - 1)) - y + 1, less = y - start;
    footprint_p_moment *row = fp->cells + mark->row;
    if ((y ^ start) >> k == 0 && bin < fp->columns) {
        row[bin].sum += less;
        row[bin].square += less * (2 * room + less + 1) >> 1;
        return;
    }
    footprint_p_event_at(row, fp->columns, start, 1);
    footprint_p_event_at(row, fp->columns, y, UINT64_MAX);
}

static FOOTPRINT_P_ALWAYS uint32_t footprint_p_next_live(const uint64_t *live, uint32_t place) {
    uint32_t word = ++place >> 6;
    uint64_t bits = live[word] >> (place & 63);
    if (!FOOTPRINT_P_UNLIKELY(bits == 0)) return place + FOOTPRINT_P_LOWEST(bits);
    do bits = live[++word]; while (bits == 0);
    return word << 6 | FOOTPRINT_P_LOWEST(bits);
}

/* ---- marks without slack ----

   They need no counting: each moves to the next live slot at nearly every miss,
   so its ages change slowly, and the moves whose ages are all in the bin low ..
   high wait. A move from time b to time a at an access whose next one is n adds
   a - b to that bin's sum, and to its square
       triangle(high + 1 - n + a) - triangle(high + 1 - n + b)
           = triangle(high + 1 + a) - triangle(high + 1 + b) - n (a - b)
   Over many moves all but the last term is left of the first and the last time.
   So `moved` adds up n (a - b), and `from` is the time before the first of
   these moves. high is 0 if there is no such bin. `to` is the time after the
   last of the moves that are added up. */
static void footprint_p_settle_mark(footprint *fp, footprint_p_mark *mark, uint64_t to) {
    footprint_p_moment *moment = fp->cells + mark->cell;
    if (mark->high == 0) return;
    moment->sum += to - mark->from;
    moment->square += footprint_p_triangle(mark->high + 1 + to) -
                      footprint_p_triangle(mark->high + 1 + mark->from) - mark->moved;
    mark->from = to;
    mark->moved = 0;
}

static void footprint_p_settle(footprint *fp) {
    uint32_t j;
    for (j = 0; j < fp->marks; j++)
        footprint_p_settle_mark(fp, fp->mark + j, fp->mark[j].since);
}

/* A move from an age that is not young to one that is. */
static FOOTPRINT_P_APART void footprint_p_leave_old(footprint *fp, footprint_p_mark *mark,
                                                    uint64_t before, uint64_t next) {
    footprint_p_settle_mark(fp, mark, before);
    footprint_p_event_at(fp->cells + mark->row, fp->columns, next - before, UINT64_MAX);
    mark->high = 0;
}

/* The ages of a move from time `before` are not both in the mark's bin. */
static FOOTPRINT_P_APART void footprint_p_put_elsewhere(footprint *fp, footprint_p_mark *mark,
                                                        uint64_t before, uint64_t next) {
    uint64_t y = next - before, start = next - mark->since;
    uint32_t bin = footprint_bin(y);
    footprint_p_settle_mark(fp, mark, before);
    if (start >= footprint_bin_low(bin) && bin < fp->columns) {
        mark->low = footprint_bin_low(bin);
        mark->high = footprint_bin_high(bin);
        mark->cell = mark->row + bin;
        mark->from = before;
        mark->moved = (y - start) * next;
    } else {
        footprint_p_put_old(fp, mark, y, start);
        mark->high = 0;
    }
}

/* Moves the marks at slot p and above to the next live slot. Returns how many
   did. Those whose ages are young come first. Place 0 behind the last mark ends
   the walk. */
static FOOTPRINT_P_APART uint32_t footprint_p_count_exact(footprint *fp, uint32_t p) {
    uint32_t *at = fp->place, *end = at + fp->exact, behind = *end, place;
    const uint32_t *after = fp->after;
    const footprint_entry *slot = fp->slot;
    uint64_t next = fp->now + 1, since, before;
    uint64_t old = next > FOOTPRINT_P_MARK_YOUNG ? next - FOOTPRINT_P_MARK_YOUNG : 0;
    uintptr_t counters = FOOTPRINT_P_TIME_0(fp->young, FOOTPRINT_P_MARK_YOUNG, next);
    footprint_p_mark *mark = fp->mark;
    *end = 0;
    for (; (place = *at) >= p; at++, mark++, counters += 4 * FOOTPRINT_P_MARK_YOUNG) {
        *at = place = after[place];
        before = mark->since;
        mark->since = since = slot[place].time;
        if (FOOTPRINT_P_UNLIKELY(before <= old)) {
            if (since <= old) goto is_old;
            footprint_p_leave_old(fp, mark, before, next);
        } else --*(int32_t *)(counters + (uintptr_t)before * 4);
        ++*(int32_t *)(counters + (uintptr_t)since * 4);
    }
    for (; (place = *at) >= p; at++, mark++) {
        *at = place = after[place];
        before = mark->since;
        mark->since = since = slot[place].time;
is_old:
        if (next - since >= mark->low && next - before <= mark->high)
            mark->moved += (since - before) * next;
        else footprint_p_put_elsewhere(fp, mark, before, next);
    }
    *end = behind;
    return (uint32_t)(at - fp->place);
}

/* Counts reuses at stack distances of a bin. The last row is open. */
static void footprint_p_depth(footprint *fp, uint32_t bin, uint64_t count) {
    fp->depth[bin < fp->rows ? bin : fp->rows - 1] += count << fp->sample_log2;
}

/* ---- marks with slack ----

   Each group counts what its first mark has pending: pending[g], by lead[g],
   which is that mark's place. A miss that came from between the marks of a
   group counts for the first m of them alone: cut[] of mark m goes up by one.
   So mark i of a group has pending[g] - cut[1] - .. - cut[i]. cut[] of a first
   mark means nothing. */

/* Moves the marks of group g, and those of lower groups that they overtake.
   Marks of low ends that are not young have no counters and need none: a window
   of F blocks has F accesses or more. */
static FOOTPRINT_P_ALWAYS void footprint_p_flush_by(footprint *fp, uint32_t g, int is_fast) {
    const footprint_entry *slot = fp->slot;
    uint64_t next = fp->now + 1, since, before;
    uint64_t old = next > FOOTPRINT_P_MARK_YOUNG ? next - FOOTPRINT_P_MARK_YOUNG : 0;
    for (;; g--) {
        uint32_t first = g * FOOTPRINT_P_GROUP, left = fp->marks - first, step = fp->pending[g];
        uint32_t *at = fp->place + first, *cut = fp->cut + first;
        footprint_p_mark *mark = fp->mark + first;
        size_t age_0 = (first + (size_t)1) * FOOTPRINT_P_MARK_YOUNG;
        uintptr_t counters = FOOTPRINT_P_TIME_0(fp->young, age_0, next);
        if (left > FOOTPRINT_P_GROUP) left = FOOTPRINT_P_GROUP;
        fp->pending[g] = 0;
        for (;; counters += 4 * FOOTPRINT_P_MARK_YOUNG, mark++) {
            *at = is_fast ? footprint_p_select_fast(fp, *at, step)
                          : footprint_p_select(fp, *at, step);
            before = mark->since;
            mark->since = since = slot[*at].time;
            if (since <= old) footprint_p_put_old(fp, mark, next - before, next - since);
            else {
                ++*(int32_t *)(counters + (uintptr_t)since * 4);
                if (before > old) --*(int32_t *)(counters + (uintptr_t)before * 4);
                else footprint_p_event_at(fp->cells + mark->row, fp->columns, next - before,
                                          UINT64_MAX);
            }
            if (--left == 0 || (step -= *++cut) == 0) break;
            at++;
        }
        for (cut = fp->cut + first, left = 1; left < FOOTPRINT_P_GROUP; left++) cut[left] = 0;
        fp->lead[g] = fp->place[first];
        if (g == 0 || fp->place[first - 1] > fp->lead[g] || fp->pending[g - 1] == 0) return;
    }
}

static FOOTPRINT_P_APART void footprint_p_flush(footprint *fp, uint32_t g) {
    if (fp->is_fast) footprint_p_flush_by(fp, g, 1);
    else footprint_p_flush_by(fp, g, 0);
}

/* 16 groups from g on: those with lead >= p have one more pending. Returns how
   many have. `over` gets a bit for each whose pending is more than its slack. */
#ifdef FOOTPRINT_P_SIMD
#define FOOTPRINT_P_PACK(x) (uint32_t)_mm_movemask_epi8( \
    _mm_packs_epi16(_mm_packs_epi32(x[0], x[1]), _mm_packs_epi32(x[2], x[3])))
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_count_16(footprint *fp, uint32_t g, uint32_t p,
                                                        uint32_t *over) {
    const __m128i *lead = (const __m128i *)(const void *)(fp->lead + g);
    const __m128i *slack = (const __m128i *)(const void *)(fp->slack + g);
    __m128i *pending = (__m128i *)(void *)(fp->pending + g), at[4], more[4];
#define FOOTPRINT_P_COUNT_4(i) \
    at[i] = _mm_cmpgt_epi32(_mm_loadu_si128(lead + i), _mm_set1_epi32((int)p - 1)); \
    more[i] = _mm_sub_epi32(_mm_loadu_si128(pending + i), at[i]); \
    _mm_storeu_si128(pending + i, more[i]); \
    more[i] = _mm_cmpgt_epi32(more[i], _mm_loadu_si128(slack + i));
    FOOTPRINT_P_COUNT_4(0) FOOTPRINT_P_COUNT_4(1) FOOTPRINT_P_COUNT_4(2) FOOTPRINT_P_COUNT_4(3)
    *over = FOOTPRINT_P_PACK(more);
    return FOOTPRINT_P_LOWEST((uint64_t)~FOOTPRINT_P_PACK(at));    /* bit 16 is set */
}

/* Returns the first of the marks of a group, from `first` on, with place < p. */
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_before(const footprint *fp, uint32_t first,
                                                      uint32_t p) {
    const __m128i *place = (const __m128i *)(const void *)(fp->place + first);
    __m128i at = _mm_cmpgt_epi32(_mm_loadu_si128(place), _mm_set1_epi32((int)p - 1));
    return first + FOOTPRINT_P_LOWEST(~(uint64_t)(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(at)));
}
#else
static FOOTPRINT_P_ALWAYS uint32_t footprint_p_count_16(footprint *fp, uint32_t g, uint32_t p,
                                                        uint32_t *over) {
    uint32_t j;
    for (*over = 0, j = 0; j < 16 && fp->lead[g + j] >= p; j++) {
        if (++fp->pending[g + j] > fp->slack[g + j]) *over |= UINT32_C(1) << j;
    }
    return j;
}

static FOOTPRINT_P_ALWAYS uint32_t footprint_p_before(const footprint *fp, uint32_t first,
                                                      uint32_t p) {
    uint32_t j = first;
    while (j < first + FOOTPRINT_P_GROUP && fp->place[j] >= p) j++;
    return j;
}
#endif

/* A block came back from slot p. Returns how many marks count that: not those
   at place 0. There are at most 52 groups. */
static inline uint32_t footprint_p_count(footprint *fp, uint32_t p) {
    uint32_t first = 0, g, j = 0, counted, over;
    uint64_t all;
    if (fp->exact) {
        j = footprint_p_count_exact(fp, p);
        if (j < fp->exact || j == fp->marks) return j;
        first = j / FOOTPRINT_P_GROUP;
    }
    g = first + footprint_p_count_16(fp, first, p, &over);
    for (all = over, counted = 16; FOOTPRINT_P_UNLIKELY(g == first + counted); counted += 16) {
        g += footprint_p_count_16(fp, g, p, &over);
        all |= (uint64_t)over << counted;
    }
    if (g == first) return j;
    j = footprint_p_before(fp, (g - 1) * FOOTPRINT_P_GROUP, p);
    fp->cut[j]++;
    for (; all; all &= all - 1) footprint_p_flush(fp, first + FOOTPRINT_P_LOWEST(all));
    return j;
}

/* Adds the next mark. pending is counted for a group at a time, so that of its
   group must be 0 now, and the last mark of the group below must not lag behind
   the new one. */
static void footprint_p_add_mark(footprint *fp, uint32_t place, uint64_t from) {
    uint32_t j = fp->marks, g = j / FOOTPRINT_P_GROUP, first = g * FOOTPRINT_P_GROUP;
    uint64_t slack;
    footprint_p_mark *mark = &fp->mark[j];
    if (j != first) {
        if (fp->pending[g]) footprint_p_flush(fp, g);
    } else {
        slack = footprint_p_slack(fp, j);
        fp->slack[g] = slack > INT32_MAX ? INT32_MAX : (uint32_t)slack;
        fp->lead[g] = place;
        if (slack == 0) fp->exact = (g + 1) * FOOTPRINT_P_GROUP;
        else if (j == 0) fp->exact = 0;
        if (g > 0 && fp->pending[g - 1]) footprint_p_flush(fp, g - 1);
    }
    fp->place[j] = place;
    mark->since = fp->slot[place].time;
    mark->high = 0;
    if (mark->born == 0) mark->born = from;
    if (fp->made <= j) fp->made = j + 1;
    mark->row = j * (fp->columns - footprint_bin(FOOTPRINT_P_T) - 1) - j * (j + 1) / 2;
    footprint_p_event_at(fp->cells + mark->row, fp->columns, from - mark->since + 1, 1);
    fp->marks = j + 1;
}
