/* ---- sums for intervals ---- */

/* How far a share may be off follows from how it differs between bursts
   (docs/formats.md). In a burst let y be the weight of a row, s of all rows of
   its site, x of all rows of its class. A row keeps the sums of yy, ys and xy
   over the bursts that have ended, how many saw it, and in how many it was the
   first row of its site; a thread has xx and a number of bursts for each class.

       touched --> row --> row --> row, which points at itself

   A row's first event in a burst puts it into this list, with its weight at the
   start. At the end the list is divided into 16 by site, and goes into the
   sums. A thread sums its first 1024 bursts of a profile, and then a random one
   of each 8. What that adds counts 8 times, but it is one burst that saw the
   row. A burst that ends costs 140 instructions a row, and one for two of a
   part. */

/* Numbers the burst that begins, and says how often its sums count. A thread
   that takes a record over in the middle of 8 draws, too, so that each burst
   has the same chance. */
BURSTY_P_STEP void bursty_p_number(bursty_p_thread *t, bursty_p_sampler *s, uint32_t p) {
    uint64_t before = BURSTY_P_READ(&t->bursts[p]);
    uint32_t at = (uint32_t)before % BURSTY_P_ONE_OF + 1, later = before >= BURSTY_P_ALL_SUMMED;
    s->number++;
    s->began = (uint32_t)BURSTY_P_READ(&t->checks);
    bursty_p_count_up(&t->bursts[p], 1);
    if (later && (at == 1 || !s->chosen)) s->chosen = bursty_p_below(&t->random, BURSTY_P_ONE_OF) + 1;
    s->times = !later ? 1 : at == s->chosen ? BURSTY_P_ONE_OF : 0;
    if (s->set.action || s->set.every == BURSTY_ALWAYS) s->times = 0;
    if (s->times) bursty_p_mine.summing |= 1u << p;
}

BURSTY_P_SLOW void bursty_p_add_product(bursty_p_count *sum, uint64_t a, uint64_t b) {
    bursty_p_count_up(sum, a >= UINT32_MAX || b >= UINT32_MAX ? UINT64_MAX : a * b);
}

BURSTY_P_SLOW void bursty_p_fold(bursty_p_thread *t, const bursty_p_sampler *s) {
    bursty_p_row *row = bursty_p_mine.touched, *next, *other, *volatile list[16];
    volatile uint64_t x[BURSTY_P_CLASSES]; /* volatile: no call of memset */
    volatile uint8_t used[16];             /* lists */
    uint32_t i, k, at, lists = 0, classes = 0, uses = 0; /* the first two as bits */
    bursty_p_mine.touched = NULL;
    for (; row; row = next) {
        next = row->touched == row ? NULL : row->touched;
        i = (uint32_t)((uintptr_t)row->site >> 3 ^ (uintptr_t)row->site >> 7) & 15;
        k = row->class_number;
        if (!(row->site->kind & s->set.classes)) { /* of another profile, whose burst goes on */
            row->touched = bursty_p_mine.touched ? bursty_p_mine.touched : row;
            bursty_p_mine.touched = row;
        } else {
            uint64_t y = BURSTY_P_READ(&row->sum[1]) & ((UINT64_C(1) << 40) - 1);
            uint64_t start = (uint64_t)row->start_high << 32 | row->start;
            y = ((y < start ? y : y - start) + 128) >> 8; /* <: bursty_clear */
            row->start = y < UINT32_MAX ? (uint32_t)y : UINT32_MAX; /* from here on it is y */
            row->touched = lists >> i & 1 ? list[i] : NULL;
            if (!row->touched) used[uses++] = (uint8_t)i;
            list[i] = row;
            lists |= 1u << i;
            x[k] = row->start + (classes >> k & 1 ? x[k] : 0);
            classes |= 1u << k;
        }
    }
    for (at = 0; at < uses; at++) {
        bursty_p_row *first = list[used[at]];
        for (row = first; row && s->times; row = row->touched) {
            uint64_t in_site = 0, y = (uint64_t)row->start * s->times;
            for (other = first; other; other = other->touched) {
                if (other == row && in_site == 0) bursty_p_count_up(&row->sum[4], 1);
                if (other->site == row->site) in_site += other->start;
            }
            bursty_p_count_up(&row->sum[3], 1);
            bursty_p_add_product(&row->sum[5], y, row->start);
            bursty_p_add_product(&row->sum[6], y, in_site);
            bursty_p_add_product(&row->sum[7], y, x[row->class_number]);
        }
        for (row = first; row; row = next) {
            next = row->touched;
            row->touched = NULL;
        }
    }
    for (k = 0; classes >> k && s->times; k++) {
        if (!(classes >> k & 1) || !x[k]) continue;
        bursty_p_count_up(&t->class_sum[2 * k], s->times);
        bursty_p_add_product(&t->class_sum[2 * k + 1], x[k] * s->times, x[k]);
    }
}
