/* test_x86flow.c - functions, jump tables, loops, Equation 3 and unwind
   information of small pieces of code. The bytes stand beside their
   instructions. Many tests are a trap of the design: see the table in
   docs/binpatch.md. */
#define X86_IMPLEMENTATION
#define X86_STATIC
#include "record/x86/x86.h"
#include "test.h"
#include "base/unwind.h"

#ifndef _GNU_SOURCE
TEST(without_gnu_source_the_patcher_refuses_and_says_so) {
    CHECK(x86_install(NULL) == 0);
#ifdef X86_SUPPORTED
    CHECK(strstr(x86_reason(), "_GNU_SOURCE") != NULL);
#endif
}
#endif

#ifndef X86FLOW_SUPPORTED
TEST(declares_nothing_where_it_is_not_supported) { SKIP("x86-64 only"); }
#else

enum { TEXT = 512, ROOM = 2048 };
static unsigned char image[ROOM] __attribute__((aligned(64)));     /* code, then data from TEXT on */
static uint64_t memory[65536];
static x86flow_function f;
static x86flow_module m;
static x86flow_body b;

static uint64_t address(uint32_t at) { return (uint64_t)(uintptr_t)image + at; }

/* The function whose code these bytes are. Returns what x86flow_decode says. */
static int decode(const unsigned char *code, uint32_t size) {
    memset(image, 0, sizeof image);
    memcpy(image, code, size);
    memset(&f, 0, sizeof f);
    memset(&m, 0, sizeof m);
    f.lo = m.lo = m.text_lo = address(0);
    f.size = size;
    m.text_hi = address(TEXT);
    m.hi = address(ROOM);
    m.functions = &f;
    m.count = 1;
    if (!x86flow_body_init(&b, memory, sizeof memory, TEXT)) return -1;
    return x86flow_decode(&b, &m, &f, 0);
}
#define DECODE(code) decode(code, (uint32_t)sizeof code)

/* A lea at `lea` names the table at TEXT + at, which leads to these offsets. */
static void table(uint32_t lea, uint32_t at, const uint32_t *to, uint32_t count) {
    int32_t d = (int32_t)(TEXT + at) - (int32_t)(lea + 7);
    uint32_t n;
    memcpy(image + lea + 3, &d, 4);
    for (n = 0; n < count; n++) {
        int32_t distance = (int32_t)to[n] - (int32_t)(TEXT + at);
        memcpy(image + TEXT + at + 4 * n, &distance, 4);
    }
    for (n *= 4; n < 32; n += 4) memset(image + TEXT + at + n, 0x7F, 4);    /* far outside */
}

static x86flow_insn *insn(uint32_t offset) { return &b.insn[b.index[offset] - 1]; }
static int checked(uint32_t offset) { return (insn(offset)->target & X86FLOW_TARGET_CHECKED) != 0; }

TEST(what_is_not_understood_has_a_reason) {
    static const unsigned char into[] = {0xEB, 0x01, 0xB8, 0, 0, 0, 0, 0xC3};   /* jmp into mov */
    static const unsigned char lock[] = {0x75, 0x01, 0xF0, 0x0F, 0xB1, 0x0F, 0xC3};
    static const unsigned char invalid[] = {0x06, 0xC3};
    static const unsigned char cut[] = {0x90, 0xE8, 0, 0};
    static const unsigned char transaction[] = {0xC7, 0xF8, 0, 0, 0, 0, 0xC3};
    static const unsigned char next[] = {0xE8, 0, 0, 0, 0, 0x58, 0xC3};         /* call; pop */
    static const unsigned char narrow[] = {0x66, 0xE8, 0, 0, 0, 0, 0xC3};
    CHECK_EQ(DECODE(into), X86FLOW_INTO_INSTRUCTION);
    CHECK_EQ(DECODE(lock), X86FLOW_INTO_INSTRUCTION);
    CHECK_EQ(DECODE(invalid), X86FLOW_UNDECODABLE);
    CHECK_EQ(DECODE(cut), X86FLOW_UNDECODABLE);
    CHECK_EQ(DECODE(transaction), X86FLOW_TRANSACTION);
    CHECK_EQ(DECODE(next), X86FLOW_CALLS_ITSELF);
    CHECK_EQ(DECODE(narrow), X86FLOW_UNDECODABLE);
    f.size = TEXT + 1;
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), X86FLOW_TOO_LARGE);
    CHECK_EQ(x86flow_body_init(&b, memory, 100, TEXT), 0);
}

TEST(a_patched_function_reads_as_it_was) {
    static const unsigned char code[] = {0x31, 0xC0, 0x31, 0xD2, 0x31, 0xC9, 0xC3};
    CHECK_EQ(DECODE(code), 0);
    memcpy(f.saved, image, sizeof code);
    memset(image, 0xE9, 5);
    f.patched = 1;
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
    CHECK_EQ(b.count, 4);
    CHECK(memcmp(b.text, code, sizeof code) == 0);
}

/* The table's address stays in rbx around the loop; nops stand behind the
   jump. */
static const unsigned char hoisted[] = {
    0x48, 0x8D, 0x1D, 0, 0, 0, 0,   /*  0: lea T(%rip),%rbx             */
    0x83, 0xE0, 0x01,               /*  7: and $1,%eax                  */
    0x48, 0x63, 0x04, 0x83,         /* 10: movslq (%rbx,%rax,4),%rax    */
    0x48, 0x01, 0xD8,               /* 14: add %rbx,%rax                */
    0xFF, 0xE0,                     /* 17: jmp *%rax                    */
    0x0F, 0x1F, 0x00,               /* 19: nopl (%rax)                  */
    0x31, 0xC0,                     /* 22: xor %eax,%eax                */
    0x90, 0x90, 0x90,               /* 24: three bytes to fill in       */
    0xEB, 0xEA,                     /* 27: jmp 7                        */
    0xC3};                          /* 29: ret                          */
static const uint32_t hoisted_to[] = {22, 29};

TEST(a_table_behind_nops_is_proved) {
    CHECK_EQ(DECODE(hoisted), 0);
    table(0, 0, hoisted_to, 2);
    x86flow_decode(&b, &m, &f, 0);
    x86flow_plan(&b, 4);
    CHECK_EQ(insn(17)->dispatch, X86FLOW_PROVED);
    CHECK_EQ(insn(10)->dispatch, X86FLOW_REWRITE);
    CHECK_EQ(b.tables[insn(10)->table].entries, 2);
    CHECK_EQ(x86flow_table_target(&b.tables[insn(10)->table], 1), address(29));
    CHECK(checked(7));                          /* the way back */
    CHECK(!checked(22) && !checked(29));        /* the dispatch leads forward */
}

TEST(a_table_whose_register_is_written_is_not_proved) {
    static const unsigned char spoil[][3] = {
        {0x48, 0x89, 0xC3},                     /* mov %rax,%rbx */
        {0x8D, 0x1B, 0x90}};                    /* lea (%rbx),%ebx: the upper half is lost */
    static const unsigned char call[] = {0xFF, 0xD2, 0x90};             /* call *%rdx */
    int i, k;
    for (i = 0; i < 3; i++) {
        k = i == 2;
        CHECK_EQ(DECODE(hoisted), 0);
        memcpy(image + 24, k ? call : spoil[i], 3);
        table(0, 0, hoisted_to, 2);
        CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
        x86flow_plan(&b, 4);
        CHECK_EQ(insn(17)->dispatch, k ? X86FLOW_PROVED : X86FLOW_TRANSLATE);   /* calls keep rbx */
        CHECK_EQ(insn(10)->dispatch, k ? X86FLOW_REWRITE : X86FLOW_PROVED);
    }
    CHECK_EQ(DECODE(hoisted), 0);
    image[2] = 0x0D;                            /* lea T(%rip),%rcx, which a call may overwrite */
    image[13] = 0x81;
    image[16] = 0xC8;
    memcpy(image + 24, call, 3);
    table(0, 0, hoisted_to, 2);
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
    x86flow_plan(&b, 4);
    CHECK_EQ(insn(17)->dispatch, X86FLOW_TRANSLATE);
}

/* `before` the load of a table whose end nothing but the bound of its index
   shows: data that the code names, or what is taken for that, stands in its
   middle. Returns how many entries are copied; 0: the jump is translated. */
static uint32_t copied_entries(const unsigned char *before, uint32_t size) {
    static const unsigned char load[] = {
        0x48, 0x8D, 0x1D, 0, 0, 0, 0,   /*  0: lea T(%rip),%rbx            */
        0x48, 0x63, 0x04, 0x8B,         /*  7: movslq (%rbx,%rcx,4),%rax   */
        0x48, 0x01, 0xD8,               /* 11: add %rbx,%rax               */
        0xFF, 0xE0,                     /* 14: jmp *%rax                   */
        0xC3};                          /* 16: ret                         */
    static uint64_t named[1];
    unsigned char code[64];
    uint32_t to[6], n;
    memcpy(code, before, size);
    memcpy(code + size, load, sizeof load);
    CHECK_EQ(decode(code, size + (uint32_t)sizeof load), 0);
    for (n = 0; n < 6; n++) to[n] = size + 16;
    table(size, 0, to, 6);
    named[0] = address(TEXT + 8);           /* as if the table ended behind two entries */
    m.named = named;
    m.named_count = 1;
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
    x86flow_plan(&b, 4);
    if (insn(size + 14)->dispatch != X86FLOW_PROVED) return 0;
    CHECK_EQ(insn(size + 7)->dispatch, X86FLOW_REWRITE);
    return b.tables[insn(size + 7)->table].entries;
}
#define COPIED(...)                                                                                \
    static const unsigned char bytes[] = {__VA_ARGS__};                                            \
    entries = copied_entries(bytes, (uint32_t)sizeof bytes)

/* mov (%rdi),%ecx: what was read as 32 bits is zero above. */
#define READ 0x8B, 0x0F

TEST(a_table_is_as_long_as_its_bound_says) {
    uint32_t entries;
    { COPIED(READ, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 6); }     /* cmp $5,%ecx; ja */
    { COPIED(READ, 0x83, 0xF9, 0x06, 0x73, 0x10); CHECK_EQ(entries, 6); }     /* cmp $6,%ecx; jae */
    { COPIED(READ, 0x83, 0xF9, 0x05, 0x76, 0x01, 0xC3); CHECK_EQ(entries, 6); }   /* jbe over a ret */
    { COPIED(READ, 0x83, 0xF9, 0x05, 0x75, 0x10); CHECK_EQ(entries, 6); }     /* jne: it is 5 */
    { COPIED(0x83, 0xE1, 0x05); CHECK_EQ(entries, 6); }                 /* and $5,%ecx */
    { COPIED(0xC1, 0xE9, 0x1E); CHECK_EQ(entries, 4); }                 /* shr $30,%ecx */
    { COPIED(0x0F, 0xB7, 0xC9); CHECK_EQ(entries, 0); }     /* movzwl: 65536 are not readable */
    { COPIED(0x80, 0xF9, 0x05, 0x77, 0x13, 0x0F, 0xB6, 0xC9); CHECK_EQ(entries, 6); }
    /* A byte above 127, whose number in the code is negative */
    { COPIED(0x80, 0xF9, 0x85, 0x77, 0x13, 0x0F, 0xB6, 0xC9); CHECK_EQ(entries, 134); }
    { COPIED(0x83, 0xFA, 0x05, 0x77, 0x12, 0x89, 0xD1); CHECK_EQ(entries, 6); }     /* mov later */
    { COPIED(0x89, 0xD1, 0x83, 0xFA, 0x05, 0x77, 0x10); CHECK_EQ(entries, 6); }     /* and before */
    /* The comparison counts for any write of 32 bits before it: sub, lea, cmov,
       add, a mov of r9 */
    { COPIED(0x83, 0xE9, 0x41, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 6); }
    { COPIED(0x8D, 0x48, 0xBF, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 6); }
    { COPIED(0x0F, 0x44, 0xC8, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 6); }
    { COPIED(0x01, 0xC1, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 6); }
    { COPIED(0x44, 0x89, 0xC9, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 6); }
    /* cmpl $5,8(%rdi); ja; mov 8(%rdi),%ecx */
    { COPIED(0x83, 0x7F, 0x08, 0x05, 0x77, 0x13, 0x8B, 0x4F, 0x08); CHECK_EQ(entries, 6); }
    /* cmpl $5,48(%rax,%rdx,4); ja; mov 48(%rax,%rdx,4),%ecx. And behind the cmp, or
       the ja, or both: lea 12(%rdx),%rcx, and mov (%rax,%rcx,4),%ecx */
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x14, 0x8B, 0x4C, 0x90, 0x30);
      CHECK_EQ(entries, 6); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x48, 0x8D, 0x4A, 0x0C, 0x77, 0x13, 0x8B, 0x0C, 0x88);
      CHECK_EQ(entries, 6); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x17, 0x48, 0x8D, 0x4A, 0x0C, 0x8B, 0x0C, 0x88);
      CHECK_EQ(entries, 6); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x48, 0x8D, 0x4A, 0x04, 0x77, 0x17, 0x48, 0x8D, 0x49,
             0x08, 0x8B, 0x0C, 0x88);
      CHECK_EQ(entries, 6); }
}

TEST(a_jump_without_a_bound_is_translated) {
    uint32_t entries;
    { COPIED(0x90); CHECK_EQ(entries, 0); }
    { COPIED(READ, 0x83, 0xF9, 0x05, 0x7F, 0x10); CHECK_EQ(entries, 0); }     /* jg: it may be negative */
    { COPIED(READ, 0x83, 0xF9, 0x05, 0x72, 0x10); CHECK_EQ(entries, 0); }     /* jb: above */
    { COPIED(READ, 0x83, 0xFA, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }     /* cmp of another register */
    { COPIED(READ, 0x80, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }     /* its low byte alone */
    /* cmp $5,%ecx; ja; inc %ecx. And: behind the flags, another instruction
       sets them. */
    { COPIED(0x83, 0xF9, 0x05, 0x77, 0x12, 0xFF, 0xC1); CHECK_EQ(entries, 0); }
    { COPIED(0x83, 0xF9, 0x05, 0x85, 0xD2, 0x77, 0x10); CHECK_EQ(entries, 0); }
    /* cmp $5,%ecx of what came as 64 bits: as argument, from memory, by mov,
       add, sub $0x41 and pop; and of a word */
    { COPIED(0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    { COPIED(0x48, 0x8B, 0x0F, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    { COPIED(0x4C, 0x89, 0xC9, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    { COPIED(0x48, 0x01, 0xC1, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    { COPIED(0x48, 0x83, 0xE9, 0x41, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    { COPIED(0x59, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    { COPIED(0x66, 0x8B, 0x0F, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    /* And cmp %ecx,%eax, which writes neither, behind a mov of 64 bits */
    { COPIED(0x48, 0x8B, 0x0F, 0x39, 0xC1, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    /* 64 bits are compared: cmp $5,%rcx; ja */
    { COPIED(0x48, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 6); }
    /* jmp over the cmp: je; cmp $5,%ecx; ja */
    { COPIED(0x74, 0x05, 0x83, 0xF9, 0x05, 0x77, 0x10); CHECK_EQ(entries, 0); }
    /* cmpl $5,8(%rdi); ja; a store; mov 8(%rdi),%ecx */
    { COPIED(0x83, 0x7F, 0x08, 0x05, 0x77, 0x15, 0x89, 0x16, 0x8B, 0x4F, 0x08);
      CHECK_EQ(entries, 0); }
    /* cmpl $5,48(%rax,%rdx,4); ja; mov (%rax,%rcx,4),%ecx behind: nothing; a lea of
       13; of 32 bits; into rax; into rsi; a load of 48(%rax,%rdx,8); of 48(%rax) alone; a
       write of rdx */
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x13, 0x8B, 0x0C, 0x88); CHECK_EQ(entries, 0); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x17, 0x48, 0x8D, 0x4A, 0x0D, 0x8B, 0x0C, 0x88);
      CHECK_EQ(entries, 0); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x16, 0x8D, 0x4A, 0x0C, 0x8B, 0x0C, 0x88);
      CHECK_EQ(entries, 0); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x17, 0x48, 0x8D, 0x42, 0x0C, 0x8B, 0x0C, 0x80);
      CHECK_EQ(entries, 0); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x17, 0x48, 0x8D, 0x72, 0x0C, 0x8B, 0x0C, 0x88);
      CHECK_EQ(entries, 0); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x14, 0x8B, 0x4C, 0xD0, 0x30);
      CHECK_EQ(entries, 0); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x13, 0x8B, 0x48, 0x30); CHECK_EQ(entries, 0); }
    { COPIED(0x83, 0x7C, 0x90, 0x30, 0x05, 0x77, 0x17, 0x48, 0xFF, 0xC2, 0x8B, 0x4C, 0x90, 0x30);
      CHECK_EQ(entries, 0); }
}

/* One switch in a case of another one: the inner table's targets are reached by
   its jump alone. */
static const unsigned char nested[] = {
    0x48, 0x8D, 0x1D, 0, 0, 0, 0,   /*  0: lea T1(%rip),%rbx            */
    0x83, 0xE0, 0x01,               /*  7: and $1,%eax                  */
    0x48, 0x63, 0x04, 0x83,         /* 10: movslq (%rbx,%rax,4),%rax    */
    0x48, 0x01, 0xD8,               /* 14: add %rbx,%rax                */
    0xFF, 0xE0,                     /* 17: jmp *%rax                    */
    0x48, 0x8D, 0x2D, 0, 0, 0, 0,   /* 19: lea T2(%rip),%rbp            */
    0x83, 0xE1, 0x01,               /* 26: and $1,%ecx                  */
    0x48, 0x63, 0x4C, 0x8D, 0x00,   /* 29: movslq 0(%rbp,%rcx,4),%rcx   */
    0x48, 0x01, 0xE9,               /* 34: add %rbp,%rcx                */
    0xFF, 0xE1,                     /* 37: jmp *%rcx                    */
    0xEB, 0xF1,                     /* 39: jmp 26                       */
    0xC3};                          /* 41: ret                          */

TEST(tables_are_proved_together) {
    static const uint32_t outer[] = {19, 41}, wrong[] = {19, 39}, inner[] = {39, 41};
    CHECK_EQ(DECODE(nested), 0);
    table(0, 0, outer, 2);
    table(19, 64, inner, 2);
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
    x86flow_plan(&b, 4);
    CHECK_EQ(insn(17)->dispatch, X86FLOW_PROVED);
    CHECK_EQ(insn(37)->dispatch, X86FLOW_PROVED);
    CHECK(checked(26) && !checked(39));
    /* The outer table leads behind the inner lea, too: rbp is not known
       there. */
    table(0, 0, wrong, 2);
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
    x86flow_plan(&b, 4);
    CHECK_EQ(insn(37)->dispatch, X86FLOW_TRANSLATE);
    CHECK(checked(19));                         /* the translated jump may go back to any target */
}

TEST(a_branch_back_that_closes_no_cycle_is_no_back_edge) {
    static const unsigned char code[] = {
        0x85, 0xFF,                 /* 0: test %edi,%edi */
        0x74, 0x03,                 /* 2: je 7           */
        0x31, 0xC0,                 /* 4: xor %eax,%eax  */
        0xC3,                       /* 6: ret            */
        0xFF, 0xC0,                 /* 7: inc %eax       */
        0xEB, 0xF9};                /* 9: jmp 4          */
    CHECK_EQ(DECODE(code), 0);
    x86flow_plan(&b, -1);
    CHECK(!checked(4));
    image[6] = 0x90;                /* without the ret it is one */
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
    x86flow_plan(&b, -1);
    CHECK(checked(4));
}

TEST(loops_of_few_operands_are_boring) {
    static const unsigned char code[] = {
        0x8B, 0x06,                 /* 0: mov (%rsi),%eax */
        0x89, 0x07,                 /* 2: mov %eax,(%rdi) */
        0xFF, 0xC9,                 /* 4: dec %ecx        */
        0x75, 0xF8,                 /* 6: jne 0           */
        0xC3};
    static const unsigned char call[] = {0xFF, 0xD0, 0xFF, 0xC9, 0x75, 0xFA, 0xC3};
    int32_t k;
    for (k = -1; k < 4; k++) {
        CHECK_EQ(DECODE(code), 0);
        x86flow_plan(&b, k);
        CHECK_EQ(checked(0), k < 2);
        CHECK_EQ(insn(6)->boring, k >= 2);
    }
    CHECK_EQ(DECODE(call), 0);
    x86flow_plan(&b, 1000);
    CHECK(checked(0));
}

TEST(flags_that_are_read_behind_a_target_are_live) {
    static const unsigned char code[] = {
        0x83, 0xD0, 0x00,           /* 0: adc $0,%eax   */
        0xFF, 0xC9,                 /* 3: dec %ecx: it keeps the carry */
        0x75, 0xF9,                 /* 5: jne 0         */
        0xC3};
    CHECK_EQ(DECODE(code), 0);
    x86flow_plan(&b, -1);
    CHECK(checked(0) && insn(0)->target & X86FLOW_TARGET_FLAGS);
    image[1] = 0xC0;                /* add kills them */
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
    x86flow_plan(&b, -1);
    CHECK(checked(0) && !(insn(0)->target & X86FLOW_TARGET_FLAGS));
    /* Behind a dispatch they may be read by any case. */
    CHECK_EQ(DECODE(hoisted), 0);
    table(0, 0, hoisted_to, 2);
    x86flow_decode(&b, &m, &f, 0);
    x86flow_plan(&b, 4);
    CHECK(!x86flow_flags_live(&b, 5));
    memcpy(image + 22, "\x11\xC0", 2);          /* adc %eax,%eax */
    CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
    x86flow_plan(&b, 4);
    CHECK(x86flow_flags_live(&b, b.index[17] - 1));
}

/* 200 labels, each of which runs into the next; the last one goes back. */
TEST(flags_behind_a_dispatch_to_many_labels) {
    enum { LABELS = 200, FIRST = 21, ENTRIES = 256 };
    static const unsigned char head[] = {
        0x48, 0x8D, 0x1D, 0, 0, 0, 0,   /*  0: lea T(%rip),%rbx             */
        0x25, 0xFF, 0, 0, 0,            /*  7: and $255,%eax                */
        0x48, 0x63, 0x04, 0x83,         /* 12: movslq (%rbx,%rax,4),%rax    */
        0x48, 0x01, 0xD8,               /* 16: add %rbx,%rax                */
        0xFF, 0xE0};                    /* 19: jmp *%rax                    */
    unsigned char code[FIRST + LABELS + 7] = {0};
    uint32_t to[ENTRIES], n, reads;
    int32_t back = 7 - (int32_t)sizeof code;
    for (n = 0; n < ENTRIES; n++) to[n] = FIRST + n % LABELS;
    for (reads = 0; reads < 2; reads++) {
        memset(code, 0x90, sizeof code);
        memcpy(code, head, sizeof head);
        memcpy(code + FIRST + LABELS, reads ? "\x11\xC0\xE9" : "\x31\xC0\xE9", 3); /* adc; xor */
        memcpy(code + FIRST + LABELS + 3, &back, 4);
        (void)DECODE(code);
        table(0, 0, to, ENTRIES);
        CHECK_EQ(x86flow_decode(&b, &m, &f, 0), 0);
        x86flow_plan(&b, 4);
        CHECK(insn(FIRST + LABELS - 1)->target & X86FLOW_TARGET_TABLE);
        CHECK_EQ(x86flow_flags_live(&b, b.index[19] - 1), (int)reads);
    }
}

/* main calls a, a calls b and the leaf, b calls a again. */
TEST(equation_3_checks_roots_taken_ones_and_cycles) {
    enum { MAIN, A, B, LEAF, COUNT };
    static const unsigned char code[] = {
        0xE8, 11, 0, 0, 0, 0xC3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
        0xE8, 11, 0, 0, 0, 0xE8, 22, 0, 0, 0, 0xC3, 0x90, 0x90, 0x90, 0x90, 0x90,
        0xE8, 0xEB, 0xFF, 0xFF, 0xFF, 0xC3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
        0x90, 0xC3};
    static x86flow_function four[COUNT];
    static uint64_t room[8192];
    x86flow_graph g;
    int round, n;
    for (round = 0; round < 2; round++) {
        (void)DECODE(code);                     /* as one function it would call its own middle */
        memset(four, 0, sizeof four);
        memset(room, 0, sizeof room);
        m.functions = four;
        m.count = COUNT;
        for (n = 0; n < COUNT; n++) four[n].lo = address(16 * (uint32_t)n);
        four[MAIN].size = four[B].size = 6;
        four[A].size = 11;
        four[LEAF].size = 1;
        CHECK(x86flow_graph_bytes(&m) <= sizeof room);
        x86flow_graph_init(&g, &m, room);
        for (n = 0; n < COUNT; n++) CHECK_EQ(x86flow_survey(&b, &g, &m, (uint32_t)n), 0);
        if (round == 1) {
            x86flow_take(&g, &m, four[B].lo);
            x86flow_take(&g, &m, four[LEAF].lo);
        }
        x86flow_touch_tables(&g, &m);
        CHECK_EQ(g.count, 4);
        CHECK(x86flow_touched(&g, &m, four[B].lo) && !x86flow_touched(&g, &m, four[B].lo + 1));
        memset(memory, 0, sizeof memory);
        CHECK(x86flow_eliminate_bytes(&m, &g) <= sizeof memory);
        x86flow_eliminate(&m, &g, memory);
        CHECK(x86flow_body_init(&b, memory, sizeof memory, TEXT) != 0);
        CHECK((four[MAIN].flags & X86FLOW_CHECK) && !four[MAIN].direct);        /* a root */
        CHECK_EQ((four[LEAF].flags & X86FLOW_CHECK) != 0, round == 1);          /* taken */
        CHECK(!four[LEAF].direct);
        CHECK_EQ((four[LEAF].flags & X86FLOW_LEAF) != 0, 1);
        if (round == 0) {
            CHECK((four[A].flags & X86FLOW_CHECK) && four[A].direct);   /* b, which is deeper, */
            CHECK(!(four[B].flags & X86FLOW_CHECK));                    /* calls it */
        } else {                                /* b may be called from anywhere: it is no deeper */
            CHECK((four[B].flags & X86FLOW_CHECK) && four[B].direct + four[A].direct == 1);
        }
    }
}

/* A function whose rare part stands elsewhere (.cold), behind it or before it in memory:
       xor %eax,%eax; again: dec %edi; jns part; ret       part: inc %eax; call leaf; jmp
   again */
enum { WHOLE, OTHER, PART, PARTS };
static x86flow_function three[PARTS];
static void function_with_part(void) {
    static const unsigned char code[] = {0x31, 0xC0, 0xFF, 0xCF, 0x0F, 0x89, 54, 0, 0, 0, 0xC3};
    static const unsigned char part[] = {0xFF, 0xC0, 0xE8, 0xD9, 0xFF, 0xFF, 0xFF, 0xEB, 0xB9};
    (void)DECODE(code);
    memcpy(image + 64, part, sizeof part);
    image[32] = 0xC3;
    memset(three, 0, sizeof three);
    m.functions = three;
    m.count = PARTS;
    three[WHOLE].lo = address(0);
    three[WHOLE].size = sizeof code;
    three[OTHER].lo = address(32);
    three[OTHER].size = 5;
    three[PART].lo = address(64);
    three[PART].size = sizeof part;
    three[PART].flags = X86FLOW_FRAGMENT;
    memset(image + 33, 0x90, 4);
}

TEST(a_part_belongs_to_the_one_function_that_jumps_to_it) {
    static uint64_t room[8192];
    x86flow_graph g;
    int round, n;
    for (round = 0; round < 3; round++) {
        function_with_part();
        if (round == 1) memcpy(image + 32, "\xE9\x1B\0\0\0", 5);     /* the leaf jumps there, too */
        if (round == 2) memset(image + 4, 0x90, 6);     /* only the jump back tells */
        memset(room, 0, sizeof room);
        x86flow_graph_init(&g, &m, room);
        for (n = 0; n < PARTS; n++) CHECK_EQ(x86flow_survey(&b, &g, &m, (uint32_t)n), 0);
        x86flow_touch_tables(&g, &m);
        CHECK_EQ(three[PART].owner, round == 1 ? 0 : WHOLE + 1);
        CHECK_EQ(three[WHOLE].part, round == 1 ? 0 : PART + 1);
        if (round == 1) continue;
        CHECK_EQ(g.count, 1);                   /* for the graph of calls the two are one */
        CHECK(g.from[0] == WHOLE && g.to[0] == OTHER);
        memset(memory, 0, sizeof memory);
        x86flow_eliminate(&m, &g, memory);
        CHECK(x86flow_body_init(&b, memory, sizeof memory, TEXT) != 0);
        CHECK(!three[WHOLE].direct);            /* the jump back is no recursion */
    }
}

TEST(a_loop_through_a_part_is_checked) {
    function_with_part();
    three[WHOLE].part = PART + 1;
    CHECK_EQ(x86flow_decode(&b, &m, &three[WHOLE], 0), 0);
    CHECK_EQ(b.count, 7);
    CHECK(b.part == &three[PART] && b.part_first == 4 && b.size == 20);
    CHECK_EQ(x86flow_address(&b, 10), address(10));
    CHECK_EQ(x86flow_address(&b, 11), address(64));
    CHECK_EQ(x86flow_offset(&b, address(66)), 13);
    CHECK_EQ(x86flow_offset(&b, address(11)), ~0u);
    CHECK_EQ(x86flow_insn_at(&b, address(66)), 5);
    CHECK(x86flow_runs_on(&b, 4) && !x86flow_runs_on(&b, 3) && !x86flow_runs_on(&b, 6));
    x86flow_plan(&b, 4);
    CHECK(checked(2));                          /* there is a call in the loop */
    image[64] = 0x06;                           /* a part that is not understood is left alone */
    CHECK_EQ(x86flow_decode(&b, &m, &three[WHOLE], 0), 0);
    CHECK(b.count == 4 && !b.part && b.part_first == 4 && b.size == 11);
    x86flow_plan(&b, 4);
    CHECK(!checked(2));
}

/* ---- unwind information ---- */

static void put4(uint32_t at, uint32_t value) { memcpy(image + at, &value, 4); }

/* push %rbp; mov %rsp,%rbp; pop %rbp; ret at 0, CIE at TEXT, FDE behind it,
   then .eh_frame_hdr. */
enum { CIE = TEXT, FDE = TEXT + 24, HEADER = TEXT + 64 };
static void unwind_information(void) {
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xE5, 0x5D, 0xC3};
    static const unsigned char cie[] = {20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1B,
                                        0x0C, 7, 8, 0x90, 1, 0, 0};
    static const unsigned char fde[] = {32, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0,
                                        0x41, 0x0E, 16, 0x86, 2, 0x43, 0x0D, 6, 0x41, 0x0C, 7, 8};
    CHECK_EQ(DECODE(code), 0);
    memcpy(image + CIE, cie, sizeof cie);
    memcpy(image + FDE, fde, sizeof fde);
    put4(FDE + 8, (uint32_t)(0 - (FDE + 8)));
    memcpy(image + HEADER, "\x01\x1B\x03\x3B", 4);
    put4(HEADER + 8, 1);
    put4(HEADER + 12, (uint32_t)(0 - HEADER));
    put4(HEADER + 16, (uint32_t)(FDE - HEADER));
    m.frame_header = image + HEADER;
}

TEST(functions_are_listed_from_their_unwind_information) {
    x86flow_function listed[2];
    uint64_t start = 0;
    unwind_information();
    CHECK_EQ(x86flow_list_functions(&m, NULL, 0), 1);
    CHECK_EQ(x86flow_list_functions(&m, listed, 2), 1);
    CHECK_EQ(listed[0].lo, address(0));
    CHECK_EQ(listed[0].size, 6);
    CHECK_EQ(listed[0].reason, 0);
    CHECK_EQ(listed[0].flags & X86FLOW_FRAGMENT, 0);
    CHECK(x86flow_function_at(&m, address(5)) == listed && !x86flow_function_at(&m, address(6)));
    CHECK(x86flow_find_fde(image + HEADER, address(3), &start) == image + FDE);
    CHECK_EQ(start, address(0));
    CHECK(x86flow_find_fde(image + HEADER, address(5), &start) == image + FDE);
    CHECK(!x86flow_find_fde(image + HEADER, address(6), &start)); /* behind its end */
    image[FDE + 17] = 0x0E;                     /* its frame is there before it begins: a part */
    CHECK_EQ(x86flow_list_functions(&m, listed, 2), 1);
    CHECK(listed[0].flags & X86FLOW_FRAGMENT);
    image[CIE + 12] = 2;                        /* a code factor that nobody uses */
    CHECK_EQ(x86flow_list_functions(&m, listed, 2), 1);
    CHECK_EQ(listed[0].reason, X86FLOW_UNWIND);
    image[HEADER + 3] = 0;
    CHECK_EQ(x86flow_list_functions(&m, listed, 2), 0);
}

TEST(rules_lead_to_the_caller) {
    static const uint8_t reg[] = {7, 7, 7, 7, 6, 7};        /* places 0 to 5 */
    static const int32_t offset[] = {8, 16, 16, 16, 16, 8};
    uint64_t stack[4] = {0x1111, 0x2222, 0x3333, 0x4444}, pc = 0, rsp, rbp = 99;
    const uint64_t end = (uint64_t)(uintptr_t)(stack + 4);
    x86flow_rule rule;
    uint64_t place;
    unwind_information();
    for (place = 0; place < 6; place++) {
        CHECK_EQ(x86flow_find_rule(image + FDE, place, &rule), 0);
        CHECK_EQ(rule.reg, reg[place]);
        CHECK_EQ(rule.offset, offset[place]);
        CHECK_EQ(rule.rbp_saved, place >= 1);
    }
    CHECK_EQ(x86flow_find_rule(image + FDE, 1, &rule), 0);  /* rbp is pushed */
    rsp = (uint64_t)(uintptr_t)stack;
    CHECK_EQ(x86flow_step(&rule, &pc, &rsp, &rbp, end), 0);
    CHECK_EQ(pc, 0x2222);
    CHECK_EQ(rbp, 0x1111);
    CHECK_EQ(rsp, (uint64_t)(uintptr_t)(stack + 2));
    rsp++;                                                  /* no stack looks like that */
    CHECK_EQ(x86flow_step(&rule, &pc, &rsp, &rbp, end), -1);
    image[FDE + 17] = 0x0F;                                 /* an expression: no rule */
    CHECK_EQ(x86flow_find_rule(image + FDE, 5, &rule), -1);
}

/* gcc aligns a frame to 32 bytes: the CFA is kept at rbp - 8, and the caller's rbp
   at rbp. */
TEST(rules_of_frames_that_are_aligned) {
    static const unsigned char program[] = {0x41, 0x10, 6, 2, 0x76, 0, 0x41, 0x0F, 3, 0x76, 0x78, 6};
    uint64_t stack[8] = {1, 2, 3, 4, 5, 6, 7, 8}, pc = 0, rsp, rbp, end, k;
    x86flow_rule rule;
    unwind_information();
    memset(image + FDE + 17, 0, 19);
    memcpy(image + FDE + 17, program, sizeof program);
    CHECK_EQ(x86flow_find_rule(image + FDE, 0, &rule), 0);
    CHECK_EQ(rule.rbp_saved, 0);
    CHECK_EQ(x86flow_find_rule(image + FDE, 1, &rule), 0);
    CHECK_EQ(rule.rbp_saved, 2);
    CHECK_EQ(rule.cfa_saved, 0);
    CHECK_EQ(x86flow_find_rule(image + FDE, 2, &rule), 0);
    CHECK_EQ(rule.cfa_saved, 1);
    CHECK_EQ(rule.offset, -8);
    stack[1] = (uint64_t)(uintptr_t)(stack + 6);
    end = (uint64_t)(uintptr_t)(stack + 8);
    rsp = (uint64_t)(uintptr_t)stack;
    rbp = (uint64_t)(uintptr_t)(stack + 2);
    CHECK_EQ(x86flow_step(&rule, &pc, &rsp, &rbp, end), 0);
    CHECK_EQ(pc, 6);
    CHECK_EQ(rbp, 3);
    CHECK_EQ(rsp, (uint64_t)(uintptr_t)(stack + 6));
    for (k = 0; k < 4; k++) {               /* rbp or the word there leads outside */
        const uint64_t begin = (uint64_t)(uintptr_t)stack;
        rsp = begin + (k == 0 ? 16 : 0);
        rbp = k == 1 ? 0 : k == 2 ? end + 8 : begin + 16;
        if (k == 3) stack[1] = end + 8;
        CHECK_EQ(x86flow_step(&rule, &pc, &rsp, &rbp, end), -1);
    }
    for (k = 8; k <= 11; k++) {             /* other expressions: no rule */
        image[FDE + 17 + k] ^= 1;
        CHECK_EQ(x86flow_find_rule(image + FDE, 2, &rule), k == 10 ? 0 : -1);
        image[FDE + 17 + k] ^= 1;
    }
    image[FDE + 18] = 0x16;                 /* rbp is the value, and not where it is kept */
    CHECK_EQ(x86flow_find_rule(image + FDE, 2, &rule), -1);
}

/* base/unwind.c reads files of strangers, and says the same of an honest
   one. It knows the linker's stubs, too. */
TEST(the_tool_reads_the_same_rules_of_files) {
    FILE *own = fopen("/proc/self/exe", "rb");
    unsigned char *data = own ? (unsigned char *)malloc(1 << 26) : NULL;
    size_t size = data ? fread(data, 1, 1 << 26, own) : 0;
    elf_file e;
    dump_fault fault;
    unwind_file tool;
    const uint8_t *header = NULL;
    uint64_t n, k, same = 0, different = 0, missing = 0;
    if (own) fclose(own);
    if (size && elf_is(data, size) && elf_begin(&e, data, size, &fault) == 0) {
        unwind_begin(&tool, &e);
        for (n = 0; n < tool.load_count && tool.count; n++) {
            if (tool.base - tool.loads[n].address < tool.loads[n].size)
                header = data + tool.loads[n].offset + (tool.base - tool.loads[n].address);
        }
    }
    if (!header) {
        SKIP("a program with .eh_frame_hdr only");
        free(data);
        return;
    }
    for (n = 0; n < tool.count; n++) {
        for (k = 0; k < 200; k += 1 + n % 7) {
            int32_t from;
            uint64_t at, start = 0;
            const uint8_t *fde;
            x86flow_rule theirs;
            unwind_rule ours;
            memcpy(&from, header + 12 + 8 * n, 4);
            at = (uint64_t)(uintptr_t)header + (uint64_t)(int64_t)from + k;
            fde = x86flow_find_fde(header, at, &start);
            if (!fde) break;
            if (x86flow_find_rule(fde, at - start, &theirs) != 0) continue;
            if (unwind_find(&tool, tool.base + (uint64_t)(int64_t)from + k, &ours) != UNWIND_FOUND)
                missing++;
            else if (ours.reg != theirs.reg || ours.offset != theirs.offset
                     || ours.rbp_saved != theirs.rbp_saved || ours.cfa_saved != theirs.cfa_saved
                     || (ours.rbp_saved && ours.rbp != theirs.rbp))
                different++;
            else same++;
        }
    }
    CHECK(same > 100);
    CHECK_EQ(different, 0);
    CHECK_EQ(missing, 0);
    free(data);
}
#endif
