/* test_binpatch.c - functions whose bytes are given, hooked while they run. The
   header starts once in a process, so each test forks; the child says which check
   failed. tests/test_binpatch.sh has functions as compilers make them. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#define BINPATCH_IMPLEMENTATION
#define BINPATCH_STATIC
#include "binpatch.h"
#include "test.h"

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
TEST(writes_code_beside_other_threads) { SKIP("a sanitizer has its own thread"); }
#elif !defined(BINPATCH_SUPPORTED)
TEST(says_that_it_is_not_supported) {
    binpatch_watch w;
    binpatch_stats s;
    memset(&w, 0, sizeof w);
    CHECK_EQ(binpatch_init(NULL, 0, NULL), 0);
    CHECK_EQ(binpatch_hook(&w), -BINPATCH_UNSUPPORTED);
    CHECK_EQ(binpatch_unhook(0), -1);
    CHECK_EQ(binpatch_switch(1), 0);
    binpatch_get_stats(&s);
    CHECK_EQ(s.room, 0);
    CHECK_STR(binpatch_reason_text(BINPATCH_UNSUPPORTED), "not supported here");
}
#else
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static uint64_t memory[1 << 14];
static int told, returned_count;
static volatile int stop_threads;
static uint64_t result, argument;
static uintptr_t told_stack, told_from, returned_stack;

#define WANT(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* The body of a test, in a child. */
#define CHILD_TEST(name)                                                                           \
    static int name##_body(void);                                                                  \
    TEST(name) {                                                                                   \
        int status = 0;                                                                            \
        pid_t child;                                                                               \
        fflush(NULL);                                                                              \
        child = fork();                                                                            \
        if (child == 0) {                                                                          \
            alarm(600); /* where it waits for ever; no machine needs that */                       \
            _exit(name##_body());                                                                  \
        }                                                                                          \
        CHECK(waitpid(child, &status, 0) == child);                                                \
        CHECK_EQ(status, 0);                                                                       \
    }                                                                                              \
    static int name##_body(void)

static void entered(void *user, const binpatch_call *call) {
    (void)user;
    told++;
    argument = call->registers[BINPATCH_RDI];
    told_stack = call->stack;
    told_from = call->from;
    errno = 1;
}
static void returned(void *user, const binpatch_call *call) {
    (void)user;
    returned_count++;
    result = call->registers[BINPATCH_RAX];
    returned_stack = call->stack;
    errno = 2;
}

static int hook_of(uintptr_t function, size_t bytes, binpatch_observer in, binpatch_observer out) {
    binpatch_watch w;
    memset(&w, 0, sizeof w);
    w.function = function;
    w.bytes = bytes;
    w.entered = in;
    w.returned = out;
    return binpatch_hook(&w);
}

static uint32_t start(uint32_t every, uint32_t burst, uint32_t returns) {
    binpatch_config c;
    memset(&c, 0, sizeof c);
    c.every = every;
    c.burst = burst;
    c.returns = returns;
    return binpatch_init(memory, sizeof memory, &c);
}

/* ---- functions, byte by byte ---- */

#define CODE(name, text)                                                                           \
    __asm__(".text\n.p2align 4,0xCC\n.type " #name ",@function\n" #name ":\n.cfi_startproc\n" text \
            "\n.cfi_endproc\n.size " #name ",.-" #name "\n.p2align 4,0xCC\n");                     \
    extern int name(int) __attribute__((visibility("hidden")));

#define USED __attribute__((used))
USED static int cell = 1000, other_cell;
static int deep(int n);
USED static int (*volatile run_deep)(int) = deep;
static int helper(int n) { return n + 40; }
USED static int (*volatile pointer)(int) = helper;
__asm__(".text\n.type t_helper,@function\nt_helper: lea 40(%rdi),%eax\nret\n");

CODE(t_frame, "push %rbp\nmov %rsp,%rbp\nlea 1(%rdi),%eax\npop %rbp\nret")
CODE(t_rip, "add cell_of_test(%rip),%edi\nmov %edi,%eax\nret")
CODE(t_rip_and_number, "movl $7,other_of_test(%rip)\nlea 3(%rdi),%eax\nret")
CODE(t_endbr, ".byte 0xF3,0x0F,0x1E,0xFA\nlea 2(%rdi),%eax\nret")
CODE(t_short_branch, "test %edi,%edi\nje 1f\nlea 5(%rdi),%eax\nret\n1: mov $77,%eax\nret")
CODE(t_long_branch, "test %edi,%edi\n.byte 0x0F,0x84\n.long 1f-.-4\nlea 6(%rdi),%eax\nret\n"
                    "1: mov $78,%eax\nret")
CODE(t_jump, ".byte 0xE9\n.long t_frame-.-4")
CODE(t_short_jump, "mov %edi,%eax\njmp 1f\nnop\nnop\nnop\n1: add $9,%eax\nret")
CODE(t_jrcxz, "mov %edi,%ecx\njrcxz 1f\nlea 8(%rcx),%eax\nret\n1: mov $79,%eax\nret")
CODE(t_call, "sub $8,%rsp\n.cfi_adjust_cfa_offset 8\ncall t_helper\nadd $8,%rsp\n"
             ".cfi_adjust_cfa_offset -8\nret")
CODE(t_call_memory, "sub $8,%rsp\n.cfi_adjust_cfa_offset 8\ncall *pointer_of_test(%rip)\n"
                    "add $8,%rsp\n.cfi_adjust_cfa_offset -8\nret")
CODE(t_call_register, "mov %rdi,%rcx\nlea t_helper(%rip),%rax\nsub $8,%rsp\n"
                      ".cfi_adjust_cfa_offset 8\ncall *%rax\nadd $8,%rsp\n"
                      ".cfi_adjust_cfa_offset -8\nret")
CODE(t_pointer_call, "mov %rsi,%r10\npush %r10\n.cfi_adjust_cfa_offset 8\ncall *%r10\n"
                     "pop %r10\n.cfi_adjust_cfa_offset -8\nret")
CODE(t_red_zone, "mov %edi,-4(%rsp)\nmov -4(%rsp),%eax\ninc %eax\nret")
CODE(t_number, "mov $42,%eax\nret")
CODE(t_to_entry, "dec %edi\njns t_to_entry\nmov %edi,%eax\nret")
CODE(t_tail, "add $100,%edi\njmp t_frame\nnop")
CODE(t_to_deep, "mov %edi,%eax\nmov %eax,%edi\nnop\njmp *deep_of_test(%rip)")
CODE(t_jump_pointer, "mov $1,%r11d\nmov %rsi,%rax\njmp *%rax")
CODE(t_exact, "mov %edi,%eax\nnop\nnop\nret")
CODE(t_flags, "push %rbx\n.cfi_adjust_cfa_offset 8\nmov %edi,%ebx\nlea (%rbx,%rbx),%eax\npop %rbx\n"
              ".cfi_adjust_cfa_offset -8\nret")
/* Without unwind information, as stubs of the PLT. */
__asm__(".p2align 4\nt_stub: jmp *pointer_of_test(%rip)\n.p2align 4\n");
extern int t_stub(int) __attribute__((visibility("hidden")));
__asm__(".set cell_of_test,cell\n.set other_of_test,other_cell\n.set pointer_of_test,pointer\n"
        ".set deep_of_test,run_deep\n");

/* What is refused. */
CODE(n_ret, "ret")
CODE(n_short, "xor %eax,%eax\nnop\nret")
CODE(n_inside, "xor %eax,%eax\n1: inc %eax\ndec %edi\njne 1b\nret")
CODE(n_from_elsewhere, "xor %eax,%eax\nn_mark: inc %eax\nnop\nnop\nret")
CODE(n_elsewhere, "mov $5,%eax\n.byte 0xE9\n.long n_mark-.-4")
CODE(n_near, "nop\nnop\nnop\nmov $6,%eax\njmp n_before_mark")
CODE(n_before, "xor %eax,%eax\nn_before_mark: inc %eax\nnop\nret")
CODE(n_calls_itself, "xor %eax,%eax\n1: nop\nnop\nnop\ncall 1b\nret")
CODE(n_indirect, "mov %rsi,%rax\njmp *%rax")
CODE(n_unknown, "mov $5,%eax\n.byte 0x06\nret")
CODE(n_unknown_first, ".byte 0x06\nnop\nnop\nnop\nnop\nret")
CODE(n_trap, "int3\nnop\nnop\nnop\nnop\nret")
CODE(n_call, "call *%rsi\nnop\nnop\nnop\nret")
CODE(n_transaction, ".byte 0xC7,0xF8\n.long 0\nret")
__asm__(".p2align 4\nn_no_end: mov $1,%eax\nmov $2,%eax\nret\n");
extern int n_no_end(int) __attribute__((visibility("hidden")));

/* Pages of their own: writing into the middle two parts the mapping. */
__asm__(".text\n.p2align 12\nf_target:\n.cfi_startproc\nxor %eax,%eax\nf_mark: inc %eax\nnop\nnop\n"
        "ret\n.cfi_endproc\n.p2align 12\nf_jumps_up:\n.cfi_startproc\nmov $4,%eax\n.byte 0xE9\n"
        ".long f_high_mark-.-4\n.cfi_endproc\n.p2align 12\nf_first:\n.cfi_startproc\nmov $1,%eax\nret\n.cfi_endproc\n"
        ".p2align 12\nf_second:\n.cfi_startproc\nmov $2,%eax\nret\n.cfi_endproc\n.p2align 12\n"
        "f_jumps:\n.cfi_startproc\nmov $3,%eax\n.byte 0xE9\n.long f_mark-.-4\n.cfi_endproc\n"
        ".p2align 12\nf_high:\n.cfi_startproc\nxor %eax,%eax\nf_high_mark: inc %eax\nnop\nnop\nret\n"
        ".cfi_endproc\n.p2align 12\n");
extern int f_high(int) __attribute__((visibility("hidden")));
extern int f_jumps_up(int) __attribute__((visibility("hidden")));
extern int f_target(int) __attribute__((visibility("hidden")));
extern int f_first(int) __attribute__((visibility("hidden")));
extern int f_second(int) __attribute__((visibility("hidden")));
extern int f_jumps(int) __attribute__((visibility("hidden")));

typedef struct shape {
    const char *name;
    uintptr_t function;
    int in, out, entries;
} shape;
#define SHAPE(name, in, out, entries) {#name, 0, in, out, entries}
static shape shapes[] = {
    {"t_frame", (uintptr_t)t_frame, 1, 2, 1},
    {"t_rip", (uintptr_t)t_rip, 1, 1001, 1},
    {"t_rip_and_number", (uintptr_t)t_rip_and_number, 1, 4, 1},
    {"t_endbr", (uintptr_t)t_endbr, 1, 3, 1},
    {"t_short_branch", (uintptr_t)t_short_branch, 1, 6, 1},
    {"t_short_branch, taken", (uintptr_t)t_short_branch, 0, 77, 1},
    {"t_long_branch", (uintptr_t)t_long_branch, 1, 7, 1},
    {"t_long_branch, taken", (uintptr_t)t_long_branch, 0, 78, 1},
    {"t_jump", (uintptr_t)t_jump, 1, 2, 1},
    {"t_short_jump", (uintptr_t)t_short_jump, 1, 10, 1},
    {"t_jrcxz", (uintptr_t)t_jrcxz, 1, 9, 1},
    {"t_jrcxz, taken", (uintptr_t)t_jrcxz, 0, 79, 1},
    {"t_call", (uintptr_t)t_call, 1, 41, 1},
    {"t_call_memory", (uintptr_t)t_call_memory, 1, 41, 1},
    {"t_call_register", (uintptr_t)t_call_register, 1, 41, 1},
    {"t_red_zone", (uintptr_t)t_red_zone, 1, 2, 1},
    {"t_number", (uintptr_t)t_number, 1, 42, 1},
    {"t_to_entry", (uintptr_t)t_to_entry, 9, -1, 10},
    {"t_tail", (uintptr_t)t_tail, 1, 102, 1},
    {"t_exact", (uintptr_t)t_exact, 6, 6, 1},
    {"t_flags", (uintptr_t)t_flags, 21, 42, 1},
    {"t_stub", (uintptr_t)t_stub, 1, 41, 1},
};

static int call(uintptr_t function, int n) {
    int (*volatile f)(int) = (int (*)(int))function;
    return f(n);
}

/* Entry alone; entry and return; taken out; in a gap; switched off; in again. */
CHILD_TEST(functions_of_each_shape_compute_what_they_did) {
    unsigned n, round;
    WANT(start(0, 0, 0) > 100);
    for (n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        const shape *s = &shapes[n];
        unsigned char before[32];
        int hook, again;
        memcpy(before, (const void *)s->function, sizeof before);
        for (round = 0; round < 2; round++) {
            told = returned_count = 0;
            other_cell = 0;
            hook = hook_of(s->function, 0, entered, round ? returned : NULL);
            if (hook < 0) fprintf(stderr, "%s: %s\n", s->name, binpatch_reason_text(hook));
            WANT(hook >= 0);
            WANT(hook_of(s->function, 0, entered, NULL) == -BINPATCH_HOOKED);
            errno = 77;
            if (call(s->function, s->in) != s->out) fprintf(stderr, "%s\n", s->name);
            WANT(call(s->function, s->in) == s->out);
            WANT(errno == 77);
            if (told != 2 * s->entries) fprintf(stderr, "%s: %d\n", s->name, told);
            WANT(told == 2 * s->entries);
            WANT(returned_count == (round ? told : 0));
            WANT(!round || ((int)result == s->out && returned_stack == told_stack));
            WANT(binpatch_switch(0) == 1);
            WANT(call(s->function, s->in) == s->out && told == 2 * s->entries);
            WANT(binpatch_switch(1) == 0);
            WANT(call(s->function, s->in) == s->out && told == 3 * s->entries);
            if ((uintptr_t)t_rip_and_number == s->function) WANT(other_cell == 7);
            WANT(binpatch_unhook(hook) == 0);
            WANT(binpatch_unhook(hook) == -1);
            WANT(memcmp(before, (const void *)s->function, sizeof before) == 0);
            WANT(call(s->function, s->in) == s->out && told == 3 * s->entries);
            again = hook_of(s->function, 0, entered, NULL);
            WANT(again == hook);
            WANT(call(s->function, s->in) == s->out && told == 4 * s->entries);
            WANT(binpatch_unhook(hook) == 0);
        }
    }
    return 0;
}

static int asked_of_two(int (*f)(int, void *), int n, void *p) { return f(n, p); }

CHILD_TEST(calls_through_a_register_that_are_displaced) {
    int (*volatile f)(int, void *) = (int (*)(int, void *))(uintptr_t)t_pointer_call;
    int (*volatile j)(int, void *) = (int (*)(int, void *))(uintptr_t)t_jump_pointer;
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)t_pointer_call, 0, entered, returned) >= 0);
    WANT(asked_of_two(f, 2, (void *)(uintptr_t)t_frame) == 3);
    WANT(told == 1 && returned_count == 1 && argument == 2);
    WANT(hook_of((uintptr_t)t_jump_pointer, 0, entered, returned) >= 0);
    WANT(asked_of_two(j, 3, (void *)(uintptr_t)t_frame) == 4);
    WANT(told == 2 && returned_count == 2);
    return 0;
}

CHILD_TEST(what_cannot_be_displaced_is_refused_by_name) {
    static const struct { uintptr_t function; int reason; } all[] = {
        {(uintptr_t)n_ret, BINPATCH_SHORT}, {(uintptr_t)n_short, BINPATCH_SHORT},
        {(uintptr_t)n_inside, BINPATCH_INSIDE}, {(uintptr_t)n_from_elsewhere, BINPATCH_INSIDE},
        {(uintptr_t)n_before, BINPATCH_INSIDE}, {(uintptr_t)n_calls_itself, BINPATCH_INSIDE},
        {(uintptr_t)n_indirect, BINPATCH_INDIRECT}, {(uintptr_t)n_unknown, BINPATCH_UNKNOWN},
        {(uintptr_t)n_unknown_first, BINPATCH_UNKNOWN}, {(uintptr_t)n_trap, BINPATCH_UNMOVABLE},
        {(uintptr_t)n_call, BINPATCH_UNMOVABLE}, {(uintptr_t)n_transaction, BINPATCH_UNMOVABLE},
        {(uintptr_t)n_no_end, BINPATCH_NO_END}, {(uintptr_t)memory, BINPATCH_NOT_EXECUTABLE},
        {0, BINPATCH_NOT_EXECUTABLE}, {~(uintptr_t)0, BINPATCH_NOT_EXECUTABLE},
    };
    unsigned n;
    unsigned char before[16];
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) == -BINPATCH_NO_START);
    WANT(start(0, 0, 0));
    WANT(start(0, 0, 0) == 0);
    for (n = 0; n < sizeof all / sizeof *all; n++) {
        int got, has = n + 3 < sizeof all / sizeof *all;
        if (has) memcpy(before, (const void *)all[n].function, 16);
        got = hook_of(all[n].function, 0, entered, NULL);
        if (got != -all[n].reason) fprintf(stderr, "%u: %d, wanted %d\n", n, got, -all[n].reason);
        WANT(got == -all[n].reason);
        if (has) WANT(memcmp(before, (const void *)all[n].function, 16) == 0);
    }
    WANT(hook_of((uintptr_t)n_no_end, 11, entered, NULL) >= 0);
    WANT(call((uintptr_t)n_no_end, 0) == 2 && told == 1);
    WANT(call((uintptr_t)n_elsewhere, 0) == 6 && call((uintptr_t)n_near, 0) == 7);
    WANT(binpatch_unhook(-1) == -1 && binpatch_unhook(1) == -1);
    return 0;
}

CHILD_TEST(jumps_are_seen_beyond_pages_that_were_written) {
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)f_first, 0, entered, NULL) == 0);
    WANT(hook_of((uintptr_t)f_second, 0, entered, NULL) == 1);
    WANT(hook_of((uintptr_t)f_target, 0, entered, NULL) == -BINPATCH_INSIDE);
    WANT(hook_of((uintptr_t)f_high, 0, entered, NULL) == -BINPATCH_INSIDE);
    WANT(call((uintptr_t)f_jumps_up, 0) == 5);
    WANT(call((uintptr_t)f_first, 0) == 1 && call((uintptr_t)f_second, 0) == 2 && told == 2);
    WANT(call((uintptr_t)f_jumps, 0) == 4);
    return 0;
}

/* As where a library is closed, and another one is loaded to its place. */
CHILD_TEST(a_function_that_has_become_another_one_gets_a_hook_of_its_own) {
    unsigned char *code = (unsigned char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    WANT(code != MAP_FAILED);
    WANT(start(0, 0, 0));
    memcpy(code, "\x90\x90\x90\xB8\x07\0\0\0\xC3", 9);
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == 0);
    WANT(call((uintptr_t)code, 0) == 7 && told == 1);
    WANT(binpatch_unhook(0) == 0);
    code[7] = 1;        /* behind the jump, and displaced */
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == 1);
    WANT(call((uintptr_t)code, 0) == 0x01000007 && told == 2);
    WANT(binpatch_unhook(1) == 0);
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == 1);
    return 0;
}

static unsigned char *code_at(unsigned char *where, const char *bytes, size_t count) {
    unsigned char *code = (unsigned char *)mmap(where, 4096, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) return NULL;
    memcpy(code, bytes, count);
    return mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0 ? code : NULL;
}

/* A library that is closed takes its hooks with it. What is mapped to its place
   is not written to, and gets hooks of its own. */
#define SEVEN "\x90\x90\x90\xB8\x07\0\0\0\xC3"
#define EIGHT "\xB8\x08\0\0\0\xC3"
CHILD_TEST(what_was_unloaded_is_not_written_to) {
    unsigned char *code = code_at(NULL, SEVEN, 9);
    binpatch_stats s;
    WANT(code);
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == 0);
    WANT(munmap(code, 4096) == 0);
    WANT(binpatch_unhook(0) == 0 && binpatch_unhook(0) == -1);
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == -BINPATCH_NOT_EXECUTABLE);
    WANT(code_at(code, SEVEN, 9) == code);
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == 0);
    WANT(call((uintptr_t)code, 0) == 7 && told == 1);
    WANT(munmap(code, 4096) == 0 && code_at(code, EIGHT, 6) == code);
    WANT(hook_of((uintptr_t)code, 6, entered, NULL) == 1);
    WANT(call((uintptr_t)code, 0) == 8 && told == 2);
    WANT(binpatch_unhook(0) == -1);
    WANT(munmap(code, 4096) == 0 && code_at(code, SEVEN, 9) == code);
    WANT(binpatch_unhook(1) == 0 && memcmp(code, SEVEN, 9) == 0);
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == 0);
    WANT(munmap(code, 4096) == 0 && code_at(code, SEVEN, 9) == code);
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == 0);
    WANT(call((uintptr_t)code, 0) == 7 && told == 3);
    binpatch_get_stats(&s);
    WANT(s.functions == 1 && s.left == 0);
    /* data, too, and a page that ends within the old jump */
    WANT(mmap(code, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
              0) == code);
    WANT(binpatch_unhook(0) == 0 && code[0] == 0 && (code[1] = 1) == 1);
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == -BINPATCH_NOT_EXECUTABLE);
    return 0;
}

/* Without a file descriptor nothing tells what is mapped: the jump stays. */
CHILD_TEST(where_no_file_can_be_opened_nothing_is_written) {
    struct rlimit before, none;
    unsigned char jump[5];
    binpatch_stats s;
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)t_number, 0, entered, NULL) == 0);
    memcpy(jump, (const void *)(uintptr_t)t_number, 5);
    WANT(getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = before;
    none.rlim_cur = 0;
    WANT(setrlimit(RLIMIT_NOFILE, &none) == 0);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) == -BINPATCH_NOT_EXECUTABLE);
    WANT(binpatch_unhook(0) == 1);
    WANT(memcmp(jump, (const void *)(uintptr_t)t_number, 5) == 0);
    WANT(call((uintptr_t)t_number, 0) == 42 && told == 0);
    binpatch_get_stats(&s);
    WANT(s.functions == 0 && s.left == 1);
    WANT(setrlimit(RLIMIT_NOFILE, &before) == 0);
    WANT(hook_of((uintptr_t)t_number, 0, entered, NULL) == 0);
    WANT(call((uintptr_t)t_number, 0) == 42 && told == 1 && binpatch_unhook(0) == 0);
    WANT(memcmp(jump, (const void *)(uintptr_t)t_number, 5) != 0);
    return 0;
}

/* It begins as before, and a jump leads back into the displaced bytes. */
CHILD_TEST(what_came_to_the_place_is_judged_anew) {
    unsigned char *code = code_at(NULL, SEVEN, 9);
    WANT(code);
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)code, 11, entered, NULL) == 0);
    WANT(binpatch_unhook(0) == 0 && munmap(code, 4096) == 0);
    WANT(code_at(code, "\x90\x90\x90\xB8\x07\0\0\0\xC3\xEB\xF9", 11) == code);
    WANT(hook_of((uintptr_t)code, 11, entered, NULL) == -BINPATCH_INSIDE);
    WANT(memcmp(code, SEVEN, 9) == 0);
    return 0;
}

/* A jump of another tool, which leads on through ours, stays. */
CHILD_TEST(what_others_wrote_over_the_jump_stays) {
    unsigned char *code = code_at(NULL, SEVEN, 9);
    WANT(code);
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)code, 9, entered, NULL) == 0);
    WANT(mprotect(code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    memcpy(code, EIGHT, 6);
    WANT(binpatch_unhook(0) == 0 && memcmp(code, EIGHT, 6) == 0);
    WANT(hook_of((uintptr_t)code, 6, entered, NULL) == 1);
    WANT(call((uintptr_t)code, 0) == 8 && told == 1);
    return 0;
}

CHILD_TEST(every_reason_has_words) {
    int n, k;
    for (n = 0; n < BINPATCH_REASONS; n++) {
        for (k = 0; k < n; k++) WANT(strcmp(binpatch_reason_text(n), binpatch_reason_text(k)) != 0);
        WANT(binpatch_reason_text(-n) == binpatch_reason_text(n));
    }
    WANT(strcmp(binpatch_reason_text(BINPATCH_REASONS), "no such reason") == 0);
    return 0;
}

CHILD_TEST(memory_is_bounded) {
    static uint64_t little[128];
    binpatch_config c;
    uint32_t room;
    memset(&c, 0, sizeof c);
    c.returns = 8;
    WANT(binpatch_init(little, 8 * 40, &c) == 0);
    room = binpatch_init((char *)little + 8, 8 * 40 + 2 * sizeof(binpatch_p_hook) + 8, &c);
    WANT(room == 2);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) == 0);
    WANT(hook_of((uintptr_t)t_endbr, 0, entered, NULL) == 1);
    WANT(hook_of((uintptr_t)t_rip, 0, entered, NULL) == -BINPATCH_FULL);
    WANT(binpatch_unhook(0) == 0);
    WANT(hook_of((uintptr_t)t_rip, 0, entered, NULL) == -BINPATCH_FULL);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) == 0);
    WANT(little[(8 + 8 * 40 + 2 * sizeof(binpatch_p_hook)) / 8 + 1] == 0);
    return 0;
}

CHILD_TEST(no_room_within_two_gigabytes) {
    size_t bytes = (size_t)6 << 30;
    unsigned char *all = (unsigned char *)mmap(NULL, bytes, PROT_NONE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    unsigned char *code = all + ((size_t)3 << 30);
    WANT(all != MAP_FAILED);
    WANT(mprotect(code, 4096, PROT_READ | PROT_WRITE) == 0);
    memcpy(code, "\xB8\x07\0\0\0\xC3", 6);
    WANT(mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0);
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)code, 0, entered, NULL) == -BINPATCH_NO_END);
    WANT(hook_of((uintptr_t)code, 6, entered, NULL) == -BINPATCH_NO_ROOM);
    WANT(munmap(all, (size_t)2 << 30) == 0);
    WANT(hook_of((uintptr_t)code, 6, entered, returned) == 0);
    WANT(call((uintptr_t)code, 0) == 7 && told == 1 && returned_count == 1);
    return 0;
}

CHILD_TEST(code_that_the_system_keeps_from_being_written) {
    char path[64];
    int fd = (int)syscall(SYS_memfd_create, "code", 0u), reader;
    unsigned char *code;
    WANT(fd >= 0 && write(fd, "\xB8\x07\0\0\0\xC3", 6) == 6 && ftruncate(fd, 4096) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    reader = open(path, O_RDONLY);
    code = (unsigned char *)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, reader, 0);
    WANT(code != MAP_FAILED);
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)code, 6, entered, NULL) == -BINPATCH_READ_ONLY);
    WANT(call((uintptr_t)code, 0) == 7 && told == 0);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) == 0);
    return 0;
}

CHILD_TEST(where_the_processor_checks_returns_none_is_told) {
    WANT(start(0, 0, 0));
    binpatch_p.shadow_stack = 1;
    WANT(hook_of((uintptr_t)t_frame, 0, entered, returned) == -BINPATCH_SHADOW_STACK);
    WANT(hook_of((uintptr_t)t_call, 0, entered, NULL) == -BINPATCH_SHADOW_STACK);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) == 0);
    return 0;
}

/* ---- bursts ---- */

static int pattern_told[4096];
static __thread int calls_made;
static void note(void *user, const binpatch_call *call) {
    (void)call;
    ((int *)user)[calls_made]++;
}

static int follow(uint32_t every, uint32_t burst, int calls, int *seen) {
    binpatch_watch w;
    int n, hook;
    memset(&w, 0, sizeof w);
    memset(seen, 0, (size_t)calls * sizeof *seen);
    w.function = (uintptr_t)t_number;
    w.entered = note;
    w.user = seen;
    hook = binpatch_hook(&w);
    WANT(hook >= 0);
    for (calls_made = 0; calls_made < calls; calls_made++) WANT(call((uintptr_t)t_number, 1) == 42);
    WANT(binpatch_unhook(hook) == 0);
    for (n = 0; n < calls; n++) {
        int wanted = (uint32_t)n % (every + burst) >= every;
        if (seen[n] != wanted) fprintf(stderr, "call %d: %d\n", n, seen[n]);
        WANT(seen[n] == wanted);
    }
    return 0;
}

#define PATTERN(every, burst)                                                                      \
    CHILD_TEST(bursts_of_##burst##_behind_gaps_of_##every) {                                       \
        binpatch_stats s;                                                                          \
        WANT(start(every, burst, 0));                                                              \
        WANT(follow(every, burst, 4096, pattern_told) == 0);                                       \
        binpatch_get_stats(&s);                                                                    \
        WANT(s.bursts == (4096u + burst - 1) / (every + burst));                                       \
        return 0;                                                                                  \
    }
PATTERN(1, 1)
PATTERN(1, 7)
PATTERN(7, 1)
PATTERN(90, 10)
PATTERN(1000, 3)

CHILD_TEST(gaps_vary_within_their_bounds_and_by_their_seed) {
    static int first[4096];
    binpatch_config c;
    binpatch_watch w;
    int n, gap = 0, in = 0, shortest = 9999, longest = 0, bursts = 0;
    memset(&c, 0, sizeof c);
    memset(&w, 0, sizeof w);
    c.every = 20;
    c.burst = 4;
    c.jitter = 50;
    c.seed = 3;
    WANT(binpatch_init(memory, sizeof memory, &c));
    w.function = (uintptr_t)t_number;
    w.entered = note;
    w.user = first;
    WANT(binpatch_hook(&w) == 0);
    for (calls_made = 0; calls_made < 4096; calls_made++) (void)call((uintptr_t)t_number, 1);
    for (n = 0; n < 4096; n++) {
        if (first[n]) {
            if (!in) {
                bursts++;
                if (gap < shortest) shortest = gap;
                if (gap > longest) longest = gap;
            }
            in++;
            gap = 0;
        } else {
            WANT(in == 0 || in == 4);
            in = 0;
            gap++;
        }
    }
    WANT(shortest >= 10 && shortest <= 13 && longest <= 30 && longest >= 27 && bursts > 100);
    return 0;
}

static int again_in_observer;
static void calls_it_too(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    told++;
    again_in_observer += call((uintptr_t)t_number, 1) == 42;
}

CHILD_TEST(calls_of_an_observer_are_not_told) {
    int n;
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)t_number, 0, calls_it_too, calls_it_too) == 0);
    for (n = 0; n < 10; n++) WANT(call((uintptr_t)t_number, 1) == 42);
    WANT(told == 20 && again_in_observer == 20);
    return 0;
}

/* ---- hooks that come and go from observers, handlers and children ---- */

static int from_observer[4];
static void unhooks_itself(void *user, const binpatch_call *c) {
    (void)user;
    told++;
    from_observer[0] = binpatch_unhook(c->number);
    from_observer[1] = hook_of((uintptr_t)t_exact, 0, entered, returned);
    from_observer[2] = binpatch_switch(0);
    from_observer[3] = binpatch_switch(1);
}
CHILD_TEST(an_observer_hooks_unhooks_and_switches) {
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)t_frame, 0, unhooks_itself, returned) == 0);
    WANT(call((uintptr_t)t_frame, 1) == 2 && told == 1 && returned_count == 0);
    WANT(from_observer[0] == 0 && from_observer[1] == 1);
    WANT(from_observer[2] == 1 && from_observer[3] == 0);
    WANT(call((uintptr_t)t_exact, 6) == 6 && told == 2 && returned_count == 1);
    WANT(binpatch_unhook(1) == 0);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, unhooks_itself) == 0);
    WANT(call((uintptr_t)t_frame, 1) == 2 && call((uintptr_t)t_frame, 1) == 2);
    WANT(told == 4 && from_observer[0] == 0 && from_observer[1] == 1);
    return 0;
}

/* Signals come while the lock is held, since it nearly always is. */
static volatile int handled, wrong_in_handler;
static void hooks_in_handler(int signal) {
    int hook = hook_of((uintptr_t)n_elsewhere, 0, entered, NULL), error = errno;
    (void)signal;
    if (hook < 0 || binpatch_unhook(hook) != 0) wrong_in_handler++;
    if (binpatch_switch(1) != 1) wrong_in_handler++;
    errno = error;
    handled++;
}
static pthread_t main_thread;
static void *signals_main(void *unused) {
    int n, seen;
    (void)unused;
    for (n = 0; n < 50; n++) {
        seen = handled;
        if (pthread_kill(main_thread, SIGUSR1) != 0) return &told;
        while (handled == seen) sched_yield();
    }
    return NULL;
}
CHILD_TEST(a_signal_handler_hooks_while_its_thread_does) {
    pthread_t thread;
    void *failed;
    int n;
    sigset_t before, behind;
    WANT(start(0, 0, 0));
    main_thread = pthread_self();
    signal(SIGUSR1, hooks_in_handler);
    WANT(pthread_sigmask(SIG_SETMASK, NULL, &before) == 0);
    WANT(pthread_create(&thread, NULL, signals_main, NULL) == 0);
    while (handled < 50) {
        int hook = hook_of((uintptr_t)t_number, 0, entered, NULL);
        WANT(hook >= 0 && binpatch_unhook(hook) == 0);
    }
    WANT(pthread_join(thread, &failed) == 0 && !failed && wrong_in_handler == 0);
    WANT(pthread_sigmask(SIG_SETMASK, NULL, &behind) == 0);
    for (n = 1; n < 32; n++) WANT(sigismember(&before, n) == sigismember(&behind, n));
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) >= 0);
    WANT(call((uintptr_t)t_frame, 1) == 2 && told == 1);
    return 0;
}

/* The child of a fork finds the lock of a thread that it has not. */
static volatile int rounds_of_hooker;
static void *hooks_and_unhooks(void *unused) {
    (void)unused;
    while (!stop_threads) {
        int hook = hook_of((uintptr_t)t_number, 0, entered, NULL);
        if (hook < 0 || binpatch_unhook(hook) != 0) wrong_in_handler++;
        rounds_of_hooker++;
    }
    return NULL;
}
static int hooks_in_child(void) {
    int hook;
    (void)binpatch_unhook(0);
    hook = hook_of((uintptr_t)t_number, 0, entered, returned);
    WANT(hook == 0 || hook == 1);
    WANT(call((uintptr_t)t_number, 1) == 42 && told == 1 && returned_count == 1);
    hook = hook_of((uintptr_t)t_frame, 0, entered, NULL);
    WANT(hook >= 0 && call((uintptr_t)t_frame, 1) == 2 && told == 2);
    return 0;
}
CHILD_TEST(the_child_of_a_fork_hooks) {
    pthread_t thread;
    int n, status;
    WANT(start(0, 0, 0));
    WANT(pthread_create(&thread, NULL, hooks_and_unhooks, NULL) == 0);
    while (!rounds_of_hooker) sched_yield();
    for (n = 0; n < 16; n++) {
        pid_t child = fork();
        if (child == 0) _exit(hooks_in_child());
        WANT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    stop_threads = 1;
    WANT(pthread_join(thread, NULL) == 0 && wrong_in_handler == 0);
    return 0;
}
/* The same by construction: another process's lock, and a watch half written. */
CHILD_TEST(a_lock_of_another_process_is_taken) {
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)t_number, 0, entered, NULL) == 0 && binpatch_unhook(0) == 0);
    binpatch_p.lock = (int)getpid() + 1;
    binpatch_p.hooks[0].version |= 1;
    WANT(hook_of((uintptr_t)t_number, 0, entered, NULL) == 0 && binpatch_p.lock == 0);
    WANT(call((uintptr_t)t_number, 1) == 42 && told == 1);
    return 0;
}

/* ---- registers ---- */

typedef struct pair { uint64_t a, b; } pair;
#define WORK __attribute__((noinline, used))
WORK static double of_doubles(double a, double b, double c, double d, double e, double f, double g,
                              double h) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
WORK static long double of_long(long double a, long double b) { return a * b + 1; }
WORK static pair of_pair(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                         uint64_t g, uint64_t h) {
    pair p;
    p.a = a + 10 * b + 100 * c + 1000 * d;
    p.b = e + 10 * f + 100 * g + 1000 * h;
    return p;
}
static double (*volatile call_doubles)(double, double, double, double, double, double, double,
                                       double) = of_doubles;
static long double (*volatile call_long)(long double, long double) = of_long;
static pair (*volatile call_pair)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                  uint64_t, uint64_t) = of_pair;
static int (*volatile call_print)(char *, size_t, const char *, ...) = snprintf;

static void spoils(void *user, const binpatch_call *c) {
    volatile double x = 1;
    (void)user;
    (void)c;
    told++;
    __asm__ volatile("pxor %%xmm0,%%xmm0\npxor %%xmm1,%%xmm1\npxor %%xmm7,%%xmm7\nxor %%eax,%%eax\n"
                     "mov $-1,%%rdi\nmov $-1,%%rsi\nmov $-1,%%rdx\nmov $-1,%%rcx\nmov $-1,%%r8\n"
                     "mov $-1,%%r9\nmov $-1,%%r10\nmov $-1,%%r11\n"
                     ::: "xmm0", "xmm1", "xmm7", "rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9",
                     "r10", "r11");
    x = x * 2.5;
}

CHILD_TEST(arguments_and_results_in_all_registers) {
    char text[64];
    pair p;
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)call_doubles, 0, spoils, spoils) >= 0);
    WANT(hook_of((uintptr_t)call_long, 0, spoils, spoils) >= 0);
    WANT(hook_of((uintptr_t)call_pair, 0, spoils, spoils) >= 0);
    WANT(hook_of((uintptr_t)call_print, 0, spoils, spoils) >= 0);
    WANT(call_doubles(1, 2, 3, 4, 5, 6, 7, 8) == 204.0);
    WANT(call_long(3.0L, 5.0L) == 16.0L);
    p = call_pair(1, 2, 3, 4, 5, 6, 7, 8);
    WANT(p.a == 4321 && p.b == 8765);
    WANT(told == 6);
    WANT(call_print(text, sizeof text, "%d %s %.1f %d %d %d %.2f", 1, "two", 3.0, 4, 5, 6, 7.25) == 20);
    WANT(strcmp(text, "1 two 3.0 4 5 6 7.25") == 0);
    WANT(told >= 8);
    return 0;
}

/* The upper halves of ymm registers hold arguments, too. */
#ifdef __clang__
#define AVX __attribute__((target("avx"), noinline))
#else
#define AVX __attribute__((target("avx"), noinline, noclone))
#endif
typedef double four __attribute__((vector_size(32)));
AVX static void of_four(const double *in, double *out);
__asm__(".text\n.p2align 4\nt_four:\n.cfi_startproc\nvaddpd %ymm0,%ymm1,%ymm0\nnop\nnop\nret\n"
        ".cfi_endproc\n");
extern int t_four(int) __attribute__((visibility("hidden")));
AVX static void of_four(const double *in, double *out) {
    __asm__ volatile("vmovupd (%0),%%ymm0\nvmovupd (%0),%%ymm1\ncall t_four\nvmovupd %%ymm0,(%1)\n"
                     "vzeroupper" :: "r"(in), "r"(out) : "xmm0", "xmm1", "memory", "cc", "rax");
}
static void zeroes(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    told++;
    __asm__ volatile("vzeroall" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                     "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
CHILD_TEST(whole_vectors_are_kept) {
    double in[4] = {1, 2, 3, 4}, out[4] = {0, 0, 0, 0};
    if (!__builtin_cpu_supports("avx")) return 0;
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)t_four, 0, zeroes, zeroes) >= 0);
    of_four(in, out);
    WANT(told == 2 && out[0] == 2 && out[1] == 4 && out[2] == 6 && out[3] == 8);
    return 0;
}

/* ---- returns ---- */

WORK static int deep(int n) { return n ? run_deep(n - 1) + 1 : 0; }
static uintptr_t stacks[64];
static int open_now, most_open, wrong_frames;
static void opens(void *user, const binpatch_call *c) {
    (void)user;
    if (open_now < 64) stacks[open_now] = c->stack;
    if (++open_now > most_open) most_open = open_now;
}
static void closes(void *user, const binpatch_call *c) {
    (void)user;
    open_now--;
    if (open_now < 64 && open_now >= 0) wrong_frames += stacks[open_now] != c->stack;
}

CHILD_TEST(returns_come_in_the_opposite_order) {
    binpatch_stats s;
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)run_deep, 0, opens, closes) >= 0);
    WANT(run_deep(50) == 50);
    WANT(open_now == 0 && wrong_frames == 0 && most_open >= 1);
    binpatch_get_stats(&s);
    WANT(s.entries == s.returns && s.missed == 0 && s.functions == 1);
    return 0;
}

/* A chain of jumps: t_jump leads to t_frame, t_tail too; t_to_entry to itself. */
CHILD_TEST(a_call_that_ends_in_a_jump_is_told_with_what_it_became) {
    WANT(start(0, 0, 0));
    WANT(hook_of((uintptr_t)t_jump, 0, entered, returned) >= 0);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, returned) >= 0);
    WANT(hook_of((uintptr_t)t_tail, 0, entered, returned) >= 0);
    WANT(call((uintptr_t)t_jump, 5) == 6 && told == 2 && returned_count == 2);
    WANT(binpatch_p_which(told_from) == UINT32_MAX);    /* the caller, and not a pad */
    WANT(call((uintptr_t)t_tail, 5) == 106 && told == 4 && returned_count == 4);
    WANT(call((uintptr_t)t_frame, 5) == 6 && told == 5 && returned_count == 5);
    return 0;
}

/* A loop to the entry needs one pad, however long it runs. */
CHILD_TEST(a_long_loop_to_the_entry_waits_in_one_place) {
    binpatch_stats s;
    WANT(start(0, 0, 2));
    WANT(hook_of((uintptr_t)t_to_entry, 0, entered, returned) >= 0);
    WANT(call((uintptr_t)t_to_entry, 999) == -1 && told == 1000 && returned_count == 1000);
    binpatch_get_stats(&s);
    WANT(s.missed == 0 && s.returns == 1000);
    return 0;
}

/* A chain of jumps stays whole while all other pads are looked for. */
static int tail_returns;
static void tail_returned(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    tail_returns++;
}
CHILD_TEST(a_chain_of_jumps_outlives_a_look_at_all_pads) {
    int n;
    WANT(start(0, 0, 4));
    WANT(hook_of((uintptr_t)t_to_deep, 0, entered, tail_returned) >= 0);
    WANT(hook_of((uintptr_t)run_deep, 0, entered, returned) >= 0);
    for (n = 0; n < 10; n++) WANT(call((uintptr_t)t_to_deep, 20) == 20);
    WANT(tail_returns == 10 && returned_count >= 10);
    return 0;
}

static jmp_buf back;
static volatile int jump_now = 1;
WORK static int jumps(int n) {
    if (n) return jumps(n - 1) + 1;
    if (jump_now) longjmp(back, 1);
    return 0;
}
static int (*volatile run_jumps)(int) = jumps;

CHILD_TEST(longjmp_leaves_calls_and_their_pads_are_found_again) {
    binpatch_stats s;
    int n;
    volatile int left = 0;
    WANT(start(0, 0, 40));
    WANT(hook_of((uintptr_t)run_jumps, 0, entered, returned) >= 0);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, returned) >= 0);
    for (n = 0; n < 200; n++) {
        if (setjmp(back) == 0) (void)run_jumps(10);
        else left++;
        WANT(call((uintptr_t)t_frame, n) == n + 1);
    }
    binpatch_get_stats(&s);
    WANT(left == 200 && s.returns == 200 && s.missed == 0);
    return 0;
}

CHILD_TEST(more_open_calls_than_room_are_counted_and_return) {
    binpatch_stats s;
    int n;
    WANT(start(0, 0, 16));
    WANT(hook_of((uintptr_t)t_pointer_call, 0, entered, returned) >= 0);
    WANT(hook_of((uintptr_t)run_deep, 0, entered, returned) >= 0);
    for (n = 0; n < 20; n++) WANT(run_deep(40) == 40);
    binpatch_get_stats(&s);
    WANT(s.entries == s.returns + s.missed && s.returns >= 20);
    return 0;
}

/* Two stacks in one thread: a call is open on each while the other goes on. */
static ucontext_t main_context, fiber_context;
WORK static int switches(int n) {
    int k;
    for (k = 0; k < n; k++) swapcontext(&fiber_context, &main_context);
    return n;
}
static int (*volatile run_switches)(int) = switches;
static volatile int fiber_result;
static void fiber(void) { fiber_result = run_switches(10); }

CHILD_TEST(calls_are_open_on_two_stacks) {
    static char stack[1 << 16];
    int n;
    WANT(start(0, 0, 8));
    WANT(hook_of((uintptr_t)run_switches, 0, entered, returned) >= 0);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, returned) >= 0);
    getcontext(&fiber_context);
    fiber_context.uc_stack.ss_sp = stack;
    fiber_context.uc_stack.ss_size = sizeof stack;
    fiber_context.uc_link = &main_context;
    makecontext(&fiber_context, fiber, 0);
    for (n = 0; n < 11; n++) {
        int k;
        for (k = 0; k < 20; k++) WANT(call((uintptr_t)t_frame, k) == k + 1);
        WANT(swapcontext(&main_context, &fiber_context) == 0);
    }
    WANT(fiber_result == 10 && told == 221 && returned_count == 221);
    return 0;
}

/* ---- threads ---- */

static int wrong_results;
static void *calls_until_told(void *count) {
    unsigned n = 0;
    for (; !stop_threads; n++) {
        if (call((uintptr_t)t_number, (int)n) != 42) __atomic_fetch_add(&wrong_results, 1, __ATOMIC_RELAXED);
    }
    *(unsigned *)count = n;
    return NULL;
}

static unsigned told_by_threads;
static void adds(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    __atomic_fetch_add(&told_by_threads, 1, __ATOMIC_RELAXED);
}

/* The number of rounds is what matters; while a thread has not begun they go on. */
CHILD_TEST(threads_call_while_the_function_is_hooked_and_unhooked) {
    pthread_t thread[4];
    unsigned count[4] = {0, 0, 0, 0}, n;
    WANT(start(0, 0, 0));
    for (n = 0; n < 4; n++) WANT(pthread_create(&thread[n], NULL, calls_until_told, &count[n]) == 0);
    for (n = 0; n < 2000 / TEST_SCALE || told_by_threads == 0; n++) {
        int hook = hook_of((uintptr_t)t_number, 0, adds, n % 2 ? adds : NULL);
        WANT(hook == 0);
        if (n % 3 == 0) WANT(binpatch_switch(0) == 1 && binpatch_switch(1) == 0);
        if (n % 64 == 0) sched_yield();
        WANT(binpatch_unhook(hook) == 0);
    }
    stop_threads = 1;
    for (n = 0; n < 4; n++) WANT(pthread_join(thread[n], NULL) == 0);
    WANT(wrong_results == 0 && told_by_threads > 0);
    return 0;
}

static volatile int go_on;
static void *waits(void *unused) {
    (void)unused;
    while (!go_on) sched_yield();
    return NULL;
}

/* t_frame displaces several instructions; t_crossing has one, but in two words. */
__asm__(".text\n.p2align 4\nnop\nnop\nnop\nnop\nt_crossing:\n.cfi_startproc\nmov $43,%eax\nret\n"
        ".cfi_endproc\n.p2align 4\n");
extern int t_crossing(int) __attribute__((visibility("hidden")));

CHILD_TEST(beside_threads_only_what_is_safe_is_hooked) {
    pthread_t thread;
    int crossing;
    WANT(start(0, 0, 0));
    crossing = hook_of((uintptr_t)t_crossing, 0, entered, NULL);
    WANT(crossing >= 0);
    WANT(pthread_create(&thread, NULL, waits, NULL) == 0);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) == -BINPATCH_THREADS);
    WANT(hook_of((uintptr_t)t_number, 0, entered, NULL) >= 0);
    WANT(binpatch_unhook(crossing) == 1);           /* its jump stays, and tells nothing */
    WANT(call((uintptr_t)t_crossing, 0) == 43 && told == 0);
    WANT(hook_of((uintptr_t)t_crossing, 0, entered, NULL) == crossing);
    WANT(call((uintptr_t)t_crossing, 0) == 43 && told == 1);
    WANT(binpatch_unhook(crossing) == 1);
    go_on = 1;
    WANT(pthread_join(thread, NULL) == 0);
    WANT(hook_of((uintptr_t)t_frame, 0, entered, NULL) >= 0);
    return 0;
}

/* Each thread counts its own gaps: E unseen calls, then B that are told. */
static void *follows_alone(void *unused) {
    int n, k;
    (void)unused;
    for (n = 0; n < 100; n++) {
        for (k = 0; k < 12; k++) (void)call((uintptr_t)t_number, 1);
    }
    return NULL;
}
CHILD_TEST(each_thread_has_bursts_of_its_own) {
    pthread_t thread[3];
    int n;
    binpatch_stats s;
    WANT(start(9, 3, 0));
    WANT(hook_of((uintptr_t)t_number, 0, adds, NULL) >= 0);
    for (n = 0; n < 3; n++) WANT(pthread_create(&thread[n], NULL, follows_alone, NULL) == 0);
    for (n = 0; n < 3; n++) WANT(pthread_join(thread[n], NULL) == 0);
    binpatch_get_stats(&s);
    WANT(told_by_threads == 900 && s.entries == 900 && s.bursts == 300);
    return 0;
}

/* ---- libraries ---- */

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
CHILD_TEST(functions_of_the_c_library) {
    int numbers[100], n;
    void (*volatile sort)(void *, size_t, size_t, int (*)(const void *, const void *)) = qsort;
    size_t (*volatile length)(const char *) = strlen;   /* chosen by the processor */
    int by_length, by_sort;
    WANT(start(0, 0, 0));
    by_sort = hook_of((uintptr_t)sort, 0, entered, returned);
    if (by_sort < 0) fprintf(stderr, "qsort: %s\n", binpatch_reason_text(by_sort));
    WANT(by_sort >= 0);
    for (n = 0; n < 100; n++) numbers[n] = n * 37 % 100;
    sort(numbers, 100, sizeof *numbers, compare);
    for (n = 0; n < 100; n++) WANT(numbers[n] == n);
    WANT(told >= 1 && returned_count == told);
    WANT(binpatch_unhook(by_sort) == 0);
    told = 0;
    by_length = hook_of((uintptr_t)length, 0, entered, NULL);
    if (by_length >= 0) {
        for (n = 0; n < 10; n++) WANT(length("seven..") == 7);
        WANT(told == 10);
        WANT(binpatch_unhook(by_length) == 0);
    } else WANT(by_length == -BINPATCH_INSIDE || by_length == -BINPATCH_INDIRECT);
    return 0;
}

/* ---- instructions that move ---- */

CHILD_TEST(what_moves_leads_where_it_led) {
    static const unsigned char near_call[] = {0xE8, 0, 1, 0, 0};
    static const unsigned char lea[] = {0x48, 0x8D, 0x05, 0, 1, 0, 0};
    unsigned char out[64];
    x86decode_insn i;
    int reason = 99;
    /* lea 256(%rip): from 0x1000 to 0x5000, its operand is 0x4000 farther */
    WANT(binpatch_move(lea, 7, 0x1000, out, sizeof out, 0x5000, &reason) == 7 && reason == 0);
    WANT(x86decode(out, 7, &i) == 7 && i.displacement == 256 - 0x4000);
    WANT(binpatch_move(lea, 7, 0x1000, out, 6, 0x5000, &reason) == 0 && reason == BINPATCH_NO_ROOM);
    WANT(binpatch_move(lea, 7, 0x1000, out, sizeof out, UINT64_C(0x500000000), &reason) == 0
         && reason == BINPATCH_NO_ROOM);
    WANT(binpatch_move(lea, 6, 0x1000, out, sizeof out, 0x5000, &reason) == 0
         && reason == BINPATCH_UNKNOWN);
    /* processors differ in what a jump with an operand of 16 bits does */
    WANT(binpatch_move("\x66\x74\x05", 3, 0x1000, out, sizeof out, 0x5000, &reason) == 0
         && reason == BINPATCH_UNMOVABLE);
    /* a call pushes 0x1005 and jumps to 0x1105 */
    WANT(binpatch_move(near_call, 5, 0x7F0000001000, out, sizeof out, 0x7F0000005000, NULL) == 18);
    WANT(out[0] == 0x68 && out[1] == 0x05 && out[2] == 0x10 && out[13] == 0xE9);
    WANT(out[9] == 0 && out[10] == 0x7F && out[11] == 0 && out[12] == 0);
    WANT(x86decode(out + 13, 5, &i) == 5 && x86decode_target(&i, 0x7F000000500D) == 0x7F0000001105);
    WANT(binpatch_move("\x31\xC0", 2, 0x1000, out, sizeof out, 0x5000, NULL) == 2 && out[1] == 0xC0);
    return 0;
}
/* Whatever the decoder knows moves to code that does the same, or is refused. */
CHILD_TEST(random_instructions_move) {
    const uint64_t from = 0x400000, to = 0x500000;
    uint64_t state = 5;
    int n, moved = 0, relative = 0;
    for (n = 0; n < 300000 / TEST_SCALE; n++) {
        unsigned char in[16], out[64];
        uint64_t a = test_random(&state), b = test_random(&state);
        x86decode_insn i, o;
        size_t size, at = 0;
        int reason = 0;
        memcpy(in, &a, 8);
        memcpy(in + 8, &b, 8);
        if (n % 4 == 0) in[0] = (unsigned char)(0x70 | in[0] % 16);
        if (n % 16 == 1) in[0] = (unsigned char)(0xE0 | in[0] % 16);
        if (!x86decode(in, 16, &i)) continue;
        memset(out, 0xCC, sizeof out);
        size = binpatch_move(in, i.length, from, out, sizeof out - 8, to, &reason);
        WANT((size == 0) == (reason != 0) && size <= sizeof out - 8);
        WANT(size == 0 || out[size] == 0xCC);
        if (!size) {
            WANT(reason == BINPATCH_UNMOVABLE || reason == BINPATCH_NO_ROOM);
            continue;
        }
        moved++;
        if (i.kind == X86DECODE_CALL || i.kind == X86DECODE_CALL_INDIRECT) at = 13; /* push */
        WANT(x86decode(out + at, size - at, &o));
        if (i.kind == X86DECODE_JUMP || i.kind == X86DECODE_BRANCH || i.kind == X86DECODE_CALL) {
            WANT(o.length == size - at
                 && x86decode_target(&o, to + at) == x86decode_target(&i, from));
            WANT(i.kind != X86DECODE_BRANCH || (o.opcode & 15) == (i.opcode & 15));
            relative++;
        } else if (i.kind == X86DECODE_LOOP) {
            WANT(o.kind == X86DECODE_LOOP && o.opcode == i.opcode && o.immediate == 2);
            WANT(x86decode(out + o.length + 2, 5, &o) == 5);
            WANT(x86decode_target(&o, to + size - 5) == x86decode_target(&i, from));
        } else if (i.memory && i.base == X86DECODE_RIP) {
            WANT(o.length == size - at);
            WANT(to + size + (uint64_t)o.displacement
                 == from + i.length + (uint64_t)i.displacement);
            relative++;
        } else if (i.kind != X86DECODE_CALL_INDIRECT) {
            WANT(size == i.length && memcmp(in, out, size) == 0);
        }
    }
    WANT(moved > 100000 / TEST_SCALE && relative > 10000 / TEST_SCALE);
    return 0;
}
#endif
