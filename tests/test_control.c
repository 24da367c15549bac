/* test_control.c - productions: Figure 4 against Figure 3 of the papers,
   patterns, conditions, operations, flags, actions, refusals. */
#include "bursty.inc"

static void count(void *user, const bursty_event *e) {
    (void)e;
    ++*(uint64_t *)user;
}

static void step(bursty_control_state *c, uint32_t kind) {
    static const bursty_site site = { "here", "src/here.c", 7, 0 };
    bursty_event e = { &site, 0, kind, 0, 1, 0, 256, NULL, NULL };
    bursty_control_step(c, &e);
}

/* Figure 4 of hybrid-profiling-support, with what P1 to P6 mean. */
TEST(figure_4_equals_figure_3) {
    const bursty_control_term not_sampling = { 0, 0, 0, 2 }, sampling = { 0, 0, 2, 4 };
    const bursty_control_term over = { 0, 0, 6, 0 };
    uint32_t checks, instrs, i, wrong = 0;
    for (checks = 1; checks <= 40; checks++) {
        for (instrs = 1; instrs <= 12; instrs++) {
            bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
            bursty_control_state c;
            bursty_control_rule rules[5];
            figure3 f = figure3_make(checks, instrs);
            uint64_t events = 0;
            memset(rules, 0, sizeof rules);
            for (i = 0; i < 4; i++)
                rules[i].kinds = (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_BACKEDGE;
            rules[0].any = &not_sampling;
            rules[0].op[0].op = BURSTY_CONTROL_INC;
            rules[0].op[0].counter = 1;
            rules[0].op_count = 1;
            rules[1].any = &sampling;
            rules[1].op[0].op = BURSTY_CONTROL_INC;
            rules[1].op[0].counter = 2;
            rules[1].op_count = 1;
            rules[2].any = &over;
            rules[3].kinds = BURSTY_BEGIN; /* initial values */
            for (i = 2; i < 4; i++) {
                rules[i].op[0].op = rules[i].op[1].op = BURSTY_CONTROL_UNTIL;
                rules[i].op[0].counter = 1;
                rules[i].op[0].value = checks - 1;
                rules[i].op[1].counter = 2;
                rules[i].op[1].value = instrs;
                rules[i].op_count = 2;
            }
            rules[4].kinds = BURSTY_ANY; /* what the program asks for */
            rules[4].any = &sampling;
            rules[4].action = count;
            rules[4].user = &events;
            for (i = 0; i < 5; i++) rules[i].any_count = i != 3;
            CHECK_EQ(bursty_control_init(&c, rules, 5), 0);
            p.classes = (uint32_t)BURSTY_ANY | (uint32_t)BURSTY_BEGIN;
            p.action = bursty_control_step;
            p.user = &c;
            start_with(&p, 0);
            for (i = 0; i < 2000; i++) {
                uint64_t before = events;
                if (i & 1) BURST_LOOP();
                else BURST_ENTRY();
                wrong += (events != before) != figure3_check(&f);
            }
        }
    }
    CHECK_EQ(wrong, 0);
}

enum { DOWN = 1, MORE = 2, RESET = 4, ASK = 8 };

TEST(counters_and_flags) {
    const bursty_control_term not_zero = { 0, 8, 0, 0 }, zero = { 8, 0, 0, 0 };
    bursty_control_rule rules[4];
    bursty_control_state c;
    uint64_t at_zero = 0;
    int i;
    memset(rules, 0, sizeof rules);
    rules[0].kinds = RESET;
    rules[0].op[0].op = BURSTY_CONTROL_SET;
    rules[0].op[0].counter = 3;
    rules[0].op[0].value = 5;
    rules[0].op_count = 1;
    rules[1].kinds = DOWN;
    rules[1].any = &not_zero;
    rules[1].any_count = 1;
    rules[1].op[0].op = BURSTY_CONTROL_DEC;
    rules[1].op[0].counter = 3;
    rules[1].op_count = 1;
    rules[2] = rules[1];
    rules[2].kinds = MORE;
    rules[2].any_count = 0;
    rules[3].kinds = DOWN | ASK;
    rules[3].any = &zero;
    rules[3].any_count = 1;
    rules[3].action = count;
    rules[3].user = &at_zero;
    if (!CHECK(bursty_control_init(&c, rules, 4) == 0)) return;
    step(&c, ASK);
    CHECK_EQ(at_zero, 1);
    step(&c, RESET);
    step(&c, ASK);
    CHECK_EQ(at_zero, 1);
    for (i = 0; i < 9; i++) step(&c, DOWN);
    CHECK_EQ(c.counter[3], 0);
    CHECK_EQ(at_zero, 5); /* five downs, four at zero */
    CHECK_EQ(c.overflow, 0);
    step(&c, MORE);
    CHECK_EQ(c.counter[3], UINT32_MAX);
    CHECK_EQ(c.overflow, 8); /* wrapped */
    step(&c, RESET);
    CHECK_EQ(c.overflow, 0);
}

/* One of nine terms holds, wherever it stands among them; a rule without terms
   always does. */
TEST(until_zero_and_any_number_of_terms) {
    bursty_control_term any[9];
    bursty_control_rule rules[2];
    bursty_control_state c;
    uint64_t held = 0;
    uint32_t i;
    memset(rules, 0, sizeof rules);
    memset(any, 0, sizeof any);
    for (i = 0; i < 9; i++) any[i].zero = any[i].not_zero = 1;
    rules[0].op[0].op = BURSTY_CONTROL_UNTIL; /* kinds 0: on every event */
    rules[0].op_count = 1;
    rules[1].any = any;
    rules[1].any_count = 9;
    rules[1].action = count;
    rules[1].user = &held;
    if (!CHECK(bursty_control_init(&c, rules, 2) == 0)) return;
    step(&c, 1024);
    CHECK_EQ(c.overflow, 1);
    CHECK_EQ(c.zero, 255);
    CHECK_EQ(held, 0);
    for (i = 0; i < 9; i++) {
        any[i].zero = any[i].not_zero = 0;
        any[i].overflow = 1;
        step(&c, 1024);
        CHECK_EQ(held, i + 1);
        any[i].zero = any[i].not_zero = 1;
    }
    rules[1].any_count = 0;
    step(&c, 1024);
    CHECK_EQ(held, 10);
}

static void other(void) {
    BURST_SCOPE("other");
    BURST_POINT(BURSTY_USER, "send", 0);
}

static uint32_t work(void) {
    const uint32_t line = __LINE__ + 5;
    int i;
    BURST_SCOPE("work");
    for (i = 0; i < 4; i++) {
        BURST_LOOP();
        BURST_POINT(BURSTY_USER, "send", 0); /* in this line */
    }
    return line;
}

/* Each pattern counts what fits it; an action of a rule is its own. */
enum { SEND = 1 }; /* the line of work's "send", known when it has run */
static const struct {
    bursty_control_rule rule;
    uint64_t fits;
} patterns[] = {
#define PATTERN(kinds_, name_, function_, file_, line_, fits_) \
    { { kinds_, name_, function_, file_, line_, NULL, 0, { { 0, 0, 0 } }, 0, NULL, NULL }, fits_ }
    PATTERN(0, NULL, NULL, NULL, 0, 24),
    PATTERN(BURSTY_USER, NULL, NULL, NULL, 0, 12),
    PATTERN(0, "send", NULL, NULL, 0, 10),
    PATTERN(0, "sen", NULL, NULL, 0, 0),
    PATTERN(0, "sends", NULL, NULL, 0, 0),
    PATTERN(BURSTY_LOAD, "send", NULL, NULL, 0, 0),
    PATTERN(0, "work", NULL, NULL, 0, 10),
    PATTERN(0, NULL, "work", NULL, 0, 18),
    PATTERN(BURSTY_USER, NULL, "work", NULL, 0, 8),
    PATTERN(0, NULL, "other", NULL, 0, 4),
    PATTERN(0, "send", "other", NULL, 0, 2),
    PATTERN(0, NULL, "wor", NULL, 0, 0),
    PATTERN(0, NULL, NULL, "test_control.c", 0, 24),
    PATTERN(0, NULL, NULL, "control.c", 0, 0),
    PATTERN(0, NULL, NULL, "other.c", 0, 0),
    PATTERN(0, NULL, NULL, NULL, SEND, 8),
    PATTERN(BURSTY_USER, "send", "work", "test_control.c", SEND, 8)
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

TEST(patterns_name_sites_and_functions) {
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    bursty_control_rule rules[PATTERNS];
    bursty_control_state c;
    uint64_t fits[PATTERNS];
    uint32_t i, line;
    bursty_set_profile(0, NULL); /* the last test's control is gone */
    line = work();
    memset(fits, 0, sizeof fits);
    for (i = 0; i < PATTERNS; i++) {
        rules[i] = patterns[i].rule;
        rules[i].action = count;
        rules[i].user = &fits[i];
        if (rules[i].line == SEND) rules[i].line = line;
    }
    if (!CHECK(bursty_control_init(&c, rules, PATTERNS) == 0)) return;
    p.action = bursty_control_step;
    p.user = &c;
    p.classes = (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_BACKEDGE | (uint32_t)BURSTY_USER;
    start_with(&p, 0);
    for (i = 0; i < 2; i++) {
        work();
        other();
        BURST_POINT(BURSTY_USER, "alone", 0);
    }
    for (i = 0; i < PATTERNS; i++) {
        if (!CHECK_EQ(fits[i], patterns[i].fits)) fprintf(stderr, "pattern %u\n", (unsigned)i);
    }
}

TEST(bad_rules_are_refused) {
    bursty_control_rule rule;
    bursty_control_state c;
    memset(&rule, 0, sizeof rule);
    rule.op[0].op = BURSTY_CONTROL_INC;
    rule.op_count = 5;
    CHECK_EQ(bursty_control_init(&c, &rule, 1), -1);
    rule.op_count = 1;
    rule.op[0].counter = 8;
    CHECK_EQ(bursty_control_init(&c, &rule, 1), -1);
    rule.op[0].counter = 7;
    CHECK_EQ(bursty_control_init(&c, &rule, 1), 0);
    rule.op[0].op = BURSTY_CONTROL_UNTIL + 1;
    CHECK_EQ(bursty_control_init(&c, &rule, 1), -1);
    rule.op_count = 0;
    CHECK_EQ(bursty_control_init(&c, &rule, 1), 0);
    rule.any_count = 1;
    CHECK_EQ(bursty_control_init(&c, &rule, 1), -1); /* terms that are not there */
}

TEST(files_of_windows_have_names_of_folders_too) {
    static const bursty_site site = { "here", "c:\\src\\net.c", 7, BURSTY_USER };
    static const char *const ends[4] = { "net.c", "src\\net.c", "et.c", "rc\\net.c" };
    bursty_control_rule rule = { 0, NULL, NULL, NULL, 0, NULL, 0, { { 0, 0, 0 } }, 0, count, NULL };
    bursty_control_state c;
    bursty_event event;
    uint32_t i;
    memset(&event, 0, sizeof event);
    event.site = &site;
    event.kind = BURSTY_USER;
    for (i = 0; i < 4; i++) {
        uint64_t fits = 0;
        rule.file = ends[i];
        rule.user = &fits;
        CHECK_EQ(bursty_control_init(&c, &rule, 1), 0);
        bursty_control_step(&c, &event);
        CHECK_EQ(fits, i < 2);
    }
}

TEST(a_back_edge_names_its_function_and_others_their_scope) {
    static const bursty_site loop = { "work", "f.c", 7, BURSTY_BACKEDGE }, scope = { "work", "f.c", 1, 0 };
    const bursty_site *stack[BURSTY_STACK + 1];
    uint64_t fits = 0;
    bursty_control_rule rule = { 0, NULL, "work", NULL, 0, NULL, 0, { { 0, 0, 0 } }, 0, count, NULL };
    bursty_control_state c;
    bursty_event event;
    uint32_t i;
    rule.user = &fits;
    CHECK_EQ(bursty_control_init(&c, &rule, 1), 0);
    memset(&event, 0, sizeof event);
    event.site = &loop;
    event.kind = BURSTY_BACKEDGE;
    bursty_control_step(&c, &event);
    CHECK_EQ(fits, 1);
    for (i = 0; i <= BURSTY_STACK; i++) stack[i] = &scope;
    event.stack = stack;
    event.kind = BURSTY_USER;
    for (event.depth = 0; event.depth <= BURSTY_STACK + 1; event.depth++) bursty_control_step(&c, &event);
    CHECK_EQ(fits, 1 + BURSTY_STACK); /* at depth 0 no scope, and the deepest is not kept */
}
