/* test_bursty_since.c - events behind a check, in code of two copies: the mean of
   what bursts at all places say is the truth, to the last digit. */
#include "bursty.inc"

enum { BEHIND = 9, ROUNDS = 5, BURST = 6, SHORT = 3, PERIOD = 60 };

static const bursty_site behind_sites[BEHIND] = {
    { "e0", "x", 0, BURSTY_CALL }, { "e1", "x", 1, BURSTY_CALL }, { "e2", "x", 2, BURSTY_CALL },
    { "e3", "x", 3, BURSTY_CALL }, { "e4", "x", 4, BURSTY_CALL }, { "e5", "x", 5, BURSTY_CALL },
    { "e6", "x", 6, BURSTY_CALL }, { "e7", "x", 7, BURSTY_CALL }, { "e8", "x", 8, BURSTY_CALL }
};

static void add_weight(void *user, const bursty_event *event) {
    uint64_t *sum = (uint64_t *)user;
    sum[event->site - behind_sites] += event->weight_256;
}

/* A round begins with a check that leads into the second copy while a burst is
   live; event k stands behind k more checks. stays: a former burst has led the
   frame there, and it has not returned. */
static void rounds(int stays) {
    int i, k;
    for (i = 0; i < ROUNDS; i++) {
        int is_second = BURST_CHECK() || stays;
        uint32_t mark = bursty_note_mark();
        for (k = 0; k < BEHIND; k++) {
            if (is_second) bursty_note_since(&behind_sites[k], 0, BURSTY_CALL, mark);
            (void)BURST_CHECK();
        }
    }
}

static void all_places(int stays, int profiles, uint64_t (*sum)[BEHIND]) {
    int place, i, p;
    for (p = 0; p < 2; p++) {
        for (i = 0; i < BEHIND; i++) sum[p][i] = 0;
    }
    for (place = 0; place < PERIOD; place++) {
        for (p = 0; p < profiles; p++) {
            bursty_profile one = plain_profile(PERIOD - (p ? SHORT : BURST), p ? SHORT : BURST);
            one.action = add_weight;
            one.user = sum[p];
            if (p == 0) start_with(&one, 0);
            else bursty_set_profile(p, &one);
        }
        for (i = 0; i < place; i++) (void)BURST_CHECK();
        rounds(stays);
    }
}

TEST(events_behind_a_check_are_weighed_by_their_chance) {
    uint64_t sum[2][BEHIND], truth = (uint64_t)ROUNDS * PERIOD * 256;
    int stays, k;
    for (stays = 0; stays < 2; stays++) {
        all_places(stays, 1, sum);
        for (k = 0; k < BEHIND; k++) CHECK_EQ(sum[0][k], truth);
    }
}

/* Each profile has bursts of its own, and its own chance. */
TEST(profiles_have_chances_of_their_own) {
    uint64_t sum[2][BEHIND], truth = (uint64_t)ROUNDS * PERIOD * 256;
    int stays, k;
    for (stays = 0; stays < 2; stays++) {
        all_places(stays, 2, sum);
        for (k = 0; k < BEHIND; k++) {
            CHECK_EQ(sum[0][k], k < BURST ? truth : 0);
            CHECK_EQ(sum[1][k], k < SHORT ? truth : 0);
        }
    }
}

/* A frame that a burst has led into the second copy, and that stays there. What
   stands behind as many checks as a burst has, counts as others do; a mark of 0
   counts nothing. */
TEST(what_lies_behind_a_whole_burst_counts) {
    uint64_t sum[BEHIND] = { 0 };
    bursty_profile p = plain_profile(PERIOD - BURST, BURST);
    uint32_t mark;
    int i;
    p.action = add_weight;
    p.user = sum;
    start_with(&p, 0);
    for (i = 0; i < PERIOD && !BURST_CHECK(); i++) {
    }
    mark = bursty_note_mark();
    bursty_note_since(&behind_sites[0], 0, BURSTY_CALL, mark);
    CHECK_EQ(sum[0], 256 * PERIOD / BURST);
    for (i = 0; i < 10 * PERIOD; i++) {
        (void)BURST_CHECK();
        if (i >= BURST) bursty_note_since(&behind_sites[1], 0, BURSTY_CALL, mark);
        bursty_note_since(&behind_sites[2], 0, BURSTY_CALL, 0);
    }
    CHECK_EQ(sum[1], 256 * PERIOD / BURST * (10 * PERIOD - BURST));
    CHECK_EQ(sum[2], 0);
}

/* In an action the thread's word is taken out, and how many checks have passed
   is not known: nothing counts. */
static uint32_t mark_for_action;
static void note_in_action(void *user, const bursty_event *event) {
    uint32_t *others = (uint32_t *)user;
    *others += event->site == &behind_sites[1];
    if (event->site == &behind_sites[0])
        bursty_note_since(&behind_sites[1], 0, BURSTY_CALL, mark_for_action);
}

TEST(nothing_counts_in_an_action) {
    uint32_t others = 0;
    bursty_profile p = plain_profile(PERIOD - BURST, BURST);
    int i;
    p.action = note_in_action;
    p.user = &others;
    start_with(&p, 0);
    for (i = 0; i < 2 * PERIOD && !BURST_CHECK(); i++) {
    }
    mark_for_action = bursty_note_mark();
    CHECK(mark_for_action != 0);
    bursty_note(&behind_sites[0], 0, BURSTY_CALL);
    CHECK_EQ(others, 0);
    bursty_note_since(&behind_sites[1], 0, BURSTY_CALL, mark_for_action);
    CHECK_EQ(others, 1);
}

/* The burst that gave the mark has ended, and another one is live before as many
   checks have passed: it did not lead the frame there. */
static bursty_profile of_a_short_gap(void *sum) {
    bursty_profile p = plain_profile(2, BURST);
    p.action = add_weight;
    p.user = sum;
    return p;
}

TEST(a_mark_of_a_former_burst_counts_nothing) {
    uint64_t sum[BEHIND] = { 0 };
    bursty_profile p = of_a_short_gap(sum);
    uint32_t mark = 0;
    int i, seen = 0;
    start_with(&p, 0);
    for (i = 0; i < 2 * BURST && !BURST_CHECK(); i++) {
    }
    for (; bursty_in_burst(); seen++) {
        mark = bursty_note_mark();
        (void)BURST_CHECK();
    }
    CHECK_EQ(seen, BURST);
    for (i = 0; i < 3; i++) { /* the gap, and the next burst begins */
        bursty_note_since(&behind_sites[i], 0, BURSTY_CALL, mark);
        CHECK_EQ(bursty_in_burst() != 0, i == 2);
        (void)BURST_CHECK();
    }
    for (i = 0; i < 3; i++) CHECK_EQ(sum[i], 0);
}

/* A burst that never ends records everything once; no mark is needed where no
   thread has started. */
TEST(a_full_profile_needs_no_weight) {
    uint64_t sum[BEHIND] = { 0 };
    bursty_profile p = plain_profile(BURSTY_ALWAYS, 0);
    int k;
    p.action = add_weight;
    p.user = sum;
    start_with(&p, 0);
    rounds(0);
    for (k = 0; k < BEHIND; k++) CHECK_EQ(sum[k], ROUNDS * 256);
    bursty_set_profile(0, NULL);
    (void)BURST_CHECK();
    CHECK_EQ(bursty_note_mark(), 0);
    bursty_note_since(&behind_sites[0], 0, BURSTY_CALL, 1);
    CHECK_EQ(sum[0], ROUNDS * 256);
}

/* The table's weights and its sums over bursts are those of the events. */
static uint64_t rows_weight;
static void add_row(void *user, const bursty_row *row) {
    if (row->site == (const bursty_site *)user) rows_weight = row->weight;
}
TEST(the_table_weighs_them_too) {
    bursty_profile p = plain_profile(PERIOD - BURST, BURST);
    uint64_t seen = 0;
    int place, i;
    for (place = 0; place < PERIOD; place++) {
        start_with(&p, 0);
        for (i = 0; i < place; i++) (void)BURST_CHECK();
        rounds(0);
        rows_weight = 0;
        bursty_each(add_row, (void *)(uintptr_t)&behind_sites[4]);
        seen += rows_weight;
    }
    CHECK_EQ(seen, (uint64_t)ROUNDS * PERIOD * 256);
}

/* What a burst misses is told once, before its next event, with what an event of
   this burst has; and to nobody who has not asked. */
static const uint64_t *seen_memory[8];
static void log_memory(void *user, const bursty_event *e) {
    event_log *log = (event_log *)user;
    if (log->count < 8) seen_memory[log->count] = e->memory;
    log_event(user, e);
}
TEST(a_gap_is_of_its_burst) {
    event_log asks = { 0, 0, NULL }, other = { 0, 0, NULL };
    static const uint32_t kinds[5] = { BURSTY_BEGIN, BURSTY_CALL, BURSTY_GAP, BURSTY_CALL, BURSTY_CALL };
    bursty_profile p = plain_profile(7, 5);
    size_t i;
    p.classes = BURSTY_CALL | BURSTY_BEGIN | BURSTY_GAP;
    p.action = log_memory;
    p.user = &asks;
    start_with(&p, 0);
    p.classes = BURSTY_CALL;
    p.action = log_event;
    p.user = &other;
    CHECK_EQ(bursty_set_profile(1, &p), 0);
    for (i = 0; i < 20 && bursty_in_burst() != 3; i++) (void)BURST_CHECK();
    CHECK_EQ(bursty_in_burst(), 3);
    asks.count = 1; /* a burst before this one would have been told, too */
    other.count = 0;
    bursty_note(&behind_sites[0], 7, BURSTY_CALL);
    bursty_note_since(&behind_sites[1], 8, BURSTY_CALL, 0); /* nobody knows its check */
    bursty_note(&behind_sites[2], 9, BURSTY_CALL);
    bursty_note(&behind_sites[3], 9, BURSTY_CALL);
    CHECK_EQ(asks.count, 5);
    CHECK_EQ(other.count, 3);
    for (i = 1; i < 5 && asks.count == 5; i++) {
        CHECK_EQ(asks.entry[i].kind, kinds[i]);
        CHECK_EQ(asks.entry[i].value, i == 1 ? 7 : i == 2 ? 0 : 9);
        CHECK_EQ(asks.entry[i].burst, asks.entry[1].burst);
        CHECK_EQ(asks.entry[i].weight, 12 * 256 / 5);
        CHECK(asks.entry[i].burst > 0 && seen_memory[i] && seen_memory[i] == seen_memory[1]);
    }
    for (i = 0; i < other.count; i++) CHECK_EQ(other.entry[i].kind, BURSTY_CALL);
    free(asks.entry);
    free(other.entry);
}

/* 70 / 7 * 256 * 7 / (7 - k) for k of 0 to 6 */
TEST(a_chance_that_is_no_whole_number_is_rounded) {
    static const uint32_t wanted[7] = { 2560, 2987, 3584, 4480, 5973, 8960, 17920 };
    event_log log = { 0, 0, NULL };
    bursty_profile p = plain_profile(63, 7);
    uint32_t mark;
    size_t i;
    p.classes = BURSTY_CALL;
    p.action = log_event;
    p.user = &log;
    start_with(&p, 0);
    for (i = 0; i < 100 && !BURST_CHECK(); i++) {
    }
    mark = bursty_note_mark();
    for (i = 0; i < 7; i++) {
        bursty_note_since(&behind_sites[i], 0, BURSTY_CALL, mark);
        (void)BURST_CHECK();
    }
    CHECK_EQ(log.count, 7);
    for (i = 0; i < log.count; i++) CHECK_EQ(log.entry[i].weight, wanted[i]);
    free(log.entry);
}
