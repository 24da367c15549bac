/* read_skeleton.c - from a function's skeleton to its control flow graph, in
   one pass.

   `at` is the vertex behind which the next item comes. An item that never goes
   on (break, continue, return, goto) leaves a fresh vertex that nothing leads
   to. Brackets that are open lie on a stack:

       (a|b)        split = the vertex before it; both arms end in one join
       S{a}         every vertex inside also follows the switch itself: control may enter anywhere
       WN{c;b;i}    head -> c -> LOOP N -> b -> rest (continue) -> i -> head, and c -> out (break)
       DN{b;c}      LOOP N -> b -> rest (continue) -> c -> LOOP N, and c -> out (break)
       {a}          break and continue go to out

   A goto to a label that was seen goes back: it is an edge of the loop whose
   check stands there. A computed goto goes to a join and from there to each
   label whose address is taken; the loop whose check stands there is never
   excused for being small. */
#include "cc/place/graph.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct arrow { uint32_t from, to, loop; } arrow;

typedef struct bracket {
    uint32_t split, arm_end;                    /* of ( */
    uint32_t head, out, rest, loop;             /* of W D S { */
    uint32_t outer_switch, outer_break, outer_continue;
    uint8_t kind, section;
} bracket;

typedef struct label {
    uint32_t vertex, loop;
    int seen, by_name;                          /* by_name: no x leads there */
} label;

typedef struct builder {
    graph *g;
    graph_function *f;
    const char *text;
    size_t size, at_byte, offset, base_loop;
    arrow *arrows;
    size_t arrow_count, arrow_room;
    bracket *stack;
    size_t depth, stack_room;
    label *labels;
    size_t label_count;
    uint32_t at, inside_switch, break_to, continue_to, any_label, last_any, last_label;
    dump_fault *fault;
} builder;

static int refuse(builder *b, const char *reason) {
    return dump_refuse(b->fault, b->offset + b->at_byte, "%s", reason);
}

static void join(builder *b, uint32_t from, uint32_t to, uint32_t loop) {
    TOOL_ROOM(arrow, b->arrows, b->arrow_count, b->arrow_room);
    b->arrows[b->arrow_count].from = from;
    b->arrows[b->arrow_count].to = to;
    b->arrows[b->arrow_count++].loop = loop;
}

static uint32_t bare_vertex(builder *b, uint32_t kind, uint32_t index) {
    graph *g = b->g;
    graph_vertex *v;
    TOOL_ROOM(graph_vertex, g->vertices, g->vertex_count, g->vertex_room);
    v = &g->vertices[g->vertex_count++];
    v->kind = kind;
    v->index = index;
    v->type = GRAPH_NONE;
    v->first_edge = 0;
    return b->f->vertices++;
}

static uint32_t vertex(builder *b, uint32_t kind, uint32_t index) {
    uint32_t v = bare_vertex(b, kind, index);
    if (b->inside_switch != GRAPH_NONE) join(b, b->inside_switch, v, GRAPH_NONE);
    return v;
}

static void follow(builder *b, uint32_t kind, uint32_t index) {
    uint32_t v = vertex(b, kind, index);
    join(b, b->at, v, GRAPH_NONE);
    b->at = v;
}

/* Goes somewhere else; what comes next follows nothing. */
static void leave_for(builder *b, uint32_t target) {
    join(b, b->at, target, GRAPH_NONE);
    b->at = vertex(b, VERTEX_JOIN, 0);
}

static int number(builder *b, uint32_t *value) {
    uint64_t sum = 0;
    size_t start = b->at_byte;
    while (b->at_byte < b->size && b->text[b->at_byte] >= '0' && b->text[b->at_byte] <= '9') {
        sum = 10 * sum + (uint64_t)(b->text[b->at_byte++] - '0');
        if (sum > 0xFFFFFFF) return refuse(b, "the skeleton has too large a number");
    }
    if (b->at_byte == start) return refuse(b, "the skeleton lacks a number");
    *value = (uint32_t)sum;
    return 0;
}

static int expect_brace(builder *b) {
    if (b->at_byte >= b->size || b->text[b->at_byte] != '{')
        return refuse(b, "the skeleton lacks a {");
    b->at_byte++;
    return 0;
}

static bracket *push(builder *b, int kind) {
    bracket *top;
    TOOL_ROOM(bracket, b->stack, b->depth, b->stack_room);
    top = &b->stack[b->depth++];
    memset(top, 0xFF, sizeof *top);
    top->kind = (uint8_t)kind;
    top->section = 0;
    top->outer_switch = b->inside_switch;
    top->outer_break = b->break_to;
    top->outer_continue = b->continue_to;
    return top;
}

static void pop(builder *b) {
    const bracket *top = &b->stack[--b->depth];
    b->inside_switch = top->outer_switch;
    b->break_to = top->outer_break;
    b->continue_to = top->outer_continue;
}

/* Gives a loop of the L lines its place. */
static graph_loop *place_loop(builder *b, uint32_t index, const char *kinds) {
    graph_loop *loop;
    if (index >= b->f->loops) {
        refuse(b, "the skeleton has a loop without an L line");
        return NULL;
    }
    loop = &b->g->loops[b->base_loop + index];
    if (loop->vertex != GRAPH_NONE) {
        refuse(b, "the skeleton has a loop twice");
        return NULL;
    }
    if (!strchr(kinds, loop->kind)) {
        refuse(b, "the loop is of another kind in its L line");
        return NULL;
    }
    return loop;
}

static int open_loop(builder *b, int kind) {
    graph_loop *loop;
    bracket *top;
    uint32_t index;
    if (number(b, &index) != 0 || expect_brace(b) != 0) return -1;
    loop = place_loop(b, index, kind == 'W' ? "fw" : "d");
    if (!loop) return -1;
    top = push(b, kind);
    top->loop = index;
    top->out = vertex(b, VERTEX_JOIN, 0);
    top->rest = vertex(b, VERTEX_JOIN, 0);
    loop->first = top->rest;
    if (kind == 'W') {
        follow(b, VERTEX_JOIN, 0);
    } else {
        follow(b, VERTEX_LOOP, index);
        loop->vertex = b->at;
    }
    top->head = b->at;
    b->break_to = top->out;
    b->continue_to = top->rest;
    return 0;
}

/* A ; inside W or D. */
static int next_section(builder *b) {
    bracket *top = b->depth ? &b->stack[b->depth - 1] : NULL;
    int sections = !top ? 0 : top->kind == 'W' ? 2 : top->kind == 'D' ? 1 : 0;
    if (!top || top->section >= sections) return refuse(b, "the skeleton has a ; too many");
    top->section++;
    if (top->kind == 'W' && top->section == 1) {
        join(b, b->at, top->out, GRAPH_NONE);
        follow(b, VERTEX_LOOP, top->loop);
        b->g->loops[b->base_loop + top->loop].vertex = b->at;
    } else {
        join(b, b->at, top->rest, GRAPH_NONE);
        b->at = top->rest;
    }
    return 0;
}

static int close_brace(builder *b) {
    bracket *top = b->depth ? &b->stack[b->depth - 1] : NULL;
    if (!top || top->kind == '(') return refuse(b, "the skeleton has a } too many");
    if (top->section != (top->kind == 'W' ? 2 : top->kind == 'D' ? 1 : 0))
        return refuse(b, "the skeleton lacks a ; of a loop");
    if (top->kind == 'W' || top->kind == 'D') {
        join(b, b->at, top->head, top->loop);
        b->g->loops[b->base_loop + top->loop].last = b->f->vertices - 1;
    }
    if (top->kind != 'W') join(b, b->at, top->out, GRAPH_NONE);
    b->at = top->out;
    pop(b);
    return 0;
}

static void open_block(builder *b, int kind) {
    bracket *top = push(b, kind);
    uint32_t head = b->at;
    top->out = vertex(b, VERTEX_JOIN, 0);
    b->break_to = top->out;
    if (kind == '{') {
        b->continue_to = top->out;
        return;
    }
    join(b, head, top->out, GRAPH_NONE);
    b->inside_switch = head;
    b->at = vertex(b, VERTEX_JOIN, 0);
}

static int bar(builder *b) {
    bracket *top = b->depth ? &b->stack[b->depth - 1] : NULL;
    if (!top || top->kind != '(' || top->section) return refuse(b, "the skeleton has a | too many");
    top->section = 1;
    top->arm_end = b->at;
    b->at = top->split;
    return 0;
}

static int close_arms(builder *b) {
    bracket *top = b->depth ? &b->stack[b->depth - 1] : NULL;
    uint32_t both;
    if (!top || top->kind != '(' || !top->section)
        return refuse(b, top && top->kind == '(' ? "the skeleton lacks a |"
                                                  : "the skeleton has a ) too many");
    both = vertex(b, VERTEX_JOIN, 0);
    join(b, top->arm_end, both, GRAPH_NONE);
    join(b, b->at, both, GRAPH_NONE);
    b->at = both;
    pop(b);
    return 0;
}

/* ---- labels -------------------------------------------------------------------------------- */

static label *label_of(builder *b) {
    uint32_t n;
    if (number(b, &n) != 0) return NULL;
    if (n >= b->label_count) {
        refuse(b, "the skeleton has too large a label");
        return NULL;
    }
    if (b->labels[n].vertex == GRAPH_NONE) b->labels[n].vertex = bare_vertex(b, VERTEX_JOIN, 0);
    return &b->labels[n];
}

static int put_label(builder *b, int by_name) {
    label *l = label_of(b);
    if (!l) return -1;
    if (l->seen) return refuse(b, "the skeleton has a label twice");
    l->seen = 1;
    l->by_name = by_name;
    join(b, b->at, l->vertex, GRAPH_NONE);
    if (b->inside_switch != GRAPH_NONE) join(b, b->inside_switch, l->vertex, GRAPH_NONE);
    b->at = l->vertex;
    b->last_label = (uint32_t)(l - b->labels);
    return 0;
}

static int put_goto(builder *b) {
    label *l = label_of(b);
    if (!l) return -1;
    join(b, b->at, l->vertex, l->seen ? l->loop : GRAPH_NONE);
    if (l->seen && l->loop != GRAPH_NONE)
        b->g->loops[b->base_loop + l->loop].last = b->f->vertices - 1;
    b->at = vertex(b, VERTEX_JOIN, 0);
    return 0;
}

static int put_goto_loop(builder *b, uint32_t behind_label) {
    graph_loop *loop;
    uint32_t index;
    if (behind_label == GRAPH_NONE) return refuse(b, "the skeleton has a G that follows no label");
    if (number(b, &index) != 0) return -1;
    loop = place_loop(b, index, "g");
    if (!loop) return -1;
    follow(b, VERTEX_LOOP, index);
    loop->vertex = loop->first = loop->last = b->at;
    b->labels[behind_label].loop = index;
    return 0;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* <i,pv>, if it stands there. */
static int type(builder *b, uint32_t *value) {
    const char *start = b->text + b->at_byte, *stop;
    *value = GRAPH_NONE;
    if (b->at_byte >= b->size || *start != '<') return 0;
    stop = (const char *)memchr(start, '>', b->size - b->at_byte);
    if (!stop) return refuse(b, "the skeleton has a type without an end");
    *value = graph_name(b->g, start + 1, (size_t)(stop - start - 1));
    b->at_byte += (size_t)(stop - start) + 1;
    return 0;
}

static int put_call(builder *b, int kind) {
    uint32_t n, of_pointer = GRAPH_NONE;
    if (number(b, &n) != 0 || (kind == 'i' && type(b, &of_pointer) != 0)) return -1;
    if (kind == 'c' && n >= b->f->calls)
        return refuse(b, "the skeleton has a call without a C line");
    follow(b, kind == 'c' ? VERTEX_CALL : VERTEX_INDIRECT, n);
    b->g->vertices[b->f->first_vertex + b->at].type = of_pointer;
    return 0;
}

static int leave(builder *b, uint32_t target, const char *reason) {
    if (target == GRAPH_NONE) return refuse(b, reason);
    leave_for(b, target);
    return 0;
}

static int item(builder *b) {
    uint32_t label_before = b->last_label;
    int kind = b->text[b->at_byte++];
    b->last_label = GRAPH_NONE;
    switch (kind) {
    case 'c': case 'i': return put_call(b, kind);
    case 'W': case 'D': return open_loop(b, kind);
    case 'S':
        if (expect_brace(b) != 0) return -1;
        open_block(b, 'S');
        return 0;
    case '{':
        open_block(b, '{');
        return 0;
    case '(':
        push(b, '(')->split = b->at;
        return 0;
    case '|': return bar(b);
    case ')': return close_arms(b);
    case ';': return next_section(b);
    case '}': return close_brace(b);
    case 'b': return leave(b, b->break_to, "the skeleton has a b outside of what it leaves");
    case 'k': return leave(b, b->continue_to, "the skeleton has a k outside of a loop");
    case 'r': return leave(b, 1, "");
    case 'l': case 'm': return put_label(b, kind == 'm');
    case 'g': return put_goto(b);
    case 'G': return put_goto_loop(b, label_before);
    case 'x':
        if (b->any_label == GRAPH_NONE) b->any_label = bare_vertex(b, VERTEX_JOIN, 0);
        leave_for(b, b->any_label);
        b->last_any = b->f->vertices - 1;
        return 0;
    default:
        b->at_byte--;
        return refuse(b, "the skeleton has an unknown item");
    }
}

/* A computed goto leads to the label. The loop whose check stands there reaches
   to the last one. */
static void reach_by_any(builder *b, const label *l) {
    graph_loop *loop;
    join(b, b->any_label, l->vertex, GRAPH_NONE);
    if (l->loop == GRAPH_NONE) return;
    loop = &b->g->loops[b->base_loop + l->loop];
    loop->by_address = 1;
    if (loop->last < b->last_any) loop->last = b->last_any;
}

static int finish(builder *b) {
    size_t i;
    if (b->depth) return refuse(b, "the skeleton lacks a bracket at its end");
    join(b, b->at, 1, GRAPH_NONE);
    for (i = 0; i < b->label_count; i++) {
        if (b->labels[i].vertex == GRAPH_NONE) continue;
        if (!b->labels[i].seen) return refuse(b, "the skeleton goes to a label that it has not");
        if (b->any_label != GRAPH_NONE && !b->labels[i].by_name) reach_by_any(b, &b->labels[i]);
    }
    for (i = 0; i < b->f->loops; i++) {
        if (b->g->loops[b->base_loop + i].vertex == GRAPH_NONE)
            return refuse(b, "the skeleton lacks a loop of an L line");
    }
    return 0;
}

/* Sorts the edges by the vertex that they leave. */
static void lay_out(builder *b) {
    graph *g = b->g;
    graph_vertex *vertices = &g->vertices[b->f->first_vertex];
    uint32_t v, sum = 0;
    size_t i;
    while (g->edge_count + b->arrow_count > g->edge_room)
        TOOL_ROOM(graph_edge, g->edges, g->edge_room, g->edge_room);
    for (i = 0; i < b->arrow_count; i++) vertices[b->arrows[i].from].first_edge++;
    for (v = 0; v < b->f->vertices; v++) {
        sum += vertices[v].first_edge;
        vertices[v].first_edge = sum;
    }
    for (i = b->arrow_count; i-- > 0;) {
        graph_edge *e = &g->edges[g->edge_count + --vertices[b->arrows[i].from].first_edge];
        e->to = b->arrows[i].to;
        e->loop = b->arrows[i].loop;
    }
    b->f->edges = (uint32_t)b->arrow_count;
    g->edge_count += b->arrow_count;
}

int graph_read_skeleton(graph *g, graph_function *f, const char *skeleton, size_t size,
                        size_t offset, dump_fault *fault) {
    builder b;
    size_t i;
    int status = 0;
    memset(&b, 0, sizeof b);
    b.g = g;
    b.f = f;
    b.text = skeleton;
    b.size = size;
    b.offset = offset;
    b.fault = fault;
    b.base_loop = f->first_loop;
    b.inside_switch = b.break_to = b.continue_to = b.any_label = b.last_label = GRAPH_NONE;
    for (i = 0; i < size; i++)
        b.label_count += skeleton[i] == 'l' || skeleton[i] == 'm' || skeleton[i] == 'g';
    if (b.label_count) f->flags |= GRAPH_HAS_LABELS;
    b.labels = (label *)tool_alloc((b.label_count + 1) * sizeof *b.labels);
    for (i = 0; i < b.label_count; i++) {
        b.labels[i].vertex = b.labels[i].loop = GRAPH_NONE;
        b.labels[i].seen = b.labels[i].by_name = 0;
    }
    f->first_vertex = g->vertex_count;
    f->first_edge = g->edge_count;
    f->vertices = 0;
    b.at = bare_vertex(&b, VERTEX_JOIN, 0);
    bare_vertex(&b, VERTEX_JOIN, 0);
    while (status == 0 && b.at_byte < size) status = item(&b);
    if (status == 0) status = finish(&b);
    if (status == 0) lay_out(&b);
    free(b.labels);
    free(b.stack);
    free(b.arrows);
    return status;
}
