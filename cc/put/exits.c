/* exits.c - see exits.h. */
#include "cc/put/exits.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* Functions of the C library that return, whatever they are given, and call
   nothing back. */
static int always_returns(const cc_unit *u, uint32_t token) {
    static const char *const names[] = {
        "strlen", "strcmp", "strncmp", "strchr", "strrchr", "strcpy", "strncpy", "strcat",
        "strstr", "strcspn", "strspn", "memcpy", "memmove", "memset", "memcmp", "memchr",
        "abs", "labs", "fabs", "sqrt", "floor", "ceil", "pow", "exp", "log", "sin", "cos",
        "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "isprint", "isxdigit",
        "toupper", "tolower", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
        "__errno_location"
    };
    cc_name *name = cc_find((cc_unit *)u, token, 0);
    size_t i;
    if (name && name->function) return 0;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (cc_spells(&u->tokens, token, names[i])) return 1;
    }
    return 0;
}

/* The function of this file that a node calls by its name, or NULL. */
static const cc_function *callee_here(const cc_unit *u, const cc_node *n) {
    const cc_name *name = n->kind == CC_N_CALL ? cc_find((cc_unit *)u, n->first, 0) : NULL;
    return name && name->function ? &u->functions[name->function - 1] : NULL;
}

int cc_exits_call(const cc_unit *u, const cc_node *n) {
    const cc_function *f = callee_here(u, n);
    if (n->kind == CC_N_INDIRECT) return 1;
    return n->kind == CC_N_CALL && !(f && f->returns) && !always_returns(u, n->first);
}

int cc_exits_in(const cc_unit *u, uint32_t node) {
    int i;
    for (; node; node = u->nodes[node].next) {
        const cc_node *n = &u->nodes[node];
        if (cc_exits_call(u, n)) return 1;
        for (i = 0; i < 4; i++) {
            if (n->kid[i] && cc_exits_in(u, n->kid[i])) return 1;
        }
    }
    return 0;
}

/* The bracket that opens around token i, or UINT32_MAX. */
static uint32_t bracket_around(const cc_tokens *t, uint32_t i) {
    while (i-- > 0) {
        uint32_t match = t->list[i].match;
        if (match > i) return i;
        if (match && match < i) i = match;
    }
    return UINT32_MAX;
}

/* Does the bracket hold the arguments of a call, or an index? */
static int is_argument(const cc_tokens *t, uint32_t open) {
    if (cc_is(t, open, '[')) return 1;
    if (!cc_is(t, open, '(') || open == 0) return 0;
    return cc_is_name(t, open - 1) || cc_is(t, open - 1, ')') || cc_is(t, open - 1, ']');
}

static int is_one_of(const cc_tokens *t, uint32_t i, const char *these) {
    return t->list[i].kind == CC_OPERATOR && t->list[i].word < 128 && t->list[i].word != 0 &&
           strchr(these, (int)t->list[i].word) != NULL;
}

/* Does no statement end between these tokens? */
static int is_initializer(const cc_tokens *t, uint32_t i, uint32_t close) {
    while (++i < close && !cc_is(t, i, ';')) {
        if (t->list[i].match > i) i = t->list[i].match;
    }
    return i >= close;
}

int cc_exits_used(const cc_unit *u, uint32_t first, uint32_t last) {
    const cc_tokens *t = &u->tokens;
    for (;;) {
        uint32_t open = bracket_around(t, first);
        if (open == UINT32_MAX) return 0;
        if (is_argument(t, open)) return 1;
        if (!is_one_of(t, first - 1, "(,;{}:?") && t->list[first - 1].kind == CC_OPERATOR &&
            !cc_is(t, first - 1, ')')) return 1;
        if (!is_one_of(t, last + 1, "),;}:")) return 1;
        if (cc_is(t, open, '{')) return is_initializer(t, last, t->list[open].match);
        if (!cc_is(t, open, '(') || t->list[open].match != last + 1) return 0;
        first = open;
        last++;
    }
}

void cc_exits_mark(text *out, const char *table, uint32_t vertex) {
    text_format(out,
                "__asm__ __volatile__ __inline__(\".Lbursty%%=:.pushsection bursty_calls,"
                "\\\"aR\\\",%%%%progbits\\n.long .Lbursty%%=-.,%s_x+%lu-.\\n.popsection\"::)",
                table, 4 * (unsigned long)vertex);
}

/* ---- frames ---- */

/* A thread may still be in a loop when the program ends. Assembly may do
   anything. */
static int may_last(const cc_node *n) {
    switch (n->kind) {
    case CC_N_WHILE: case CC_N_DO: case CC_N_FOR: case CC_N_GOTO: case CC_N_GOTO_STAR:
    case CC_N_ASM: case CC_N_CLEANUP: case CC_N_NESTED: return 1;
    default: return 0;
    }
}

/* Does a node of the list, or of what they hold, lead out of the function other
   than by its return? leaves: of each function of the file, or NULL: the
   function must return at once, too. */
static int leads_out(cc_unit *u, const uint8_t *leaves, uint32_t node) {
    int i;
    for (; node; node = u->nodes[node].next) {
        const cc_node *n = &u->nodes[node];
        if (!leaves && may_last(n)) return 1;
        if (cc_exits_call(u, n)) {
            const cc_function *f = callee_here(u, n);
            if (!leaves || !f || leaves[f - u->functions]) return 1;
        }
        for (i = 0; i < 4; i++) {
            if (n->kid[i] && leads_out(u, leaves, n->kid[i])) return 1;
        }
    }
    return 0;
}

/* A function that is not static may be another one when the program runs. A
   walk may find one function after its callers, so it is done until nothing is
   new. */
void cc_exits_find(cc_unit *u) {
    uint32_t i;
    int changed = 1;
    while (changed) {
        changed = 0;
        for (i = 0; i < u->function_count; i++) {
            cc_function *f = &u->functions[i];
            if (f->returns || !f->root || f->reason || !(f->flags & CC_IS_STATIC)) continue;
            if (leads_out(u, NULL, f->root)) continue;
            f->returns = 1;
            changed = 1;
        }
    }
}

void cc_exits_keep_frames(cc_unit *u, cc_edits *edits, int keeps_all, const uint8_t *only) {
    uint8_t *leaves = (uint8_t *)tool_alloc((size_t)u->function_count + 1);
    uint32_t i, k;
    int changed = 1;
    memset(leaves, 0, (size_t)u->function_count + 1);
    while (changed) {
        changed = 0;
        for (i = 0; i < u->function_count; i++) {
            const cc_function *f = &u->functions[i];
            if (leaves[i] || f->returns || !f->root) continue;
            if (!f->reason && !(keeps_all ? cc_exits_in(u, f->root)
                                          : leads_out(u, leaves, f->root))) continue;
            leaves[i] = 1;
            changed = 1;
        }
    }
    for (i = 0; i < u->function_count; i++) {
        const cc_function *f = &u->functions[i];
        int is_always = 0;
        if (!leaves[i] || only[i] || f->in_system || f->reason || f->gnu_inline || f->naked) continue;
        for (k = f->start; k < f->open; k++) {
            is_always |= cc_spells(&u->tokens, k, "always_inline") ||
                         cc_spells(&u->tokens, k, "__always_inline__");
        }
        if (is_always && keeps_all) {
            u->functions[i].reason = "always-inline-with-calls";
            u->functions[i].reason_line = u->tokens.list[f->name].line;
        } else if (!is_always) {
            cc_insert_open(edits, u->tokens.list[f->start].at, "__attribute__((noinline)) ");
        }
    }
    free(leaves);
}

void cc_exits_front(text *front, const char *table, uint32_t vertices) {
    text_format(front,
                "__attribute__((visibility(\"hidden\"))) unsigned %s_x[%lu];\n"
                "extern void *bursty_landing(void *, const void *) "
                "__attribute__((visibility(\"hidden\")));\n",
                table, (unsigned long)vertices);
}

void cc_exits_inlined(text *front, const char *table, uint32_t first, uint32_t vertices,
                      uint32_t at) {
    text_format(front,
                "__asm__(\".pushsection bursty_inlined,\\\"aR\\\",%%progbits\\n"
                ".long %s_x+%lu-.,%s_x+%lu-.,%s_x+%lu-.\\n.popsection\");\n",
                table, 4 * (unsigned long)first, table, 4 * (unsigned long)(first + vertices),
                table, 4 * (unsigned long)at);
}
