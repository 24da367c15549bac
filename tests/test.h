/* test.h - the whole test framework: TEST(name) { CHECK(...); } registers
   itself, and main stands here. A test is passed when no CHECK in it failed;
   the first failures of each are printed with file and line. SKIP("reason")
   counts a test as skipped. A program's arguments are names of tests; without
   any, all of them run. */
#ifndef TEST_H
#define TEST_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By how much less an emulator or a sanitizer does: it divides the rounds of
   what takes long. */
#ifndef TEST_SCALE
#define TEST_SCALE 1
#endif

typedef struct test_case {
    void (*function)(void);
    const char *name;
    int line;
    struct test_case *next;
} test_case;

static test_case *test_first;
static int test_passed, test_failed, test_skipped, test_broken;
static const char *test_skip_reason;

#define CHECK(condition) test_check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_EQ(got, wanted)                                                                      \
    test_equal((long long)(got), (long long)(wanted), #got " == " #wanted, __FILE__, __LINE__)
#define CHECK_STR(got, wanted) test_string((got), (wanted), #got, __FILE__, __LINE__)
#define SKIP(reason) (void)(test_skip_reason = (reason))
/* Runs a function before main. tcc has no constructors, but it lets us add a
   call to the program's initialisation. */
#ifdef __TINYC__
#define TEST_BEFORE_MAIN(function) \
    static void function(void); \
    __asm__(".section .init\n call " #function "\n .text\n"); \
    static void function(void)
#else
#define TEST_BEFORE_MAIN(function) __attribute__((constructor)) static void function(void)
#endif

#define TEST(name) \
    static void name(void); \
    static test_case name##_case = {name, #name, __LINE__, NULL}; \
    TEST_BEFORE_MAIN(name##_register) { test_register(&name##_case); } \
    static void name(void)

/* Tests run in the order of the file. Some systems call constructors in the
   opposite order. */
static inline void test_register(test_case *test) {
    test_case **at = &test_first;
    while (*at && (*at)->line < test->line) at = &(*at)->next;
    test->next = *at;
    *at = test;
}

static inline int test_report(int ok, const char *text, const char *file, int line) {
    if (!ok && ++test_broken <= 5) fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    return ok;
}

static inline int test_check(int ok, const char *text, const char *file, int line) {
    return test_report(ok, text, file, line);
}

static inline int test_equal(long long got, long long wanted, const char *text, const char *file,
                             int line) {
    if (got != wanted && test_broken < 5)
        fprintf(stderr, "%s:%d: got %lld, wanted %lld\n", file, line, got, wanted);
    return test_report(got == wanted, text, file, line);
}

static inline int test_string(const char *got, const char *wanted, const char *text,
                              const char *file, int line) {
    int ok = strcmp(got, wanted) == 0;
    if (!ok && test_broken < 5)
        fprintf(stderr, "%s:%d: got \"%s\", wanted \"%s\"\n", file, line, got, wanted);
    return test_report(ok, text, file, line);
}

static inline void test_run(const test_case *test) {
    test_broken = 0;
    test_skip_reason = NULL;
    test->function();
    if (test_broken) {
        test_failed++;
        fprintf(stderr, "FAILED %s (%d checks)\n", test->name, test_broken);
    } else if (test_skip_reason) {
        test_skipped++;
        printf("skipped: %s: %s\n", test->name, test_skip_reason);
    } else {
        test_passed++;
    }
}

int main(int argc, char **argv) {
    const test_case *test;
    int i;
    for (test = test_first; test; test = test->next) {
        int wanted = argc < 2;
        for (i = 1; i < argc; i++) {
            if (strcmp(argv[i], test->name) == 0) wanted = 1;
        }
        if (wanted) test_run(test);
    }
    if (test_passed + test_failed + test_skipped == 0) {
        fprintf(stderr, "no test ran\n");
        test_failed = 1;
    }
    printf("%d passed, %d failed", test_passed, test_failed);
    if (test_skipped) printf(", %d skipped", test_skipped);
    printf("\n");
    return test_failed != 0;
}

/* splitmix64: the same numbers on every machine. */
static inline uint64_t test_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
#endif
