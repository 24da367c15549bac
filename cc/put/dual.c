/* dual.c - dual-path code (bursty-tracing, section 2): a check chooses between
   two copies.

       int f(int a) { char c = ({ if (CHECK < 0) return cold_f(a); 0; }); BODY }
       ...                                                      at the end of the file:
       int cold_f(int a) { if (HIT) return on_f(a); give the check back; return f(a); }
       int on_f(int a) { BODY with events }

       for (...) { if (CHECK < 0 && HIT) { BODY with events } else { BODY } }

   cold_f keeps the slow path out of f, which stays as it was but for two
   instructions. If no burst is live, cold_f calls f again, whose own check
   takes the one that was given back: so there is no third copy. What records
   costs nothing outside of bursts: entries of functions that have no check of
   their own, when on_f calls them as on_g, and rounds of loops without a check.
   Such an event has a chance of its own to be recorded, and is weighed by it:
   `bursty_at` is the place of the check by which this run could be entered
   (src/bursty/since.c), and on_g gets it from its caller. A function that has
   one copy and no check tests whether there is a burst.

   A call through a pointer, or of a function that stands in another file, looks
   for a twin when it runs: functions without a check that others can enter have
   an entry in the section bursty_twins, which leads from f to twin_f.

       (*p)(a)                     ({ bursty_at ? twin_of(p, bursty_at) : p; })(a)
       int twin_f(int a) { unsigned bursty_at = what twin_of was given; return on_f(bursty_at, a); }

   What twin_of was given stands in a variable of the thread (cc/inside/twins.c).
   Arguments are worked out between the two and may hold calls themselves, so
   each second copy that calls twin_of restores the variable when it is left.

   Copies of functions stand at the end of the file, where all types and names
   are known, and copies of loops in front of the loop's body. Markers give both
   the lines of the original. */
#include "cc/put/dual.h"
#include "base/tool.h"
#include "cc/read/twice.h"
#include <stdlib.h>
#include <string.h>

enum { CALL = 1, BACKEDGE = 4 };

typedef struct two {          /* of one function */
    const char *why_not;      /* it can have one copy only */
    uint32_t entry;           /* site, or CC_NO_SITE */
    uint32_t *loops;          /* sites */
    uint8_t *twice;           /* of each loop: its body has two copies */
    uint8_t on;               /* there is on_f */
    uint8_t tests;            /* it has one copy and no check, and tests for a burst */
    uint8_t twin;             /* there is twin_f: others than second copies of the file enter it */
} two;

struct cc_dual {
    cc_writer *w;
    cc_edits on;              /* the file as the second copies have it */
    two *list;
    cc_refusals refused;
};

static const cc_function *function_at(const cc_dual *d, uint32_t i) {
    return &d->w->u->functions[i];
}

static uint32_t begin_of(const cc_dual *d, uint32_t token) {
    return d->w->u->tokens.list[token].at;
}

static uint32_t end_of(const cc_dual *d, uint32_t token) {
    return d->w->u->tokens.list[token].at + d->w->u->tokens.list[token].size;
}

static void add_token(const cc_dual *d, text *out, uint32_t token) {
    const cc_token *t = &d->w->u->tokens.list[token];
    text_bytes(out, d->w->u->tokens.text + t->at, t->size);
}

/* "bursty_on_f" */
static void add_name(const cc_dual *d, text *out, const char *prefix, uint32_t function) {
    text_add(out, prefix);
    add_token(d, out, function_at(d, function)->name);
}

static void refuse(cc_dual *d, uint32_t token, uint32_t function, const char *reason) {
    cc_refusals *r = &d->refused;
    r->list = (cc_refusal *)tool_grow(r->list, (r->count + 1) * sizeof *r->list);
    r->list[r->count].name = function_at(d, function)->name;
    r->list[r->count].token = token;
    r->list[r->count++].reason = reason;
}

/* ---- what can stand twice ---- */

/* Attributes that a second copy need not have. Others, such as target or
   section, may be needed. */
static int is_harmless(const cc_tokens *t, uint32_t i) {
    static const char *const names[] = {
        "noinline", "noclone", "unused", "used", "visibility", "format", "format_arg", "nonnull",
        "pure", "const", "malloc", "alloc_size", "hot", "cold", "warn_unused_result",
        "returns_nonnull", "deprecated", "sentinel", "nothrow", "leaf", "constructor",
        "destructor", "alloc_align", "assume_aligned", "access", "nonstring", "always_inline",
        "artificial", "flatten"};
    char plain[40];
    const cc_token *token = &t->list[i];
    size_t k, size = token->size;
    const char *name = t->text + token->at;
    if (size > 4 && memcmp(name, "__", 2) == 0 && memcmp(name + size - 2, "__", 2) == 0) {
        name += 2;
        size -= 4;
    }
    if (size >= sizeof plain) return 0;
    memcpy(plain, name, size);
    plain[size] = 0;
    for (k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(plain, names[k]) == 0) return 1;
    }
    return 0;
}

/* The token behind the attribute at i, or 0: one that matters. */
static uint32_t behind_harmless(const cc_tokens *t, uint32_t i) {
    uint32_t k, close;
    if (!cc_is(t, i + 1, '(') || !cc_is(t, i + 2, '(')) return 0;
    close = t->list[i + 2].match;
    for (k = i + 3; k < close; k++) {
        if (cc_is(t, k, ',')) continue;
        if (t->list[k].kind != CC_NAME || !is_harmless(t, k)) return 0;
        if (cc_is(t, k + 1, '(')) k = t->list[k + 1].match;
    }
    return t->list[i + 1].match + 1;
}

/* Is the static variable at i a table of numbers that nothing changes and whose
   elements are only read, `static const T name[..] = {..};` and name[..]? Such a
   table may exist twice, for nobody keeps its address. */
static int is_read_table(const cc_tokens *t, uint32_t i, uint32_t first, uint32_t last) {
    uint32_t name, end, k;
    if (!cc_spells(t, i + 1, "const")) return 0;
    for (name = i + 2; name <= last && t->list[name].kind == CC_NAME &&
                       !cc_is(t, name, CC_ATTRIBUTE) && !cc_spells(t, name, "volatile"); name++) {
    }
    if (!cc_is(t, name, '[') || !cc_is_name(t, --name) || name < i + 3) return 0;
    end = t->list[name + 1].match;
    if (!cc_is(t, end + 1, '=') || !cc_is(t, end + 2, '{')) return 0;
    for (k = end + 3, end = t->list[end + 2].match; k < end; k++) {
        if (t->list[k].kind == CC_STRING || cc_is(t, k, '&')) return 0;
    }
    if (!cc_is(t, end + 1, ';')) return 0;
    for (k = first; k < last; k++) {
        const cc_token *a = &t->list[k], *b = &t->list[name];
        if (k == name || a->kind != CC_NAME || a->size != b->size ||
            memcmp(t->text + a->at, t->text + b->at, a->size) != 0) continue;
        if (!cc_is(t, k + 1, '[')) return 0;
        if (cc_is(t, k - 1, '&') && !cc_is_name(t, k - 2) && !cc_is(t, k - 2, ']')) return 0;
        end = t->list[k + 1].match;
        if (cc_is(t, end + 1, '[') || cc_is(t, end + 1, '.') || cc_is(t, k - 1, '(')) return 0;
    }
    return 1;
}

/* What stands in tokens first .. last that cannot stand twice, or NULL. */
static const char *no_twice(const cc_tokens *t, uint32_t first, uint32_t last) {
    static const char *const names[] = {
        "__builtin_return_address", "__builtin_frame_address", "__builtin_apply",
        "__builtin_apply_args", "__builtin_va_arg_pack", "__builtin_va_arg_pack_len"};
    uint32_t i;
    size_t k;
    for (i = first; i <= last; i++) {
        if (cc_is(t, i, CC_STATIC) && !is_read_table(t, i, first, last)) return "static-local";
        if (cc_is(t, i, CC_ASM)) return "assembly";
        if (cc_is(t, i, CC_LOCAL_LABEL)) return "local-label";
        if (t->list[i].kind != CC_NAME || t->list[i].word) continue;
        if (cc_returns_twice(t, i)) return cc_returns_twice(t, i);
        for (k = 0; k < sizeof names / sizeof *names; k++) {
            if (cc_spells(t, i, names[k])) return names[k];
        }
    }
    return NULL;
}

static int is_on(const char *prefix) { return strcmp(prefix, "bursty_on_") == 0; }

/* Appends type and name of a function, and returns NULL; or why that cannot be
   done. A second copy without a check of its own is told where its caller's
   stands. */
static const char *add_head(const cc_dual *d, text *out, uint32_t function, const char *prefix) {
    const cc_tokens *t = &d->w->u->tokens;
    const cc_function *f = function_at(d, function);
    uint32_t i = f->start, close = t->list[f->parameters].match, words = 0;
    int takes_mark = is_on(prefix) && !d->w->flows[function].checked;
    if (f->parameters != f->name + 1) return "declarator";
    text_add(out, "static __attribute__((cold,noinline,unused)) ");
    while (i < f->name) {
        if (cc_is(t, i, CC_ATTRIBUTE)) {
            i = behind_harmless(t, i);
            if (!i) return "attribute";
            continue;
        }
        if (cc_is(t, i, '{')) return "type-in-head";
        if (cc_is(t, i, '(') && !cc_is(t, i - 1, CC_TYPEOF)) return "declarator";
        if (cc_is(t, i, CC_DECLSPEC) || cc_is(t, i, CC_ALIGNAS)) return "attribute";
        if (!cc_is(t, i, CC_STATIC) && !cc_is(t, i, CC_EXTERN) && !cc_is(t, i, CC_INLINE)) {
            add_token(d, out, i);
            text_add(out, " ");
            words++;
        }
        i++;
    }
    if (words == 0) return "no-type";
    add_name(d, out, prefix, function);
    text_add(out, takes_mark ? "(unsigned bursty_at" : "(");
    if (takes_mark && close > f->parameters + 1 &&
        !(close == f->parameters + 2 && cc_spells(t, close - 1, "void"))) text_add(out, ",");
    for (i = f->parameters + 1; i < close; i++) {
        if (takes_mark && close == f->parameters + 2 && cc_spells(t, i, "void")) continue;
        if (cc_is(t, i, '{')) return "type-in-head";
        if (cc_is(t, i, CC_OP3('.', '.', '.'))) return "variadic";
        add_token(d, out, i);
        text_add(out, " ");
    }
    text_add(out, close == f->parameters + 1 && !takes_mark ? "void)" : ")");
    for (i = close + 1; i < f->open;) {
        i = cc_is(t, i, CC_ATTRIBUTE) ? behind_harmless(t, i) : 0;
        if (!i) return "attribute";
    }
    return NULL;
}

/* Appends "(a, b)". Returns -1 if a parameter has no name. */
static int add_arguments(const cc_dual *d, text *out, const cc_function *f) {
    const cc_tokens *t = &d->w->u->tokens;
    uint32_t close = t->list[f->parameters].match, i = f->parameters + 1, first = i, name = 0;
    int any = 0;
    text_add(out, "(");
    if (close == i || (close == i + 1 && cc_spells(t, i, "void"))) i = close + 1;
    for (; i <= close; i++) {
        if (cc_is(t, i, ',') || i == close) {
            if (!name || name == first || cc_is(t, name - 1, CC_STRUCT) ||
                cc_is(t, name - 1, CC_ENUM)) return -1;
            if (any++) text_add(out, ",");
            add_token(d, out, name);
            name = 0;
            first = i + 1;
        } else if (cc_is_name(t, i)) {
            name = i;
        } else if (cc_is(t, i, CC_ATTRIBUTE) && cc_is(t, i + 1, '(')) {
            i = t->list[i + 1].match;
        } else if (cc_is(t, i, '(')) {                        /* (*name)(its parameters) */
            uint32_t k, end = t->list[i].match;
            for (k = i + 1; !cc_is(t, i - 1, ')') && k < end && !cc_is(t, k, '('); k++) {
                if (cc_is_name(t, k)) name = k;
            }
            i = end;
        } else if (cc_is(t, i, '[')) {
            i = t->list[i].match;
        }
    }
    text_add(out, ")");
    return 0;
}

static int is_spelled_alike(const cc_dual *d, uint32_t a, uint32_t b) {
    const cc_token *s = &d->w->u->tokens.list[a], *t = &d->w->u->tokens.list[b];
    const char *source = d->w->u->tokens.text;
    return s->size == t->size && memcmp(source + s->at, source + t->at, s->size) == 0;
}

static const char *function_twice(const cc_dual *d, uint32_t i) {
    const cc_function *f = function_at(d, i);
    const char *reason;
    uint32_t k;
    text none = {NULL, 0, 0};
    if (f->in_system || f->reason || f->naked) return "left-alone";
    if (f->flags & CC_IS_NORETURN) return "noreturn";
    if (f->flags & CC_IS_WEAK) return "weak"; /* another one may take its place */
    if (f->gnu_inline || (f->flags & CC_IS_INLINE && !(f->flags & CC_IS_STATIC))) return "inline";
    for (k = f->parameters + 1; k < d->w->u->tokens.list[f->parameters].match; k++) {
        if (is_spelled_alike(d, k, f->name)) return "parameter-of-its-name";
    }
    reason = add_head(d, &none, i, "");
    if (!reason && add_arguments(d, &none, f) != 0) reason = "nameless-parameter";
    text_free(&none);
    return reason ? reason : no_twice(&d->w->u->tokens, f->open, f->close);
}

/* Is the address of a label of that name taken? Who has it can go to one copy
   only. */
static int is_label_taken(const cc_dual *d, const cc_function *f, uint32_t label) {
    const cc_tokens *t = &d->w->u->tokens;
    uint32_t i;
    for (i = f->open; i + 1 < f->close; i++) {
        if (cc_is(t, i, CC_OP2('&', '&')) && is_spelled_alike(d, i + 1, label)) return 1;
    }
    return 0;
}

/* The labels of a body are local to each copy; a case belongs to the switch
   around the loop. */
static const char *body_twice(const cc_dual *d, const cc_function *f, const cc_node *body) {
    const cc_unit *u = d->w->u;
    const char *reason = no_twice(&u->tokens, body->first, body->last);
    uint32_t i, k;
    if (reason) return reason;
    for (i = f->root; i < u->node_count && u->nodes[i].first <= f->close; i++) {
        const cc_node *n = &u->nodes[i];
        if (n->first < body->first || n->last > body->last) continue;
        if (n->kind == CC_N_LABEL && is_label_taken(d, f, n->first)) return "label";
        if (n->kind != CC_N_CASE && n->kind != CC_N_DEFAULT) continue;
        for (k = f->root; k < u->node_count && u->nodes[k].first <= f->close; k++) {
            const cc_node *s = &u->nodes[k];
            if (s->kind == CC_N_SWITCH && s->first >= body->first && s->last <= body->last &&
                s->first < n->first && s->last >= n->last) break;
        }
        if (k == u->node_count || u->nodes[k].first > f->close) return "case-of-outer-switch";
    }
    return NULL;
}

/* ---- deciding ---- */

/* Do second copies of functions call the second copy of g? */
static int goes_to_second(const cc_dual *d, uint32_t g) {
    return g != CC_NOBODY && !d->w->flows[g].checked && !d->list[g].why_not;
}

static int can_test(const cc_dual *d, uint32_t g) {
    const cc_function *f = g == CC_NOBODY ? NULL : function_at(d, g);
    return f && d->list[g].why_not && !d->w->flows[g].checked && !f->in_system && !f->reason &&
           !f->naked && cc_is_wanted(d->w->u, f, d->w->choice);
}

/* Can code that this file does not show enter f? */
static int is_entered_from_outside(const cc_dual *d, uint32_t i) {
    const cc_function *f = function_at(d, i);
    const cc_name *name = cc_find(d->w->u, f->name, 0);
    return d->w->choice->twins && (!(f->flags & CC_IS_STATIC) || (name && name->taken));
}

static void find_twins(cc_dual *d) {
    uint32_t i;
    for (i = 0; i < d->w->u->function_count; i++) {
        if (!is_entered_from_outside(d, i)) continue;
        d->list[i].twin = (uint8_t)goes_to_second(d, i);
        d->list[i].on |= d->list[i].twin;
        d->list[i].tests = (uint8_t)can_test(d, i);
    }
}

/* Functions without a check that second copies call get a second copy, too. */
static void spread(cc_dual *d) {
    uint32_t count = d->w->u->function_count, top = 0, i, k;
    uint32_t *stack = (uint32_t *)tool_alloc((2 * (size_t)count + 1) * sizeof *stack);
    uint8_t *seen = (uint8_t *)tool_alloc(count + 1);
    memset(seen, 0, count + 1);
    for (i = 0; i < count; i++) {
        int any = d->list[i].on;
        for (k = 0; k < d->w->flows[i].loop_count; k++) any |= d->list[i].twice[k];
        if (any) {
            seen[i] = 1;
            stack[top++] = i;
        }
    }
    while (top > 0) {
        uint32_t f = stack[--top];
        const cc_flow *flow = &d->w->flows[f];
        for (k = 0; k < flow->callee_count; k++) {
            uint32_t g = flow->callees[k].function;
            if (can_test(d, g)) d->list[g].tests = 1;
            if (!goes_to_second(d, g)) continue;
            d->list[g].on = 1;
            if (seen[g]) continue;
            seen[g] = 1;
            stack[top++] = g;
        }
    }
    free(seen);
    free(stack);
}

static void decide(cc_dual *d) {
    cc_unit *u = d->w->u;
    uint32_t i, k;
    for (i = 0; i < u->function_count; i++) {
        const cc_flow *flow = &d->w->flows[i];
        two *t = &d->list[i];
        t->loops = (uint32_t *)tool_alloc((flow->loop_count + 1) * sizeof *t->loops);
        t->twice = (uint8_t *)tool_alloc(flow->loop_count + 1);
        memset(t->twice, 0, flow->loop_count + 1);
        t->why_not = cc_is_wanted(u, function_at(d, i), d->w->choice) ? function_twice(d, i)
                                                                      : "not asked for";
        t->on = flow->checked && !t->why_not;
        if (flow->checked && t->why_not) refuse(d, function_at(d, i)->name, i, t->why_not);
        for (k = 0; k < flow->loop_count; k++) {
            const cc_loop *loop = &flow->loops[k];
            const char *reason = NULL;
            t->loops[k] = CC_NO_SITE;
            if (!loop->checked || loop->kind == 'g') continue;
            reason = body_twice(d, function_at(d, i), &u->nodes[u->nodes[loop->node].kid[1]]);
            t->twice[k] = !reason;
            if (reason) refuse(d, u->nodes[loop->node].first, i, reason);
        }
    }
    find_twins(d);
    spread(d);
    for (i = 0; i < u->function_count; i++) {
        if (d->list[i].tests) refuse(d, function_at(d, i)->name, i, d->list[i].why_not);
    }
}

/* ---- the second copies ---- */

static uint32_t entry_site(cc_dual *d, uint32_t i) {
    uint32_t name = function_at(d, i)->name;
    int kind = d->w->flows[i].checked ? CALL : CALL | CC_EVENT_ALONE | CC_SECOND_COPY;
    if (d->list[i].entry == CC_NO_SITE) d->list[i].entry = cc_add_site(d->w, name, name, kind);
    return d->list[i].entry;
}

static uint32_t loop_site(cc_dual *d, uint32_t i, uint32_t loop) {
    uint32_t *site = &d->list[i].loops[loop], node = d->w->flows[i].loops[loop].node;
    int is_checked = d->w->flows[i].loops[loop].checked;
    if (*site == CC_NO_SITE) {
        *site = cc_add_site(d->w, function_at(d, i)->name, d->w->u->nodes[node].first,
                            is_checked ? BACKEDGE : BACKEDGE | CC_EVENT_ALONE | CC_SECOND_COPY);
    }
    return *site;
}

static void own(cc_dual *d, const cc_node *n) {
    cc_edit_owner(&d->on, begin_of(d, n->first), end_of(d, n->last));
}

/* Behind a check by which a burst may enter a second copy: what stands in it is
   weighed by the checks since then (src/bursty/since.c). A loop whose body
   stands once is entered with its function, and by no check of its own. */
static const char marking[] = "__attribute__((unused)) unsigned bursty_at=bursty_cc_at();";

/* Is it a call that looks for a twin? */
static int looks_for_twin(const cc_dual *d, const cc_node *n) {
    const cc_unit *u = d->w->u;
    const cc_name *name;
    if (!d->w->choice->twins) return 0;
    if (n->kind == CC_N_INDIRECT) return 1;
    name = n->kind == CC_N_CALL ? cc_find(d->w->u, n->first, 0) : NULL;
    return name && name->meaning == CC_FUNCTION && !name->function &&
           !(name->flags & CC_IS_NORETURN) &&
           !u->tokens.files[u->tokens.list[name->token - 1].file].in_system;
}

static int has_twin_calls(const cc_dual *d, const cc_function *f) {
    uint32_t i;
    for (i = f->root; i < d->w->u->node_count && d->w->u->nodes[i].first <= f->close; i++) {
        if (looks_for_twin(d, &d->w->u->nodes[i])) return 1;
    }
    return 0;
}

/* What a second copy of f begins with. */
static char *second_begins(const cc_dual *d, const cc_function *f, int is_marked) {
    text t = {NULL, 0, 0};
    if (is_marked) text_add(&t, marking);
    if (has_twin_calls(d, f))
        text_add(&t, "__attribute__((unused,cleanup(bursty_cc_twin_keep))) "
                     "unsigned bursty_kept=bursty_cc_twin_mark();");
    return text_take(&t);
}

static void put_twin_call(cc_dual *d, const cc_node *n) {
    uint32_t open = d->w->u->tokens.list[n->last].match;
    cc_edit_owner(&d->on, begin_of(d, n->b), end_of(d, n->last));
    cc_insert_open(&d->on, begin_of(d, n->b), "(__extension__({__auto_type bursty_f=&*(");
    cc_insert_close(&d->on, end_of(d, open - 1),
                    ");bursty_at?(__typeof__(bursty_f))bursty_cc_twin_of((void(*)(void))bursty_f,"
                    "bursty_at):bursty_f;}))");
}

/* The beginning of each round of a loop: its check, or the event alone. */
static void put_round(cc_dual *d, uint32_t function, uint32_t k) {
    const cc_loop *loop = &d->w->flows[function].loops[k];
    const cc_node *n = &d->w->u->nodes[loop->node], *body = &d->w->u->nodes[n->kid[1]];
    uint32_t site = loop_site(d, function, k);
    text t = {NULL, 0, 0};
    char *words;
    own(d, n);
    if (loop->kind == 'g') {
        if (loop->checked) cc_check_expression(d->w, &t, site);
        else cc_event_expression(d->w, &t, site, BACKEDGE, 1);
        text_bytes(&t, ";}", 3);
        if (n->kid[1] && body->kind != CC_N_DECLARATION) {
            cc_insert_open(&d->on, begin_of(d, n->first), "{");
            cc_insert_close(&d->on, end_of(d, n->last), "}");
        }
        cc_insert_open(&d->on, end_of(d, n->a), "{");
        cc_insert_open(&d->on, end_of(d, n->a), t.data);
        text_free(&t);
        return;
    }
    words = loop->checked ? cc_check_declaration(d->w, site)
                          : cc_event_declaration(d->w, site, BACKEDGE, 1);
    cc_insert_open(&d->on, begin_of(d, body->first), "{");
    cc_insert_open(&d->on, begin_of(d, body->first), words);
    if (d->list[function].twice[k]) {
        char *begins = second_begins(d, function_at(d, function), 1);
        cc_insert_open(&d->on, begin_of(d, body->first), begins);
        free(begins);
    }
    cc_insert_close(&d->on, end_of(d, body->last), "}");
    free(words);
}

static int holds(const cc_node *outer, const cc_node *inner) {
    return outer->first <= inner->first && inner->last <= outer->last;
}

/* Does all that passes the label at token a pass the one at b? So it is if
   simple statements alone stand between them. */
static int falls_into(const cc_dual *d, uint32_t a, uint32_t b) {
    const cc_tokens *t = &d->w->u->tokens;
    for (; a < b; a++) {
        if (t->list[a].word >= CC_IF && t->list[a].word <= CC_RETURN) return 0;
        if (cc_is(t, a, '{') || cc_is(t, a, '}')) return 0;
    }
    return a == b;
}

/* A label without a check that a goto leads back to records its rounds in second
   copies alone. A goto out of the copy of a loop leads to a label in the first
   copy, so it records the rounds of that label and of those behind it before it
   goes. */
static void put_goto(cc_dual *d, uint32_t function, const cc_node *n) {
    const cc_unit *u = d->w->u;
    const cc_function *f = function_at(d, function);
    const cc_flow *flow = &d->w->flows[function];
    text copies = {NULL, 0, 0}, rounds = {NULL, 0, 0};
    const cc_node *to = &u->nodes[f->root];
    uint32_t k;
    while (to < u->nodes + u->node_count && to->first <= f->close &&
           (to->kind != CC_N_LABEL || !is_spelled_alike(d, to->first, n->a))) to++;
    if (to == u->nodes + u->node_count || to->first > f->close) return;
    for (k = 0; k < flow->loop_count; k++) {
        const cc_node *body = &u->nodes[u->nodes[flow->loops[k].node].kid[1]];
        if (!d->list[function].twice[k] || !holds(body, n) || holds(body, to)) continue;
        text_format(&copies, "%sbursty_copy==%lu", copies.size ? "||" : "{if(",
                    (unsigned long)k + 1);
    }
    for (k = 0; copies.size && k < flow->loop_count; k++) {
        if (flow->loops[k].kind != 'g' || flow->loops[k].checked ||
            !falls_into(d, to->first, u->nodes[flow->loops[k].node].first)) continue;
        text_add(&rounds, rounds.size ? "," : ")");
        cc_event_expression(d->w, &rounds, loop_site(d, function, k), BACKEDGE, 1);
    }
    if (rounds.size) {
        text_bytes(&copies, rounds.data, rounds.size);
        text_bytes(&copies, ";", 2);
        own(d, n);
        cc_insert_open(&d->on, begin_of(d, n->first), copies.data);
        cc_insert_close(&d->on, end_of(d, n->last), "}");
    }
    text_free(&copies);
    text_free(&rounds);
}

static void put_gotos(cc_dual *d, uint32_t function) {
    const cc_unit *u = d->w->u;
    const cc_function *f = function_at(d, function);
    uint32_t i;
    for (i = f->root; i < u->node_count && u->nodes[i].first <= f->close; i++) {
        if (u->nodes[i].kind == CC_N_GOTO) put_goto(d, function, &u->nodes[i]);
    }
}

/* Calls of functions that have a second copy go to it. Of calls that begin at
   one token, as in get(f)(n), the outer one has the higher number. */
static void put_calls(cc_dual *d, uint32_t function) {
    cc_unit *u = d->w->u;
    const cc_function *f = function_at(d, function);
    uint32_t i, end = f->root;
    while (end < u->node_count && u->nodes[end].first <= f->close) end++;
    for (i = end; i-- > f->root;) {
        const cc_node *n = &u->nodes[i];
        const cc_name *name = n->kind == CC_N_CALL ? cc_find(u, n->first, 0) : NULL;
        uint32_t g = name && name->function ? name->function - 1 : CC_NOBODY;
        if (looks_for_twin(d, n)) put_twin_call(d, n);
        if (!goes_to_second(d, g) || !cc_is(&u->tokens, n->first + 1, '(')) continue;
        own(d, n);
        cc_insert_open(&d->on, begin_of(d, n->first), "bursty_on_");
        cc_blank(&d->on, begin_of(d, n->first + 1), 1);
        cc_insert_open(&d->on, begin_of(d, n->first + 1),
                       cc_is(&u->tokens, n->first + 2, ')') ? "(bursty_at" : "(bursty_at,");
    }
}

/* __func__ would be the copy's name. */
static void put_function_names(cc_dual *d, const cc_function *f) {
    static const char *const names[] = {"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"};
    const cc_tokens *t = &d->w->u->tokens;
    uint32_t i;
    size_t k;
    for (i = f->open; i < f->close; i++) {
        text words = {NULL, 0, 0};
        for (k = 0; k < 3 && !(cc_is_name(t, i) && cc_spells(t, i, names[k])); k++) {
        }
        if (k == 3) continue;
        cc_edit_owner(&d->on, begin_of(d, i), end_of(d, i));
        text_add(&words, "(\"");
        add_token(d, &words, f->name);
        text_bytes(&words, "\")", 3);
        cc_blank(&d->on, begin_of(d, i), t->list[i].size);
        cc_insert_open(&d->on, begin_of(d, i), words.data);
        text_free(&words);
    }
}

static void put_second(cc_dual *d, uint32_t i) {
    const cc_function *f = function_at(d, i);
    uint32_t k;
    for (k = 0; k < d->w->flows[i].loop_count; k++) put_round(d, i, k);
    if (d->list[i].on && !d->w->flows[i].checked) {
        char *words = cc_event_declaration(d->w, entry_site(d, i), CALL, 1);
        char *begins = second_begins(d, f, 0);
        cc_edit_owner(&d->on, begin_of(d, f->open), end_of(d, f->close));
        cc_insert_open(&d->on, end_of(d, f->open), words);
        cc_insert_open(&d->on, end_of(d, f->open), begins);
        free(begins);
        free(words);
    } else if (d->list[i].on) {
        char *begins = second_begins(d, f, 1);
        cc_edit_owner(&d->on, begin_of(d, f->open), end_of(d, f->close));
        cc_insert_open(&d->on, end_of(d, f->open), begins);
        free(begins);
    }
    put_gotos(d, i);
    put_calls(d, i);
    put_function_names(d, f);
}

cc_dual *cc_dual_begin(cc_writer *w) {
    cc_dual *d = (cc_dual *)tool_alloc(sizeof *d);
    uint32_t i, k;
    memset(d, 0, sizeof *d);
    d->w = w;
    d->list = (two *)tool_alloc((w->u->function_count + 1) * sizeof *d->list);
    memset(d->list, 0, (w->u->function_count + 1) * sizeof *d->list);
    cc_edit_init(&d->on, w->edits->source, w->edits->size);
    for (i = 0; i < w->u->function_count; i++) d->list[i].entry = CC_NO_SITE;
    decide(d);
    for (i = 0; i < w->u->function_count; i++) {
        int any = d->list[i].on;
        for (k = 0; k < w->flows[i].loop_count; k++) any |= d->list[i].twice[k];
        if (any) put_second(d, i);
    }
    return d;
}

/* ---- the first copies ---- */

/* "\n# 12 "file.c" 3\n": what follows is token's line. A system's header causes
   no warning. */
static void add_marker(const cc_dual *d, text *out, uint32_t token, int quiet) {
    const cc_token *t = &d->w->u->tokens.list[token];
    const cc_file *file = &d->w->u->tokens.files[t->file];
    const char *c;
    text_format(out, "\n# %lu \"", (unsigned long)t->line);
    for (c = file->name; *c; c++) {
        if (*c == '"' || *c == '\\') text_add(out, "\\");
        text_bytes(out, c, 1);
    }
    text_add(out, quiet || file->in_system ? "\" 3\n" : "\"\n");
}

/* return WORDS, or for a function without a result: WORDS; return */
static void add_return(const cc_dual *d, text *out, const cc_function *f, const char *prefix,
                       uint32_t function) {
    const cc_tokens *t = &d->w->u->tokens;
    int is_void = cc_spells(t, f->name - 1, "void");
    text_add(out, is_void ? "" : "return ");
    add_name(d, out, prefix, function);
    add_arguments(d, out, f);
    text_add(out, is_void ? ";return;" : ";");
}

/* Functions behind f that loops of f call in their second copies. A caller in
   front of a function's body has a declaration, so the types are known. */
static void declare_later(cc_dual *d, uint32_t i) {
    const cc_flow *flow = &d->w->flows[i];
    text t = {NULL, 0, 0};
    uint32_t k;
    int any = 0;
    for (k = 0; k < flow->loop_count; k++) any |= d->list[i].twice[k];
    for (k = 0; any && k < flow->callee_count; k++) {
        uint32_t g = flow->callees[k].function;
        if (!goes_to_second(d, g) || g <= i) continue;
        add_head(d, &t, g, "bursty_on_");
        text_add(&t, ";");
    }
    if (t.size) {
        text_bytes(&t, "", 1);
        cc_insert_open(d->w->edits, begin_of(d, function_at(d, i)->start), t.data);
    }
    text_free(&t);
}

int cc_dual_tests(const cc_dual *d, uint32_t i) { return d->list[i].tests; }

int cc_dual_entry(cc_dual *d, uint32_t i) {
    const cc_function *f = function_at(d, i);
    text t = {NULL, 0, 0};
    declare_later(d, i);
    if (!d->list[i].on) return -1;
    add_head(d, &t, i, d->w->flows[i].checked ? "bursty_cold_" : "bursty_on_");
    text_bytes(&t, ";", 2);
    cc_insert_open(d->w->edits, begin_of(d, f->start), t.data);
    t.size = 0;
    if (!d->w->flows[i].checked) {
        text_free(&t);
        return 0;
    }
    text_format(&t, "__attribute__((unused)) char bursty_%lu=__extension__({if(__builtin_expect("
                    "(int)--%s<0,0)){", (unsigned long)entry_site(d, i), cc_word(d->w));
    add_return(d, &t, f, "bursty_cold_", i);
    text_bytes(&t, "}(char)0;});", 13);
    cc_insert_open(d->w->edits, end_of(d, f->open), t.data);
    text_free(&t);
    return 0;
}

/* "__label__ a,b;": gotos of the copy stay in it. One from outside leads into the
   first copy. */
static void add_labels(const cc_dual *d, text *out, const cc_function *f, const cc_node *body) {
    const cc_unit *u = d->w->u;
    uint32_t i, any = 0;
    for (i = f->root; i < u->node_count && u->nodes[i].first <= f->close; i++) {
        const cc_node *n = &u->nodes[i];
        if (n->kind != CC_N_LABEL || n->first < body->first || n->last > body->last) continue;
        text_add(out, any++ ? "," : "__label__ ");
        add_token(d, out, n->first);
    }
    if (any) text_add(out, ";");
}

int cc_dual_loop(cc_dual *d, uint32_t i, uint32_t loop) {
    const cc_node *n = &d->w->u->nodes[d->w->flows[i].loops[loop].node];
    const cc_node *body = &d->w->u->nodes[n->kid[1]];
    char *begins;
    text t = {NULL, 0, 0};
    if (!d->list[i].twice[loop]) return -1;
    text_format(&t, "{if(__builtin_expect((int)--%s<0,0)&&bursty_cc_hit(&%s[%lu],0ul)){",
                cc_word(d->w), d->w->table, (unsigned long)loop_site(d, i, loop));
    add_marker(d, &t, body->first, 1);
    add_labels(d, &t, function_at(d, i), body);
    begins = second_begins(d, function_at(d, i), 1);
    text_format(&t, "enum{bursty_copy=%lu};", (unsigned long)loop + 1);
    text_add(&t, begins);
    free(begins);
    cc_edit_part(&d->on, &t, begin_of(d, body->first), end_of(d, body->last));
    text_add(&t, "\n}else{");
    add_marker(d, &t, body->first, 0);
    text_bytes(&t, "", 1);
    cc_insert_open(d->w->edits, begin_of(d, body->first), t.data);
    cc_insert_close(d->w->edits, end_of(d, body->last), "}}");
    text_free(&t);
    return 0;
}

static void add_cold(cc_dual *d, text *out, uint32_t i) {
    const cc_function *f = function_at(d, i);
    add_head(d, out, i, "bursty_cold_");
    text_format(out, "{if(bursty_cc_hit(&%s[%lu],0ul)){", d->w->table,
                (unsigned long)entry_site(d, i));
    add_return(d, out, f, "bursty_on_", i);
    text_format(out, "}%s++;", cc_word(d->w));
    add_return(d, out, f, "", i);
    text_add(out, "}\n");
}

/* It has its caller's mark by way of a variable. */
static void add_twin(cc_dual *d, text *out, uint32_t i) {
    const cc_function *f = function_at(d, i);
    int is_void = cc_spells(&d->w->u->tokens, f->name - 1, "void");
    text arguments = {NULL, 0, 0};
    const char *behind;
    add_head(d, out, i, "bursty_twin_");
    add_arguments(d, &arguments, f);
    text_bytes(&arguments, "", 1);
    behind = arguments.data + 1;
    text_add(out, is_void ? "{" : "{return ");
    add_name(d, out, "bursty_on_", i);
    text_format(out, "(bursty_cc_twin_mark()%s%s;}\n", *behind == ')' ? "" : ",", behind);
    text_add(out, "static struct bursty_cc_twin bursty_twins_");
    add_token(d, out, f->name);
    text_add(out, " __attribute__((used,section(\"bursty_twins\")))={(void(*)(void))");
    add_token(d, out, f->name);
    text_add(out, ",(void(*)(void))");
    add_name(d, out, "bursty_twin_", i);
    text_add(out, "};\n");
    text_free(&arguments);
}

/* First all declarations, since second copies call one another. */
static void add_copies(cc_dual *d, text *out) {
    uint32_t i, count = d->w->u->function_count;
    text_add(out, "\n# 1 \"<bursty>\" 3\n");
    for (i = 0; i < count; i++) {
        if (!d->list[i].on) continue;
        add_head(d, out, i, "bursty_on_");
        text_add(out, ";\n");
        if (d->w->flows[i].checked) add_cold(d, out, i);
        if (d->list[i].twin) add_twin(d, out, i);
    }
    for (i = 0; i < count; i++) {
        const cc_function *f = function_at(d, i);
        if (!d->list[i].on) continue;
        add_marker(d, out, f->start, 1);
        add_head(d, out, i, "bursty_on_");
        add_marker(d, out, f->open, 1);
        cc_edit_part(&d->on, out, begin_of(d, f->open), end_of(d, f->close));
        text_add(out, "\n");
    }
}

void cc_dual_end(cc_dual *d, cc_refusals *list) {
    text t = {NULL, 0, 0};
    uint32_t i;
    add_copies(d, &t);
    text_bytes(&t, "", 1);
    cc_insert_open(d->w->edits, (uint32_t)d->w->edits->size, t.data);
    text_free(&t);
    *list = d->refused;
    for (i = 0; i < d->w->u->function_count; i++) {
        free(d->list[i].loops);
        free(d->list[i].twice);
    }
    free(d->list);
    cc_edit_free(&d->on);
    free(d);
}
