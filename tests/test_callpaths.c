/* test_callpaths.c - every call goes to its context: exactly in a full profile,
   on a legal path in bursts; each thread has its tree; what is in no tree is
   counted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "test.h"
#define BURSTY_IMPLEMENTATION
#if defined(__unix__) && defined(__GNUC__) && !defined(__TINYC__)
#define TEST_PTHREAD
#include <pthread.h>
#endif
#include "bursty.h"
#include "bursty_stack.inc"
#define HCCT_STATIC /* the tool has one, too, without bursty.h */
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include "report/kinds/contexts.h"

/* ---- what a dump says ---- */

#include "dump_bytes.inc"

/* The joined trees of everything that bursty_write writes. Returns how many
   trees there were. */
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

static uint32_t start_seed;

/* As bursty_start by a user, who has set what the next one uses; nothing
   ticks. */
static int start_with(const callpaths_config *config, uint32_t fold) {
    static bursty_config all;
    if (callpaths_setup(config) != 0) return -1;
    all.fold = fold;
    all.tick_hz = -1;
    all.seed = start_seed;
    return bursty_start(&all) ? 0 : -1;
}

static int start(uint32_t every, uint32_t burst, uint32_t fold) {
    static callpaths_config config;
    memset(&config, 0, sizeof config);
    config.profile.every = every;
    config.profile.burst = burst;
    return start_with(&config, fold);
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

/* Two fibers take turns in their scopes: no call of one is in a context of the
   other. */
TEST(contexts_follow_fibers) {
    static bursty_fiber one, two;
    contexts c;
    int i;
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    one.name = "one";
    two.name = "two";
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    {
        BURST_SCOPE("main");
        for (i = 0; i < 10; i++) {
            (void)bursty_fiber_switch(&one);
            outer();
            (void)bursty_fiber_switch(&two);
            inner();
            (void)bursty_fiber_switch(NULL);
            point();
        }
        BURST_LEAVE();
    }
    CHECK_EQ(read_dump(&c), 1);
    CHECK_EQ(total_of(&c), 1 + 60 + 20 + 10);
    CHECK_EQ(calls_of(&c, "main;point"), 10);
    CHECK_EQ(calls_of(&c, "one;outer"), 10);
    CHECK_EQ(calls_of(&c, "one;outer;inner;point"), 20);
    CHECK_EQ(calls_of(&c, "two;inner;point"), 10);
    CHECK_EQ(calls_of(&c, "main;outer"), 0);
    contexts_free(&c);
}

/* A scope whose call no burst could see: what it calls is in its context, not
   in that of the scope before it. */
TEST(contexts_end_at_a_gap) {
    static const bursty_site unseen = {"unseen", __FILE__, __LINE__, BURSTY_CALL | BURSTY_FRAME};
    contexts c;
    int i;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    for (i = 0; i < 10; i++) {
        outer();
        bursty_note_since(&unseen, 0, unseen.kind, 0); /* nobody has a mark: it is left out */
        stack_push(&unseen);
        inner();
        stack_pop();
    }
    CHECK_EQ(read_dump(&c), 1);
    CHECK_EQ(total_of(&c), 80);
    CHECK_EQ(calls_of(&c, "outer;inner"), 20);
    CHECK_EQ(calls_of(&c, "outer;inner;point"), 20);
    CHECK_EQ(calls_of(&c, "unseen;inner"), 10);
    CHECK_EQ(calls_of(&c, "unseen;inner;point"), 10);
    contexts_free(&c);
}

TEST(a_pause_leaves_out_what_is_in_it) {
    contexts c;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    inner();
    bursty_pause(1);
    bursty_pause(1);
    outer();
    bursty_pause(0);
    inner();
    inner();
    CHECK_EQ(read_dump(&c), 1);
    CHECK_EQ(total_of(&c), 6);
    CHECK_EQ(calls_of(&c, "inner"), 3);
    CHECK_EQ(calls_of(&c, "outer"), 0);
    contexts_free(&c);
    bursty_pause(1);
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0); /* begins again, without the pause */
    inner();
    CHECK_EQ(read_dump(&c), 1);
    CHECK_EQ(total_of(&c), 2);
    contexts_free(&c);
}

TEST(answers_inside_the_program) {
    const hcct *tree;
    hcct_context rows[8];
    uint32_t n, key = 0;
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

/* What a longjmp out of the middle of an event leaves: the tree is held, and
   nobody works on it. bursty_set_depth says so, and the tree begins anew. */
TEST(an_event_that_was_left_holds_nobody_up) {
    callpaths_stats stats;
    contexts c;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    outer();
    callpaths_p_of(0)->is_held = CALLPATHS_P_EVENT;
    callpaths_p_on_thread(BURSTY_THREAD_JUMPED, 0);
    inner();
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.lost, 6);
    CHECK_EQ(stats.calls, 6 + 2);
    (void)read_dump(&c);
    CHECK_EQ(total_of(&c), 8);
    CHECK_EQ(calls_of(&c, "inner"), 1);
    contexts_free(&c);
}

/* A signal handler that interrupts an event writes a dump: the tree is in use,
   nobody waits for ever, and the calls that are not in the dump are said to be
   lost. */
TEST(a_dump_in_the_middle_of_an_event) {
    contexts c;
    CHECK_EQ(start(BURSTY_ALWAYS, 0, 0), 0);
    outer();
    callpaths_p_of(0)->is_held = CALLPATHS_P_EVENT;
    CHECK_EQ(read_dump(&c), 1);
    CHECK_EQ(total_of(&c), 6);
    CHECK(c.count == 1 && c.trees[0].field[CONTEXTS_LOST] == 6);
    contexts_free(&c);
    callpaths_p_of(0)->is_held = 0;
    inner(); /* goes on where it was */
    CHECK_EQ(read_dump(&c), 1);
    CHECK_EQ(total_of(&c), 8);
    CHECK_EQ(calls_of(&c, "outer;inner"), 2);
    contexts_free(&c);
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
    config.profile.every = BURSTY_ALWAYS;
    CHECK_EQ(start_with(&config, 0), 0);
    for (i = 0; i < SITES; i++) (void)bursty_hit(&sites[i], 0);
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.calls, SITES);
    (void)read_dump(&c);
    CHECK_EQ(total_of(&c), SITES);
    /* Where the heap is further away than a key can say, all are one
       context. */
    CHECK(stats.contexts == SITES || stats.contexts == 1);
    contexts_free(&c);
    free(sites);
}

TEST(too_little_memory_is_refused) {
    static uint64_t memory[512];
    static callpaths_config config;
    callpaths_stats stats;
    memset(&config, 0, sizeof config);
    config.memory = memory;
    config.memory_bytes = 16;
    CHECK_EQ(start_with(&config, 0), -1);
    config.memory_bytes = sizeof(callpaths_p_thread) + 64; /* and no tree */
    config.threads = 1;
    CHECK(config.memory_bytes <= sizeof memory);
    CHECK_EQ(start_with(&config, 0), -1);
    inner();
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.contexts + stats.threads, 0);
    CHECK_EQ(stats.lost, stats.calls);
    memset(&config, 0, sizeof config);
    config.profile.every = BURSTY_ALWAYS - 1;
    CHECK_EQ(start_with(&config, 0), -1);
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

/* ---- sums over bursts ---- */

/* The same numbers, slowly: each path with its calls in the burst that runs. */
typedef struct slow_path {
    char name[64];
    uint32_t burst;
    uint64_t y, calls, bursts, yy, xy, group[HCCT_GROUPS];
} slow_path;
static slow_path slow[64];
static uint32_t slow_count, slow_lost, slow_bursts;

static void slow_add(const char *name, uint32_t burst) {
    slow_path *p = slow;
    while (p < slow + slow_count && strcmp(p->name, name) != 0) p++;
    if (p == slow + 64) {
        slow_lost++;
        return;
    }
    if (p == slow + slow_count) {
        slow_count++;
        memset(p, 0, sizeof *p);
        snprintf(p->name, sizeof p->name, "%s", name);
    }
    if (p->burst != burst) p->bursts++;
    p->burst = burst;
    p->y++;
    p->calls++;
}

/* The group of a burst of thread 0, as the header has it. */
static uint32_t slow_group(uint32_t seed, uint32_t burst) {
    uint32_t h = seed + burst * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 16) * UINT32_C(0x7FEB352D);
    h = (h ^ h >> 15) * UINT32_C(0x846CA68B);
    return (h ^ h >> 16) & 7;
}

/* The first path to be met is that of all calls. */
static void slow_add_up(void) {
    slow_path *p;
    uint64_t x = slow_count ? slow[0].y : 0;
    uint32_t group = slow_group(bursty_seed(), ++slow_bursts);
    for (p = slow; p < slow + slow_count; p++) {
        p->yy += p->y * p->y;
        p->xy += x * p->y;
        p->group[group] += p->y;
        p->y = 0;
    }
}

static void slow_event(void *user, const bursty_event *e) {
    char name[64] = "";
    uint32_t i;
    callpaths_p_event(user, e);
    for (i = 0; i < e->depth && i < 20; i++)
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s;", e->stack[i]->name);
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s", e->site->name);
    if (slow_count && slow[0].burst != e->burst) slow_add_up();
    slow_add("", e->burst); /* all calls */
    slow_add(name, e->burst);
}

TEST(sums_over_bursts_are_right) {
    static const uint32_t rates[3][2] = { { 30, 20 }, { 200, 100 }, { 7, 1 } };
    uint32_t k, i, node, g, used = 0;
    for (k = 0; k < 3; k++) {
        bursty_profile profile;
        contexts c;
        CHECK_EQ(start(rates[k][0], rates[k][1], 0), 0);
        memset(&profile, 0, sizeof profile);
        profile.every = rates[k][0];
        profile.burst = rates[k][1];
        profile.classes = BURSTY_CALL;
        profile.action = slow_event;
        CHECK_EQ(bursty_set_profile(BURSTY_PROFILES - 1, &profile), 0);
        slow_count = slow_lost = slow_bursts = 0;
        for (i = 0; i < 3000; i++) a();
        (void)read_dump(&c);
        slow_add_up();
        if (!CHECK_EQ(c.count, 1)) return;
        CHECK(c.trees[0].has_sums && c.trees[0].has_xy && slow_count > 10 && slow_lost == 0);
        CHECK(c.trees[0].has_groups);
        for (node = 0; node < c.trees[0].count; node++) {
            const contexts_sums *n = contexts_sums_of(&c.trees[0], node);
            const slow_path *p = slow;
            while (p < slow + slow_count && strcmp(p->name, path_name(&c, node)) != 0) p++;
            if (n->calls == 0 && p == slow + slow_count) continue; /* only seen as a caller */
            if (!CHECK(p < slow + slow_count)) continue;
            CHECK_EQ(n->calls, p->calls);
            CHECK_EQ(n->bursts, p->bursts);
            CHECK_EQ(n->yy, p->yy);
            CHECK_EQ(n->xy, p->xy);
            for (g = 0; g < HCCT_GROUPS; g++) CHECK_EQ(n->group[g], p->group[g]);
            for (g = 0; g < HCCT_GROUPS; g++) used |= n->group[g] ? 1u << g : 0;
            if (node) CHECK_EQ(c.trees[0].nodes[node].lower, p->calls);
        }
        contexts_free(&c);
    }
    CHECK_EQ(used, 255);
}

/* Else the first bursts of many short runs, or of many children, would be in one. The
   seed of a child has its process number, too: one of 8 groups is empty after 160 of
   them with a chance below 8 (7 / 8)^160 = 5e-9. */
TEST(the_first_burst_is_in_a_group_that_the_seed_decides) {
    uint32_t k, g, used[2] = { 0, 0 }, others = 0, first = 0;
    for (k = 0; k < 2 * 160; k++) {
        const contexts_sums *n;
        contexts c;
        start_seed = k / 2 + 1;
        CHECK_EQ(start(1, 1000, 0), 0);
        if (k & 1) bursty_forked();
        inner();
        (void)read_dump(&c);
        if (!CHECK_EQ(c.count, 1)) return;
        n = contexts_sums_of(&c.trees[0], 0);
        for (g = 0; !n->group[g] && g + 1 < HCCT_GROUPS; g++) {}
        used[k & 1] |= 1u << g;
        if (k & 1) others += g != first; /* a child's is not its parent's */
        first = g;
        contexts_free(&c);
    }
    CHECK(used[0] == 255 && used[1] == 255);
    CHECK(others > 80);
    used[0] = 0;
    for (k = 1; k < 16 && k < callpaths_p_all.thread_room; k++) {
        callpaths_p_make(&callpaths_p_all.threads[k]);
        used[0] |= 1u << hcct_p_group(callpaths_p_all.threads[k].sums);
    }
    if (callpaths_p_all.thread_room > 1)
        CHECK((used[0] & (used[0] - 1)) != 0); /* nor is that of another thread */
    start_seed = 0;
}

/* A burst in which the tree was in use for a while has lost calls, and finds
   its place again. It is still one burst. */
TEST(a_burst_that_loses_its_place_is_one) {
    uint32_t node, some = 0;
    contexts c;
    CHECK_EQ(start(1, 1000, 0), 0);
    inner();
    callpaths_p_of(0)->is_held = CALLPATHS_P_ASKED;
    inner();
    callpaths_p_of(0)->is_held = 0;
    inner();
    (void)read_dump(&c);
    if (!CHECK_EQ(c.count, 1)) return;
    CHECK_EQ(c.trees[0].field[CONTEXTS_LOST], 2);
    for (node = 0; node < c.trees[0].count; node++) {
        CHECK_EQ(contexts_sums_of(&c.trees[0], node)->bursts, 1);
        CHECK_EQ(contexts_sums_of(&c.trees[0], node)->calls, node ? 2 : 4);
        some++;
    }
    CHECK_EQ(some, 3);
    contexts_free(&c);
}

TEST(sums_can_be_left_out) {
    static callpaths_config config;
    callpaths_stats with, without;
    contexts c;
    int i;
    CHECK_EQ(start(30, 20, 0), 0);
    callpaths_get_stats(&with);
    config.profile.every = 30;
    config.profile.burst = 20;
    config.no_intervals = 1;
    CHECK_EQ(start_with(&config, 0), 0);
    callpaths_get_stats(&without);
    CHECK(with.room > 400 && with.room < 460); /* as the manual says */
    CHECK(without.room > 1150 && without.room < 1300);
    for (i = 0; i < 300; i++) a();
    (void)read_dump(&c);
    CHECK_EQ(c.count, 1);
    CHECK(c.count == 1 && !c.trees[0].has_sums && c.trees[0].count > 4);
    contexts_free(&c);
}

/* In a tree that is too small contexts come and go. What the sums say of one is
   all that the tree has of it, or less than that and then no interval is
   shown. */
TEST(sums_of_contexts_that_were_given_up) {
    static callpaths_config config;
    static uint64_t memory[370];
    uint32_t i, node, whole = 0, k;
    uint64_t sum;
    contexts c;
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.threads = 1;
    config.profile.every = 30;
    config.profile.burst = 20;
    CHECK_EQ(start_with(&config, 0), 0);
    for (i = 0; i < 20000; i++) a();
    (void)read_dump(&c);
    if (!CHECK_EQ(c.count, 1)) return;
    CHECK(c.trees[0].field[CONTEXTS_EVICTIONS] > 1000);
    for (node = 1; node < c.trees[0].count; node++) {
        const contexts_sums *n = contexts_sums_of(&c.trees[0], node);
        if (n->calls == 0) continue; /* a node beyond those that have sums */
        CHECK(n->yy >= n->calls && n->bursts <= n->calls);
        CHECK(n->yy <= 20 * n->calls);
        CHECK(n->xy >= n->yy && n->xy <= 20 * n->calls);
        for (sum = k = 0; k < HCCT_GROUPS; k++) sum += n->group[k];
        CHECK_EQ(sum, n->calls);
        whole += n->calls == c.trees[0].nodes[node].lower && n->calls > 100;
    }
    CHECK(whole > 2);
    CHECK_EQ(contexts_sums_of(&c.trees[0], 0)->calls, c.trees[0].field[CONTEXTS_TOTAL]);
    contexts_free(&c);
}

/* Three stacks may have a burst: that of outer, outer's and inner's. */
TEST(adaptive_bursts_leave_known_stacks_out) {
    static const char *const paths[] = {"outer", "outer;point", "outer;inner", "outer;inner;point"};
    static const uint32_t sixths[] = {1, 1, 2, 2};
    static callpaths_config config;
    callpaths_stats stats;
    contexts c;
    uint32_t i, k, reenable;
    for (reenable = 0; reenable <= 4; reenable += 4) {
        memset(&config, 0, sizeof config);
        config.profile.every = 30;
        config.profile.burst = 20;
        config.history = 64;
        config.reenable = reenable;
        CHECK_EQ(start_with(&config, 0), 0);
        for (i = 0; i < 60000; i++) outer();
        callpaths_get_stats(&stats);
        CHECK_EQ(read_dump(&c), 1);
        if (!CHECK_EQ(c.count, 1)) return;
        CHECK(c.trees[0].points > 6000 && c.trees[0].reenable == reenable);
        CHECK_EQ(contexts_sums_of(&c.trees[0], 0)->calls, total_of(&c));
        CHECK_EQ(c.trees[0].field[CONTEXTS_SCALED], stats.estimated);
        CHECK(stats.estimated > 330000 && stats.estimated < 390000);
        if (reenable == 0) {
            CHECK_EQ(c.trees[0].points - c.trees[0].skipped, 3);
            CHECK(stats.calls <= 60 && total_of(&c) == stats.calls);
        } else {
            double all = (double)total_of(&c), points = (double)c.trees[0].points;
            double done = points - (double)c.trees[0].skipped;
            CHECK(done > points / 4.4 && done < points / 3.6);
            CHECK((double)stats.calls > all / 4.1 && (double)stats.calls < all / 3.9);
            for (k = 0; k < 4; k++) {
                double sixth = 6 * (double)calls_of(&c, paths[k]) / all;
                CHECK(sixth > sixths[k] * .9 && sixth < sixths[k] * 1.1);
            }
        }
        contexts_free(&c);
    }
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

/* While trees are written, events are lost, but no path is wrong and no call
   uncounted. (Inside bursty_write a thread that begins may take over its
   profiles later.) */
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
        CHECK_EQ(bursty_write(to_file, &file), 0);
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
    config.profile.every = BURSTY_ALWAYS;
    CHECK_EQ(start_with(&config, 0), 0);
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
