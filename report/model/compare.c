/* compare.c - from dumps of two sides to lists of rows, and from these to
   tables. */
#include "report/model/compare.h"
#include "base/tool.h"
#include "report/kinds/contexts.h"
#include "report/kinds/sampled.h"
#include "report/kinds/samples.h"
#include "report/model/paths.h"
#include "report/model/sampled.h"
#include "report/model/sampled_ranges.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_NODE UINT32_MAX

/* ---- a tree of stacks of all runs --------------------------------------------------------- */

typedef struct joined_node { uint32_t parent, function; } joined_node;

/* Node 0 is the root; parents come before their children. */
typedef struct joined_tree {
    joined_node *nodes;
    size_t count, room, runs;
    difference_run *cells; /* of each node, all runs */
    hash_table places;
} joined_tree;

static int is_node(const void *owner, uint32_t number, const void *key) {
    const joined_node *a = &((const joined_tree *)owner)->nodes[number - 1];
    const joined_node *b = (const joined_node *)key;
    return a->parent == b->parent && a->function == b->function;
}

static uint32_t join_node(joined_tree *t, uint32_t parent, uint32_t function) {
    joined_node key;
    uint32_t *place;
    key.parent = parent;
    key.function = function;
    place = hash_place(&t->places, hash_numbers(parent, function), is_node, t, &key);
    if (*place) return *place - 1;
    if (t->count == t->room) {
        t->room = 2 * t->room + 64;
        t->nodes = (joined_node *)tool_grow(t->nodes, t->room * sizeof *t->nodes);
        t->cells = (difference_run *)tool_grow(t->cells, t->room * t->runs * sizeof *t->cells);
    }
    memset(t->cells + t->count * t->runs, 0, t->runs * sizeof *t->cells);
    t->nodes[t->count++] = key;
    *place = (uint32_t)t->count;
    return *place - 1;
}

static void begin_tree(joined_tree *t, size_t runs) {
    memset(t, 0, sizeof *t);
    t->runs = runs;
    join_node(t, NO_NODE, NO_NODE);
}

static void free_joined(joined_tree *t) {
    free(t->nodes);
    free(t->cells);
    hash_free(&t->places);
}

/* The nodes in preorder; children are in the order in which they were met. The caller
   frees the list. */
static uint32_t *preorder_of(const joined_tree *t) {
    uint32_t *first = (uint32_t *)tool_alloc(t->count * sizeof *first);
    uint32_t *next = (uint32_t *)tool_alloc(t->count * sizeof *next);
    uint32_t *order = (uint32_t *)tool_alloc(t->count * sizeof *order), at = 0;
    size_t i, made = 0;
    for (i = t->count; i-- > 1;) {
        next[i] = first[t->nodes[i].parent];
        first[t->nodes[i].parent] = (uint32_t)i;
    }
    for (;;) {
        order[made++] = at;
        if (first[at]) {
            at = first[at];
            continue;
        }
        while (at && !next[at]) at = t->nodes[at].parent;
        if (!at) break;
        at = next[at];
    }
    free(first);
    free(next);
    return order;
}

/* ---- gathering ---------------------------------------------------------------------------- */

typedef struct run_builds { sample_build *list; size_t count; } run_builds;

typedef struct gathering {
    comparison *c;
    const compare_input *inputs;
    size_t runs;
    uint32_t **function_of; /* of each run's sites, or NO_NODE */
    int *misses_time, *misses_counts; /* of each run */
    int has_ticks;          /* all runs have */
    int has_period;         /* and all know how long one is */
    joined_tree stacks, contexts;
    identities context_names;
    difference_run *whole;
    run_builds *builds; /* of each run */
} gathering;

static const tally *sampled_of(const gathering *g, size_t run) {
    return (const tally *)input_find(g->inputs[run].in, &kind_sampled);
}

static unsigned side_of(const gathering *g, size_t run) {
    return run < g->c->base_count ? IDENTITY_IN_BASE : IDENTITY_IN_NEW;
}

static int is_recorder(const sampled_site *site) {
    return !*site->file && strcmp(site->name, "(recorder)") == 0;
}

static void find_builds(gathering *g) {
    size_t run;
    for (run = 0; run < g->runs; run++) {
        const samples *own = (const samples *)input_find(g->inputs[run].in, &kind_samples);
        if (own) g->builds[run].list = samples_builds(own, &g->builds[run].count);
    }
}

static uint32_t build_in(const gathering *g, size_t run, const char *name) {
    const sample_build *found =
        samples_build_of(g->builds[run].list, g->builds[run].count, name);
    return found ? found->build : 0;
}

/* A name that is a place in the program's file is of one build. To be freed by
   the caller. */
static char *name_in_run(const gathering *g, size_t run, const char *name) {
    uint32_t build = build_in(g, run, name), other;
    text out = {NULL, 0, 0};
    size_t i;
    text_add(&out, name);
    for (i = 0; build && i < g->runs; i++) {
        other = build_in(g, i, name);
        if (!other || other == build) continue;
        text_format(&out, " (build %08lx)", (unsigned long)build);
        break;
    }
    return text_take(&out);
}

/* A loop often has its function's name and is no function. */
static void find_functions(gathering *g, size_t run) {
    const tally *s = sampled_of(g, run);
    unsigned char *is_function;
    size_t i;
    if (!s) return;
    is_function = (unsigned char *)tool_alloc(s->sites.count);
    g->function_of[run] = (uint32_t *)tool_alloc(s->sites.count * sizeof **g->function_of);
    for (i = 0; i < s->rows.count; i++) {
        uint32_t site = s->rows.at[i].site;
        if (s->sites.at[site].kind & SITE_CALL) is_function[site] = 1;
    }
    for (i = 0; i < s->paths.count; i++) is_function[s->paths.at[i].site] = 1;
    for (i = 0; i < s->sites.count; i++) {
        const sampled_site *site = &s->sites.at[i];
        char *name;
        g->function_of[run][i] = NO_NODE;
        if (!is_function[i] || is_recorder(site)) continue;
        name = name_in_run(g, run, site->name);
        g->function_of[run][i] =
            identities_add(&g->c->functions, name, site->file, site->line, side_of(g, run));
        free(name);
    }
    free(is_function);
}

static uint32_t function_at(const gathering *g, size_t run, uint32_t site) {
    uint32_t function = g->function_of[run][site];
    return function == NO_NODE ? NO_NODE : g->c->functions.at[function].is;
}

/* Whose name it shares has its place beside it. */
static char **make_names(const report *r, const identities *list, int has_files) {
    char **names = (char **)tool_alloc((list->count + 1) * sizeof *names);
    size_t i;
    for (i = 0; i < list->count; i++) {
        const identity *f = &list->at[i];
        char *name = report_name(r, f->name), *place = NULL;
        if (f->has_twin && (has_files || *f->file)) place = identity_place(f->file, f->line);
        if (!*name || (place && *place) || (f->has_twin && !has_files && f->line)) {
            text full = {NULL, 0, 0};
            text_add(&full, *name ? name : "(no name)");
            if (place && *place) {
                text_add(&full, " (");
                text_add(&full, place);
                text_add(&full, ")");
            } else if (f->has_twin && !has_files && f->line)
                text_format(&full, " #%lu", (unsigned long)f->line + 1);
            free(name);
            name = text_take(&full);
        }
        free(place);
        names[i] = name;
    }
    return names;
}

/* ---- ticks -------------------------------------------------------------------------------- */

/* The time of one tick; ticks that know no time count 1. */
static double tick_time(const gathering *g, const tally *s, const sampled_path *path) {
    uint64_t us = s->programs.at[s->threads.at[path->thread].program].tick_us;
    return g->has_period ? (double)us / 1000 : 1;
}

/* While ticks are gathered, a cell's value is time, and its worth the sum of
   squares of the times that came at once. */
static void add_ticks(gathering *g, size_t run) {
    const tally *s = sampled_of(g, run);
    uint32_t *place = (uint32_t *)tool_alloc(s->paths.count * sizeof *place);
    size_t i;
    for (i = 0; i < s->paths.count; i++) {
        const sampled_path *path = &s->paths.at[i];
        uint32_t function = function_at(g, run, path->site), parent;
        double time = tick_time(g, s, path);
        difference_run *cell;
        parent = path->parent == TALLY_NO_PATH ? 0 : place[path->parent];
        place[i] = parent;
        if (function == NO_NODE) continue; /* of the recorder */
        place[i] = join_node(&g->stacks, parent, function);
        cell = &g->stacks.cells[place[i] * g->runs + run];
        cell->value += (double)path->ticks * time;
        cell->worth += (double)path->squares * time * time;
        g->whole[run].value += (double)path->ticks * time;
        g->whole[run].worth += (double)path->squares * time * time;
    }
    free(place);
}

static void add_cells(difference_run *to, const difference_run *from, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        to[i].value += from[i].value;
        to[i].worth += from[i].worth;
    }
}

/* Self time is the sum over all nodes of a function. Total time is the sum of
   the subtrees of its outermost nodes: those that have no other of its nodes
   above them. */
static void add_up_functions(gathering *g, difference_run *self, difference_run *total) {
    joined_tree *t = &g->stacks;
    size_t runs = g->runs, i, count = g->c->functions.count;
    uint32_t *order = preorder_of(t);
    uint32_t *open = (uint32_t *)tool_alloc((count + 1) * sizeof *open);
    unsigned char *is_inner = (unsigned char *)tool_alloc(t->count);
    difference_run *sums = (difference_run *)tool_alloc(t->count * runs * sizeof *sums);
    uint32_t last = 0, at;
    memcpy(sums, t->cells, t->count * runs * sizeof *sums);
    for (i = t->count; i-- > 1;)
        add_cells(sums + t->nodes[i].parent * runs, sums + i * runs, runs);
    for (i = 1; i < t->count; i++) {
        at = order[i];
        for (; last != t->nodes[at].parent; last = t->nodes[last].parent)
            open[t->nodes[last].function]--;
        is_inner[at] = open[t->nodes[at].function]++ != 0;
        last = at;
    }
    for (i = 1; i < t->count; i++) {
        size_t function = t->nodes[i].function;
        add_cells(self + function * runs, t->cells + i * runs, runs);
        if (!is_inner[i]) add_cells(total + function * runs, sums + i * runs, runs);
    }
    free(order);
    free(open);
    free(is_inner);
    free(sums);
}

/* From sums to a value with its noise. A time is as sure as so many independent
   events; a share as a part of all ticks. */
static void finish_time(const gathering *g, difference_run *cells, size_t rows) {
    size_t i, run;
    for (i = 0; i < rows; i++) {
        for (run = 0; run < g->runs; run++) {
            difference_run *cell = &cells[i * g->runs + run], all = g->whole[run];
            double of = cell->value > 0 && cell->worth > 0 ? cell->worth / cell->value : 0;
            if (!(of > 0)) of = all.value > 0 && all.worth > 0 ? all.worth / all.value : 1;
            cell->noise = g->misses_time[run] ? DIFFERENCE_UNKNOWN : DIFFERENCE_EVENTS;
            cell->unit = of;
            cell->worth = 0;
            if (!g->c->by_share) continue;
            if (!g->misses_time[run]) cell->noise = DIFFERENCE_PART;
            cell->value = all.value > 0 ? 100 * cell->value / all.value : 0;
            cell->unit = 100;
            cell->worth = all.worth > 0 ? all.value * all.value / all.worth : 0;
        }
    }
}

static void keep_functions(comparison *c, compare_measure measure, difference_run *cells,
                           const char *unit) {
    compare_list *list = &c->lists[measure];
    size_t runs = c->base_count + c->new_count, i, k, kept = 0;
    list->which = (uint32_t *)tool_alloc(c->functions.count * sizeof *list->which);
    for (i = 0; i < c->functions.count; i++) {
        for (k = 0; k < runs && !(cells[i * runs + k].value > 0); k++) {}
        if (k == runs) continue;
        memmove(cells + kept * runs, cells + i * runs, runs * sizeof *cells);
        list->which[kept++] = (uint32_t)i;
    }
    list->cells = cells;
    list->rows = kept;
    list->unit = unit;
    list->is_there = kept != 0;
}

static report_tree *tree_of(const joined_tree *t, char **names, size_t name_count,
                            uint32_t *place) {
    report_tree *tree = (report_tree *)tool_alloc(sizeof *tree);
    uint32_t *order = preorder_of(t);
    size_t i;
    tree->count = t->count;
    tree->names = names;
    tree->name_count = name_count;
    tree->parent = (uint32_t *)tool_alloc(t->count * sizeof *tree->parent);
    tree->name = (uint32_t *)tool_alloc(t->count * sizeof *tree->name);
    for (i = 0; i < t->count; i++) place[order[i]] = (uint32_t)i;
    for (i = 1; i < t->count; i++) {
        tree->parent[i] = place[t->nodes[order[i]].parent];
        tree->name[i] = t->nodes[order[i]].function;
    }
    free(order);
    return tree;
}

/* The cells go from the tree to the list. */
static void keep_nodes(comparison *c, compare_measure measure, joined_tree *t, report_tree **tree,
                       char **names, size_t name_count, const char *unit) {
    compare_list *list = &c->lists[measure];
    size_t runs = c->base_count + c->new_count, i, k, kept = 0;
    uint32_t *place = (uint32_t *)tool_alloc(t->count * sizeof *place);
    *tree = tree_of(t, names, name_count, place);
    list->which = (uint32_t *)tool_alloc(t->count * sizeof *list->which);
    for (i = 1; i < t->count; i++) {
        for (k = 0; k < runs && !(t->cells[i * runs + k].value > 0); k++) {}
        if (k == runs) continue;
        memmove(t->cells + kept * runs, t->cells + i * runs, runs * sizeof *t->cells);
        list->which[kept++] = place[i];
    }
    list->cells = t->cells;
    t->cells = NULL;
    list->rows = kept;
    list->unit = unit;
    list->is_there = kept != 0;
    free(place);
}

static void compare_time(gathering *g) {
    comparison *c = g->c;
    size_t count = c->functions.count, run;
    const char *unit = c->by_share ? "%" : g->has_period ? "ms" : "ticks";
    difference_run *self, *total;
    self = (difference_run *)tool_alloc(count * g->runs * sizeof *self);
    total = (difference_run *)tool_alloc(count * g->runs * sizeof *total);
    g->whole = (difference_run *)tool_alloc(g->runs * sizeof *g->whole);
    begin_tree(&g->stacks, g->runs);
    for (run = 0; run < g->runs; run++) add_ticks(g, run);
    add_up_functions(g, self, total);
    finish_time(g, self, count);
    finish_time(g, total, count);
    finish_time(g, g->stacks.cells, g->stacks.count);
    keep_functions(c, COMPARE_SELF, self, unit);
    keep_functions(c, COMPARE_TOTAL, total, unit);
    keep_nodes(c, COMPARE_STACKS, &g->stacks, &c->stacks, c->names, count, unit);
    if (!c->by_share) {
        compare_list *whole = &c->lists[COMPARE_WHOLE];
        finish_time(g, g->whole, 1);
        whole->which = (uint32_t *)tool_alloc(sizeof *whole->which);
        whole->cells = g->whole;
        whole->rows = 1;
        whole->unit = unit;
        whole->is_there = 1;
        g->whole = NULL;
    }
}

/* ---- calls -------------------------------------------------------------------------------- */

typedef struct call_sums { ranges_sums sums; uint32_t kind; } call_sums;

static difference_run call_cell(const ranges *of, const call_sums *sums, uint32_t any_kind) {
    difference_run cell = {0, 0, 0, 0, 0, DIFFERENCE_UNKNOWN};
    double count = (double)sums->sums.weight_256 / 256, events;
    cell.value = count;
    if (of->is_partial) return cell;
    if (of->basis == RANGES_EXACT) cell.noise = DIFFERENCE_EXACT;
    else if (of->checks > 0) {
        events = ranges_count_events(of, &sums->sums, sums->kind);
        cell.unit = count / events;
        if (!(count > 0)) { /* none of so many bursts saw it */
            events = of->bursts[any_kind & SITE_CLASSES];
            cell.unit = of->checks / events;
        }
        if (events > 0) cell.noise = DIFFERENCE_EVENTS;
        if (count > 0 && of->basis == RANGES_BURSTS)
            cell.bursts = interval_worth_of_bursts(count, sums->sums.yy);
    }
    return cell;
}

static void compare_calls(gathering *g) {
    size_t count = g->c->functions.count, run, i;
    difference_run *cells;
    for (run = 0; run < g->runs; run++) {
        const tally *s = sampled_of(g, run);
        for (i = 0; s && i < s->rows.count; i++)
            if (s->sites.at[s->rows.at[i].site].kind & SITE_CALL) break;
        if (!s || i == s->rows.count) return; /* a run without counts */
    }
    cells = (difference_run *)tool_alloc(count * g->runs * sizeof *cells);
    for (run = 0; run < g->runs; run++) {
        const tally *s = sampled_of(g, run);
        call_sums *sums = (call_sums *)tool_alloc(count * sizeof *sums);
        uint32_t any_kind = SITE_CALL;
        ranges of;
        ranges_make(&of, s);
        of.is_partial = g->misses_counts[run];
        for (i = 0; i < s->rows.count; i++) {
            const sampled_record *row = &s->rows.at[i];
            uint32_t kind = s->sites.at[row->site].kind, function;
            if (!(kind & SITE_CALL)) continue;
            function = function_at(g, run, row->site);
            if (function == NO_NODE) continue;
            ranges_add(&sums[function].sums, row, 0);
            sums[function].kind = any_kind = kind;
        }
        for (i = 0; i < count; i++) cells[i * g->runs + run] = call_cell(&of, &sums[i], any_kind);
        free(sums);
    }
    keep_functions(g->c, COMPARE_CALLS, cells, "calls");
}

/* What a run's trees say together of a context that they lack. */
typedef struct tree_noise {
    double above;   /* at most so many calls */
    double missed;  /* bursts that could have seen it */
    double all;     /* calls of all contexts, scaled up */
    int is_sampled, is_unknown;
} tree_noise;

/* While calls of contexts are gathered, a cell's worth is a variance. */
static void add_context(difference_run *cell, const contexts_tree *tree, uint32_t node,
                        double factor, int is_sampled) {
    const contexts_node *n = &tree->nodes[node];
    const contexts_sums *sums = contexts_sums_of(tree, node);
    double bursts = (double)contexts_sums_of(tree, 0)->bursts, y = (double)sums->calls;
    double variance = (double)sums->yy - y * y / bursts;
    cell->value += (double)n->lower * factor;
    cell->above += (double)(n->upper - n->lower) * factor;
    if (!is_sampled) return;
    if (!tree->has_sums || bursts < 2 || sums->bursts < RANGES_LEAST_BURSTS ||
        sums->calls != n->lower || sums->yy == UINT64_MAX)
        cell->unit = NAN; /* no interval */
    else if (variance > 0) cell->worth += variance * bursts / (bursts - 1) * factor * factor;
    cell->bursts += interval_worth_of_bursts(y, (double)sums->yy);
}

static void add_contexts(gathering *g, size_t run, tree_noise *noise) {
    const contexts *c = (const contexts *)input_find(g->inputs[run].in, &kind_contexts);
    const tally *s = sampled_of(g, run);
    size_t i;
    for (i = 0; i < c->count; i++) {
        const contexts_tree *tree = &c->trees[i];
        uint64_t total = tree->field[CONTEXTS_TOTAL], scaled = tree->field[CONTEXTS_SCALED];
        int is_scaled = scaled && scaled != total, is_part = s && report_is_part(s);
        double factor = is_scaled && total ? (double)scaled / (double)total : 1;
        uint32_t *place, node, depth = 0;
        if (tree->unit) continue; /* of calls alone */
        place = (uint32_t *)tool_alloc(tree->count * sizeof *place);
        noise->above += (double)tree->base * factor;
        noise->all += (double)total * factor;
        noise->is_sampled |= is_scaled;
        noise->is_unknown |= !is_scaled && is_part; /* of sampled calls, not scaled up */
        if (is_scaled) noise->missed += tree->has_sums ? (double)contexts_sums_of(tree, 0)->bursts : 0;
        for (node = contexts_next(tree, 0, &depth); node; node = contexts_next(tree, node, &depth)) {
            const contexts_node *n = &tree->nodes[node];
            uint32_t key = g->function_of[run][n->key - 1];
            place[node] = join_node(&g->contexts, place[n->parent], g->context_names.at[key].is);
            add_context(&g->contexts.cells[place[node] * g->runs + run], tree, node,
                        factor, is_scaled);
        }
        free(place);
    }
}

static void finish_contexts(gathering *g, size_t run, const tree_noise *noise) {
    size_t i;
    for (i = 1; i < g->contexts.count; i++) {
        difference_run *cell = &g->contexts.cells[i * g->runs + run];
        int is_seen = cell->value > 0;
        if (noise->is_unknown || g->misses_counts[run] || cell->unit != cell->unit) {
            cell->noise = DIFFERENCE_UNKNOWN;
        } else if (is_seen) {
            cell->noise = noise->is_sampled ? DIFFERENCE_NORMAL : DIFFERENCE_EXACT;
            cell->worth = sqrt(cell->worth);
        } else {
            cell->noise = noise->is_sampled ? DIFFERENCE_PART : DIFFERENCE_EXACT;
            cell->unit = noise->all;
            cell->worth = noise->missed;
            cell->above = noise->above;
        }
    }
}

/* Contexts know their functions by name and by which of several of that name
   they are. */
static void compare_contexts(const report *r, gathering *g) {
    tree_noise *noises;
    size_t run, i;
    for (run = 0; run < g->runs; run++) {
        if (!input_find(g->inputs[run].in, &kind_contexts)) return;
    }
    for (run = 0; run < g->runs; run++) {
        const contexts *c = (const contexts *)input_find(g->inputs[run].in, &kind_contexts);
        free(g->function_of[run]);
        g->function_of[run] = (uint32_t *)tool_alloc(c->key_count * sizeof **g->function_of);
        for (i = 0; i < c->key_count; i++) {
            const contexts_key *key = &c->keys[i];
            const char *line = strrchr(key->place, ':');
            char *name = name_in_run(g, run, key->name);
            char *file = text_clean(key->place, line ? (size_t)(line - key->place) : 0);
            /* what has no line is told apart by its number among its equals */
            g->function_of[run][i] =
                identities_add(&g->context_names, name, file,
                               line ? (uint32_t)strtoul(line + 1, NULL, 10) : key->twin,
                               side_of(g, run));
            free(name);
            free(file);
        }
    }
    identities_match(&g->context_names);
    begin_tree(&g->contexts, g->runs);
    noises = (tree_noise *)tool_alloc(g->runs * sizeof *noises);
    for (run = 0; run < g->runs; run++) add_contexts(g, run, &noises[run]);
    for (run = 0; run < g->runs; run++) finish_contexts(g, run, &noises[run]);
    free(noises);
    g->c->context_name_count = g->context_names.count;
    g->c->context_names = make_names(r, &g->context_names, 0);
    keep_nodes(g->c, COMPARE_CONTEXTS, &g->contexts, &g->c->contexts, g->c->context_names,
               g->c->context_name_count, "calls");
}

/* ---- both sides --------------------------------------------------------------------------- */

/* A sum that is full says nothing but "at least". What a run has of these
   counts for both. */
static unsigned full_sums(const input *in) {
    const tally *s = (const tally *)input_find(in, &kind_sampled);
    const contexts *c = (const contexts *)input_find(in, &kind_contexts);
    unsigned of = 0;
    size_t i;
    uint32_t k;
    for (i = 0; s && i < s->paths.count; i++)
        if (s->paths.at[i].ticks == UINT64_MAX || s->paths.at[i].squares == UINT64_MAX)
            of |= REPORT_OF_TIME;
    for (i = 0; s && i < s->rows.count; i++)
        if (s->rows.at[i].weight_256 == UINT64_MAX) of |= REPORT_OF_COUNTS;
    for (i = 0; c && i < c->count; i++) {
        for (k = 0; k < c->trees[i].count; k++)
            if (c->trees[i].nodes[k].upper == UINT64_MAX) of |= REPORT_OF_COUNTS;
    }
    return of;
}

/* Losses of all runs, each with its file. */
static void add_losses(report *r, gathering *g) {
    size_t run, i;
    for (run = 0; run < g->runs; run++) {
        report of;
        unsigned full = full_sums(g->inputs[run].in);
        memset(&of, 0, sizeof of);
        report_add_losses(&of, g->inputs[run].in);
        if (full)
            report_add_loss(&of, full, "a count is full, at 2^64 - 1", 0, NAN,
                            "It stands for at least that many, so nobody can tell how it changed.");
        g->misses_time[run] = report_misses(&of, REPORT_OF_TIME);
        g->misses_counts[run] = report_misses(&of, REPORT_OF_COUNTS);
        for (i = 0; i < of.loss_count; i++) {
            text what = {NULL, 0, 0};
            text_format(&what, "%s run ", run < g->c->base_count ? "base" : "new");
            text_add(&what, g->inputs[run].path);
            text_add(&what, ": ");
            text_add(&what, of.losses[i].what);
            text_bytes(&what, "", 1);
            report_add_loss(r, of.losses[i].of, what.data, of.losses[i].count, of.losses[i].part,
                            of.losses[i].cure);
            text_free(&what);
        }
        report_free(&of);
    }
}

static double ticks_of(const tally *s) {
    double ticks = 0;
    size_t i;
    for (i = 0; s && i < s->paths.count; i++) {
        if (!is_recorder(&s->sites.at[s->paths.at[i].site])) ticks += (double)s->paths.at[i].ticks;
    }
    return ticks;
}

/* Do ticks know how long one is? Returns a TOOL_ status: some may, and some may
   not. */
static int find_periods(gathering *g) {
    size_t run, i, known = 0, unknown = 0, with = 0;
    const char *odd = NULL;
    g->has_ticks = 1;
    for (run = 0; run < g->runs; run++) {
        const tally *s = sampled_of(g, run);
        if (!(ticks_of(s) > 0)) {
            g->has_ticks = 0;
            continue;
        }
        with++;
        for (i = 0; i < s->programs.count; i++) {
            if (!s->programs.at[i].has_ticks) continue;
            if (s->programs.at[i].tick_us) known++;
            else {
                unknown++;
                odd = g->inputs[run].path;
            }
        }
    }
    g->has_period = unknown == 0;
    if (g->c->by_share && with == 0) return tool_error("--by share: no dump has ticks");
    if (g->has_ticks && known && unknown && !g->c->by_share)
        return tool_error("%s: its ticks know no time, those of other dumps do; --by share "
                          "compares shares",
                          odd);
    if (unknown) g->has_period = 0;
    return TOOL_OK;
}

static const char *parts_of(const gathering *g, size_t first, size_t end, text *out) {
    const part_kind *kind;
    size_t run, count = 0;
    out->size = 0;
    for (kind = kind_after(0); kind; kind = kind_after(kind->number)) {
        for (run = first; run < end && !input_find(g->inputs[run].in, kind); run++) {}
        if (run < end) text_format(out, "%s%s", count++ ? ", " : "", kind->name);
    }
    if (!count) text_add(out, "nothing");
    text_bytes(out, "", 1);
    return out->data;
}

static int refuse(const gathering *g) {
    text base = {NULL, 0, 0}, now = {NULL, 0, 0};
    int status = tool_error("--base %s: nothing in it can be compared with %s (they have: %s; %s): "
                            "every run needs ticks, or every run calls",
                            g->inputs[0].path, g->inputs[g->c->base_count].path,
                            parts_of(g, 0, g->c->base_count, &base),
                            parts_of(g, g->c->base_count, g->runs, &now));
    text_free(&base);
    text_free(&now);
    return status;
}

int compare_gather(comparison *c, report *r, const compare_input *runs) {
    gathering g;
    size_t run, i;
    int status;
    memset(&g, 0, sizeof g);
    g.c = c;
    g.inputs = runs;
    g.runs = c->base_count + c->new_count;
    g.function_of = (uint32_t **)tool_alloc(g.runs * sizeof *g.function_of);
    g.misses_time = (int *)tool_alloc(g.runs * sizeof *g.misses_time);
    g.misses_counts = (int *)tool_alloc(g.runs * sizeof *g.misses_counts);
    g.builds = (run_builds *)tool_alloc(g.runs * sizeof *g.builds);
    find_builds(&g);
    add_losses(r, &g);
    status = find_periods(&g);
    if (status == TOOL_OK) {
        for (run = 0; run < g.runs; run++) find_functions(&g, run);
        identities_match(&c->functions);
        c->names = make_names(r, &c->functions, 1);
        if (g.has_ticks) compare_time(&g);
        compare_calls(&g);
        compare_contexts(r, &g);
        for (i = 0; i < COMPARE_MEASURES && !c->lists[i].is_there; i++) {}
        if (i == COMPARE_MEASURES) status = refuse(&g);
    }
    for (run = 0; run < g.runs; run++) {
        free(g.function_of[run]);
        free(g.builds[run].list);
    }
    free(g.function_of);
    free(g.builds);
    free(g.misses_time);
    free(g.misses_counts);
    free_joined(&g.stacks);
    free_joined(&g.contexts);
    identities_free(&g.context_names);
    free(g.whole);
    return status;
}

static void free_tree(report_tree *tree) {
    if (!tree) return;
    free(tree->parent);
    free(tree->name);
    free(tree);
}

void compare_free(comparison *c) {
    size_t i;
    for (i = 0; i < COMPARE_MEASURES; i++) {
        free(c->lists[i].cells);
        free(c->lists[i].which);
    }
    for (i = 0; c->names && i < c->functions.count; i++) free(c->names[i]);
    for (i = 0; i < c->context_name_count; i++) free(c->context_names[i]);
    free(c->names);
    free(c->context_names);
    free_tree(c->stacks);
    free_tree(c->contexts);
    identities_free(&c->functions);
}

difference_side compare_base(const comparison *c, const compare_list *list, size_t row) {
    difference_side side;
    side.runs = list->cells + row * (c->base_count + c->new_count);
    side.count = c->base_count;
    return side;
}

difference_side compare_new(const comparison *c, const compare_list *list, size_t row) {
    difference_side side;
    side.runs = list->cells + row * (c->base_count + c->new_count) + c->base_count;
    side.count = c->new_count;
    return side;
}
