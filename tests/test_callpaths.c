/* test_callpaths.c - every call goes to its context: exactly in a full profile, on a legal path in
   bursts; each thread has its tree; what is in no tree is counted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#include "kinds/contexts.h"
#define BURSTY_IMPLEMENTATION
#if defined(__unix__) && defined(__GNUC__) && !defined(__TINYC__)
#define TEST_PTHREAD
#define BURSTY_PTHREAD
#endif
#include "bursty.h"
#include "hcct.h" /* implemented in the tool */
#define TICKS_IMPLEMENTATION
#include "ticks.h"
#define CALLPATHS_IMPLEMENTATION
#include "callpaths.h"

/* ---- what a dump says ---- */

typedef struct bytes {
    unsigned char data[1 << 18];
    size_t size;
} bytes;
static bytes file;

static int to_file(void *user, const void *data, size_t size) {
    bytes *b = (bytes *)user;
    if (b->size + size > sizeof b->data) return 1;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

/* The joined trees of everything that bursty_write writes. Returns how many trees there were. */
static size_t read_dump(contexts *c) {
    dump d;
    dump_fault fault;
    size_t i, trees = 0;
    memset(c, 0, sizeof *c);
    file.size = 0;
    CHECK_EQ(bursty_write(to_file, &file), 0);
    if (!CHECK(dump_read(&d, file.data, file.size, &fault) == 0)) return 0;
    for (i = 0; i < d.part_count; i++) {
        if (d.parts[i].kind != 2) continue;
        CHECK_EQ(contexts_read(c, &d, &d.parts[i], &fault), 0);
        trees++;
    }
    contexts_settle(c);
    dump_free(&d);
    return trees;
}

/* "frame;search". */
static const char *path_name(const contexts *c, uint32_t node) {
    static char name[4096];
    char inner[4096];
    const contexts_node *nodes = c->trees[0].nodes;
    *name = 0;
    for (; node; node = nodes[node].parent) {
        strcpy(inner, name);
        snprintf(name, sizeof name, "%s%s%.3000s", contexts_name(c, nodes[node].key),
                 *inner ? ";" : "", inner);
    }
    return name;
}

/* The calls of a path, lower bounds, as recorded. */
static uint64_t calls_of(const contexts *c, const char *path) {
    uint32_t node, depth = 0;
    if (c->count != 1) return 0;
    for (node = contexts_next(&c->trees[0], 0, &depth); node;
         node = contexts_next(&c->trees[0], node, &depth)) {
        if (strcmp(path_name(c, node), path) == 0) return c->trees[0].nodes[node].lower;
    }
    return 0;
}

static uint64_t total_of(const contexts *c) {
    return c->count == 1 ? c->trees[0].field[CONTEXTS_TOTAL] : 0;
}

static int start(uint32_t checks, uint32_t bursts, uint32_t fold) {
    static callpaths_config config;
    memset(&config, 0, sizeof config);
    config.profile.check_count = checks;
    config.profile.burst_count = bursts;
    config.fold = fold;
    return callpaths_start(&config);
}

/* ---- a full profile ---- */

static void point(void) {
    BURST_ENTRY();
}

static void inner(void) {
    BURST_SCOPE("inner");
    point();
    BURST_LEAVE();
}

static void outer(void) {
    BURST_SCOPE("outer");
    inner();
    point();
    inner();
    BURST_LEAVE();
}

TEST(a_full_profile_is_exact) {
    callpaths_stats stats;
    contexts c;
    int i;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    for (i = 0; i < 10; i++) outer();
    inner();
    CHECK_EQ(read_dump(&c), 1);
    CHECK_EQ(total_of(&c), 62);
    CHECK_EQ(calls_of(&c, "outer"), 10);
    CHECK_EQ(calls_of(&c, "outer;point"), 10);
    CHECK_EQ(calls_of(&c, "outer;inner"), 20);
    CHECK_EQ(calls_of(&c, "outer;inner;point"), 20);
    CHECK_EQ(calls_of(&c, "inner"), 1);
    CHECK_EQ(calls_of(&c, "inner;point"), 1);
    contexts_free(&c);
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.calls, 62);
    CHECK_EQ(stats.estimated, 62);
    CHECK_EQ(stats.lost, 0);
    CHECK_EQ(stats.contexts, 6);
    CHECK_EQ(stats.threads, 1);
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0); /* begins again */
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.calls + stats.contexts, 0);
}

TEST(answers_inside_the_program) {
    const hcct *tree;
    hcct_context rows[8];
    uint32_t n, key;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    inner();
    outer();
    tree = callpaths_tree(0);
    CHECK(callpaths_tree(1) == NULL && callpaths_tree(UINT32_MAX) == NULL);
    if (!CHECK(tree != NULL)) return;
    n = hcct_hottest(tree, 1, 4, rows, 8);
    CHECK_EQ(n, 2);
    CHECK_EQ(hcct_path(tree, rows[0].node, &key, 1), 2);
    CHECK_STR(callpaths_name(NULL, key), "inner");
    CHECK_STR(callpaths_name(NULL, HCCT_KEY_DEEP), "(deep)");
}

static void dive(uint32_t depth) {
    BURST_SCOPE("dive");
    if (depth > 1) dive(depth - 1);
    else point();
    BURST_LEAVE();
}

TEST(deeper_than_the_stack) {
    callpaths_stats stats;
    contexts c;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    dive(BURSTY_STACK);      /* its point is below as many scopes */
    dive(BURSTY_STACK + 1);  /* the last scope is still known, its point is below "(deep)" */
    dive(BURSTY_STACK + 30);
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.calls, 3 * BURSTY_STACK + 31 + 3);
    CHECK_EQ(stats.lost, 0);
    CHECK(stats.contexts <= BURSTY_STACK + 4);
    (void)read_dump(&c);
    CHECK_EQ(total_of(&c), stats.calls);
    contexts_free(&c);
}

TEST(recursion_is_folded_on_request) {
    callpaths_stats stats;
    contexts c;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 1), 0);
    dive(20);
    outer();
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.calls, 21 + 6);
    CHECK_EQ(stats.contexts, 2 + 4);
    (void)read_dump(&c);
    CHECK_EQ(calls_of(&c, "dive"), 20);
    CHECK_EQ(calls_of(&c, "dive;point"), 1);
    CHECK_EQ(calls_of(&c, "outer;inner;point"), 2);
    contexts_free(&c);
}

/* 3000 sites, of one name each two. */
TEST(any_number_of_sites) {
    enum { SITES = 3000 };
    static char names[SITES][8];
    static bursty_site *sites;
    static callpaths_config config;
    static uint64_t memory[1 << 17];
    callpaths_stats stats;
    contexts c;
    uint32_t i;
    sites = (bursty_site *)calloc(SITES, sizeof *sites);
    if (!CHECK(sites != NULL)) return;
    for (i = 0; i < SITES; i++) {
        bursty_site site = { names[i], "", 1, BURSTY_CALL };
        snprintf(names[i], sizeof names[i], "f%u", (unsigned)i / 2);
        memcpy(&sites[i], &site, sizeof site);
    }
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.threads = 1;
    config.profile.check_count = BURSTY_ALWAYS;
    CHECK_EQ(callpaths_start(&config), 0);
    for (i = 0; i < SITES; i++) (void)bursty_p_hit(&sites[i], 0);
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.calls, SITES);
    (void)read_dump(&c);
    CHECK_EQ(total_of(&c), SITES);
    /* Where the heap is further away than a key can say, all are one context. */
    CHECK(stats.contexts == SITES || stats.contexts == 1);
    contexts_free(&c);
    free(sites);
}

TEST(too_little_memory_is_refused) {
    static uint64_t memory[256];
    static callpaths_config config;
    callpaths_stats stats;
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = 16;
    CHECK_EQ(callpaths_start(&config), -1);
    config.memory_bytes = sizeof memory;
    config.threads = 1000;
    CHECK_EQ(callpaths_start(&config), -1);
    inner();
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.contexts + stats.threads, 0);
    CHECK_EQ(stats.lost, stats.calls);
    memset(&config, 0, sizeof config);
    config.profile.check_count = BURSTY_ALWAYS - 1;
    CHECK_EQ(callpaths_start(&config), -1);
}

/* ---- bursts ---- */

/* a calls b or c, c calls b and itself: legal paths are a (c)* b?. */
static uint64_t random_state = 1;
static void b(void) {
    BURST_SCOPE("b");
    BURST_LOOP();
    BURST_LEAVE();
}
static void c_(uint32_t deeper) {
    BURST_SCOPE("c");
    b();
    if (deeper) c_(deeper - 1);
    b();
    BURST_LEAVE();
}
static void a(void) {
    uint64_t r = test_random(&random_state);
    BURST_SCOPE("a");
    if (r & 1) b();
    else c_((uint32_t)(r >> 1 & 7));
    BURST_LEAVE();
}

static int is_legal(const char *path) {
    if (path[0] != 'a') return 0;
    for (path++; strncmp(path, ";c", 2) == 0; path += 2) { }
    return *path == 0 || strcmp(path, ";b") == 0;
}

TEST(bursts_see_legal_paths) {
    static const uint32_t rates[4][2] = { { 13, 7 }, { 100, 3 }, { 5, 1 }, { 300, 200 } };
    uint32_t node, depth, k, i;
    for (k = 0; k < 4; k++) {
        callpaths_stats stats;
        bursty_stats all;
        uint64_t sum = 0, estimated;
        contexts c;
        CHECK_EQ(start(rates[k][0], rates[k][1], 0), 0);
        for (i = 0; i < 5000; i++) a();
        callpaths_get_stats(&stats);
        bursty_get_stats(&all);
        (void)read_dump(&c);
        if (!CHECK_EQ(c.count, 1)) return;
        depth = 0;
        for (node = contexts_next(&c.trees[0], 0, &depth); node;
             node = contexts_next(&c.trees[0], node, &depth)) {
            CHECK(is_legal(path_name(&c, node)));
            sum += c.trees[0].nodes[node].lower;
        }
        CHECK_EQ(sum, stats.calls); /* all fit */
        CHECK(stats.calls > 100 && stats.calls < all.checks / 2);
        /* Of 5000 calls of a, each with its checks of calls. */
        estimated = c.trees[0].field[CONTEXTS_SCALED];
        CHECK_EQ(estimated, stats.estimated);
        CHECK(estimated > all.checks / 4 && estimated < all.checks);
        contexts_free(&c);
    }
}

/* ---- a user's own callbacks ---- */

static int threads_told, parts_asked;
static void my_thread(int what) { threads_told += what == 1; }
static int my_part(bursty_write_fn write, void *user) {
    (void)write;
    (void)user;
    parts_asked++;
    return parts_asked == 2 ? -1 : 0;
}

TEST(callbacks_of_the_user_are_called) {
    static bursty_config bursty;
    static ticks_config ticks;
    static callpaths_config config;
    int way;
    for (way = 0; way < 2; way++) {
        memset(&config, 0, sizeof config);
        bursty.on_thread = my_thread;
        bursty.more = my_part;
        ticks.bursty = &bursty;
        if (way) config.ticks = &ticks;
        else config.bursty = &bursty;
        threads_told = parts_asked = 0;
        CHECK_EQ(callpaths_start(&config), 0);
        CHECK_EQ(threads_told, 1);
        file.size = 0;
        CHECK_EQ(bursty_write(to_file, &file), 0);
        CHECK_EQ(parts_asked, 1);
        CHECK_EQ(bursty_write(to_file, &file), -1);
    }
}

/* ---- threads ---- */

#ifdef TEST_PTHREAD
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 2000 };
static uint32_t finished;

static void *calling_thread(void *argument) {
    int i;
    (void)argument;
    for (i = 0; i < ROUNDS; i++) outer();
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* While trees are written, events are lost, but no path is wrong and no call uncounted. (Inside
   bursty_write a thread that begins may take over its profiles later.) */
TEST(threads_each_have_a_tree) {
    pthread_t thread[THREADS];
    callpaths_stats stats;
    contexts c;
    size_t i;
    uint64_t sum = 0;
    uint32_t node, depth = 0;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    finished = 0;
    for (i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_create(&thread[i], NULL, calling_thread, NULL), 0);
    }
    while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < THREADS) {
        callpaths_get_stats(&stats);
        file.size = 0;
        CHECK_EQ(callpaths_write(to_file, &file), 0);
    }
    for (i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.calls, THREADS * ROUNDS * 6);
    CHECK(read_dump(&c) <= THREADS); /* a thread may go on with the tree of an ended one */
    if (!CHECK_EQ(c.count, 1)) return;
    CHECK_EQ(total_of(&c), THREADS * ROUNDS * 6);
    CHECK_EQ(c.trees[0].field[CONTEXTS_LOST], stats.lost);
    for (node = contexts_next(&c.trees[0], 0, &depth); node;
         node = contexts_next(&c.trees[0], node, &depth)) {
        const char *name = path_name(&c, node);
        CHECK(strcmp(name, "outer") == 0 || strcmp(name, "outer;point") == 0 ||
              strcmp(name, "outer;inner") == 0 || strcmp(name, "outer;inner;point") == 0);
        sum += c.trees[0].nodes[node].lower;
    }
    CHECK_EQ(sum + stats.lost, THREADS * ROUNDS * 6);
    contexts_free(&c);
}

TEST(threads_without_a_tree_are_counted) {
    static callpaths_config config;
    pthread_t thread;
    callpaths_stats stats;
    contexts c;
    memset(&config, 0, sizeof config);
    config.threads = 1;
    config.profile.check_count = BURSTY_ALWAYS;
    CHECK_EQ(callpaths_start(&config), 0);
    outer();
    CHECK_EQ(pthread_create(&thread, NULL, calling_thread, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.threads, 1);
    CHECK_EQ(stats.calls, 6 + ROUNDS * 6);
    CHECK_EQ(stats.lost, ROUNDS * 6);
    CHECK_EQ(read_dump(&c), 1);
    CHECK_EQ(total_of(&c), 6 + ROUNDS * 6);
    CHECK_EQ(calls_of(&c, "outer;inner"), 2);
    contexts_free(&c);
}

TEST(a_forked_child_begins_empty) {
    int status = -1;
    pid_t child;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    outer();
    child = fork();
    if (child == 0) {
        callpaths_stats before, after;
        callpaths_get_stats(&before);
        inner();
        callpaths_get_stats(&after);
        _exit(before.calls ? 1 : after.calls != 2 ? 2 : after.contexts != 2 ? 3 : 0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
}
#endif
