/* mcdc.c - the decisions of a function: their graphs, the numbers of their
   runs, and the text that marks them.

   The number of a run is a sum over its ways (kinds/decisions.h): a false way
   adds P of the true one. The way that leaves the decision sets the mark of
   that number. A condition that one path leads to has a constant sum so far.
   Where several lead to it, a variable of the function, bursty_mN, holds the
   sum: a way from a condition of the first kind sets it, later ones add to it.

       a && b        ((a)||(S(2),0)) && ((b)?(S(0),1):(S(1),0))
       a || b        ((a)&&(S(0),1)) || ((b)?(S(1),1):(S(2),0))

   It is set before it is read, so a loop needs no reset, and recursion has its
   own. Each decision has a variable of its own, for operands of one expression
   may run in any order.

   A decision with more than 64 runs finds out by itself which conditions were
   independent, with two words of a bit for each condition that was true or
   false. A way out of a right operand with the value that decides (&& false, ||
   true) masks the left operand: its bits go. What is left where the decision is
   left was independent. */
#include "cc/put/mcdc.h"
#include "base/tool.h"
#include "cc/read/twice.h"
#include "report/kinds/decisions.h"
#include <stdlib.h>
#include <string.h>

typedef struct leaf {
    uint32_t from;            /* vertex */
    uint32_t first, last;     /* tokens */
    uint32_t t, f, yes, no;   /* edges and the vertices that they lead to */
    uint32_t constant;        /* a constant leads to this vertex; else CC_NOWHERE */
    uint32_t number;          /* of the condition, or CC_NOWHERE */
    uint8_t arm, calls;
} leaf;

typedef struct gate {         /* && or ||: ranges of leaves */
    uint32_t left, right, end, absorbing;
} gate;

typedef struct decision {
    uint32_t first, last, yes, no;
    leaf *leaves;
    uint32_t leaf_count, leaf_room;
    gate *gates;
    uint32_t gate_count, gate_room;
    uint32_t at, next;        /* the leaf that is being passed, and the next one */
    int next_is_arm, has_choice;
    /* after the plan */
    int is_told;              /* in the part of kind 6 */
    decided told;
    uint32_t *paths;          /* P of each condition, and of both outcomes */
    uint32_t *sums;           /* of each condition, or CC_NOWHERE: several paths lead there */
    uint32_t base;            /* its first mark */
    uint32_t local;           /* number of its variable */
} decision;

struct cc_mcdc {
    cc_unit *u;
    const cc_request *request;
    const char *table;
    int emit;
    decision *list;           /* of the current function */
    uint32_t count, room, next;
    uint32_t *open;           /* those around here */
    uint32_t depth, open_room;
    text ways[2], locals;
    uint32_t local_count, outcome_count, function;
    /* of the file */
    uint32_t marks, functions, large;
    text told;                /* the part behind its key and the number of functions */
};

cc_mcdc *cc_mcdc_new(cc_unit *u, const cc_request *request, const char *table) {
    cc_mcdc *m = (cc_mcdc *)tool_alloc(sizeof *m);
    memset(m, 0, sizeof *m);
    m->u = u;
    m->request = request;
    m->table = table;
    return m;
}

static void forget(cc_mcdc *m) {
    uint32_t i;
    for (i = 0; i < m->count; i++) {
        free(m->list[i].leaves);
        free(m->list[i].gates);
        free(m->list[i].told.text);
        free(m->list[i].told.conditions);
        free(m->list[i].paths);
        free(m->list[i].sums);
    }
    m->count = 0;
}

void cc_mcdc_free(cc_mcdc *m) {
    if (!m) return;
    forget(m);
    free(m->list);
    free(m->open);
    text_free(&m->ways[0]);
    text_free(&m->ways[1]);
    text_free(&m->locals);
    text_free(&m->told);
    free(m);
}

/* ---- what the walk passes ---- */

void cc_mcdc_function(cc_mcdc *m, int emit) {
    if (!m) return;
    if (!emit) forget(m);
    m->emit = emit;
    m->next = 0;
    m->depth = 0;
}

static void *more(void *list, uint32_t count, uint32_t *room, size_t bytes) {
    if (count < *room) return list;
    *room = *room ? *room * 2 : 8;
    return tool_grow(list, *room * bytes);
}

void cc_mcdc_begin(cc_mcdc *m, uint32_t first, uint32_t last, uint32_t yes, uint32_t no) {
    decision *d;
    if (!m) return;
    m->open = (uint32_t *)more(m->open, m->depth, &m->open_room, sizeof *m->open);
    m->open[m->depth++] = m->next;
    if (m->emit) {
        m->list[m->next++].next = 0;
        return;
    }
    m->list = (decision *)more(m->list, m->count, &m->room, sizeof *m->list);
    d = &m->list[m->count++];
    memset(d, 0, sizeof *d);
    d->first = first;
    d->last = last;
    d->yes = yes;
    d->no = no;
    m->next = m->count;
}

void cc_mcdc_end(cc_mcdc *m) {
    if (m) m->depth--;
}

static decision *current(const cc_mcdc *m) { return &m->list[m->open[m->depth - 1]]; }

uint32_t cc_mcdc_operator(const cc_unit *u, uint32_t list, int *flips) {
    const cc_tokens *t = &u->tokens;
    uint32_t first = u->nodes[list].first, last = u->nodes[list].last, node = list;
    int kind;
    *flips = 0;
    while (node && u->nodes[node].kind == CC_N_LIST) {
        uint32_t kid = u->nodes[node].kid[0];
        if (!kid || u->nodes[kid].next) return 0;
        node = kid;
    }
    kind = node ? u->nodes[node].kind : CC_NONE;
    if (kind != CC_N_AND && kind != CC_N_OR && kind != CC_N_CHOICE) return 0;
    while (u->nodes[node].first != first || u->nodes[node].last != last) {
        if (cc_is(t, first, '!') && first < last) {
            *flips = !*flips;
            first++;
        } else if (cc_is(t, first, '(') && t->list[first].match == last && last > first + 1) {
            first++;
            last--;
        } else {
            return 0;
        }
    }
    return node;
}

uint32_t cc_mcdc_left(const cc_mcdc *m) { return m && m->depth ? current(m)->leaf_count : 0; }

void cc_mcdc_close(cc_mcdc *m, uint32_t left, uint32_t right, uint32_t absorbing) {
    decision *d;
    gate *g;
    if (!m || m->emit) return;
    d = current(m);
    d->gates = (gate *)more(d->gates, d->gate_count, &d->gate_room, sizeof *d->gates);
    g = &d->gates[d->gate_count++];
    g->left = left;
    g->right = right;
    g->end = d->leaf_count;
    g->absorbing = absorbing;
}

void cc_mcdc_arm(cc_mcdc *m) {
    current(m)->next_is_arm = 1;
    current(m)->has_choice = 1;
}

static int calls_something(const cc_unit *u, uint32_t node) {
    for (; node; node = u->nodes[node].next) {
        const cc_node *n = &u->nodes[node];
        int k;
        if (n->kind == CC_N_CALL || n->kind == CC_N_INDIRECT || n->kind == CC_N_BODY) return 1;
        for (k = 0; k < 4; k++) {
            if (calls_something(u, n->kid[k])) return 1;
        }
    }
    return 0;
}

void cc_mcdc_condition(cc_mcdc *m, uint32_t from, uint32_t list) {
    decision *d;
    leaf *l;
    if (!m) return;
    d = current(m);
    d->at = d->next++;
    if (m->emit) return;
    d->leaves = (leaf *)more(d->leaves, d->leaf_count, &d->leaf_room, sizeof *d->leaves);
    l = &d->leaves[d->leaf_count++];
    l->from = from;
    l->first = m->u->nodes[list].first;
    l->last = m->u->nodes[list].last;
    l->t = l->f = l->yes = l->no = l->constant = l->number = CC_NOWHERE;
    l->arm = (uint8_t)d->next_is_arm;
    l->calls = (uint8_t)calls_something(m->u, m->u->nodes[list].kid[0]);
    d->next_is_arm = 0;
}

void cc_mcdc_constant(cc_mcdc *m, uint32_t to) {
    if (m && !m->emit) current(m)->leaves[current(m)->at].constant = to;
}

void cc_mcdc_ways(cc_mcdc *m, uint32_t t, uint32_t yes, uint32_t f, uint32_t no) {
    leaf *l;
    if (!m || m->emit) return;
    l = &current(m)->leaves[current(m)->at];
    l->t = t;
    l->yes = yes;
    l->f = f;
    l->no = no;
}

/* ---- the graph of a decision ---- */

/* The leaf that decides at this vertex, behind constants; leaf_count: the
   outcome is false, and leaf_count + 1: true; CC_NOWHERE: none. */
static uint32_t resolve(const decision *d, uint32_t vertex) {
    uint32_t i;
    for (i = 0; i < d->leaf_count; i++) {
        if (vertex == d->no) return d->leaf_count;
        if (vertex == d->yes) return d->leaf_count + 1;
        if (d->leaves[i].from != vertex) continue;
        if (d->leaves[i].constant == CC_NOWHERE) return i;
        vertex = d->leaves[i].constant;
    }
    if (vertex == d->no) return d->leaf_count;
    return vertex == d->yes ? d->leaf_count + 1 : CC_NOWHERE;
}

/* Numbers the conditions that can be reached. Returns 0, or -1: one of them has
   no way on. */
static int number_conditions(decision *d, const cc_cfg *g) {
    uint32_t start = resolve(d, d->leaves[0].from), i, k;
    uint8_t *reached = (uint8_t *)tool_alloc((size_t)d->leaf_count + 2);
    int good = 1;
    memset(reached, 0, (size_t)d->leaf_count + 2);
    if (start < d->leaf_count) reached[start] = 1;
    for (i = 0; i < d->leaf_count && good; i++) {
        leaf *l = &d->leaves[i];
        if (!reached[i]) continue;
        good = l->t != CC_NOWHERE && l->f != CC_NOWHERE && g->edges[l->t].slot != CC_NOWHERE &&
               g->edges[l->f].slot == g->edges[l->t].slot + 1;
        for (k = 0; k < 2 && good; k++) {
            uint32_t to = resolve(d, k ? l->yes : l->no);
            good = to != CC_NOWHERE && to > i;
            if (good) reached[to] = 1;
        }
        l->number = d->told.count++;
    }
    free(reached);
    return good ? 0 : -1;
}

static int has_setjmp(const cc_unit *u, const decision *d) {
    uint32_t i;
    for (i = d->first; i <= d->last; i++) {
        if (cc_returns_twice(&u->tokens, i)) return 1;
    }
    return 0;
}

static int has_constant(const decision *d) {
    uint32_t i;
    for (i = 0; i < d->leaf_count; i++) {
        if (d->leaves[i].constant != CC_NOWHERE) return 1;
    }
    return 0;
}

static uint32_t way_of(const decision *d, const leaf *l, int way) {
    uint32_t to = resolve(d, way ? l->yes : l->no);
    if (to >= d->leaf_count) return to == d->leaf_count ? DECISION_FALSE : DECISION_TRUE;
    return d->leaves[to].number - l->number + 1;
}

/* Finds the sum of each condition to which one path leads. */
static void find_sums(decision *d) {
    uint32_t n = d->told.count, i;
    int way;
    uint8_t *seen = (uint8_t *)tool_alloc((size_t)n + 2);
    memset(seen, 0, (size_t)n + 2);
    d->sums = (uint32_t *)tool_alloc(((size_t)n + 2) * sizeof *d->sums);
    memset(d->sums, 0, ((size_t)n + 2) * sizeof *d->sums);
    for (i = 0; i < n; i++) {
        for (way = 0; way < 2; way++) {
            uint32_t to = decisions_target(&d->told, i, way);
            uint32_t adds = way ? 0 : d->paths[decisions_target(&d->told, i, 1)];
            d->sums[to] = seen[to]++ || d->sums[i] == CC_NOWHERE ? CC_NOWHERE : d->sums[i] + adds;
            if (seen[to] > 1) seen[to] = 1;
        }
    }
    free(seen);
}

static uint32_t form_of(const cc_unit *u, const decision *d) {
    if (has_setjmp(u, d)) return DECISION_SETJMP;
    if (d->paths[0] <= DECISION_RUNS_MOST) return DECISION_PATHS;
    if (d->has_choice) return DECISION_CHOICE;
    if (d->told.count > DECISION_OUTCOMES_MOST || has_constant(d)) return DECISION_TOO_MANY;
    return DECISION_OUTCOMES;
}

/* Chooses the form, and the variables that it needs. */
static void plan_decision(cc_mcdc *m, decision *d, const cc_cfg *g, uint32_t first_slot) {
    uint32_t i, k = 0;
    decided *told = &d->told;
    told->conditions =
        (decisions_condition *)tool_alloc(((size_t)told->count + 1) * sizeof *told->conditions);
    memset(told->conditions, 0, ((size_t)told->count + 1) * sizeof *told->conditions);
    for (i = 0; i < d->leaf_count; i++) {
        const leaf *l = &d->leaves[i];
        if (l->number == CC_NOWHERE) continue;
        told->conditions[k].way[0] = way_of(d, l, 0);
        told->conditions[k].way[1] = way_of(d, l, 1);
        told->conditions[k].slot = g->edges[l->t].slot - first_slot;
        told->conditions[k++].calls = l->calls;
    }
    d->paths = (uint32_t *)tool_alloc(((size_t)told->count + 2) * sizeof *d->paths);
    decisions_paths(told, d->paths);
    told->form = form_of(m->u, d);
    told->runs = d->paths[0] <= DECISION_RUNS_MOST ? d->paths[0] : 0;
    find_sums(d);
    d->is_told = 1;
    if (told->form == DECISION_OUTCOMES) {
        m->large = 1;
        d->local = m->outcome_count++;
        text_format(&m->locals, "unsigned long bursty_t%lu,bursty_f%lu;", (unsigned long)d->local,
                    (unsigned long)d->local);
    }
    for (i = 0; told->form == DECISION_PATHS && i < told->count; i++) {
        if (d->sums[i] != CC_NOWHERE) continue;
        d->local = m->local_count++;
        text_format(&m->locals, "unsigned bursty_m%lu;", (unsigned long)d->local);
        break;
    }
}

/* ---- what the part of kind 6 says ---- */

static void put(text *out, uint64_t number) {
    do {
        char byte = (char)(number & 127);
        number >>= 7;
        if (number) byte = (char)(byte | 128);
        text_bytes(out, &byte, 1);
    } while (number);
}

enum { TEXT_MOST = 60, TEXT_HEAD = 36 };

/* The tokens first .. last as text: a blank where there was any space. Bytes
   beyond ASCII become '?', and the middle of what is long "...". */
static void spell(const cc_unit *u, uint32_t first, uint32_t last, text *out) {
    const cc_tokens *t = &u->tokens;
    size_t from = out->size, k;
    uint32_t i;
    for (i = first; i <= last; i++) {
        const cc_token *token = &t->list[i];
        if (i > first && token->at > t->list[i - 1].at + t->list[i - 1].size) text_add(out, " ");
        text_bytes(out, t->text + token->at, token->size);
        if (out->size - from > 4000) break;
    }
    for (k = from; k < out->size; k++) {
        if ((unsigned char)out->data[k] < 32 || (unsigned char)out->data[k] > 126)
            out->data[k] = '?';
    }
    if (out->size - from <= TEXT_MOST) return;
    memcpy(out->data + from + TEXT_HEAD, "...", 3);
    memmove(out->data + from + TEXT_HEAD + 3, out->data + out->size - (TEXT_MOST - TEXT_HEAD - 3),
            TEXT_MOST - TEXT_HEAD - 3);
    out->size = from + TEXT_MOST;
}

/* The whole decision, with each condition shortened alone. */
static void describe(const cc_mcdc *m, decision *d) {
    const cc_tokens *t = &m->u->tokens;
    text out = {NULL, 0, 0};
    uint32_t i, k = 0;
    for (i = d->first; i <= d->last; i++) {
        if (i > d->first && t->list[i].at > t->list[i - 1].at + t->list[i - 1].size) {
            text_add(&out, " ");
        }
        while (k < d->leaf_count && d->leaves[k].first < i) k++;
        if (k < d->leaf_count && d->leaves[k].first == i) {
            const leaf *l = &d->leaves[k];
            size_t from = out.size;
            spell(m->u, l->first, l->last, &out);
            if (l->number != CC_NOWHERE) {
                d->told.conditions[l->number].text_at = (uint32_t)from;
                d->told.conditions[l->number].text_size = (uint32_t)(out.size - from);
            }
            i = l->last;
        } else {
            spell(m->u, i, i, &out);
        }
    }
    d->told.text = text_take(&out);
    if (cc_same_file(t, d->leaves[0].first, m->u->functions[m->function].name))
        d->told.line = t->list[d->leaves[0].first].line;
}

static void tell(cc_mcdc *m, decision *d) {
    uint32_t i, next_slot = 0;
    text *out = &m->told;
    describe(m, d);
    put(out, d->told.line);
    put(out, d->told.form);
    put(out, strlen(d->told.text));
    text_add(out, d->told.text);
    put(out, d->told.count);
    for (i = 0; i < d->told.count; i++) {
        const decisions_condition *c = &d->told.conditions[i];
        put(out, c->text_at);
        put(out, c->text_size);
        put(out, 2 * (uint64_t)c->way[1] + c->calls);
        put(out, c->way[0]);
        put(out, c->slot - next_slot);
        next_slot = c->slot + 2;
    }
}

static void list_left(const cc_mcdc *m, const decision *d, uint32_t form, cc_result *result) {
    const cc_tokens *t = &m->u->tokens;
    const cc_token *name = &t->list[m->u->functions[m->function].name];
    cc_left left;
    text copy = {NULL, 0, 0};
    text_bytes(&copy, t->text + name->at, name->size);
    left.name = text_take(&copy);
    text_add(&copy, t->files[name->file].name);
    left.file = text_take(&copy);
    left.line = t->list[d->first].line;
    left.how = "left alone";
    left.reason = decisions_reason(form);
    cc_left_add(&result->left, &result->left_count, &left);
}

/* Edges whose outcome the marks of runs tell lose their own mark; the others
   get the next ones. */
static void give_marks(cc_mcdc *m, cc_cfg *g) {
    uint32_t i, k, e;
    for (i = 0; i < m->count; i++) {
        const decision *d = &m->list[i];
        if (!d->is_told || d->told.form != DECISION_PATHS) continue;
        for (k = 0; k < d->leaf_count; k++) {
            if (d->leaves[k].number == CC_NOWHERE) continue;
            g->edges[d->leaves[k].t].slot = CC_NOWHERE;
            g->edges[d->leaves[k].f].slot = CC_NOWHERE;
        }
    }
    for (e = 0; e < g->edge_count; e++) {
        if (g->edges[e].slot != CC_NOWHERE) g->edges[e].slot = m->marks++;
    }
    if (g->entry_slot != CC_NOWHERE) g->entry_slot = m->marks++;
    for (i = 0; i < m->count; i++) {
        m->list[i].base = m->marks;
        if (m->list[i].is_told) m->marks += decisions_marks(&m->list[i].told);
    }
}

void cc_mcdc_plan(cc_mcdc *m, uint32_t function, cc_cfg *g, uint32_t first_slot, uint32_t slots,
                  cc_result *result) {
    uint32_t i, told = 0;
    if (!m) return;
    m->function = function;
    m->locals.size = 0;
    m->local_count = m->outcome_count = 0;
    for (i = 0; i < m->count; i++) {
        decision *d = &m->list[i];
        int good;
        if (d->leaf_count < 2 || d->leaves[0].from == CC_NOWHERE) continue;
        good = number_conditions(d, g) == 0;
        if (good && d->told.count >= 2) {
            plan_decision(m, d, g, first_slot);
            told++;
        }
        if (!good && d->leaves[0].t != CC_NOWHERE &&
            g->edges[d->leaves[0].t].slot != CC_NOWHERE)
            list_left(m, d, DECISION_NO_WAY, result);
        else if (d->is_told && d->told.form > DECISION_OUTCOMES)
            list_left(m, d, d->told.form, result);
    }
    put(&m->told, slots);
    put(&m->told, told);
    for (i = 0; i < m->count; i++) {
        if (m->list[i].is_told) tell(m, &m->list[i]);
    }
    m->functions++;
    give_marks(m, g);
}

uint32_t cc_mcdc_marks(const cc_mcdc *m) { return m->marks; }

void cc_mcdc_part(const cc_mcdc *m, uint64_t key, text *part) {
    dump_writer w;
    unsigned char bytes[8];
    int i;
    for (i = 0; i < 8; i++) bytes[i] = (unsigned char)(key >> 8 * i);
    dump_begin(&w, part, kind_decisions.number);
    dump_put_bytes(&w, bytes, sizeof bytes);
    dump_put(&w, m->functions);
    dump_put_bytes(&w, m->told.data, m->told.size);
    dump_end(&w);
}

/* ---- text ---- */

static void comma(text *out) {
    if (out->size) text_add(out, ",");
}

/* Sets a mark; name: a variable that is added to its number, or NULL. */
static void add_mark(const cc_mcdc *m, text *out, unsigned long mark, const char *name) {
    int is_bits = m->request->cover == 1, is_atomic = is_bits && m->request->atomic;
    char number[64];
    comma(out);
    snprintf(number, sizeof number, name ? "(%lu+%s)" : "%lu", mark, name);
    if (!is_bits) {
        text_format(out, "%s[%s]=1", m->table, number);
    } else if (name) {
        text_format(out, "%s%s[%s/8]%s1u<<%s%%8%s", is_atomic ? "(void)__atomic_fetch_or(&" : "",
                    m->table, number, is_atomic ? "," : "|=", number, is_atomic ? ",0)" : "");
    } else {
        text_format(out, "%s%s[%lu]%s%uu%s", is_atomic ? "(void)__atomic_fetch_or(&" : "",
                    m->table, mark / 8, is_atomic ? "," : "|=", 1u << mark % 8,
                    is_atomic ? ",0)" : "");
    }
}

static void add_path(const cc_mcdc *m, const decision *d, uint32_t i, int way, text *out) {
    uint32_t to = decisions_target(&d->told, i, way), arrival = decisions_arrival(&d->told, i, way);
    uint32_t adds = way ? 0 : d->paths[decisions_target(&d->told, i, 1)], sum = d->sums[i];
    char name[32];
    snprintf(name, sizeof name, "bursty_m%lu", (unsigned long)d->local);
    if (arrival != UINT32_MAX) add_mark(m, out, d->base + arrival, NULL);
    if (to >= d->told.count) {
        if (sum != CC_NOWHERE) add_mark(m, out, d->base + sum + adds, NULL);
        else add_mark(m, out, d->base + adds, name);
    } else if (sum != CC_NOWHERE) {
        if (d->sums[to] != CC_NOWHERE) return;
        comma(out);
        text_format(out, "%s=%lu", name, (unsigned long)(sum + adds));
    } else if (adds) {
        comma(out);
        text_format(out, "%s+=%lu", name, (unsigned long)adds);
    }
}

/* The conditions that a way masks: a bit for each. */
static unsigned long masked(const decision *d, uint32_t at, int way) {
    uint32_t vertex = way ? d->leaves[at].yes : d->leaves[at].no, i, k;
    unsigned long mask = 0;
    for (i = 0; i < d->gate_count; i++) {
        const gate *g = &d->gates[i];
        if (at < g->right || at >= g->end || vertex != g->absorbing) continue;
        for (k = g->left; k < g->right; k++) mask |= 1ul << d->leaves[k].number;
    }
    return mask;
}

static void add_outcome(const decision *d, uint32_t at, int way, text *out) {
    uint32_t i = d->leaves[at].number;
    unsigned long mask = masked(d, at, way), local = d->local;
    char mine = way ? 't' : 'f', other = way ? 'f' : 't';
    comma(out);
    if (i == 0) {
        text_format(out, "bursty_%c%lu=1,bursty_%c%lu=0", mine, local, other, local);
    } else {
        if (mask) text_format(out, "bursty_%c%lu&=~0x%lxul,", other, local, mask);
        if (mask) text_format(out, "bursty_%c%lu&=~0x%lxul,", mine, local, mask);
        text_format(out, "bursty_%c%lu|=0x%lxul", mine, local, 1ul << i);
    }
    if (decisions_target(&d->told, i, way) >= d->told.count) {
        text_format(out, ",bursty_cc_a(%lu,bursty_t%lu,bursty_f%lu)", (unsigned long)d->base,
                    local, local);
    }
}

const char *cc_mcdc_text(cc_mcdc *m, int way, const char *plain) {
    const decision *d;
    const leaf *l;
    text *out;
    if (!m || !m->emit) return plain;
    d = current(m);
    l = &d->leaves[d->at];
    if (!d->is_told || d->told.form > DECISION_OUTCOMES || l->number == CC_NOWHERE) return plain;
    out = &m->ways[way];
    out->size = 0;
    if (plain) text_add(out, plain);
    if (d->told.form == DECISION_PATHS) add_path(m, d, l->number, way, out);
    else add_outcome(d, d->at, way, out);
    if (out->size == 0) return NULL;
    text_bytes(out, "", 1);
    return out->data;
}

int cc_mcdc_is_arm(const cc_mcdc *m) {
    return m && m->emit && current(m)->leaves[current(m)->at].arm;
}

const char *cc_mcdc_locals(cc_mcdc *m) {
    if (!m || !m->emit || m->locals.size == 0) return NULL;
    text_bytes(&m->locals, "", 1);
    m->locals.size--;
    return m->locals.data;
}

void cc_mcdc_front(const cc_mcdc *m, text *front) {
    cc_mcdc marker;
    text yes = {NULL, 0, 0}, no = {NULL, 0, 0};
    if (!m || !m->large) return;
    marker = *m;
    add_mark(&marker, &yes, 0, "n");
    add_mark(&marker, &no, 1, "n");
    text_add(front, "static __attribute__((noinline,unused)) void bursty_cc_a(unsigned n, "
                    "unsigned long t, unsigned long f) { for (; t | f; n += 2, t >>= 1, f >>= 1) {"
                    " if (t & 1) ");
    text_bytes(front, yes.data, yes.size);
    text_add(front, "; if (f & 1) ");
    text_bytes(front, no.data, no.size);
    text_add(front, "; } }\n");
    text_free(&yes);
    text_free(&no);
}
