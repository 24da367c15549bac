/* fuzz_copy.c - libFuzzer target: code of a function and of its part (.cold),
   as record/x86 decodes and copies it. The bytes choose instructions and where
   they jump, within both ranges and between them, or they are the code
   themselves. Both copies must decode from their start to their end. Every jump
   in them must lead to an instruction or out of them, and those of the checking
   copy to the right one. Every call that returns must have its return in both.
   README.md has the command. */
#define X86_IMPLEMENTATION
#define X86_STATIC
#include "record/x86/x86.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef X86FLOW_SUPPORTED
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data;
    (void)size;
    return 0;
}
#else
enum { PART = 1024, LEAF = 2048, TABLE = 3072, IMAGE = 4096, CODE = 1 << 19, ITEMS = 64 };
/* Where the two copies go. Each may become as large as x86copy promises:
   out_max, which x86copy_init reckons from the room for a body's code, 206 848
   bytes for BODY. x86copy_emit refuses what would be larger. */
enum { BODY = 2048, AT_C = 4096, AT_I = CODE / 2 };
static uint8_t image[IMAGE], code[CODE], is_start[CODE];
static uint64_t memory[1 << 16], room[1 << 17];

/* Instructions without a target. */
static const struct { uint8_t size, bytes[7]; } plain[] = {
    {1, {0x90}},                                    /* nop */
    {1, {0xC3}},                                    /* ret */
    {2, {0xFF, 0xC8}},                              /* dec %eax */
    {3, {0x48, 0x8B, 0x07}},                        /* mov (%rdi),%rax */
    {4, {0x48, 0x89, 0x56, 0x08}},                  /* mov %rdx,8(%rsi) */
    {7, {0x48, 0x8D, 0x15, 0, 4, 0, 0}},            /* lea 1024(%rip),%rdx */
    {3, {0x39, 0xC8, 0x90}},                        /* cmp %ecx,%eax */
    {2, {0xF3, 0xA4}},                              /* rep movsb */
    {2, {0xFF, 0xE0}},                              /* jmp *%rax */
    {2, {0xFF, 0xD0}},                              /* call *%rax */
    {1, {0x50}},                                    /* push %rax */
};
enum { PLAIN = sizeof plain / sizeof *plain, KINDS = PLAIN + 7 };

typedef struct item { uint32_t at, distance_at, behind, to, bytes; } item;

static void put_distance(const item *i, uint32_t to) {
    uint32_t d = to - i->behind;
    if (i->bytes == 1) image[i->distance_at] = (uint8_t)d;
    else memcpy(image + i->distance_at, &d, 4);
}

/* Each pair of bytes is an instruction and where it goes. The second half of
   them is the part. */
static void compose(const uint8_t *data, size_t size, uint32_t end[2]) {
    item items[ITEMS];
    uint32_t count = size / 2 < ITEMS ? (uint32_t)(size / 2) : ITEMS, half = count / 2, n, at = 0;
    end[0] = 0;
    for (n = 0; n < count; n++) {
        uint32_t kind = data[2 * n] % KINDS;
        item *i = &items[n];
        if (n == half) {
            end[0] = at;
            at = PART;
        }
        i->at = at;
        i->to = data[2 * n + 1] % count;
        i->bytes = 0;
        if (kind < PLAIN) {
            memcpy(image + at, plain[kind].bytes, plain[kind].size);
            at += plain[kind].size;
            continue;
        }
        i->bytes = kind == PLAIN ? 1 : 4;
        if (kind == PLAIN) image[at++] = 0xE2;                          /* loop */
        else if (kind == PLAIN + 1) image[at++] = 0xE9;                 /* jmp */
        else if (kind == PLAIN + 2) {                                   /* call */
            image[at++] = 0xE8;
            if (i->to % 2) i->to = ~0u;                                 /* the leaf */
        } else {
            image[at++] = 0x0F;                                         /* js, jz, jnz, ja */
            image[at++] = (uint8_t)"\x88\x84\x85\x87"[kind - PLAIN - 3];
        }
        i->distance_at = at;
        at += i->bytes;
        i->behind = at;
    }
    end[1] = at;
    for (n = 0; n < count; n++) {
        if (!items[n].bytes) continue;
        put_distance(&items[n], items[n].to == ~0u ? LEAF : items[items[n].to].at);
    }
}

static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

/* Every instruction of the copy, up to `end`, and every jump. */
static void check_copy(const x86copy *s, uint32_t base, uint32_t end) {
    x86decode_insn i;
    uint32_t at, from = base + s->code_start;
    int pass;
    memset(is_start + base, 0, end - base);
    for (pass = 0; pass < 2; pass++) {
        for (at = from; at < end; at += i.length) {
            uint64_t to;
            if (!x86decode(code + at, end - at < 15 ? end - at : 15, &i)) abort();
            is_start[at] = 1;
            if (i.kind != X86DECODE_JUMP && i.kind != X86DECODE_BRANCH
                && i.kind != X86DECODE_LOOP)
                continue;
            to = x86decode_target(&i, address(code + at)) - address(code);
            if (pass && to >= from && to < end && !is_start[to]) abort();
        }
    }
}

/* What C's calls return to, and I's. */
static void check_returns(const x86copy_module *m, const x86copy *s) {
    const x86copy_function *f = &m->functions[0];
    uint32_t n;
    for (n = 0; n < s->b->count; n++) {
        uint8_t kind = s->b->insn[n].i.kind;
        uint64_t to, lo = m->rx + f->i_at + s->spot[n].at, hi = m->rx + f->i_at + s->spot[n + 1].at;
        if (kind != X86DECODE_CALL && kind != X86DECODE_CALL_INDIRECT) continue;
        to = x86copy_return_in_i(m, 0, m->rx + f->c_at + s->spot[n + 1].c_at);
        if (n + 1 == s->b->part_first || n + 1 == s->b->count) {
            if (to) abort();
            continue;
        }
        if (to <= lo || to > hi || !is_start[to - m->rx]) abort();
    }
    if (x86copy_return_in_i(m, 0, m->rx + f->c_at + 0x10000)) abort();
}

/* Jumps of the checking copy that have no check. */
static void check_jumps(const x86copy_module *m, const x86copy *s) {
    const uint8_t *c = code + m->functions[0].c_at;
    uint32_t n;
    for (n = 0; n < s->b->count; n++) {
        const x86flow_insn *k = &s->b->insn[n];
        const uint8_t *at = c + s->spot[n].c_at;
        uint64_t place = x86flow_address(s->b, k->offset);
        uint32_t to;
        x86decode_insn i;
        if (k->i.kind != X86DECODE_JUMP && k->i.kind != X86DECODE_BRANCH) continue;
        to = x86flow_insn_at(s->b, x86decode_target(&k->i, place));
        if (to == ~0u || s->b->insn[to].target & X86FLOW_TARGET_CHECKED) continue;
        if (!x86decode(at, 15, &i) || i.kind != k->i.kind) abort();
        if (x86decode_target(&i, address(at)) != address(c + s->spot[to].c_at)) abort();
    }
}

static uint32_t emit(x86copy *s, x86copy_module *m, uint32_t base, int instrumented) {
    uint32_t end;
    if (x86copy_emit(s, m, m->rx + base, instrumented, 0) != 0) return 0;
    if (s->out_size > s->out_max) abort();
    memcpy(code + base, s->out, s->out_size);
    end = base + (instrumented ? s->returns_at : s->out_size);
    if (!s->translated) check_copy(s, base, end);
    return base + s->code_start;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static x86flow_body body;
    static x86copy copy;
    static x86flow_module flow;
    static x86copy_module m;
    x86flow_function f[3];
    x86copy_function own[3];
    uint32_t end[2];
    if (size < 8) return 0;
    memset(image, 0xCC, sizeof image);
    memset(f, 0, sizeof f);
    memset(own, 0, sizeof own);
    memset(&flow, 0, sizeof flow);
    memset(&m, 0, sizeof m);
    memcpy(image + LEAF, "\xFF\xC0\xC3", 3);
    if (data[0] & 1) {
        end[0] = size - 3 < 512 ? (uint32_t)(size - 3) / 2 + 1 : 256;
        memcpy(image, data + 3, end[0]);
        end[1] = PART + end[0] - 1;
        size -= 3 + end[0];
        memcpy(image + PART, data + 3 + end[0], end[0] - 1 < size ? end[0] - 1 : size);
    } else compose(data + 3, size - 3, end);
    if (!end[0] || end[1] <= PART) return 0;
    f[0].lo = flow.lo = flow.text_lo = address(image);
    flow.hi = flow.text_hi = flow.lo + IMAGE;
    f[0].size = end[0];
    f[0].part = data[0] & 2 ? 0 : 2;
    f[0].flags = data[0] & 4 ? X86FLOW_CHECK : 0;
    f[0].direct = data[0] >> 3 & 1;
    f[1].lo = flow.lo + PART;
    f[1].size = end[1] - PART;
    f[1].flags = X86FLOW_FRAGMENT;
    f[1].owner = 1;
    f[2].lo = flow.lo + LEAF;
    f[2].size = 3;
    flow.functions = f;
    flow.count = 3;
    own[0].patched = own[2].patched = 1;
    own[0].t_at = own[0].make_i_at = own[2].t_at = own[2].make_i_at = 16;
    m.flow = &flow;
    m.functions = own;
    m.rx = address(code);
    m.slots = m.site_slots = address(image);
    m.events = data[1];
    m.slow_at = 8;
    if (!x86flow_body_init(&body, memory, sizeof memory, BODY)) abort();
    if (!x86copy_init(&copy, &body, room, sizeof room)) abort();
    if (copy.out_max > AT_I - AT_C || copy.out_max > CODE - AT_I) abort();
    if (x86flow_decode(&body, &flow, &f[0], 0) != 0) return 0;
    x86flow_plan(&body, (int32_t)(data[2] % 8) - 1);
    own[0].c_at = emit(&copy, &m, AT_C, 0);
    if (!own[0].c_at || x86copy_find_c(&copy, &m, m.rx + AT_C, 0) != 0) return 0;
    check_jumps(&m, &copy);
    own[0].i_at = emit(&copy, &m, AT_I, 1);
    own[0].returns_at = AT_I + copy.returns_at;
    if (own[0].i_at && !copy.translated) check_returns(&m, &copy);
    return 0;
}
#endif
