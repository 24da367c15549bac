/* counted.c - loops that count a few rounds and end.

       movl $0,-4(%rbp)      the start: a number, on every way into the loop
       addl $1,-4(%rbp)      the one instruction of the loop that writes the counter
       cmpl $9,-4(%rbp)      a branch behind it leaves the loop
       jle back

   or, as clang -O0 steps: movl -4(%rbp),%eax; addl $1,%eax; movl %eax,-4(%rbp).
   Every cycle of the loop passes the step, and every cycle passes the test:
   without either of them no cycle is left, but inner ones that are counted,
   too. Then the counter takes one value after the other, and the round in which
   the test fails can be told. The counter is a register that nothing else in
   the loop writes (a call keeps some), or a word of the frame. If the loop
   calls or stores through pointers, no address at or below that word may be
   taken in the function, for what lies there could reach up to the word. */
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 64, DEEPEST = 3, FARTHEST = 512, STACK = 4, FRAME = 5 };

typedef struct counter {
    int reg, base;                              /* reg -1: a word at base + displacement */
    int64_t displacement;
    unsigned bytes;
    int64_t step;
} counter;

typedef struct counting {
    const prove_loop *l;
    graph_links links;                          /* among the loop's nodes, by their place in it */
    uint32_t *place;                            /* of nodes: sorted, for looking up */
    const uint32_t *nodes;
    uint32_t count;
} counting;

static uint32_t place_of(const counting *s, uint32_t node) {
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->nodes[middle] < node) low = middle + 1;
        else high = middle;
    }
    return low < s->count && s->nodes[low] == node ? low : GRAPH_NONE;
}

static int is_word(const prove_insn *i, const counter *c) {
    return i->memory && i->base == c->base && i->index == BASE_NONE && !i->fs &&
           i->displacement == c->displacement;
}

/* add $n, sub $n, inc, dec or lea n(r),r: what it counts, and by what step. */
static int is_step(const prove_insn *i, counter *c) {
    memset(c, 0, sizeof *c);
    if (i->map != 0 || !i->is_legacy || i->bytes < 4) return 0;
    c->bytes = i->bytes;
    c->reg = i->memory ? -1 : i->rm;
    c->base = i->base;
    c->displacement = i->displacement;
    if (i->opcode == 0x83 || i->opcode == 0x81) {
        if (i->digit != 0 && i->digit != 5) return 0;
        c->step = i->digit == 5 ? -i->immediate : i->immediate;
    } else if (i->opcode == 0xFF && i->digit < 2) c->step = i->digit ? -1 : 1;
    else if (i->opcode == 0x8D && i->base == i->reg && i->index == BASE_NONE) {
        c->reg = i->reg;
        c->step = i->displacement;
        return c->step != 0;
    } else return 0;
    if (i->memory && ((i->base != STACK && i->base != FRAME) || i->index != BASE_NONE || i->fs))
        return 0;
    return c->step != 0;
}

/* The instruction before, where there is but one way to come. */
static uint32_t only_before(const prove_code *c, uint32_t node, prove_insn *i) {
    uint32_t before;
    if (c->back.first[node + 1] - c->back.first[node] != 1) return PROVE_NONE;
    before = c->back.to[c->back.first[node]];
    if (c->nodes[before].kind != CODE_PLAIN || !prove_instruction_of(c, before, i)) return PROVE_NONE;
    return before;
}

/* mov word,r; add $n,r; mov r,word, as clang -O0 writes it: the last of them is
   the step. */
static int is_stored_step(const prove_code *c, uint32_t node, const prove_insn *store,
                          counter *x) {
    prove_insn add, load;
    counter word;
    uint32_t before;
    if (store->map != 0 || !store->is_legacy || store->opcode != 0x89 || !store->memory) return 0;
    if ((store->base != STACK && store->base != FRAME) || store->index != BASE_NONE || store->fs)
        return 0;
    memset(&word, 0, sizeof word);
    word.reg = -1;
    word.base = store->base;
    word.displacement = store->displacement;
    word.bytes = store->bytes;
    before = only_before(c, node, &add);
    if (before == PROVE_NONE || !is_step(&add, x) || x->reg != store->reg) return 0;
    if (x->bytes != word.bytes || add.opcode == 0x8D) return 0;
    word.step = x->step;
    if (only_before(c, before, &load) == PROVE_NONE || load.map != 0 || !load.is_legacy) return 0;
    if (load.opcode != 0x8B || load.reg != store->reg || load.bytes != word.bytes) return 0;
    *x = word;
    return is_word(&load, x);
}

static int is_counter(const prove_insn *i, const counter *c) {
    return c->reg >= 0 ? !i->memory && i->rm == c->reg : is_word(i, c);
}

/* A number that an instruction puts into the counter. */
static int is_start(const prove_insn *i, const counter *c, int64_t *value) {
    if (i->map != 0 || !i->is_legacy || i->bytes < 4) return 0;
    if (i->opcode == 0xC7 && is_counter(i, c) && i->bytes == c->bytes) {
        *value = i->immediate;
        return 1;
    }
    if (c->reg >= 0 && (i->opcode & 0xF8) == 0xB8 && i->rm == c->reg) {
        *value = i->immediate;
        return 1;
    }
    if (c->reg >= 0 && (i->opcode == 0x31 || i->opcode == 0x33) && !i->memory &&
        i->rm == c->reg && i->reg == c->reg) {
        *value = 0;
        return 1;
    }
    return 0;
}

/* ---- who else writes the counter ---- */

static int overlaps(const prove_insn *i, const counter *c) {
    return i->memory && i->base == c->base && i->displacement > c->displacement - 64 &&
           i->displacement < c->displacement + (int64_t)c->bytes;
}

/* A store to a variable of the program by its name meets no word of the frame. */
static int is_global(const prove_insn *i) {
    return i->memory && i->base == BASE_RIP && i->index == BASE_NONE;
}

/* Is an address of the frame taken that lies at or below the word? */
static int is_exposed(const prove_code *c, uint32_t node, const counter *x) {
    const prove_symbol *s = prove_symbol_at(c->im, c->nodes[node].address);
    uint64_t at;
    if (!s) return 1;
    for (at = s->address; at < s->end; at++) {
        uint32_t n = c->node_of[at - c->im->text_lo];
        prove_insn i;
        if (!n || !prove_instruction_of(c, n - 1, &i) || i.map != 0) continue;
        if (i.opcode == 0x8D && (i.base == STACK || i.base == FRAME)) {
            if (i.reg == STACK || i.reg == FRAME) continue;
            if (i.base != x->base || i.index >= 0 || i.displacement <= x->displacement) return 1;
        }
        if ((i.opcode == 0x89 || i.opcode == 0x8B) && i.rm >= 0 && i.bytes == 8) {
            int from = i.opcode == 0x89 ? i.reg : i.rm, to = i.opcode == 0x89 ? i.rm : i.reg;
            if ((from == STACK || from == FRAME) && to != STACK && to != FRAME) return 1;
        }
        if (i.memory && i.base == x->base && i.index >= 0 && i.writes_memory &&
            i.displacement <= x->displacement)
            return 1;
    }
    return 0;
}

static int is_call(const prove_node *n) { return n->kind >= CODE_CALL && n->kind <= CODE_CALL_ANY; }

/* Nothing in the loop but the step writes the counter. */
static int is_alone(const counting *s, uint32_t step, const counter *x) {
    const prove_code *c = s->l->code;
    uint32_t k;
    int far = 0;
    for (k = 0; k < s->count; k++) {
        const prove_node *n = &c->nodes[s->nodes[k]];
        prove_insn i;
        if (s->nodes[k] == step) continue;
        if (!prove_instruction_of(c, s->nodes[k], &i)) return 0;
        if (x->reg >= 0) {
            if (i.writes >> x->reg & 1) return 0;
            continue;
        }
        if (is_call(n)) far = 1;
        else if (i.writes >> x->base & 1) return 0;
        if (!i.writes_memory || i.fs || is_global(&i)) continue;
        if (i.index == BASE_NONE && overlaps(&i, x)) {
            unsigned bytes = i.map == 0 && i.bytes > 4 ? 8 : 64;
            if (i.map == 0 && i.bytes <= 4) bytes = 4;
            if (i.displacement + (int64_t)bytes > x->displacement) return 0;
        }
        if (i.base != x->base || i.index != BASE_NONE) far = 1;
    }
    return x->reg >= 0 || !far || !is_exposed(c, step, x);
}

/* ---- the test ---- */

static int holds(unsigned condition, uint64_t value, uint64_t limit, unsigned bytes) {
    uint64_t mask = bytes == 8 ? UINT64_MAX : 0xFFFFFFFFu, sign = (mask >> 1) + 1;
    uint64_t a = value & mask, b = limit & mask, sa = a ^ sign, sb = b ^ sign;
    int result = 0;
    switch (condition & 14) {
    case 2: result = a < b; break;
    case 4: result = a == b; break;
    case 6: result = a <= b; break;
    case 8: result = ((a - b) & sign) != 0; break;
    case 12: result = sa < sb; break;
    case 14: result = sa <= sb; break;
    default: return -1;
    }
    return condition & 1 ? !result : result;
}

/* The branch leaves the loop by what the counter is. Returns 0: it does not. */
static int is_test(const counting *s, uint32_t branch, uint32_t step, const counter *x,
                   unsigned *condition, int64_t *limit) {
    const prove_code *c = s->l->code;
    const prove_node *n = &c->nodes[branch];
    uint32_t before;
    prove_insn i;
    int to_in, next_in;
    if (n->kind != CODE_BRANCH || n->to == PROVE_NONE || n->next == PROVE_NONE) return 0;
    to_in = place_of(s, n->to) != GRAPH_NONE;
    next_in = place_of(s, n->next) != GRAPH_NONE;
    if (to_in == next_in || !prove_instruction_of(c, branch, &i)) return 0;
    if (!(i.map == 0 && i.opcode >= 0x70 && i.opcode <= 0x7F) &&
        !(i.map == 1 && i.opcode >= 0x80 && i.opcode <= 0x8F))
        return 0;
    *condition = (i.opcode & 15) ^ (to_in ? 0u : 1u);           /* to stay */
    for (before = branch;;) {
        if (c->back.first[before + 1] - c->back.first[before] != 1) return 0;
        before = c->back.to[c->back.first[before]];
        if (c->nodes[before].kind != CODE_PLAIN && c->nodes[before].kind != CODE_JUMP) return 0;
        if (!prove_instruction_of(c, before, &i)) return 0;
        if (i.sets_flags) break;
        if (before == step || (x->reg >= 0 && i.writes >> x->reg & 1)) return 0;
        if (x->reg < 0 && i.writes_memory) return 0;
    }
    *limit = 0;
    if (before == step) return (*condition & 14) == 4 || (*condition & 14) == 8;
    if (i.map != 0 || !i.is_legacy || i.bytes != x->bytes) return 0;
    if ((i.opcode == 0x83 || i.opcode == 0x81) && i.digit == 7 && is_counter(&i, x)) {
        *limit = i.immediate;
        return 1;
    }
    if (i.opcode == 0x3D && x->reg == 0) {
        *limit = i.immediate;
        return 1;
    }
    return i.opcode == 0x85 && !i.memory && i.rm == x->reg && i.reg == x->reg;
}

/* ---- the start ---- */

static uint32_t rounds_from(int64_t start, const counter *x, unsigned condition, int64_t limit) {
    uint32_t k;
    uint64_t value = (uint64_t)start;
    for (k = 1; k <= MOST_ROUNDS; k++) {
        int stays;
        value += (uint64_t)x->step;
        stays = holds(condition, value, (uint64_t)limit, x->bytes);
        if (stays < 0) return 0;
        if (!stays) return k;
    }
    return 0;
}

/* The most rounds from any start; 0 if one of them is not a number. */
static uint32_t rounds_of(const counting *s, const counter *x, unsigned condition,
                          int64_t limit) {
    const prove_code *c = s->l->code;
    uint32_t stack[FARTHEST], seen[FARTHEST], most = 0, k;
    size_t height = 0, count = 0, e, n;
    for (k = 0; k < s->count; k++) {
        for (e = c->back.first[s->nodes[k]]; e < c->back.first[s->nodes[k] + 1]; e++) {
            uint32_t from = c->back.to[e];
            if (place_of(s, from) != GRAPH_NONE) continue;
            for (n = 0; n < count && seen[n] != from; n++) {
            }
            if (n < count) continue;
            if (count == FARTHEST) return 0;
            seen[count++] = stack[height++] = from;
        }
        if (c->back.first[s->nodes[k]] == c->back.first[s->nodes[k] + 1]) return 0;
    }
    while (height) {
        uint32_t here = stack[--height];
        const prove_symbol *symbol = prove_symbol_at(c->im, c->nodes[here].address);
        prove_insn i;
        int64_t start;
        if (!prove_instruction_of(c, here, &i)) return 0;
        if (is_start(&i, x, &start)) {
            uint32_t rounds = rounds_from(start, x, condition, limit);
            if (!rounds) return 0;
            if (rounds > most) most = rounds;
            continue;
        }
        if (x->reg >= 0 ? i.writes >> x->reg & 1
                        : !is_call(&c->nodes[here]) && (i.writes >> x->base & 1))
            return 0;
        if (x->reg < 0 && i.writes_memory && !is_global(&i) &&
            (i.base != x->base || i.index != BASE_NONE || overlaps(&i, x)))
            return 0;
        if (x->reg < 0 && is_call(&c->nodes[here]) && is_exposed(c, here, x)) return 0;
        if (place_of(s, here) != GRAPH_NONE) return 0;
        if (c->back.first[here] == c->back.first[here + 1] ||
            (symbol && symbol->address == c->nodes[here].address))
            return 0;
        for (e = c->back.first[here]; e < c->back.first[here + 1]; e++) {
            uint32_t from = c->back.to[e];
            for (n = 0; n < count && seen[n] != from; n++) {
            }
            if (n < count) continue;
            if (count == FARTHEST) return 0;
            seen[count++] = stack[height++] = from;
        }
    }
    return most;
}

/* ---- loops in loops ---- */

static uint32_t count_part(const prove_loop *l, const uint32_t *nodes, uint32_t count,
                           unsigned depth);

/* Without one node: is no cycle left but counted ones, which pass neither step
   nor test? Returns how many rounds they take at most, or 0. */
static uint32_t rest_of(const counting *s, uint32_t without, uint32_t step, uint32_t test,
                        unsigned depth) {
    uint8_t *gone = (uint8_t *)tool_alloc((size_t)s->count + 1);
    uint32_t *part = (uint32_t *)tool_alloc(((size_t)s->count + 1) * sizeof *part);
    uint32_t *nodes = (uint32_t *)tool_alloc(((size_t)s->count + 1) * sizeof *nodes);
    uint32_t found, k, p, result = 1;
    memset(gone, 0, (size_t)s->count + 1);
    gone[place_of(s, without)] = 1;
    found = links_components(&s->links, gone, part);
    for (p = 0; p < found && result; p++) {
        uint32_t size = 0, rounds, loops = 0;
        int holds_it = 0;
        for (k = 0; k < s->count; k++) {
            size_t e;
            if (part[k] != p) continue;
            nodes[size++] = s->nodes[k];
            holds_it |= s->nodes[k] == step || s->nodes[k] == test;
            for (e = s->links.first[k]; e < s->links.first[k + 1]; e++)
                loops += s->links.to[e] == k;
        }
        if (size < 2 && !loops) continue;
        rounds = holds_it || depth >= DEEPEST ? 0 : count_part(s->l, nodes, size, depth + 1);
        if (!rounds) result = 0;
        else if (rounds > result) result = rounds;
    }
    free(nodes);
    free(part);
    free(gone);
    return result;
}

static void build(counting *s) {
    uint32_t *pairs = NULL, k;
    size_t count = 0, room = 0, e;
    for (k = 0; k < s->count; k++) {
        const graph_links *all = s->l->links;
        for (e = all->first[s->nodes[k]]; e < all->first[s->nodes[k] + 1]; e++) {
            uint32_t to = place_of(s, all->to[e]);
            if (to == GRAPH_NONE) continue;
            TOOL_ROOM(uint32_t, pairs, 2 * count + 1, room);
            pairs[2 * count] = k;
            pairs[2 * count++ + 1] = to;
        }
    }
    links_build(&s->links, s->count, pairs, count);
    free(pairs);
}

/* nodes: sorted, one component. */
static uint32_t count_part(const prove_loop *l, const uint32_t *nodes, uint32_t count,
                           unsigned depth) {
    counting s;
    uint32_t k, t, result = 0;
    memset(&s, 0, sizeof s);
    s.l = l;
    s.nodes = nodes;
    s.count = count;
    build(&s);
    for (k = 0; k < count && !result; k++) {
        prove_insn i;
        counter x;
        if (!prove_instruction_of(l->code, nodes[k], &i)) continue;
        if (!is_step(&i, &x) && !is_stored_step(l->code, nodes[k], &i, &x)) continue;
        if (!is_alone(&s, nodes[k], &x)) continue;
        for (t = 0; t < count && !result; t++) {
            unsigned condition;
            int64_t limit;
            uint32_t rounds, rest;
            if (!is_test(&s, nodes[t], nodes[k], &x, &condition, &limit)) continue;
            rounds = rounds_of(&s, &x, condition, limit);
            if (!rounds) continue;
            rest = rest_of(&s, nodes[k], nodes[k], nodes[t], depth);
            if (!rest || !rest_of(&s, nodes[t], nodes[k], nodes[t], depth)) continue;
            result = rounds * rest;
        }
    }
    links_free(&s.links);
    return result;
}

uint32_t prove_counted(const prove_loop *l) {
    if (l->count > 20000) return 0;
    return count_part(l, l->nodes, (uint32_t)l->count, 0);
}
