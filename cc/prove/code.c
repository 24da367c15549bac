/* code.c - the instructions that can be reached, each a node.

   Decoding begins at the entry, at exported functions, and at each address that
   data or code takes. It follows jumps, calls and what follows them. An
   address is one node, however it is come to, so two readings of the same bytes
   are two nodes. What cannot be decoded is a node, too. */
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static int in_text(const prove_image *im, uint64_t address) {
    return address >= im->text_lo && address < im->text_hi;
}

/* Where a stub of the PLT leads: fills kind of a call. Returns 0: there is
   none. */
static const prove_slot *stub_at(const prove_image *im, uint64_t address) {
    prove_insn i;
    unsigned round;
    for (round = 0; round < 2; round++) {
        const unsigned char *p = prove_at(im, address, 15);
        if (!p || !prove_instruction(p, 15, &i)) return NULL;
        if (i.kind == INSN_JUMP_ANY && i.base == BASE_RIP)
            return prove_slot_at(im, address + i.length + (uint64_t)i.displacement);
        if (i.map != 1 || i.opcode != 0x1E) return NULL; /* endbr64 */
        address += i.length;
    }
    return NULL;
}

/* The linker and the C library call these alone, whatever number looks like
   their address. */
static int is_startup(const char *name) {
    return strcmp(name, "_init") == 0 || strcmp(name, "_fini") == 0 || strcmp(name, "_start") == 0;
}

/* An address that code or data takes: a function, or a label inside of one. */
static void take(prove_code *c, uint64_t address) {
    const prove_symbol *s;
    const prove_slot *slot;
    if (!in_text(c->im, address)) return;
    slot = stub_at(c->im, address);
    if (slot) {                                 /* the address of a function that is elsewhere */
        if (slot->value) take(c, slot->value);
        else if (slot->import < c->im->import_count && !c->im->imports[slot->import].is_silent)
            c->im->outside_taken = 1;
        return;
    }
    s = prove_symbol_at(c->im, address);
    if (s && (s->is_runtime || is_startup(s->name))) return;
    if (s && s->is_sized && s->address != address) prove_list_add(&c->labels, address);
    else prove_list_add(&c->im->taken, address);
    (void)prove_node_at(c, address);
}

static void name(prove_code *c, uint32_t node, uint64_t address) {
    TOOL_ROOM(prove_name, c->names, c->name_count, c->name_room);
    c->names[c->name_count].address = address;
    c->names[c->name_count++].node = node;
}

/* main is called by the C library alone, though its address is taken at the
   start. */
static void take_name(prove_code *c, uint64_t here, uint64_t to) {
    const prove_symbol *s = prove_symbol_at(c->im, here);
    if (!s || strcmp(s->name, "_start") != 0 || !in_text(c->im, to)) {
        take(c, to);
        return;
    }
    prove_list_add(&c->im->roots, to);
    (void)prove_node_at(c, to);
}

/* What the operands of an instruction name. */
static void take_operands(prove_code *c, uint32_t node, const prove_insn *i) {
    uint64_t here = c->nodes[node].address, to;
    if (i->memory && i->base == BASE_RIP) {
        to = here + i->length + (uint64_t)i->displacement;
        if (i->map == 0 && i->opcode == 0x8D) {
            name(c, node, to);
            take_name(c, here, to);
        } else if (i->kind == INSN_PLAIN) {
            const prove_slot *slot = prove_slot_at(c->im, to);
            const char *word = slot && slot->import < c->im->import_count
                                   ? c->im->imports[slot->import].name : NULL;
            if (slot && slot->value) take(c, slot->value);
            if (word && *word && strncmp(word, "_ITM_", 5) != 0 &&
                strcmp(word, "__gmon_start__") != 0 && strcmp(word, "__cxa_finalize") != 0 &&
                !c->im->imports[slot->import].is_silent)
                c->im->outside_taken = 1;
        }
    }
    if (i->memory && i->base == BASE_NONE && i->displacement_size == 4 && !i->fs)
        name(c, node, (uint64_t)i->displacement);
    if (c->im->is_fixed && i->immediate_size >= 4 && i->kind == INSN_PLAIN) {
        to = (uint64_t)i->immediate;
        name(c, node, to);
        take_name(c, here, to);
    } else if (i->immediate_size == 8 && in_text(c->im, (uint64_t)i->immediate))
        take(c, (uint64_t)i->immediate);
}

/* The thunks of checks and scopes keep all registers. */
static int is_thunk(const char *name) {
    size_t size = strlen(name);
    return strncmp(name, "bursty_", 7) == 0 && size >= 12 && strcmp(name + size - 5, "thunk") == 0;
}

/* What a check or an event calls calls nothing of the program. */
static int is_event(const char *name) {
    static const char *const names[] = {"bursty_hit", "bursty_note"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) return 1;
    }
    return is_thunk(name);
}

/* A call or a jump to a slot, or to an address. kind: what it is if that lies
   outside. */
static void lead(prove_code *c, uint32_t node, uint64_t to, const prove_slot *slot, uint8_t inside,
                 uint8_t outside) {
    const prove_symbol *s;
    prove_node *n = &c->nodes[node];
    if (slot && !slot->value) {
        n->kind = outside;
        n->import = slot->import;
        return;
    }
    if (slot) to = slot->value;
    s = prove_symbol_at(c->im, to);
    n->kind = inside;
    if (s && s->is_runtime) {
        n->is_anywhere = (uint8_t)!is_event(s->name);
        n->keeps = (uint8_t)is_thunk(s->name);
        n->kind = outside;
        n->import = PROVE_NONE;
        return;
    }
    if (!in_text(c->im, to)) {
        n->kind = CODE_UNREAD;
        return;
    }
    {
        uint32_t target = prove_node_at(c, to);
        c->nodes[node].to = target;
    }
}

static void read_node(prove_code *c, uint32_t node) {
    prove_insn i;
    prove_node *n = &c->nodes[node];
    uint64_t here = n->address, behind, to;
    const prove_slot *slot;
    unsigned length = prove_instruction_of(c, node, &i);
    if (!length) return;
    n->size = (uint8_t)length;
    behind = here + length;
    to = behind + (uint64_t)i.immediate;
    n->kind = CODE_PLAIN;
    take_operands(c, node, &i);
    switch (i.kind) {
    case INSN_RETURN: c->nodes[node].kind = CODE_RETURN; return;
    case INSN_TRAP: c->nodes[node].kind = CODE_STOP; return;
    case INSN_JUMP:
        lead(c, node, to, stub_at(c->im, to), CODE_JUMP, CODE_JUMP_OUT);
        return;
    case INSN_JUMP_ANY:
        c->nodes[node].kind = CODE_JUMP_ANY;
        slot = i.memory && i.base == BASE_RIP
                   ? prove_slot_at(c->im, behind + (uint64_t)i.displacement) : NULL;
        if (slot) lead(c, node, 0, slot, CODE_JUMP, CODE_JUMP_OUT);
        return;
    case INSN_CALL:
        lead(c, node, to, stub_at(c->im, to), CODE_CALL, CODE_CALL_OUT);
        break;
    case INSN_CALL_ANY:
        c->nodes[node].kind = CODE_CALL_ANY;
        slot = i.memory && i.base == BASE_RIP
                   ? prove_slot_at(c->im, behind + (uint64_t)i.displacement) : NULL;
        if (slot) lead(c, node, 0, slot, CODE_CALL, CODE_CALL_OUT);
        break;
    case INSN_BRANCH:
    case INSN_BEGIN: {
        const prove_slot *stub = stub_at(c->im, to);
        if (stub && !stub->value) {             /* a conditional jump out: both may happen */
            c->nodes[node].kind = CODE_BRANCH;
            c->nodes[node].import = stub->import;
            break;
        }
        lead(c, node, to, stub, CODE_BRANCH, CODE_BRANCH);
        break;
    }
    default: break;
    }
    if (c->nodes[node].kind == CODE_CALL_OUT && c->nodes[node].import < c->im->import_count &&
        c->im->imports[c->nodes[node].import].never_returns)
        return;
    {
        uint32_t next = prove_node_at(c, behind);
        c->nodes[node].next = next;
    }
}

/* decodes all nodes that are not */
static void follow(prove_code *c) {
    while (c->done < c->count) read_node(c, (uint32_t)c->done++);
}

/* Whichever calls stand between two addresses may go on at a landing pad. */
static void add_pads(prove_code *c) {
    const prove_image *im = c->im;
    size_t k;
    for (k = 0; k < im->pad_count; k++) {
        uint64_t at = im->pads[k].begin, end = im->pads[k].end;
        uint32_t pad;
        if (at < im->text_lo) continue;
        for (; at < end && at < im->text_hi; at++) {
            uint32_t node = c->node_of[at - im->text_lo];
            if (!node || c->nodes[node - 1].kind < CODE_CALL ||
                c->nodes[node - 1].kind > CODE_CALL_ANY)
                continue;
            pad = prove_node_at(c, im->pads[k].pad);
            prove_add_edge(c, node - 1, pad);
        }
    }
}

/* ---- exceptions that are under way ---- */

static int catches(const prove_code *c, const prove_node *n) {
    static const char name[] = "__cxa_begin_catch";
    const prove_symbol *s;
    if (n->kind == CODE_CALL_OUT && n->import < c->im->import_count)
        return strcmp(c->im->imports[n->import].name, name) == 0;
    s = n->kind == CODE_CALL && n->to != PROVE_NONE
            ? prove_symbol_at(c->im, c->nodes[n->to].address) : NULL;
    return s && strcmp(s->name, name) == 0;
}

typedef struct walk {
    const prove_code *c;
    graph_links out;                            /* by jumps through tables */
    uint32_t *stack;
    size_t height;
    unsigned char *seen;
} walk;

static void visit(walk *w, uint32_t node) {
    if (node == PROVE_NONE || w->seen[node]) return;
    w->seen[node] = 1;
    w->stack[w->height++] = node;
}

static void visit_address(walk *w, uint64_t address) {
    uint32_t node = in_text(w->c->im, address) ? w->c->node_of[address - w->c->im->text_lo] : 0;
    if (node) visit(w, node - 1);
}

/* What runs while no exception is under way: from where functions begin, and
   behind a catch. */
static void walk_without_exception(walk *w) {
    const prove_code *c = w->c;
    size_t i;
    for (i = 0; i < c->im->roots.count; i++) visit_address(w, c->im->roots.list[i]);
    for (i = 0; i < c->im->exported.count; i++) visit_address(w, c->im->exported.list[i]);
    for (i = 0; i < c->im->taken.count; i++) visit_address(w, c->im->taken.list[i]);
    for (i = 0; i < c->labels.count; i++) visit_address(w, c->labels.list[i]);
    for (i = 0; i < c->count; i++) {
        const prove_node *n = &c->nodes[i];
        if (n->kind == CODE_CALL) visit(w, n->to);
        if (catches(c, n)) visit(w, n->next);
    }
    while (w->height) {
        uint32_t here = w->stack[--w->height];
        const prove_node *n = &c->nodes[here];
        size_t k;
        visit(w, n->next);
        if (n->kind == CODE_BRANCH || n->kind == CODE_JUMP) visit(w, n->to);
        for (k = w->out.first[here]; k < w->out.first[here + 1]; k++) visit(w, w->out.to[k]);
    }
}

static int is_call(const prove_node *n) { return n->kind >= CODE_CALL && n->kind <= CODE_CALL_ANY; }

/* A clean-up of C++ throws nothing: what does would end the program. gcc's
   tables say so; clang's ranges go on over a call that throws nothing, and lead
   it to the pad that it belongs to. */
static void drop_pads_of_cleanups(prove_code *c) {
    uint32_t *jumps = (uint32_t *)tool_alloc((2 * c->extra_count + 1) * sizeof *jumps);
    size_t i, kept = 0, count = 0;
    walk w;
    memset(&w, 0, sizeof w);
    w.c = c;
    for (i = 0; i < c->extra_count; i++) {
        if (is_call(&c->nodes[c->extra[i].from])) continue;
        jumps[2 * count] = c->extra[i].from;
        jumps[2 * count++ + 1] = c->extra[i].to;
    }
    links_build(&w.out, (uint32_t)c->count, jumps, count);
    w.stack = (uint32_t *)tool_alloc((c->count + 1) * sizeof *w.stack);
    w.seen = (unsigned char *)tool_alloc(c->count + 1);
    memset(w.seen, 0, c->count + 1);
    walk_without_exception(&w);
    for (i = 0; i < c->extra_count; i++) {
        uint32_t from = c->extra[i].from;
        if (!is_call(&c->nodes[from]) || w.seen[from]) c->extra[kept++] = c->extra[i];
    }
    c->extra_count = kept;
    links_free(&w.out);
    free(w.stack);
    free(w.seen);
    free(jumps);
}

/* ---- all of it ---- */

static void decode_once(prove_code *c, prove_image *im, const prove_list *given) {
    size_t i, nodes, edges;
    for (i = 0; i < im->roots.count; i++) (void)prove_node_at(c, im->roots.list[i]);
    for (i = 0; i < im->exported.count; i++) {
        const prove_symbol *s = prove_symbol_at(im, im->exported.list[i]);
        if (!s || !s->is_runtime) (void)prove_node_at(c, im->exported.list[i]);
    }
    im->taken.count = 0;                        /* sort out functions and labels */
    for (i = 0; i < given->count; i++) take(c, given->list[i]);
    do {
        follow(c);
        nodes = c->count;
        edges = c->extra_count;
        prove_jumps(c);
        add_pads(c);
    } while (c->count != nodes || c->extra_count != edges);
    prove_list_sort(&im->taken);
    prove_list_sort(&c->labels);
}

/* Tables end where the code names other data (jumps.c). While that code has not
   been found, a table is read too long, and what it then leads to is no code:
   it would stand before instructions, and name data. So the data that was named
   goes into known, and decoding begins anew, until all that was decoded can be
   reached, and names all that was known. Returns whether that is so. */
static int has_settled(const prove_code *c, prove_list *known) {
    int all = prove_all_reached(c);
    prove_list names = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < c->name_count; i++) {
        if (!in_text(c->im, c->names[i].address)) prove_list_add(&names, c->names[i].address);
    }
    prove_list_sort(&names);
    for (i = 0; i < known->count && all; i++) all = prove_list_has(&names, known->list[i]);
    free(known->list);
    *known = names;
    return all;
}

enum { ROUNDS = 6 };

void prove_decode(prove_code *c, prove_image *im) {
    prove_list given = im->taken, known = {NULL, 0, 0};
    int outside = im->outside_taken, settled = 0, round;
    size_t roots = im->roots.count;
    memset(&im->taken, 0, sizeof im->taken);
    prove_list_sort(&given);
    memset(c, 0, sizeof *c);
    c->im = im;
    c->node_of = (uint32_t *)tool_alloc((size_t)(im->text_hi - im->text_lo) * sizeof *c->node_of);
    for (round = 0; !settled && round <= ROUNDS; round++) {
        c->count = c->done = c->extra_count = c->name_count = c->labels.count = 0;
        memset(c->node_of, 0, (size_t)(im->text_hi - im->text_lo) * sizeof *c->node_of);
        im->outside_taken = outside;
        im->roots.count = roots;
        if (round == ROUNDS) known.count = 0;   /* nothing is believed */
        c->known = &known;
        decode_once(c, im, &given);
        settled = round == ROUNDS || has_settled(c, &known);
    }
    c->known = NULL;
    free(known.list);
    free(given.list);
    drop_pads_of_cleanups(c);
    prove_look_back(c);
}

void prove_code_free(prove_code *c) {
    free(c->nodes);
    free(c->node_of);
    free(c->extra);
    free(c->names);
    free(c->labels.list);
    links_free(&c->back);
    memset(c, 0, sizeof *c);
}
