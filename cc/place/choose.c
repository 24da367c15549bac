/* choose.c - equation 3 of bursty-tracing, its repair, and which loops get a
   check.

       check at the entry of f  =  f is no leaf, and
                                   (f is a root, or its address is taken, or recursion from below)

   A leaf calls no function of the program and nothing through a pointer. A root
   has no caller but itself, or is called by the system; a static function that
   nobody calls is none. The distance of f is the least number of calls from a
   root or a taken function. Recursion from below: a function of f's own
   strongly connected component, at least as far away as f, calls f. In every
   cycle of direct calls the call that leaves the farthest member is such a
   call, so every such cycle has a check. Functions that do not return are taken
   out of cycles first, by a check of their own.

   Equation 3 knows no functions that were left alone, and no outside functions
   that call back. The repair does: it looks at the graph `wide` without all
   functions that have a check, and while there is a cycle, the member of least
   distance (then least name) of its component gets one. */
#include "cc/place/place.h"
#include "base/glob.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 64 };                           /* then all members of what is left get a check */

static const struct { const char *word, *sentence; } reasons[WHY_COUNT] = {
    {"every", "every function was asked for"},
    {"calls", "it calls functions"},
    {"root", "root: nothing in the program calls it, or the system does"},
    {"taken", "its address is taken, so calls through pointers may reach it"},
    {"recursion", "recursion from below"},
    {"repair", "a cycle through outside, pointers or left-alone functions needs it"},
    {"recursion-left-alone", "a cycle needs it, for another member cannot have a check"},
    {"built", "built with it; the set would not ask for it"},
    {"plugin", "the compiler's plugin put it there, behind the optimizer"},
    {"untyped", "a cycle that types of pointers alone exclude: machine code has none"},
    {"seen", "--counts: the profile would lose what it shows of this function"},
    {"within", "--within: too much would run without a check"},
    {"strip", "--within: a check in every so many rounds"},
    {"leaf", "leaf: it calls no function of the program and nothing through a pointer"},
    {"uncalled", "nothing calls it, and nothing outside of its file can"},
    {"covered", "each cycle of calls through it, if any, has a check elsewhere"},
    {"asked", "no entry was asked for"},
    {"dropped", "rule Q: each cycle of calls through it keeps a check elsewhere"},
    {"inside", "rule Q: loops in it have a check, and it calls itself there alone"},
    {"unwanted", "named by --not"},
    {"left-alone", "left alone"},
    {"plugin-none", "the compiler's plugin put none there, behind the optimizer"},
    {"other-name", "another name of a function, or a thunk that calls it"},
    {"loop", "it may run long"},
    {"around", "it calls functions, and no check stands around it"},
    {"boring", "boring: no calls, few events"},
    {"bounded", "bounded: at most 16 iterations"},
    {"always", "each iteration passes another check"},
    {"quiet", "quiet: calls only what calls little and never repeats"},
    {"not-built", "built without it; the set would ask for it"},
};

const char *place_word(int why) { return reasons[why].word; }
const char *place_sentence(int why) { return reasons[why].sentence; }

/* ---- sets ---------------------------------------------------------------------------------- */

enum { HAS_ENTRIES = 1, HAS_LOOPS = 2, HAS_BOUNDED = 4, HAS_ALWAYS = 8, HAS_ALL = 15 };

static int is_word(const char *word, size_t size, const char *wanted) {
    return size == strlen(wanted) && memcmp(word, wanted, size) == 0;
}

/* Returns what the word speaks of, as bits, or 0 if it is none of a set. */
static int set_word(place_rules *rules, const char *word, size_t size) {
    static const struct { const char *word; int entries; } sets[] = {
        {"EL", ENTRIES_EL}, {"EC", ENTRIES_EC}, {"EN", ENTRIES_EN}};
    size_t i;
    int k = 0;
    for (i = 0; i < 3; i++) {
        if (!is_word(word, size, sets[i].word)) continue;
        rules->entries = sets[i].entries;
        return HAS_ENTRIES;
    }
    if (is_word(word, size, "all")) return HAS_ALL;
    if (is_word(word, size, "bounded")) {
        rules->bounded = 1;
        return HAS_BOUNDED;
    }
    if (is_word(word, size, "always")) {
        rules->always = 1;
        return HAS_ALWAYS;
    }
    if (is_word(word, size, "Q")) {
        rules->entries = ENTRIES_EC;
        rules->loops = 4;
        rules->bounded = rules->always = rules->quiet = 1;
        return HAS_ALL;
    }
    if (is_word(word, size, "LN")) {
        rules->loops = LOOPS_NONE;
        return HAS_LOOPS | HAS_BOUNDED | HAS_ALWAYS;
    }
    if (size < 2 || size > 5 || word[0] != 'L') return 0;
    for (i = 1; i < size; i++) {
        if (word[i] < '0' || word[i] > '9') return 0;
        k = 10 * k + word[i] - '0';
    }
    rules->loops = k;
    return HAS_LOOPS;
}

int place_set(place_rules *rules, const char *set) {
    int spoken = 0;
    memset(rules, 0, sizeof *rules);
    rules->entries = ENTRIES_ALL;
    rules->loops = LOOPS_ALL;
    rules->repairs = REPAIR_ALL;
    for (;;) {
        const char *plus = strchr(set, '+');
        int word = set_word(rules, set, plus ? (size_t)(plus - set) : strlen(set));
        if (word == 0 || word & spoken) return -1;      /* none, or it says something again */
        spoken |= word;
        if (!plus) return 0;
        set = plus + 1;
    }
}

/* ---- what equation 3 asks ------------------------------------------------------------------ */

typedef struct facts { uint8_t *is_leaf, *is_root, *is_below, *is_uncalled; } facts;

static int has_pointer_calls(const graph *g, const graph_function *f) {
    uint32_t i;
    for (i = 0; i < f->vertices; i++) {
        if (graph_vertex_of(g, f, i)->kind == VERTEX_INDIRECT) return 1;
    }
    return 0;
}

static void find_leaves(const graph *g, facts *is) {
    uint32_t v, f;
    for (v = 0; v < g->node_count; v++) {
        is->is_leaf[v] = g->direct.first[v] == g->direct.first[v + 1];
        for (f = g->nodes[v].first_copy; f != GRAPH_NONE && is->is_leaf[v];
             f = g->functions[f].next_copy) {
            const graph_function *copy = &g->functions[f];
            if (!(copy->flags & GRAPH_HAS_BODY) || has_pointer_calls(g, copy)) is->is_leaf[v] = 0;
        }
    }
}

/* A static function that nobody calls never runs, if the skeletons of its file
   are all known. */
static void find_uncalled(const graph *g, facts *is) {
    uint8_t *unknown = (uint8_t *)tool_alloc(g->unit_count + 1);
    uint32_t v;
    size_t i;
    memset(unknown, 0, g->unit_count + 1);
    for (i = 0; i < g->function_count; i++) {
        if (!(g->functions[i].flags & GRAPH_HAS_BODY)) unknown[g->functions[i].unit] = 1;
    }
    for (v = 0; v < g->node_count; v++) {
        const graph_node *node = &g->nodes[v];
        if (!is->is_root[v] || node->unit == GRAPH_NONE || unknown[node->unit]) continue;
        if (node->taken || node->flags & (GRAPH_START | GRAPH_USED)) continue;
        is->is_uncalled[v] = 1;
        is->is_root[v] = 0;
    }
    free(unknown);
}

static void find_roots(const graph *g, facts *is) {
    uint32_t v;
    size_t i;
    memset(is->is_root, 1, g->node_count);
    for (v = 0; v < g->node_count; v++) {
        for (i = g->direct.first[v]; i < g->direct.first[v + 1]; i++) {
            if (g->direct.to[i] != v) is->is_root[g->direct.to[i]] = 0;
        }
    }
    for (v = 0; v < g->node_count; v++) {
        const graph_node *node = &g->nodes[v];
        if (node->exported || node->flags & (GRAPH_START | GRAPH_USED)) is->is_root[v] = 1;
        if (node->unit == GRAPH_NONE && strcmp(g->names[node->name], "main") == 0)
            is->is_root[v] = 1;
    }
    find_uncalled(g, is);
}

/* Breadth first, from all roots and all taken functions. Unreached:
   GRAPH_NONE. */
static void find_distances(placement *p, const graph *g, const facts *is) {
    uint32_t *queue = (uint32_t *)tool_alloc(((size_t)g->node_count + 1) * sizeof *queue);
    uint32_t head = 0, tail = 0, v;
    size_t i;
    for (v = 0; v < g->node_count; v++) {
        p->distance[v] = GRAPH_NONE;
        if (!is->is_root[v] && !g->nodes[v].taken) continue;
        p->distance[v] = 0;
        queue[tail++] = v;
    }
    while (head < tail) {
        v = queue[head++];
        for (i = g->direct.first[v]; i < g->direct.first[v + 1]; i++) {
            uint32_t to = g->direct.to[i];
            if (p->distance[to] != GRAPH_NONE) continue;
            p->distance[to] = p->distance[v] + 1;
            queue[tail++] = to;
        }
    }
    free(queue);
}

/* Does a call never come back? */
static int call_ends(const graph *g, const graph_call *call, const uint8_t *ends) {
    static const char *const outside[] = {
        "exit", "abort", "_exit", "_Exit", "quick_exit", "longjmp", "_longjmp", "siglongjmp",
        "__longjmp_chk", "__assert_fail"};
    size_t i;
    if (call->node != GRAPH_NONE) return ends[call->node];
    for (i = 0; i < sizeof outside / sizeof *outside; i++) {
        if (strcmp(g->names[call->name], outside[i]) == 0) return 1;
    }
    return 0;
}

/* Does the function come to its end, if calls of the functions that are marked
   do not come back? list: room for its vertices. */
static int comes_back(const graph *g, const graph_function *f, const uint8_t *ends, uint8_t *seen,
                      uint32_t *list) {
    uint32_t height = 0, i;
    if (!(f->flags & GRAPH_HAS_BODY) || f->vertices < 2) return 1;
    memset(seen, 0, f->vertices);
    seen[0] = 1;
    list[height++] = 0;
    while (height && !seen[1]) {
        uint32_t v = list[--height];
        const graph_vertex *vertex = graph_vertex_of(g, f, v);
        if (vertex->kind == VERTEX_CALL && call_ends(g, graph_call_of(g, f, vertex->index), ends))
            continue;
        for (i = vertex->first_edge; i < graph_edge_end(g, f, v); i++) {
            uint32_t to = g->edges[f->first_edge + i].to;
            if (seen[to]) continue;
            seen[to] = 1;
            list[height++] = to;
        }
    }
    return seen[1];
}

/* Functions that say that they do not return, and those that cannot, since they
   end in calls of such ones. */
static uint8_t *find_ends(const graph *g) {
    uint8_t *ends = (uint8_t *)tool_alloc((size_t)g->node_count + 1), *seen;
    uint32_t most = 0, v, i, *list, changed = 1, round;
    size_t n;
    for (n = 0; n < g->function_count; n++) {
        if (g->functions[n].vertices > most) most = g->functions[n].vertices;
    }
    seen = (uint8_t *)tool_alloc((size_t)most + 1);
    list = (uint32_t *)tool_alloc(((size_t)most + 1) * sizeof *list);
    for (v = 0; v < g->node_count; v++) ends[v] = (g->nodes[v].flags & GRAPH_NORETURN) != 0;
    for (round = 0; round < ROUNDS && changed; round++) {
        changed = 0;
        for (v = 0; v < g->node_count; v++) {
            if (ends[v] || g->nodes[v].first_copy == GRAPH_NONE) continue;
            for (i = g->nodes[v].first_copy;
                 i != GRAPH_NONE && !comes_back(g, &g->functions[i], ends, seen, list);
                 i = g->functions[i].next_copy) {
            }
            if (i != GRAPH_NONE) continue;
            ends[v] = 1;
            changed = 1;
        }
    }
    free(seen);
    free(list);
    return ends;
}

/* A cycle through a function that does not return is an error while an error is
   handled: rare, and yet it makes one component of half an interpreter. So such
   functions get the check of their cycles, and the others are looked at without
   them. */
static void find_recursion(placement *p, const graph *g, facts *is) {
    uint32_t *component = (uint32_t *)tool_alloc(((size_t)g->node_count + 1) * sizeof *component);
    uint8_t *gone = find_ends(g);
    uint32_t v;
    size_t i;
    p->components = links_components(&g->direct, NULL, p->component);
    p->component_size = (uint32_t *)tool_alloc(((size_t)p->components + 1) *
                                               sizeof *p->component_size);
    memset(p->component_size, 0, ((size_t)p->components + 1) * sizeof *p->component_size);
    for (v = 0; v < g->node_count; v++) p->component_size[p->component[v]]++;
    for (v = 0; v < g->node_count; v++) {
        gone[v] = gone[v] && !p->fixed[v] && !is->is_leaf[v] &&
                  p->component_size[p->component[v]] > 1;
        is->is_below[v] = gone[v];
    }
    links_components(&g->direct, gone, component);
    for (v = 0; v < g->node_count; v++) {
        for (i = g->direct.first[v]; i < g->direct.first[v + 1]; i++) {
            uint32_t to = g->direct.to[i];
            if (gone[v] || gone[to] || component[v] != component[to]) continue;
            if (p->distance[v] >= p->distance[to]) is->is_below[to] = 1;
        }
    }
    free(component);
    free(gone);
}

static void find_fixed(placement *p, const graph *g, const place_rules *rules) {
    uint32_t v;
    int i;
    for (v = 0; v < g->node_count; v++) {
        p->fixed[v] = g->nodes[v].flags & GRAPH_LEFT_ALONE ? FIXED_LEFT_ALONE : FIXED_NOT;
        for (i = 0; i < rules->without_count; i++) {
            const char *name = g->names[g->nodes[v].name];
            if (glob_matches(rules->without[i], name, strlen(name))) p->fixed[v] = FIXED_WITHOUT;
        }
        if (g->nodes[v].flags & GRAPH_LATE) p->fixed[v] = FIXED_LATE;
        if (g->nodes[v].flags & GRAPH_OTHER_NAME) p->fixed[v] = FIXED_OTHER_NAME;
    }
}

static uint8_t why_fixed(uint8_t fixed) {
    static const uint8_t why[] = {0, WHY_LEFT_ALONE, WHY_WITHOUT, WHY_LATE_NOT,
                                  WHY_OTHER_NAME};
    return why[fixed];
}

static int entry_of(const graph *g, const facts *is, uint32_t v, int entries) {
    if (entries == ENTRIES_EN) return WHY_ASKED;
    if (entries == ENTRIES_ALL) return WHY_EVERY;
    if (is->is_leaf[v]) return WHY_LEAF;
    if (entries == ENTRIES_EL) return WHY_CALLS;
    if (is->is_root[v]) return WHY_ROOT;
    if (g->nodes[v].taken) return WHY_TAKEN;
    if (is->is_below[v]) return WHY_BELOW;
    return is->is_uncalled[v] ? WHY_UNCALLED : WHY_COVERED;
}

/* ---- repair -------------------------------------------------------------------------------- */

/* Is v better to have a check than w (which may be none)? */
static int is_better(const placement *p, const graph *g, uint32_t v, uint32_t w) {
    if (w == GRAPH_NONE) return 1;
    if (p->distance[v] != p->distance[w]) return p->distance[v] < p->distance[w];
    return graph_compare(g, v, w) < 0;
}

/* One round: a check in each component of what is left. Returns how many. */
static uint32_t repair_round(placement *p, const graph *g, const graph_links *links, int all,
                             int why) {
    size_t n = links->vertices, i;
    uint32_t *component = (uint32_t *)tool_alloc((3 * n + 1) * sizeof *component);
    uint32_t *best = component + n, *size = component + 2 * n, v, count, added = 0;
    uint8_t *gone = (uint8_t *)tool_alloc(n + 1);
    memset(gone, 0, n + 1);
    memcpy(gone, p->entry, g->node_count);
    count = links_components(links, gone, component);
    memset(best, 0xFF, n * sizeof *best);
    memset(size, 0, n * sizeof *size);
    for (v = 0; v < n; v++) {
        if (gone[v]) continue;
        size[component[v]]++;
        for (i = links->first[v]; i < links->first[v + 1]; i++) {
            if (links->to[i] == v) size[component[v]]++;         /* it calls itself */
        }
    }
    for (v = 0; v < g->node_count; v++) {
        if (gone[v] || p->fixed[v] || size[component[v]] < 2) continue;
        if (all || is_better(p, g, v, best[component[v]])) best[component[v]] = v;
        if (!all) continue;
        p->entry[v] = 1;
        p->entry_why[v] = (uint8_t)why;
        added++;
    }
    for (v = 0; v < count && !all; v++) {
        if (best[v] == GRAPH_NONE) continue;
        p->entry[best[v]] = 1;
        p->entry_why[best[v]] = (uint8_t)why;
        added++;
    }
    free(gone);
    free(component);
    return added;
}

static void repair(placement *p, const graph *g, const graph_links *links, int why) {
    int round;
    for (round = 0; round <= ROUNDS; round++) {
        if (!repair_round(p, g, links, round == ROUNDS, why)) return;
    }
}

/* ---- loops --------------------------------------------------------------------------------- */

static int calls_something(const graph *g, const graph_function *f, uint32_t vertex) {
    const graph_vertex *v = graph_vertex_of(g, f, vertex);
    uint32_t node;
    if (v->kind != VERTEX_CALL) return v->kind == VERTEX_INDIRECT;
    node = graph_call_of(g, f, v->index)->node;
    return node == GRAPH_NONE || !g->nodes[node].is_trivial;
}

/* Before each vertex: how many vertices call something, and how many are places
   of loops. */
typedef struct counts { uint32_t calls, loops; } counts;

static counts *count_vertices(const graph *g, const graph_function *f) {
    counts *sum = (counts *)tool_alloc(((size_t)f->vertices + 1) * sizeof *sum);
    uint32_t v;
    sum[0].calls = sum[0].loops = 0;
    for (v = 0; v < f->vertices; v++) {
        sum[v + 1] = sum[v];
        sum[v + 1].calls += calls_something(g, f, v) ? 1 : 0;
        sum[v + 1].loops += graph_vertex_of(g, f, v)->kind == VERTEX_LOOP;
    }
    return sum;
}

static int is_boring(const graph_loop *loop, const counts *sum, int k) {
    uint32_t most = (uint32_t)k;
    if (k < 0 || !sum || loop->by_address || loop->events > most) return 0;
    return sum[loop->last + 1].calls == sum[loop->first].calls &&
           sum[loop->last + 1].loops - sum[loop->first].loops <= most;
}

/* For each loop: is it k-boring, bounded or quiet, as the rules have it? A
   WHY_, or 0. */
static void exempt(placement *p, const graph *g, const place_rules *rules) {
    size_t i;
    uint32_t n;
    for (i = 0; i < g->function_count; i++) {
        const graph_function *f = &g->functions[i];
        counts *sum = f->loops && f->flags & GRAPH_HAS_BODY ? count_vertices(g, f) : NULL;
        for (n = 0; n < f->loops; n++) {
            const graph_loop *loop = &g->loops[f->first_loop + n];
            uint8_t *why = &p->loop_why[f->first_loop + n];
            *why = 0;
            if (is_boring(loop, sum, rules->loops)) *why = WHY_BORING;
            else if (rules->bounded && loop->bound && !loop->by_address) *why = WHY_BOUNDED;
        }
        free(sum);
    }
}

static void choose_loops(placement *p, const graph *g, const place_rules *rules) {
    size_t i;
    uint32_t n;
    exempt(p, g, rules);
    for (i = 0; i < g->function_count; i++) {
        const graph_function *f = &g->functions[i];
        for (n = 0; n < f->loops; n++) {
            uint8_t *why = &p->loop_why[f->first_loop + n];
            p->loop[f->first_loop + n] = 0;
            if (p->fixed[f->node]) *why = why_fixed(p->fixed[f->node]);
            else if (rules->loops == LOOPS_NONE) *why = WHY_ASKED;
            if (*why) continue;
            *why = WHY_LOOP;
            p->loop[f->first_loop + n] = 1;
        }
    }
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void choose_entries(placement *p, const graph *g, const place_rules *rules,
                           const facts *is) {
    uint32_t v;
    for (v = 0; v < g->node_count; v++) {
        int why = entry_of(g, is, v, rules->entries);
        if (p->fixed[v]) why = why_fixed(p->fixed[v]);
        p->entry_why[v] = (uint8_t)why;
        p->entry[v] = why < WHY_LEAF;
    }
    if (rules->entries == ENTRIES_EN) return;
    if (rules->repairs & REPAIR_CALLS) repair(p, g, &g->direct, WHY_REPAIR_CALLS);
    if (rules->repairs & REPAIR_WIDE) repair(p, g, &g->wide, WHY_REPAIR);
}

/* The plugin's checks are there, whatever is chosen. The choice did not count
   on them: another build of that file may have others. Of several copies of a
   function the linker takes one, so all must have it. */
static void add_late(placement *p, const graph *g) {
    uint32_t v, k;
    for (v = 0; v < g->node_count; v++) {
        uint32_t i;
        if (p->fixed[v] != FIXED_LATE) continue;
        for (i = g->nodes[v].first_copy;
             i != GRAPH_NONE && g->functions[i].flags & GRAPH_HAS_CHECK;
             i = g->functions[i].next_copy) {
        }
        p->entry[v] = i == GRAPH_NONE;
        p->entry_why[v] = p->entry[v] ? WHY_LATE : WHY_LATE_NOT;
        for (i = g->nodes[v].first_copy; i != GRAPH_NONE; i = g->functions[i].next_copy) {
            const graph_function *f = &g->functions[i];
            for (k = 0; k < f->loops; k++) {
                size_t at = f->first_loop + k;
                p->loop[at] = g->loops[at].has_check;
                p->loop_why[at] = p->loop[at] ? WHY_LATE : WHY_LATE_NOT;
            }
        }
    }
}

void place_choose(placement *p, const graph *g, const place_rules *rules) {
    size_t n = (size_t)g->node_count + 1;
    facts is;
    memset(p, 0, sizeof *p);
    p->entry = (uint8_t *)tool_alloc(n);
    p->entry_why = (uint8_t *)tool_alloc(n);
    p->fixed = (uint8_t *)tool_alloc(n);
    p->loop = (uint8_t *)tool_alloc(g->loop_count + 1);
    p->loop_why = (uint8_t *)tool_alloc(g->loop_count + 1);
    p->weight = (uint32_t *)tool_alloc((g->loop_count + 1) * sizeof *p->weight);
    memset(p->weight, 0, (g->loop_count + 1) * sizeof *p->weight);
    p->distance = (uint32_t *)tool_alloc(n * sizeof *p->distance);
    p->component = (uint32_t *)tool_alloc(n * sizeof *p->component);
    is.is_leaf = (uint8_t *)tool_alloc(4 * n);
    memset(is.is_leaf, 0, 4 * n);
    is.is_root = is.is_leaf + n;
    is.is_below = is.is_leaf + 2 * n;
    is.is_uncalled = is.is_leaf + 3 * n;
    find_leaves(g, &is);
    find_roots(g, &is);
    find_distances(p, g, &is);
    find_fixed(p, g, rules);
    find_recursion(p, g, &is);
    choose_entries(p, g, rules, &is);
    choose_loops(p, g, rules);
    if (rules->quiet) place_quiet(p, g);
    if (rules->always || rules->loops >= 0) place_always(p, g, rules->always);
    if (rules->quiet && rules->inside) place_inside(p, g);
    if (rules->quiet) place_around(p, g);
    if (rules->counts) place_counts_keep(rules->counts, p, g, rules->least);
    if (rules->within) place_within(p, g, rules);
    add_late(p, g);
    free(is.is_leaf);
}

void place_free(placement *p) {
    free(p->entry);
    free(p->entry_why);
    free(p->fixed);
    free(p->loop);
    free(p->loop_why);
    free(p->weight);
    free(p->distance);
    free(p->component);
    free(p->component_size);
    memset(p, 0, sizeof *p);
}
