/* notes.c - see notes.h. A file of notes is words of 32 bits, in the byte order
   of the machine that the compiler makes code for:

       "gcno"  version  stamp  checksum (from 12 on)  string folder  1
       { tag  length  payload }

   A length counts bytes, before version 12 words; a string is its length, its
   bytes and a zero byte, before version 12 filled up to a word. What stands
   behind a record of a function is of that function:

       FUNCTION  ident  two checksums  string name  artificial  string file
                 line  column  line  column
       BLOCKS    how many there are
       ARCS      block  { target  flags }
       LINES     block  { line, or 0 and string file }  0  an empty string

   Block 0 is the entry and block 1 the exit. An arc that is not on the spanning
   tree has a counter, and counters stand in the order of arcs. gcc ends a block
   behind each call that may not return and draws a fake arc from there to the
   exit, which is on the tree: so the counts of what did not return need no
   other help. Here a fake arc is a stay edge. Where a call may return twice, as
   of setjmp and vfork, gcc draws a fake arc to it from the entry, which would
   count as a call of the function. Here it comes from a vertex of its own, in
   front of the exit, whose stay edge says how often that was.

   A block whose call may throw has two ways on; they are no branch that anybody
   wrote. Such a block, and one with a branch whose last line is of another file,
   gets line 0 behind its lines: a report shows no branches there. Lines that a function has
   in another file, as those of an inlined function, are a table without a name
   under the same key. So are lines of functions that gcc makes of parts of others: of the
   body of a coroutine, and of a region of OpenMP. */
#include "cc/cxx/notes.h"
#include "base/hash.h"
#include "base/tool.h"
#include "cc/put/rewrite.h"
#include "report/kinds/edges.h"
#include "report/kinds/sources.h"
#include <stdlib.h>
#include <string.h>
#define EDGEPROF_WIDE
#include "edgeprof.h"

#define FUNCTION UINT32_C(0x01000000)
#define BLOCKS UINT32_C(0x01410000)
#define ARCS UINT32_C(0x01430000)
#define LINES UINT32_C(0x01450000)
enum { ON_TREE = 1, FAKE = 2, FALLTHROUGH = 4, OLDEST = 11, NEWEST = 14, IN_BYTES = 12 };

/* ---- words and strings ---- */

typedef struct reader {
    const unsigned char *data;
    size_t size, at, end;       /* end: of the record */
    int is_big, version;
    const char *reason;
} reader;

static void refuse(reader *r, const char *reason) {
    if (!r->reason) r->reason = reason;
}

static uint32_t word(reader *r) {
    uint32_t value = 0;
    size_t i;
    if (!r->reason && r->end - r->at < 4) refuse(r, "ends within a number");
    if (r->reason) return 0;
    for (i = 0; i < 4; i++)
        value |= (uint32_t)r->data[r->at + i] << 8 * (r->is_big ? 3 - i : i);
    r->at += 4;
    return value;
}

static size_t bytes_of(const reader *r, uint32_t length) {
    return r->version >= IN_BYTES ? length : 4 * (size_t)length;
}

/* Returns the string; "" after a fault. */
static const char *string(reader *r) {
    size_t size = bytes_of(r, word(r));
    const char *s = (const char *)r->data + r->at;
    if (!r->reason && size > r->end - r->at) refuse(r, "ends within a string");
    if (r->reason || size == 0) return "";
    if (!memchr(s, 0, size)) {
        refuse(r, "a string has no end");
        return "";
    }
    r->at += size;
    return s;
}

/* "B22*" is 12.2. */
static int version_of(uint32_t number) {
    unsigned tens = number >> 24, ones = number >> 16 & 255;
    if (tens < 'A' || tens > 'Z' || ones < '0' || ones > '9') return 0;
    return (int)((tens - 'A') * 10 + (ones - '0'));
}

static int begin(reader *r, const unsigned char *data, size_t size) {
    memset(r, 0, sizeof *r);
    r->data = data;
    r->size = r->end = size;
    if (size < 4 || (memcmp(data, "oncg", 4) != 0 && memcmp(data, "gcno", 4) != 0)) {
        refuse(r, "is no file of notes of gcc");
        return -1;
    }
    r->is_big = data[0] == 'g';
    r->at = 4;
    r->version = version_of(word(r));
    if (!r->reason && (r->version < OLDEST || r->version > NEWEST)) {
        r->at = 4;
        refuse(r, "is of a gcc that is not known here");
    }
    word(r); /* its stamp */
    if (r->version >= IN_BYTES) word(r);
    return r->reason ? -1 : 0;
}

/* The next record. Returns 0 behind the last one, and after a fault. */
static int next(reader *r, uint32_t *tag) {
    size_t size;
    r->end = r->size;
    if (r->reason || r->at == r->size) return 0;
    *tag = word(r);
    if (!*tag && r->at == r->size) return 0;
    size = bytes_of(r, word(r));
    if (!r->reason && size > r->size - r->at) refuse(r, "a record is longer than the file");
    if (r->reason) return 0;
    r->end = r->at + size;
    return 1;
}

/* ---- one function ---- */

typedef struct arc {
    uint32_t from, to, flags;
} arc;

typedef struct place {
    uint32_t block, file, line, order; /* file: its number, from 1 on */
} place;

typedef struct source {
    const char *given;          /* as the notes name it */
    char *name;                 /* as a report does; NULL: left out */
} source;

typedef struct notes {
    reader r;
    const cc_notes_files *files;
    text *out;
    dump_writer w;
    const char *unit;
    uint64_t key;               /* of the unit */
    size_t copied;              /* arcs and blocks of tables without a name */

    source *sources;
    uint32_t source_count;
    hash_table by_name;

    int has_function;           /* the fields below are of one */
    size_t function_at;
    const char *name;
    uint32_t ident, file, first_line, blocks;
    int is_artificial;
    arc *arcs;
    size_t arc_count, arc_room;
    place *places;
    size_t place_count, place_room;
} notes;

static int is_given(const void *owner, uint32_t number, const void *key) {
    return strcmp(((const source *)owner)[number - 1].given, (const char *)key) == 0;
}

static uint32_t file_of(notes *n, const char *given) {
    uint32_t *number = hash_place(&n->by_name, hash_string(given), is_given, n->sources, given);
    source *s;
    if (*number) return *number;
    if ((n->source_count & (n->source_count + 1)) == 0)
        n->sources = (source *)tool_grow(n->sources, (2 * n->source_count + 2) * sizeof *s);
    s = &n->sources[n->source_count];
    s->given = given;
    s->name = n->files->name(n->files->user, given);
    return *number = ++n->source_count;
}

static void read_function(notes *n) {
    reader *r = &n->r;
    n->has_function = 1;
    n->function_at = r->at;
    n->ident = word(r);
    word(r);
    word(r);
    n->name = string(r);
    n->is_artificial = word(r) != 0;
    n->file = file_of(n, string(r));
    n->first_line = word(r);
    n->blocks = 0;
    n->arc_count = n->place_count = 0;
}

static void read_arcs(notes *n) {
    reader *r = &n->r;
    uint32_t from = word(r);
    while (!r->reason && r->at < r->end) {
        arc *a;
        TOOL_ROOM(arc, n->arcs, n->arc_count, n->arc_room);
        a = &n->arcs[n->arc_count++];
        a->from = from;
        a->to = word(r);
        a->flags = word(r);
        if (!r->reason && (a->from >= n->blocks || a->to >= n->blocks || a->from == 1 || a->to == 0))
            refuse(r, "an arc leads nowhere");
    }
}

static void read_lines(notes *n) {
    reader *r = &n->r;
    uint32_t block = word(r), file = n->file;
    if (!r->reason && (block >= n->blocks || block == 1)) refuse(r, "lines of a block that is not there");
    while (!r->reason && r->at < r->end) {
        uint32_t line = word(r);
        if (line == 0) {
            const char *given = string(r);
            if (r->reason || !*given) return;
            file = file_of(n, given);
            continue;
        }
        TOOL_ROOM(place, n->places, n->place_count, n->place_room);
        n->places[n->place_count].block = block;
        n->places[n->place_count].file = file;
        n->places[n->place_count].order = (uint32_t)n->place_count;
        n->places[n->place_count++].line = line;
    }
}

/* ---- its lines ---- */

static int is_body(const char *name) {
    size_t size = strlen(name);
    return size > 6 && strcmp(name + size - 6, ".actor") == 0;
}

static int is_region(const char *name) { return strstr(name, "._omp_fn.") != NULL; }

/* Is it the call of a lambda, UlPARAMETERSE[DIGITS]_cl, and what stands in it? */
static int is_lambda(const char *name) {
    const char *lambda = strstr(name, "Ul"), *call, *end;
    for (call = lambda; call && (call = strstr(call, "_cl")) != NULL; call++) {
        for (end = call; end > lambda && end[-1] >= '0' && end[-1] <= '9'; end--) {}
        if (end[-1] == 'E' && (call[3] == 'E' || call[3] == 'I')) return 1;
    }
    return 0;
}

/* Has it variables that gcc reaches through a pointer: captures of a lambda, a
   coroutine's frame, what threads of a region share? */
static int has_far_variables(const char *name) {
    return is_lambda(name) || is_body(name) || is_region(name);
}

static int by_block(const void *a, const void *b) {
    const place *x = (const place *)a, *y = (const place *)b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_line(const void *a, const void *b) {
    const place *x = (const place *)a, *y = (const place *)b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return by_block(a, b);
}

/* The first place of a line, of which list[0..count) has one, sorted by line. */
static const place *first_of(const place *list, size_t count, const place *of) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const place *p = &list[middle];
        if (p->file < of->file || (p->file == of->file && p->line < of->line)) low = middle + 1;
        else high = middle;
    }
    return &list[low];
}

/* ---- its tables ---- */

/* The entry is vertex 0, and the exit the last one. */
static uint32_t vertex_of(uint32_t block, uint32_t vertices) {
    return block == 0 ? 0 : block == 1 ? vertices - 1 : block - 1;
}

static int is_second(const arc *a) { return a->from == 0 && a->to != 1 && (a->flags & FAKE); }

static int is_stay(const arc *a) { return (a->flags & FAKE) && (a->flags & ON_TREE) && a->to == 1; }

static int by_file(const void *a, const void *b) {
    const place *x = *(const place *const *)a, *y = *(const place *const *)b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return by_block(x, y);
}

static uint32_t slots_of(const notes *n) {
    uint32_t slots = 0;
    size_t i;
    for (i = 0; i < n->arc_count; i++) slots += !(n->arcs[i].flags & ON_TREE);
    return slots;
}

/* The graph, which all tables of a function have in common. Edges stand in the
   order of arcs, stay edges behind them. */
static void make_graph(const notes *n, edges_function *f) {
    size_t i, e = 0;
    uint32_t twice = 0;
    int stays;
    memset(f, 0, sizeof *f);
    for (i = 0; i < n->arc_count && !twice; i++) twice = is_second(&n->arcs[i]) != 0;
    f->bits = 64;
    f->vertices = n->blocks + twice;
    f->edges = (uint32_t)n->arc_count + twice;
    f->ends = (uint32_t *)tool_alloc(2 * (n->arc_count + 2) * sizeof *f->ends);
    f->plan = (uint8_t *)tool_alloc(n->arc_count + 2);
    for (stays = 0; stays < 2; stays++) {
        for (i = 0; i < n->arc_count; i++) {
            const arc *a = &n->arcs[i];
            if (is_stay(a) != stays) continue;
            f->ends[2 * e] = is_second(a) ? f->vertices - 2 : vertex_of(a->from, f->vertices);
            f->ends[2 * e + 1] = vertex_of(a->to, f->vertices);
            f->plan[e] = !(a->flags & ON_TREE);
            f->slots += f->plan[e++];
            f->stays += (uint32_t)stays;
        }
    }
    if (twice) {
        f->ends[2 * e] = f->vertices - 2;
        f->ends[2 * e + 1] = f->vertices - 1;
        f->plan[e] = 0;
        f->stays++;
    }
    f->line_at = (uint32_t *)tool_alloc(((size_t)f->vertices + 1) * sizeof *f->line_at);
    f->line = (uint32_t *)tool_alloc((n->place_count + n->blocks + 2) * sizeof *f->line);
}

/* What cc/inside/arcs.c and merge.h make of the same numbers. */
static uint64_t key_of(const char *unit, uint32_t ident, uint32_t slots) {
    edgeprof_function f;
    memset(&f, 0, sizeof f);
    f.name = unit;
    f.hash = ident;
    f.bits = 64;
    f.slots = slots;
    return edgeprof_key(&f);
}

/* Of each block: does it end in a call, how many ways lead on from it, and of
   which file is its last line? A call that has several ways may throw. Does the
   block run while no exception is on its way, or may it?

   A block that is not calm is a handler, or it destroys objects. The second kind stands
   in no source: its lines are those of the code that made the objects. A landing is where
   exceptions come to. With -O1 gcc puts the ends of objects that have no destructor's call
   into one landing with the choice of a handler, which objects not yet made lead to, too. */
typedef struct block_notes {
    uint8_t *calls, *is_calm, *is_landing;
    uint32_t *ways, *last_file;
    uint32_t made;              /* the line of branches that gcc made, or 0 */
} block_notes;

static int throws(const block_notes *b, const arc *a) {
    return b->calls[a->from] && b->ways[a->from] > 1 && !(a->flags & FALLTHROUGH);
}

/* What the entry reaches over other ways than those of exceptions. Arcs are in
   the order of the blocks that they leave. */
static void find_calm(const notes *n, block_notes *b) {
    uint32_t *stack = (uint32_t *)tool_alloc((n->blocks + 1) * sizeof *stack), depth = 0;
    size_t *first = (size_t *)tool_alloc((n->blocks + 2) * sizeof *first), i;
    size_t *list = (size_t *)tool_alloc((n->arc_count + 1) * sizeof *list);
    memset(first, 0, (n->blocks + 2) * sizeof *first);
    for (i = 0; i < n->arc_count; i++) first[n->arcs[i].from + 1]++;
    for (i = 0; i < n->blocks; i++) first[i + 1] += first[i];
    for (i = 0; i < n->arc_count; i++) list[first[n->arcs[i].from]++] = i;
    b->is_calm[0] = 1;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t from = stack[--depth];
        for (i = from ? first[from - 1] : 0; i < first[from]; i++) {
            const arc *a = &n->arcs[list[i]];
            if (throws(b, a)) b->is_landing[a->to] = 1;
            if (b->is_calm[a->to] || is_stay(a) || throws(b, a)) continue;
            b->is_calm[a->to] = 1;
            stack[depth++] = a->to;
        }
    }
    free(stack);
    free(first);
    free(list);
}

static void note_blocks(const notes *n, block_notes *b) {
    size_t i;
    b->calls = (uint8_t *)tool_alloc(n->blocks);
    b->ways = (uint32_t *)tool_alloc(n->blocks * sizeof *b->ways);
    b->last_file = (uint32_t *)tool_alloc(n->blocks * sizeof *b->last_file);
    memset(b->calls, 0, n->blocks);
    memset(b->ways, 0, n->blocks * sizeof *b->ways);
    memset(b->last_file, 0, n->blocks * sizeof *b->last_file);
    for (i = 0; i < n->arc_count; i++) {
        if (is_stay(&n->arcs[i])) b->calls[n->arcs[i].from] = 1;
        else b->ways[n->arcs[i].from]++;
    }
    b->made = is_region(n->name) ? n->first_line : 0;
    for (i = 0; i < n->place_count; i++) {
        const place *p = &n->places[i];
        b->last_file[p->block] = p->file;
        if (is_body(n->name) && p->file == n->file && p->line > b->made) b->made = p->line;
    }
    b->is_calm = (uint8_t *)tool_alloc(n->blocks);
    b->is_landing = (uint8_t *)tool_alloc(n->blocks);
    memset(b->is_calm, 0, n->blocks);
    memset(b->is_landing, 0, n->blocks);
    find_calm(n, b);
}

/* Is a block where a case of a switch begins? A switch of one case and default is left out. */
static uint8_t *find_cases(const notes *n, const block_notes *b) {
    uint8_t *is_case = (uint8_t *)tool_alloc(n->blocks);
    size_t i;
    memset(is_case, 0, n->blocks);
    for (i = 0; i < n->arc_count; i++)
        if (b->ways[n->arcs[i].from] > 2) is_case[n->arcs[i].to] = 1;
    return is_case;
}

/* Which of a block's places is the last one that is greater than all before it? */
static size_t last_forward(const place *block, size_t size) {
    size_t last = size, i;
    while (last-- > 1) {
        const place *p = &block[last];
        int goes_back = 0;
        for (i = 0; i < last; i++) goes_back |= block[i].file == p->file && block[i].line > p->line;
        if (!goes_back) break;
    }
    return last;
}

/* Each use of a far variable has the line of its first use, too, in front of its own
   or behind it. So these lines of a block are left out, if an earlier block has them:
   the last ones, unless they are a branch's or greater than all before them; and those
   before what is last then. The first line of a case is its label's, and stays. What
   makes a coroutine go on stands on its first line, which its function has, and on its
   last one. */
static void leave_first_uses(notes *n, const block_notes *b) {
    size_t count = n->place_count, size = count * sizeof *n->places, i, end, last, kept = 0;
    place *lines = (place *)tool_alloc(size + 1), *all = (place *)tool_alloc(size + 1);
    uint8_t *is_case = find_cases(n, b);
    int body = is_body(n->name);
    if (size) memcpy(all, n->places, size);
    if (size) memcpy(lines, n->places, size);
    if (size) qsort(lines, count, sizeof *lines, by_line);
    for (i = 0; i < count; i = end) {
        uint32_t block = all[i].block;
        const place *first = &all[i];
        for (end = i; end < count && all[end].block == block; end++) {}
        last = b->ways[block] > 1 ? end - 1 : i + last_forward(&all[i], end - i);
        for (; i < end; i++) {
            const place *p = &all[i];
            int is_kept = i == last || (p == first && is_case[block]);
            if (!is_kept && first_of(lines, count, p)->block < block) continue;
            if (body && p->file == n->file && p->line == n->first_line) continue;
            n->places[kept++] = *p;
        }
    }
    n->place_count = kept;
    free(is_case);
    free(lines);
    free(all);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The lines of calm blocks, sorted; to be freed. */
static uint32_t *calm_lines(place *const *places, size_t count, const block_notes *b,
                            size_t *found) {
    uint32_t *lines = (uint32_t *)tool_alloc((count + 1) * sizeof *lines);
    size_t i;
    *found = 0;
    for (i = 0; i < count; i++)
        if (b->is_calm[places[i]->block]) lines[(*found)++] = places[i]->line;
    if (*found) qsort(lines, *found, sizeof *lines, by_number);
    return lines;
}

static int has_line(const uint32_t *lines, size_t count, uint32_t line) {
    return count && bsearch(&line, lines, count, sizeof *lines, by_number) != NULL;
}

/* Fills the lines of f: those of places[0..count), which are of one file. */
static void make_lines(edges_function *f, place *const *places, size_t count,
                       const block_notes *b, uint32_t starts) {
    uint32_t v, used = 0;
    size_t at = 0, calm_count;
    uint32_t *calm = calm_lines(places, count, b, &calm_count);
    for (v = 0; v < f->vertices; v++) {
        uint32_t block = v == 0 ? 0 : v + 1 == f->vertices ? 1 : v + 1; /* or none */
        size_t before = at;
        f->line_at[v] = used;
        if (v == 0 && starts) f->line[used++] = starts;
        for (; at < count && places[at]->block == block; at++) {
            int is_last = at + 1 == count || places[at + 1]->block != block;
            int is_end = b->is_landing[block] && !b->is_calm[block] && !b->calls[block];
            if (is_end && !is_last && has_line(calm, calm_count, places[at]->line)) continue;
            f->line[used++] = places[at]->line;
        }
        if (at > before && b->ways[block] > 1 &&
            (b->calls[block] || b->last_file[block] != places[before]->file ||
             places[at - 1]->line == b->made ||
             (!b->is_calm[block] && has_line(calm, calm_count, places[at - 1]->line))))
            f->line[used++] = 0;
    }
    f->line_at[f->vertices] = used;
    free(calm);
}

/* A function begins where its source does, which need not be its first block:
   then that line stands at the entry, too. */
static uint32_t start_of(const notes *n, place *const *places, size_t count) {
    size_t i;
    if (count == 0 || places[0]->line == n->first_line) return 0;
    for (i = 0; i < count; i++)
        if (places[i]->line == n->first_line) return n->first_line;
    return 0;
}

/* One table: of the function in its own file, or of lines in another one. */
static void put_table(notes *n, edges_function *f, char *name, place *const *places,
                      size_t count, const block_notes *b) {
    uint32_t file = places[0]->file;
    int is_own = file == n->file && !n->is_artificial;
    static char nothing[] = "";
    make_lines(f, places, count, b, is_own ? start_of(n, places, count) : 0);
    f->file = n->sources[file - 1].name;
    f->name = is_own ? name : nothing;
    edges_put_function(&n->w, f);
}

/* The name of the function that n is a part of, to be freed. A coroutine's frame is a type
   whose name ends with that: _Z5countPZ5countiE16_Z5counti.Frame.actor. */
static char *symbol_of(const notes *n) {
    const char *from = n->name, *end = strstr(n->name, "._omp_fn."), *at;
    char *symbol;
    size_t size;
    if (is_body(n->name)) {
        for (at = n->name; (at = strstr(at, "_Z")) != NULL; at++) from = at;
        end = strstr(from, ".Frame");
    }
    size = end ? (size_t)(end - from) : strlen(from);
    symbol = (char *)tool_alloc(size + 1);
    memcpy(symbol, from, size);
    symbol[size] = 0;
    return symbol;
}

static void put_tables(notes *n) {
    edges_function f;
    block_notes b;
    place **list = (place **)tool_alloc((n->place_count + 1) * sizeof *list);
    size_t i, end;
    char *symbol = symbol_of(n), *name = n->files->function(n->files->choice, symbol);
    int is_told = 0;
    if (n->place_count) qsort(n->places, n->place_count, sizeof *n->places, by_block);
    note_blocks(n, &b);
    if (has_far_variables(n->name)) leave_first_uses(n, &b);
    for (i = 0; i < n->place_count; i++) list[i] = &n->places[i];
    if (n->place_count) qsort(list, n->place_count, sizeof *list, by_file);
    make_graph(n, &f);
    f.key = key_of(n->unit, n->ident, f.slots);
    for (i = 0; i < n->place_count && name; i = end) {
        uint32_t file = list[i]->file;
        for (end = i + 1; end < n->place_count && list[end]->file == file; end++) {
        }
        if (!n->sources[file - 1].name) continue;
        if (file != n->file) n->copied += n->arc_count + n->blocks;
        if (n->copied / 4 > n->r.size) {
            n->r.at = n->function_at;
            refuse(&n->r, "functions have lines of too many files");
            break;
        }
        put_table(n, &f, name, list + i, end - i, &b);
        is_told = 1;
    }
    if (!is_told) edges_put_left_out(&n->w, f.key);
    free(symbol);
    free(name);
    free(b.calls);
    free(b.is_calm);
    free(b.is_landing);
    free(b.ways);
    free(b.last_file);
    free(f.ends);
    free(f.plan);
    free(f.line_at);
    free(f.line);
    free((void *)list);
}

/* The compiler's own functions, as thunks, may have blocks without arcs; those of
   the source have few. So a file cannot ask for much more memory than it has
   bytes. */
static void end_function(notes *n) {
    if (!n->has_function || n->r.reason) return;
    n->has_function = 0;
    if ((n->is_artificial && !is_body(n->name) && !is_region(n->name)) || n->blocks == 0) {
        edges_put_left_out(&n->w, key_of(n->unit, n->ident, slots_of(n)));
        return;
    }
    if (n->blocks < 2 || n->blocks / 8 > n->arc_count + 8) {
        n->r.at = n->function_at;
        refuse(&n->r, "a function has more blocks than its arcs can lead to");
        return;
    }
    put_tables(n);
}

/* ---- all of it ---- */

/* Writes the hash of each source, so that a report can say which ones have changed. */
static void put_sources(const notes *n) {
    dump_writer w;
    uint32_t i;
    sourced s;
    dump_begin(&w, n->out, SOURCED_KIND);
    dump_put(&w, SOURCED_VERSION);
    for (i = 0; i < n->source_count; i++) {
        if (!n->sources[i].name) continue;
        if (n->files->hash(n->files->user, n->sources[i].given, &s.hash) != 0) continue;
        s.key = n->key;
        s.file = n->sources[i].name;
        sourced_put(&w, &s);
    }
    dump_end(&w);
}

static void read_records(notes *n) {
    uint32_t tag = 0;
    while (next(&n->r, &tag)) {
        size_t end = n->r.end;
        if (tag == FUNCTION) {
            n->r.end = n->r.size;
            end_function(n);
            n->r.end = end;
            read_function(n);
        } else if (n->has_function && tag == BLOCKS) {
            n->blocks = word(&n->r);
            if (n->arc_count || n->place_count) refuse(&n->r, "blocks behind arcs or lines");
        } else if (n->has_function && tag == ARCS) {
            read_arcs(n);
        } else if (n->has_function && tag == LINES) {
            read_lines(n);
        }
        if (!n->r.reason) n->r.at = end;
    }
    end_function(n);
}

int cc_notes_hash(const unsigned char *data, size_t size, uint64_t *hash, dump_fault *fault) {
    reader r;
    if (begin(&r, data, size) != 0) return dump_refuse(fault, r.at, "%s", r.reason);
    *hash = hash_fnv(data, 8, 0);
    *hash = hash_fnv(data + r.at, size - r.at, *hash);
    return 0;
}

int cc_notes_are_empty(const unsigned char *data, size_t size) {
    reader r;
    uint32_t tag = 0;
    if (begin(&r, data, size) != 0) return 0;
    string(&r); /* the folder */
    word(&r);
    while (next(&r, &tag)) {
        if (tag == FUNCTION) return 0;
        r.at = r.end;
    }
    return !r.reason;
}

int cc_notes_read(const unsigned char *data, size_t size, const char *unit,
                  const cc_notes_files *files, text *out, dump_fault *fault) {
    notes n;
    size_t before = out->size;
    uint32_t i;
    int status = 0;
    memset(&n, 0, sizeof n);
    n.files = files;
    n.out = out;
    n.unit = unit;
    n.key = key_of(unit, 0, 0);
    if (begin(&n.r, data, size) == 0) {
        string(&n.r); /* the folder */
        word(&n.r);   /* whether blocks that cannot run are told */
        dump_begin(&n.w, out, 4);
        edges_put_unit(&n.w, n.key);
        read_records(&n);
        dump_end(&n.w);
        if (!n.r.reason) put_sources(&n);
    }
    if (n.r.reason) {
        out->size = before;
        status = dump_refuse(fault, n.r.at, "%s", n.r.reason);
    }
    for (i = 0; i < n.source_count; i++) free(n.sources[i].name);
    free(n.sources);
    free(n.arcs);
    free(n.places);
    hash_free(&n.by_name);
    return status;
}
