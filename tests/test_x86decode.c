/* test_x86decode.c - the decoder against what objdump prints, against
   every truncation, against random bytes, and what it says about operands and
   registers against a table. */
#define _POSIX_C_SOURCE 200809L         /* popen, mkstemp */
#include "x86decode_text.inc"
#include "../base/x86effects.h" /* so named, it wants nothing of the tool */
#include "test.h"
#ifdef __unix__
#include <unistd.h>
#endif

static const char *const code_hex[] = {
#include "x86decode_code.inc"
};
enum { COUNT = 1309, DIGITS = 80 };    /* instructions, and digits in a line of theirs */

/* Returns how many bytes there are; code is CODE_MOST large. */
enum { CODE_MOST = sizeof code_hex / sizeof *code_hex * DIGITS / 2 };
static unsigned code_of(unsigned char *code) {
    unsigned line, at, count = 0, byte;
    for (line = 0; line < sizeof code_hex / sizeof *code_hex; line++)
        for (at = 0; code_hex[line][at] && sscanf(code_hex[line] + at, "%2x", &byte) == 1; at += 2)
            code[count++] = (unsigned char)byte;
    return count;
}

TEST(agrees_with_objdump) {
#ifdef __unix__
    static unsigned char code[CODE_MOST];
    char name[] = "/tmp/x86decode.XXXXXX", line[512];
    unsigned size = code_of(code), before;
    int file = mkstemp(name), n;
    FILE *text;
    CHECK(file >= 0 && write(file, code, size) == (ssize_t)size);
    close(file);
    snprintf(line, sizeof line, "objdump -D -b binary -m i386:x86-64 -w --insn-width=15 %s 2>&1",
             name);
    text = popen(line, "r");
    for (before = (unsigned)instructions; fgets(line, sizeof line, text);) compare(line);
    if (pclose(text) == 127 << 8 && instructions == before) SKIP("no objdump");
    else CHECK_EQ(instructions - before, COUNT);
    for (n = 0; n < 5; n++) CHECK_EQ(mismatches[n], 0);
    remove(name);
#else
    SKIP("objdump is not asked here");
#endif
}

/* The comparison itself finds what is wrong: a test that cannot fail would be
   none. */
TEST(comparison_finds_mismatches) {
    static const char *const wrong[5]
        = {"  10:\t06 \tpush   %es\n", "  10:\t90 90 \tnop\n", "  10:\tc3 \tnop\n",
           "  10:\teb 00 \tjmp    13\n", "  10:\t8b 00 \tmov    (%rcx),%eax\n"};
    unsigned long before[5], count = instructions;
    int n;
    memcpy(before, mismatches, sizeof before);
    for (n = 0; n < 5; n++) { mismatches[n] += 5; compare(wrong[n]); mismatches[n] -= 5; }
    for (n = 0; n < 5; n++) { CHECK_EQ(mismatches[n] - before[n], 1); mismatches[n] = before[n]; }
    instructions = count;
}

TEST(truncated_is_refused) {
    static unsigned char code[CODE_MOST];
    unsigned all = code_of(code), at, count, size, n = 0;
    x86decode_insn i;
    for (at = 0; (count = x86decode(code + at, all - at, &i)) != 0; at += count, n++) {
        for (size = 0; size < count; size++) CHECK_EQ(x86decode(code + at, size, &i), 0);
        CHECK_EQ(x86decode(code + at, count, &i), count);
    }
    CHECK_EQ(at, all);
    CHECK_EQ(n, COUNT);
}

TEST(random_bytes) {
    uint64_t state = 12;
    int n, valid = 0;
    for (n = 0; n < 2000000; n++) {
        unsigned char bytes[16];
        uint64_t a = test_random(&state), b = test_random(&state);
        size_t size = (size_t)(n % 17);
        unsigned length;
        x86decode_insn i;
        x86decode_effect e;
        memcpy(bytes, &a, 8);
        memcpy(bytes + 8, &b, 8);
        length = x86decode(bytes, size, &i);
        CHECK(length <= size && length <= 15);
        if (!length) continue;
        valid++;
        CHECK(i.length == length && i.base >= -2 && i.base < 16 && i.index >= -1 && i.index < 32);
        CHECK(i.displacement_at + i.displacement_size <= (int)length
              && i.immediate_at + i.immediate_size <= (int)length);
        x86decode_effects(&i, &e);
        CHECK((e.sets & ~e.writes) == 0);
        if (i.memory && i.base >= 0) CHECK(e.reads >> i.base & 1);
    }
    CHECK(valid > 500000);
}

typedef struct row {
    const char *hex;
    unsigned access, bytes, implicit;           /* of the memory operand */
    unsigned reads, writes, sets, flags;        /* of the general registers, exactly */
} row;
enum {
    AX = 1,
    CX = 2,
    DX = 4,
    BX = 8,
    SP = 16,
    BP = 32,
    SI = 64,
    DI = 128,
    R8 = 256,
    R15 = 32768,
    R_ = 1,
    W_ = 2
};
enum { READ = 1, WRITE = 2, KILL = 4, CALL = 0x0FC7 };

static const row rows[] = {
    {"48 8b 44 8b 10", R_, 8, 0, BX | CX, AX, AX, 0},   /* mov 16(%rbx,%rcx,4),%rax */
    {"66 8b 03", R_, 2, 0, BX | AX, AX, 0, 0},          /* mov (%rbx),%ax */
    {"44 88 3a", W_, 1, 0, DX | R15, 0, 0, 0},          /* mov %r15b,(%rdx) */
    {"88 23", W_, 1, 0, BX | AX, 0, 0, 0},              /* mov %ah,(%rbx) */
    {"40 88 23", W_, 1, 0, BX | SP, 0, 0, 0},           /* mov %spl,(%rbx) */
    {"01 0a", R_ | W_, 4, 0, CX | DX, 0, 0, KILL},      /* add %ecx,(%rdx) */
    {"39 0a", R_, 4, 0, CX | DX, 0, 0, KILL},           /* cmp %ecx,(%rdx) */
    {"83 3a 07", R_, 4, 0, DX, 0, 0, KILL},             /* cmpl $7,(%rdx) */
    {"83 12 07", R_ | W_, 4, 0, DX, 0, 0, READ | KILL}, /* adcl $7,(%rdx) */
    {"31 c0", 0, 0, 0, 0, AX, AX, KILL},                /* xor %eax,%eax */
    {"30 c0", 0, 0, 0, AX, AX, 0, KILL},                /* xor %al,%al */
    {"48 8d 04 0a", 0, 0, 0, CX | DX, AX, AX, 0},       /* lea (%rdx,%rcx),%rax */
    {"48 63 14 88", R_, 4, 0, AX | CX, DX, DX, 0},      /* movslq (%rax,%rcx,4),%rdx */
    {"0f b6 02", R_, 1, 0, DX, AX, AX, 0},              /* movzbl (%rdx),%eax */
    {"0f b7 02", R_, 2, 0, DX, AX, AX, 0},              /* movzwl (%rdx),%eax */
    {"0f 44 ca", 0, 0, 0, CX | DX, CX, 0, READ},        /* cmove %edx,%ecx */
    {"0f 94 02", W_, 1, 0, DX, 0, 0, READ},             /* sete (%rdx) */
    {"ff 02", R_ | W_, 4, 0, DX, 0, 0, WRITE},          /* incl (%rdx) */
    {"d3 e0", 0, 0, 0, AX | CX, AX, 0, WRITE},          /* shl %cl,%eax: %cl may be 0 */
    {"c1 e8 04", 0, 0, 0, AX, AX, 0, KILL},             /* shr $4,%eax */
    {"c1 e8 20", 0, 0, 0, AX, AX, 0, WRITE},            /* shr $32,%eax: by nothing */
    {"48 c1 f8 20", 0, 0, 0, AX, AX, 0, KILL},          /* sar $32,%rax */
    {"48 c1 e0 40", 0, 0, 0, AX, AX, 0, WRITE},         /* shl $64,%rax: by nothing */
    {"d1 e0", 0, 0, 0, AX, AX, 0, KILL},                /* shl %eax */
    {"c1 c0 04", 0, 0, 0, AX, AX, 0, WRITE},            /* rol $4,%eax: the carry alone */
    {"c1 d0 04", 0, 0, 0, AX, AX, 0, READ | WRITE},     /* rcl $4,%eax */
    {"f7 22", R_, 4, 0, AX | DX, AX | DX, 0, KILL},     /* mull (%rdx) */
    {"48 99", 0, 0, 0, AX, DX, DX, 0},                  /* cqto */
    {"f3 a4", 0, 0, X86DECODE_LOAD_RSI | X86DECODE_STORE_RDI, AX | CX | SI | DI, AX | CX | SI | DI,
     0, 0},
    {"53", 0, 0, X86DECODE_PUSH, BX | SP, SP, 0, 0},            /* push %rbx */
    {"5b", 0, 0, X86DECODE_POP, SP, BX | SP, BX, 0},            /* pop %rbx */
    {"8f 44 24 08", W_, 8, X86DECODE_POP, SP, SP, 0, 0},        /* pop 8(%rsp) */
    {"c9", 0, 0, X86DECODE_POP, BP | SP, BP | SP, 0, 0},        /* leave */
    {"ff 35 10 00 00 00", R_, 8, X86DECODE_PUSH, SP, SP, 0, 0}, /* push 16(%rip) */
    {"e8 00 00 00 00", 0, 0, X86DECODE_PUSH, 65535, CALL, 0, KILL},
    {"ff 24 c5 00 00 40 00", R_, 8, 0, AX, 0, 0, 0},           /* jmp *0x400000(,%rax,8) */
    {"0f 28 02", R_, 16, 0, DX, 0, 0, 0},                      /* movaps (%rdx),%xmm0 */
    {"f3 0f 10 02", R_, 4, 0, DX, 0, 0, 0},                    /* movss (%rdx),%xmm0 */
    {"f2 0f 11 02", W_, 8, 0, DX, 0, 0, 0},                    /* movsd %xmm0,(%rdx) */
    {"66 0f d6 02", W_, 8, 0, DX, 0, 0, 0},                    /* movq %xmm0,(%rdx) */
    {"f3 0f 7e 02", R_, 8, 0, DX, 0, 0, 0},                    /* movq (%rdx),%xmm0 */
    {"66 0f 2e 02", R_, 8, 0, DX, 0, 0, KILL},                 /* ucomisd (%rdx),%xmm0 */
    {"f2 48 0f 2a c2", 0, 0, 0, DX, 0, 0, 0},                  /* cvtsi2sd %rdx,%xmm0 */
    {"f2 48 0f 2c c1", 0, 0, 0, 0, AX, AX, 0},                 /* cvttsd2si %xmm1,%rax */
    {"66 48 0f 7e c2", 0, 0, 0, 0, DX, DX, 0},                 /* movq %xmm0,%rdx */
    {"66 0f d7 c1", 0, 0, 0, 0, AX, AX, 0},                    /* pmovmskb %xmm1,%eax */
    {"c5 fe 6f 02", R_, 32, 0, DX, 0, 0, 0},                   /* vmovdqu (%rdx),%ymm0 */
    {"c4 e2 75 2c 02", R_, 32, 0, DX, 0, 0, 0},                /* vmaskmovps (%rdx),%ymm1,%ymm0 */
    {"c4 e2 75 2e 02", W_, 32, 0, DX, 0, 0, 0},                /* vmaskmovps %ymm0,%ymm1,(%rdx) */
    {"c4 e2 75 2d 02", R_, 32, 0, DX, 0, 0, 0},                /* vmaskmovpd (%rdx),%ymm1,%ymm0 */
    {"c4 e2 75 2f 02", W_, 32, 0, DX, 0, 0, 0},                /* vmaskmovpd %ymm0,%ymm1,(%rdx) */
    {"c4 e2 75 8c 02", R_, 32, 0, DX, 0, 0, 0},                /* vpmaskmovd (%rdx),%ymm1,%ymm0 */
    {"c4 e2 75 8e 02", W_, 32, 0, DX, 0, 0, 0},                /* vpmaskmovd %ymm0,%ymm1,(%rdx) */
    {"66 0f f7 c1", 0, 0, X86DECODE_STORE_RDI, DI, 0, 0, 0},   /* maskmovdqu %xmm1,%xmm0 */
    {"62 f1 7c 48 11 42 01", W_, 64, 0, DX, 0, 0, 0},          /* vmovups %zmm0,64(%rdx) */
    {"c4 e2 79 49 00", W_, 64, 0, AX, 0, 0, 0},                /* sttilecfg (%rax) */
    {"c4 e2 78 49 00", R_, 64, 0, AX, 0, 0, 0},                /* ldtilecfg (%rax) */
    {"c4 e2 7a 4b 0c 10", W_, 0, 0, AX | DX, 0, 0, 0},         /* tilestored %tmm1,(%rax,%rdx) */
    {"d9 1a", W_, 4, 0, DX, 0, 0, 0},                          /* fstps (%rdx) */
    {"df 2a", R_, 8, 0, DX, 0, 0, 0},                          /* fildll (%rdx) */
    {"db 3a", W_, 10, 0, DX, 0, 0, 0},                         /* fstpt (%rdx) */
    {"0f 1f 40 00", 0, 0, 0, AX, 0, 0, 0},                     /* nopl 0(%rax) */
    {"0f 18 02", 0, 0, 0, DX, 0, 0, 0},                        /* prefetchnta (%rdx) */
    {"f0 0f b1 0a", R_ | W_, 4, 0, AX | CX | DX, AX, 0, KILL}, /* lock cmpxchg %ecx,(%rdx) */
    {"f0 48 0f c7 0a", R_ | W_, 16, 0, 15, 15, 0, WRITE},      /* lock cmpxchg16b (%rdx) */
    {"48 a1 08 07 06 05 04 03 02 01", R_, 8, 0, AX, AX, 0, 0}, /* movabs 0x102030405060708 */
    {"0f a2", 0, 0, 0, AX | CX, 15, 15, 0},                    /* cpuid */
    {"0f 31", 0, 0, 0, 0, AX | DX, AX | DX, 0},                /* rdtsc */
    {"74 00", 0, 0, 0, 0, 0, 0, READ},                         /* je */
    {"9c", 0, 0, X86DECODE_PUSH, SP, SP, 0, READ},             /* pushf */
    {"41 50", 0, 0, X86DECODE_PUSH, R8 | SP, SP, 0, 0}         /* push %r8 */
};

static unsigned bytes_from(const char *hex, unsigned char *bytes) {
    unsigned count = 0;
    for (; *hex; hex += hex[2] ? 3 : 2) bytes[count++] = (unsigned char)strtoul(hex, NULL, 16);
    return count;
}

TEST(operands_and_registers) {
    size_t n;
    for (n = 0; n < sizeof rows / sizeof *rows; n++) {
        const row *r = &rows[n];
        unsigned char bytes[16];
        unsigned count = bytes_from(r->hex, bytes);
        x86decode_insn i;
        x86decode_effect e;
        int before = test_broken;
        CHECK_EQ(x86decode(bytes, count, &i), count);
        x86decode_effects(&i, &e);
        CHECK_EQ(i.access, r->access);
        CHECK_EQ(i.access_bytes, r->bytes);
        CHECK_EQ(i.implicit, r->implicit);
        CHECK_EQ(e.reads, r->reads);
        CHECK_EQ(e.writes, r->writes);
        CHECK_EQ(e.sets, r->sets);
        CHECK_EQ(e.flags, r->flags);
        if (test_broken != before) fprintf(stderr, "    in %s\n", r->hex);
    }
}

TEST(what_is_refused) {
    static const char *const bad[] = {"06",
                                      "82 c0 00",
                                      "66 e9 00 00 00 00",
                                      "66 0f 84 00 00 00 00",
                                      "48 c5 f8 77",
                                      "f0 c4 e2 79 18 00",
                                      "d6",
                                      "62 f0 7c 48 11 42 01",
                                      "90 e8"};
    unsigned char bytes[16];
    x86decode_insn i;
    size_t n;
    for (n = 0; n + 1 < sizeof bad / sizeof *bad; n++)
        CHECK_EQ(x86decode(bytes, bytes_from(bad[n], bytes), &i), 0);
    CHECK_EQ(x86decode(bytes, bytes_from(bad[n], bytes), &i),
             1); /* and nop is not, whatever follows */
    CHECK_EQ(x86decode(bytes, bytes_from("66 66 48 e8 00 00 00 00", bytes), &i),
             8); /* as __tls_get_addr is called */
    memset(bytes, 0x66, sizeof bytes);
    CHECK_EQ(x86decode(bytes, 16, &i), 0);                               /* prefixes alone */
}
