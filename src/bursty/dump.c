/* ---- the dump ---- */

/* docs/formats.md. A site is written in full unless it was among the last 64
   new ones. */
#define BURSTY_P_RING 64u
typedef struct bursty_p_dump {
    bursty_p_out out;
    const bursty_site *ring[BURSTY_P_RING];
    uint32_t sites;
} bursty_p_dump;

static void bursty_p_put_all(bursty_p_dump *d, const uint64_t *values, size_t count) {
    while (count--) bursty_p_put_varint(&d->out, *values++);
}

static void bursty_p_put_string(bursty_p_dump *d, const char *string) {
    size_t length = 0;
    while (string && string[length]) length++;
    bursty_p_put_varint(&d->out, length);
    bursty_p_put(&d->out, string, length);
}

static void bursty_p_put_name_of(bursty_p_dump *d, const bursty_p_thread *t) {
    char name[BURSTY_P_NAME];
    uint32_t i;
    for (i = 0; i < BURSTY_P_NAME; i++) name[i] = BURSTY_P_GET(&t->name[i]);
    name[BURSTY_P_NAME - 1] = 0;
    bursty_p_put_string(d, name);
}

static void bursty_p_put_site(bursty_p_dump *d, const bursty_site *site) {
    uint32_t back = 0, known = d->sites < BURSTY_P_RING ? d->sites : BURSTY_P_RING;
    while (back < known && d->ring[(d->sites - 1 - back) % BURSTY_P_RING] != site) back++;
    bursty_p_put_varint(&d->out, !site ? 0 : back < known ? back + 2 : 1);
    if (!site || back < known) return;
    d->ring[d->sites++ % BURSTY_P_RING] = site;
    bursty_p_put_string(d, site->name);
    bursty_p_put_string(d, site->file);
    bursty_p_put_varint(&d->out, site->line);
    bursty_p_put_varint(&d->out, site->kind);
}

static void bursty_p_put_profile(bursty_p_dump *d, uint32_t p) {
    bursty_p_settings now;
    bursty_p_slot slot;
    uint32_t i, flags = bursty_p_all.budget ? 4 : 0;
    (void)bursty_p_read_settings(&now);
    slot = now.slot[p];
    if (!slot.used) return;
    flags |= (slot.set.off ? 1u : 0) | (slot.set.action ? 0 : 2u);
    uint64_t v[9] = { 2, p, slot.set.every, slot.set.burst,
                      (uint32_t)slot.set.jitter, slot.set.classes, flags, 0, 0 };
    for (i = 0; i < bursty_p_threads(); i++) {
        bursty_p_sum(&v[7], &bursty_p_all.threads[i].bursts[p]);
        bursty_p_sum(&v[8], &bursty_p_all.threads[i].events[p]);
    }
    bursty_p_put_all(d, v, 9);
    uint64_t begins[2] = { 16, 0 };
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_sum(&begins[1], &bursty_p_all.threads[i].begins[p]);
    if (begins[1]) bursty_p_put_all(d, begins, 2);
}

static void bursty_p_put_row(bursty_p_dump *d, const bursty_p_row *row) {
    const bursty_p_count *m = &bursty_p_all.threads[row->thread].class_sum[2 * row->class_number];
    uint64_t v[BURSTY_P_SUMS];
    uint32_t k, has_sums = BURSTY_P_READ(m) > BURSTY_P_ALL_SUMMED || BURSTY_P_READ(&row->sum[3]);
    for (k = 0; k < BURSTY_P_SUMS; k++) v[k] = BURSTY_P_READ(&row->sum[k]);
    if (!v[0] && !v[2]) return;
    bursty_p_put_varint(&d->out, has_sums ? 8 : 4);
    bursty_p_put_site(d, row->site);
    bursty_p_put_site(d, row->caller);
    bursty_p_put_all(d, v, has_sums ? BURSTY_P_SUMS : 3);
}

static void bursty_p_put_thread(bursty_p_dump *d, uint32_t number, uint32_t rows) {
    const bursty_p_thread *t = &bursty_p_all.threads[number];
    uint64_t v[4] = { 3, number, BURSTY_P_GET(&t->state) == BURSTY_P_ENDED, 0 };
    uint32_t i;
    bursty_p_put_all(d, v, 3);
    bursty_p_put_name_of(d, t);
    v[0] = BURSTY_P_READ(&t->checks);
    v[1] = BURSTY_P_READ(&t->burst_checks);
    v[2] = 0;
    for (i = 0; i < BURSTY_PROFILES; i++) bursty_p_sum(&v[2], &t->events[i]);
    v[3] = BURSTY_P_READ(&t->lost);
    bursty_p_put_all(d, v, 4);
    for (i = 0; i < BURSTY_P_CLASSES - 1; i++) {
        const bursty_p_count *sum = &t->class_sum[2 * i];
        const uint64_t of[4] = { 7, 1u << i, BURSTY_P_READ(sum), BURSTY_P_READ(sum + 1) };
        if (of[2]) bursty_p_put_all(d, of, 4);
    }
    for (i = 0; i < rows; i++) {
        const bursty_p_row *row = &bursty_p_all.rows[i];
        if (BURSTY_P_ACQUIRE(&row->site) && row->thread == number) bursty_p_put_row(d, row);
    }
}
