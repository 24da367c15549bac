/* decide.c - which functions and loops get a check: by a plan, or for one file
   alone.

   A plan that `bursty place` has made knows the whole program. Without one, or
   for a function whose tokens have changed since, every function that other
   files can call, or that is called through a pointer, gets a check if it calls
   anything; what calls itself inside of the file gets one, too. So no cycle of
   calls is left: one through two files, or through a pointer, enters by such a
   function. (bursty-tracing, section 4.1, is the same for a whole program.) */
#include "cc/put/points.h"
#include "base/glob.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

int cc_is_wanted(const cc_unit *u, const cc_function *f, const cc_choice *choice) {
    text name = {NULL, 0, 0};
    int is_wanted;
    if (f->in_system || f->reason || f->naked) return 0;
    if (f->gnu_inline && f->flags & CC_IS_EXTERN) return 0;
    cc_spell(&u->tokens, f->name, &name);
    is_wanted = glob_wants(choice->only, choice->not_these, name.data, name.size);
    text_free(&name);
    return is_wanted;
}

/* ---- cycles inside of the file ---- */

typedef struct search {
    cc_flow *flows;
    uint32_t *state, *stack, *next;    /* state: 0 new, 1 on the stack, 2 done */
} search;

/* A depth-first search over calls between functions without a check. A call
   that leads back onto the stack closes a cycle: its target gets a check. */
static void break_cycles(search *s, uint32_t start) {
    uint32_t depth = 1;
    s->stack[0] = start;
    s->state[start] = 1;
    s->next[start] = 0;
    while (depth > 0) {
        uint32_t f = s->stack[depth - 1], g;
        cc_flow *flow = &s->flows[f];
        if (flow->checked || s->next[f] == flow->callee_count) {
            s->state[f] = 2;
            depth--;
            continue;
        }
        g = flow->callees[s->next[f]++].function;
        if (g == CC_NOBODY || s->flows[g].checked || s->state[g] == 2) continue;
        if (s->state[g] == 1) {
            s->flows[g].checked = 1;
            s->flows[g].why = "recursion";
            continue;
        }
        s->state[g] = 1;
        s->next[g] = 0;
        s->stack[depth++] = g;
    }
}

/* ---- one file alone ---- */

static int may_be_entered(cc_unit *u, const cc_function *f) {
    const cc_name *name = cc_find(u, f->name, 0);
    return !(f->flags & CC_IS_STATIC) || f->flags & (CC_IS_SPECIAL | CC_IS_USED) ||
           (name && name->taken);
}

static void decide_entry(cc_unit *u, cc_flow *flow, const cc_function *f, const cc_choice *choice) {
    switch (choice->entries) {
    case CC_ENTRIES_ALL:
        flow->checked = 1;
        flow->why = "all";
        break;
    case CC_ENTRIES_LEAF:
        flow->checked = flow->calls;
        flow->why = flow->calls ? "calls" : "leaf";
        break;
    case CC_ENTRIES_TIME:
        flow->checked = flow->calls || flow->loop_count > 0;
        flow->why = flow->calls ? "calls" : flow->checked ? "loops" : "leaf";
        break;
    case CC_ENTRIES_NONE:
        flow->why = "none";
        break;
    default:
        flow->checked = flow->calls && may_be_entered(u, f);
        flow->why = !flow->calls ? "leaf" : flow->checked ? "enterable" : "inside";
        break;
    }
}

/* k-boring: no calls, at most k back-edges. */
static int loop_wanted(const cc_loop *loop, int k) {
    if (k == CC_LOOPS_ALL) return 1;
    if (k == CC_LOOPS_NONE || loop->bound) return 0;
    return loop->calls || loop->events > (uint32_t)k;
}

static void decide_alone(cc_unit *u, cc_flow *flows, const cc_choice *choice,
                         const uint8_t *planned) {
    uint32_t i, k;
    search s;
    for (i = 0; i < u->function_count; i++) {
        if (planned[i] || !cc_is_wanted(u, &u->functions[i], choice)) continue;
        decide_entry(u, &flows[i], &u->functions[i], choice);
        for (k = 0; k < flows[i].loop_count; k++) {
            flows[i].loops[k].checked = (uint8_t)loop_wanted(&flows[i].loops[k], choice->loops);
        }
    }
    if (choice->entries != CC_ENTRIES_SAFE) return;
    s.flows = flows;
    s.state = (uint32_t *)tool_alloc((3 * (size_t)u->function_count + 1) * sizeof *s.state);
    memset(s.state, 0, (3 * (size_t)u->function_count + 1) * sizeof *s.state);
    s.stack = s.state + u->function_count;
    s.next = s.stack + u->function_count;
    for (i = 0; i < u->function_count; i++) {
        if (!s.state[i] && !planned[i] && cc_is_wanted(u, &u->functions[i], choice)) {
            break_cycles(&s, i);
        }
    }
    for (i = 0; i < u->function_count; i++) {
        if (!cc_is_wanted(u, &u->functions[i], choice)) flows[i].checked = 0;
    }
    free(s.state);
}

/* ---- by a plan ---- */

typedef struct words {
    const char *at[8];
    size_t size[8];
    uint32_t count;
} words;

/* The words of the line at *at, which goes to the next line. */
static words next_line(const char **at, const char *end) {
    words w;
    const char *p = *at;
    w.count = 0;
    while (p < end && *p != '\n') {
        const char *from = p;
        while (p < end && *p != '\n' && *p != ' ') p++;
        if (w.count < 8) {
            w.at[w.count] = from;
            w.size[w.count++] = (size_t)(p - from);
        }
        if (p < end && *p == ' ') p++;
    }
    *at = p < end ? p + 1 : end;
    return w;
}

static int is_word(const words *w, uint32_t i, const char *word) {
    return i < w->count && w->size[i] == strlen(word) && memcmp(w->at[i], word, w->size[i]) == 0;
}

static int read_hash(const words *w, uint32_t i, uint64_t *hash) {
    size_t k;
    *hash = 0;
    if (w->size[i] != 16) return -1;
    for (k = 0; k < 16; k++) {
        char c = w->at[i][k];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) return -1;
        *hash = *hash << 4 | (uint64_t)digit;
    }
    return 0;
}

/* "3,5:37:1250": loop 3, and loop 5 with a weight and a budget. */
static int is_loop_list(const char *p, size_t size) {
    size_t k;
    unsigned colons = 0;
    for (k = 0; k < size; k++) {
        int digit = p[k] >= '0' && p[k] <= '9';
        int before = k > 0 && p[k - 1] >= '0' && p[k - 1] <= '9';
        if (digit) continue;
        if (!before || k + 1 == size || (p[k] != ',' && p[k] != ':')) return 0;
        if (p[k] == ',' && colons == 1) return 0;
        colons = p[k] == ':' ? colons + 1 : 0;
        if (colons > 2) return 0;
    }
    return colons != 1;
}

/* P, or O, unit name hash entry loops reason. Returns 0, or -1 if the line is none. */
static int read_line(const words *w, uint64_t *hash) {
    if (w->count != 7 || (!is_word(w, 0, "P") && !is_word(w, 0, "O"))) return -1;
    if (read_hash(w, 3, hash) != 0) return -1;
    if (!is_word(w, 4, "0") && !is_word(w, 4, "1")) return -1;
    return is_word(w, 5, "-") || is_loop_list(w->at[5], w->size[5]) ? 0 : -1;
}

int cc_plan_check(const char *plan, size_t size, uint32_t *line) {
    const char *at = plan, *end = plan + size;
    uint64_t hash;
    words w = next_line(&at, end);
    *line = 1;
    if (!is_word(&w, 0, "bursty") || !is_word(&w, 1, "plan") || !is_word(&w, 2, "1")) return -1;
    while (at < end) {
        ++*line;
        w = next_line(&at, end);
        if (w.count > 0 && read_line(&w, &hash) != 0) return -1;
    }
    return 0;
}

static void take_loops(cc_flow *flow, const char *list, size_t size) {
    uint32_t number[3] = {0, 0, 0}, part = 0;
    size_t i;
    for (i = 0; i <= size; i++) {
        if (i < size && list[i] >= '0' && list[i] <= '9') {
            if (number[part] < 100000000)
                number[part] = number[part] * 10 + (uint32_t)(list[i] - '0');
            continue;
        }
        if (i < size && list[i] == ':') {
            part++;
            continue;
        }
        if (number[0] < flow->loop_count) {
            flow->loops[number[0]].checked = 1;
            flow->loops[number[0]].weight = number[1];
            flow->loops[number[0]].budget = number[2];
        }
        memset(number, 0, sizeof number);
        part = 0;
    }
}

/* Sorts functions by their hashes, so that a line of a plan need not be compared with
   all of them. */
static const cc_unit *ordered;

static int by_hash(const void *a, const void *b) {
    const cc_function *f = &ordered->functions[*(const uint32_t *)a];
    const cc_function *g = &ordered->functions[*(const uint32_t *)b];
    return (f->hash > g->hash) - (f->hash < g->hash);
}

static uint32_t *order_functions(const cc_unit *u) {
    uint32_t *order = (uint32_t *)tool_alloc((u->function_count + 1) * sizeof *order), i;
    for (i = 0; i < u->function_count; i++) order[i] = i;
    ordered = u;
    if (u->function_count > 1) qsort(order, u->function_count, sizeof *order, by_hash);
    return order;
}

static uint32_t first_of_hash(const cc_unit *u, const uint32_t *order, uint64_t hash) {
    uint32_t low = 0, high = u->function_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (u->functions[order[middle]].hash < hash) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Obeys a line, if it is about a function of this unit that has not changed. */
static void obey_line(cc_unit *u, cc_flow *flows, const uint32_t *order, const words *w,
                      uint64_t hash, const cc_choice *choice, uint8_t *planned) {
    uint32_t k;
    for (k = first_of_hash(u, order, hash); k < u->function_count; k++) {
        uint32_t i = order[k];
        const cc_function *f = &u->functions[i];
        text name = {NULL, 0, 0};
        int is_it;
        if (f->hash != hash) break;
        cc_spell(&u->tokens, f->name, &name);
        is_it = name.size == w->size[2] && memcmp(name.data, w->at[2], name.size) == 0;
        text_free(&name);
        if (!is_it || !cc_is_wanted(u, f, choice)) continue;
        planned[i] = 1;
        flows[i].why = "plan";
        if (*w->at[4] == '1') flows[i].checked = 1;
        if (!is_word(w, 5, "-")) take_loops(&flows[i], w->at[5], w->size[5]);
    }
}

/* A path without what leads up or stays: ../src/./x.c is src/x.c. */
static void strip(const char **path, size_t *size) {
    for (;;) {
        size_t n = *size > 2 && memcmp(*path, "./", 2) == 0    ? 2
                   : *size > 3 && memcmp(*path, "../", 3) == 0 ? 3
                   : *size > 1 && **path == '/'                ? 1
                                                               : 0;
        if (n == 0) return;
        *path += n;
        *size -= n;
    }
}

/* 2: the same words. 1: one of the paths is the end of the other, src/x.c of
   /home/me/src/x.c. */
static int alike(const char *a, size_t m, const char *b, size_t n) {
    size_t least;
    if (m == n && memcmp(a, b, m) == 0) return 2;
    strip(&a, &m);
    strip(&b, &n);
    least = m < n ? m : n;
    if (least == 0 || memcmp(a + m - least, b + n - least, least) != 0) return 0;
    return m == n || (m > least ? a[m - least - 1] : b[n - least - 1]) == '/';
}

/* The unit of the plan that is this file. A plan names files as they stood on
   the command line; a build from another folder names them otherwise, and then
   the end of the path decides if just one unit has it. Returns where its lines
   begin, or NULL with a reason. */
static const char *find_unit(const char *plan, const char *end, const text *name,
                             const char **missed) {
    const char *at = plan, *found = NULL, *before = NULL;
    size_t before_size = 0;
    uint32_t ends = 0;
    *missed = "the plan has no such file";
    while (at < end) {
        const char *line = at;
        words w = next_line(&at, end);
        int how;
        if (w.count < 2 || (before && w.size[1] == before_size &&
                            memcmp(before, w.at[1], before_size) == 0)) continue;
        before = w.at[1];
        before_size = w.size[1];
        how = alike(name->data, name->size, w.at[1], w.size[1]);
        if (how == 2) {
            *missed = NULL;
            return line;
        }
        if (how == 0) continue;
        found = line;
        ends++;
    }
    if (ends == 1) *missed = NULL;
    if (ends > 1) *missed = "the plan has several files with this end of the path";
    return ends == 1 ? found : NULL;
}

static void decide_by_plan(cc_unit *u, cc_flow *flows, const char *file, const cc_choice *choice,
                           uint8_t *planned, const char **missed) {
    const char *at = choice->plan, *end = choice->plan + choice->plan_size;
    text name = {NULL, 0, 0};
    uint32_t *order = order_functions(u);
    words unit = {{NULL}, {0}, 0}, w;
    uint64_t hash;
    next_line(&at, end);
    cc_graph_file(&name, file);
    at = find_unit(at, end, &name, missed);
    while (at && at < end) {
        w = next_line(&at, end);
        if (w.count == 0 || read_line(&w, &hash) != 0) continue;
        if (unit.count == 0) unit = w;
        if (w.size[1] != unit.size[1] || memcmp(w.at[1], unit.at[1], w.size[1]) != 0) continue;
        obey_line(u, flows, order, &w, hash, choice, planned);
    }
    free(order);
    text_free(&name);
}

cc_plan_way cc_way_of_plan(const char *plan, size_t size, const char *file) {
    const char *at = plan, *end = plan + size, *missed;
    text name = {NULL, 0, 0};
    next_line(&at, end);
    cc_graph_file(&name, file);
    at = find_unit(at, end, &name, &missed);
    text_free(&name);
    if (!at) return CC_PLAN_UNKNOWN;
    return *at == 'O' ? CC_PLAN_LATE : CC_PLAN_SOURCE;
}

void cc_plan_of_unit(const char *plan, size_t size, const char *file, text *out,
                     const char **missed) {
    const char *at = plan, *end = plan + size;
    text name = {NULL, 0, 0};
    words unit = {{NULL}, {0}, 0}, w;
    next_line(&at, end);
    cc_graph_file(&name, file);
    at = find_unit(at, end, &name, missed);
    while (at && at < end) {
        w = next_line(&at, end);
        if (w.count < 2) continue;
        if (unit.count == 0) unit = w;
        if (w.size[1] != unit.size[1] || memcmp(w.at[1], unit.at[1], w.size[1]) != 0) break;
        text_add(out, "P ");
        text_bytes(out, name.data, name.size);
        text_bytes(out, w.at[1] + w.size[1], (size_t)(at - w.at[1]) - w.size[1]);
    }
    text_free(&name);
}

/* ---- the author's word ---- */

/* A body that begins with `struct bursty_check;` gets a check, one that begins
   with `struct bursty_no_check;` gets none: declarations that mean nothing to a
   compiler. Returns 1, -1, or 0 if the body says nothing. */
static int author_says(const cc_unit *u, uint32_t body) {
    const cc_node *n = &u->nodes[body];
    uint32_t token;
    if (n->kind != CC_N_BLOCK || !n->kid[0]) return 0;
    n = &u->nodes[n->kid[0]];
    token = n->first;
    if (n->kind != CC_N_DECLARATION || n->last != token + 2) return 0;
    if (!cc_is(&u->tokens, token, CC_STRUCT)) return 0;
    if (cc_spells(&u->tokens, token + 1, "bursty_check")) return 1;
    return cc_spells(&u->tokens, token + 1, "bursty_no_check") ? -1 : 0;
}

static void obey_author(cc_unit *u, cc_flow *flows, const cc_choice *choice) {
    uint32_t i, k;
    for (i = 0; i < u->function_count; i++) {
        int says;
        if (!cc_is_wanted(u, &u->functions[i], choice)) continue;
        says = author_says(u, u->functions[i].root);
        if (says) flows[i].checked = says > 0;
        for (k = 0; k < flows[i].loop_count; k++) {
            cc_loop *loop = &flows[i].loops[k];
            says = author_says(u, u->nodes[loop->node].kid[1]);
            if (says) loop->checked = says > 0;
            if (says) loop->weight = 0;
        }
    }
}

void cc_decide(cc_unit *u, cc_flow *flows, const char *file, const cc_choice *choice,
               const char **missed) {
    uint8_t *planned = (uint8_t *)tool_alloc(u->function_count + 1);
    memset(planned, 0, u->function_count + 1);
    *missed = NULL;
    if (choice->plan) decide_by_plan(u, flows, file, choice, planned, missed);
    decide_alone(u, flows, choice, planned);
    obey_author(u, flows, choice);
    free(planned);
}
