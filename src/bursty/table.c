/* ---- the hot table ---- */

/* index   | 0 | 3 | 0 | 1 | 2 | 0 | ...       open addressing; holds a row's number + 1, or 0
                 |       |   |
   rows    | (main, a, thread 0) | (a, b, thread 0) | (main, a, thread 1) | free ...

   A row is the count of one pair (caller, site) of one thread. Rows are claimed
   in the order of first sight, so that a dump does not depend on addresses.
   Claiming is a compare-and-swap that raises row_count by 1, up to row_room;
   publishing is a compare-and-swap of the slot. Invariant: a row is written by
   its thread alone, a slot changes once, and a row in the index never moves. So
   nobody waits, and a search needs no lock: a row that another thread has put
   into the slot meanwhile is a different one, and the search goes on. Cost: one
   or two probes (3/4 full). */
BURSTY_P_SLOW bursty_p_row *bursty_p_claim(void) {
    uint32_t number;
    do {
        number = BURSTY_P_GET(&bursty_p_all.row_count);
        if (number >= bursty_p_all.row_room) return NULL;
    } while (!bursty_p_cas(&bursty_p_all.row_count, number, number + 1));
    return &bursty_p_all.rows[number];
}

/* Where a thread notes the row of (caller, site): it saves most searches. */
#define BURSTY_P_PLACE(s, c) \
    (&bursty_p_mine.recent[((uintptr_t)(s) + 2 * (uintptr_t)(c)) / 8 % BURSTY_P_RECENT])

BURSTY_P_STEP bursty_p_row *bursty_p_recall(const bursty_site *site, const bursty_site *caller) {
    bursty_p_row *row = *BURSTY_P_PLACE(site, caller);
    return row && row->site == site && row->caller == caller ? row : NULL;
}

/* The thread's row for (caller, site), made at first sight; NULL if the table
   is full. */
BURSTY_P_SLOW bursty_p_row *bursty_p_row_of(bursty_p_thread *t, const bursty_site *site,
                                            const bursty_site *caller) {
    uint32_t h = bursty_p_mix((uint32_t)((uintptr_t)site >> 3), (uint32_t)((uintptr_t)caller >> 3));
    bursty_p_row *fresh = NULL, *row = bursty_p_recall(site, caller);
    uint8_t k = 0;
    if (row) return row;
    for (h = bursty_p_mix(h, t->number);; h++) {
        uint32_t *slot = &bursty_p_all.index[h & bursty_p_all.index_mask];
        uint32_t number = BURSTY_P_ACQUIRE(slot);
        if (number == 0) {
            if (!fresh) {
                fresh = bursty_p_claim();
                if (!fresh) return NULL;
                fresh->caller = caller;
                fresh->thread = (uint16_t)t->number;
                while (k < BURSTY_P_CLASSES - 1 && (site->kind & BURSTY_ANY) != 1u << k) k++;
                fresh->class_number = k;
                BURSTY_P_RELEASE(&fresh->site, site);
            }
            (void)bursty_p_cas(slot, 0, (uint32_t)(fresh - bursty_p_all.rows) + 1);
            number = BURSTY_P_ACQUIRE(slot); /* another thread's if it came first */
        }
        row = &bursty_p_all.rows[number - 1];
        if (row->site != site || row->caller != caller || row->thread != t->number) continue;
        *BURSTY_P_PLACE(site, caller) = row;
        return row;
    }
}

BURSTY_P_STEP void bursty_p_count_in(bursty_p_row *row, uint32_t weight) {
    if (bursty_p_mine.summing && !row->touched) {
        row->touched = bursty_p_mine.touched ? bursty_p_mine.touched : row;
        uint64_t start = BURSTY_P_READ(&row->sum[1]);
        row->start = (uint32_t)start;
        row->start_high = (uint8_t)(start >> 32);
        bursty_p_mine.touched = row;
    }
    bursty_p_count_up(&row->sum[0], 1);
    bursty_p_count_up(&row->sum[1], weight);
}

BURSTY_P_SLOW void bursty_p_tally(bursty_p_thread *t, const bursty_site *site, uint32_t kind,
                                  uint32_t weight_256) {
    bursty_p_row *row;
    if (kind & BURSTY_RETURN) return;
    row = bursty_p_row_of(t, site, bursty_p_caller(BURSTY_P_HERE.depth));
    if (row) bursty_p_count_in(row, weight_256);
    else bursty_p_count_up(&t->lost, 1);
}
