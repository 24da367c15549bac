/* phases.c - slices of a run. */
#include "phases.h"
#include <string.h>
#include "../../../src/part.c" /* the writer of parts, which the headers have, too */

static void add(phases_slice *s, uint64_t function, uint64_t misses) {
    uint32_t n;
    s->misses += misses;
    for (n = 0; n < PHASES_FUNCTIONS; n++) {
        if (s->of[n].misses && s->of[n].function != function) continue;
        s->of[n].function = function;
        s->of[n].misses += misses;
        return;
    }
}

void phases_miss(phases *p, uint64_t function) { add(&p->at[p->count], function, 1); }

static void join(phases_slice *to, const phases_slice *from) {
    uint64_t named = 0;
    uint32_t n;
    to->accesses += from->accesses;
    for (n = 0; n < PHASES_FUNCTIONS && from->of[n].misses; n++) {
        add(to, from->of[n].function, from->of[n].misses);
        named += from->of[n].misses;
    }
    to->misses += from->misses - named;
}

void phases_end(phases *p, uint64_t accesses) {
    uint32_t n;
    p->at[p->count].accesses += accesses;
    if (!p->of_slice) p->of_slice = 1;
    if (++p->pieces < p->of_slice) return;
    p->pieces = 0;
    if (++p->count < PHASES_SLICES) return;
    for (n = 0; n < PHASES_SLICES / 2; n++) {
        if (n) p->at[n] = p->at[2 * n];
        join(&p->at[n], &p->at[2 * n + 1]);
    }
    memset(&p->at[n], 0, (PHASES_SLICES - n) * sizeof *p->at);
    p->count = n;
    p->of_slice *= 2;
}

static void put_string(base_p_out *out, const char *words) {
    size_t size = words ? strlen(words) : 0;
    base_p_put_varint(out, size);
    if (size) base_p_put(out, words, size);
}

int phases_write(const phases *p, uint64_t open, const char *program,
                 const char *(*name)(void *user, uint64_t function), void *name_user,
                 int (*write)(void *user, const void *data, size_t size), void *user) {
    base_p_out out;
    uint32_t i, n, count = p->count, of;
    if (p->at[count].accesses || open) count++;
    base_p_put_begin(&out, PHASES_KIND, write, user);
    base_p_put_varint(&out, PHASES_VERSION);
    put_string(&out, program);
    base_p_put_varint(&out, count);
    for (i = 0; i < count; i++) {
        const phases_slice *s = &p->at[i];
        for (of = 0; of < PHASES_FUNCTIONS && s->of[of].misses; of++) { }
        base_p_put_varint(&out, s->accesses + (i == p->count ? open : 0));
        base_p_put_varint(&out, s->misses);
        base_p_put_varint(&out, of);
        for (n = 0; n < of; n++) {
            put_string(&out, name(name_user, s->of[n].function));
            base_p_put_varint(&out, s->of[n].misses);
        }
    }
    return base_p_put_end(&out) ? -1 : 0;
}
