/* back.c - what stands before each node in its frame: for walks from a use to
   its writes.

   What stands behind a call of a function that never comes back is no successor
   of the call, though it was decoded: most often another part of the program
   begins there, with other values in its registers. While jumps are still being
   found, one that leads nowhere yet may come back. */
#include "prove/prove.h"
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

static void build(const prove_code *c, const uint8_t *returns, pairs *p, graph_links *out) {
    uint32_t n;
    size_t k;
    p->count = 0;
    for (n = 0; n < c->count; n++) {
        const prove_node *node = &c->nodes[n];
        if (node->kind != CODE_CALL || !returns || returns[node->to]) add(p, node->next, n);
        if (node->kind == CODE_BRANCH || node->kind == CODE_JUMP) add(p, node->to, n);
    }
    for (k = 0; k < c->extra_count; k++) add(p, c->extra[k].to, c->extra[k].from);
    links_build(out, (uint32_t)c->count, p->list, p->count);
}

void prove_look_back(prove_code *c) {
    pairs p = {NULL, 0};
    graph_links all, callers;
    uint8_t *returns = (uint8_t *)tool_alloc(c->count + 1);
    uint32_t n;
    p.list = (uint32_t *)tool_alloc((4 * c->count + 2 * c->extra_count + 2) * sizeof *p.list);
    for (n = 0; n < c->count; n++) {
        if (c->nodes[n].kind == CODE_CALL) add(&p, c->nodes[n].to, n);
    }
    links_build(&callers, (uint32_t)c->count, p.list, p.count);
    build(c, NULL, &p, &all);
    find_returns(c, &all, &callers, returns);
    links_free(&c->back);
    build(c, returns, &p, &c->back);
    links_free(&all);
    links_free(&callers);
    free(returns);
    free(p.list);
}
