/* footprint_versions.c - times of footprint.h and interleave.h, one line each, in CPU ns an access:
   for footprint_versions.sh, which builds it with two versions of the headers.

   footprint_versions NAME      one of random-1e6, exact-1e6 (the same at c = 1), zipf-1e6,
                                zipf-1e4, turns-.9, turns-1
   footprint_versions FILE C    a block trace, 5 million accesses of it */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#define INTERLEAVE_IMPLEMENTATION
#include "interleave.h"
#include "../tools/base/tool.c"
#include "../lab/trace_blocks.c"
#include "random.h"
#include <math.h>
#include <time.h>

enum { MOST = 5000000 };
static uint64_t trace[MOST], random_state = 1;

static void *allocate(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}

static void release(void *user, void *block) {
    (void)user;
    free(block);
}

static double spent(clock_t start, double accesses) {
    return (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / accesses;
}

static double count(double c, size_t n) {
    footprint_config config;
    footprint fp;
    clock_t start;
    double ns;
    memset(&config, 0, sizeof config);
    config.c = c;
    config.alloc = allocate;
    config.release = release;
    if (footprint_open(&fp, &config) == 0) exit(1);
    start = clock();
    footprint_access_many(&fp, trace, n);
    ns = spent(start, (double)n);
    footprint_close(&fp);
    return ns;
}

static double take_turns(double c, uint64_t n) {
    interleave_config config = {0, 0};
    interleave pair;
    size_t bytes;
    void *memory;
    clock_t start;
    double ns;
    uint64_t i;
    config.c = c;
    bytes = interleave_bytes(&config, 1u << 20);
    memory = malloc(bytes);
    if (interleave_init(&pair, memory, bytes, &config) == 0) exit(1);
    start = clock();
    for (i = 0; i < n; i++) interleave_run(&pair, (int)(i & 1), 1);
    ns = spent(start, (double)n);
    free(memory);
    return ns;
}

static size_t make(int is_zipf, double blocks, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        uint64_t r = bench_random(&random_state);
        double u = (double)(r >> 11) / 9007199254740992.0;
        trace[i] = is_zipf ? (uint64_t)(pow(blocks + 1, u) - 1) : r % (uint64_t)blocks;
    }
    return n;
}

static size_t read_trace(const char *path) {
    static trace_blocks t;
    size_t n = 0, got = 1;
    if (trace_blocks_open(&t, path, 0, TRACE_BLOCKS_EVERY) != TOOL_OK) exit(2);
    while (n < MOST && got) {
        if (trace_blocks_read(&t, trace + n, NULL, MOST - n, &got) != TOOL_OK) exit(2);
        n += got;
    }
    trace_blocks_close(&t);
    return n;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    double ns;
    if (strcmp(what, "random-1e6") == 0) ns = count(.9, make(0, 1e6, MOST));
    else if (strcmp(what, "exact-1e6") == 0) ns = count(1, make(0, 1e6, MOST));
    else if (strcmp(what, "zipf-1e6") == 0) ns = count(.9, make(1, 1e6, MOST));
    else if (strcmp(what, "zipf-1e4") == 0) ns = count(.9, make(1, 1e4, MOST));
    else if (strcmp(what, "turns-.9") == 0) ns = take_turns(.9, 2000000);
    else if (strcmp(what, "turns-1") == 0) ns = take_turns(1, 400000);
    else if (argc > 2) ns = count(strtod(argv[2], NULL), read_trace(what));
    else return 2;
    printf("%.1f\n", ns);
    return 0;
}
