/* ir.c - see ir.h. clang's own counters for gcov are no help: it derives counts
   from one another as if every call came back, and a line behind a call that
   did not counts as run. So the counters are ours, as those of C, in the same
   tables.

   A function in the text:

       define i32 @f(...) ... !dbg !9 {       !9 = distinct !DISubprogram(... file, line)
       entry:
         %call = call i32 @g(), !dbg !12      !12 = !DILocation(line, ..., scope)
         br i1 %c, label %then, label %end, !dbg !13
       ...
       }

   An instruction begins behind two blanks; what it has on further lines stands
   deeper. At this point no function is inlined, so each instruction is of the
   function that it stands in, and each line has all of its instructions.

   The graph. A block is cut behind a call that may not return, in front of the
   next instruction of another line; the cut needs no change of the text. A
   vertex with such a call has a stay edge to EXIT: what came in, less what went
   on. A block that ends in invoke has two ways on, if the call throws and if it
   does not. Nobody counts at a throw, so landing pads are fed like this:

       block --normal--> next
             --lost----> T --> landing pad, counted there
                           --> landing pad, counted there
                           --> EXIT, a stay edge: what was thrown further, or never came back

   T is one vertex of the function and has no lines. An edge counts where it
   alone passes: at the end of its block, at the head of the next, or in a block
   of its own between both. */
#include "cc/cxx/ir.h"
#include "base/demangle.h"
#include "base/hash.h"
#include "base/tool.h"
#include "cc/put/cover.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Words of the text: they are not ended by a zero byte. */
typedef struct word {
    const char *at;
    size_t size;
} word;

typedef enum kind {
    PLAIN, CALL, ALLOCA, PHI, LANDINGPAD,
    BRANCH, SWITCH, INVOKE, RETURN, UNREACHABLE, OTHER_END /* from BRANCH on: ends a block */
} kind;

typedef struct item {         /* an instruction */
    uint32_t line, lines;     /* of the text */
    uint32_t location;        /* number of its !dbg, or NONE */
    kind what;
    word callee;              /* of a call by name; size 0: none is known */
    uint8_t never_lost;       /* a call that always returns */
} item;

typedef struct block {
    word label;
    uint32_t line;            /* where its label stands; NONE: it has none */
    uint32_t first, end;      /* items */
    uint32_t vertex, last_vertex;
    uint32_t last_file;       /* of the last line of last_vertex, or NONE */
    uint32_t ways_in;
    uint8_t is_calm;          /* it runs while no exception is on its way */
    uint8_t unwinds;          /* it runs only while one is (find_unwinding) */
} block;

typedef struct way {          /* an edge of the graph, by its number there */
    uint32_t from, to;        /* blocks; NONE: T, or EXIT */
    uint32_t cut;             /* the item in front of which a block is cut, or NONE */
    uint32_t between;         /* the number of a block of its own, or NONE */
} way;

typedef struct function {
    word symbol;
    uint32_t define;          /* line of the text */
    uint32_t location;        /* its DISubprogram, or NONE */
    uint32_t first_block, end_block;
    uint32_t first_call, end_call;
    const char *reason;       /* why it cannot count, or NULL */
    uint8_t may_be_lost;      /* a call of it may not return */
    uint8_t may_be_replaced;
    uint8_t counts;
    char *name;               /* as a report shows it */
    cc_cfg g;
    way *ways;
    const char **other_files;
    hash_table by_label;      /* its blocks */
} function;

typedef struct source {
    char *given;
    uint8_t is_wanted;
} source;

typedef struct ir {
    const cc_request *request;
    const cc_notes_files *files;
    word *lines;
    uint32_t line_count;
    uint32_t *metadata, metadata_count; /* of !N the line, or NONE */
    uint32_t *file_of;        /* of !N: its file + 1; 0: not known yet */
    item *items;
    uint32_t item_count, item_room;
    block *blocks;
    uint32_t block_count, block_room;
    word *calls;              /* callees; size 0: unknown */
    uint32_t call_count, call_room;
    function *functions;
    uint32_t function_count, function_room;
    hash_table by_symbol;
    source *sources;
    uint32_t source_count;
    int is_wide;              /* a pointer has 64 bits */
    cc_planner *planner;
    char table[48];
    uint32_t betweens, values;
} ir;

/* ---- words ---- */

static int begins(word w, const char *with) {
    size_t size = strlen(with);
    return w.size >= size && memcmp(w.at, with, size) == 0;
}

static int is_same(word a, word b) { return a.size == b.size && memcmp(a.at, b.at, a.size) == 0; }

static word behind(word w, size_t n) {
    w.at += n;
    w.size -= n;
    return w;
}

/* Where `what` stands in the line, behind `from`; w.size: nowhere. Quoted text
   is passed over. */
static size_t find(word w, const char *what, size_t from) {
    size_t size = strlen(what), i;
    int is_quoted = 0;
    for (i = from; i + size <= w.size; i++) {
        if (!is_quoted && memcmp(w.at + i, what, size) == 0) return i;
        if (w.at[i] == '"') is_quoted = !is_quoted;
    }
    return w.size;
}

static int is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || c == '-';
}

/* The name that begins there, with its quotes if it has some. */
static word name_at(word w, size_t at) {
    word name;
    size_t end = at;
    if (end < w.size && w.at[end] == '"') {
        for (end++; end < w.size && w.at[end] != '"'; end++) {
        }
        if (end < w.size) end++;
    } else {
        while (end < w.size && is_of_name(w.at[end])) end++;
    }
    name.at = w.at + at;
    name.size = end - at;
    return name;
}

static uint32_t number_at(word w, size_t at) {
    uint32_t number = 0;
    size_t i;
    if (at >= w.size || w.at[at] < '0' || w.at[at] > '9') return NONE;
    for (i = at; i < w.size && w.at[i] >= '0' && w.at[i] <= '9'; i++) {
        if (number > (NONE - 10) / 10) return NONE;
        number = 10 * number + (uint32_t)(w.at[i] - '0');
    }
    return number;
}

/* The number behind `key`, as in `line: 12` or `scope: !9`; NONE: there is
   none. */
static uint32_t field(word w, const char *key) {
    size_t at = find(w, key, 0);
    return at == w.size ? NONE : number_at(w, at + strlen(key));
}

/* ---- lines of the text ---- */

static void split_lines(ir *m, const char *data, size_t size) {
    size_t i, start = 0;
    uint32_t count = 0;
    for (i = 0; i < size; i++) count += data[i] == '\n';
    m->lines = (word *)tool_alloc(((size_t)count + 2) * sizeof *m->lines);
    for (i = 0; i <= size; i++) {
        if (i < size && data[i] != '\n') continue;
        m->lines[m->line_count].at = data + start;
        m->lines[m->line_count++].size = i - start;
        start = i + 1;
    }
}

/* Metadata stands as !0 = ..., !1 = ...: a number that is larger than the count
   of lines is none. */
static void note_metadata(ir *m, uint32_t line) {
    uint32_t number = number_at(m->lines[line], 1);
    if (number < m->metadata_count) m->metadata[number] = line;
}

static word metadata_of(const ir *m, uint32_t number) {
    word nothing = {"", 0};
    if (number >= m->metadata_count || m->metadata[number] == NONE) return nothing;
    return m->lines[m->metadata[number]];
}

/* ---- instructions ---- */

static item *add_item(ir *m) {
    TOOL_ROOM(item, m->items, m->item_count, m->item_room);
    memset(&m->items[m->item_count], 0, sizeof *m->items);
    return &m->items[m->item_count++];
}

static block *add_block(ir *m) {
    block *b;
    TOOL_ROOM(block, m->blocks, m->block_count, m->block_room);
    b = &m->blocks[m->block_count++];
    memset(b, 0, sizeof *b);
    b->line = NONE;
    b->first = b->end = m->item_count;
    return b;
}

static void add_call(ir *m, word callee) {
    TOOL_ROOM(word, m->calls, m->call_count, m->call_room);
    m->calls[m->call_count++] = callee;
}

/* The callee is the first name that an opening bracket follows at once. */
static word callee_of(word line) {
    word none = {"", 0};
    size_t at = 0;
    for (;;) {
        size_t quoted = find(line, "@\"", at), plain = find(line, "@", at);
        size_t where = plain < quoted ? plain : quoted;
        word name;
        if (where == line.size) return none;
        name = name_at(line, where + 1);
        at = where + 1 + name.size;
        if (at < line.size && line.at[at] == '(' && name.size) return name;
    }
}

/* Functions of the C and C++ library that return, and call nothing of the
   program. */
static int always_returns(word callee) {
    static const char *const names[] = {
        "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strchr",
        "strrchr", "strcpy", "strncpy", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm",
        "__cxa_begin_catch", "__cxa_allocate_exception", "__cxa_free_exception",
        "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_atexit"
    };
    size_t i;
    if (begins(callee, "llvm.")) return 1;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (callee.size == strlen(names[i]) && begins(callee, names[i])) return 1;
    return 0;
}

static kind kind_of(word code) {
    static const struct {
        const char *code;
        kind what;
    } kinds[] = {
        {"call ", CALL}, {"tail call ", CALL}, {"notail call ", CALL}, {"alloca ", ALLOCA},
        {"phi ", PHI}, {"landingpad ", LANDINGPAD}, {"br ", BRANCH}, {"switch ", SWITCH},
        {"invoke ", INVOKE}, {"ret ", RETURN}, {"resume ", RETURN}, {"unreachable", UNREACHABLE},
        {"indirectbr ", OTHER_END}, {"callbr ", OTHER_END}, {"musttail call ", OTHER_END},
        {"catchswitch ", OTHER_END}, {"catchret ", OTHER_END}, {"cleanupret ", OTHER_END}
    };
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(code, kinds[i].code)) return kinds[i].what;
    return PLAIN;
}

static void read_item(ir *m, function *f, uint32_t line) {
    item *it = add_item(m);
    word all = m->lines[line], code = behind(all, 2);
    size_t at;
    it->line = line;
    it->lines = 1;
    if (code.at[0] == '%') {
        word name = name_at(code, 1);
        size_t after = 1 + name.size + 3;
        if (after < code.size) code = behind(code, after);
    }
    it->what = kind_of(code);
    if (it->what == OTHER_END) f->reason = "it jumps where no counter can stand";
    if (it->what != CALL && it->what != INVOKE) return;
    it->callee = callee_of(code);
    it->never_lost = it->callee.size ? (uint8_t)always_returns(it->callee) : 0;
    if (begins(it->callee, "llvm.coro.")) f->reason = "it is a coroutine";
    if (!it->callee.size) {
        at = find(code, " asm ", 0);
        it->never_lost = at < code.size;
    }
    if (!it->never_lost) add_call(m, it->callee);
}

static uint32_t location_of(word line) {
    size_t at = find(line, " !dbg !", 0);
    return at == line.size ? NONE : number_at(line, at + 7);
}

static int is_label(word line) {
    word name = name_at(line, 0);
    return name.size > 0 && name.size < line.size && line.at[name.size] == ':';
}

/* Returns the line behind the function. */
static uint32_t read_body(ir *m, function *f, uint32_t line) {
    block *b = NULL;
    for (; line < m->line_count; line++) {
        word w = m->lines[line];
        if (begins(w, "}")) break;
        if (w.size == 0 || w.at[0] == ';' || begins(w, "    #dbg_")) continue;
        if (is_label(w)) {
            b = add_block(m);
            b->label = name_at(w, 0);
            b->line = line;
            continue;
        }
        if (!b) b = add_block(m);
        b = &m->blocks[m->block_count - 1];
        if (begins(w, "  ") && w.size > 2 && w.at[2] != ' ' && w.at[2] != ']')
            read_item(m, f, line);
        else if (b->end > b->first)
            m->items[b->end - 1].lines = line + 1 - m->items[b->end - 1].line;
        else
            f->reason = "it is text that is not known here";
        b->end = m->item_count;
        if (b->end > b->first) m->items[b->end - 1].location = location_of(w);
    }
    return line + 1;
}

static int may_be_replaced(word define) {
    if (find(define, " internal ", 0) < define.size || find(define, " private ", 0) < define.size)
        return 0;
    if (find(define, "_odr ", 0) < define.size) return 0;
    if (find(define, " weak ", 0) < define.size || find(define, " linkonce ", 0) < define.size)
        return 1;
    return find(define, " dso_local ", 0) == define.size;
}

static int has_symbol(const void *owner, uint32_t number, const void *key) {
    return is_same(((const function *)owner)[number - 1].symbol, *(const word *)key);
}

static uint32_t read_function(ir *m, uint32_t line) {
    function *f;
    word define = m->lines[line];
    uint32_t after, *place;
    TOOL_ROOM(function, m->functions, m->function_count, m->function_room);
    f = &m->functions[m->function_count++];
    memset(f, 0, sizeof *f);
    f->define = line;
    f->symbol = callee_of(define);
    f->location = location_of(define);
    f->may_be_replaced = (uint8_t)may_be_replaced(define);
    f->first_block = m->block_count;
    f->first_call = m->call_count;
    after = read_body(m, f, line + 1);
    f->end_block = m->block_count;
    f->end_call = m->call_count;
    place = hash_place(&m->by_symbol, hash_bytes(f->symbol.at, f->symbol.size), has_symbol,
                       m->functions, &f->symbol);
    if (!*place) *place = m->function_count;
    return after;
}

/* ---- functions whose calls return ---- */

static int call_may_be_lost(const ir *m, word callee) {
    uint32_t number;
    if (!callee.size) return 1;
    number = hash_find(&m->by_symbol, hash_bytes(callee.at, callee.size), has_symbol, m->functions,
                       &callee);
    return number == 0 || m->functions[number - 1].may_be_lost;
}

/* A function that calls nothing but functions that return does so, too. */
static void find_lost(ir *m) {
    uint32_t i, c;
    int changed = 1;
    for (i = 0; i < m->function_count; i++) m->functions[i].may_be_lost = 1;
    while (changed) {
        changed = 0;
        for (i = 0; i < m->function_count; i++) {
            function *f = &m->functions[i];
            if (!f->may_be_lost || f->may_be_replaced || f->reason) continue;
            for (c = f->first_call; c < f->end_call && !call_may_be_lost(m, m->calls[c]); c++) {
            }
            if (c < f->end_call) continue;
            f->may_be_lost = 0;
            changed = 1;
        }
    }
}

/* ---- files ---- */

static char *string_of(word w) {
    char *string = (char *)tool_alloc(w.size + 1);
    memcpy(string, w.at, w.size);
    string[w.size] = 0;
    return string;
}

/* The string behind `key`, without its escapes; to be freed. */
static char *string_field(word w, const char *key) {
    size_t at = find(w, key, 0), used = 0;
    char *string = (char *)tool_alloc(w.size + 1);
    if (at < w.size) {
        for (at += strlen(key); at < w.size && w.at[at] != '"'; at++) {
            char c = w.at[at];
            if (c == '\\' && at + 2 < w.size) {
                char digits[3];
                digits[0] = w.at[at + 1];
                digits[1] = w.at[at + 2];
                digits[2] = 0;
                c = (char)strtoul(digits, NULL, 16);
                at += 2;
            }
            string[used++] = c;
        }
    }
    string[used] = 0;
    return string;
}

static uint32_t source_of(ir *m, char *given) {
    uint32_t i;
    source *f;
    char *name;
    for (i = 0; i < m->source_count && strcmp(m->sources[i].given, given) != 0; i++) {
    }
    if (i < m->source_count) {
        free(given);
        return i;
    }
    if ((m->source_count & (m->source_count + 1)) == 0)
        m->sources = (source *)tool_grow(m->sources, (2 * m->source_count + 2) * sizeof *f);
    f = &m->sources[m->source_count++];
    f->given = given;
    name = m->files->name(m->files->user, given);
    f->is_wanted = name != NULL;
    free(name);
    return i;
}

/* A name that is not absolute belongs to the folder beside it, which need not be
   the one that clang ran in. */
static char *whole_name(word w) {
    char *name = string_field(w, "filename: \""), *folder = string_field(w, "directory: \"");
    text whole = {NULL, 0, 0};
    if (*name == '/' || *folder != '/') {
        free(folder);
        return name;
    }
    text_format(&whole, "%s/%s", folder, name);
    free(folder);
    free(name);
    return text_take(&whole);
}

/* The number of the file of a scope, or NONE. */
static uint32_t file_of_scope(ir *m, uint32_t scope) {
    word w = metadata_of(m, scope), f;
    uint32_t number;
    if (!w.size) return NONE;
    if (m->file_of[scope]) return m->file_of[scope] - 1;
    number = field(w, "file: !");
    f = metadata_of(m, number);
    if (!f.size) return NONE;
    if (!m->file_of[number])
        m->file_of[number] = source_of(m, whole_name(f)) + 1;
    m->file_of[scope] = m->file_of[number];
    return m->file_of[scope] - 1;
}

/* ---- the graph of a function ---- */

typedef struct builder {
    ir *m;
    function *f;
    uint32_t own;             /* its file */
    uint32_t *others, other_count; /* numbers of other files, as the graph has them */
    uint32_t lost;            /* T, or NONE */
    uint32_t way_room;
} builder;

static uint32_t add_vertex(builder *b) { return b->f->g.vertices++; }

static void add_edge(builder *b, uint32_t from, uint32_t to, uint8_t forced, way w) {
    cc_cfg *g = &b->f->g;
    if (g->edge_count == g->edge_room) {
        g->edge_room = 2 * g->edge_room + 32;
        g->edges = (cc_edge *)tool_grow(g->edges, g->edge_room * sizeof *g->edges);
        b->f->ways = (way *)tool_grow(b->f->ways, g->edge_room * sizeof *b->f->ways);
    }
    b->f->ways[g->edge_count] = w;
    g->edges[g->edge_count].from = from;
    g->edges[g->edge_count].to = to;
    g->edges[g->edge_count].slot = CC_NOWHERE;
    g->edges[g->edge_count++].forced = forced;
}

static void add_line(builder *b, uint32_t vertex, uint32_t line, uint32_t file) {
    cc_cfg *g = &b->f->g;
    uint32_t i = 0;
    if (file != b->own) {
        for (i = 0; i < b->other_count && b->others[i] != file; i++) {
        }
        if (i == b->other_count) {
            b->others = (uint32_t *)tool_grow(b->others, (i + 1) * sizeof *b->others);
            b->others[b->other_count++] = file;
        }
        i++;
    }
    TOOL_ROOM(cc_line_of, g->lines, g->line_count, g->line_room);
    g->lines[g->line_count].vertex = vertex;
    g->lines[g->line_count].file = i;
    g->lines[g->line_count++].line = line;
}

/* Has the vertex that line? Lines of a vertex stand together, at the end. */
static int has_line(const builder *b, uint32_t vertex, uint32_t line, uint32_t file) {
    const cc_cfg *g = &b->f->g;
    uint32_t i, n;
    for (i = g->line_count; i > 0 && g->lines[i - 1].vertex == vertex; i--) {
        n = g->lines[i - 1].file;
        if (g->lines[i - 1].line == line && (n ? b->others[n - 1] : b->own) == file) return 1;
    }
    return 0;
}

/* Where the instruction stands in the source. Returns 0 if nobody wants to hear
   of it. */
static int place_of(builder *b, const item *it, uint32_t *line, uint32_t *file) {
    word w = metadata_of(b->m, it->location);
    if (!w.size || begins(it->callee, "llvm.dbg.") || begins(it->callee, "llvm.lifetime."))
        return 0;
    *line = field(w, "line: ");
    *file = file_of_scope(b->m, field(w, "scope: !"));
    return *line != NONE && *line != 0 && *file != NONE && b->m->sources[*file].is_wanted;
}

static int is_lost(const ir *m, const item *it) {
    return (it->what == CALL || it->what == INVOKE) && !it->never_lost &&
           call_may_be_lost(m, it->callee);
}

static int has_label(const void *owner, uint32_t number, const void *key) {
    return is_same(((const block *)owner)[number - 1].label, *(const word *)key);
}

/* The block of that name, or NONE. */
static uint32_t block_of(const ir *m, const function *f, word label) {
    uint32_t number = hash_find(&f->by_label, hash_bytes(label.at, label.size), has_label,
                                m->blocks, &label);
    return number ? number - 1 : NONE;
}

static way way_of(uint32_t from, uint32_t to, uint32_t cut) {
    way w;
    w.from = from;
    w.to = to;
    w.cut = cut;
    w.between = NONE;
    return w;
}

/* clang says of the jumps of a loop that they stand where the loop begins. Its
   condition has a line of its own, and the jump back is nobody's. */
static int is_of_loop(const builder *b, const item *it, uint32_t vertex) {
    const cc_cfg *g = &b->f->g;
    word w = b->m->lines[it->line];
    if (it->what != BRANCH) return 0;
    if (find(w, "!llvm.loop", 0) < w.size) return 1;
    return find(w, " br i1 ", 0) < w.size && g->line_count > 0 &&
           g->lines[g->line_count - 1].vertex == vertex;
}

/* What runs while an exception is on its way to its handler. Nobody wrote that:
   clang gives it lines where a scope ends, which need not have any other. */
static int is_of_unwinding(const block *k) {
    static const char *const labels[] = {"lpad", "ehcleanup", "eh.resume", "terminate.",
                                         "catch.dispatch", "catch.fallthrough", "filter.dispatch",
                                         "ehspec."};
    size_t i;
    for (i = 0; i < sizeof labels / sizeof *labels; i++)
        if (begins(k->label, labels[i])) return 1;
    return 0;
}

/* The blocks that the end of a block leads to, each once. */
static uint32_t ways_on(const builder *b, const item *end, uint32_t **list) {
    uint32_t count = 0, room = 0, i, k;
    *list = NULL;
    for (i = 0; i < end->lines; i++) {
        word w = b->m->lines[end->line + i];
        size_t at = 0;
        while ((at = find(w, "label %", at)) < w.size) {
            word label = name_at(w, at + 7);
            uint32_t to = block_of(b->m, b->f, label);
            at += 7 + label.size;
            for (k = 0; k < count && (*list)[k] != to; k++) {
            }
            if (k < count) continue;
            TOOL_ROOM(uint32_t, *list, count, room);
            (*list)[count++] = to;
        }
    }
    return count;
}

/* A handler's own blocks. */
static int is_handler(const block *k) {
    size_t i = 5;
    if (!begins(k->label, "catch")) return 0;
    while (i < k->label.size && k->label.at[i] >= '0' && k->label.at[i] <= '9') i++;
    return i == k->label.size;
}

/* Marks what the blocks on the stack lead to: calm blocks, or, from unwinding
   ones on, those that are not calm. */
static void spread(builder *b, uint32_t *stack, uint32_t depth, int calm) {
    block *blocks = b->m->blocks;
    while (depth > 0) {
        const block *from = &blocks[stack[--depth]];
        uint32_t *list = NULL, count, k;
        if (from->end == from->first) continue;
        count = ways_on(b, &b->m->items[from->end - 1], &list);
        for (k = 0; k < count; k++) {
            block *to = list[k] == NONE ? NULL : &blocks[list[k]];
            if (!to || to->is_calm || to->unwinds || is_handler(to)) continue;
            if (calm && is_of_unwinding(to)) continue;
            if (calm) to->is_calm = 1;
            else to->unwinds = 1;
            stack[depth++] = list[k];
        }
        free(list);
    }
}

/* What nothing but unwinding leads to unwinds, too, as the loop that takes an
   array down; but not a handler, and what it leads to. */
static void find_unwinding(builder *b) {
    const function *f = b->f;
    block *blocks = b->m->blocks;
    uint32_t *stack = (uint32_t *)tool_alloc((f->end_block - f->first_block + 1) * sizeof *stack);
    uint32_t depth = 0, i;
    for (i = f->first_block; i < f->end_block; i++) {
        blocks[i].unwinds = (uint8_t)is_of_unwinding(&blocks[i]);
        if (blocks[i].unwinds) stack[depth++] = i;
    }
    if (depth > 0) {
        depth = 0;
        for (i = f->first_block; i < f->end_block; i++) {
            if (i != f->first_block && !is_handler(&blocks[i])) continue;
            blocks[i].is_calm = 1;
            stack[depth++] = i;
        }
        spread(b, stack, depth, 1);
        depth = 0;
        for (i = f->first_block; i < f->end_block; i++)
            if (blocks[i].unwinds) stack[depth++] = i;
        spread(b, stack, depth, 0);
    }
    free(stack);
}

/* Gives vertices to a block and its parts, with lines. Returns whether the last
   one has a call that may be lost. */
static int cut_block(builder *b, uint32_t number, uint8_t *stays) {
    block *k = &b->m->blocks[number];
    uint32_t i, vertex = k->vertex, line, file;
    int is_open = 0, is_unwinding = k->unwinds;
    k->last_file = NONE;
    for (i = k->first; i < k->end; i++) {
        item *it = &b->m->items[i];
        if (!is_unwinding && place_of(b, it, &line, &file) && !is_of_loop(b, it, vertex)) {
            if (is_open && !has_line(b, vertex, line, file)) {
                uint32_t next = add_vertex(b);
                stays[vertex] = 1;
                add_edge(b, vertex, next, 0, way_of(number, NONE, i));
                vertex = next;
                is_open = 0;
            }
            add_line(b, vertex, line, file);
            k->last_file = file;
        }
        is_open |= is_lost(b->m, it);
    }
    k->last_vertex = vertex;
    return is_open;
}

/* A vertex has branches where its last line is: in one file, or nowhere. */
static void hide_branches(builder *b, uint32_t vertex, uint32_t file) {
    uint32_t i;
    if (file != b->own) add_line(b, vertex, 0, b->own);
    for (i = 0; i < b->other_count; i++)
        if (file != b->others[i]) add_line(b, vertex, 0, b->others[i]);
}

/* Is the branch one that somebody wrote? clang's own are those that find the
   handler of an exception, that clean up what may not be there, that go on
   behind a clean-up as before it, and those of sanitizers. */
static int is_written(const ir *m, const block *k, const item *end) {
    word w = m->lines[end->line];
    return !k->unwinds && find(w, "label %cleanup.action", 0) == w.size &&
           find(w, " %cleanup.dest", 0) == w.size && find(w, "!nosanitize", 0) == w.size;
}

static void end_block(builder *b, uint32_t number, int is_open, uint8_t *stays) {
    ir *m = b->m;
    block *k = &m->blocks[number];
    const item *end = &m->items[k->end - 1];
    uint32_t *list, count = ways_on(b, end, &list), i;
    int is_invoke = end->what == INVOKE, ends = end->what == RETURN || end->what == UNREACHABLE;
    for (i = 0; i < count; i++)
        if (list[i] == NONE) b->f->reason = "it is text that is not known here";
    if (end->what < BRANCH || (ends ? count != 0 : count == 0) || (is_invoke && count != 2))
        b->f->reason = "it is text that is not known here";
    if (b->f->reason) {
        free(list);
        return;
    }
    if (is_invoke) {
        if (b->lost == NONE) b->lost = add_vertex(b);
        count = 1;
        add_edge(b, k->last_vertex, b->lost, CC_FORCED, way_of(number, NONE, NONE));
        hide_branches(b, k->last_vertex, NONE);
    } else {
        if (is_open) stays[k->last_vertex] = 1;
        if (count > 1)
            hide_branches(b, k->last_vertex, is_written(m, k, end) ? k->last_file : NONE);
    }
    for (i = 0; i < count; i++) {
        add_edge(b, k->last_vertex, m->blocks[list[i]].vertex, 0, way_of(number, list[i], NONE));
        m->blocks[list[i]].ways_in++;
    }
    if (ends && (end->what == RETURN || !is_open))
        add_edge(b, k->last_vertex, 1, 0, way_of(number, NONE, NONE));
    free(list);
}

static int is_landing(const ir *m, const block *k) {
    uint32_t i;
    for (i = k->first; i < k->end; i++)
        if (m->items[i].what == LANDINGPAD) return 1;
    return 0;
}

static void build_graph(builder *b) {
    ir *m = b->m;
    function *f = b->f;
    uint32_t i, count = 0;
    uint8_t *stays, *open;
    for (i = f->first_block; i < f->end_block; i++) {
        block *k = &m->blocks[i];
        count += k->end - k->first + 1;
        if (k->end == k->first) f->reason = "it is text that is not known here";
    }
    if (f->reason || count == 0) return;
    stays = (uint8_t *)tool_alloc((size_t)count + 8);
    open = (uint8_t *)tool_alloc((size_t)f->end_block - f->first_block + 1);
    memset(stays, 0, (size_t)count + 8);
    f->g.vertices = 2;
    for (i = f->first_block; i < f->end_block; i++) {
        block *k = &m->blocks[i];
        uint32_t *place = hash_place(&f->by_label, hash_bytes(k->label.at, k->label.size),
                                     has_label, m->blocks, &k->label);
        *place = i + 1;
        k->vertex = i == f->first_block ? 0 : add_vertex(b);
    }
    find_unwinding(b);
    for (i = f->first_block; i < f->end_block; i++)
        open[i - f->first_block] = (uint8_t)cut_block(b, i, stays);
    for (i = f->first_block; i < f->end_block && !f->reason; i++)
        end_block(b, i, open[i - f->first_block], stays);
    for (i = f->first_block; i < f->end_block && b->lost != NONE; i++) {
        if (!is_landing(m, &m->blocks[i])) continue;
        add_edge(b, b->lost, m->blocks[i].vertex, 0, way_of(NONE, i, NONE));
        m->blocks[i].ways_in++;
    }
    for (i = 0; i < f->g.vertices && i < count + 8; i++)
        if (stays[i]) add_edge(b, i, 1, CC_STAY, way_of(NONE, NONE, NONE));
    if (b->lost != NONE) add_edge(b, b->lost, 1, CC_STAY, way_of(NONE, NONE, NONE));
    free(open);
    free(stays);
}

/* ---- what is wanted ---- */

/* What sets a variable up before main has lines, but is no function of the
   source; nor is a region of OpenMP. */
static int is_part(const function *f) {
    return begins(f->symbol, "__cxx_global_") ||
           find(f->symbol, "omp_outlined", 0) < f->symbol.size;
}

/* Without a graph, the function's lines are those of its instructions. */
static void leave_function(builder *b, uint32_t first_line) {
    const function *f = b->f;
    uint32_t *lines, count = 0, i, k, line, file;
    size_t most = 1;
    for (i = f->first_block; i < f->end_block; i++)
        most += b->m->blocks[i].end - b->m->blocks[i].first;
    lines = (uint32_t *)tool_alloc((most + 1) * sizeof *lines);
    if (first_line != NONE) lines[count++] = first_line;
    for (i = f->first_block; i < f->end_block; i++) {
        const block *one = &b->m->blocks[i];
        for (k = one->first; k < one->end && !is_of_unwinding(one); k++)
            if (place_of(b, &b->m->items[k], &line, &file) && file == b->own)
                lines[count++] = line;
    }
    cc_planner_leave(b->m->planner, f->name, b->m->sources[b->own].given, f->reason, lines, count);
    free(lines);
}

/* A constructor or destructor has up to three symbols, which differ in one digit:
   D0 calls D1 and frees the object, D1 calls D2. What only passes on is not counted,
   or one destructor would run twice. */
static int is_variant(word symbol, word callee) {
    size_t i, at = symbol.size;
    char *one, *other, *name, *other_name;
    int is_same_name;
    if (symbol.size != callee.size) return 0;
    for (i = 0; i < symbol.size; i++) {
        if (symbol.at[i] == callee.at[i]) continue;
        if (at < symbol.size || symbol.at[i] < '0' || symbol.at[i] > callee.at[i] ||
            callee.at[i] > '2')
            return 0;
        at = i;
    }
    if (at == symbol.size || at == 0 || !strchr("CDI", symbol.at[at - 1])) return 0;
    one = string_of(symbol);
    other = string_of(callee);
    name = demangle(one);
    other_name = demangle(other);
    /* a::D1() may call a::D2() */
    is_same_name = !name || !other_name || strcmp(name, other_name) == 0;
    free(name);
    free(other_name);
    free(one);
    free(other);
    return is_same_name;
}

static int passes_on(const ir *m, const function *f) {
    uint32_t i;
    for (i = f->first_call; i < f->end_call; i++)
        if (is_variant(f->symbol, m->calls[i])) return 1;
    return 0;
}

static void plan(ir *m, function *f) {
    builder b;
    word program = metadata_of(m, f->location);
    uint32_t line, i;
    char *symbol;
    if (!program.size) return;
    if (find(program, "DIFlagArtificial", 0) < program.size && !is_part(f)) return;
    memset(&b, 0, sizeof b);
    b.m = m;
    b.f = f;
    b.lost = NONE;
    b.own = file_of_scope(m, f->location);
    line = field(program, ", line: ");
    if (b.own == NONE || !m->sources[b.own].is_wanted || passes_on(m, f)) return;
    symbol = begins(f->symbol, "\"") ? string_field(f->symbol, "\"") : string_of(f->symbol);
    if (is_part(f) && strstr(symbol, ".omp_outlined")) *strstr(symbol, ".omp_outlined") = 0;
    f->name = m->files->function(m->files->choice, symbol);
    if (f->name && is_part(f)) *f->name = 0;
    free(symbol);
    if (!f->name) return;
    if (*f->name && line != NONE && line != 0) add_line(&b, 0, line, b.own);
    f->g.entry_slot = CC_NOWHERE;
    if (!f->reason) build_graph(&b);
    f->other_files = (const char **)tool_alloc((b.other_count + 1) * sizeof *f->other_files);
    for (i = 0; i < b.other_count; i++) f->other_files[i] = m->sources[b.others[i]].given;
    f->g.other_file = f->other_files;
    f->g.other_files = b.other_count;
    if (!f->reason) f->reason = cc_planner_add(m->planner, f->name, m->sources[b.own].given, &f->g);
    f->counts = !f->reason;
    if (f->reason && *f->name) leave_function(&b, line);
    free(b.others);
}

/* ---- the text with counters ---- */

static void put_words(text *out, word w) { text_bytes(out, w.at, w.size); }

static void put_line(ir *m, text *out, uint32_t line) {
    put_words(out, m->lines[line]);
    text_add(out, "\n");
}

static void put_place(const ir *m, text *out, uint32_t slot) {
    unsigned long count = cc_planner_slots(m->planner), at = slot;
    if (m->request->typed_pointers)
        text_format(out, "i64* getelementptr inbounds ([%lu x i64], [%lu x i64]* @%s, i64 0, "
                         "i64 %lu)", count, count, m->table, at);
    else
        text_format(out, "ptr getelementptr inbounds ([%lu x i64], ptr @%s, i64 0, i64 %lu)",
                    count, m->table, at);
}

static void put_counter(ir *m, text *out, uint32_t slot) {
    unsigned long n = m->values++;
    if (slot == CC_NOWHERE) return;
    if (m->request->atomic) {
        text_format(out, "  %%bursty.v%lu = atomicrmw add ", n);
        put_place(m, out, slot);
        text_add(out, ", i64 1 monotonic\n");
        return;
    }
    text_format(out, "  %%bursty.v%lu = load i64, ", n);
    put_place(m, out, slot);
    text_format(out, ", align 8\n  %%bursty.w%lu = add i64 %%bursty.v%lu, 1\n", n, n);
    text_format(out, "  store i64 %%bursty.w%lu, ", n);
    put_place(m, out, slot);
    text_add(out, ", align 8\n");
}

/* Where the counters of an edge stand. */
enum { AT_CUT, AT_END, AT_HEAD, BETWEEN };

static int where_of(const ir *m, const function *f, uint32_t edge, const uint32_t *ways_out) {
    const way *w = &f->ways[edge];
    if (w->cut != NONE) return AT_CUT;
    if (w->from == NONE) return AT_HEAD;
    if (w->to == NONE || ways_out[w->from - f->first_block] == 1) return AT_END;
    return m->blocks[w->to].ways_in == 1 ? AT_HEAD : BETWEEN;
}

typedef struct writer {
    ir *m;
    function *f;
    text *out;
    uint32_t *at_cut;         /* of each item of the function: a slot, or CC_NOWHERE */
    uint32_t *at_head, *at_end; /* of each block: a list of edges, ended by NONE */
    uint32_t *next_head, *next_end, *next_between;
    uint32_t *between;        /* of each block: edges from it that have blocks of their own */
    uint32_t first_item;
} writer;

static void put_list(writer *w, uint32_t edge, const uint32_t *next) {
    for (; edge != NONE; edge = next[edge]) put_counter(w->m, w->out, w->f->g.edges[edge].slot);
}

static const way *between_to(const writer *w, uint32_t from, uint32_t to) {
    uint32_t e = w->between[from - w->f->first_block];
    for (; e != NONE; e = w->next_between[e])
        if (w->f->ways[e].to == to) return &w->f->ways[e];
    return NULL;
}

/* A line of the text in which some names of blocks become others. `before` and
   `after`: what stands around such a name. */
static void put_renamed(writer *w, uint32_t line, uint32_t number, const char *before,
                        const char *after, int is_phi) {
    ir *m = w->m;
    word l = m->lines[line];
    size_t at, done = 0, size = strlen(after);
    for (at = find(l, before, 0); at < l.size; at = find(l, before, at + 1)) {
        size_t start = at + strlen(before);
        word label = name_at(l, start);
        uint32_t other;
        const way *found;
        if (start + label.size + size > l.size ||
            memcmp(l.at + start + label.size, after, size) != 0)
            continue;
        other = block_of(m, w->f, label);
        if (other == NONE) continue;
        found = is_phi ? between_to(w, other, number) : between_to(w, number, other);
        if (!found) continue;
        text_bytes(w->out, l.at + done, start - done);
        text_format(w->out, "bursty.e%lu", (unsigned long)found->between);
        done = start + label.size;
    }
    text_bytes(w->out, l.at + done, l.size - done);
    text_add(w->out, "\n");
}

static void put_item(writer *w, uint32_t number, const item *it) {
    uint32_t i;
    for (i = 0; i < it->lines; i++) {
        if (it->what == PHI) put_renamed(w, it->line + i, number, ", %", " ]", 1);
        else if (it->what >= BRANCH) put_renamed(w, it->line + i, number, "label %", "", 0);
        else put_line(w->m, w->out, it->line + i);
    }
}

static void put_block(writer *w, uint32_t number) {
    ir *m = w->m;
    const block *k = &m->blocks[number];
    uint32_t i, e, line = k->line == NONE ? m->items[k->first].line : k->line;
    int has_head = 0, is_first = number == w->f->first_block;
    for (i = k->first; i < k->end; i++) {
        const item *it = &m->items[i];
        for (; line < it->line; line++) put_line(m, w->out, line);
        if (!has_head && it->what != PHI && it->what != LANDINGPAD && it->what != ALLOCA) {
            has_head = 1;
            if (is_first) put_counter(m, w->out, w->f->g.entry_slot);
            put_list(w, w->at_head[number - w->f->first_block], w->next_head);
        }
        put_counter(m, w->out, w->at_cut[i - w->first_item]);
        if (i + 1 == k->end) put_list(w, w->at_end[number - w->f->first_block], w->next_end);
        put_item(w, number, it);
        line = it->line + it->lines;
    }
    for (e = w->between[number - w->f->first_block]; e != NONE; e = w->next_between[e]) {
        text_format(w->out, "\nbursty.e%lu:\n", (unsigned long)w->f->ways[e].between);
        put_counter(m, w->out, w->f->g.edges[e].slot);
        text_add(w->out, "  br label %");
        put_words(w->out, m->blocks[w->f->ways[e].to].label);
        text_add(w->out, "\n");
    }
}

static uint32_t *filled(size_t count) {
    uint32_t *list = (uint32_t *)tool_alloc((count + 1) * sizeof *list);
    memset(list, 0xFF, (count + 1) * sizeof *list);
    return list;
}

static void push(uint32_t *head, uint32_t *next, uint32_t edge) {
    next[edge] = *head;
    *head = edge;
}

/* Decides where each counter stands. */
static void place_counters(writer *w) {
    ir *m = w->m;
    function *f = w->f;
    uint32_t e, first = f->first_block;
    uint32_t *ways_out = (uint32_t *)tool_alloc((f->end_block - first + 1) * sizeof *ways_out);
    memset(ways_out, 0, (f->end_block - first + 1) * sizeof *ways_out);
    for (e = 0; e < f->g.edge_count; e++)
        if (f->ways[e].from != NONE && f->ways[e].cut == NONE) ways_out[f->ways[e].from - first]++;
    for (e = 0; e < f->g.edge_count; e++) {
        way *y = &f->ways[e];
        if (f->g.edges[e].slot == CC_NOWHERE) continue;
        switch (where_of(m, f, e, ways_out)) {
        case AT_CUT: w->at_cut[y->cut - w->first_item] = f->g.edges[e].slot; break;
        case AT_END: push(&w->at_end[y->from - first], w->next_end, e); break;
        case AT_HEAD: push(&w->at_head[y->to - first], w->next_head, e); break;
        default:
            y->between = m->betweens++;
            push(&w->between[y->from - first], w->next_between, e);
        }
    }
    free(ways_out);
}

/* Returns the line behind it. */
static uint32_t put_function(ir *m, function *f, text *out) {
    uint32_t blocks = f->end_block - f->first_block, i, line;
    const block *last = &m->blocks[f->end_block - 1];
    const item *end = &m->items[last->end - 1];
    writer w;
    memset(&w, 0, sizeof w);
    w.m = m;
    w.f = f;
    w.out = out;
    w.first_item = m->blocks[f->first_block].first;
    w.at_cut = filled(last->end - w.first_item);
    w.at_head = filled(blocks);
    w.at_end = filled(blocks);
    w.between = filled(blocks);
    w.next_head = filled(f->g.edge_count);
    w.next_end = filled(f->g.edge_count);
    w.next_between = filled(f->g.edge_count);
    place_counters(&w);
    put_line(m, out, f->define);
    for (i = f->first_block; i < f->end_block; i++) {
        if (i > f->first_block) text_add(out, "\n");
        put_block(&w, i);
    }
    line = end->line + end->lines;
    free(w.at_cut);
    free(w.at_head);
    free(w.at_end);
    free(w.between);
    free(w.next_head);
    free(w.next_end);
    free(w.next_between);
    return line;
}

/* ---- what the object carries ---- */

static void put_assembly(text *out, const char *line) {
    text_add(out, "module asm \"");
    for (; *line; line++) {
        if (*line == '"') text_add(out, "\\22");
        else if (*line == '\\') text_add(out, "\\5C");
        else text_bytes(out, line, 1);
    }
    text_add(out, "\"\n");
}

static void put_section(const text *part, text *out) {
    text line = {NULL, 0, 0};
    size_t i;
    put_assembly(out, ".pushsection .bursty.cover,\"\",%progbits");
    for (i = 0; i < part->size; i++) {
        unsigned char c = (unsigned char)part->data[i];
        if (i % 64 == 0) text_add(&line, ".ascii \"");
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
            text_bytes(&line, part->data + i, 1);
        else
            text_format(&line, "\\%03o", c);
        if (i % 64 != 63 && i + 1 != part->size) continue;
        text_bytes(&line, "\"", 2);
        put_assembly(out, line.data);
        line.size = 0;
    }
    text_free(&line);
    put_assembly(out, ".popsection");
}

/* What put_front of cover.c says in C: a function that stands for the object, a
   unit, and a pointer to it where edges.c looks. */
static void put_unit(const ir *m, const cc_tables *t, text *out) {
    const char *pointer = m->is_wide ? ".quad" : ".long", *id = m->table + 9;
    text line = {NULL, 0, 0};
    text_format(&line, ".pushsection .data.rel.ro.bursty,\"aw\",%%progbits\n.balign 8\n"
                       "bursty_f_%s:\n%s bursty_n_%s,0,0,0,0,0,%s,0,0\n", id, pointer, id,
                m->table);
    text_format(&line, ".long 0,0,0,%lu,%lu\n.byte %u,0\n.balign 8\n", (unsigned long)t->slots,
                (unsigned long)t->hash, (unsigned)m->request->cover);
    text_format(&line, "bursty_l_%s:\n%s bursty_f_%s\n", id, pointer, id);
    text_format(&line, ".balign 8\nbursty_u_%s:\n%s bursty_l_%s\n.long 1\n%s%s 0,0\n", id, pointer,
                id, m->is_wide ? ".long 0\n" : "", pointer);
    text_format(&line, "bursty_n_%s:\n.asciz \"%s\"\n.popsection\n", id, t->name);
    text_format(&line, ".pushsection bursty_units,\"awR\",%%progbits\n.balign %d\n%s bursty_u_%s\n"
                       ".popsection\n", m->is_wide ? 8 : 4, pointer, id);
    {
        char *at, *end, *all = text_take(&line);
        for (at = all; (end = strchr(at, '\n')) != NULL; at = end + 1) {
            *end = 0;
            put_assembly(out, at);
        }
        free(all);
    }
}

static void put_all(ir *m, text *out) {
    cc_tables t;
    uint32_t line = 0, next = 0;
    cc_planner_end(m->planner, &t);
    while (line < m->line_count) {
        while (next < m->function_count &&
               (!m->functions[next].counts || m->functions[next].define < line))
            next++;
        if (next < m->function_count && m->functions[next].define == line) {
            line = put_function(m, &m->functions[next++], out);
            continue;
        }
        put_line(m, out, line);
        if (begins(m->lines[line], "target triple")) {
            put_section(&t.part, out);
            put_unit(m, &t, out);
            text_format(out, "@%s = hidden global [%lu x i64] zeroinitializer, align 8\n", m->table,
                        (unsigned long)t.slots);
        }
        line++;
    }
    text_free(&t.part);
}

/* ---- all of it ---- */

static int is_wide_machine(word triple) {
    static const char *const wide[] = {"x86_64", "aarch64", "riscv64", "powerpc64", "s390x",
                                       "loongarch64", "mips64"};
    size_t i;
    for (i = 0; i < sizeof wide / sizeof *wide; i++) {
        size_t at = 0;
        for (; at + strlen(wide[i]) <= triple.size; at++)
            if (memcmp(triple.at + at, wide[i], strlen(wide[i])) == 0) return 1;
    }
    return 0;
}

/* Returns whether the text names its machine. */
static int read_lines(ir *m) {
    uint32_t line;
    int has_machine = 0;
    m->metadata_count = m->line_count;
    m->metadata = (uint32_t *)tool_alloc((m->metadata_count + 1) * sizeof *m->metadata);
    memset(m->metadata, 0xFF, (m->metadata_count + 1) * sizeof *m->metadata);
    m->file_of = (uint32_t *)tool_alloc((m->metadata_count + 1) * sizeof *m->file_of);
    memset(m->file_of, 0, (m->metadata_count + 1) * sizeof *m->file_of);
    for (line = 0; line < m->line_count;) {
        word w = m->lines[line];
        if (begins(w, "!")) note_metadata(m, line);
        if (begins(w, "target triple = ")) {
            has_machine = 1;
            m->is_wide = is_wide_machine(w);
        }
        if (!begins(w, "define ")) {
            line++;
            continue;
        }
        line = read_function(m, line);
    }
    return has_machine;
}

static void note_left(cc_ir_result *result, const ir *m, const function *f) {
    cc_left left;
    word program = metadata_of(m, f->location);
    uint32_t file = m->file_of[f->location] - 1;
    left.name = text_name(f->name, strlen(f->name));
    left.how = "left alone";
    left.reason = f->reason;
    left.line = field(program, ", line: ");
    if (left.line == NONE) left.line = 1;
    left.file = text_name(m->sources[file].given, strlen(m->sources[file].given));
    cc_left_add(&result->left, &result->left_count, &left);
}

static void free_all(ir *m) {
    uint32_t i;
    for (i = 0; i < m->function_count; i++) {
        function *f = &m->functions[i];
        cc_cfg_free(&f->g);
        free(f->ways);
        free((void *)f->other_files);
        hash_free(&f->by_label);
        free(f->name);
    }
    for (i = 0; i < m->source_count; i++) free(m->sources[i].given);
    cc_planner_free(m->planner);
    hash_free(&m->by_symbol);
    free(m->sources);
    free(m->functions);
    free(m->calls);
    free(m->blocks);
    free(m->items);
    free(m->file_of);
    free(m->metadata);
    free(m->lines);
}

int cc_ir(const char *data, size_t size, const cc_request *request, const cc_notes_files *files,
          cc_ir_result *result, const char **reason) {
    ir m;
    uint32_t i;
    int has_machine;
    memset(&m, 0, sizeof m);
    memset(result, 0, sizeof *result);
    m.request = request;
    m.files = files;
    m.planner = cc_planner_new(request);
    cc_counters_name(m.table, sizeof m.table, request);
    split_lines(&m, data, size);
    has_machine = read_lines(&m);
    if (has_machine) {
        find_lost(&m);
        for (i = 0; i < m.function_count; i++) {
            plan(&m, &m.functions[i]);
            result->functions += m.functions[i].counts;
            if (m.functions[i].name && !m.functions[i].counts)
                note_left(result, &m, &m.functions[i]);
        }
        if (cc_planner_has_tables(m.planner)) put_all(&m, &result->out);
    } else {
        *reason = "clang has written text that is not known here";
    }
    free_all(&m);
    return has_machine ? 0 : -1;
}

void cc_ir_free(cc_ir_result *result) {
    cc_left_free(result->left, result->left_count);
    text_free(&result->out);
}
