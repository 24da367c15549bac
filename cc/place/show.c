/* show.c - what `bursty place` says about a placement, as text. */
#include "cc/place/place.h"
#include "base/demangle.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 6 };

/* ---- counts by reason ---------------------------------------------------------------------- */

static int is_check(int why) {
    return why < WHY_LEAF || why == WHY_LOOP || why == WHY_AROUND;
}

static void add_counts(const size_t *counts, int checks, text *out) {
    int why, any = 0;
    for (why = 0; why < WHY_COUNT; why++) {
        if (!counts[why] || checks != is_check(why)) continue;
        text_add(out, any++ ? ", " : " ");
        text_add(out, place_word(why));
        text_add(out, " ");
        text_count(out, counts[why]);
    }
    if (!any) text_add(out, " -");
}

static size_t sum_of(const size_t *counts, int checks) {
    size_t sum = 0;
    int why;
    for (why = 0; why < WHY_COUNT; why++) {
        if (checks == is_check(why)) sum += counts[why];
    }
    return sum;
}

static void add_row(const char *title, size_t all, const size_t *counts, text *out) {
    text_count(out, all);
    text_format(out, all == 1 ? " %s: " : " %ss: ", title);
    text_count(out, sum_of(counts, 1));
    text_add(out, " with a check:");
    add_counts(counts, 1, out);
    text_add(out, "; ");
    text_count(out, sum_of(counts, 0));
    text_add(out, " without:");
    add_counts(counts, 0, out);
    text_add(out, "\n");
}

/* Adds the names of the functions whose mark has one of the bits. */
static void add_names(const graph *g, const uint8_t *chosen, int bits, text *out) {
    uint32_t v, shown = 0;
    for (v = 0; v < g->node_count; v++) {
        if (!(chosen[v] & bits)) continue;
        if (shown == NAMES_SHOWN) text_add(out, " ...");
        if (shown++ >= NAMES_SHOWN) return;
        text_add(out, shown == 1 ? ": " : ", ");
        graph_show_name(g, g->nodes[v].name, out);
    }
}

/* rest: what follows in both numbers. */
static void add_fact(size_t count, const char *one, const char *many, const char *rest,
                     text *out) {
    if (!count) return;
    text_add(out, "  ");
    text_count(out, count);
    text_add(out, count == 1 ? one : many);
    text_add(out, rest);
}

static void add_open_loops(const graph *g, const place_proof *proof, text *out) {
    uint32_t shown = 0, n;
    size_t i;
    for (i = 0; i < g->function_count && shown <= NAMES_SHOWN; i++) {
        const graph_function *f = &g->functions[i];
        for (n = 0; n < f->loops && shown <= NAMES_SHOWN; n++) {
            if (!proof->open_loop[f->first_loop + n]) continue;
            text_add(out, shown == NAMES_SHOWN ? " ..." : shown ? ", " : ": ");
            if (shown++ == NAMES_SHOWN) return;
            graph_show_name(g, f->name, out);
            text_add(out, " ");
            text_plain(out, g->names[f->file]);
            text_format(out, ":%lu", (unsigned long)g->loops[f->first_loop + n].line);
        }
    }
}

static void add_open_functions(const graph *g, const place_proof *proof, text *out) {
    uint32_t shown = 0;
    size_t i;
    for (i = 0; i < g->function_count; i++) {
        if (!proof->open_goto[i]) continue;
        text_add(out, shown == NAMES_SHOWN ? " ..." : shown ? ", " : ": ");
        if (shown++ == NAMES_SHOWN) return;
        graph_show_name(g, g->functions[i].name, out);
    }
}

static void add_left_alone(const graph *g, const placement *p, text *out) {
    uint8_t *is = (uint8_t *)tool_alloc((size_t)g->node_count + 1);
    uint32_t v;
    for (v = 0; v < g->node_count; v++)
        is[v] = p->fixed[v] == FIXED_LEFT_ALONE || p->fixed[v] == FIXED_WITHOUT;
    add_names(g, is, 1, out);
    free(is);
}

/* What the graph does not say about functions that are known by name. */
static void add_unread(const graph *g, const placement *p, const place_proof *proof, text *out) {
    if (proof->late) {
        add_fact(proof->late, " function", " functions", " that the compiler's plugin has compiled, ",
                 out);
        text_count(out, proof->late_checked);
        text_add(out, " with a check: no plan speaks of them, and --prove reads their machine "
                      "code\n");
    }
    if (proof->left_alone) {
        add_fact(proof->left_alone, " function", " functions", " cannot have a check", out);
        add_left_alone(g, p, out);
        text_add(out, "\n");
    }
    add_fact(proof->left_alone_loops, " loop", " loops", " in such functions may run long\n", out);
    add_fact(proof->left_alone_cycles, " of them may call itself", " of them may call themselves",
             " for ever\n", out);
    add_fact(proof->without_skeleton, " function", " functions", " without a skeleton: believed to "
             "call anything, and to end\n", out);
    if (proof->returning) {
        add_fact(proof->returning, " function", " functions",
                 " to which longjmp or setcontext may come back without a check", out);
        add_names(g, proof->unread, UNREAD_RETURNS, out);
        text_add(out, "\n");
    }
    if (proof->assemblies) {
        add_fact(proof->assemblies, " function", " functions",
                 " with assembly that jumps or calls, which was not read", out);
        add_names(g, proof->unread, UNREAD_ASSEMBLY, out);
        text_add(out, "\n");
    }
}

static void add_proof(const graph *g, const placement *p, const place_proof *proof, text *out) {
    if (proof->open_nodes + proof->open_loops + proof->open_gotos == 0) {
        text_add(out, proof->assemblies + proof->returning + proof->left_alone +
                              proof->late + proof->without_skeleton
                          ? "holds on the graph that was read, but for what is named below: "
                          : "holds on the graph that was read: ");
        text_add(out, "every cycle of calls, back-edges and gotos passes a check, except ");
        text_count(out, proof->boring);
        text_add(out, " boring, ");
        text_count(out, proof->bounded);
        text_add(out, " bounded and ");
        text_count(out, proof->quiet);
        text_add(out, " quiet loops, which have none on purpose\n");
    } else {
        text_add(out, "NOT proved: without a check may run for ever\n");
        if (proof->open_nodes) {
            add_fact(proof->open_nodes, " function that calls itself",
                     " functions that call one another", "", out);
            add_names(g, proof->open_node, 1, out);
            text_add(out, "\n");
        }
        if (proof->open_loops) {
            add_fact(proof->open_loops, " loop", " loops", "", out);
            add_open_loops(g, proof, out);
            text_add(out, "\n");
        }
        if (proof->small_loops) {
            add_fact(proof->small_loops, " of these loops calls nothing and holds ",
                     " of these loops call nothing and hold ", "at most ", out);
            text_count(out, proof->small_events);
            text_format(out, " back-edges: boring if the set has L%lu\n",
                        (unsigned long)proof->small_events);
        }
        if (proof->open_gotos) {
            add_fact(proof->open_gotos, " function", " functions", " with gotos on which no check "
                     "lies", out);
            add_open_functions(g, proof, out);
            text_add(out, "\n");
        }
    }
    add_unread(g, p, proof, out);
}

static void add_cxx(const graph *g, text *out) {
    size_t i;
    add_fact(g->cxx_count, " file", " files", " of C++ without checks: ", out);
    for (i = 0; i < g->cxx_count && i < GRAPH_CXX_NAMES; i++) {
        if (i) text_add(out, ", ");
        text_plain(out, g->names[g->cxx[i]]);
    }
    if (g->cxx_count) text_add(out, g->cxx_count > GRAPH_CXX_NAMES ? " ...\n" : "\n");
}

/* In how many units the graph shows what the optimizer has left. */
static size_t late_units(const graph *g) {
    size_t i, count = 0;
    for (i = 0; i < g->unit_count; i++) count += g->units[i].by_plugin != 0;
    return count;
}

static void add_unseen(const graph *g, const place_proof *proof, text *out) {
    size_t late = late_units(g);
    text_add(out, "not seen: signal handlers, other threads, and loops inside of outside functions");
    text_add(out, g->is_closed ? "\n" : ", who calls this library\n");
    if (late)
        text_format(out, "  functions that the compiler has inlined, and their calls: %lu of %lu "
                    "units have checks behind the optimizer\n", (unsigned long)late,
                    (unsigned long)g->unit_count);
    add_fact(proof->typed_calls, " call through a pointer", " calls through pointers", ": believed "
             "to reach only functions whose address is taken, of a type that fits before a cast "
             "or behind it\n", out);
    add_fact(proof->pointer_calls - proof->typed_calls, " call through a pointer",
             " calls through pointers", " of unknown type: believed to reach only such functions "
             "with as many parameters\n", out);
    if (g->types_given_up) text_add(out, "  types were not used: there are too many\n");
    add_fact(proof->outside_calls, " call of an outside function", " calls of outside functions",
             " not of the C library: believed to call back only what is exported or taken\n", out);
    add_fact(proof->weak, " weak function: believed to be that of the program",
             " weak functions: believed to be those of the program", "\n", out);
    add_fact(g->silent, " object", " objects", " without a call graph: believed to be outside\n",
             out);
    add_cxx(g, out);
    if (g->is_mixed)
        text_add(out, "  code without a call graph is believed to call all that is not static\n");
}

void show_summary(const graph *g, const placement *p, const place_proof *proof, int is_built,
                  text *out) {
    size_t entries[WHY_COUNT], loops[WHY_COUNT], entry_checks = 0, loop_checks = 0, i;
    memset(entries, 0, sizeof entries);
    memset(loops, 0, sizeof loops);
    for (i = 0; i < g->node_count; i++) {
        entries[p->entry_why[i]]++;
        entry_checks += p->entry[i];
    }
    for (i = 0; i < g->loop_count; i++) {
        loops[p->loop_why[i]]++;
        loop_checks += p->loop[i];
    }
    if (is_built) {
        text_count(out, entry_checks);
        text_add(out, entry_checks == 1 ? " function and " : " functions and ");
        text_count(out, loop_checks);
        text_add(out, loop_checks == 1 ? " loop with a check\n" : " loops with a check\n");
    } else {
        add_row("function", g->node_count, entries, out);
        add_row("loop", g->loop_count, loops, out);
    }
    add_fact(p->beyond, " function may run for more instructions than --within asks: a call that can have no check",
             " functions may run for more instructions than --within asks: calls that can have no check",
             "\n", out);
    add_fact(p->sizeless, " function is of an object that tells no sizes: build it again for --within",
             " functions are of objects that tell no sizes: build them again for --within", "\n", out);
    if (p->gave_up) text_add(out, "rule Q stopped early: the graph is too large\n");
    if (proof->late < g->node_count) {
        add_proof(g, p, proof, out);
        add_unseen(g, proof, out);
    } else {                                    /* that graph has no bodies */
        add_unread(g, p, proof, out);
        add_cxx(g, out);
    }
}

/* ---- one function -------------------------------------------------------------------------- */

static void add_place(const graph *g, const graph_function *f, text *out) {
    text_plain(out, g->names[f->file]);
    text_format(out, ":%lu", (unsigned long)f->line);
}

/* Who calls v from as far away, in its own component. */
static uint32_t caller_from_below(const graph *g, const placement *p, uint32_t v) {
    uint32_t u;
    size_t i;
    for (u = 0; u < g->node_count; u++) {
        if (p->component[u] != p->component[v] || p->distance[u] < p->distance[v]) continue;
        for (i = g->direct.first[u]; i < g->direct.first[u + 1]; i++) {
            if (g->direct.to[i] == v) return u;
        }
    }
    return GRAPH_NONE;
}

static void add_distance(uint32_t distance, text *out) {
    if (distance == GRAPH_NONE) text_add(out, "infinite");
    else text_number(out, distance);
}

/* from_below: may be NULL; else for each node the caller that makes it
   recursion from below. */
static void add_function(const graph *g, const placement *p, const graph_function *f,
                         const uint32_t *from_below, text *out) {
    uint32_t v = f->node, i;
    size_t from = out->size;
    graph_show_name(g, f->name, out);
    text_pad(out, from, 24, 0);
    text_add(out, " ");
    from = out->size;
    add_place(g, f, out);
    text_pad(out, from, 20, 0);
    text_add(out, p->entry[v] ? " check  " : " none   ");
    text_add(out, place_sentence(p->entry_why[v]));
    if (p->entry_why[v] == WHY_BELOW && from_below && from_below[v] != GRAPH_NONE) {
        text_add(out, ": ");
        graph_show_name(g, g->nodes[from_below[v]].name, out);
        text_format(out, ", component %lu (%lu function%s), distance ",
                    (unsigned long)p->component[v],
                    (unsigned long)p->component_size[p->component[v]],
                    p->component_size[p->component[v]] == 1 ? "" : "s");
        add_distance(p->distance[from_below[v]], out);
        text_add(out, " >= ");
        add_distance(p->distance[v], out);
    }
    if (f->flags & GRAPH_LEFT_ALONE && !(f->flags & (GRAPH_LATE | GRAPH_OTHER_NAME)) && f->reason != GRAPH_NONE) {
        text_add(out, ": ");
        text_plain(out, g->names[f->reason]);
    }
    text_add(out, "\n");
    for (i = 0; i < f->loops; i++) {
        size_t at = f->first_loop + i;
        text_format(out, "  loop %lu, line %lu: %s  ", (unsigned long)i,
                    (unsigned long)g->loops[at].line, p->loop[at] ? "check" : "none");
        text_add(out, place_sentence(p->loop_why[at]));
        text_add(out, "\n");
    }
}

static uint32_t *callers_from_below(const graph *g, const placement *p) {
    uint32_t *found = (uint32_t *)tool_alloc(((size_t)g->node_count + 1) * sizeof *found), v;
    size_t i;
    for (v = 0; v < g->node_count; v++) found[v] = GRAPH_NONE;
    for (v = g->node_count; v-- > 0;) {
        for (i = g->direct.first[v]; i < g->direct.first[v + 1]; i++) {
            uint32_t to = g->direct.to[i];
            if (p->component[v] == p->component[to] && p->distance[v] >= p->distance[to])
                found[to] = v;
        }
    }
    return found;
}

void show_list(const graph *g, const placement *p, text *out) {
    uint32_t *from_below = callers_from_below(g, p);
    size_t i;
    for (i = 0; i < g->function_count; i++)
        add_function(g, p, &g->functions[i], from_below, out);
    free(from_below);
}

/* ---- why ----------------------------------------------------------------------------------- */

static void add_vertex(const graph *g, uint32_t v, text *out) {
    if (v < g->node_count) graph_show_name(g, g->nodes[v].name, out);
    else if (v < g->node_count + 256)
        text_format(out, "(a pointer, %lu arguments)", (unsigned long)(v - g->node_count));
    else if (v == g->node_count + 256) text_add(out, "(a pointer, any arguments)");
    else if (v < g->outside) text_add(out, "(any pointer)");
    else if (v < g->site) text_add(out, v == g->outside   ? "(outside)"
                                        : v == g->library ? "(the C library)"
                                                          : "(unknown body)");
    else if (v < g->sort) {
        text_add(out, "(a pointer, type ");
        text_plain(out, g->names[g->site_types[v - g->site]]);
        text_add(out, ")");
    } else {
        text_add(out, "(unknown body)");
    }
}

/* The shortest cycle through v that no other check is on. */
static void add_cycle(const graph *g, const placement *p, uint32_t start, text *out) {
    size_t n = (size_t)g->wide.vertices + 1, i;
    uint32_t *from = (uint32_t *)tool_alloc(2 * n * sizeof *from), *queue = from + n;
    uint32_t head = 0, tail = 0, v, found = GRAPH_NONE, length = 0;
    for (v = 0; v < n; v++) from[v] = GRAPH_NONE;
    queue[tail++] = start;
    while (head < tail && found == GRAPH_NONE) {
        v = queue[head++];
        for (i = g->wide.first[v]; i < g->wide.first[v + 1]; i++) {
            uint32_t to = g->wide.to[i];
            if (to == start) {
                found = v;
                break;
            }
            if (from[to] != GRAPH_NONE || (to < g->node_count && p->entry[to])) continue;
            from[to] = v;
            queue[tail++] = to;
        }
    }
    if (found == GRAPH_NONE) {
        text_add(out, p->entry[start] ? "  each cycle of calls through it has another check, or "
                                        "there is none: --set Q may leave this check out\n"
                                      : "  each cycle of calls through it has a check, or there "
                                        "is none\n");
    } else {
        text_add(out, p->entry[start] ? "  the cycle that needs it: "
                                      : "  a cycle without a check: ");
        for (v = found; v != start; v = from[v]) queue[length++] = v;
        add_vertex(g, start, out);
        while (length) {
            v = queue[--length];
            if (v >= g->sort && v < g->units_vertex) continue;    /* no name of its own */
            text_add(out, " -> ");
            add_vertex(g, v, out);
        }
        text_add(out, " -> ");
        add_vertex(g, start, out);
        text_add(out, "\n");
    }
    free(from);
}

static void add_neighbours(const graph *g, uint32_t node, int callers, text *out) {
    uint32_t v, shown = 0;
    size_t i;
    text_add(out, callers ? "  called by" : "  calls");
    for (v = callers ? 0 : node; v < (callers ? g->node_count : node + 1); v++) {
        for (i = g->direct.first[v]; i < g->direct.first[v + 1]; i++) {
            if (callers && g->direct.to[i] != node) continue;
            text_add(out, shown++ ? ", " : " ");
            graph_show_name(g, g->nodes[callers ? v : g->direct.to[i]].name, out);
        }
    }
    text_add(out, shown ? "\n" : " no function of the program by name\n");
}

/* Is it the node's name, as the linker or as the source has it? */
static int is_called(const graph *g, uint32_t v, const char *name) {
    char *readable;
    int is = strcmp(g->names[g->nodes[v].name], name) == 0;
    if (is) return 1;
    readable = demangle(g->names[g->nodes[v].name]);
    is = readable && strcmp(readable, name) == 0;
    free(readable);
    return is;
}

int show_why(const graph *g, const placement *p, const char *name, text *out) {
    uint32_t v, i;
    int found = 0;
    for (v = 0; v < g->node_count; v++) {
        const graph_node *node = &g->nodes[v];
        uint32_t *from_below;
        if (!is_called(g, v, name)) continue;
        from_below = (uint32_t *)tool_alloc(((size_t)g->node_count + 1) * sizeof *from_below);
        from_below[v] = caller_from_below(g, p, v);
        for (i = node->first_copy; i != GRAPH_NONE; i = g->functions[i].next_copy)
            add_function(g, p, &g->functions[i], from_below, out);
        free(from_below);
        add_neighbours(g, v, 1, out);
        add_neighbours(g, v, 0, out);
        text_add(out, "  distance ");
        add_distance(p->distance[v], out);
        text_format(out, ", component %lu (%lu function%s)%s%s\n",
                    (unsigned long)p->component[v],
                    (unsigned long)p->component_size[p->component[v]],
                    p->component_size[p->component[v]] == 1 ? "" : "s",
                    node->taken ? ", its address is taken" : "",
                    node->exported ? ", exported" : "");
        add_cycle(g, p, v, out);
        found = 1;
    }
    return found;
}
