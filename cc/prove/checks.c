/* checks.c - which branches are checks.

       decl %fs:word; js slow          slow: ... call bursty_hit, or bursty_thunk

   One side of the branch leads straight to the slow path, and on every way to
   the branch the thread's word has just been written. Where a check has two
   copies of a function to choose from, the slow path is called by
   bursty_cold_f. Compilers write the rest as they like: the word may be loaded,
   lowered and stored, or named by a register. */
#include "cc/prove/prove.h"
#include <string.h>

enum { FARTHEST = 24, WIDEST = 64 };

static int is_slow_path(const prove_code *c, uint64_t address) {
    const prove_symbol *s = prove_symbol_at(c->im, address);
    return s && s->address == address &&
           (strcmp(s->name, "bursty_hit") == 0 || strcmp(s->name, "bursty_thunk") == 0);
}

static int is_slow_call(const prove_code *c, uint32_t node) {
    const prove_node *n = &c->nodes[node];
    prove_insn i;
    if ((n->kind != CODE_CALL_OUT && n->kind != CODE_JUMP_OUT) || n->import != PROVE_NONE) return 0;
    if (!prove_instruction_of(c, node, &i) || (i.kind != INSN_CALL && i.kind != INSN_JUMP))
        return 0;
    return is_slow_path(c, n->address + i.length + (uint64_t)i.immediate);
}

/* Does a call of the slow path follow before anything is decided? */
static int leads_to_slow_path(const prove_code *c, uint32_t node, unsigned depth) {
    unsigned steps;
    for (steps = 0; steps < FARTHEST && node != PROVE_NONE; steps++) {
        const prove_node *n = &c->nodes[node];
        switch (n->kind) {
        case CODE_PLAIN: node = n->next; break;
        case CODE_JUMP: node = n->to; break;
        case CODE_CALL: return depth < 2 && leads_to_slow_path(c, n->to, depth + 1);
        case CODE_CALL_OUT:
        case CODE_JUMP_OUT:
            return is_slow_call(c, node);
        default: return 0;
        }
    }
    return 0;
}

/* A store of 4 bytes to the thread's word, as far as its operand tells. */
static int writes_word(const prove_code *c, const prove_insn *i) {
    if (i->map != 0 || !i->memory || !i->writes_memory || i->bytes != 4 || i->narrow) return 0;
    if (i->opcode != 0x89 && i->opcode != 0x83 && i->opcode != 0x81 && i->opcode != 0xFF &&
        i->opcode != 0x01 && i->opcode != 0x29)
        return 0;
    if (i->fs && i->base == BASE_NONE && i->index < 0)
        return (uint32_t)i->displacement == (uint32_t)c->im->word;
    return i->base >= 0 && i->index < 0 && i->base != 4 && i->base != 5;
}

/* In a shared object a call may tell where the thread's word is. */
static int finds_word(const prove_code *c, const prove_node *n) {
    return n->kind == CODE_CALL_OUT && n->import < c->im->import_count &&
           strcmp(c->im->imports[n->import].name, "__tls_get_addr") == 0;
}

/* sub $1,%eax; jns back to it: a compiler keeps the word in a register while
   nothing else happens. This ends by itself, and the slow path follows. */
static int is_lowered_in_place(const prove_code *c, uint32_t branch) {
    uint32_t to = c->nodes[branch].to;
    prove_insn i;
    if (c->nodes[to].next != branch || !prove_instruction_of(c, branch, &i)) return 0;
    if ((i.opcode & 15) != 9 || !prove_instruction_of(c, to, &i)) return 0;
    return i.map == 0 && i.opcode == 0x83 && i.digit == 5 && i.immediate == 1 && !i.memory &&
           i.bytes == 4;
}

static int is_lowered(const prove_code *c, uint32_t branch) {
    uint32_t seen[WIDEST], stack[WIDEST];
    size_t count = 0, height = 0, k, found = 0;
    stack[height++] = branch;
    seen[count++] = branch;
    while (height) {
        uint32_t here = stack[--height];
        const graph_links *back = &c->back;
        if (back->first[here] == back->first[here + 1]) return 0;
        for (k = back->first[here]; k < back->first[here + 1]; k++) {
            uint32_t from = back->to[k];
            prove_insn i;
            size_t n = 0;
            if (!prove_instruction_of(c, from, &i)) return 0;
            if (writes_word(c, &i)) {
                found++;
                continue;
            }
            if (c->nodes[from].kind != CODE_PLAIN && c->nodes[from].kind != CODE_JUMP &&
                !finds_word(c, &c->nodes[from]))
                return 0;
            while (n < count && seen[n] != from) n++;
            if (n < count) continue;
            if (count == WIDEST) return 0;
            seen[count++] = from;
            stack[height++] = from;
        }
    }
    return found > 0;
}

void prove_find_checks(prove_code *c) {
    uint32_t n;
    for (n = 0; n < c->count; n++) {
        prove_node *node = &c->nodes[n];
        if (is_slow_call(c, n)) node->is_check = 1;     /* a compiler knew that it is taken */
        if (node->kind != CODE_BRANCH || node->to == PROVE_NONE || node->next == PROVE_NONE)
            continue;
        if (!leads_to_slow_path(c, node->to, 0) && !leads_to_slow_path(c, node->next, 0)) continue;
        node->is_check = (uint8_t)(is_lowered(c, n) || is_lowered_in_place(c, n));
    }
}
