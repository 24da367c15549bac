/* graph.c - the walk over a function's nodes that finds calls, loops and their
   order. */
#include "cc/read/graph.h"
#include "base/tool.h"
#include "cc/read/twice.h"
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    cc_unit *u;
    const cc_function *f;
    cc_flow *flow;
    uint32_t loop;            /* the innermost loop, or CC_NOBODY */
} walk;

static void walk_statement(walk *w, uint32_t node);
static void walk_expression(walk *w, uint32_t node);

static const cc_node *at(const walk *w, uint32_t node) { return &w->u->nodes[node]; }

static void say(walk *w, const char *words) { text_add(&w->flow->skeleton, words); }

static void say_number(walk *w, const char *words, uint32_t number) {
    text_add(&w->flow->skeleton, words);
    text_number(&w->flow->skeleton, number);
}

static int same_name(const cc_unit *u, uint32_t a, uint32_t b) {
    const cc_token *s = &u->tokens.list[a], *t = &u->tokens.list[b];
    return s->size == t->size &&
           memcmp(u->tokens.text + s->at, u->tokens.text + t->at, s->size) == 0;
}

/* ---- calls ---- */

/* Does an argument of the call name something that may be a function? What is a
   variable of this function with a simple name cannot be told apart from data,
   so only literals and calls are excluded by being no names: see
   docs/formats.md, flag p. */
static int has_pointer(walk *w, const cc_node *call) {
    const cc_tokens *t = &w->u->tokens;
    uint32_t i;
    for (i = call->first + 1; i < call->last; i++) {
        cc_name *name;
        if (!cc_is_name(t, i) || cc_is(t, i + 1, '(')) continue;
        if (cc_is(t, i - 1, '.') || cc_is(t, i - 1, CC_OP2('-', '>'))) continue;
        name = cc_find(w->u, i, 0);
        if (name && name->meaning == CC_FUNCTION) return 1;
    }
    return 0;
}

static uint32_t function_of(walk *w, uint32_t token) {
    const cc_name *name = cc_find(w->u, token, 0);
    return name && name->function ? name->function - 1 : CC_NOBODY;
}

static uint32_t add_callee(walk *w, uint32_t token) {
    cc_flow *flow = w->flow;
    cc_callee *callee;
    TOOL_ROOM(cc_callee, flow->callees, flow->callee_count, flow->callee_room);
    callee = &flow->callees[flow->callee_count];
    memset(callee, 0, sizeof *callee);
    callee->name = token;
    callee->function = CC_NOBODY;
    return flow->callee_count++;
}

static uint32_t callee_of(walk *w, uint32_t token) {
    cc_flow *flow = w->flow;
    uint32_t i;
    for (i = 0; i < flow->callee_count; i++) {
        if (!flow->callees[i].is_assembly && same_name(w->u, flow->callees[i].name, token))
            return i;
    }
    i = add_callee(w, token);
    flow->callees[i].function = function_of(w, token);
    return i;
}

static uint32_t assembly_callee(walk *w, uint32_t token) {
    uint32_t i;
    for (i = 0; i < w->flow->callee_count; i++) {
        if (w->flow->callees[i].is_assembly) return i;
    }
    i = add_callee(w, token);
    w->flow->callees[i].is_assembly = 1;
    return i;
}

/* Is it a keyword, or a builtin of the compiler, that a bracket follows and no
   call is made? */
static int calls_nothing(const cc_tokens *t, uint32_t i) {
    return t->list[i].word != 0 || cc_begins(t, i, "__builtin_") || cc_begins(t, i, "__sync_") ||
           cc_begins(t, i, "__atomic_");
}

/* Is this a function of a system header whose body has no loop, no assembly, and no
   bracket that may be a call's? Then it is taken for a part of its caller, and left
   out of the graph. Such bodies are not parsed, so a cast of something in brackets
   counts as a call. getc_unlocked, which may call __uflow, is one. */
static int is_plain(const cc_unit *u, const cc_function *f) {
    const cc_tokens *t = &u->tokens;
    uint32_t i;
    if (!f->in_system) return 0;
    for (i = f->open + 1; i < f->close; i++) {
        uint32_t before = t->list[i - 1].word, word = t->list[i].word;
        if (word == CC_WHILE || word == CC_FOR || word == CC_DO || word == CC_GOTO) return 0;
        if (word == CC_ASM) return 0;
        if (word != '(') continue;
        if (before == ')' || before == ']' || before == '}') return 0;
        if (t->list[i - 1].kind == CC_NAME && !calls_nothing(t, i - 1)) return 0;
    }
    return 1;
}

static void note_call(walk *w) {
    uint32_t loop;
    w->flow->calls = 1;
    for (loop = w->loop; loop != CC_NOBODY; loop = w->flow->loops[loop].parent) {
        w->flow->loops[loop].calls = 1;
    }
}

static void walk_call(walk *w, const cc_node *n) {
    uint32_t callee, function = function_of(w, n->first);
    if (function != CC_NOBODY && is_plain(w->u, &w->u->functions[function])) return;
    callee = callee_of(w, n->first);
    if (has_pointer(w, n)) w->flow->callees[callee].with_pointer = 1;
    say_number(w, "c", callee);
    note_call(w);
}

/* It may run, or not: so it never counts as a check that is passed for sure. */
static void walk_maybe(walk *w, uint32_t callee) {
    say_number(w, "(c", callee);
    say(w, "|)");
    note_call(w);
}

/* i2<i,pv,i>: the classes are those of types.c. */
static void walk_indirect(walk *w, const cc_node *n) {
    uint32_t row = cc_call_row(w->u, w->f, n);
    say_number(w, "i", n->a);
    if (row) {
        say(w, "<");
        say(w, cc_row(w->u, row));
        say(w, ">");
    }
    w->flow->indirect++;
    note_call(w);
}

/* ---- expressions ---- */

static void walk_choice(walk *w, const cc_node *n) {
    size_t before;
    walk_expression(w, n->kid[0]);
    before = w->flow->skeleton.size;
    say(w, "(");
    walk_expression(w, n->kid[1]);
    say(w, "|");
    walk_expression(w, n->kid[2]);
    say(w, ")");
    if (w->flow->skeleton.size == before + 3) w->flow->skeleton.size = before;
}

static void walk_expression(walk *w, uint32_t node) {
    for (; node; node = at(w, node)->next) {
        const cc_node n = *at(w, node);
        switch (n.kind) {
        case CC_N_CALL: walk_call(w, &n); break;
        case CC_N_INDIRECT:
            walk_indirect(w, &n);
            break;
        case CC_N_CLEANUP: walk_maybe(w, callee_of(w, n.first)); break;
        case CC_N_AND: case CC_N_OR: case CC_N_CHOICE: case CC_N_ELVIS: {
            walk_choice(w, &n);
            break;
        }
        case CC_N_BODY: walk_statement(w, n.kid[0]); break;
        default: walk_expression(w, n.kid[0]); break;
        }
    }
}

/* ---- loops ---- */

static uint32_t add_loop(walk *w, uint32_t node, char kind) {
    cc_flow *flow = w->flow;
    cc_loop *loop;
    uint32_t parent;
    TOOL_ROOM(cc_loop, flow->loops, flow->loop_count, flow->loop_room);
    loop = &flow->loops[flow->loop_count];
    memset(loop, 0, sizeof *loop);
    loop->node = node;
    loop->parent = w->loop;
    loop->line = w->u->tokens.list[at(w, node)->first].line;
    loop->kind = kind;
    loop->events = 1;
    for (parent = w->loop; parent != CC_NOBODY; parent = flow->loops[parent].parent) {
        flow->loops[parent].events++;
    }
    return flow->loop_count++;
}

static int is_number(const cc_unit *u, uint32_t i, uint32_t *value) {
    const cc_token *t = &u->tokens.list[i];
    uint32_t k;
    *value = 0;
    if (t->kind != CC_NUMBER || t->size > 4) return 0;
    for (k = 0; k < t->size; k++) {
        char c = u->tokens.text[t->at + k];
        if (c < '0' || c > '9' || (k == 0 && c == '0' && t->size > 1)) return 0;
        *value = *value * 10 + (uint32_t)(c - '0');
    }
    return 1;
}

/* May the variable be another one, or have another value, behind its name at
   token i? Only plain reading is known to be harmless: between operators, as an
   argument, as an index. A name alone in brackets may be changed from outside
   of them, if they are not a call's. */
static int is_only_read(const cc_unit *u, uint32_t i) {
    static const char before[] = "[(,+-*/%<>^|=!?", after[] = ")],;+-*/%<>^|&?:";
    const cc_tokens *t = &u->tokens;
    uint32_t b = t->list[i - 1].word, a = t->list[i + 1].word;
    int known_before = (b < 128 && b && strchr(before, (int)b)) || b == CC_RETURN ||
                       b == CC_OP2('=', '=') || b == CC_OP2('!', '=') || b == CC_OP2('<', '=') ||
                       b == CC_OP2('>', '=') || b == CC_OP2('&', '&') || b == CC_OP2('|', '|') ||
                       b == CC_OP2('<', '<') || b == CC_OP2('>', '>') || b == CC_OP2('+', '=') ||
                       b == CC_OP2('-', '=') || b == CC_OP2('*', '=') || b == CC_OP2('|', '=');
    int known_after = (a < 128 && a && strchr(after, (int)a)) || a == CC_OP2('=', '=') ||
                      a == CC_OP2('!', '=') || a == CC_OP2('<', '=') || a == CC_OP2('>', '=') ||
                      a == CC_OP2('&', '&') || a == CC_OP2('|', '|') || a == CC_OP2('<', '<') ||
                      a == CC_OP2('>', '>');
    if (b == '(' && a == ')' && (!cc_is_name(t, i - 2) || cc_begins(t, i - 2, "__"))) return 0;
    return known_before && known_after;
}

/* Do tokens first .. last leave the variable as it is, and the loop to its own
   head? */
static int leaves_alone(const cc_unit *u, uint32_t variable, uint32_t first, uint32_t last) {
    const cc_tokens *t = &u->tokens;
    uint32_t i;
    for (i = first; i <= last; i++) {
        if (cc_is(t, i, CC_ASM) || cc_is(t, i, CC_UNTOUCHED) || cc_is(t, i, CC_CASE) ||
            cc_is(t, i, CC_DEFAULT)) return 0;
        if (!cc_is_name(t, i)) continue;
        if (cc_is(t, i + 1, ':') || cc_returns_twice(t, i)) return 0;
        if (same_name(u, variable, i) && !is_only_read(u, i)) return 0;
    }
    return 1;
}

/* for (int i = A; i < B; i += S) { .. } with literals, where the body only
   reads i: the number of rounds, or 0. */
static uint32_t rounds(walk *w, const cc_node *n) {
    const cc_tokens *t = &w->u->tokens;
    uint32_t one = n->a, two = n->b, i = n->first + 2, variable = i + 1, from, to, step = 1;
    uint32_t close = t->list[n->first + 1].match, word;
    if (!cc_spells(t, i, "int") && !cc_spells(t, i, "unsigned")) return 0;
    if (cc_spells(t, i, "unsigned") && cc_spells(t, i + 1, "int")) variable++;
    if (one != variable + 3 || !cc_is_name(t, variable) || !cc_is(t, variable + 1, '=') ||
        !is_number(w->u, variable + 2, &from)) return 0;
    if (two != one + 4 || !same_name(w->u, variable, one + 1) ||
        !is_number(w->u, one + 3, &to)) return 0;
    word = t->list[one + 2].word;
    if (word == CC_OP2('<', '=')) to++;
    else if (word != '<') return 0;
    if (close == two + 4 && cc_is(t, two + 2, CC_OP2('+', '='))) {
        if (!same_name(w->u, variable, two + 1) || !is_number(w->u, two + 3, &step)) return 0;
    } else if (close != two + 3 ||
               !((cc_is(t, two + 1, CC_OP2('+', '+')) && same_name(w->u, variable, two + 2)) ||
                 (cc_is(t, two + 2, CC_OP2('+', '+')) && same_name(w->u, variable, two + 1)))) {
        return 0;
    }
    if (step == 0 || to <= from || !leaves_alone(w->u, variable, close + 1, n->last)) return 0;
    return (to - from + step - 1) / step;
}

static void bound_loop(walk *w, uint32_t loop, const cc_node *n) {
    uint32_t count = n->kind == CC_N_FOR ? rounds(w, n) : 0, parent = w->flow->loops[loop].parent;
    if (parent != CC_NOBODY) count *= w->flow->loops[parent].bound;
    w->flow->loops[loop].bound = count <= 16 ? count : 0;
}

static void walk_loop(walk *w, uint32_t node) {
    const cc_node n = *at(w, node);
    uint32_t outer = w->loop, number;
    if (n.kind == CC_N_FOR) walk_expression(w, n.kid[2]);
    number = add_loop(w, node, n.kind == CC_N_FOR ? 'f' : n.kind == CC_N_WHILE ? 'w' : 'd');
    bound_loop(w, number, &n);
    w->loop = number;
    if (n.kind == CC_N_DO) {
        say_number(w, "D", number);
        say(w, "{");
        walk_statement(w, n.kid[1]);
        say(w, ";");
        walk_expression(w, n.kid[0]);
    } else {
        say_number(w, "W", number);
        say(w, "{");
        walk_expression(w, n.kid[0]);
        say(w, ";");
        walk_statement(w, n.kid[1]);
        say(w, ";");
        walk_expression(w, n.kid[3]);
    }
    say(w, "}");
    w->loop = outer;
}

/* do .. while (0) runs once. */
static int runs_once(const walk *w, const cc_node *n) {
    uint32_t value;
    const cc_node *condition = at(w, n->kid[0]);
    return condition->first == condition->last && is_number(w->u, condition->first, &value) &&
           value == 0;
}

/* ---- labels and jumps ---- */

static uint32_t label_number(walk *w, uint32_t name) {
    uint32_t i;
    for (i = 0; i < w->flow->label_count; i++) {
        if (same_name(w->u, w->flow->labels[i].name, name)) return i;
    }
    return CC_NOBODY;
}

/* A computed goto may lead back to any label in front of it whose address is
   taken, as in an interpreter whose instructions jump to one another. last: the
   last computed goto. */
static void find_taken_labels(walk *w, uint32_t last) {
    const cc_tokens *t = &w->u->tokens;
    uint32_t i, k;
    for (i = w->f->open; i < w->f->close; i++) {
        if (!cc_is(t, i, CC_OP2('&', '&')) || !cc_is_name(t, i + 1)) continue;
        if (i > 0 && (cc_is_name(t, i - 1) || t->list[i - 1].kind == CC_NUMBER)) continue;
        k = label_number(w, i + 1);
        if (k == CC_NOBODY) continue;
        w->flow->labels[k].taken = 1;
        if (w->flow->labels[k].name < last) w->flow->labels[k].seen = 1;
    }
}

/* Labels are numbered as they stand in the text. */
static void find_labels(walk *w) {
    uint32_t i, computed = 0;
    int has_asm_goto = 0;
    for (i = w->f->root; i < w->u->node_count && w->u->nodes[i].first <= w->f->close; i++) {
        cc_flow *flow = w->flow;
        if (w->u->nodes[i].kind != CC_N_LABEL) continue;
        TOOL_ROOM(cc_label, flow->labels, flow->label_count, flow->label_room);
        flow->labels[flow->label_count].name = w->u->nodes[i].first;
        flow->labels[flow->label_count].node = i;
        flow->labels[flow->label_count].loop = CC_NOBODY;
        flow->labels[flow->label_count].seen = 0;
        flow->labels[flow->label_count].taken = 0;
        flow->label_count++;
    }
    /* A goto that follows its label is a back-edge. */
    for (i = w->f->root; i < w->u->node_count && w->u->nodes[i].first <= w->f->close; i++) {
        const cc_node *n = &w->u->nodes[i];
        uint32_t k;
        if (n->kind == CC_N_GOTO_STAR && n->first > computed) computed = n->first;
        if (n->kind == CC_N_ASM && n->a) has_asm_goto = 1;
        if (n->kind != CC_N_GOTO) continue;
        k = label_number(w, n->a);
        if (k != CC_NOBODY && w->flow->labels[k].name < n->first) w->flow->labels[k].seen = 1;
    }
    if (computed) find_taken_labels(w, computed);
    for (i = 0; i < w->flow->label_count; i++) {
        if (!computed || has_asm_goto) w->flow->labels[i].taken = 1;
    }
}

static void walk_label(walk *w, uint32_t node) {
    const cc_node *n = at(w, node);
    uint32_t label = label_number(w, n->first), kid = n->kid[1];
    if (label != CC_NOBODY) {
        say_number(w, w->flow->labels[label].taken ? "l" : "m", label);
        if (w->flow->labels[label].seen) {
            uint32_t loop = add_loop(w, node, 'g');
            w->flow->labels[label].loop = loop;
            /* What the goto goes around is not known to be a nest of
               statements. */
            w->flow->loops[loop].calls = 1;
            say_number(w, "G", loop);
        }
    }
    walk_statement(w, kid);
}

static void walk_goto(walk *w, const cc_node *n) {
    uint32_t label = label_number(w, n->a);
    if (label == CC_NOBODY) say(w, "x");
    else say_number(w, "g", label);
}

/* ---- statements ---- */

static void walk_if(walk *w, const cc_node *n) {
    size_t before;
    walk_expression(w, n->kid[0]);
    before = w->flow->skeleton.size;
    say(w, "(");
    walk_statement(w, n->kid[1]);
    say(w, "|");
    if (n->kid[2]) walk_statement(w, n->kid[2]);
    say(w, ")");
    if (w->flow->skeleton.size == before + 3) w->flow->skeleton.size = before;
}

static void walk_wrapped(walk *w, const char *open, uint32_t node, uint32_t expression) {
    say(w, open);
    walk_statement(w, node);
    say(w, "}");
    walk_expression(w, expression);
}

static void walk_statement(walk *w, uint32_t node) {
    const cc_node n = *at(w, node);
    uint32_t kid;
    switch (n.kind) {
    case CC_N_BLOCK:
        for (kid = n.kid[0]; kid; kid = at(w, kid)->next) walk_statement(w, kid);
        break;
    case CC_N_IF: walk_if(w, &n); break;
    case CC_N_DO:
        if (runs_once(w, &n)) {
            walk_wrapped(w, "{", n.kid[1], n.kid[0]);
            break;
        }
        walk_loop(w, node);
        break;
    case CC_N_WHILE: case CC_N_FOR: walk_loop(w, node); break;
    case CC_N_SWITCH:
        walk_expression(w, n.kid[0]);
        walk_wrapped(w, "S{", n.kid[1], 0);
        break;
    case CC_N_CASE: case CC_N_DEFAULT: walk_statement(w, n.kid[1]); break;
    case CC_N_LABEL: walk_label(w, node); break;
    case CC_N_GOTO: walk_goto(w, &n); break;
    case CC_N_GOTO_STAR:
        walk_expression(w, n.kid[0]);
        say(w, "x");
        break;
    case CC_N_BREAK: say(w, "b"); break;
    case CC_N_CONTINUE: say(w, "k"); break;
    case CC_N_RETURN:
        walk_expression(w, n.kid[0]);
        say(w, "r");
        break;
    case CC_N_SIMPLE: case CC_N_DECLARATION: walk_expression(w, n.kid[0]); break;
    case CC_N_ASM:
        if (cc_assembly_jumps(w->u, n.first, n.last))
            walk_maybe(w, assembly_callee(w, n.first));
        if (n.a) say(w, "x");
        break;
    default: break;
    }
}

cc_flow *cc_flows(cc_unit *u) {
    cc_flow *flows = (cc_flow *)tool_alloc((u->function_count + 1) * sizeof *flows);
    uint32_t i;
    memset(flows, 0, (u->function_count + 1) * sizeof *flows);
    for (i = 0; i < u->function_count; i++) {
        walk w;
        if (u->functions[i].in_system || u->functions[i].reason) continue;
        w.u = u;
        w.f = &u->functions[i];
        w.flow = &flows[i];
        w.loop = CC_NOBODY;
        find_labels(&w);
        walk_statement(&w, u->functions[i].root);
    }
    return flows;
}

void cc_flows_free(cc_unit *u, cc_flow *flows) {
    uint32_t i;
    for (i = 0; i < u->function_count; i++) {
        free(flows[i].loops);
        free(flows[i].callees);
        free(flows[i].labels);
        text_free(&flows[i].skeleton);
    }
    free(flows);
}
