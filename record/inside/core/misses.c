/* misses.c - misses charged to functions, objects and instructions. */
#include "misses.h"
#include <string.h>
#include "../../../src/part.c" /* the writer of parts, which the headers have, too */

static size_t rounded(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

size_t misses_bytes(const uint64_t *bytes, uint32_t count) {
    size_t list = caches_bytes(bytes, count);
    return list ? rounded(sizeof(misses)) + list : 0;
}

misses *misses_init(void *memory, const uint64_t *bytes, uint32_t count, uint32_t flags,
                    misses_charge *charge, void *user) {
    misses *m = (misses *)memory;
    uint32_t n;
    caches_init(&m->list, (char *)memory + rounded(sizeof *m), bytes, count);
    for (n = 0; n < count; n++) m->size[n].bytes = bytes[n];
    m->flags = flags;
    m->charge = charge;
    m->user = user;
    return m;
}

/* ---- rows ---- */

static misses_row *row_of(misses *m, uint32_t what, uint64_t a, uint64_t b) {
    uint64_t hash = (a * UINT64_C(0x9E3779B97F4A7C15) ^ b) * UINT64_C(0xD6E8FEB86659FD93) + what;
    uint32_t i = (uint32_t)(hash >> 40);
    misses_row *row;
    for (;; i++) {
        row = &m->rows[i % MISSES_ROWS];
        if (row->what == what && row->a == a && row->b == b) break;
        if (row->what) continue;
        if (m->rows_used >= MISSES_ROWS / 4 * 3) return NULL;
        m->rows_used++;
        row->what = what;
        row->a = a;
        row->b = b;
        break;
    }
    return row;
}

/* An access more of this row in the burst, which missed in so many sizes. The last
   row of the list names itself. */
static int count_row(misses *m, uint32_t what, uint64_t a, uint64_t b, uint32_t missed,
                     uint32_t is_first) {
    misses_row *row = row_of(m, what, a, b);
    uint32_t n;
    if (!row) return 0;
    if (m->flags & MISSES_WHOLE) {
        for (n = 0; n < missed; n++) row->misses[n]++;
        return 1;
    }
    for (n = missed; is_first && n < m->list.count; n++) row->unknown[n]++;
    if (!row->next) {
        uint32_t number = (uint32_t)(row - m->rows) + 1;
        row->next = m->seen ? m->seen : number;
        m->seen = number;
    }
    for (n = 0; n < missed; n++) row->now[n]++;
    return 1;
}

static void charge(misses *m, uint64_t site, uint64_t address, uint32_t missed,
                   uint32_t is_first) {
    uint64_t function = 0, object = 0;
    int is_kept;
    m->charge(m->user, site, address, &function, &object);
    if (missed) phases_miss(&m->phases, function);
    if (missed && m->missed) m->missed(m->user, function);
    is_kept = count_row(m, MISSES_FUNCTION, function, 0, missed, is_first);
    is_kept &= count_row(m, MISSES_OBJECT, object, 0, missed, is_first);
    is_kept &= count_row(m, MISSES_PAIR, function, object, missed, is_first);
    is_kept &= count_row(m, MISSES_SITE, site, function, missed, is_first);
    m->lost += !is_kept;
}

/* ---- accesses ---- */

static void access_block(misses *m, uint64_t site, uint64_t address) {
    uint32_t answer = caches_access(&m->list, address >> CACHES_BLOCK_LOG2), n;
    uint32_t missed = answer & (CACHES_FIRST - 1), is_first = (answer & CACHES_FIRST) != 0;
    int is_whole = (m->flags & MISSES_WHOLE) != 0;
    if (is_whole && is_first) missed = m->list.count; /* it never was there */
    if (answer && (is_whole || m->is_behind)) {
        for (n = 0; n < missed; n++) *(is_whole ? &m->size[n].misses : &m->now[n]) += 1;
        for (n = missed; is_first && n < m->list.count; n++) m->size[n].unknown++;
        charge(m, site, address, missed, is_first);
    }
    m->at++;
    if (!is_whole || ++m->piece < PHASES_PIECE) return;
    phases_end(&m->phases, m->piece);
    m->piece = 0;
}

void misses_access(misses *m, uint64_t site, uint64_t address, uint64_t bytes) {
    const uint64_t step = UINT64_C(1) << CACHES_BLOCK_LOG2;
    uint64_t last = address + (bytes ? bytes - 1 : 0);
    if (last < address) last = UINT64_MAX;
    do {
        access_block(m, site, address);
        address = (address | (step - 1)) + 1;
    } while (address && address <= last);
}

static void add_product(uint64_t *sum, uint64_t a, uint64_t b) {
    uint64_t product = a > UINT32_MAX || b > UINT32_MAX ? UINT64_MAX : a * b;
    *sum = *sum > UINT64_MAX - product ? UINT64_MAX : *sum + product;
}

static void sum_rows(misses *m, const uint64_t *x) {
    uint32_t number = m->seen, next, n;
    for (; number; number = next) {
        misses_row *row = &m->rows[number - 1];
        next = row->next == number ? 0 : row->next;
        row->next = 0;
        for (n = 0; n < m->list.count; n++) {
            uint64_t y = row->now[n];
            row->now[n] = 0;
            if (!y) continue;
            row->bursts[n]++;
            row->misses[n] += y;
            add_product(&row->yy[n], y, y);
            add_product(&row->xy[n], x[n], y);
        }
    }
    m->seen = 0;
}

void misses_middle(misses *m) {
    m->is_behind = 1;
    m->middle = m->at;
}

void misses_burst(misses *m) {
    uint64_t r = m->is_behind ? m->at - m->middle : 0;
    uint32_t n;
    m->accesses += m->at;
    m->counted += m->flags & MISSES_WHOLE ? m->at : r;
    m->at = m->is_behind = 0;
    if (m->flags & MISSES_WHOLE) return;
    caches_empty(&m->list);
    if (!r) return;
    sum_rows(m, m->now);
    m->bursts++;
    phases_end(&m->phases, r);
    add_product(&m->rr, r, r);
    for (n = 0; n < m->list.count; n++) {
        m->size[n].misses += m->now[n];
        m->size[n].bursts += m->now[n] > 0;
        add_product(&m->size[n].xx, m->now[n], m->now[n]);
        add_product(&m->size[n].xr, m->now[n], r);
        m->now[n] = 0;
    }
}

/* ---- a part ---- */

static void put_number(base_p_out *out, uint64_t value) { base_p_put_varint(out, value); }

static void put_string(base_p_out *out, const char *words) {
    size_t size = words ? strlen(words) : 0;
    put_number(out, size);
    if (size) base_p_put(out, words, size);
}

static void put_row(base_p_out *out, const misses *m, const misses_row *row,
                    const misses_about *about) {
    uint32_t n, what = row->what;
    put_number(out, what);
    put_string(out, about->name(about->user, what == MISSES_PAIR ? MISSES_FUNCTION : what, row->a));
    if (what == MISSES_PAIR) put_string(out, about->name(about->user, MISSES_OBJECT, row->b));
    if (what == MISSES_SITE) put_string(out, about->name(about->user, MISSES_FUNCTION, row->b));
    if (what == MISSES_SITE)
        put_string(out, about->place ? about->place(about->user, row->a) : NULL);
    for (n = 0; n < m->list.count; n++) {
        put_number(out, row->misses[n]);
        put_number(out, row->unknown[n]);
        put_number(out, row->bursts[n]);
        put_number(out, row->yy[n]);
        put_number(out, row->xy[n]);
    }
}

static const char *function_name(void *user, uint64_t function) {
    const misses_about *about = (const misses_about *)user;
    return about->name(about->user, MISSES_FUNCTION, function);
}

int misses_write_phases(const misses *m, const misses_about *about,
                        int (*write)(void *user, const void *data, size_t size), void *user) {
    return phases_write(&m->phases, m->piece, about->program, function_name,
                        (void *)(uintptr_t)about, write, user);
}

int misses_write(const misses *m, const misses_about *about,
                 int (*write)(void *user, const void *data, size_t size), void *user) {
    int is_whole = (m->flags & MISSES_WHOLE) != 0;
    base_p_out out;
    uint32_t n, i;
    base_p_put_begin(&out, MISSES_KIND, write, user);
    put_number(&out, MISSES_VERSION);
    put_number(&out, m->flags);
    put_string(&out, about->program);
    put_number(&out, about->every);
    put_number(&out, about->burst);
    put_number(&out, m->bursts);
    put_number(&out, m->accesses + (is_whole ? m->at : 0));
    put_number(&out, m->counted + (is_whole ? m->at : 0));
    put_number(&out, m->rr);
    put_number(&out, 0); /* once: bursts that were cut */
    put_number(&out, m->lost);
    put_number(&out, m->list.count);
    for (n = 0; n < m->list.count; n++) {
        put_number(&out, m->size[n].bytes);
        put_string(&out, about->labels[n]);
        put_number(&out, m->size[n].misses);
        put_number(&out, m->size[n].unknown);
        put_number(&out, m->size[n].bursts);
        put_number(&out, m->size[n].xx);
        put_number(&out, m->size[n].xr);
    }
    for (i = 0; i < MISSES_ROWS; i++) {
        const misses_row *row = &m->rows[i];
        if (row->what && (row->misses[0] || row->unknown[m->list.count - 1]))
            put_row(&out, m, row, about);       /* others are of this burst alone */
    }
    return base_p_put_end(&out) ? -1 : 0;
}
