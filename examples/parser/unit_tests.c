/* unit_tests.c - the unit tests of parser.c. They write what they covered to parser.info and
   parser.brst:

       cc -I. -o unit_tests examples/parser/parser.c examples/parser/unit_tests.c
       ./unit_tests && genhtml --branch-coverage -o coverage parser.info */
#define EDGEPROF_IMPLEMENTATION
#include "edgeprof.h"
#include "parser.h"
#include <stdio.h>

EP_DECLARE(parse_number);
EP_DECLARE(parse_factor);
EP_DECLARE(parse_product);
EP_DECLARE(parse_sum);

static int save(void *file, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)file) != size;
}

/* Runs fine: the value; not fine: -1. */
static int expect(const char *text, int wanted_status, long wanted) {
    long value = 0;
    int status = parser_evaluate(text, &value);
    if (status == wanted_status && (status != 0 || value == wanted)) return 0;
    printf("%s: status %d, value %ld\n", text, status, value);
    return 1;
}

int main(void) {
    static const edgeprof_function *const all[] = {
        EP_REF(parse_number), EP_REF(parse_factor), EP_REF(parse_product), EP_REF(parse_sum),
    };
    static uint64_t memory[512];
    int failed = 0;
    FILE *lcov, *dump;
    failed += expect("1+2*3", 0, 7);
    failed += expect("2*(3-4)*-5", 0, 10);
    failed += expect("((((7))))", 0, 7);
    failed += expect("1/0", -1, 0);
    failed += expect("100/7/2", 0, 7);
    failed += expect("+", -1, 0);
#ifdef EDGEPROF_CHECK
    for (int i = 0; i < 4; i++) {
        edgeprof_fault fault;
        if (edgeprof_check(all[i], NULL, &fault, memory, sizeof memory) == 0) continue;
        printf("%s, line %u: %s\n", all[i]->name, (unsigned)fault.line, fault.vertex_name);
        failed++;
    }
#endif
    lcov = fopen("parser.info", "wb");
    dump = fopen("parser.brst", "wb");
    if (!lcov || !dump) return 1;
    failed += edgeprof_write_lcov(all, 4, memory, sizeof memory, save, lcov) != 0;
    failed += edgeprof_write(all, 4, save, dump) != 0;
    failed += fclose(lcov) != 0;
    failed += fclose(dump) != 0;
    printf("%d failed\n", failed);
    return failed != 0;
}
