/* points.c - the text of checks.

   A check is a declaration with an initialiser where a declaration follows,
   because a block of C90 takes no statement in front of its declarations.
   Elsewhere it is a statement:

       int f(int a) { __attribute__((unused)) char bursty_1=(CHECK,0); ...
       for (...) {    __attribute__((unused)) char bursty_2=(CHECK,0); ... }

   CHECK takes one from the thread's word and goes to the slow path if the word
   becomes negative; gcc and clang make two instructions of it (bursty.h, "the
   check"). Where that is assembly, so it is here, as an expression in gcc's
   braces. Its places stand in one table in front of the file. The declarations
   there are a frozen copy of what a check needs: bursty.h itself must not be
   included, since the file may include it, too. */
#include "cc/put/dual.h"
#include <stdlib.h>

/* Kinds of events: BURSTY_CALL, BURSTY_BACKEDGE, BURSTY_FRAME of bursty.h. */
enum { CALL = 1, BACKEDGE = 4, FRAME = 256 };

/* A loop that `bursty place --within` cuts into strips. Each round takes its
   weight off a budget of the function, two instructions on a register, and a
   check stands where the budget is used up. In assembly the two stay as they
   are, so that the proof can tell how often they let a round pass. The check
   opens and ends bursts, but is no event: it stands for no one round. */
static int is_strip(const cc_writer *p, const cc_loop *loop) {
    return loop->checked && loop->weight && !p->choice->dual;
}

static void strip_expression(const cc_writer *p, text *out, uint32_t site, const cc_loop *loop) {
    unsigned long weight = loop->weight, budget = loop->budget;
    if (p->choice->keeps != CC_KEEPS_NOT) {
        text_format(out, "__extension__({int bursty_out;__asm__ __volatile__(\"subl\\t%%2,%%0\":"
                         "\"+r\"(bursty_left),\"=@ccs\"(bursty_out):\"i\"(%lu));"
                         "if(__builtin_expect(bursty_out,0)){bursty_left=%luu;", weight, budget);
        cc_check_expression(p, out, site);
        text_add(out, ";}(void)0;})");
        return;
    }
    text_format(out, "(__builtin_expect((int)(bursty_left-=%luu)<0,0)?(void)(bursty_left=%luu,",
                weight, budget);
    cc_check_expression(p, out, site);
    text_add(out, "):(void)0)");
}

static int has_strips(const cc_writer *p, const cc_flow *flow) {
    uint32_t k;
    for (k = 0; k < flow->loop_count; k++) {
        if (is_strip(p, &flow->loops[k])) return 1;
    }
    return 0;
}

static char *scope(const cc_writer *p, uint32_t site) {
    text t = {NULL, 0, 0};
    text_format(&t, "__attribute__((unused,cleanup(bursty_cc_leave))) struct bursty_cc_scope "
                    "bursty_%lu=bursty_cc_enter(&%s[%lu]);",
                (unsigned long)site, p->table, (unsigned long)site);
    return text_take(&t);
}

static uint32_t begin_of(const cc_writer *p, uint32_t token) { return p->u->tokens.list[token].at; }

static uint32_t end_of(const cc_writer *p, uint32_t token) {
    return p->u->tokens.list[token].at + p->u->tokens.list[token].size;
}

/* Behind the '{' and the `__label__ a, b;` that must stand first in a block. */
static uint32_t behind_labels(const cc_writer *p, uint32_t open) {
    const cc_tokens *t = &p->u->tokens;
    while (cc_is(t, open + 1, CC_LOCAL_LABEL)) {
        for (open++; !cc_is(t, open, ';'); open++) {
        }
    }
    return end_of(p, open);
}

/* The check as a statement, which a debugger does not show, where no
   declaration follows. loop: NULL at an entry. */
static char *check_in_block(const cc_writer *p, uint32_t body, uint32_t site,
                            const cc_loop *loop) {
    const cc_node *n = &p->u->nodes[body];
    text t = {NULL, 0, 0};
    if (loop && is_strip(p, loop)) strip_expression(p, &t, site, loop);
    else cc_check_expression(p, &t, site);
    if (n->kind == CC_N_BLOCK && p->u->nodes[n->kid[0]].kind == CC_N_DECLARATION)
        return cc_as_declaration(&t, site);
    text_add(&t, ";");
    return text_take(&t);
}

static uint32_t add_loop_site(cc_writer *p, const cc_function *f, const cc_loop *loop) {
    return cc_add_site(p, f->name, p->u->nodes[loop->node].first,
                       is_strip(p, loop) ? 0 : BACKEDGE);
}

/* tests: it is an event alone, if it has no check. */
static void put_entry(cc_writer *p, const cc_function *f, const cc_flow *flow, int tests) {
    char *words;
    uint32_t site;
    if (!flow->checked && !tests) return;
    site = cc_add_site(p, f->name, f->name,
                       !flow->checked     ? CALL | CC_EVENT_ALONE
                       : p->choice->scope ? CALL | FRAME
                                          : CALL);
    words = !flow->checked      ? cc_event_declaration(p, site, CALL, 0)
            : p->choice->scope ? scope(p, site)
                               : check_in_block(p, f->root, site, NULL);
    cc_insert_open(p->edits, behind_labels(p, f->open), words);
    free(words);
}

/* A label's check is a statement behind the label; braces keep it and what the
   label names one statement, unless the label stands in a block of its own
   right. */
static void put_label(cc_writer *p, const cc_function *f, const cc_loop *loop) {
    const cc_node *n = &p->u->nodes[loop->node];
    uint32_t site = add_loop_site(p, f, loop), kid = n->kid[1];
    text t = {NULL, 0, 0};
    char *words;
    text_add(&t, "{");
    if (is_strip(p, loop)) strip_expression(p, &t, site, loop);
    else cc_check_expression(p, &t, site);
    text_add(&t, ";}");
    words = text_take(&t);
    if (kid && p->u->nodes[kid].kind != CC_N_DECLARATION) {
        cc_insert_open(p->edits, begin_of(p, n->first), "{");
        cc_insert_close(p->edits, end_of(p, n->last), "}");
    }
    cc_insert_open(p->edits, end_of(p, n->a), words);
    free(words);
}

static void put_loop(cc_writer *p, const cc_function *f, const cc_loop *loop) {
    const cc_node *n = &p->u->nodes[loop->node];
    const cc_node *body = &p->u->nodes[n->kid[1]];
    uint32_t site = add_loop_site(p, f, loop);
    char *words = check_in_block(p, n->kid[1], site, loop);
    if (body->kind == CC_N_BLOCK) {
        cc_insert_open(p->edits, behind_labels(p, body->first), words);
    } else {
        cc_insert_open(p->edits, begin_of(p, body->first), "{");
        cc_insert_open(p->edits, begin_of(p, body->first), words);
        cc_insert_close(p->edits, end_of(p, body->last), "}");
    }
    free(words);
}

/* ---- in front ---- */

/* The same as BURST_SCOPE of bursty.h does in C. A tick interrupts anywhere: for
   it each store is made, and the site's before the depth's. */
static void put_scope_helpers(text *front, int ticks) {
    const char *depth = ticks ? "*(volatile unsigned *)&bursty_cc_here.depth"
                              : "bursty_cc_here.depth";
    const char *slot = ticks ? "((const struct bursty_cc_site *volatile *)bursty_cc_here.stack)"
                             : "bursty_cc_here.stack";
    text_add(front, "struct bursty_cc_scope { const struct bursty_cc_site *site; unsigned depth; }"
                    ";\n"
                    "static __inline __attribute__((always_inline,unused)) struct bursty_cc_scope "
                    "bursty_cc_enter(const struct bursty_cc_site *site) {\n"
                    "struct bursty_cc_scope s;\n"
                    "if (__builtin_expect((int)--bursty_cc_here.n<0,0)) bursty_cc_hit(site,0ul);\n"
                    "s.site=site; s.depth=bursty_cc_here.depth;\n"
                    "if (s.depth<64u) ");
    text_format(front, "%s[s.depth]=site;\n%s=s.depth+1u; return s; }\n", slot, depth);
    text_add(front, "static __inline __attribute__((always_inline,unused)) void "
                    "bursty_cc_leave(struct bursty_cc_scope *s) {\n");
    text_format(front, "%s=s->depth;\n", depth);
    text_add(front, "if (__builtin_expect((int)bursty_cc_here.n<0,0)) "
                    "bursty_cc_event(s->site,0ul,258u); }\n");
}

/* cc/inside/twins.c */
static void put_twin_declarations(text *front, const char *hidden) {
    text_add(front, "struct bursty_cc_twin { void (*first)(void), (*second)(void); };\n");
    text_format(front, "%s __attribute__((cold,noinline)) void (*bursty_cc_twin_of(void (*)(void), "
                       "unsigned))(void) __asm__(\"bursty_twin_of\");\n", hidden);
    text_format(front, "%s __attribute__((cold,noinline)) unsigned bursty_cc_twin_mark(void) "
                       "__asm__(\"bursty_twin_mark\");\n", hidden);
    text_format(front, "%s __attribute__((cold,noinline)) void bursty_cc_twin_keep(unsigned *) "
                       "__asm__(\"bursty_twin_keep\");\n", hidden);
}

/* src/bursty/since.c */
static void put_dual_declarations(text *front, const char *hidden) {
    text_add(front, "enum { bursty_copy };\n");             /* of a loop's copy, its number */
    text_format(front, "%s __attribute__((cold,noinline)) unsigned bursty_cc_mark(void) "
                       "__asm__(\"bursty_note_mark\");\n", hidden);
    text_format(front, "%s __attribute__((cold,noinline)) void bursty_cc_since(const struct "
                       "bursty_cc_site *, unsigned long, unsigned, unsigned) "
                       "__asm__(\"bursty_note_since\");\n", hidden);
}

static void put_front(const cc_writer *p, text *front) {
    const cc_choice *c = p->choice;
    const char *hidden = "extern __attribute__((visibility(\"hidden\")))";
    text_add(front, "struct bursty_cc_site { const char *name, *file; unsigned line, kind; };\n");
    text_format(front, "%s __attribute__((cold,noinline)) unsigned bursty_cc_hit"
                       "(const struct bursty_cc_site *, unsigned long) "
                       "__asm__(\"bursty_hit\");\n",
                hidden);
    text_format(front, "%s __attribute__((cold,noinline)) void bursty_cc_event(const struct "
                       "bursty_cc_site *, unsigned long, unsigned) __asm__(\"bursty_note\");\n",
                hidden);
    if (c->dual) put_dual_declarations(front, hidden);
    if (c->twins) put_twin_declarations(front, hidden);
    text_format(front, "%s ", hidden);
    if (!c->no_tls && c->tls_model) {
        text_format(front, "__attribute__((tls_model(\"%s\"))) ", c->tls_model);
    }
    text_format(front, "%s%s __asm__(\"bursty_here_%s_64\");\n", c->no_tls ? "" : "__thread ",
                c->scope ? "struct bursty_cc_here { unsigned n, depth; const struct bursty_cc_site "
                           "*stack[64]; } bursty_cc_here"
                         : "unsigned bursty_cc_word",
                c->no_tls ? "global" : "tls");
    if (c->scope) put_scope_helpers(front, c->ticks);
    if (c->dual) {
        text_format(front, "static __inline __attribute__((always_inline,unused)) unsigned "
                           "bursty_cc_at(void) { return __builtin_expect((int)%s<0,0)?"
                           "bursty_cc_mark():0u; }\n", cc_word(p));
    }
    text_format(front, "__attribute__((visibility(\"hidden\"))) const struct bursty_cc_site "
                       "%s[] = {\n", p->table);
    text_bytes(front, p->sites.data, p->sites.size);
    text_add(front, "};\n");
}

/* The budget of all strips of the function. */
static void put_budget(cc_writer *p, const cc_function *f, const cc_flow *flow) {
    text t = {NULL, 0, 0};
    uint32_t k;
    for (k = 0; !is_strip(p, &flow->loops[k]); k++) {
    }
    text_format(&t, "__attribute__((unused)) unsigned bursty_left=%luu;",
                (unsigned long)flow->loops[k].budget);
    text_bytes(&t, "", 1);
    cc_insert_open(p->edits, behind_labels(p, f->open), t.data);
    text_free(&t);
}

static void put_function(cc_writer *p, cc_dual *dual, uint32_t i) {
    const cc_function *f = &p->u->functions[i];
    const cc_flow *flow = &p->flows[i];
    uint32_t k;
    int tests = dual ? cc_dual_tests(dual, i) : p->choice->keep_events && flow->calls;
    if (!dual || cc_dual_entry(dual, i) != 0) put_entry(p, f, flow, tests);
    if (has_strips(p, flow)) put_budget(p, f, flow);
    for (k = 0; k < flow->loop_count; k++) {
        if (!flow->loops[k].checked) continue;
        if (dual && cc_dual_loop(dual, i, k) == 0) continue;
        if (flow->loops[k].kind == 'g') put_label(p, f, &flow->loops[k]);
        else put_loop(p, f, &flow->loops[k]);
    }
}

uint32_t cc_points(cc_unit *u, const cc_flow *flows, const cc_choice *choice, uint64_t unit,
                   cc_edits *edits, text *front, cc_refusals *refused) {
    cc_writer p = {u, flows, choice, edits, {NULL, 0, 0}, 0, {0}};
    cc_dual *dual;
    uint32_t i;
    size_t size;
    text table = {NULL, 0, 0};
    text_format(&table, "bursty_sites_%08lx%08lx", (unsigned long)(unit >> 32),
                (unsigned long)(unit & 0xFFFFFFFF));
    for (size = 0; size < table.size; size++) p.table[size] = table.data[size];
    text_free(&table);
    dual = choice->dual ? cc_dual_begin(&p) : NULL;
    for (i = 0; i < u->function_count; i++) put_function(&p, dual, i);
    if (dual) cc_dual_end(dual, refused);
    if (p.count > 0) put_front(&p, front);
    text_free(&p.sites);
    return p.count;
}
