/* jumps.c - where indirect jumps lead.

       movslq (B,i,4),R; add B,R; jmp *R      a table of distances from its own start, B
       jmp *T(,i,8)                           a table of addresses
       mov 8(%rdi),%rax; jmp *%rax            a pointer: whatever is taken

   What a register holds is found by going back over all paths to its last
   writes, which must all be understood. A table ends before the next address
   that the code names, or at the first entry that leads out of the function and
   its part (.cold): so it may be read too long, and never too short. A pointer
   may lead to each label of this function whose address is taken. It may also be a
   tail call of each function whose address is taken. A jump that is none of these is
   named. */
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 6, STACK = 4, MOST_WRITES = 64 };

typedef struct jumps {
    prove_code *c;
    prove_list named;                           /* data that the code names */
    uint32_t *mark, *stack, epoch;
    uint32_t from;                              /* the jump in hand */
    int is_tail;                                /* what the caller keeps is back in its registers */
    const char *function;                       /* its function's name, without .cold */
    size_t function_size;
    prove_symbol parts[8];
    size_t part_count;
} jumps;

/* ---- back in the code ---- */

typedef struct writes {
    uint32_t node[MOST_WRITES];
    size_t count;
    int is_lost;                                /* a path came to where a function is entered */
    int is_wild;                                /* too many of them */
} writes;

/* The last writes to a register before a node, on all paths. */
static void find_writes(jumps *j, uint32_t before, int reg, writes *w) {
    const graph_links *back = &j->c->back;
    size_t height = 0, k;
    memset(w, 0, sizeof *w);
    j->epoch++;
    j->stack[height++] = before;
    while (height) {
        uint32_t here = j->stack[--height];
        if (back->first[here] == back->first[here + 1] || j->c->nodes[here].is_entered)
            w->is_lost = 1;
        for (k = back->first[here]; k < back->first[here + 1]; k++) {
            uint32_t from = back->to[k];
            prove_insn i;
            if (j->mark[from] == j->epoch) continue;
            j->mark[from] = j->epoch;
            if (!prove_instruction_of(j->c, from, &i)) continue;
            if (!(i.writes >> reg & 1)) j->stack[height++] = from;
            else if (w->count == MOST_WRITES) w->is_wild = 1;
            else w->node[w->count++] = from;
        }
    }
}

/* ---- tables ---- */

static size_t plain_size(const char *name) {
    const char *cold = strstr(name, ".cold");
    return cold ? (size_t)(cold - name) : strlen(name);
}

static void find_parts(jumps *j, uint64_t address) {
    const prove_image *im = j->c->im;
    const prove_symbol *s = prove_symbol_at(im, address);
    size_t i;
    const char *name = s ? s->name : "";
    if (s && j->function && j->function_size == plain_size(name) &&
        strncmp(j->function, name, j->function_size) == 0 && j->part_count &&
        address >= j->parts[0].address && address < j->parts[0].end)
        return;
    j->part_count = 0;
    if (!s) return;
    j->function = name;
    j->function_size = plain_size(name);
    j->parts[j->part_count++] = *s;
    for (i = 0; i < im->symbol_count; i++) {
        const prove_symbol *o = &im->symbols[i];
        if (strncmp(o->name, name, j->function_size) != 0 || o->address == s->address) continue;
        if (plain_size(o->name) != j->function_size) continue;
        if (o->is_sized && j->part_count < sizeof j->parts / sizeof *j->parts)
            j->parts[j->part_count++] = *o;
    }
}

static int is_inside(const jumps *j, uint64_t address) {
    size_t i;
    for (i = 0; i < j->part_count; i++) {
        if (address >= j->parts[i].address && address < j->parts[i].end) return 1;
    }
    return 0;
}

static uint64_t next_named(const jumps *j, uint64_t address) {
    size_t low = 0, high = j->named.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->named.list[middle] <= address) low = middle + 1;
        else high = middle;
    }
    return low < j->named.count ? j->named.list[low] : UINT64_MAX;
}

static void lead_to(jumps *j, uint64_t address) {
    prove_add_edge(j->c, j->from, prove_node_at(j->c, address));
}

/* Entries of so many bytes; distances from `base`, or addresses (base 0).
   Returns how many. */
static size_t read_table(jumps *j, uint64_t table, uint64_t base, unsigned bytes) {
    uint64_t end = next_named(j, table);
    size_t entries = 0;
    while (table + (entries + 1) * bytes <= end && entries < 65536) {
        const unsigned char *p = prove_at(j->c->im, table + entries * bytes, bytes);
        uint64_t value, sign = (uint64_t)1 << (8 * bytes - 1);
        if (!p) break;
        value = bytes == 8 ? prove_constant(j->c->im, table + entries * 8) : dwarf_number(p, bytes);
        if (bytes < 8) value = (value ^ sign) - sign;
        value += base;
        if (!is_inside(j, value)) break;
        lead_to(j, value);
        entries++;
    }
    return entries;
}

/* Distances between labels: from each such label, all data that the function
   names. */
static void read_distances(jumps *j, uint64_t label) {
    size_t i;
    for (i = 0; i < j->c->name_count; i++) {
        const prove_name *n = &j->c->names[i];
        if (!is_inside(j, j->c->nodes[n->node].address) || is_inside(j, n->address)) continue;
        (void)read_table(j, n->address, label, 4);
        (void)read_table(j, n->address, label, 2);
        (void)read_table(j, n->address, label, 1);
    }
}

/* ---- one jump ---- */

static void by_pointer(jumps *j) {
    size_t i;
    prove_node *n = &j->c->nodes[j->from];
    n->is_anywhere = 1;
    if (j->is_tail) return;
    for (i = 0; i < j->c->labels.count; i++) {
        if (is_inside(j, j->c->labels.list[i])) lead_to(j, j->c->labels.list[i]);
    }
}

static void unread(jumps *j) {
    by_pointer(j);
    j->c->nodes[j->from].is_unread = 1;
}

/* Does a register hold addresses alone that the code names there? They are put
   into list. */
static int holds_names(jumps *j, uint32_t before, int reg, uint64_t *list, size_t *count,
                       int depth) {
    writes w;
    size_t k;
    if (reg < 0 || depth > DEEPEST) return 0;
    find_writes(j, before, reg, &w);
    if (w.is_lost || w.is_wild || !w.count) return 0;
    for (k = 0; k < w.count; k++) {
        prove_insn i;
        uint64_t value;
        (void)prove_instruction_of(j->c, w.node[k], &i);
        if (i.map == 0 && i.opcode == 0x8D && i.base == BASE_RIP && i.bytes == 8)
            value = j->c->nodes[w.node[k]].address + i.length + (uint64_t)i.displacement;
        else if (i.map == 0 && (i.opcode & 0xF8) == 0xB8 && i.bytes >= 4)
            value = (uint64_t)i.immediate;
        else if (i.map == 0 && i.opcode == 0xC7 && !i.memory && i.bytes == 8)
            value = (uint64_t)i.immediate;
        else if (i.map == 0 && (i.opcode == 0x89 || i.opcode == 0x8B) && i.rm >= 0 &&
                 i.bytes == 8) {
            if (!holds_names(j, w.node[k], i.opcode == 0x89 ? i.reg : i.rm, list, count, depth + 1))
                return 0;
            continue;
        } else return 0;
        if (*count == MOST_WRITES) return 0;
        list[(*count)++] = value;
    }
    return 1;
}

/* The jump goes to the sum of two registers. */
static void by_sum(jumps *j, uint32_t before, int a, int b) {
    uint64_t list[MOST_WRITES];
    size_t count = 0, k;
    if (!holds_names(j, before, a, list, &count, 0)) {
        count = 0;
        if (!holds_names(j, before, b, list, &count, 0)) {
            unread(j);
            return;
        }
    }
    for (k = 0; k < count; k++) {
        if (is_inside(j, list[k])) read_distances(j, list[k]);
        else if (!read_table(j, list[k], list[k], 4)) unread(j);
    }
}

static void by_memory(jumps *j, uint32_t before, const prove_insn *i) {
    uint64_t list[MOST_WRITES];
    size_t count = 0, k, found = 0;
    if (i->index >= 0 && i->scale == 8 && !i->fs) {
        if (i->base == BASE_NONE && j->c->im->is_fixed)
            found = read_table(j, (uint64_t)i->displacement, 0, 8);
        else if (holds_names(j, before, i->base, list, &count, 0)) {
            for (k = 0; k < count; k++) {
                size_t entries = read_table(j, list[k] + (uint64_t)i->displacement, 0, 8);
                found = entries && (found || k == 0) ? found + entries : 0;
            }
        }
    }
    if (!found) by_pointer(j);
}

/* The jump goes to what a register holds before a node. */
static void by_register(jumps *j, uint32_t before, int reg, int depth) {
    writes w;
    size_t k;
    if (depth > DEEPEST) {
        unread(j);
        return;
    }
    find_writes(j, before, reg, &w);
    if (w.is_lost) by_pointer(j);
    if (w.is_wild) unread(j);
    for (k = 0; k < w.count; k++) {
        uint32_t at = w.node[k];
        prove_insn i;
        (void)prove_instruction_of(j->c, at, &i);
        if (i.kind == INSN_CALL || i.kind == INSN_CALL_ANY) by_pointer(j);
        else if (!i.is_legacy || i.map > 1) unread(j);
        else if (i.map == 1) {
            if (i.opcode >= 0x40 && i.opcode <= 0x4F && i.bytes == 8) {
                by_register(j, at, reg, depth + 1);
                if (i.rm >= 0) by_register(j, at, i.rm, depth + 1);
                else by_pointer(j);
            } else if (i.opcode == 0x7E) by_pointer(j);         /* out of a vector register */
            else unread(j);
        } else if (i.opcode == 0x01 && i.bytes == 8 && i.rm == reg) by_sum(j, at, i.reg, reg);
        else if (i.opcode == 0x03 && i.bytes == 8 && i.rm >= 0) by_sum(j, at, i.rm, reg);
        else if (i.opcode == 0x8D && i.base >= 0 && i.index >= 0 && i.scale == 1 &&
                 i.displacement == 0 && i.bytes == 8)
            by_sum(j, at, i.base, i.index);
        else if (i.opcode == 0x8D && i.base == BASE_RIP && i.bytes == 8)
            lead_to(j, j->c->nodes[at].address + i.length + (uint64_t)i.displacement);
        else if ((i.opcode & 0xF8) == 0xB8 && i.bytes >= 4) lead_to(j, (uint64_t)i.immediate);
        else if (i.opcode == 0xC7 && !i.memory) lead_to(j, (uint64_t)i.immediate);
        else if (i.opcode == 0x8B && i.memory && i.bytes == 8) by_memory(j, at, &i);
        else if ((i.opcode == 0x89 || i.opcode == 0x8B) && i.rm >= 0 && i.bytes == 8)
            by_register(j, at, i.opcode == 0x89 ? i.reg : i.rm, depth + 1);
        else if ((i.opcode & 0xF8) == 0x58) by_pointer(j);      /* pop */
        else unread(j);
    }
}

/* Has the function just given back the registers of its caller? Then this is a
   call by a tail. */
static int is_tail(jumps *j, uint32_t node) {
    const graph_links *back = &j->c->back;
    unsigned round;
    for (round = 0; round < 10; round++) {
        prove_insn i;
        if (back->first[node + 1] - back->first[node] != 1) return 0;
        node = back->to[back->first[node]];
        if (j->c->nodes[node].kind != CODE_PLAIN) return 0;
        if (!prove_instruction_of(j->c, node, &i) || i.map != 0) continue;
        if (i.opcode == 0xC9) return 1;          /* leave */
        if ((i.opcode & 0xF8) == 0x58 && (i.rm == 3 || i.rm == 5 || i.rm >= 12)) return 1;
    }
    return 0;
}

/* Is the stack another one behind the instructions that stand before a jump? As
   in longjmp. */
static int leaves_stack(jumps *j, uint32_t node) {
    const graph_links *back = &j->c->back;
    unsigned round;
    for (round = 0; round < 8; round++) {
        prove_insn i;
        if (back->first[node + 1] - back->first[node] != 1) return 0;
        node = back->to[back->first[node]];
        if (!prove_instruction_of(j->c, node, &i)) return 0;
        if (i.map == 0 && i.opcode == 0x8B && i.memory && i.reg == STACK) return 1;
    }
    return 0;
}

static void one_jump(jumps *j, uint32_t node) {
    prove_insn i;
    size_t k;
    if (!prove_instruction_of(j->c, node, &i)) return;
    j->from = node;
    find_parts(j, j->c->nodes[node].address);
    j->is_tail = is_tail(j, node);
    if (leaves_stack(j, node)) {
        j->c->nodes[node].is_unread = 1;
        for (k = 0; k < j->c->labels.count; k++) lead_to(j, j->c->labels.list[k]);
    }
    if (i.memory) by_memory(j, node, &i);
    else by_register(j, node, i.rm, 0);
}

/* A return to what has just been pushed is a jump. */
static void one_return(jumps *j, uint32_t node) {
    const graph_links *back = &j->c->back;
    size_t k;
    for (k = back->first[node]; k < back->first[node + 1]; k++) {
        prove_insn i;
        if (!prove_instruction_of(j->c, back->to[k], &i) || i.map != 0) continue;
        if ((i.opcode & 0xF8) != 0x50 && i.opcode != 0x68 &&
            !(i.writes_memory && i.base == STACK && i.index < 0 && i.displacement == 0 &&
              i.opcode != 0x8F))
            continue;
        j->from = node;
        j->is_tail = 0;
        find_parts(j, j->c->nodes[node].address);
        unread(j);
        return;
    }
}

void prove_jumps(prove_code *c) {
    jumps j;
    size_t i, count = c->count;
    uint32_t n;
    memset(&j, 0, sizeof j);
    j.c = c;
    prove_look_back(c);
    c->extra_count = 0;
    prove_list_sort(&c->labels);
    for (i = 0; i < c->name_count; i++) {
        if (c->names[i].address < c->im->text_lo || c->names[i].address >= c->im->text_hi)
            prove_list_add(&j.named, c->names[i].address);
    }
    for (i = 0; i < c->known->count; i++) prove_list_add(&j.named, c->known->list[i]);
    prove_list_sort(&j.named);
    j.mark = (uint32_t *)tool_alloc((count + 1) * sizeof *j.mark);
    j.stack = (uint32_t *)tool_alloc((count + 1) * sizeof *j.stack);
    memset(j.mark, 0, (count + 1) * sizeof *j.mark);
    for (n = 0; n < count; n++) {
        if (c->nodes[n].kind != CODE_JUMP_ANY && c->nodes[n].kind != CODE_RETURN) continue;
        c->nodes[n].is_anywhere = c->nodes[n].is_unread = 0;
        if (c->nodes[n].kind == CODE_JUMP_ANY) one_jump(&j, n);
        else one_return(&j, n);
    }
    free(j.mark);
    free(j.stack);
    free(j.named.list);
}
