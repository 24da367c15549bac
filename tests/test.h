/* test.h - the whole test framework: TEST(name) { CHECK(...); }, RUN(name) and a closing line.
   A test is passed when no CHECK in it failed; the first failures of each are printed with file and line. */
#ifndef TEST_H
#define TEST_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_passed, test_failed, test_broken;

#define CHECK(condition) test_check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_EQ(got, wanted) test_equal((long long)(got), (long long)(wanted), #got " == " #wanted, __FILE__, __LINE__)
#define CHECK_STR(got, wanted) test_string((got), (wanted), #got, __FILE__, __LINE__)
#define TEST(name) static void name(void)
#define RUN(name) test_run(name, #name)

static inline int test_report(int ok, const char *text, const char *file, int line) {
    if (!ok && ++test_broken <= 5) fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    return ok;
}

static inline int test_check(int ok, const char *text, const char *file, int line) {
    return test_report(ok, text, file, line);
}

static inline int test_equal(long long got, long long wanted, const char *text, const char *file, int line) {
    if (got != wanted && test_broken < 5) fprintf(stderr, "%s:%d: got %lld, wanted %lld\n", file, line, got, wanted);
    return test_report(got == wanted, text, file, line);
}

static inline int test_string(const char *got, const char *wanted, const char *text, const char *file, int line) {
    int ok = strcmp(got, wanted) == 0;
    if (!ok && test_broken < 5) fprintf(stderr, "%s:%d: got \"%s\", wanted \"%s\"\n", file, line, got, wanted);
    return test_report(ok, text, file, line);
}

static inline void test_run(void (*function)(void), const char *name) {
    test_broken = 0;
    function();
    if (test_broken) test_failed++, fprintf(stderr, "FAILED %s (%d checks)\n", name, test_broken);
    else             test_passed++;
}

/* The last statement of main. */
static inline int test_end(void) {
    printf("%d passed, %d failed\n", test_passed, test_failed);
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
