/* lines.c - a table of places with ticks, and how it is written. */
#include "lines.h"
#include "sampled.h"
#include <string.h>
#include "../../../src/part.c" /* the writer of parts, which the headers have, too */

enum { TICKS_MOST = 100 };              /* of one signal: as sampled_tick has it */

/* Open addressing: a row's number stands at its hash or behind it. NULL: it
   would be a new row, and so many are used. */
static lines_row *row_of(lines *l, uint64_t pc, uint32_t key, uint32_t most) {
    uint64_t mix = (pc + key) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t i = (uint32_t)(mix >> 32), number;
    lines_row *row;
    for (;; i++) {
        i %= 2 * LINES_ROWS;
        number = l->index[i];
        if (number == 0) break;
        row = &l->rows[number - 1];
        if (row->pc == pc && row->key == key) return row;
    }
    if (l->used >= most) return NULL;
    row = &l->rows[l->used];
    row->pc = pc;
    row->key = key;
    __atomic_store_n(&l->used, l->used + 1, __ATOMIC_RELEASE); /* another thread may write it */
    l->index[i] = (uint16_t)l->used;
    return row;
}

void lines_tick(lines *l, uint64_t pc, uint32_t key, uint32_t n) {
    lines_row *row = row_of(l, pc, key, LINES_ROWS / 8 * 7);
    if (n > TICKS_MOST) n = TICKS_MOST;
    if (!row) row = row_of(l, 0, key, LINES_ROWS);
    if (!row) {
        l->lost += n;
        l->lost_squares += (uint64_t)n * n;
        return;
    }
    row->ticks += n;
    row->squares += (uint64_t)n * n;
}

static void put_string(base_p_out *out, const char *words) {
    size_t size = words ? strlen(words) : 0;
    base_p_put_varint(out, size);
    if (size) base_p_put(out, words, size);
}

static void put_row(base_p_out *out, const lines_about *about, const lines_row *row) {
    const volatile lines_row *now = row;            /* its thread may be in the middle of a tick */
    uint64_t ticks = now->ticks, squares = now->squares;
    const char *name = row->key == SAMPLED_OUTSIDE ? "(outside)" : about->name(about->user, row->key);
    if (!ticks) return;
    put_string(out, name ? name : "?");
    put_string(out, row->pc ? about->place(about->user, row->key, row->pc) : NULL);
    base_p_put_varint(out, 0);          /* no line yet, */
    put_string(out, NULL);              /* nor what was inlined */
    base_p_put_varint(out, ticks);
    base_p_put_varint(out, squares > ticks ? squares : ticks);
}

int lines_write(const lines_about *about, const lines *(*next)(void *user, const lines *l),
                void *next_user, int (*write)(void *user, const void *data, size_t size),
                void *user) {
    base_p_out out;
    const lines *l;
    uint64_t lost = 0, squares = 0;
    uint32_t i;
    for (l = next(next_user, NULL); l; l = next(next_user, l)) {
        lost += l->lost;
        squares += l->lost_squares;
    }
    base_p_put_begin(&out, LINES_KIND, write, user);
    base_p_put_varint(&out, LINES_VERSION);
    put_string(&out, about->program);
    base_p_put_varint(&out, about->period_us);
    base_p_put_varint(&out, lost);
    base_p_put_varint(&out, squares > lost ? squares : lost);
    for (l = next(next_user, NULL); l; l = next(next_user, l)) {
        uint32_t used = __atomic_load_n(&l->used, __ATOMIC_ACQUIRE);
        for (i = 0; i < used; i++) put_row(&out, about, &l->rows[i]);
    }
    return base_p_put_end(&out) ? -1 : 0;
}
