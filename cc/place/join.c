/* join.c - from units to the graph of a whole program.

   Functions that are one to the linker become one node: global, weak and inline
   ones of one name (their calls are added up, for nobody knows which copy is
   linked), static ones of their unit.

   `direct` has the direct calls. `wide` has more vertices behind the nodes, so
   that calls which may reach many functions cost one edge each:

       nodes                     the functions
       a pointer's call with     0 .. 255 of them: leads to the sorts of taken functions that have
       N arguments               so many parameters, and to the next vertex
       any number                sorts whose parameters are variadic or not known, and the next
       any pointer               functions whose address was cast; and outside, if a pointer may
                                 hold a function that is not in the program but calls back
       outside                   functions that are not in the program and may call back: leads to
                                 all taken functions and to those that are exported
       the C library             functions of it that call nothing of a usual program: leads to those
                                 of their names that the program has itself, and to outside, if the
                                 program puts functions behind streams
       anything                  from functions that were left alone and have no skeleton: leads to
                                 all functions but static ones of other units (one vertex a unit)
       a call of one type        one for each type and number of arguments: leads to the sorts that
                                 it matches, and to any pointer
       a sort                    taken functions of one type and number of parameters

   A type is a row of classes, result first (cc/read/types.c). Two rows match
   if no class of one contradicts that of the other; what is missing at the end
   of one contradicts nothing. */
#include "cc/place/graph.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 256 };
enum { MOST_COMPARED = 4 << 20 };               /* types of calls with types of functions */

/* Types with a number of arguments: a list, and a table of those that have one
   name. */
typedef struct sorts {
    uint32_t *type, *count, *next, *first;      /* first: of each name */
    uint32_t used;
} sorts;

typedef struct joiner {
    graph *g;
    uint32_t *global;                           /* node of each name, or GRAPH_NONE */
    uint32_t *local;                            /* the same for static functions of this unit */
    uint32_t *pairs;
    size_t pair_count, pair_room;
    uint8_t *unit_done;                         /* its vertex of "anything" has its edges */
    sorts sites, sorts;
    uint32_t unknown;                           /* the name "?" */
    uint32_t pointer, any_count, any_pointer, outside, library, anything, units;  /* vertices */
} joiner;

static uint32_t add_node(graph *g, size_t *room, const graph_function *f) {
    graph_node *node;
    TOOL_ROOM(graph_node, g->nodes, g->node_count, *room);
    node = &g->nodes[g->node_count];
    memset(node, 0, sizeof *node);
    node->name = f->name;
    node->unit = f->linkage == GRAPH_STATIC ? f->unit : GRAPH_NONE;
    node->linkage = (uint8_t)f->linkage;
    node->first_copy = GRAPH_NONE;
    node->is_trivial = 1;
    return g->node_count++;
}

static void local_names(joiner *j, const graph_unit *unit, int on) {
    graph *g = j->g;
    uint32_t i;
    for (i = unit->first_function; i < unit->first_function + unit->functions; i++) {
        const graph_function *f = &g->functions[i];
        if (f->linkage == GRAPH_STATIC) j->local[f->name] = on ? f->node : GRAPH_NONE;
    }
}

/* It will be part of its caller, and is no call in a loop. */
static int is_trivial(const graph *g, const graph_function *f) {
    int in_header = f->linkage == GRAPH_INLINE ||
                    (f->linkage == GRAPH_STATIC && f->file != g->units[f->unit].name);
    uint32_t v;
    if (g->units[f->unit].by_plugin) return 0;  /* it was not inlined */
    if (!in_header || !(f->flags & GRAPH_HAS_BODY) || f->loops) return 0;
    for (v = 0; v < f->vertices; v++) {
        if (graph_vertex_of(g, f, v)->kind != VERTEX_JOIN) return 0;
    }
    return 1;
}

static void make_nodes(joiner *j) {
    graph *g = j->g;
    size_t room = 0, u;
    uint32_t i;
    for (u = 0; u < g->unit_count; u++) {
        const graph_unit *unit = &g->units[u];
        for (i = unit->first_function; i < unit->first_function + unit->functions; i++) {
            graph_function *f = &g->functions[i];
            uint32_t *home = f->linkage == GRAPH_STATIC ? j->local : j->global;
            if (home[f->name] == GRAPH_NONE) home[f->name] = add_node(g, &room, f);
            f->node = home[f->name];
        }
        local_names(j, unit, 0);
    }
    for (i = (uint32_t)g->function_count; i-- > 0;) {           /* copies in the input's order */
        graph_function *f = &g->functions[i];
        graph_node *node = &g->nodes[f->node];
        f->next_copy = node->first_copy;
        node->first_copy = i;
        node->flags |= f->flags;
        node->is_trivial &= (uint8_t)is_trivial(g, f);
        if (f->linkage == GRAPH_WEAK) node->linkage = GRAPH_WEAK;
    }
}

static uint32_t find(const joiner *j, uint32_t name) {
    return j->local[name] != GRAPH_NONE ? j->local[name] : j->global[name];
}

static void pair(joiner *j, uint32_t from, uint32_t to) {
    TOOL_ROOM(uint32_t, j->pairs, 2 * j->pair_count + 1, j->pair_room);
    j->pairs[2 * j->pair_count] = from;
    j->pairs[2 * j->pair_count++ + 1] = to;
}

static void resolve(joiner *j) {
    graph *g = j->g;
    size_t u, k;
    uint32_t i, c;
    for (u = 0; u < g->unit_count; u++) {
        const graph_unit *unit = &g->units[u];
        local_names(j, unit, 1);
        for (i = unit->first_function; i < unit->first_function + unit->functions; i++) {
            const graph_function *f = &g->functions[i];
            for (c = 0; c < f->calls; c++) {
                graph_call *call = &g->calls[f->first_call + c];
                call->node = find(j, call->name);
                if (call->node != GRAPH_NONE) pair(j, f->node, call->node);
            }
        }
        for (k = 0; k < unit->taken; k++) {
            graph_taken *taken = &g->taken[unit->first_taken + k];
            uint32_t node = find(j, taken->name);
            taken->node = node;
            if (node == GRAPH_NONE) {
                if (taken->is_symbol) continue;
                pair(j, j->any_pointer,
                     graph_calls_back(g->names[taken->name]) ? j->outside : j->library);
                continue;
            }
            g->nodes[node].taken = 1;
            if (taken->converted) g->nodes[node].converted = 1;
        }
        local_names(j, unit, 0);
    }
}

static int is_symbol(const graph *g, uint32_t name, int mark) {
    return name < g->symbol_room && (g->symbols[name] & mark) != 0;
}

/* Does a program hold code without a graph: C++, assembly, another compiler's?
   Of a stripped program that is not known. */
static int has_other_code(const graph *g) {
    size_t i;
    if (g->silent || g->cxx_count) return 1;
    for (i = 0; i < g->call_count; i++) {
        const graph_call *call = &g->calls[i];
        if (call->node == GRAPH_NONE && graph_calls_back(g->names[call->name]) &&
            is_symbol(g, call->name, GRAPH_IS_DEFINED)) return 1;
    }
    return 0;
}

/* A program knows what it exports; objects with a main export nothing; a
   library everything that is not hidden. Code of the same program without a
   graph may call all that is not static. */
static void find_exports(joiner *j) {
    graph *g = j->g;
    uint32_t v, name = graph_find_name(g, "main", 4);
    g->is_closed = name != GRAPH_NONE && j->global[name] != GRAPH_NONE;
    g->is_mixed = has_other_code(g);
    for (v = 0; v < g->node_count; v++) {
        graph_node *node = &g->nodes[v];
        if (node->unit != GRAPH_NONE || node->name == name) continue;
        if (g->is_mixed) node->exported = 1;
        else if (!g->is_linked && !g->is_closed) node->exported = !(node->flags & GRAPH_HIDDEN);
        else node->exported = is_symbol(g, node->name, GRAPH_IS_EXPORTED) != 0;
    }
}

static void callees_of_unknown_body(joiner *j, const graph_function *f) {
    const graph_unit *unit = &j->g->units[f->unit];
    uint32_t i, vertex = j->units + f->unit;
    pair(j, f->node, vertex);
    if (j->unit_done[f->unit]) return;
    j->unit_done[f->unit] = 1;
    pair(j, vertex, j->anything);
    for (i = unit->first_function; i < unit->first_function + unit->functions; i++) {
        if (j->g->functions[i].linkage == GRAPH_STATIC) pair(j, vertex, j->g->functions[i].node);
    }
}

/* ---- types of pointers --------------------------------------------------------------------- */

static void sorts_begin(sorts *s, uint32_t names, size_t most) {
    s->type = (uint32_t *)tool_alloc((3 * most + names + 1) * sizeof *s->type);
    s->count = s->type + most;
    s->next = s->count + most;
    s->first = s->next + most;
    memset(s->first, 0xFF, names * sizeof *s->first);
}

/* The number of this sort; add: it is made if it is new. */
static uint32_t sort_of(sorts *s, uint32_t type, uint32_t count, int add) {
    uint32_t i;
    for (i = s->first[type]; i != GRAPH_NONE && s->count[i] != count; i = s->next[i]) {
    }
    if (i != GRAPH_NONE || !add) return i;
    s->type[s->used] = type;
    s->count[s->used] = count;
    s->next[s->used] = s->first[type];
    s->first[type] = s->used;
    return s->used++;
}

/* The sort of a call through a pointer; GRAPH_NONE: it goes by its number of
   arguments alone. */
static uint32_t site_of(joiner *j, const graph_vertex *v, int add) {
    if (j->g->types_given_up || v->kind != VERTEX_INDIRECT || v->type == GRAPH_NONE)
        return GRAPH_NONE;
    return sort_of(&j->sites, v->type, v->index < ARGUMENTS ? v->index : ARGUMENTS - 1, add);
}

/* That of a taken function, whose address was not cast. */
static uint32_t function_sort(joiner *j, const graph_function *f, int add) {
    const graph_node *node = &j->g->nodes[f->node];
    if (!node->taken || node->converted) return GRAPH_NONE;
    return sort_of(&j->sorts, f->type == GRAPH_NONE ? j->unknown : f->type, f->params, add);
}

/* That which a cast makes of one, too. */
static uint32_t cast_sort(joiner *j, const graph_taken *t, int add) {
    if (t->node == GRAPH_NONE || t->type == GRAPH_NONE || j->g->nodes[t->node].converted)
        return GRAPH_NONE;
    return sort_of(&j->sorts, t->type, t->params, add);
}

static int same_class(const char *a, size_t n, const char *b, size_t m) {
    if (*a == '?' || *b == '?' || (n == m && memcmp(a, b, n) == 0)) return 1;
    return (n == 1 && *a == 'p' && *b == 'p') || (m == 1 && *b == 'p' && *a == 'p');
}

/* Rows of classes, as far as both go. */
static int rows_match(const char *a, const char *b) {
    while (*a && *b) {
        size_t n = strcspn(a, ","), m = strcspn(b, ",");
        if (n && m && !same_class(a, n, b, m)) return 0;
        a += n + (a[n] == ',');
        b += m + (b[m] == ',');
    }
    return 1;
}

static void collect_sorts(joiner *j) {
    graph *g = j->g;
    size_t i, sites = 0;
    for (i = 0; i < g->vertex_count; i++) sites += g->vertices[i].type != GRAPH_NONE;
    sorts_begin(&j->sites, g->name_count, sites);
    sorts_begin(&j->sorts, g->name_count, g->function_count + g->taken_count);
    for (i = 0; i < g->vertex_count; i++) site_of(j, &g->vertices[i], 1);
    for (i = 0; i < g->function_count; i++) function_sort(j, &g->functions[i], 1);
    for (i = 0; i < g->taken_count; i++) cast_sort(j, &g->taken[i], 1);
    if (j->sorts.used && j->sites.used > MOST_COMPARED / j->sorts.used) {
        g->types_given_up = 1;
        j->sites.used = 0;
    }
    g->site = j->anything + 1;
    g->sort = g->site + j->sites.used;
    j->units = g->sort + j->sorts.used;
    g->units_vertex = j->units;
    g->site_types = j->sites.type;
}

static void calls_through_pointers(joiner *j) {
    graph *g = j->g;
    uint32_t s, k;
    for (k = 0; k < ARGUMENTS; k++) pair(j, j->pointer + k, j->any_count);
    for (k = 0; k < j->sorts.used; k++) {
        uint32_t count = j->sorts.count[k];
        pair(j, count < GRAPH_ANY_COUNT ? j->pointer + count : j->any_count, g->sort + k);
    }
    pair(j, j->any_count, j->any_pointer);
    for (s = 0; s < j->sites.used; s++) {
        const char *type = g->names[j->sites.type[s]];
        pair(j, g->site + s, j->any_pointer);
        for (k = 0; k < j->sorts.used; k++) {
            uint32_t count = j->sorts.count[k];
            if (count != j->sites.count[s] && count < GRAPH_ANY_COUNT) continue;
            if (rows_match(type, g->names[j->sorts.type[k]])) pair(j, g->site + s, g->sort + k);
        }
    }
}

static void wide_calls_of(joiner *j, const graph_function *f) {
    graph *g = j->g;
    uint32_t i;
    if (!(f->flags & GRAPH_HAS_BODY)) callees_of_unknown_body(j, f);
    for (i = 0; i < f->calls; i++) {
        const graph_call *call = graph_call_of(g, f, i);
        if (call->node != GRAPH_NONE || !graph_call_returns(g, call)) continue;
        pair(j, f->node, graph_calls_back(g->names[call->name]) ? j->outside : j->library);
    }
    for (i = 0; i < f->vertices; i++) {
        const graph_vertex *v = graph_vertex_of(g, f, i);
        uint32_t site = site_of(j, v, 0);
        if (v->kind != VERTEX_INDIRECT) continue;
        if (site != GRAPH_NONE) pair(j, f->node, g->site + site);
        else pair(j, f->node, j->pointer + (v->index < ARGUMENTS ? v->index : ARGUMENTS - 1));
    }
}

/* Is it one of the names that the C library has, too? */
static int replaces_library(const graph *g, const graph_node *node) {
    return node->unit == GRAPH_NONE && !graph_calls_back(g->names[node->name]);
}

static void ask_library(joiner *j) {
    graph *g = j->g;
    uint32_t v;
    for (v = 0; v < g->name_count; v++) {
        if (!graph_hooks_library(g->names[v])) continue;
        g->library_calls = 1;
        pair(j, j->library, j->outside);
    }
    for (v = 0; v < g->node_count; v++) g->library_calls |= replaces_library(g, &g->nodes[v]);
    if (g->library_calls) pair(j, j->outside, j->library);
}

static void wide_calls(joiner *j) {
    graph *g = j->g;
    uint32_t v, f, sort;
    size_t i;
    int has_exports = 0;
    for (v = 0; v < g->node_count; v++) {
        const graph_node *node = &g->nodes[v];
        has_exports |= node->exported;
        if (node->taken || node->exported) pair(j, j->outside, v);
        if (node->unit == GRAPH_NONE) pair(j, j->anything, v);
        if (replaces_library(g, node)) pair(j, j->library, v);
        for (f = node->first_copy; f != GRAPH_NONE; f = g->functions[f].next_copy) {
            const graph_function *copy = &g->functions[f];
            wide_calls_of(j, copy);
            sort = function_sort(j, copy, 0);
            if (sort != GRAPH_NONE) pair(j, g->sort + sort, v);
        }
        if (node->converted) pair(j, j->any_pointer, v);
    }
    for (i = 0; i < g->taken_count; i++) {
        sort = cast_sort(j, &g->taken[i], 0);
        if (sort != GRAPH_NONE) pair(j, g->sort + sort, g->taken[i].node);
    }
    calls_through_pointers(j);
    pair(j, j->anything, j->outside);
    /* A pointer may hold a function of whoever calls the library. */
    if (has_exports) pair(j, j->any_pointer, j->outside);
}

/* So far the pairs are direct calls, and what a pointer to an outside function
   adds. */
static void make_direct(joiner *j) {
    graph *g = j->g;
    graph_links all;
    uint32_t v, *seen, *kept = (uint32_t *)tool_alloc((2 * j->pair_count + 1) * sizeof *kept);
    size_t i, count = 0;
    links_build(&all, j->library + 1, j->pairs, j->pair_count);
    seen = (uint32_t *)tool_alloc(((size_t)j->library + 1) * sizeof *seen);
    memset(seen, 0xFF, (size_t)j->library * sizeof *seen + sizeof *seen);
    for (v = 0; v < g->node_count; v++) {
        for (i = all.first[v]; i < all.first[v + 1]; i++) {
            uint32_t to = all.to[i];
            if (seen[to] == v) continue;
            seen[to] = v;
            kept[2 * count] = v;
            kept[2 * count++ + 1] = to;
        }
    }
    links_build(&g->direct, g->node_count, kept, count);
    links_free(&all);
    free(seen);
    free(kept);
}

void graph_join(graph *g) {
    joiner j;
    memset(&j, 0, sizeof j);
    j.g = g;
    j.unknown = graph_name(g, "?", 1);
    j.global = (uint32_t *)tool_alloc((2 * (size_t)g->name_count + 1) * sizeof *j.global);
    memset(j.global, 0xFF, 2 * (size_t)g->name_count * sizeof *j.global);
    j.local = j.global + g->name_count;
    make_nodes(&j);
    j.pointer = g->node_count;
    j.any_count = j.pointer + ARGUMENTS;
    j.any_pointer = j.any_count + 1;
    j.outside = j.any_pointer + 1;
    j.library = j.outside + 1;
    j.anything = j.library + 1;
    g->outside = j.outside;
    g->library = j.library;
    g->any_pointer = j.any_pointer;
    j.unit_done = (uint8_t *)tool_alloc(g->unit_count + 1);
    memset(j.unit_done, 0, g->unit_count + 1);
    resolve(&j);
    find_exports(&j);
    make_direct(&j);
    collect_sorts(&j);
    ask_library(&j);
    wide_calls(&j);
    links_build(&g->wide, j.units + (uint32_t)g->unit_count, j.pairs, j.pair_count);
    free(j.sorts.type);
    free(j.pairs);
    free(j.unit_done);
    free(j.global);
}
