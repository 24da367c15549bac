/* loops.c - streams that are slices of one loop.

   A grammar knows no phase: a loop over the sites A B C leaves streams such as

       A B C A B C A B C A      B C A B C A B C A B      C A B C A B C A B C

   which are one thing to a reader. The shortest period of a stream is found as
   Knuth, Morris and Pratt find the borders of a word; that many sites, turned so
   that they are the least of all their turns, are its key. Streams with one key
   are one row. A stream that is a piece of a loop's endless repetition belongs to
   that loop: to the hottest, if several have its first site. A loop is
   known by a stream that goes round twice, or by two streams of one key. */
#include "report/model/loops.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct folding {
    const streams_part *p;
    loops_row *rows;
    uint32_t **key;                               /* by row: its sites, as its least turn */
    uint32_t *from, *to;                          /* of the stream at hand */
} folding;

static uint32_t period_of(const uint32_t *sites, uint32_t length, uint32_t *border) {
    uint32_t i, k = 0;
    border[0] = 0;
    for (i = 1; i < length; i++) {
        while (k && sites[i] != sites[k]) k = border[k - 1];
        if (sites[i] == sites[k]) k++;
        border[i] = k;
    }
    return length - border[length - 1];
}

/* Where the least turn of a word begins. Two candidates advance; each
   comparison rules at least one start out. */
static uint32_t least_turn(const uint32_t *sites, uint32_t n) {
    uint32_t a = 0, b = 1, k = 0;
    while (a < n && b < n && k < n) {
        uint32_t x = sites[(a + k) % n], y = sites[(b + k) % n];
        if (x == y) {
            k++;
            continue;
        }
        if (x > y) a += k + 1;
        else b += k + 1;
        if (a == b) b++;
        k = 0;
    }
    return a < b ? a : b;
}

typedef struct loop_key { const uint32_t *sites; uint32_t period; } loop_key;

static int is_row(const void *owner, uint32_t number, const void *key) {
    const folding *f = (const folding *)owner;
    const loop_key *k = (const loop_key *)key;
    return f->rows[number - 1].period == k->period
           && memcmp(f->key[number - 1], k->sites, k->period * sizeof *k->sites) == 0;
}

/* Does a stream lie in the endless repetition of a row? */
static int lies_in(const folding *f, const uint32_t *sites, uint32_t length, size_t row) {
    const uint32_t *key = f->key[row];
    uint32_t n = f->rows[row].period, start, k;
    for (start = 0; start < n; start++) {
        for (k = 0; k < length && sites[k] == key[(start + k) % n]; k++) {
        }
        if (k == length) return 1;
    }
    return 0;
}

static void get_sites(const folding *f, const streams_stream *s) {
    uint32_t k;
    for (k = 0; k < s->length; k++) f->from[k] = f->p->items[s->first + k].site;
}

static int by_heat(const void *left, const void *right) {
    const loops_row *a = (const loops_row *)left, *b = (const loops_row *)right;
    if (a->heat != b->heat) return a->heat < b->heat ? 1 : -1;
    return a->stream < b->stream ? -1 : a->stream > b->stream;
}

static size_t fold_turns(folding *f, size_t hot) {
    hash_table places = {NULL, 0, 0};
    size_t i, count = 0;
    for (i = 0; i < hot; i++) {
        const streams_stream *s = &f->p->streams[i];
        uint64_t hash = 0;
        uint32_t *slot, k, turn;
        loop_key key;
        loops_row *row;
        get_sites(f, s);
        key.period = period_of(f->from, s->length, f->to);
        turn = least_turn(f->from, key.period);
        for (k = 0; k < key.period; k++) {
            f->to[k] = f->from[(turn + k) % key.period];
            hash = hash_numbers(hash, f->to[k]);
        }
        key.sites = f->to;
        slot = hash_place(&places, hash, is_row, f, &key);
        if (*slot == 0) {
            *slot = (uint32_t)++count;
            row = &f->rows[count - 1];
            row->stream = i;
            row->period = key.period;
            f->key[count - 1] = (uint32_t *)tool_alloc(key.period * sizeof *f->key[0]);
            memcpy(f->key[count - 1], f->to, key.period * sizeof *f->to);
        } else row = &f->rows[*slot - 1];
        row->streams++;
        row->heat = tool_sum(row->heat, s->heat);
    }
    hash_free(&places);
    return count;
}

static int is_loop(const folding *f, const loops_row *row) {
    return row->streams > 1 || f->p->streams[row->stream].length / 2 >= row->period;
}

static void fold_slices(folding *f, size_t count) {
    uint32_t *loop_of = (uint32_t *)tool_alloc((f->p->site_count + 1) * sizeof *loop_of);
    size_t i;
    uint32_t k;
    for (i = 0; i < count; i++) {                 /* hottest streams first */
        for (k = 0; k < f->rows[i].period && is_loop(f, &f->rows[i]); k++) {
            if (loop_of[f->key[i][k]] == 0) loop_of[f->key[i][k]] = (uint32_t)i + 1;
        }
    }
    for (i = 0; i < count; i++) {
        const streams_stream *s = &f->p->streams[f->rows[i].stream];
        uint32_t loop;
        if (is_loop(f, &f->rows[i])) continue;
        get_sites(f, s);
        loop = loop_of[f->from[0]];
        if (loop == 0 || !lies_in(f, f->from, s->length, loop - 1)) continue;
        f->rows[loop - 1].streams++;
        f->rows[loop - 1].heat = tool_sum(f->rows[loop - 1].heat, f->rows[i].heat);
        f->rows[i].streams = 0;
    }
    free(loop_of);
}

size_t loops_fold(const streams_part *p, size_t hot, loops_row *rows) {
    folding f;
    size_t i, count, kept = 0;
    uint32_t longest = 1;
    for (i = 0; i < hot; i++)
        if (p->streams[i].length > longest) longest = p->streams[i].length;
    f.p = p;
    f.rows = rows;
    if (hot) memset(rows, 0, hot * sizeof *rows);
    f.key = (uint32_t **)tool_alloc((hot + 1) * sizeof *f.key);
    f.from = (uint32_t *)tool_alloc(longest * sizeof *f.from);
    f.to = (uint32_t *)tool_alloc(longest * sizeof *f.to);
    count = fold_turns(&f, hot);
    fold_slices(&f, count);
    for (i = 0; i < count; i++) {
        free(f.key[i]);
        if (rows[i].streams == 0) continue;
        if (rows[i].streams == 1) rows[i].period = p->streams[rows[i].stream].length;
        rows[kept++] = rows[i];
    }
    if (kept) qsort(rows, kept, sizeof *rows, by_heat);
    free(f.key);
    free(f.from);
    free(f.to);
    return kept;
}

uint32_t loops_repeats(const uint32_t *sites, uint32_t count, uint32_t *group) {
    uint32_t size, times, best = 1;
    *group = 1;
    for (size = 1; size <= count / 2; size++) {
        uint32_t k = size;
        while (k < count && sites[k] == sites[k - size]) k++;
        times = k / size;
        if (times > 1 && times * size > best * *group) {
            best = times;
            *group = size;
        }
    }
    return best;
}
