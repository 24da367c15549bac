/* census.c - a second opinion on the parser, by counting.

   Every token of a body that must have made a node, an `if`, a `case`, a binary
   `&&`, is counted in the text, and every such node in the tree. A parser that
   has misread something has, with few exceptions, lost or doubled one of these,
   and then the function is left alone. */
#include "cc/read/tree.h"
#include <string.h>

enum { IF, ELSE, WHILE, DO, FOR, SWITCH, CASE, DEFAULT, GOTO, BREAK, CONTINUE, RETURN, QUESTION,
       AND, OR, KINDS };

static void count_token(const cc_unit *u, uint32_t i, uint32_t *count) {
    const cc_tokens *t = &u->tokens;
    uint32_t word = t->list[i].word;
    if (word >= CC_IF && word <= CC_RETURN) count[word - CC_IF]++;
    if (word == '?') count[QUESTION]++;
    if (word == CC_OP2('|', '|')) count[OR]++;
    if (word == CC_OP2('&', '&')) count[AND]++;
}

/* A unary && takes the address of a label: the parser has not made a node of
   it, and a label of that name must stand in the function. */
static int is_label_address(const cc_unit *u, const cc_function *f, uint32_t i) {
    const cc_tokens *t = &u->tokens;
    const cc_token *label = &t->list[i + 1];
    uint32_t k;
    if (!cc_is_name(t, i + 1)) return 0;
    for (k = f->open; k < f->close; k++) {
        if (!cc_is_name(t, k) || !cc_is(t, k + 1, ':') || t->list[k].size != label->size) continue;
        if (memcmp(t->text + t->list[k].at, t->text + label->at, label->size) == 0) return 1;
    }
    return 0;
}

static void count_node(const cc_node *n, uint32_t *count) {
    switch (n->kind) {
    case CC_N_IF:
        count[IF]++;
        count[ELSE] += n->a != 0;
        break;
    case CC_N_WHILE: count[WHILE]++; break;
    case CC_N_DO:
        count[DO]++;
        count[WHILE]++;
        break;
    case CC_N_FOR: count[FOR]++; break;
    case CC_N_SWITCH: count[SWITCH]++; break;
    case CC_N_CASE: count[CASE]++; break;
    case CC_N_DEFAULT: count[DEFAULT]++; break;
    case CC_N_GOTO: case CC_N_GOTO_STAR: count[GOTO]++; break;
    case CC_N_BREAK: count[BREAK]++; break;
    case CC_N_CONTINUE: count[CONTINUE]++; break;
    case CC_N_RETURN: count[RETURN]++; break;
    case CC_N_CHOICE: case CC_N_ELVIS: count[QUESTION]++; break;
    case CC_N_AND: count[AND]++; break;
    case CC_N_OR: count[OR]++; break;
    default: break;
    }
}

/* Nodes of a function were made after all of the functions before it: those
   behind `root`. */
int cc_census(cc_unit *u, const cc_function *f) {
    static const char *const reasons[KINDS] = {
        "census-if", "census-else", "census-while", "census-do", "census-for", "census-switch",
        "census-case", "census-default", "census-goto", "census-break", "census-continue",
        "census-return", "census-choice", "census-and", "census-or"};
    uint32_t tokens[KINDS] = {0}, nodes[KINDS] = {0}, addresses = 0, unary = 0, i;
    for (i = f->root; i < u->node_count; i++) count_node(&u->nodes[i], nodes);
    for (i = f->open; i < f->close; i++) {
        if (!u->tokens.list[i].skipped) count_token(u, i, tokens);
    }
    unary = tokens[AND] - nodes[AND];
    if (unary) {
        for (i = f->open; i < f->close; i++) {
            if (!u->tokens.list[i].skipped && cc_is(&u->tokens, i, CC_OP2('&', '&'))) {
                addresses += (uint32_t)is_label_address(u, f, i);
            }
        }
        if (addresses >= unary) tokens[AND] = nodes[AND];
    }
    for (i = 0; i < KINDS; i++) {
        if (tokens[i] != nodes[i]) {
            cc_give_up(u, f->open, reasons[i]);
            return -1;
        }
    }
    return 0;
}
