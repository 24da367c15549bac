/* cycles.c - what is left of the graph without its checks, and what excuses it.

   1. Which functions come back at all, and which without a check: a node comes back if it returns,
      or one that follows it does; a call, if what it calls does and what follows it. The
      least answer, found from the returns backwards, is the right one: a run that comes back is
      finite.
      In the same way: which functions an exception may leave without a check.
   2. Two vertices stand for what is not seen: ANY, whatever a pointer leads to, and OUTSIDE, code
      of other images, which calls what it was given and what is exported.
   3. Strongly connected components of what is left. One with a call inside of itself is a
      recursion, which nothing excuses. One of a single frame may be boring (it calls nothing),
      quiet (rule Q), or counted. */
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* Ways through a function: to its end; to its end without a check; out of it by
   an exception, without a check. */
enum { WAY_BACK, WAY_CLEAN, WAY_THROWN };
enum { CALM_NOT_KNOWN, CALM_ASKED, CALM_LEAF, CALM_QUIET, CALM_NOT };
enum { DEEPEST = 40, LARGEST = 4000 };

typedef struct cycles {
    prove_code *c;
    const place_rules *rules;
    prove_result *r;
    uint32_t any, outside, vertices;
    graph_links extra;                          /* of each node */
    graph_links before;                         /* frames and calls, backwards */
    uint8_t *returns, *clean, *thrown, *live;
    uint8_t *calm;                              /* of entries */
    uint32_t *component, *size;                 /* of vertices; of components */
    uint8_t *repeats;                           /* of components: a node that leads to itself */
    graph_links links;
    uint8_t *gone;
} cycles;

/* ---- what comes back ---- */

static int calls_back(const cycles *s, const prove_node *n) {
    if (n->import >= s->c->im->import_count) return n->is_anywhere;
    return !s->c->im->imports[n->import].is_silent || s->c->im->library_calls;
}

static int import_ends(const cycles *s, const prove_node *n) {
    return n->import < s->c->im->import_count && s->c->im->imports[n->import].never_returns;
}

static int known(const uint8_t *set, uint32_t node) { return node != PROVE_NONE && set[node]; }

/* May a call go on where an exception lands, without a check before? */
static int may_land(const cycles *s, const prove_node *n) {
    return n->kind != CODE_CALL || known(s->thrown, n->to);
}

/* Functions of the C library throw nothing, but those of the C++ library do. */
static int import_throws(const cycles *s, const prove_node *n) {
    const char *name;
    if (n->import >= s->c->im->import_count || calls_back(s, n)) return 1;
    name = s->c->im->imports[n->import].name;
    return strncmp(name, "_Z", 2) == 0 || strncmp(name, "__cxa_", 6) == 0 ||
           strncmp(name, "_Unwind_", 8) == 0;
}

static int leaves_by_exception(const cycles *s, const uint8_t *set, uint32_t v) {
    const prove_node *n = &s->c->nodes[v];
    switch (n->kind) {
    case CODE_PLAIN: return known(set, n->next);
    case CODE_BRANCH:
        return known(set, n->next) || known(set, n->to) || n->to == PROVE_NONE;
    case CODE_JUMP: return known(set, n->to);
    case CODE_CALL: return known(set, n->to) || (known(s->clean, n->to) && known(set, n->next));
    case CODE_CALL_OUT: return import_throws(s, n) || known(set, n->next);
    case CODE_JUMP_OUT: return import_throws(s, n);
    case CODE_RETURN: return n->is_anywhere;
    case CODE_STOP: return 0;
    default: return 1;
    }
}

static int comes_back(const cycles *s, const uint8_t *set, uint32_t v, int way) {
    const prove_node *n = &s->c->nodes[v];
    size_t k;
    if (way != WAY_BACK && n->is_check) return 0;
    for (k = s->extra.first[v]; k < s->extra.first[v + 1]; k++) {
        if (set[s->extra.to[k]] && (way == WAY_BACK || may_land(s, n))) return 1;
    }
    if (way == WAY_THROWN) return leaves_by_exception(s, set, v);
    switch (n->kind) {
    case CODE_PLAIN: return known(set, n->next);
    case CODE_BRANCH:
        return known(set, n->next) || known(set, n->to) || n->to == PROVE_NONE;
    case CODE_JUMP: return known(set, n->to);
    case CODE_CALL: return known(set, n->to) && known(set, n->next);
    case CODE_CALL_OUT: return !import_ends(s, n) && known(set, n->next);
    case CODE_CALL_ANY: return known(set, n->next);
    case CODE_JUMP_OUT: return !import_ends(s, n);
    case CODE_STOP: return 0;
    default: return 1;
    }
}

/* Adds to the set. Returns whether there was something to add. */
static int find_returns(cycles *s, uint8_t *set, int way) {
    uint32_t n = (uint32_t)s->c->count, v, *stack, height = 0;
    int found = 0;
    stack = (uint32_t *)tool_alloc(((size_t)n + 1) * sizeof *stack);
    for (v = 0; v < n; v++) {
        if (set[v] || !comes_back(s, set, v, way)) continue;
        set[v] = 1;
        found = 1;
        stack[height++] = v;
        while (height) {
            uint32_t here = stack[--height];
            size_t k;
            for (k = s->before.first[here]; k < s->before.first[here + 1]; k++) {
                uint32_t from = s->before.to[k];
                if (set[from] || !comes_back(s, set, from, way)) continue;
                set[from] = 1;
                stack[height++] = from;
            }
        }
    }
    free(stack);
    return found;
}

/* Each of the two may make the other larger: what an exception leaves goes on
   where it lands. */
static void find_clean(cycles *s) {
    int changed = 1;
    while (changed) {
        changed = find_returns(s, s->clean, WAY_CLEAN);
        changed |= find_returns(s, s->thrown, WAY_THROWN);
    }
}

/* ---- edges ---- */

typedef struct pairs { uint32_t *list; size_t count, room; } pairs;

static void add(pairs *p, uint32_t from, uint32_t to) {
    if (to == PROVE_NONE) return;
    TOOL_ROOM(uint32_t, p->list, 2 * p->count + 1, p->room);
    p->list[2 * p->count] = from;
    p->list[2 * p->count++ + 1] = to;
}

/* What may follow a vertex. set: which functions come back. */
static void add_edges(const cycles *s, const uint8_t *set, uint32_t v, pairs *p) {
    const prove_node *n = &s->c->nodes[v];
    size_t k;
    for (k = s->extra.first[v]; k < s->extra.first[v + 1]; k++) {
        if (set != s->clean || may_land(s, n)) add(p, v, s->extra.to[k]);
    }
    switch (n->kind) {
    case CODE_PLAIN: add(p, v, n->next); break;
    case CODE_BRANCH:
        add(p, v, n->next);
        add(p, v, n->to);
        if (n->to == PROVE_NONE && calls_back(s, n)) add(p, v, s->outside);
        break;
    case CODE_JUMP: add(p, v, n->to); break;
    case CODE_CALL:
        add(p, v, n->to);
        if (known(set, n->to)) add(p, v, n->next);
        break;
    case CODE_CALL_OUT:
        if (!import_ends(s, n)) add(p, v, n->next);
        if (calls_back(s, n)) add(p, v, s->outside);
        break;
    case CODE_CALL_ANY:
        add(p, v, n->next);
        add(p, v, s->any);
        break;
    case CODE_JUMP_OUT:
        if (calls_back(s, n)) add(p, v, s->outside);
        break;
    case CODE_JUMP_ANY:
        if (n->is_anywhere) add(p, v, s->any);
        break;
    case CODE_RETURN:
        if (n->is_anywhere) add(p, v, s->any);
        break;
    default: break;
    }
}

static void add_outside(const cycles *s, pairs *p) {
    const prove_image *im = s->c->im;
    size_t i;
    for (i = 0; i < im->taken.count; i++)
        add(p, s->any, prove_node_at(s->c, im->taken.list[i]));
    if (im->outside_taken) add(p, s->any, s->outside);
    add(p, s->outside, s->any);
    for (i = 0; i < im->exported.count; i++) {
        const prove_symbol *symbol = prove_symbol_at(im, im->exported.list[i]);
        if (symbol && symbol->is_runtime) continue;
        add(p, s->outside, prove_node_at(s->c, im->exported.list[i]));
    }
}

static void look_before(cycles *s) {
    pairs p = {NULL, 0, 0};
    size_t k;
    uint32_t v;
    for (v = 0; v < s->c->count; v++) {
        const prove_node *n = &s->c->nodes[v];
        if (n->next != PROVE_NONE) add(&p, n->next, v);
        if (n->to != PROVE_NONE) add(&p, n->to, v);
    }
    for (k = 0; k < s->c->extra_count; k++) add(&p, s->c->extra[k].to, s->c->extra[k].from);
    links_build(&s->before, (uint32_t)s->c->count, p.list, p.count);
    free(p.list);
}

/* What can be reached at all, by calls that come back. */
static void find_live(cycles *s) {
    graph_links links;
    pairs p = {NULL, 0, 0};
    uint32_t v, *stack = (uint32_t *)tool_alloc(((size_t)s->vertices + 1) * sizeof *stack);
    uint32_t height = 0;
    size_t k;
    for (v = 0; v < s->c->count; v++) add_edges(s, s->returns, v, &p);
    add_outside(s, &p);
    links_build(&links, s->vertices, p.list, p.count);
    free(p.list);
    memset(s->live, 0, s->vertices);
    s->live[s->any] = s->live[s->outside] = 1;
    stack[height++] = s->any;
    stack[height++] = s->outside;
    for (k = 0; k < s->c->im->roots.count; k++) {
        v = prove_node_at(s->c, s->c->im->roots.list[k]);
        if (v == PROVE_NONE || s->live[v]) continue;
        s->live[v] = 1;
        stack[height++] = v;
        while (height) {
            uint32_t here = stack[--height];
            size_t e;
            for (e = links.first[here]; e < links.first[here + 1]; e++) {
                if (s->live[links.to[e]]) continue;
                s->live[links.to[e]] = 1;
                stack[height++] = links.to[e];
            }
        }
    }
    while (height) {
        uint32_t here = stack[--height];
        for (k = links.first[here]; k < links.first[here + 1]; k++) {
            if (s->live[links.to[k]]) continue;
            s->live[links.to[k]] = 1;
            stack[height++] = links.to[k];
        }
    }
    free(stack);
    links_free(&links);
}

static void find_components(cycles *s) {
    pairs p = {NULL, 0, 0};
    uint32_t v, found;
    size_t k;
    for (v = 0; v < s->c->count; v++) {
        s->gone[v] = (uint8_t)(s->c->nodes[v].is_check || !s->live[v]);
        if (!s->gone[v]) add_edges(s, s->clean, v, &p);
    }
    add_outside(s, &p);
    links_build(&s->links, s->vertices, p.list, p.count);
    free(p.list);
    found = links_components(&s->links, s->gone, s->component);
    s->size = (uint32_t *)tool_alloc(((size_t)found + 1) * sizeof *s->size);
    s->repeats = (uint8_t *)tool_alloc((size_t)found + 1);
    memset(s->size, 0, ((size_t)found + 1) * sizeof *s->size);
    memset(s->repeats, 0, (size_t)found + 1);
    s->size[found] = found;
    for (v = 0; v < s->vertices; v++) {
        if (s->gone[v]) continue;
        s->size[s->component[v]]++;
        for (k = s->links.first[v]; k < s->links.first[v + 1]; k++) {
            if (s->links.to[k] == v) s->repeats[s->component[v]] = 1;
        }
    }
    s->size[found] = found;
}

/* ---- excuses ---- */

static int is_cyclic(const cycles *s, uint32_t v) {
    uint32_t part = s->component[v];
    return part != GRAPH_NONE && (s->size[part] > 1 || s->repeats[part]);
}

/* A leaf has no loop and calls nothing that could be an event; a quiet function
   calls nothing through pointers, nor itself, nor anything that is not
   quiet. */
static int calm(cycles *s, uint32_t entry, unsigned depth) {
    uint32_t *stack, height = 0, k;
    uint8_t *mark;
    int result = CALM_LEAF;
    size_t e;
    if (s->calm[entry] == CALM_ASKED) return CALM_NOT;          /* it calls itself */
    if (s->calm[entry] != CALM_NOT_KNOWN) return s->calm[entry];
    if (depth > DEEPEST) return CALM_NOT;
    s->calm[entry] = CALM_ASKED;
    stack = (uint32_t *)tool_alloc((LARGEST + 1) * sizeof *stack);
    mark = (uint8_t *)tool_alloc(s->c->count + 1);
    memset(mark, 0, s->c->count + 1);
    stack[height++] = entry;
    mark[entry] = 1;
    for (k = 0; k < height && result != CALM_NOT; k++) {
        uint32_t v = stack[k], next[2];
        const prove_node *n = &s->c->nodes[v];
        int is_quiet = 0, way;
        unsigned ways = 0;
        if (is_cyclic(s, v)) is_quiet = 1;
        if (n->is_check) is_quiet = 1;
        next[0] = next[1] = PROVE_NONE;
        switch (n->kind) {
        case CODE_PLAIN: next[0] = n->next; break;
        case CODE_BRANCH: next[0] = n->next; next[1] = n->to; break;
        case CODE_JUMP: next[0] = n->to; break;
        case CODE_CALL:
            way = calm(s, n->to, depth + 1);
            if (way != CALM_LEAF) is_quiet = 1;
            if (way == CALM_NOT) result = CALM_NOT;
            if (known(s->returns, n->to)) next[0] = n->next;
            break;
        case CODE_CALL_OUT:
        case CODE_JUMP_OUT:
            if (!import_ends(s, n)) next[0] = n->next;
            if (n->import >= s->c->im->import_count) break;     /* the runtime, at a check */
            if (calls_back(s, n)) result = CALM_NOT;
            else if (!s->c->im->imports[n->import].is_plain) is_quiet = 1;
            break;
        case CODE_CALL_ANY:
        case CODE_UNREAD: result = CALM_NOT; break;
        case CODE_JUMP_ANY:
            if (n->is_anywhere) result = CALM_NOT;
            break;
        default: break;
        }
        if (is_quiet && result == CALM_LEAF) result = CALM_QUIET;
        for (ways = 0; ways < 2; ways++) {
            if (next[ways] == PROVE_NONE || mark[next[ways]]) continue;
            mark[next[ways]] = 1;
            if (height == LARGEST) result = CALM_NOT;
            else stack[height++] = next[ways];
        }
        for (e = s->extra.first[v]; e < s->extra.first[v + 1]; e++) {
            if (mark[s->extra.to[e]]) continue;
            mark[s->extra.to[e]] = 1;
            if (height == LARGEST) result = CALM_NOT;
            else stack[height++] = s->extra.to[e];
        }
    }
    free(mark);
    free(stack);
    s->calm[entry] = (uint8_t)result;
    return result;
}

/* The least calm call of a loop. */
static int calls_of(cycles *s, const uint32_t *nodes, size_t count) {
    size_t i;
    int worst = CALM_LEAF, one;
    for (i = 0; i < count; i++) {
        const prove_node *n = &s->c->nodes[nodes[i]];
        one = CALM_LEAF;
        if (n->kind == CODE_CALL) one = calm(s, n->to, 0);
        if (n->kind == CODE_CALL_ANY || (n->kind == CODE_JUMP_ANY && n->is_anywhere))
            one = CALM_NOT;
        if (n->kind == CODE_CALL_OUT && n->import < s->c->im->import_count)
            one = calls_back(s, n) ? CALM_NOT
                  : s->c->im->imports[n->import].is_plain ? CALM_LEAF : CALM_QUIET;
        if (one > worst) worst = one;
    }
    return worst;
}

/* How many loops does a component hold? Jumps back end at so many nodes. */
static size_t loops_of(const cycles *s, const uint32_t *nodes, size_t count, uint32_t part) {
    size_t i, k, loops = 0;
    for (i = 0; i < count; i++) {
        uint32_t v = nodes[i];
        int is_head = 0;
        for (k = s->before.first[v]; k < s->before.first[v + 1]; k++) {
            uint32_t from = s->before.to[k];
            if (s->component[from] == part && !s->gone[from] &&
                s->c->nodes[from].address >= s->c->nodes[v].address)
                is_head = 1;
        }
        loops += (size_t)is_head;
    }
    return loops;
}

/* ---- witnesses ---- */

/* The shortest cycle through the component's first node that has one. */
static prove_cycle find_cycle(const cycles *s, const uint32_t *nodes, size_t count,
                              uint32_t part) {
    prove_cycle cycle;
    uint32_t *from = (uint32_t *)tool_alloc(((size_t)s->vertices + 1) * sizeof *from);
    uint32_t *queue = (uint32_t *)tool_alloc((count + 1) * sizeof *queue);
    uint32_t start = nodes[0], at, last = PROVE_NONE;
    size_t head = 0, tail = 0, k;
    memset(&cycle, 0, sizeof cycle);
    cycle.instructions = count;
    for (k = 0; k < count; k++) from[nodes[k]] = PROVE_NONE;
    queue[tail++] = start;
    while (head < tail && last == PROVE_NONE) {
        uint32_t v = queue[head++];
        for (k = s->links.first[v]; k < s->links.first[v + 1]; k++) {
            uint32_t to = s->links.to[k];
            if (s->gone[to] || s->component[to] != part) continue;
            if (to == start) {
                last = v;
                break;
            }
            if (from[to] != PROVE_NONE) continue;
            from[to] = v;
            queue[tail++] = to;
        }
    }
    for (at = last, k = 1; at != start && at != PROVE_NONE; at = from[at]) k++;
    cycle.count = k;
    cycle.path = (uint32_t *)tool_alloc(k * sizeof *cycle.path);
    for (at = last; k > 1 && at != PROVE_NONE; at = from[at]) cycle.path[--k] = at;
    cycle.path[0] = start;
    free(from);
    free(queue);
    return cycle;
}

static void keep(prove_cycle **list, size_t *count, size_t *room, prove_cycle cycle) {
    TOOL_ROOM(prove_cycle, *list, *count, *room);
    (*list)[(*count)++] = cycle;
}

static int is_own(const cycles *s, uint32_t v) {
    const prove_symbol *symbol;
    if (v >= s->c->count) return 0;
    symbol = prove_symbol_at(s->c->im, s->c->nodes[v].address);
    return !symbol || symbol->is_own;
}

/* Does an edge lead out of the component? */
static int has_way_out(const cycles *s, const uint32_t *nodes, size_t count, uint32_t part) {
    size_t i, k;
    for (i = 0; i < count; i++) {
        for (k = s->links.first[nodes[i]]; k < s->links.first[nodes[i] + 1]; k++) {
            uint32_t to = s->links.to[k];
            if (s->gone[to] || s->component[to] != part) return 1;
        }
    }
    return 0;
}

static int is_excused(cycles *s, const uint32_t *nodes, size_t count, uint32_t part) {
    prove_result *r = s->r;
    prove_loop l;
    int worst = calls_of(s, nodes, count);
    uint32_t rounds;
    size_t loops;
    if (!has_way_out(s, nodes, count, part)) return 0;
    if (worst == CALM_LEAF && s->rules->loops != LOOPS_ALL && s->rules->loops != 0) {
        loops = loops_of(s, nodes, count, part);
        if (count > r->longest) r->longest = count;
        if (s->rules->loops == LOOPS_NONE || loops <= (size_t)s->rules->loops) r->boring++;
        else keep(&r->larger_ones, &r->larger, &r->larger_room,
                  find_cycle(s, nodes, count, part));
        return 1;
    }
    l.code = s->c;
    l.links = &s->links;
    l.of = s->component;
    l.component = part;
    l.nodes = nodes;
    l.count = count;
    l.live = s->live;
    rounds = prove_counted(&l);
    if (rounds) {
        r->counted++;
        if (rounds > r->most_rounds) r->most_rounds = rounds;
        return 1;
    }
    if (s->rules->quiet && worst != CALM_NOT) {
        r->quiet++;
        return 1;
    }
    return 0;
}

/* A jump to the start of another function is its call. */
static int is_tail(const cycles *s, uint32_t from, uint32_t to) {
    uint64_t address = s->c->nodes[to].address;
    const prove_symbol *here = prove_symbol_at(s->c->im, s->c->nodes[from].address);
    const prove_symbol *there = prove_symbol_at(s->c->im, address);
    return there && there->is_sized && there->address == address && there != here &&
           !strstr(there->name, ".cold");
}

static void judge(cycles *s, const uint32_t *nodes, size_t count, uint32_t part) {
    prove_result *r = s->r;
    prove_cycle cycle;
    size_t i;
    int is_recursion = 0, own = 0;
    if (nodes[0] >= s->c->count) return;        /* all of it is outside */
    for (i = 0; i < count; i++) {
        uint32_t v = nodes[i], to;
        if (v >= s->c->count) {
            is_recursion = 1;
            continue;
        }
        own |= is_own(s, v);
        to = s->c->nodes[v].to;
        if (to == PROVE_NONE || s->gone[to] || s->component[to] != part) continue;
        if (s->c->nodes[v].kind == CODE_CALL || is_tail(s, v, to)) is_recursion = 1;
    }
    if (!is_recursion && is_excused(s, nodes, count, part)) return;
    cycle = find_cycle(s, nodes, count, part);
    cycle.is_recursion = is_recursion;
    if (own) keep(&r->open, &r->open_count, &r->open_room, cycle);
    else keep(&r->other, &r->other_count, &r->other_room, cycle);
}

static void judge_all(cycles *s) {
    uint32_t found = 0, v, part;
    uint32_t *nodes = (uint32_t *)tool_alloc(((size_t)s->vertices + 1) * sizeof *nodes);
    size_t *first;
    for (v = 0; v < s->vertices; v++) {
        if (!s->gone[v] && s->component[v] + 1 > found) found = s->component[v] + 1;
    }
    first = (size_t *)tool_alloc(((size_t)found + 2) * sizeof *first);
    memset(first, 0, ((size_t)found + 2) * sizeof *first);
    for (part = 0; part < found; part++) first[part + 1] = first[part] + s->size[part];
    for (v = 0; v < s->vertices; v++) {
        if (!s->gone[v]) nodes[first[s->component[v]]++] = v;
    }
    for (part = found; part > 0; part--) first[part] = first[part - 1];
    first[0] = 0;
    for (part = 0; part < found; part++) {
        if (s->size[part] > 1 || s->repeats[part])
            judge(s, nodes + first[part], s->size[part], part);
    }
    free(first);
    free(nodes);
}

/* ---- what is not seen ---- */

static void note_unseen(cycles *s) {
    prove_result *r = s->r;
    const prove_symbol *last = NULL;
    uint64_t at;
    uint32_t v;
    for (at = s->c->im->text_lo; at < s->c->im->text_hi; at++) {
        const prove_symbol *symbol;
        const prove_node *n;
        v = s->c->node_of[at - s->c->im->text_lo];
        if (!v-- || !s->live[v]) continue;
        n = &s->c->nodes[v];
        r->instructions++;
        r->checks += n->is_check;
        symbol = prove_symbol_at(s->c->im, at);
        if (symbol && symbol != last) r->functions++;
        last = symbol;
        if (n->kind == CODE_UNREAD) prove_list_add(&r->undecoded, at);
        if (n->is_unread) prove_list_add(&r->unread, at);
        if ((n->kind == CODE_CALL_OUT || n->kind == CODE_JUMP_OUT) &&
            n->import < s->c->im->import_count && s->c->im->imports[n->import].returns_again)
            prove_list_add(&r->returning, at);
    }
}

static void keep_endless(void *user, const uint32_t *nodes, size_t count, uint32_t part,
                         int is_recursion) {
    cycles *s = (cycles *)user;
    prove_runs *runs = &s->r->runs;
    prove_cycle cycle = find_cycle(s, nodes, count, part);
    size_t i;
    cycle.is_recursion = is_recursion;
    for (i = 0; i < count && !is_own(s, nodes[i]); i++) {
    }
    if (i < count) runs->own_endless++;
    keep(&runs->endless, &runs->endless_count, &runs->endless_room, cycle);
}

static void find_runs(cycles *s) {
    prove_rest rest;
    rest.code = s->c;
    rest.links = &s->links;
    rest.gone = s->gone;
    rest.live = s->live;
    rest.component = s->component;
    rest.any = s->any;
    rest.outside = s->outside;
    rest.vertices = s->vertices;
    prove_within(&rest, s->r, keep_endless, s);
}

void prove_cycles(prove_code *c, const place_rules *rules, prove_result *r) {
    cycles s;
    pairs p = {NULL, 0, 0};
    size_t k, n = c->count + 2;
    memset(&s, 0, sizeof s);
    memset(r, 0, sizeof *r);
    s.c = c;
    s.rules = rules;
    s.r = r;
    s.any = (uint32_t)c->count;
    s.outside = s.any + 1;
    s.vertices = s.any + 2;
    r->any = s.any;
    r->outside = s.outside;
    for (k = 0; k < c->extra_count; k++) add(&p, c->extra[k].from, c->extra[k].to);
    links_build(&s.extra, (uint32_t)c->count, p.list, p.count);
    free(p.list);
    look_before(&s);
    s.returns = (uint8_t *)tool_alloc(6 * n);
    s.clean = s.returns + n;
    s.live = s.clean + n;
    s.calm = s.live + n;
    s.gone = s.calm + n;
    s.thrown = s.gone + n;
    memset(s.returns, 0, 6 * n);
    s.component = (uint32_t *)tool_alloc(n * sizeof *s.component);
    find_returns(&s, s.returns, WAY_BACK);
    find_live(&s);
    find_clean(&s);
    find_components(&s);
    judge_all(&s);
    note_unseen(&s);
    if (rules->within) find_runs(&s);
    free(s.returns);
    free(s.component);
    free(s.size);
    free(s.repeats);
    links_free(&s.extra);
    links_free(&s.before);
    links_free(&s.links);
}

void prove_result_free(prove_result *r) {
    size_t i;
    for (i = 0; i < r->open_count; i++) free(r->open[i].path);
    for (i = 0; i < r->other_count; i++) free(r->other[i].path);
    for (i = 0; i < r->larger; i++) free(r->larger_ones[i].path);
    for (i = 0; i < r->runs.endless_count; i++) free(r->runs.endless[i].path);
    free(r->runs.endless);
    free(r->open);
    free(r->other);
    free(r->larger_ones);
    free(r->returning.list);
    free(r->unread.list);
    free(r->undecoded.list);
    memset(r, 0, sizeof *r);
}
