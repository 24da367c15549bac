/* warn.c - which of the compiler's warnings the rewritten text may hide.

   Warnings that depend on types and on values are said about the rewritten
   text, too, and then the untouched command runs for its messages. But some
   look at how a statement is written, and braces or a counter hide that: they
   are found here, and the compiler reads the untouched text as well. To look
   once too often costs time; what is found here need not be worth a warning. */
#include "cc/put/rewrite.h"
#include <string.h>

static const cc_node *at(const cc_unit *u, uint32_t node) { return &u->nodes[node]; }

static int is_kind(const cc_unit *u, uint32_t node, cc_node_kind kind) {
    return node && at(u, node)->kind == kind;
}

/* The statement that if, else, while or for n ends with, and that may stand
   without braces. */
static uint32_t last_body(const cc_node *n) {
    switch (n->kind) {
    case CC_N_IF: return n->kid[2] ? n->kid[2] : n->kid[1];
    case CC_N_WHILE: case CC_N_FOR: return n->kid[1];
    default: return 0;
    }
}

/* -Wempty-body: `if (x);` */
static int has_empty_body(const cc_unit *u, const cc_node *n) {
    return is_kind(u, last_body(n), CC_N_EMPTY) ||
           ((n->kind == CC_N_IF || n->kind == CC_N_DO) && is_kind(u, n->kid[1], CC_N_EMPTY));
}

/* -Wdangling-else: `if (a) if (b) x; else y;` */
static int has_dangling_else(const cc_unit *u, const cc_node *n) {
    uint32_t inner;
    if (n->kind != CC_N_IF || n->kid[2]) return 0;
    for (inner = n->kid[1]; inner; inner = last_body(at(u, inner))) {
        if (at(u, inner)->kind == CC_N_IF && at(u, inner)->kid[2]) return 1;
    }
    return 0;
}

/* Bytes of the line in front of the token at byte `from`; *first: in front of
   the line's first. */
static uint32_t column(const cc_tokens *t, uint32_t from, uint32_t *first) {
    uint32_t start = from, i;
    while (start > 0 && t->text[start - 1] != '\n') start--;
    for (i = start; i < from && (t->text[i] == ' ' || t->text[i] == '\t'); i++) {
    }
    *first = i - start;
    return from - start;
}

/* -Wmisleading-indentation: what follows the body stands in its line, or deeper than its
   guard. */
static int is_misleading(const cc_unit *u, const cc_node *n) {
    const cc_tokens *t = &u->tokens;
    uint32_t body = last_body(n), next = n->last + 1, of_guard, of_next, guard = n->first;
    if (!body || at(u, body)->kind == CC_N_BLOCK || at(u, body)->kind == CC_N_IF) return 0;
    if (next >= t->count || cc_is(t, next, '}') || cc_is(t, next, CC_ELSE)) return 0;
    if (n->kind == CC_N_IF && n->kid[2]) guard = n->a;
    if (t->list[next].line == t->list[n->last].line) return 1;
    column(t, t->list[guard].at, &of_guard);
    return column(t, t->list[next].at, &of_next) > of_guard;
}

/* The statement that a label, or several, stand before. */
static const cc_node *behind_labels(const cc_unit *u, const cc_node *n) {
    while (n->kid[1] && (n->kind == CC_N_CASE || n->kind == CC_N_DEFAULT ||
                         n->kind == CC_N_LABEL)) n = at(u, n->kid[1]);
    return n;
}

/* -Wimplicit-fallthrough: a case behind a statement that may go on. */
static int falls_through(const cc_unit *u, const cc_node *n) {
    uint32_t kid, next;
    if (n->kind != CC_N_BLOCK) return 0;
    for (kid = n->kid[0]; kid; kid = next) {
        const cc_node *before = behind_labels(u, at(u, kid));
        next = at(u, kid)->next;
        if (!is_kind(u, next, CC_N_CASE) && !is_kind(u, next, CC_N_DEFAULT)) continue;
        switch (before->kind) {
        case CC_N_BREAK: case CC_N_RETURN: case CC_N_GOTO: case CC_N_CONTINUE:
        case CC_N_FALLTHROUGH: break;
        default: return 1;
        }
    }
    return 0;
}

/* clang's preprocessor ends its own definitions with a marker that gcc's does
   not write. */
static int is_clang(const cc_tokens *t) {
    static const char marker[] = "# 1 \"<built-in>\" 3";
    size_t i, most = t->size < 1000 ? t->size : 1000;
    for (i = 0; i + sizeof marker - 1 <= most; i++) {
        if (memcmp(t->text + i, marker, sizeof marker - 1) == 0) return 1;
    }
    return 0;
}

int cc_warnings_lost(const cc_unit *u, const cc_request *r) {
    int clang = is_clang(&u->tokens), look = CC_LOOK_NOT;
    uint32_t i;
    if (r->warns & CC_WARNS_NEVER) return CC_LOOK_NOT;
    /* clang warns without being asked, and of conditions and cases in many
       ways. */
    if (r->cover && (clang || r->warns & CC_WARNS_OF_LOGIC)) look = CC_LOOK_QUICKLY;
    for (i = 1; i < u->node_count; i++) {
        const cc_node *n = &u->nodes[i];
        if (r->cover && r->warns & CC_WARNS_OF_FALLING && falls_through(u, n))
            return clang ? CC_LOOK_QUICKLY : CC_LOOK_FULLY;
        if (look || !(clang || r->warns)) continue;
        if (has_empty_body(u, n) || has_dangling_else(u, n) || is_misleading(u, n))
            look = CC_LOOK_QUICKLY;
    }
    return look;
}
