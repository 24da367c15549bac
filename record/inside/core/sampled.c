/* sampled.c - tables of calls and of ticks, and how they are written. */
#include "sampled.h"
#include <string.h>
#include "../../../src/part.c" /* the writer of parts, which the headers have, too */

/* Open addressing: a row stands at its hash or behind it. Rows are never
   removed. */
void sampled_count(sampled_table *t, uint32_t key, uint32_t caller, uint64_t weight_256) {
    uint32_t i = (key * UINT32_C(0x9E3779B1) + caller * UINT32_C(0x85EBCA77)) >> 18;
    sampled_row *row;
    t->events++;
    for (;; i = (i + 1) % SAMPLED_ROWS) {
        row = &t->rows[i % SAMPLED_ROWS];
        if (row->key == key && row->caller == caller) break;
        if (row->key) continue;
        if (t->rows_used >= SAMPLED_ROWS / 4 * 3) {
            t->lost++;
            return;
        }
        t->rows_used++;
        row->key = key;
        row->caller = caller;
        break;
    }
    if (!row->next) {                       /* the last of the list names itself */
        uint32_t number = (uint32_t)(row - t->rows) + 1;
        row->next = t->seen ? t->seen : number;
        row->start = (uint32_t)row->count;
        t->seen = number;
    }
    row->count++;
    row->weight_256 += weight_256;
}

/* ---- sums for intervals ---- */

/* In a burst let y be the weight of a row, s of all rows of its function, x of
   all rows. A row keeps the sums of yy, ys and xy over the bursts, how many saw
   it, and in how many it was the first row of its function; the table has xx.
   docs/formats.md says what a reader makes of them. Three walks over the rows
   of the burst: of_key gets s and the total is x; the products are added;
   of_key is cleared. The highest bit of an entry says that the function had its
   first row. */
enum { FIRST = 31 };

/* The rows of the list, one by one. Returns the one behind `row`, or NULL. */
static sampled_row *row_behind(sampled_table *t, const sampled_row *row) {
    sampled_row *next = &t->rows[row->next - 1];
    return next == row ? NULL : next;
}

static void add_product(uint64_t *sum, uint64_t a, uint64_t b) {
    uint64_t product = a >= UINT32_MAX || b >= UINT32_MAX ? UINT64_MAX : a * b;
    *sum = *sum > UINT64_MAX - product ? UINT64_MAX : *sum + product;
}

/* Calls of the row in this burst, and the rounded number of those that they
   stand for. */
static uint32_t in_burst(const sampled_row *row) {
    return (uint32_t)row->count - row->start;
}

static uint64_t weigh(uint32_t calls, uint64_t weight_256) {
    return calls > UINT64_MAX / 512 / (weight_256 + 1) ? UINT64_MAX
                                                       : (calls * weight_256 + 128) >> 8;
}

void sampled_burst(sampled_table *t, uint64_t weight_256) {
    sampled_row *first = t->seen ? &t->rows[t->seen - 1] : NULL, *row, *next;
    uint64_t x, y, total = 0;
    if (!first) return;
    for (row = first; row; row = row_behind(t, row)) {
        uint32_t *calls = &t->of_key[row->key % SAMPLED_KEYS];
        *calls = (*calls + in_burst(row)) & ~(UINT32_C(1) << FIRST);
        total += in_burst(row);
    }
    x = weigh(total < UINT32_MAX ? (uint32_t)total : UINT32_MAX, weight_256);
    for (row = first; row; row = row_behind(t, row)) {
        uint32_t *calls = &t->of_key[row->key % SAMPLED_KEYS];
        row->firsts += !(*calls >> FIRST);
        *calls |= UINT32_C(1) << FIRST;
        y = weigh(in_burst(row), weight_256);
        row->bursts++;
        add_product(&row->yy, y, y);
        add_product(&row->ys, y, weigh(*calls & ~(UINT32_C(1) << FIRST), weight_256));
        add_product(&row->xy, y, x);
    }
    for (row = first; row; row = next) {
        next = row_behind(t, row);
        t->of_key[row->key % SAMPLED_KEYS] = 0;
        row->next = 0;
    }
    t->bursts++;
    add_product(&t->xx, x, x);
    t->seen = 0;
}

/* ---- a part ---- */

typedef struct part {
    base_p_out out;
    uint32_t recent[64];                    /* keys of the latest new sites */
    uint64_t new_sites;
} part;

static void put(part *p, uint64_t value) { base_p_put_varint(&p->out, value); }

static void put_string(part *p, const char *text) {
    size_t size = strlen(text);
    put(p, size);
    base_p_put(&p->out, text, size);
}

/* A function: new with its name, or the k-th before the latest new one. */
static void put_site(part *p, const sampled_profile *about, uint32_t key) {
    uint64_t k, known = p->new_sites < 64 ? p->new_sites : 64;
    const char *name;
    if (!key) {
        put(p, 0);
        return;
    }
    for (k = 0; k < known; k++) {
        if (p->recent[(p->new_sites - 1 - k) % 64] != key) continue;
        put(p, 2 + k);
        return;
    }
    p->recent[p->new_sites++ % 64] = key;
    name = about->name(about->name_user, key);
    put(p, 1);
    put_string(p, name ? name : "?");
    put_string(p, "");
    put(p, 0);
    put(p, 1);                              /* a call */
}

static void begin(part *p, unsigned kind, int (*write)(void *user, const void *data, size_t size),
                  void *user) {
    p->new_sites = 0;
    base_p_put_begin(&p->out, kind, write, user);
}

static int end(part *p) { return base_p_put_end(&p->out) ? -1 : 0; }

int sampled_write(const sampled_profile *about, const sampled_table *const *tables, uint32_t count,
                  int (*write)(void *user, const void *data, size_t size), void *user) {
    enum { INFO = 1, PROFILE = 2, THREAD = 3, ROW = 4, CLASS = 7, SUMS = 8 };
    enum { CALLS = 1, HOT_TABLE = 2, ENDED = 1 };
    part p;
    uint64_t events = 0, lost = 0;
    uint32_t n, i;
    for (n = 0; n < count; n++) {
        events += tables[n]->events;
        lost += tables[n]->lost;
    }
    begin(&p, 1, write, user);
    put(&p, INFO);
    put(&p, 0);
    put_string(&p, about->program);
    put(&p, about->checks);
    put(&p, events);
    put(&p, lost);
    put(&p, PROFILE);
    put(&p, 0);
    put(&p, about->every);
    put(&p, about->burst);
    put(&p, about->jitter);
    put(&p, CALLS);
    put(&p, HOT_TABLE);
    put(&p, about->bursts);
    put(&p, events);
    for (n = 0; n < count; n++) {
        put(&p, THREAD);
        put(&p, n);
        put(&p, ENDED);
        put_string(&p, "");
        put(&p, 0);
        put(&p, 0);
        put(&p, tables[n]->events);
        put(&p, tables[n]->lost);
        if (tables[n]->bursts) {
            put(&p, CLASS);
            put(&p, CALLS);
            put(&p, tables[n]->bursts);
            put(&p, tables[n]->xx);
        }
        for (i = 0; i < SAMPLED_ROWS; i++) {
            const sampled_row *row = &tables[n]->rows[i];
            if (!row->key) continue;
            put(&p, row->bursts ? SUMS : ROW);
            put_site(&p, about, row->key);
            put_site(&p, about, row->caller);
            put(&p, row->count);
            put(&p, row->weight_256);
            put(&p, 0);
            if (!row->bursts) continue;
            put(&p, row->bursts);
            put(&p, row->firsts);
            put(&p, row->yy);
            put(&p, row->ys);
            put(&p, row->xy);
        }
    }
    return end(&p);
}

/* ---- ticks ---- */

/* The number of a path, made at first sight; 0: there is no room for it. */
static uint32_t path_of(sampled_ticks *t, uint32_t key, uint32_t parent) {
    uint32_t mix = key * UINT32_C(0x9E3779B1) + parent * UINT32_C(0x85EBCA77), number;
    uint32_t i = mix >> (31 - SAMPLED_PATHS_BITS);
    for (;; i++) {
        sampled_path *path;
        i %= 2 * SAMPLED_PATHS;
        number = t->index[i];
        if (number == 0) break;
        path = &t->paths[number - 1];
        if (path->key == key && path->parent == parent) return number;
    }
    if (t->paths_used == SAMPLED_PATHS) return 0;
    number = t->paths_used + 1;
    t->paths[number - 1].key = key;
    t->paths[number - 1].parent = parent;
    __atomic_store_n(&t->paths_used, number, __ATOMIC_RELEASE); /* another thread may write it */
    t->index[i] = (uint16_t)number;
    return number;
}

uint32_t sampled_tick(sampled_ticks *t, const uint32_t *keys, uint32_t count, uint32_t n,
                      int slow) {
    uint32_t path = 0, next;
    sampled_path *at;
    if (n > 100) {
        t->late += n - 100;
        n = 100;
    }
    if (count == 0) path = path_of(t, SAMPLED_OUTSIDE, 0);
    for (; count--; path = next) {
        next = path_of(t, keys[count], path);
        if (next) continue;
        t->cut += n;
        break;
    }
    if (!path) {
        t->lost += n;
        return 0;
    }
    at = &t->paths[path - 1];
    at->ticks += n;
    at->squares += (uint64_t)n * n;
    if (slow) at->slow += n;
    return path;
}

const char *sampled_name_of(const sampled_profile *about, uint32_t key) {
    if (key == SAMPLED_OUTSIDE) return "(outside)";
    if (key == SAMPLED_RECORDER) return "(recorder)";
    if (key == SAMPLED_BEYOND) return "(outer callers not known)";
    return about->name(about->name_user, key);
}

static void put_path(part *p, const sampled_profile *about, const sampled_path *path,
                     uint32_t number) {
    enum { PATH = 6, SCOPE = 1 | 256 };
    const char *name = sampled_name_of(about, path->key);
    const char *place = !about->place || path->key >= SAMPLED_BEYOND
                            ? NULL
                            : about->place(about->name_user, path->key);
    const volatile sampled_path *now = path;        /* its thread may be in the middle of a tick */
    uint64_t ticks = now->ticks, squares = now->squares, slow = now->slow;
    put(p, PATH);
    put(p, 1);
    put_string(p, name ? name : "?");
    put_string(p, place ? place : "");
    put(p, 0);
    put(p, SCOPE);
    put(p, path->parent ? number - path->parent : 0);
    put(p, ticks);
    put(p, slow < ticks ? slow : ticks);
    put(p, squares > ticks ? squares : ticks);
}

int sampled_write_ticks(const sampled_profile *about, uint32_t period_us,
                        const sampled_ticks *const *threads, uint32_t count, uint64_t lost,
                        int (*write)(void *user, const void *data, size_t size), void *user) {
    enum { INFO = 1, THREAD = 3, TICKS = 5, KERNEL = 14, CHECKED = 15, STEPS = 19, ENDED = 1 };
    part p;
    uint64_t cut = 0, late = 0;
    uint32_t n, i;
    for (n = 0; n < count; n++) {
        lost += threads[n]->lost;
        cut += threads[n]->cut;
        late += threads[n]->late;
    }
    begin(&p, 1, write, user);
    put(&p, INFO);
    put(&p, 0);
    put_string(&p, about->program);
    for (i = 0; i < 3; i++) put(&p, 0);
    put(&p, TICKS);
    put(&p, period_us);
    put(&p, lost);
    put(&p, cut);
    put(&p, late);
    if (about->cpu_us) {
        put(&p, KERNEL);
        put(&p, about->cpu_us);
        put(&p, about->kernel_us);
        put(&p, about->look_us);
    }
    if (about->stepping) {
        put(&p, STEPS);
        put(&p, about->step);
        put(&p, about->stepping);
        put(&p, about->in_step);
    }
    if (about->has_checks || about->from_outside) {
        put(&p, CHECKED);
        put(&p, (about->has_checks ? 1 : 0) | (about->from_outside ? 2 : 0));
    }
    for (n = 0; n < count; n++) {
        put(&p, THREAD);
        put(&p, n);
        put(&p, ENDED);
        put_string(&p, "");
        for (i = 0; i < 4; i++) put(&p, 0);
        uint32_t used = __atomic_load_n(&threads[n]->paths_used, __ATOMIC_ACQUIRE);
        for (i = 0; i < used; i++)
            put_path(&p, about, &threads[n]->paths[i], i + 1);
    }
    return end(&p);
}

int sampled_write_program(const char *program,
                          int (*write)(void *user, const void *data, size_t size), void *user) {
    enum { KIND = 1, INFO = 1 };
    part p;
    begin(&p, KIND, write, user);
    put(&p, INFO);
    put(&p, 0);
    put_string(&p, program);
    put(&p, 0);
    put(&p, 0);
    put(&p, 0);
    return end(&p);
}

int sampled_write_missing(const sampled_profile *about, unsigned why, uint64_t missing, uint64_t of,
                          int (*write)(void *user, const void *data, size_t size), void *user) {
    enum { KIND = 7, VERSION = 2 };
    part p;
    begin(&p, KIND, write, user);
    put(&p, VERSION);
    put(&p, why);
    put(&p, missing);
    put(&p, of);
    put_string(&p, about->program);
    return end(&p);
}
