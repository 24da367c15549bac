/* strips.c - loops that pass a check after so many rounds.

   `bursty place --within` cuts a loop into strips. A round takes its weight off
   a budget, and where that is used up a check stands, which fills it again:

       mov  $1250,%eax             the start, on every way into the loop
       sub  $37,%eax               each round
       js   out                    out: mov $1250,%eax; decl %fs:word; js slow; jmp back

   Of the loop without its checks nothing is left behind `out`. So the budget
   only falls: if each value that comes to a sub is the start, or came from
   another sub of the loop, then no more than start / weight rounds run, and a
   round is at most the longest way from one sub to the next. The budget may move
   between registers and words of the frame on its way. */
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { FARTHEST = 6000, FAMILY = 256, DEEPEST = 8, MOVES = 6, STACK = 4, FRAME = 5, MOST_NODES = 20000 };
static const uint64_t most = UINT64_C(1) << 60;

typedef struct place { int reg, base; int64_t displacement; } place; /* reg -1: a word of the frame */
typedef struct step { uint32_t node; place at; } step;

typedef struct strips {
    const prove_loop *l;
    const uint64_t *cost;
    const uint32_t *nodes;                      /* sorted */
    uint32_t count;
    uint8_t *is_sub;                            /* of each of them: it is of the family */
    uint32_t *weight;
    uint64_t start;
} strips;

static uint64_t sum(uint64_t a, uint64_t b) { return a + b < most ? a + b : most; }
static uint64_t product(uint64_t a, uint64_t b) { return a && b > most / a ? most : a * b; }

static uint32_t index_of(const strips *s, uint32_t node) {
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->nodes[middle] < node) low = middle + 1;
        else high = middle;
    }
    return low < s->count && s->nodes[low] == node ? low : GRAPH_NONE;
}

/* sub $n,%reg of 4 bytes: n, or 0. */
static uint32_t is_sub(const prove_insn *i, int *reg) {
    if (i->map != 0 || !i->is_legacy || i->bytes != 4 || i->immediate <= 0) return 0;
    if (i->opcode == 0x2D) *reg = 0;
    else if ((i->opcode == 0x83 || i->opcode == 0x81) && i->digit == 5 && !i->memory) *reg = i->rm;
    else return 0;
    return (uint32_t)i->immediate;
}

/* And js or jns behind it, with at most a few moves between them, of which the
   negative side is not in the loop. */
static uint32_t sub_at(const strips *s, uint32_t node, int *reg) {
    const prove_code *c = s->l->code;
    const prove_node *branch;
    prove_insn i;
    uint32_t negative, other, weight, at = node, steps;
    if (index_of(s, node) == GRAPH_NONE || c->nodes[node].kind != CODE_PLAIN) return 0;
    if (!prove_instruction_of(c, node, &i)) return 0;
    weight = is_sub(&i, reg);
    for (steps = 0; weight && steps < MOVES; steps++) {
        at = c->nodes[at].next;
        if (at == PROVE_NONE || index_of(s, at) == GRAPH_NONE) return 0;
        if (!prove_instruction_of(c, at, &i) || i.sets_flags) return 0;
        if (c->nodes[at].kind != CODE_PLAIN) break;
    }
    branch = &c->nodes[at];
    if (!weight || branch->kind != CODE_BRANCH) return 0;
    if (!(i.map == 0 && (i.opcode & 0xFE) == 0x78) && !(i.map == 1 && (i.opcode & 0xFE) == 0x88))
        return 0;
    negative = i.opcode & 1 ? branch->next : branch->to;
    other = i.opcode & 1 ? branch->to : branch->next;
    if (negative == other) return 0;
    return index_of(s, negative) == GRAPH_NONE ? weight : 0;
}

static int is_word(const prove_insn *i, const place *at) {
    return i->memory && i->base == at->base && i->index == BASE_NONE && !i->fs &&
           i->displacement == at->displacement && i->bytes == 4;
}

static int is_frame(const prove_insn *i) {
    return i->memory && (i->base == STACK || i->base == FRAME) && i->index == BASE_NONE && !i->fs;
}

static int is_call(const prove_node *n) { return n->kind >= CODE_CALL && n->kind <= CODE_CALL_ANY; }

/* add $-128,%rsp in front of the slow path of a check, which gives it back. */
static int is_stub(const prove_code *c, uint32_t node) {
    uint32_t next = c->nodes[node].next;
    return next != PROVE_NONE && is_call(&c->nodes[next]) && c->nodes[next].keeps;
}

enum { SAME, MOVED, STARTED, SPOILED };

/* What an instruction does to what lies at `at` behind it. */
static int trace_one(const prove_code *c, uint32_t node, place *at, int64_t *start) {
    prove_insn i;
    int is_move, width;
    if (!prove_instruction_of(c, node, &i)) return SPOILED;
    is_move = i.map == 0 && i.is_legacy && i.bytes == 4;
    if (at->reg >= 0) {
        if (!(i.writes >> at->reg & 1)) return SAME;
        if (is_move && i.has_modrm && i.opcode == 0x89 && !i.memory && i.rm == at->reg) {
            at->reg = i.reg;
            return MOVED;
        }
        if (is_move && i.opcode == 0x87 && !i.memory && (i.rm == at->reg || i.reg == at->reg)) {
            at->reg = i.rm == at->reg ? i.reg : i.rm;
            return MOVED;
        }
        if (is_move && i.opcode == 0x8B && i.reg == at->reg && !i.memory) {
            at->reg = i.rm;
            return MOVED;
        }
        if (is_move && i.opcode == 0x8B && i.reg == at->reg && is_frame(&i)) {
            at->reg = -1;
            at->base = i.base;
            at->displacement = i.displacement;
            return MOVED;
        }
        if (is_move && (((i.opcode & 0xF8) == 0xB8 && i.rm == at->reg) ||
                        (i.opcode == 0xC7 && !i.memory && i.rm == at->reg))) {
            *start = i.immediate;
            return STARTED;
        }
        return SPOILED;
    }
    if (is_move && i.opcode == 0x89 && is_word(&i, at)) {
        at->reg = i.reg;
        return MOVED;
    }
    if (is_move && i.opcode == 0xC7 && is_word(&i, at)) {
        *start = i.immediate;
        return STARTED;
    }
    if (is_call(&c->nodes[node])) return SAME;
    if (i.writes >> at->base & 1) return is_stub(c, node) ? SAME : SPOILED;
    if (!i.writes_memory || i.index != BASE_NONE || i.base != at->base) return SAME;
    width = i.map == 0 && i.opcode < 0xD8                      ? (int)i.bytes
            : i.map == 1 && i.is_legacy && i.opcode != 0xAE ? 16
                                                             : 512;
    return i.displacement >= at->displacement + 4 || i.displacement + width <= at->displacement
               ? SAME : SPOILED;
}

typedef struct tracer { step *list; size_t count; } tracer;

static int push(tracer *t, uint32_t node, place at) {
    size_t k;
    for (k = 0; k < t->count; k++) {
        const place *old = &t->list[k].at;
        if (t->list[k].node == node && old->reg == at.reg &&
            (at.reg >= 0 || (old->base == at.base && old->displacement == at.displacement)))
            return 1;
    }
    if (t->count == FARTHEST) return 0;
    t->list[t->count].node = node;
    t->list[t->count++].at = at;
    return 1;
}

/* Where does the value come from that the sub at `node` takes its weight off?
   Adds subs of the loop to the family. */
static int trace(strips *s, uint32_t node, int reg, tracer *t) {
    const prove_code *c = s->l->code;
    size_t done, e;
    place first = {-1, 0, 0};
    first.reg = reg;
    t->count = 0;
    if (!push(t, node, first)) return 0;
    for (done = 0; done < t->count; done++) {
        uint32_t here = t->list[done].node;
        const prove_symbol *symbol = prove_symbol_at(c->im, c->nodes[here].address);
        if (c->back.first[here] == c->back.first[here + 1]) return 0;
        if (symbol && symbol->is_sized && symbol->address == c->nodes[here].address) return 0;
        for (e = c->back.first[here]; e < c->back.first[here + 1]; e++) {
            uint32_t from = c->back.to[e], k = index_of(s, from);
            place at = t->list[done].at;
            int64_t start = 0;
            int what, other = -1;
            uint32_t weight;
            if (!s->l->live[from]) continue;
            weight = at.reg >= 0 ? sub_at(s, from, &other) : 0;
            if (weight && other == at.reg) {    /* less than that one had */
                s->is_sub[k] = 1;
                s->weight[k] = weight;
                continue;
            }
            what = trace_one(c, from, &at, &start);
            if (what == SPOILED && at.reg >= 0) {
                prove_insn i;                   /* a sub of another loop: the budget only falls */
                if (k == GRAPH_NONE && prove_instruction_of(c, from, &i) && is_sub(&i, &other) &&
                    other == at.reg)
                    what = SAME;
            }
            if (what == SPOILED || (what == STARTED && (k != GRAPH_NONE || start < 0))) return 0;
            if (what == STARTED) {
                if ((uint64_t)start > s->start) s->start = (uint64_t)start;
                continue;
            }
            if (!push(t, from, at)) return 0;
        }
    }
    return 1;
}

/* The family of a sub: all subs that its value comes from, and theirs. */
static int find_family(strips *s, uint32_t first) {
    tracer t;
    uint8_t *traced = (uint8_t *)tool_alloc((size_t)s->count + 1);
    uint32_t k, rounds = 0;
    int reg, again = 1, fine;
    t.list = (step *)tool_alloc(FARTHEST * sizeof *t.list);
    memset(traced, 0, (size_t)s->count + 1);
    memset(s->is_sub, 0, s->count);
    s->start = 0;
    s->weight[first] = sub_at(s, s->nodes[first], &reg);
    s->is_sub[first] = s->weight[first] != 0;
    fine = s->is_sub[first];
    while (fine && again) {
        again = 0;
        for (k = 0; k < s->count && fine; k++) {
            if (!s->is_sub[k] || traced[k]) continue;
            traced[k] = 1;
            again = 1;
            fine = ++rounds <= FAMILY && sub_at(s, s->nodes[k], &reg) &&
                   trace(s, s->nodes[k], reg, &t);
        }
    }
    free(t.list);
    free(traced);
    return fine && s->start > 0;
}

static uint64_t part_of(const prove_loop *l, const uint64_t *cost, const uint32_t *nodes,
                        uint32_t count, unsigned depth);

/* The nodes of each component, one behind the other, as places in s->nodes;
   *first has where they begin. To be freed by one pointer. */
static uint32_t *by_component(const strips *s, const uint32_t *part, uint32_t found,
                              uint32_t **first) {
    uint32_t *order = (uint32_t *)tool_alloc(((size_t)s->count + found + 3) * sizeof *order), k;
    *first = order + s->count + 1;
    memset(*first, 0, ((size_t)found + 2) * sizeof **first);
    for (k = 0; k < s->count; k++) {
        if (!s->is_sub[k]) (*first)[part[k] + 1]++;
    }
    for (k = 0; k < found; k++) (*first)[k + 1] += (*first)[k];
    for (k = 0; k < s->count; k++) {
        if (!s->is_sub[k]) order[(*first)[part[k]]++] = k;
    }
    for (k = found; k > 0; k--) (*first)[k] = (*first)[k - 1];
    (*first)[0] = 0;
    return order;
}

/* Without the family: the longest way on from each node. Returns 0 if a cycle
   is left that has no end. */
static int longest_ways(const strips *s, const graph_links *links, uint64_t *way, unsigned depth) {
    uint32_t *part = (uint32_t *)tool_alloc((2 * (size_t)s->count + 2) * sizeof *part);
    uint32_t *nodes = part + s->count + 1, *first, *order, found, p, k;
    int fine = 1;
    found = links_components(links, s->is_sub, part);
    order = by_component(s, part, found, &first);
    for (p = 0; p < found && fine; p++) {
        uint64_t own = 0, behind = 0;
        int is_cyclic = 0;
        size_t e;
        for (k = first[p]; k < first[p + 1]; k++) {
            nodes[k - first[p]] = s->nodes[order[k]];
            for (e = links->first[order[k]]; e < links->first[order[k] + 1]; e++) {
                uint32_t to = links->to[e];
                if (s->is_sub[to]) continue;
                if (part[to] == p) is_cyclic = 1;
                else if (way[to] > behind) behind = way[to];
            }
        }
        own = s->cost[nodes[0]];
        if (is_cyclic) {
            own = depth < DEEPEST ? part_of(s->l, s->cost, nodes, first[p + 1] - first[p], depth + 1)
                                  : 0;
            fine = own > 0;
        }
        for (k = first[p]; k < first[p + 1]; k++) way[order[k]] = sum(own, behind);
    }
    free(order);
    free(part);
    return fine;
}

static void link_nodes(const strips *s, graph_links *links) {
    const graph_links *all = s->l->links;
    uint32_t *pairs = NULL, k;
    size_t count = 0, room = 0, e;
    for (k = 0; k < s->count; k++) {
        for (e = all->first[s->nodes[k]]; e < all->first[s->nodes[k] + 1]; e++) {
            uint32_t to = index_of(s, all->to[e]);
            if (to == GRAPH_NONE) continue;
            TOOL_ROOM(uint32_t, pairs, 2 * count + 1, room);
            pairs[2 * count] = k;
            pairs[2 * count++ + 1] = to;
        }
    }
    links_build(links, s->count, pairs, count);
    free(pairs);
}

/* Each pass of a sub takes its weight, and the longest way to the next one
   follows. At worst all of the budget goes to the sub whose weight tells least
   of its way; what is left of it may be one pass more of another. */
static uint64_t length_of(const strips *s, const graph_links *links, const uint64_t *way) {
    uint64_t before = 0, longest = 0, total = 0;
    uint32_t k;
    size_t e;
    for (k = 0; k < s->count; k++) {
        uint64_t round = s->cost[s->nodes[k]], behind = 0, all;
        if (!s->is_sub[k]) {
            if (way[k] > before) before = way[k];
            continue;
        }
        for (e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t to = links->to[e];
            if (!s->is_sub[to] && way[to] > behind) behind = way[to];
        }
        round = sum(round, behind);
        all = product(round, s->start / s->weight[k] + 1);
        if (all > total) total = all;
        if (round > longest) longest = round;
    }
    return sum(sum(total, longest), before);
}

static uint64_t part_of(const prove_loop *l, const uint64_t *cost, const uint32_t *nodes,
                        uint32_t count, unsigned depth) {
    strips s;
    graph_links links;
    uint64_t *way, result = 0;
    uint32_t k;
    int reg;
    if (count > MOST_NODES) return 0;
    memset(&s, 0, sizeof s);
    s.l = l;
    s.cost = cost;
    s.nodes = nodes;
    s.count = count;
    s.is_sub = (uint8_t *)tool_alloc((size_t)count + 1);
    s.weight = (uint32_t *)tool_alloc(((size_t)count + 1) * sizeof *s.weight);
    way = (uint64_t *)tool_alloc(((size_t)count + 1) * sizeof *way);
    link_nodes(&s, &links);
    for (k = 0; k < count && !result; k++) {
        if (!sub_at(&s, nodes[k], &reg) || !find_family(&s, k)) continue;
        memset(way, 0, ((size_t)count + 1) * sizeof *way);
        if (longest_ways(&s, &links, way, depth)) result = length_of(&s, &links, way);
    }
    if (!result) {                              /* a few rounds, by its code */
        prove_loop part = *l;
        uint32_t rounds;
        part.nodes = nodes;
        part.count = count;
        rounds = prove_counted(&part);
        for (k = 0; k < count && rounds; k++) result = sum(result, cost[nodes[k]]);
        result = product(result, rounds);
    }
    links_free(&links);
    free(way);
    free(s.weight);
    free(s.is_sub);
    return result;
}

uint64_t prove_strips(const prove_loop *l, const uint64_t *cost) {
    return part_of(l, cost, l->nodes, (uint32_t)l->count, 0);
}
