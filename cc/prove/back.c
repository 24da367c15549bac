/* back.c - what stands before each node in its frame: for walks from a use to
   its writes.

   What follows a call of a function that never comes back is no successor
   of the call, though it was decoded: most often another part of the program
   begins there, with other values in its registers. While jumps are still being
   found, one that leads nowhere yet may come back.

   Nor does anything stand before a node that nothing leads to: what follows a
   call that never comes back may go on to code that does run, and would seem to
   be another beginning of it. What has been reached once stays so, for jumps
   that were read may not be read in the next round. */
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct pairs { uint32_t *list; size_t count; } pairs;

static void add(pairs *p, uint32_t from, uint32_t to) {
    if (from == PROVE_NONE) return;
    p->list[2 * p->count] = from;
    p->list[2 * p->count++ + 1] = to;
}

static int is_end(const prove_node *n) {
    return n->kind == CODE_RETURN || n->kind == CODE_JUMP_OUT || n->kind == CODE_JUMP_ANY ||
           n->kind == CODE_UNREAD || (n->kind == CODE_BRANCH && n->to == PROVE_NONE);
}

/* Marks the nodes from which the end of the function can be reached. */
static void find_returns(const prove_code *c, const graph_links *back, const graph_links *callers,
                         uint8_t *returns) {
    uint32_t *stack = (uint32_t *)tool_alloc((c->count + 1) * sizeof *stack), v;
    size_t height = 0, k;
    memset(returns, 0, c->count);
    for (v = 0; v < c->count; v++) {
        if (!is_end(&c->nodes[v])) continue;
        returns[v] = 1;
        stack[height++] = v;
    }
    while (height) {
        v = stack[--height];
        for (k = back->first[v]; k < back->first[v + 1]; k++) {
            uint32_t from = back->to[k];
            const prove_node *n = &c->nodes[from];
            if (returns[from]) continue;
            if (n->kind == CODE_CALL && n->next == v && !returns[n->to]) continue;
            returns[from] = 1;
            stack[height++] = from;
        }
        for (k = callers->first[v]; k < callers->first[v + 1]; k++) {
            uint32_t from = callers->to[k], next = c->nodes[from].next;
            if (returns[from] || next == PROVE_NONE || !returns[next]) continue;
            returns[from] = 1;
            stack[height++] = from;
        }
    }
    free(stack);
}

/* returns: NULL, or the nodes from which the end of their function can be
   reached. */
static int goes_on(const prove_node *n, const uint8_t *returns) {
    return n->next != PROVE_NONE && (n->kind != CODE_CALL || !returns || returns[n->to]);
}

typedef struct reach {
    const prove_code *c;
    uint8_t *seen;
    uint32_t *stack;
    size_t height;
} reach;

static void visit(reach *r, uint32_t node) {
    if (node == PROVE_NONE || r->seen[node]) return;
    r->seen[node] = 1;
    r->stack[r->height++] = node;
}

static uint32_t node_of(const prove_code *c, uint64_t at) {
    if (at < c->im->text_lo || at >= c->im->text_hi) return PROVE_NONE;
    return c->node_of[at - c->im->text_lo] - 1; /* PROVE_NONE, if there is none */
}

static void visit_all(reach *r, const prove_list *l) {
    size_t i;
    for (i = 0; i < l->count; i++) visit(r, node_of(r->c, l->list[i]));
}

/* Marks what can be reached from where the system, a pointer or another image
   enters, and from what is marked. */
static void find_reached(const prove_code *c, const uint8_t *returns, uint8_t *seen) {
    uint32_t *jumps = (uint32_t *)tool_alloc((2 * c->extra_count + 1) * sizeof *jumps), v;
    graph_links extra;
    reach r;
    size_t k;
    memset(&r, 0, sizeof r);
    r.c = c;
    r.seen = seen;
    r.stack = (uint32_t *)tool_alloc((c->count + 1) * sizeof *r.stack);
    for (k = 0; k < c->extra_count; k++) {
        jumps[2 * k] = c->extra[k].from;
        jumps[2 * k + 1] = c->extra[k].to;
    }
    links_build(&extra, (uint32_t)c->count, jumps, c->extra_count);
    for (v = 0; v < c->count; v++) {
        if (seen[v]) r.stack[r.height++] = v;
    }
    visit_all(&r, &c->im->roots);
    visit_all(&r, &c->im->exported);
    visit_all(&r, &c->im->taken);
    visit_all(&r, &c->labels);
    while (r.height) {
        const prove_node *n = &c->nodes[v = r.stack[--r.height]];
        if (goes_on(n, returns)) visit(&r, n->next);
        visit(&r, n->to);
        for (k = extra.first[v]; k < extra.first[v + 1]; k++) visit(&r, extra.to[k]);
    }
    links_free(&extra);
    free(r.stack);
    free(jumps);
}

static void enter_all(prove_code *c, const prove_list *l) {
    size_t i;
    for (i = 0; i < l->count; i++) {
        uint32_t node = node_of(c, l->list[i]);
        if (node != PROVE_NONE) c->nodes[node].is_entered = 1;
    }
}

/* Marks where a call, a pointer, the system or another image enters. The start of a part of a
   function that stands elsewhere (.cold) is no such place. */
static void find_entered(prove_code *c) {
    size_t n;
    for (n = 0; n < c->count; n++) {
        const prove_node *node = &c->nodes[n];
        if (node->kind == CODE_CALL) c->nodes[node->to].is_entered = 1;
    }
    enter_all(c, &c->im->roots);
    enter_all(c, &c->im->exported);
    enter_all(c, &c->im->taken);
}

int prove_all_reached(const prove_code *c) {
    uint8_t *seen = (uint8_t *)tool_alloc(c->count + 1);
    size_t k = 0;
    memset(seen, 0, c->count + 1);
    find_reached(c, NULL, seen);
    while (k < c->count && seen[k]) k++;
    free(seen);
    return k == c->count;
}

/* reached: NULL, or the nodes that stand before others. */
static void build(const prove_code *c, const uint8_t *returns, const uint8_t *reached, pairs *p,
                  graph_links *out) {
    uint32_t n;
    size_t k;
    p->count = 0;
    for (n = 0; n < c->count; n++) {
        const prove_node *node = &c->nodes[n];
        if (reached && !reached[n]) continue;
        if (goes_on(node, returns)) add(p, node->next, n);
        if (node->kind == CODE_BRANCH || node->kind == CODE_JUMP) add(p, node->to, n);
    }
    for (k = 0; k < c->extra_count; k++) {
        if (!reached || reached[c->extra[k].from])
            add(p, c->extra[k].to, c->extra[k].from);
    }
    links_build(out, (uint32_t)c->count, p->list, p->count);
}

void prove_look_back(prove_code *c) {
    pairs p = {NULL, 0};
    graph_links all, callers;
    uint8_t *returns = (uint8_t *)tool_alloc(2 * c->count + 2), *reached = returns + c->count + 1;
    uint32_t n;
    p.list = (uint32_t *)tool_alloc((4 * c->count + 2 * c->extra_count + 2) * sizeof *p.list);
    for (n = 0; n < c->count; n++) {
        if (c->nodes[n].kind == CODE_CALL) add(&p, c->nodes[n].to, n);
    }
    links_build(&callers, (uint32_t)c->count, p.list, p.count);
    build(c, NULL, NULL, &p, &all);
    find_returns(c, &all, &callers, returns);
    for (n = 0; n < c->count; n++) reached[n] = c->nodes[n].is_reached;
    find_reached(c, returns, reached);
    find_entered(c);
    for (n = 0; n < c->count; n++) c->nodes[n].is_reached = reached[n];
    links_free(&c->back);
    build(c, returns, reached, &p, &c->back);
    links_free(&all);
    links_free(&callers);
    free(returns);
    free(p.list);
}
