/* cfg.c - reader of control flow graphs with counts. One pass over the lines; a
   function is closed when the next begins. */
#include "lab/cfg.h"
#define EDGEPROF_WIDE
#include "edgeprof.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 1 << 24 };

typedef struct arc {
    uint32_t from, to, flags;
    uint64_t count;
} arc;

typedef struct reader {
    cfg *c;
    cfg_words words;
    size_t room;            /* functions */
    uint64_t vertices_left; /* a file cannot describe more vertices than it has bytes */
    arc *arcs, *stays;
    size_t arc_count, arc_room, stay_count, stay_room;
    size_t first_call, call_count, call_room;
    uint64_t *calls;     /* numbers as in the file; UINT64_MAX: indirect, UINT64_MAX - 1: X */
    uint32_t next_block; /* kind L: the id that the next B line must have */
    uint8_t *seen;       /* kinds S and G: vertices whose lines were given */
} reader;

/* ---- words ---- */

char *cfg_word(cfg_words *w) {
    char *start;
    while (*w->at == ' ') w->at++;
    if (!*w->at) return NULL;
    start = w->at;
    while (*w->at && *w->at != ' ') w->at++;
    if (*w->at) *w->at++ = 0;
    return start;
}

int cfg_number(const char *word, uint64_t most, uint64_t *number) {
    uint64_t n = 0;
    if (!word || !*word) return 0;
    for (; *word; word++) {
        uint64_t digit = (uint64_t)(*word - '0');
        if (*word < '0' || *word > '9') return 0;
        if (n > (most - digit) / 10 || (n * 10 + digit) > most || digit > most) return 0;
        n = n * 10 + digit;
    }
    *number = n;
    return 1;
}

int cfg_blame(const cfg_words *w, const char *reason) {
    return tool_error("%s:%lu: %s", w->path, (unsigned long)w->line, reason);
}

static int blame(const reader *r, const char *reason) { return cfg_blame(&r->words, reason); }

static int number(reader *r, uint64_t most, uint64_t *out) {
    return cfg_number(cfg_word(&r->words), most, out);
}

static int vertex(reader *r, uint32_t *out) {
    uint64_t n;
    const cfg_function *f = &r->c->functions[r->c->count - 1];
    if (!number(r, f->vertices - 1, &n)) return 0;
    *out = (uint32_t)n;
    return 1;
}

static int at_end(reader *r) { return cfg_word(&r->words) == NULL; }

/* ---- one function ---- */

static void grow_arcs(arc **arcs, size_t count, size_t *room) {
    if (count < *room) return;
    *room = *room ? 2 * *room : 256;
    *arcs = (arc *)tool_grow(*arcs, *room * sizeof **arcs);
}

static void add_arc(reader *r, uint32_t from, uint32_t to, uint32_t flags, uint64_t count) {
    arc a;
    a.from = from;
    a.to = to;
    a.flags = flags;
    a.count = count;
    grow_arcs(&r->arcs, r->arc_count, &r->arc_room);
    r->arcs[r->arc_count++] = a;
}

static void add_call(reader *r, uint64_t callee) {
    TOOL_ROOM(uint64_t, r->calls, r->call_count, r->call_room);
    r->calls[r->call_count++] = callee;
}

static uint64_t *numbers_of(size_t count) {
    return (uint64_t *)tool_alloc(count * sizeof(uint64_t));
}

/* A fake arc of a block that also has a real one stands for calls that did not
   return there. */
static void drop_fake_arcs(reader *r, cfg_function *f) {
    uint8_t *real = (uint8_t *)tool_alloc(f->vertices);
    size_t i, kept = 0;
    for (i = 0; i < r->arc_count; i++)
        if (!(r->arcs[i].flags & 2)) real[r->arcs[i].from] = 1;
    for (i = 0; i < r->arc_count; i++) {
        const arc *a = &r->arcs[i];
        if (!(a->flags & 1)) f->gcov_updates += a->count;
        if ((a->flags & 2) && real[a->from])
            f->early[a->from] += a->count;
        else
            r->arcs[kept++] = *a;
    }
    free(real);
    r->arc_count = kept;
}

/* Kind S gives no counts of blocks: what enters a vertex and does not leave it
   is still there. */
static void find_exits(cfg_function *f, const uint64_t *in, const uint64_t *out) {
    uint32_t v, e;
    for (v = 0; v < f->vertices; v++) {
        if (v == f->root || v == f->exit) continue;
        if (in[v] > out[v]) f->early[v] = in[v] - out[v];
        if (out[v] > in[v]) f->reentry[v] = out[v] - in[v];
    }
    f->entries = out[f->root] - in[f->root];
    for (e = f->edges - f->stays; e < f->edges; e++) {
        v = f->ends[2 * (size_t)e];
        f->count[e] = f->early[v];
        f->early[v] = 0;
    }
}

static void sum_blocks(cfg *c, cfg_function *f) {
    uint64_t *in = numbers_of(f->vertices), *out = numbers_of(f->vertices);
    uint32_t v, e;
    for (e = 0; e < f->edges - f->stays; e++) {
        out[f->ends[2 * (size_t)e]] += f->count[e];
        in[f->ends[2 * (size_t)e + 1]] += f->count[e];
    }
    if (c->kind == CFG_SOURCE) find_exits(f, in, out);
    if (c->kind == CFG_BLOCKS)
        f->entries = f->block[f->root] - in[f->root] - f->reentry[f->root];
    else
        for (v = 0; v < f->vertices; v++)
            f->block[v] = in[v] + f->reentry[v] + (v == f->root ? f->entries : 0);
    free(in);
    free(out);
}

/* Vertices that nothing reaches go, with their edges, if none of them ran. The
   others are numbered anew. */
static int drop_unreached(reader *r, cfg_function *f) {
    edgeplan_graph graph;
    size_t bytes = edgeplan_bytes(f->vertices, f->edges);
    void *memory = tool_alloc(bytes);
    uint8_t *gone = (uint8_t *)tool_alloc(f->vertices);
    uint32_t *name = (uint32_t *)tool_alloc(f->vertices * sizeof *name);
    uint32_t v, e, kept = 0, edges = 0, stays = 0;
    size_t call = 0, k;
    int status = TOOL_OK;
    int64_t unreached;
    memset(&graph, 0, sizeof graph);
    graph.vertices = f->vertices;
    graph.edges = f->edges;
    graph.root = f->root;
    graph.exit = f->exit;
    graph.ends = f->ends;
    unreached = edgeplan_unreached(&graph, gone, memory, bytes);
    if (unreached > 0 && gone[f->exit]) {
        gone[f->exit] = 0;
        unreached--;
    }
    for (v = 0; v < f->vertices && unreached > 0 && status == TOOL_OK; v++)
        if (gone[v] && (f->block[v] || f->early[v] || f->reentry[v]))
            status = blame(r, "a block that no path from the entry reaches has run");
    for (e = 0; e < f->edges && unreached > 0 && status == TOOL_OK; e++)
        if (gone[f->ends[2 * (size_t)e]] && f->count[e])
            status = blame(r, "an edge that no path from the entry reaches was taken");
    if (unreached > 0 && status == TOOL_OK) {
        for (v = 0; v < f->vertices; v++) {
            if (gone[v]) continue;
            name[v] = kept;
            f->block[kept] = f->block[v];
            f->early[kept] = f->early[v];
            f->reentry[kept] = f->reentry[v];
            if (f->call_at) {
                size_t from = f->call_at[v], to = f->call_at[v + 1];
                f->call_at[kept] = (uint32_t)call;
                for (k = from; k < to; k++)
                    r->calls[r->first_call + call++] = r->calls[r->first_call + k];
            }
            kept++;
        }
        if (f->call_at) {
            f->call_at[kept] = (uint32_t)call;
            r->call_count = r->first_call + call;
        }
        for (e = 0; e < f->edges; e++) {
            if (gone[f->ends[2 * (size_t)e]] || gone[f->ends[2 * (size_t)e + 1]]) continue;
            f->ends[2 * (size_t)edges] = name[f->ends[2 * (size_t)e]];
            f->ends[2 * (size_t)edges + 1] = name[f->ends[2 * (size_t)e + 1]];
            f->count[edges++] = f->count[e];
            stays += e >= f->edges - f->stays;
        }
        f->vertices = kept;
        f->edges = edges;
        f->stays = stays;
        f->root = name[f->root];
        f->exit = name[f->exit];
        r->c->dropped += (size_t)unreached;
    }
    free(memory);
    free(gone);
    free(name);
    return status;
}

/* What follows the last line of a function. */
static int close_function(reader *r) {
    cfg *c = r->c;
    cfg_function *f;
    size_t i;
    int status;
    if (c->count == 0) return TOOL_OK;
    f = &c->functions[c->count - 1];
    if (c->kind == CFG_BLOCKS && r->next_block != f->vertices - 1)
        return blame(r, "the function before this line has too few lines B");
    if (c->kind == CFG_GCC) drop_fake_arcs(r, f);
    f->edges = (uint32_t)(r->arc_count + r->stay_count);
    f->stays = (uint32_t)r->stay_count;
    f->ends = (uint32_t *)tool_alloc(2 * (size_t)f->edges * sizeof *f->ends);
    f->count = numbers_of(f->edges);
    for (i = 0; i < f->edges; i++) {
        const arc *a = i < r->arc_count ? &r->arcs[i] : &r->stays[i - r->arc_count];
        f->ends[2 * i] = a->from;
        f->ends[2 * i + 1] = a->to;
        f->count[i] = a->count;
    }
    if (f->call_at)
        f->call_at[f->exit] = f->call_at[f->vertices] = (uint32_t)(r->call_count - r->first_call);
    sum_blocks(c, f);
    status = drop_unreached(r, f);
    if (f->call_at) {
        size_t calls = r->call_count - r->first_call;
        f->call = (uint32_t *)tool_alloc((calls + 1) * sizeof *f->call);
        f->call_at =
            (uint32_t *)tool_grow(f->call_at, ((size_t)f->vertices + 1) * sizeof *f->call_at);
    }
    return status;
}

/* ---- lines ---- */

static int open_function(reader *r) {
    char *word[8];
    int words = 0, kind;
    uint64_t n[8];
    cfg *c = r->c;
    cfg_function *f;
    int status = close_function(r);
    if (status != TOOL_OK) return status;
    while (words < 8 && (word[words] = cfg_word(&r->words)) != NULL) words++;
    kind = words == 3 ? CFG_BLOCKS : words == 5 ? CFG_SOURCE : words == 6 ? CFG_GCC : CFG_UNKNOWN;
    if (kind == CFG_UNKNOWN) return blame(r, "F needs 3, 5 or 6 words");
    if (c->kind != CFG_UNKNOWN && c->kind != kind) return blame(r, "F of another kind of file");
    c->kind = kind;
    TOOL_ROOM(cfg_function, c->functions, c->count, r->room);
    if (!cfg_number(word[0], UINT32_MAX - 2, &n[0]))
        return blame(r, "the number of the function is wrong");
    if (!cfg_number(word[2], MOST_VERTICES - 1, &n[2]) || n[2] < (kind == CFG_BLOCKS ? 1 : 2))
        return blame(r, "the number of vertices is wrong");
    if (n[2] > r->vertices_left) return blame(r, "more vertices than the file can describe");
    r->vertices_left -= n[2];
    if (kind == CFG_SOURCE && (!cfg_number(word[3], n[2] - 1, &n[3]) ||
                               !cfg_number(word[4], n[2] - 1, &n[4]) || n[3] == n[4]))
        return blame(r, "root or EXIT is wrong");
    if (kind == CFG_GCC &&
        (!cfg_number(word[3], UINT64_MAX, &n[3]) || !cfg_number(word[4], UINT64_MAX, &n[4]) ||
         !cfg_number(word[5], UINT64_MAX, &n[5])))
        return blame(r, "a number of F is wrong");
    f = &c->functions[c->count++];
    memset(f, 0, sizeof *f);
    f->name = (char *)tool_alloc(strlen(word[1]) + 1);
    memcpy(f->name, word[1], strlen(word[1]));
    f->number = (uint32_t)n[0];
    f->line = r->words.line;
    f->vertices = (uint32_t)n[2] + (kind == CFG_BLOCKS);
    f->root = kind == CFG_SOURCE ? (uint32_t)n[3] : 0;
    f->exit = kind == CFG_SOURCE ? (uint32_t)n[4] : kind == CFG_GCC ? 1 : f->vertices - 1;
    f->entries = kind == CFG_GCC ? n[3] : 0;
    f->block = numbers_of(f->vertices);
    f->early = numbers_of(f->vertices);
    f->reentry = numbers_of(f->vertices);
    r->arc_count = r->stay_count = 0;
    r->first_call = r->call_count;
    r->next_block = 0;
    r->seen = (uint8_t *)tool_grow(r->seen, f->vertices);
    memset(r->seen, 0, f->vertices);
    if (kind == CFG_BLOCKS)
        f->call_at = (uint32_t *)tool_alloc(((size_t)f->vertices + 1) * sizeof *f->call_at);
    return TOOL_OK;
}

/* "-", or a list of numbers, I and X between commas. */
static int calls(reader *r, char *word) {
    if (!word) return 0;
    if (strcmp(word, "-") == 0) return 1;
    for (;;) {
        char *comma = strchr(word, ',');
        uint64_t callee;
        if (comma) *comma = 0;
        if (strcmp(word, "I") == 0)
            callee = UINT64_MAX;
        else if (strcmp(word, "X") == 0)
            callee = UINT64_MAX - 1;
        else if (!cfg_number(word, UINT32_MAX - 2, &callee))
            return 0;
        add_call(r, callee);
        if (!comma) return 1;
        word = comma + 1;
    }
}

static int block_line(reader *r, cfg_function *f) {
    uint64_t id;
    uint32_t v;
    if (r->c->kind != CFG_BLOCKS) { /* V or B: a vertex and its source lines */
        if (!vertex(r, &v) || !cfg_word(&r->words) || !at_end(r))
            return blame(r, "a vertex and its lines are wanted here");
        if (r->seen[v]++) return blame(r, "this vertex has a line already");
        return TOOL_OK;
    }
    if (!number(r, UINT32_MAX, &id) || id != r->next_block || id >= f->vertices - 1)
        return blame(r, "blocks are numbered 0, 1, 2 ... up to what F says");
    v = r->next_block++;
    if (!number(r, UINT64_MAX, &f->block[v]) || !number(r, UINT64_MAX, &f->early[v]) ||
        !number(r, UINT64_MAX, &f->reentry[v]))
        return blame(r, "B needs three counts");
    if (!cfg_word(&r->words)) return blame(r, "B has no source line");
    f->call_at[v] = (uint32_t)(r->call_count - r->first_call);
    f->call_at[v + 1] = f->call_at[v];
    if (!calls(r, cfg_word(&r->words)) || !at_end(r)) return blame(r, "the list of calls is wrong");
    return TOOL_OK;
}

static int edge_line(reader *r, const cfg_function *f) {
    uint32_t from, to;
    uint64_t count;
    char *word;
    if (!vertex(r, &from)) return blame(r, "the source of the edge is no vertex");
    word = cfg_word(&r->words);
    if (word && r->c->kind == CFG_BLOCKS && strcmp(word, "X") == 0)
        to = f->exit;
    else {
        uint64_t n;
        if (!cfg_number(word, f->vertices - 1, &n) || (r->c->kind == CFG_BLOCKS && n == f->exit))
            return blame(r, "the target of the edge is no vertex");
        to = (uint32_t)n;
    }
    if (!number(r, UINT64_MAX, &count) || !at_end(r)) return blame(r, "the edge needs one count");
    if (from == f->exit) return blame(r, "an edge leaves EXIT");
    add_arc(r, from, to, 0, count);
    return TOOL_OK;
}

static int arc_line(reader *r, const cfg_function *f) {
    uint32_t from, to;
    uint64_t flags, count;
    if (!vertex(r, &from) || !vertex(r, &to)) return blame(r, "an end of the arc is no vertex");
    if (!number(r, 7, &flags) || !number(r, UINT64_MAX, &count) || !at_end(r))
        return blame(r, "the arc needs flags and a count");
    if (from == f->exit) return blame(r, "an arc leaves EXIT");
    add_arc(r, from, to, (uint32_t)flags, count);
    return TOOL_OK;
}

static int stay_line(reader *r, const cfg_function *f) {
    arc a;
    memset(&a, 0, sizeof a);
    if (!vertex(r, &a.from) || !vertex(r, &a.to) || !at_end(r))
        return blame(r, "N needs two vertices");
    if (a.to != f->exit || a.from == f->exit) return blame(r, "N must lead to EXIT");
    grow_arcs(&r->stays, r->stay_count, &r->stay_room);
    r->stays[r->stay_count++] = a;
    return TOOL_OK;
}

static int line(reader *r) {
    char *word = cfg_word(&r->words);
    cfg_function *f;
    int kind = r->c->kind;
    if (!word || word[0] == '#' || strcmp(word, "P") == 0) return TOOL_OK;
    if (strcmp(word, "F") == 0) return open_function(r);
    if (r->c->count == 0) return blame(r, "a line before the first F");
    f = &r->c->functions[r->c->count - 1];
    if (strcmp(word, kind == CFG_SOURCE ? "V" : "B") == 0) return block_line(r, f);
    if (strcmp(word, "E") == 0 && kind != CFG_GCC) return edge_line(r, f);
    if (strcmp(word, "A") == 0 && kind == CFG_GCC) return arc_line(r, f);
    if (strcmp(word, "N") == 0 && kind == CFG_SOURCE) return stay_line(r, f);
    return blame(r, "no line of this file begins with this word");
}

/* ---- the file ---- */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

size_t cfg_find(const cfg *c, uint64_t number_wanted) {
    size_t low = 0, high = c->index_size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t n = c->functions[c->index[middle]].number;
        if (n == number_wanted) return c->index[middle];
        if (n < number_wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

/* Sorted by number; of two functions with one number the file is at fault. */
static int make_index(reader *r) {
    cfg *c = r->c;
    uint64_t *keys = numbers_of(c->count);
    size_t i, k, at = 0;
    int status = TOOL_OK;
    for (i = 0; i < c->count; i++) keys[i] = (uint64_t)c->functions[i].number << 32 | i;
    qsort(keys, c->count, sizeof *keys, by_number);
    c->index = (uint32_t *)tool_alloc(c->count * sizeof *c->index);
    for (i = 0; i < c->count; i++) {
        c->index[i] = (uint32_t)keys[i];
        if (i && keys[i] >> 32 == keys[i - 1] >> 32 && status == TOOL_OK) {
            r->words.line = c->functions[c->index[i]].line;
            status = blame(r, "another function has this number");
        }
    }
    c->index_size = c->count;
    free(keys);
    for (i = 0; i < c->count; i++) {
        cfg_function *f = &c->functions[i];
        if (!f->call_at) continue;
        for (k = 0; k < f->call_at[f->vertices]; k++, at++) {
            size_t callee = r->calls[at] >= UINT64_MAX - 1 ? SIZE_MAX : cfg_find(c, r->calls[at]);
            f->call[k] = r->calls[at] == UINT64_MAX ? CFG_OPAQUE
                         : callee == SIZE_MAX       ? CFG_SILENT
                                                    : (uint32_t)callee;
        }
    }
    return status;
}

int cfg_open(cfg *c, const char *path) {
    size_t size = 0;
    char *text = (char *)tool_read_file(path, NULL, &size);
    int status;
    memset(c, 0, sizeof *c);
    if (!text) return TOOL_BAD_INPUT;
    text = (char *)tool_grow(text, size + 1);
    status = cfg_read(c, path, text, size);
    free(text);
    return status;
}

int cfg_read(cfg *c, const char *path, char *data, size_t size) {
    reader r;
    size_t at, end;
    int status = TOOL_OK;
    memset(c, 0, sizeof *c);
    memset(&r, 0, sizeof r);
    c->path = path;
    r.c = c;
    r.words.path = path;
    r.vertices_left = size;
    for (at = 0; at < size && status == TOOL_OK; at = end + 1) {
        char *newline = (char *)memchr(data + at, '\n', size - at);
        end = newline ? (size_t)(newline - data) : size;
        r.words.line++;
        if (memchr(data + at, 0, end - at)) {
            status = blame(&r, "a byte 0");
            break;
        }
        data[end] = 0;
        if (end > at && data[end - 1] == '\r') data[end - 1] = 0;
        r.words.at = data + at;
        status = line(&r);
    }
    if (status == TOOL_OK) status = close_function(&r);
    if (status == TOOL_OK && c->count == 0) status = blame(&r, "no function");
    if (status == TOOL_OK) status = make_index(&r);
    free(r.arcs);
    free(r.stays);
    free(r.calls);
    free(r.seen);
    return status;
}

void cfg_free(cfg *c) {
    size_t i;
    for (i = 0; i < c->count; i++) {
        cfg_function *f = &c->functions[i];
        free(f->name);
        free(f->ends);
        free(f->count);
        free(f->block);
        free(f->early);
        free(f->reentry);
        free(f->call_at);
        free(f->call);
    }
    free(c->functions);
    free(c->index);
}
