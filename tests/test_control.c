/* test_control.c - conditional control: Figure 4 against Figure 3 of the
   papers, operations, flags, refusals. */
#include "bursty.inc"

/* Figure 4 of hybrid-profiling-support, with what P2, P4, P5 and P6 mean. */
typedef struct figure4 {
    bursty_control_state c;
    bursty_control_when sampling;
    uint64_t events;
} figure4;

static void judge(void *user, const bursty_event *e) {
    figure4 *f = (figure4 *)user;
    int held = bursty_control_holds(&f->c, &f->sampling);
    bursty_control_step(&f->c, e->kind);
    if (held && (e->kind & BURSTY_ANY)) f->events++;
}

TEST(figure_4_equals_figure_3) {
    uint32_t checks, instrs, i, wrong = 0;
    for (checks = 1; checks <= 40; checks++) {
        for (instrs = 1; instrs <= 12; instrs++) {
            bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
            bursty_control_rule rules[4];
            figure3 f = figure3_make(checks, instrs);
            figure4 four;
            memset(&four, 0, sizeof four);
            memset(rules, 0, sizeof rules);
            for (i = 0; i < 4; i++)
                rules[i].kinds = (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_BACKEDGE;
            rules[0].when.any[0].not_overflow = 2; /* P1, P2: not sampling */
            rules[0].op[0].op = BURSTY_CONTROL_INC;
            rules[0].op[0].counter = 1;
            rules[0].op_count = 1;
            rules[1].when.any[0].overflow = 2; /* P3, P4: sampling */
            rules[1].when.any[0].not_overflow = 4;
            rules[1].op[0].op = BURSTY_CONTROL_INC;
            rules[1].op[0].counter = 2;
            rules[1].op_count = 1;
            rules[2].when.any[0].overflow = 6; /* P5, P6: the burst is over */
            rules[3].kinds = BURSTY_BEGIN;     /* initial values */
            for (i = 2; i < 4; i++) {
                rules[i].op[0].op = rules[i].op[1].op = BURSTY_CONTROL_UNTIL;
                rules[i].op[0].counter = 1;
                rules[i].op[0].value = checks - 1;
                rules[i].op[1].counter = 2;
                rules[i].op[1].value = instrs;
                rules[i].op_count = 2;
            }
            CHECK_EQ(bursty_control_init(&four.c, rules, 4), 0);
            four.sampling.any[0].overflow = 2;
            four.sampling.any[0].not_overflow = 4;
            p.classes = (uint32_t)BURSTY_ANY | (uint32_t)BURSTY_BEGIN;
            p.action = judge;
            p.user = &four;
            start_with(&p, 0);
            for (i = 0; i < 2000; i++) {
                uint64_t before = four.events;
                if (i & 1) BURST_LOOP();
                else BURST_ENTRY();
                wrong += (four.events != before) != figure3_check(&f);
            }
        }
    }
    CHECK_EQ(wrong, 0);
}

enum { DOWN = 1, MORE = 2, RESET = 4 };

TEST(counters_and_flags) {
    bursty_control_rule rules[3];
    bursty_control_when zero;
    bursty_control_state c;
    uint64_t at_zero = 0;
    int i;
    memset(rules, 0, sizeof rules);
    memset(&zero, 0, sizeof zero);
    rules[0].kinds = RESET;
    rules[0].op[0].op = BURSTY_CONTROL_SET;
    rules[0].op[0].counter = 3;
    rules[0].op[0].value = 5;
    rules[0].op_count = 1;
    rules[1].kinds = DOWN;
    rules[1].when.any[0].not_zero = 8;
    rules[1].op[0].op = BURSTY_CONTROL_DEC;
    rules[1].op[0].counter = 3;
    rules[1].op_count = 1;
    rules[2] = rules[1];
    rules[2].kinds = MORE;
    rules[2].when.any[0].not_zero = 0;
    zero.any[0].zero = 8;
    if (!CHECK(bursty_control_init(&c, rules, 3) == 0)) return;
    CHECK(bursty_control_holds(&c, &zero));
    bursty_control_step(&c, RESET);
    CHECK(!bursty_control_holds(&c, &zero));
    for (i = 0; i < 9; i++) {
        at_zero += (uint64_t)bursty_control_holds(&c, &zero);
        bursty_control_step(&c, DOWN);
    }
    CHECK_EQ(c.counter[3], 0);
    CHECK_EQ(at_zero, 4); /* five downs, four at zero */
    CHECK_EQ(c.overflow, 0);
    bursty_control_step(&c, MORE);
    CHECK_EQ(c.counter[3], UINT32_MAX);
    CHECK_EQ(c.overflow, 8); /* wrapped */
    bursty_control_step(&c, RESET);
    CHECK_EQ(c.overflow, 0);
}

TEST(until_zero_and_kinds_of_rules) {
    bursty_control_rule rule;
    bursty_control_when never, either;
    bursty_control_state c;
    memset(&rule, 0, sizeof rule);
    memset(&never, 0, sizeof never);
    memset(&either, 0, sizeof either);
    rule.op[0].op = BURSTY_CONTROL_UNTIL; /* kinds 0: on every event */
    rule.op_count = 1;
    if (!CHECK(bursty_control_init(&c, &rule, 1) == 0)) return;
    CHECK(bursty_control_holds(&c, &never)); /* no term in use */
    bursty_control_step(&c, 1024);
    CHECK_EQ(c.overflow, 1);
    CHECK_EQ(c.zero, 255);
    never.any[0].zero = 1;
    never.any[0].not_zero = 1;
    CHECK(!bursty_control_holds(&c, &never));
    either.any[1] = never.any[0];
    either.any[2].overflow = 1;
    CHECK(bursty_control_holds(&c, &either));
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
}
