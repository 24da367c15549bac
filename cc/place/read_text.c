/* read_text.c - call graphs as text: the section .bursty.cg, or a file
   x.burstycg beside x.o. */
#include "cc/place/graph.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

typedef struct reader {
    graph *g;
    const char *data;
    size_t size, at, end;                       /* of the line: at is the next word, end its \n */
    int has_unit, has_function, has_body;
    uint32_t input;
    dump_fault *fault;
} reader;

static int refuse(reader *r, size_t at, const char *reason) {
    return dump_refuse(r->fault, at, "%s", reason);
}

/* The next word of the line. */
static int word(reader *r, const char **start, size_t *size) {
    const char *blank;
    if (r->at >= r->end) return refuse(r, r->end, "the line lacks a word");
    *start = r->data + r->at;
    blank = (const char *)memchr(*start, ' ', r->end - r->at);
    *size = blank ? (size_t)(blank - *start) : r->end - r->at;
    if (*size == 0) return refuse(r, r->at, "the line has an empty word");
    if (memchr(*start, 0, *size)) return refuse(r, r->at, "the line has a zero byte");
    r->at += *size + (blank ? 1 : 0);
    return 0;
}

static int name(reader *r, uint32_t *value) {
    const char *start;
    size_t size;
    if (word(r, &start, &size) != 0) return -1;
    *value = graph_name(r->g, start, size);
    return 0;
}

static int number(reader *r, uint32_t *value) {
    const char *start;
    size_t size, i;
    uint64_t sum = 0;
    if (word(r, &start, &size) != 0) return -1;
    for (i = 0; i < size; i++) {
        if (start[i] < '0' || start[i] > '9')
            return refuse(r, (size_t)(start - r->data), "is no number");
        sum = 10 * sum + (uint64_t)(start[i] - '0');
        if (sum > 0xFFFFFFF) return refuse(r, (size_t)(start - r->data), "is too large a number");
    }
    *value = (uint32_t)sum;
    return 0;
}

static int hash(reader *r, uint64_t *value) {
    static const char digits[] = "0123456789abcdef";
    const char *start;
    size_t size, i;
    *value = 0;
    if (word(r, &start, &size) != 0) return -1;
    if (size != 16) return refuse(r, (size_t)(start - r->data), "is no hash of 16 digits");
    for (i = 0; i < size; i++) {
        const char *digit = strchr(digits, start[i]);
        if (!digit) return refuse(r, (size_t)(start - r->data), "is no hash of 16 digits");
        *value = *value << 4 | (uint64_t)(digit - digits);
    }
    return 0;
}

/* One of the letters. */
static int letter(reader *r, const char *letters, uint8_t *value) {
    const char *start;
    size_t size;
    if (word(r, &start, &size) != 0) return -1;
    if (size != 1 || !strchr(letters, start[0]))
        return dump_refuse(r->fault, (size_t)(start - r->data), "is none of %s", letters);
    *value = (uint8_t)start[0];
    return 0;
}

/* "-", or some of the letters: bit i of the value stands for letters[i]. */
static int flags(reader *r, const char *letters, uint32_t *value) {
    const char *start;
    size_t size, i;
    *value = 0;
    if (word(r, &start, &size) != 0) return -1;
    if (size == 1 && start[0] == '-') return 0;
    for (i = 0; i < size; i++) {
        const char *found = strchr(letters, start[i]);
        if (!found || !start[i])
            return refuse(r, (size_t)(start - r->data) + i, "is an unknown flag");
        *value |= 1u << (found - letters);
    }
    return 0;
}

/* ---- lines --------------------------------------------------------------------------------- */

static int read_unit(reader *r) {
    graph *g = r->g;
    graph_unit unit;
    size_t at = r->at;
    uint32_t version;
    memset(&unit, 0, sizeof unit);
    if (number(r, &version) != 0) return -1;
    if (version < 1 || version > 3)
        return dump_refuse(r->fault, at,
                           "the call graph has version %lu, this tool reads 1 to 3",
                           (unsigned long)version);
    unit.by_plugin = version == 3;
    if (hash(r, &unit.command) != 0 || hash(r, &unit.plan) != 0 || name(r, &unit.name) != 0)
        return -1;
    unit.first_function = (uint32_t)g->function_count;
    unit.first_taken = g->taken_count;
    unit.input = r->input;
    TOOL_ROOM(graph_unit, g->units, g->unit_count, g->unit_room);
    g->units[g->unit_count++] = unit;
    r->has_unit = 1;
    r->has_function = 0;
    return 0;
}

/* "2", "*", or one of them with the classes of the type behind it:
   "2<i,pv,i>". */
static int read_params(reader *r, uint32_t *value, uint32_t *type) {
    const char *start, *open;
    size_t size, end = r->end, next;
    int status = 0;
    *value = GRAPH_ANY_COUNT;
    *type = GRAPH_NONE;
    if (word(r, &start, &size) != 0) return -1;
    next = r->at;
    open = (const char *)memchr(start, '<', size);
    if (open) {
        if (start[size - 1] != '>')
            return refuse(r, (size_t)(open - r->data), "is a type without an end");
        *type = graph_name(r->g, open + 1, size - (size_t)(open - start) - 2);
        size = (size_t)(open - start);
    }
    if (size == 1 && *start == '*') return 0;
    r->at = (size_t)(start - r->data);
    r->end = r->at + size;                      /* the number alone */
    status = number(r, value);
    r->end = end;
    r->at = next;
    if (*value >= GRAPH_ANY_COUNT) *value = GRAPH_ANY_COUNT;
    return status;
}

/* Every function has a body until a line says otherwise: the check stands in
   finish_function. */
static int finish_function(reader *r) {
    const graph_function *f;
    if (!r->has_function) return 0;
    r->has_function = 0;
    f = &r->g->functions[r->g->function_count - 1];
    if (!(f->flags & (GRAPH_HAS_BODY | GRAPH_LEFT_ALONE)))
        return refuse(r, r->at, "the function before this line has no skeleton");
    return 0;
}

/* The last word of a line, which objects of older builds do not have. */
static int size_of(reader *r, uint32_t *size) {
    return r->at < r->end ? number(r, size) : 0;
}

static int read_function(reader *r) {
    graph *g = r->g;
    graph_function f;
    uint8_t linkage;
    uint32_t letters;
    memset(&f, 0, sizeof f);
    if (!r->has_unit) return refuse(r, r->at, "a function stands before the first unit");
    if (name(r, &f.name) != 0 || letter(r, "gsiw", &linkage) != 0 || number(r, &f.line) != 0 ||
        hash(r, &f.hash) != 0 || flags(r, "kuhrcn", &letters) != 0 ||
        read_params(r, &f.params, &f.type) != 0 || name(r, &f.file) != 0 || size_of(r, &f.size) != 0)
        return -1;
    f.linkage = linkage;
    f.flags = letters;                          /* GRAPH_START .. GRAPH_LEFT_ALONE in that order */
    f.unit = (uint32_t)(g->unit_count - 1);
    f.reason = f.node = f.next_copy = GRAPH_NONE;
    f.first_call = g->call_count;
    f.first_loop = g->loop_count;
    f.first_vertex = g->vertex_count;
    f.first_edge = g->edge_count;
    TOOL_ROOM(graph_function, g->functions, g->function_count, g->function_room);
    g->functions[g->function_count++] = f;
    g->units[g->unit_count - 1].functions++;
    r->has_function = 1;
    r->has_body = 0;
    return 0;
}

static int read_call(reader *r, graph_function *f) {
    graph *g = r->g;
    graph_call call;
    uint32_t letters;
    memset(&call, 0, sizeof call);
    if (name(r, &call.name) != 0 || flags(r, "p", &letters) != 0) return -1;
    call.node = GRAPH_NONE;
    TOOL_ROOM(graph_call, g->calls, g->call_count, g->call_room);
    g->calls[g->call_count++] = call;
    f->calls++;
    return 0;
}

static int read_parent(reader *r, const graph_function *f, uint32_t *parent) {
    size_t at = r->at;
    *parent = GRAPH_NONE;
    if (at < r->end && r->data[at] == '-') {
        const char *start;
        size_t size;
        if (word(r, &start, &size) != 0) return -1;
        return size == 1 ? 0 : refuse(r, at, "is no number");
    }
    if (number(r, parent) != 0) return -1;
    return *parent < f->loops ? 0 : refuse(r, at, "the loop around a loop comes before it");
}

static int read_loop(reader *r, graph_function *f) {
    graph *g = r->g;
    graph_loop loop;
    uint32_t letters;
    memset(&loop, 0, sizeof loop);
    if (letter(r, "fwdg", &loop.kind) != 0 || number(r, &loop.line) != 0 ||
        read_parent(r, f, &loop.parent) != 0 || number(r, &loop.events) != 0 ||
        number(r, &loop.bound) != 0 || flags(r, "c", &letters) != 0 || size_of(r, &loop.size) != 0)
        return -1;
    loop.vertex = GRAPH_NONE;
    loop.has_check = letters != 0;
    TOOL_ROOM(graph_loop, g->loops, g->loop_count, g->loop_room);
    g->loops[g->loop_count++] = loop;
    f->loops++;
    return 0;
}

static int read_body(reader *r, graph_function *f) {
    const char *start = r->data + r->at;
    size_t size = r->end - r->at, at = r->at;
    if (memchr(start, ' ', size) || memchr(start, 0, size))
        return refuse(r, at, "the skeleton is not one word");
    if (size == 1 && *start == '-') size = 0;   /* nothing happens in it */
    r->has_body = 1;
    f->flags |= GRAPH_HAS_BODY;
    r->at = r->end;
    return graph_read_skeleton(r->g, f, start, size, at, r->fault);
}

static int read_taken(reader *r) {
    graph *g = r->g;
    graph_taken taken = {0, GRAPH_NONE, 0, GRAPH_NONE, 0, 0};
    if (!r->has_unit) return refuse(r, r->at, "a name stands before the first unit");
    if (name(r, &taken.name) != 0) return -1;
    if (r->end - r->at == 1 && (r->data[r->at] == 'c' || r->data[r->at] == 's')) {
        taken.converted = 1;
        taken.is_symbol = r->data[r->at] == 's';
        r->at = r->end;
    } else if (r->at < r->end) {
        if (read_params(r, &taken.params, &taken.type) != 0) return -1;
        taken.converted = taken.type == GRAPH_NONE;
    }
    TOOL_ROOM(graph_taken, g->taken, g->taken_count, g->taken_room);
    g->taken[g->taken_count++] = taken;
    g->units[g->unit_count - 1].taken++;
    return 0;
}

static int read_line(reader *r) {
    graph_function *f;
    size_t start = r->at;
    int kind = r->data[start];
    if (r->end - start == 1 && kind == 'B') r->at = r->end;     /* like "B -" */
    else if (r->end - start < 2 || r->data[start + 1] != ' ')
        return refuse(r, start, "the line begins with no letter of a call graph");
    else r->at = start + 2;
    if (strchr("UFA", kind)) {
        size_t at = r->at;
        r->at = start;
        if (finish_function(r) != 0) return -1;
        r->at = at;
        return kind == 'U' ? read_unit(r) : kind == 'F' ? read_function(r) : read_taken(r);
    }
    if (!kind || !strchr("CLBN", kind))
        return refuse(r, start, "the line begins with no letter of a call graph");
    if (!r->has_function) return refuse(r, start, "the line belongs to no function");
    f = &r->g->functions[r->g->function_count - 1];
    if (r->has_body && kind != 'N') return refuse(r, start, "the line comes after a skeleton");
    if (kind == 'C') return read_call(r, f);
    if (kind == 'L') return read_loop(r, f);
    if (kind == 'B') return read_body(r, f);
    if (name(r, &f->reason) != 0) return -1;
    if (strcmp(r->g->names[f->reason], "checked-behind-the-optimizer") == 0) f->flags |= GRAPH_LATE;
    if (strcmp(r->g->names[f->reason], "other-name") == 0) f->flags |= GRAPH_OTHER_NAME;
    return 0;
}

int graph_read_text(graph *g, const char *data, size_t size, uint32_t input, dump_fault *fault) {
    reader r;
    memset(&r, 0, sizeof r);
    r.g = g;
    r.data = data;
    r.size = size;
    r.input = input;
    r.fault = fault;
    if (size > MOST_BYTES) return refuse(&r, 0, "the call graph is larger than 1 GB");
    while (r.at < size) {
        const char *end;
        size_t next;
        if (!data[r.at]) {                      /* between the parts of objects */
            r.at++;
            continue;
        }
        end = (const char *)memchr(data + r.at, '\n', size - r.at);
        if (!end) return refuse(&r, size, "the last line is cut off");
        r.end = (size_t)(end - data);
        next = r.end + 1;
        if (r.at < r.end && data[r.at] == '#') r.at = r.end;    /* a comment, in a file by hand */
        if (r.at < r.end && read_line(&r) != 0) return -1;
        if (r.at < r.end) return refuse(&r, r.at, "the line has a word too many");
        r.at = next;
    }
    return finish_function(&r);
}
