/* test_x86copy.c - copies of small pieces of code: what they hold, and that
   they compute the same when they run. Many tests are a trap of the design: see
   the table in docs/binpatch.md. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#define X86_IMPLEMENTATION
#define X86_STATIC
#include "record/x86/x86.h"
#include "test.h"

#if !defined(X86FLOW_SUPPORTED) || !defined(__linux__)
TEST(declares_nothing_where_it_is_not_supported) { SKIP("Linux on x86-64 only"); }
#else
#include <sys/mman.h>

enum { TEXT = 4096, DATA = 4096, SLOTS = 4096, CODE = 1 << 16 };
/* The function's page, its data, words of slots, and the copies behind them. */
static unsigned char *image;
static uint64_t memory[65536], room[65536];
static x86flow_function f;
static x86flow_module flow;
static x86copy_function own;
static x86copy_module m;
static x86flow_body body;
static x86copy copy;
static int asked;
static uint64_t answer;
static __thread struct {
    int32_t n, left;
    uintptr_t position, claim;
} words __attribute__((tls_model("initial-exec")));

static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

static uint64_t heavy(uint64_t code, void *user, const uint64_t *saved) {
    (void)user;
    (void)saved;
    asked = (int)code + 1;
    words.n = 1000;
    return answer;
}

/* Decodes and plans a function. Returns 0, or -1 if there is no memory that can
   be executed. */
static int prepare(const unsigned char *code, uint32_t size, uint8_t flags, int32_t k) {
    uint64_t thread = 0;
    if (!image) {
        void *p = mmap(NULL, TEXT + DATA + SLOTS + CODE, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return -1;
        image = (unsigned char *)p;
    }
    memcpy(image, code, size);
    memset(&f, 0, sizeof f);
    memset(&flow, 0, sizeof flow);
    memset(&own, 0, sizeof own);
    memset(&m, 0, sizeof m);
    f.lo = flow.lo = flow.text_lo = address(image);
    f.size = size;
    f.flags = flags;
    flow.text_hi = flow.lo + TEXT;
    flow.hi = flow.text_hi + DATA;
    flow.functions = &f;
    flow.count = 1;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    m.flow = &flow;
    m.functions = &own;
    m.rx = address(image + TEXT + DATA + SLOTS);
    m.slots = address(image + TEXT + DATA);
    m.site_slots = m.slots + 64;
    m.offset_n = (int32_t)(address(&words.n) - thread);
    m.offset_left = (int32_t)(address(&words.left) - thread);
    m.offset_position = (int32_t)(address(&words.position) - thread);
    m.offset_claim = (int32_t)(address(&words.claim) - thread);
    m.xsave_bytes = 576;
    m.heavy = heavy;
    asked = 0;
    CHECK(x86flow_body_init(&body, memory, sizeof memory, 256) != 0);
    CHECK(x86copy_init(&copy, &body, room, sizeof room) != 0);
    copy.base = m.rx;
    copy.out_size = 64;
    copy.failed = 0;
    x86copy_emit_slow(&copy, &m);
    memcpy(image + TEXT + DATA + SLOTS, copy.out, copy.out_size);
    CHECK_EQ(x86flow_decode(&body, &flow, &f, 0), 0);
    x86flow_plan(&body, k);
    return 0;
}
#define PREPARE(code, flags, k) prepare(code, (uint32_t)sizeof code, flags, k)

/* Puts what was emitted in place, at 4096 of the copies or behind it; returns
   its code. */
static unsigned char *place(int instrumented) {
    unsigned char *at = image + TEXT + DATA + SLOTS + 4096 + (instrumented ? 16384 : 0);
    if (x86copy_emit(&copy, &m, address(at), instrumented, 0) != 0) return NULL;
    memcpy(at, copy.out, copy.out_size);
    return at + copy.code_start;
}

typedef uint64_t (*function_of_two)(uint64_t, uint64_t);
static uint64_t call(const unsigned char *code, uint64_t a, uint64_t b) {
    function_of_two run;
    memcpy(&run, &code, sizeof run);
    return run(a, b);
}

TEST(a_function_without_checks_is_copied_as_it_is) {
    static const unsigned char code[] = {0x48, 0x8D, 0x04, 0x37, 0x90, 0xC3};  /* lea; nop; ret */
    unsigned char *c;
    if (PREPARE(code, 0, 4) != 0) { SKIP("no memory that can be executed"); return; }
    c = place(0);
    CHECK(c && memcmp(c, "\x48\x8D\x04\x37\xC3", 5) == 0);         /* nops are left out */
    CHECK_EQ(copy.site_count, 0);
    CHECK_EQ(call(c, 40, 2), 42);
}

TEST(the_check_of_an_entry_has_the_size_that_direct_calls_skip) {
    static const unsigned char code[] = {0x48, 0x8D, 0x04, 0x37, 0xC3};
    uint32_t n;
    unsigned char *c, *i;
    if (PREPARE(code, X86FLOW_CHECK, 4) != 0) { SKIP("no memory that can be executed"); return; }
    CHECK_EQ(x86copy_skips(&f, 0), X86COPY_CHECK_C);
    CHECK_EQ(x86copy_skips(&f, 1), X86COPY_CHECK_I);
    c = place(0);
    CHECK(c != NULL);
    CHECK_EQ(copy.spot[body.count + 1].at, X86COPY_CHECK_C);
    CHECK_EQ(copy.site_count, 1);
    own.c_at = 4096;
    for (n = 0; n < body.count + 2; n++) copy.spot[n].c_at = copy.spot[n].at;
    i = place(1);
    CHECK(i != NULL);
    CHECK_EQ(copy.spot[body.count + 1].at, X86COPY_CHECK_I);
    words.n = 5;
    CHECK_EQ(call(c, 40, 2), 42);
    CHECK_EQ(words.n, 4);
    CHECK_EQ(call(c + X86COPY_CHECK_C, 40, 2), 42);
    CHECK_EQ(words.n, 4);
    CHECK_EQ(asked, 0);
    f.direct = 1;
    CHECK_EQ(x86copy_skips(&f, 0), 0);
    f.direct = 0;
    f.flags = 0;
    CHECK_EQ(x86copy_skips(&f, 1), 0);
}

/* A loop that counts down from the first argument and adds up. */
static const unsigned char loop[] = {
    0x31, 0xC0,             /* 0: xor %eax,%eax     */
    0x48, 0x01, 0xF8,       /* 2: add %rdi,%rax     */
    0x48, 0xFF, 0xCF,       /* 5: dec %rdi          */
    0x75, 0xF8,             /* 8: jne 2             */
    0xC3};

TEST(a_loop_counts_its_checks_and_asks_when_they_are_used_up) {
    unsigned char *c;
    if (PREPARE(loop, 0, -1) != 0) { SKIP("no memory that can be executed"); return; }
    c = place(0);
    CHECK(c != NULL);
    CHECK_EQ(copy.site_count, 1);
    words.n = 100;
    CHECK_EQ(call(c, 10, 0), 55);
    CHECK_EQ(words.n, 91);                      /* nine times back */
    words.n = 3;
    words.left = 0;
    answer = 0;
    CHECK_EQ(call(c, 10, 0), 55);
    CHECK_EQ(asked, 1);                         /* site 0 */
    CHECK_EQ(words.n, 1000 - 5);                /* the fourth check asked, five came behind it */
}

TEST(the_instrumented_copy_computes_the_same_and_writes_events) {
    static uint64_t buffer[65536 / 8 * 2];
    unsigned char *c, *i;
    uint64_t slot, n, events = 0;
    uintptr_t start = ((uintptr_t)buffer + 65535) & ~(uintptr_t)65535;
    if (PREPARE(loop, X86FLOW_CHECK, -1) != 0) { SKIP("no memory that can be executed"); return; }
    m.events = X86COPY_ENTRY | X86COPY_EXIT | X86COPY_BLOCK;
    c = place(0);
    CHECK(c != NULL);
    own.c_at = (uint32_t)(c - (image + TEXT + DATA + SLOTS));
    for (n = 0; n < body.count + 2; n++) copy.spot[n].c_at = copy.spot[n].at;
    i = place(1);
    CHECK(i != NULL);
    for (n = 0; n < 2; n++) {                   /* the slots of the entry and of the loop */
        slot = address(i) + copy.spot[n ? 1 : body.count + 1].at;
        memcpy(image + TEXT + DATA + 64 + 8 * n, &slot, 8);
    }
    memset((void *)start, 0, 65536);
    words.position = start;
    words.claim = start + 16;
    words.n = 4;
    words.left = 0;
    answer = 1;                                 /* a burst is live from the fourth check on */
    CHECK_EQ(call(c, 10, 0), 55);
    CHECK(asked != 0);
    for (n = 0; n < 100; n++) events += ((uint64_t *)start)[2 * n + 1] != 0;
    CHECK(events >= 1 && words.position == start + 16 * events);
}

/* xor %eax,%eax; again: dec %edi; jns part; ret       part, 256 further on: inc %eax; jmp
   again */
TEST(a_part_is_copied_with_its_function) {
    static const unsigned char code[] = {0x31, 0xC0, 0xFF, 0xCF, 0x0F, 0x89, 0xF6, 0, 0, 0, 0xC3};
    static const unsigned char part[] = {0xFF, 0xC0, 0xE9, 0xFB, 0xFE, 0xFF, 0xFF};
    static x86flow_function both[2];
    static x86copy_function owns[2];
    unsigned char *c;
    if (PREPARE(code, 0, -1) != 0) { SKIP("no memory that can be executed"); return; }
    memcpy(image + 256, part, sizeof part);
    both[0] = f;
    both[0].part = 2;
    both[1] = f;
    both[1].lo = address(image + 256);
    both[1].size = sizeof part;
    both[1].flags = X86FLOW_FRAGMENT;
    both[1].owner = 1;
    flow.functions = both;
    flow.count = 2;
    m.functions = owns;
    CHECK_EQ(x86flow_decode(&body, &flow, &both[0], 0), 0);
    x86flow_plan(&body, -1);
    c = place(0);
    CHECK(c != NULL);
    CHECK_EQ(copy.site_count, 1);
    memset(image, 0xCC, sizeof code);           /* neither original is needed any more */
    memset(image + 256, 0xCC, sizeof part);
    words.n = 1000;
    CHECK_EQ(call(c, 40, 0), 40);
    CHECK_EQ(words.n, 1000 - 40);               /* the loop goes through the part */
    CHECK_EQ(asked, 0);
}

/* Events take registers that hold nothing: two before the first load, which
   writes one of them; one before the second; none before the third and before
   the store, which keep rcx and rax. */
TEST(events_take_registers_that_are_dead) {
    static const unsigned char code[] = {
        0x48, 0x8B, 0x07,               /* mov (%rdi),%rax   */
        0x48, 0x8B, 0x4F, 0x08,         /* mov 8(%rdi),%rcx  */
        0x48, 0x01, 0xC8,               /* add %rcx,%rax     */
        0x48, 0x03, 0x06,               /* add (%rsi),%rax   */
        0x48, 0x89, 0x44, 0x24, 0xF8,   /* mov %rax,-8(%rsp) */
        0xC3};
    static uint64_t buffer[65536 / 8 * 2], pair[2] = {30, 9}, third = 3;
    uintptr_t start = ((uintptr_t)buffer + 65535) & ~(uintptr_t)65535;
    const uint64_t *events = (const uint64_t *)start;
    unsigned char *i;
    uint64_t n, kept = 0;
    if (PREPARE(code, 0, 4) != 0) { SKIP("no memory that can be executed"); return; }
    m.events = X86COPY_LOAD | X86COPY_STORE;
    i = place(1);
    CHECK(i != NULL);
    for (n = 0; n + 5 < copy.out_size; n++)
        kept += memcmp(copy.out + n, "\x48\x8D\xA4\x24\x68", 5) == 0;
    CHECK_EQ(kept, 3);
    memset((void *)start, 0, 65536);
    words.position = start + 65536 - 16;        /* the second event is at the buffer's start again */
    words.claim = start + 16;
    CHECK_EQ(call(i, address(pair), address(&third)), 42);
    CHECK_EQ(words.position, start + 3 * 16);
    CHECK_EQ(events[65536 / 8 - 2], address(pair));
    CHECK_EQ(events[0], address(pair + 1));
    CHECK_EQ(events[2], address(&third));
    CHECK(address(__builtin_frame_address(0)) - events[4] < 4096);
    for (n = 0; n < 2; n++) CHECK_EQ((uint32_t)events[2 * n + 1], X86COPY_LOAD | 8 << 8);
    CHECK_EQ((uint32_t)events[5], X86COPY_STORE | 8 << 8);
    CHECK_EQ(events[5] >> 32, (uint32_t)(flow.lo + 13));
}

/* jrcxz reaches one byte; an address that is relative to rip moves with the
   copy. */
TEST(short_jumps_and_addresses_are_redirected) {
    static const unsigned char code[] = {
        0x48, 0x89, 0xF9,                   /*  0: mov %rdi,%rcx         */
        0x31, 0xC0,                         /*  3: xor %eax,%eax         */
        0xE3, 0x07,                         /*  5: jrcxz 14              */
        0x48, 0x8B, 0x05, 0xF2, 0x0F, 0, 0, /*  7: mov DATA(%rip),%rax   */
        0xC3};                              /* 14: ret                   */
    uint64_t value = 77;
    unsigned char *c;
    if (PREPARE(code, 0, 4) != 0) { SKIP("no memory that can be executed"); return; }
    memcpy(image + TEXT, &value, 8);
    CHECK_EQ(call(image, 1, 0), 77);
    c = place(0);
    CHECK(c != NULL);
    CHECK_EQ(call(c, 1, 0), 77);
    CHECK_EQ(call(c, 0, 0), 0);
}

/* A switch by a table of distances: the copy has a table of its own, the
   register keeps T. */
static const unsigned char dispatch[] = {
    0x48, 0x8D, 0x15, 0xF9, 0x0F, 0, 0,     /*  0: lea DATA(%rip),%rdx        */
    0x83, 0xE7, 0x01,                       /*  7: and $1,%edi                */
    0x48, 0x63, 0x04, 0xBA,                 /* 10: movslq (%rdx,%rdi,4),%rax  */
    0x48, 0x01, 0xD0,                       /* 14: add %rdx,%rax              */
    0xFF, 0xE0,                             /* 17: jmp *%rax                  */
    0xB8, 5, 0, 0, 0, 0xC3,                 /* 19: mov $5,%eax; ret           */
    0xB8, 6, 0, 0, 0, 0xC3};                /* 25: mov $6,%eax; ret           */

TEST(switches_stay_in_the_copy_proved_or_translated) {
    static const int32_t distances[] = {19 - TEXT, 25 - TEXT, 0x7FFFFFFF};
    unsigned char *c;
    int round;
    for (round = 0; round < 2; round++) {
        uint32_t n;
        if (PREPARE(dispatch, 0, 4) != 0) { SKIP("no memory that can be executed"); return; }
        memcpy(image + TEXT, distances, sizeof distances);
        CHECK_EQ(x86flow_decode(&body, &flow, &f, 0), 0);
        x86flow_plan(&body, 4);
        CHECK_EQ(body.insn[4].dispatch, X86FLOW_PROVED);
        if (round) {                            /* as if nothing had been proved */
            body.insn[2].dispatch = X86FLOW_PROVED;
            body.insn[4].dispatch = X86FLOW_TRANSLATE;
        }
        c = place(0);
        CHECK(c != NULL);
        memset(image + 19, 0xCC, 12);           /* the original must not be reached */
        for (n = 0; n < 2; n++) CHECK_EQ(call(c, n, 0), 5 + n);
        CHECK_EQ(copy.translated, round);
    }
}

/* Counts down from the first argument, by a switch that goes back to its case.
   Nothing falls into the case, so that its check stands in line before it. */
TEST(the_check_of_a_label_stands_before_it) {
    static const unsigned char code[] = {
        0x48, 0x8D, 0x15, 0xF9, 0x0F, 0, 0,     /*  0: lea DATA(%rip),%rdx        */
        0x31, 0xC9,                             /*  7: xor %ecx,%ecx              */
        0xEB, 0x04,                             /*  9: jmp 15                     */
        0xFF, 0xC1,                             /* 11: inc %ecx                   */
        0xFF, 0xCF,                             /* 13: dec %edi                   */
        0x31, 0xC0,                             /* 15: xor %eax,%eax              */
        0x85, 0xFF,                             /* 17: test %edi,%edi             */
        0x0F, 0x95, 0xC0,                       /* 19: setne %al                  */
        0x83, 0xE0, 0x01,                       /* 22: and $1,%eax                */
        0x48, 0x63, 0x04, 0x82,                 /* 25: movslq (%rdx,%rax,4),%rax  */
        0x48, 0x01, 0xD0,                       /* 29: add %rdx,%rax              */
        0xFF, 0xE0,                             /* 32: jmp *%rax                  */
        0x89, 0xC8, 0xC3};                      /* 34: mov %ecx,%eax; ret         */
    static const int32_t distances[] = {34 - TEXT, 11 - TEXT, 0x7FFFFFFF};
    const x86copy_spot *spot;
    unsigned char *c;
    if (PREPARE(code, 0, 4) != 0) { SKIP("no memory that can be executed"); return; }
    memcpy(image + TEXT, distances, sizeof distances);
    CHECK_EQ(x86flow_decode(&body, &flow, &f, 0), 0);
    x86flow_plan(&body, 4);
    CHECK_EQ(body.insn[3].offset, 11);
    CHECK_EQ(body.insn[3].target, X86FLOW_TARGET_TABLE | X86FLOW_TARGET_CHECKED);
    c = place(0);
    CHECK(c != NULL);
    CHECK_EQ(copy.site_count, 1);
    spot = &copy.spot[3];
    CHECK_EQ(spot->thunk, spot->begin);
    CHECK_EQ(spot->at, spot->thunk + X86COPY_CHECK_C);
    words.n = 100;
    CHECK_EQ(call(c, 5, 0), 5);
    CHECK_EQ(words.n, 95);
    words.n = 3;
    words.left = 0;
    answer = 0;
    CHECK_EQ(call(c, 5, 0), 5);
    CHECK_EQ(asked, 1);                         /* site 0, by the fourth check */
    CHECK_EQ(words.n, 1000 - 1);
}

TEST(a_stub_holds_the_displaced_instructions) {
    static const unsigned char code[] = {0x48, 0x89, 0xF8, 0x48, 0x01, 0xF0, 0xC3}; /* mov; add */
    unsigned char *stub;
    uint64_t to;
    if (PREPARE(code, X86FLOW_CHECK, 4) != 0) { SKIP("no memory that can be executed"); return; }
    copy.base = m.rx + 4096;
    CHECK_EQ(x86copy_emit_stub(&copy, &m, 0, 4096), 0);
    stub = image + TEXT + DATA + SLOTS + 4096;
    memcpy(stub, copy.out, copy.out_size);
    to = m.rx + own.plain_at;
    memcpy(image + TEXT + DATA, &to, 8);        /* the slot: off */
    memset(image, 0xCC, 5);                     /* nobody looks at what stands there now */
    CHECK_EQ(own.t_at, 4096);
    CHECK_EQ(call(stub, 40, 2), 42);
    CHECK(own.make_at != 0 && own.make_i_at != 0);
    f.direct = 1;
    memset(&own, 0, sizeof own);
    CHECK_EQ(x86copy_emit_stub(&copy, &m, 0, 4096), 0);
    CHECK_EQ(own.make_i_at, 0);
}

/* Rules of unwinding go where their instruction went. An advance has up to 4
   bytes. */
TEST(rules_are_moved_with_their_instructions) {
    static const unsigned char code[] = {0x55, 0x89, 0xF8, 0x5D, 0xC3}; /* push mov pop ret */
    unsigned char rules[][11] = {{0x41, 0x0E, 16, 0x43, 0x0E, 8, 0, 0, 0, 0, 0},
                                 {0x02, 1, 0x0E, 16, 0x03, 3, 0, 0x0E, 8, 0, 0},
                                 {0x04, 1, 0, 0, 0, 0x0E, 16, 0x43, 0x0E, 8, 0},
                                 {0x04, 1, 0, 1, 0, 0x0E, 16, 0x43, 0x0E, 8, 0},
                                 {0x04, 1, 0, 0, 1, 0x0E, 16, 0x43, 0x0E, 8, 0},
                                 {0x03, 1, 1, 0x0E, 16, 0x43, 0x0E, 8, 0, 0, 0}};
    unsigned char out[64];
    int k;
    if (PREPARE(code, 0, 4)) {
        SKIP("no memory that can be executed");
        return;
    }
    CHECK(place(1) != NULL);
    for (k = 0; k < 6; k++) {
        x86copy_p_range r = x86copy_p_range_of(&copy, 0);
        x86flow_unwind u;
        x86copy_p_bytes b;
        uint32_t first = copy.spot[1].at - r.start, second = copy.spot[3].at - r.start - first;
        memset(&u, 0, sizeof u);
        u.fde_begin = rules[k];
        u.fde_end = rules[k] + sizeof rules[k];
        b.p = out;
        b.end = out + sizeof out;
        b.full = 0;
        if (k >= 3) { /* there is nothing so far behind */
            CHECK_EQ(x86copy_p_copy_cfa(&copy, &r, &u, &b), -1);
            continue;
        }
        CHECK_EQ(x86copy_p_copy_cfa(&copy, &r, &u, &b), 0);
        CHECK(first > 0 && first < 256 && second > 0 && second < 256);
        CHECK(out[0] == 4 && out[1] == first && out[2] + out[3] + out[4] == 0);
        CHECK(out[5] == 0x0E && out[6] == 16);
        CHECK(out[7] == 4 && out[8] == second && out[9] + out[10] + out[11] == 0);
        CHECK(out[12] == 0x0E && out[13] == 8);
    }
}

TEST(what_does_not_fit_is_refused) {
    uint32_t most;
    if (PREPARE(loop, X86FLOW_CHECK, -1) != 0) { SKIP("no memory that can be executed"); return; }
    CHECK_EQ(x86copy_init(&copy, &body, room, 100), 0);
    CHECK(x86copy_init(&copy, &body, room, sizeof room) != 0);
    m.events = 255;
    for (most = 0; most < 200; most += 7) {
        copy.out_max = most;
        CHECK_EQ(x86copy_emit(&copy, &m, m.rx + 4096, 1, 0), -1);
    }
    copy.out_max = 60000;
    CHECK_EQ(x86copy_emit(&copy, &m, m.rx + 4096, 1, 0), 0);
}
#endif
