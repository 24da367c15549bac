/* references.c - functions that load and store in many ways, for
   tests/test_record_proof.sh.

   Without an argument it just runs. With one it patches itself with record/x86,
   records every call and every reference, and writes them to standard error:
   "call NAME" and "L|S|M address,size", as valgrind's lackey does. Only
   references to `world` count, for the stack is elsewhere under valgrind; it
   prints where that is. With -DPLAIN only the functions are there. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef PLAIN
#define X86_IMPLEMENTATION
#define X86_STATIC
#include "record/x86/x86.h"
#endif
#include <stdio.h>
#include <string.h>

#ifdef __clang__
#define WORK __attribute__((noinline, used))
#else
#define WORK __attribute__((noinline, noclone, used))
#endif

typedef struct node {
    struct node *next;
    double weight;
    short kind;
    char name[22];
} node;

static struct {
    unsigned char bytes[4096];
    unsigned short halves[512];
    unsigned words[1024];
    unsigned long longs[512];
    float floats[512];
    double doubles[512];
    node nodes[64];
    unsigned long bits[16];
} world;
static volatile unsigned long sink;

WORK static unsigned long work_widths(unsigned n) {
    unsigned long sum = 0;
    unsigned i;
    for (i = 0; i < n; i++) {
        world.bytes[i * 7 & 4095] = (unsigned char)i;
        world.halves[i * 5 & 511] += (unsigned short)i;
        world.words[i & 1023] ^= world.words[i * 3 & 1023] + i;
        world.longs[i & 511] = world.longs[(i + 9) & 511] * 3 + world.bytes[i & 4095];
        sum += (unsigned long)(signed char)world.bytes[(i + 1) & 4095] + world.halves[i & 511];
    }
    return sum;
}

WORK static double work_floats(unsigned n) {
    double sum = 0;
    unsigned i;
    for (i = 0; i < n; i++) {
        world.floats[i & 511] = world.floats[(i * 3) & 511] * 0.5f + (float)i;
        world.doubles[i & 511] += (double)world.floats[i & 511];
        sum += world.doubles[(i * 7) & 511];
    }
    return sum;
}

WORK static unsigned long work_vectors(void) {
    unsigned i;
    sink = 1;             /* room for a jump before the loop */
    for (i = 0; i < 1024; i++) world.words[i] += 5;
    for (i = 0; i < 512; i++) world.doubles[i] = world.doubles[i] * 2 + 1;
    for (i = 0; i < 4096; i++) world.bytes[i] = (unsigned char)(world.bytes[i] ^ 0x55);
    return world.words[17] + world.bytes[5];
}

WORK static unsigned long work_list(void) {
    node *p;
    unsigned i, sum = 0;
    for (i = 0; i < 63; i++) world.nodes[i * 5 % 63].next = &world.nodes[(i + 1) * 5 % 63];
    for (p = &world.nodes[0], i = 0; i < 300; i++, p = p->next) {
        p->weight += 1;
        p->name[i % 22] = (char)i;
        sum += (unsigned)p->kind++;
    }
    return sum;
}

WORK static unsigned long work_switch(unsigned i) {
    switch (i % 9) {
    case 0: return world.words[i & 1023]++;
    case 1: return world.longs[i & 511]--;
    case 2: return world.bytes[i & 4095];
    case 3: world.words[1] <<= 1; return 1;
    case 4: world.longs[2] = ~world.longs[2]; return 2;
    case 5: return world.words[3] / (world.words[4] | 1);
    case 6: return (unsigned long)(world.doubles[i & 511] > 3);
    case 7: return world.halves[i & 511] * 3ul;
    default: return 4;
    }
}

#ifdef __x86_64__
WORK static void work_instructions(unsigned i) {
    unsigned long *p = world.longs, *q = world.bits, index = i & 255, old = 1, count = i & 15;
    unsigned long *from = p, *to = p + 40;
    unsigned char *byte = world.bytes + index, *next = byte;
    __asm__ volatile("xaddq %0, (%1)" : "+r"(old) : "r"(p) : "memory", "cc");
    __asm__ volatile("lock cmpxchgq %1, 8(%0)" : : "r"(p), "r"(old) : "rax", "memory", "cc");
    __asm__ volatile("btsq $5, 24(%0)" : : "r"(q) : "memory", "cc");
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushq 8(%0)\n\tpopq 16(%0)\n\t"
                     "leaq 128(%%rsp), %%rsp" : : "r"(q) : "memory");
    __asm__ volatile("leaq (%0,%1,8), %%r12\n\tmovq (%%r12), %%r13\n\tmovq %%r13, 8(%%r12)"
                     : : "r"(q), "r"(index & 7) : "r12", "r13", "memory");
    __asm__ volatile("cld\n\trep movsq" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    __asm__ volatile("stosb\n\tlodsb\n\tscasb" : "+D"(byte), "+S"(next), "+a"(old) : : "memory", "cc");
    __asm__ volatile("setc 7(%0)" : : "r"(p) : "memory");
    __asm__ volatile("movddup 32(%0), %%xmm0\n\tmovhps %%xmm0, 48(%0)\n\tpinsrw $2, 6(%0), %%xmm0"
                     : : "r"(p) : "xmm0", "memory");
}
#endif

WORK static unsigned long work_all(void) {
    unsigned long sum = work_widths(300) + work_list() + work_vectors();
    unsigned i;
    sum += (unsigned long)(long)work_floats(200);
    for (i = 0; i < 90; i++) sum += work_switch(i);
    for (i = 0; i < 40; i++) work_instructions(i * 13);
    return sum;
}

#ifndef PLAIN
/* ---- what was recorded ---- */

static uint64_t repeat;

static int inside(uint64_t address) {
    return address - (uint64_t)(uintptr_t)&world < sizeof world;
}

static void print_reference(uint32_t what, uint64_t address) {
    int letter = what & X86_LOAD ? what & X86_STORE ? 'M' : 'L' : 'S';
    if (!inside(address)) return;
    fprintf(stderr, " %c %08lx,%u\n", letter, (unsigned long)address, X86_BYTES(what));
}

static void take(void *user, const x86_event *e, size_t count, int ended) {
    (void)user;
    (void)ended;
    for (; count--; e++) {
        const uint32_t both = X86_LOAD | X86_STORE;
        if (e->what & X86_REPEAT) {         /* of a movs: loads and stores by turns */
            uint64_t n, k;
            for (n = 0; n < e->value; n++) {
                for (k = 1; k <= 2; k++) print_reference(e[k].what, e[k].value + 8 * n);
            }
            repeat = 2;
        } else if (e->what & both && repeat) {
            repeat--;
        } else if (e->what & both) {
            print_reference(e->what, e->value);
        } else if (e->what & X86_ENTRY) {
            x86_function f;
            if (x86_get_function(x86_find_function(X86_MODULE(e->what), e->place), &f)
                == 0)
                fprintf(stderr, "call %s\n", f.name);
        }
    }
}

static int want(void *user, const char *module, const char *function) {
    (void)user;
    return !*module && (!function || strncmp(function, "work_", 5) == 0);
}

#endif

#ifdef PLAIN
int main(void) {
    sink = work_all();
    return 0;
}
#else
int main(int argc, char **argv) {
    static x86_config config;
    static char buffer[1 << 16];
    (void)argv;
    setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
    printf("%lx %lx\n", (unsigned long)(uintptr_t)&world,
           (unsigned long)(uintptr_t)&world + sizeof world);
    fflush(stdout);
    if (argc > 1) {
        config.every = X86_ALWAYS;
        config.all_checks = 1;
        config.events = X86_ENTRY | X86_LOAD | X86_STORE;
        config.want = want;
        config.action = take;
        if (!x86_install(&config)) {
            printf("%s\n", x86_reason());
            return 2;
        }
    }
    sink = work_all();
    x86_flush();
    return 0;
}
#endif
