/* interleave.c - spans of time with accesses of threads. */
#include "interleave.h"
#include <string.h>
#include "../../../src/part.c" /* the writer of parts, which the headers have, too */

/* Rows 0 and 1 become one row, 2 and 3 the next, and so on. */
static void fold(interleave_log *t) {
    uint32_t i;
    for (i = 0; i < INTERLEAVE_ROWS / 2; i++) {
        interleave_row *row = &t->rows[i];
        *row = t->rows[2 * i];
        row->to_ns = t->rows[2 * i + 1].to_ns;
        row->accesses += t->rows[2 * i + 1].accesses;
        row->edge_ns = 0;
    }
    t->used = INTERLEAVE_ROWS / 2;
    t->per = 2 * t->per + 1;
    t->in_last = t->per;
}

void interleave_add(interleave_log *t, uint64_t from_ns, uint64_t to_ns, uint64_t accesses,
                    uint64_t edge_ns) {
    interleave_row *last = t->used ? &t->rows[t->used - 1] : NULL;
    if (!accesses) return;
    if (last && from_ns < last->to_ns) from_ns = last->to_ns;
    if (to_ns < from_ns) to_ns = from_ns;
    if (last && t->in_last < t->per) {
        t->in_last++;
        last->to_ns = to_ns;
        last->accesses += accesses;
        last->edge_ns = 0;
        return;
    }
    if (t->used == INTERLEAVE_ROWS) fold(t);
    t->in_last = 0;
    t->rows[t->used].from_ns = from_ns;
    t->rows[t->used].to_ns = to_ns;
    t->rows[t->used].edge_ns = edge_ns < (to_ns - from_ns) / 2 ? edge_ns : 0;
    t->rows[t->used++].accesses = accesses;
}

int interleave_write(const interleave_log *const *threads, uint32_t count, const char *program,
                int (*write)(void *user, const void *data, size_t size), void *user) {
    uint64_t began = UINT64_MAX;
    base_p_out out;
    uint32_t n, i;
    for (n = 0; n < count; n++)
        if (threads[n]->used && threads[n]->rows[0].from_ns < began) began = threads[n]->rows[0].from_ns;
    base_p_put_begin(&out, INTERLEAVE_KIND, write, user);
    base_p_put_varint(&out, INTERLEAVE_VERSION);
    base_p_put_varint(&out, strlen(program));
    base_p_put(&out, program, strlen(program));
    base_p_put_varint(&out, count);
    for (n = 0; n < count; n++) {
        uint64_t before = began;
        base_p_put_varint(&out, threads[n]->used);
        for (i = 0; i < threads[n]->used; i++) {
            const interleave_row *row = &threads[n]->rows[i];
            base_p_put_varint(&out, row->from_ns - before);
            base_p_put_varint(&out, row->to_ns - row->from_ns);
            base_p_put_varint(&out, row->accesses);
            base_p_put_varint(&out, row->edge_ns);
            before = row->to_ns;
        }
    }
    return base_p_put_end(&out) ? -1 : 0;
}
