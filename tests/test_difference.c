/* test_difference.c - intervals and tests of differences, against known values
   and against luck. */
#include "report/model/difference.h"
#include "report/model/interval.h"
#include "test.h"
#include <math.h>

static uint64_t state = 88172645463325252u;

static double luck(void) { /* 0 to 1, neither */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + .5) / 9007199254740992.0;
}

static double normal(void) { return sqrt(-2 * log(luck())) * cos(6.283185307179586 * luck()); }

/* By inversion for small means; for large ones the normal law does. */
static double events(double mean) {
    double p = exp(-mean), sum = p, u = luck();
    int k = 0;
    if (mean > 200) return floor(mean + sqrt(mean) * normal() + .5);
    while (u > sum && k < 2000) sum += p *= mean / ++k;
    return k;
}

static difference_run run_of(double value, difference_noise noise, double unit, double worth) {
    difference_run run = {0, 0, 0, 0, 0, DIFFERENCE_UNKNOWN};
    run.value = value;
    run.noise = noise;
    run.unit = unit;
    run.worth = worth;
    return run;
}

static difference compare(const difference_run *base, size_t n, const difference_run *now, size_t m) {
    difference_side a, b;
    a.runs = base;
    a.count = n;
    b.runs = now;
    b.count = m;
    return difference_make(&a, &b);
}

static int exceeds(const difference_run *base, const difference_run *now, double factor, double more) {
    difference_side a, b;
    a.runs = base;
    b.runs = now;
    a.count = b.count = 1;
    return difference_exceeds(&a, &b, factor, more, DIFFERENCE_LEVEL);
}

static int is_near(double got, double wanted, double error) { return fabs(got - wanted) <= error; }

/* A row that 300 bursts of 100 checks saw seldom, and then up to 100 times: runs
   of it have Pareto's lengths, as a loop's do whose trips are data. */
static difference_run tail_of(void) {
    enum { BURSTS = 300, CHECKS = 100 };
    double y = 0, y2 = 0, p, variance;
    difference_run run;
    int i;
    for (i = 0; i < BURSTS; i++) {
        double seen = luck() < .05 ? floor(pow(luck(), -1 / 1.1)) : 0;
        if (seen > CHECKS) seen = CHECKS;
        y += seen;
        y2 += seen * seen;
    }
    p = y / (BURSTS * CHECKS);
    variance = (y2 - y * y / BURSTS) / (BURSTS * (double)CHECKS * BURSTS * CHECKS);
    run = run_of(100 * y, DIFFERENCE_PART, 100. * BURSTS * CHECKS,
                 variance > 0 ? p * (1 - p) / variance : BURSTS);
    run.bursts = interval_worth_of_bursts(y, y2);
    return run;
}

/* In a table of 50 rows a chance below .001 is a change. 40 000 comparisons of a
   row with itself have 40 of these; 75 or more have a chance of 4e-7. */
TEST(heavy_tails_hold_the_level) {
    uint32_t i, wrong = 0;
    for (i = 0; i < 40000; i++) {
        const difference_run base = tail_of(), now = tail_of();
        wrong += compare(&base, 1, &now, 1).chance < .001;
    }
    if (wrong >= 75) printf("%u of 40000\n", wrong);
    CHECK(wrong < 75);
}

/* One burst with more than a fifth of a row says how much there is at most. */
TEST(one_large_burst_gives_no_least) {
    difference_run base = run_of(10, DIFFERENCE_PART, 1e6, 1e5), now = base;
    now.value = 100000;
    now.worth = 1000;
    CHECK_EQ(exceeds(&base, &now, 1, 0), 1);
    now.bursts = 4;
    CHECK_EQ(exceeds(&base, &now, 1, 0), 0);
    now.bursts = 8;
    CHECK_EQ(exceeds(&base, &now, 1, 0), 1);
}

/* Printed tables of Student's t. */
TEST(students_t_is_that_of_the_tables) {
    CHECK(is_near(difference_t_quantile(.05, 1), 12.706, .001));
    CHECK(is_near(difference_t_quantile(.05, 4), 2.776, .001));
    CHECK(is_near(difference_t_quantile(.01, 10), 3.169, .001));
    CHECK(is_near(difference_t_quantile(.05, 1000), 1.962, .001));
    CHECK(is_near(difference_t_chance(2.228, 10), .05, .0001));
    CHECK(is_near(difference_t_chance(2, 1e9), .0455, .0001));
    CHECK(is_near(difference_t_chance(0, 3), 1, 1e-9));
}

/* Welch's interval by hand: means 10 and 14, both variances 1, three runs a
   side; t(4) = 2.869. */
TEST(several_runs_make_welchs_interval) {
    difference_run base[3], now[3];
    difference d;
    int i;
    for (i = 0; i < 3; i++) {
        base[i] = run_of(9 + i, DIFFERENCE_EXACT, 1, 0);
        now[i] = run_of(13 + i, DIFFERENCE_EXACT, 1, 0);
    }
    d = compare(base, 3, now, 3);
    CHECK(is_near(d.now - d.base, 4, 1e-12));
    CHECK(is_near(d.high - 4, difference_t_quantile(DIFFERENCE_LEVEL, 4) * sqrt(2. / 3), 1e-6));
    CHECK(is_near(d.low + d.high, 8, 1e-9));
    CHECK(is_near(d.chance, difference_t_chance(4 / sqrt(2. / 3), 4), 1e-9));
    /* One run of the base: the other side says how much runs differ. */
    d = compare(base + 1, 1, now, 3);
    CHECK(is_near(d.high - 4, difference_t_quantile(DIFFERENCE_LEVEL, 2) * sqrt(4. / 3), 1e-6));
}

TEST(exact_numbers_differ_or_do_not) {
    difference_run a = run_of(100, DIFFERENCE_EXACT, 1, 0), b = run_of(101, DIFFERENCE_EXACT, 1, 0);
    difference d = compare(&a, 1, &b, 1);
    CHECK(d.chance < 1e-9);
    CHECK(is_near(d.low, 1, 0) && is_near(d.high, 1, 0));
    CHECK(is_near(d.factor_low, 1.01, 1e-6) && is_near(d.factor_high, 1.01, 1e-6));
    d = compare(&a, 1, &a, 1);
    CHECK(d.chance > .999);
    CHECK_EQ(exceeds(&a, &b, 1, 0), 1);
    CHECK_EQ(exceeds(&a, &b, 1, 1), -1);
    CHECK_EQ(exceeds(&a, &b, 1.005, 0), 1);
    CHECK_EQ(exceeds(&a, &b, 1.02, 0), -1);
    CHECK_EQ(exceeds(&a, &a, 1, 0), -1);
}

TEST(what_is_unknown_stays_unknown) {
    difference_run a = run_of(100, DIFFERENCE_UNKNOWN, 1, 0), b = run_of(900, DIFFERENCE_EXACT, 1, 0);
    difference d = compare(&a, 1, &b, 1);
    unsigned char sure[1];
    CHECK(d.chance != d.chance && d.low != d.low && d.high != d.high);
    CHECK_EQ(exceeds(&a, &b, 1, 0), 0);
    difference_judge(&d.chance, 1, sure);
    CHECK_EQ(sure[0], 0);
}

TEST(a_zero_has_limits_too) {
    difference_run none = run_of(0, DIFFERENCE_EVENTS, 1, 0), few = run_of(3, DIFFERENCE_EVENTS, 1, 0),
                   many = run_of(40, DIFFERENCE_EVENTS, 1, 0);
    difference d = compare(&none, 1, &few, 1);
    CHECK(d.chance > .05);
    CHECK(d.low < 0 && d.high > 3);
    d = compare(&none, 1, &many, 1);
    CHECK(d.chance < 1e-4);
    CHECK(d.low > 20);
    CHECK(d.factor_low != d.factor_low);         /* there is no factor from 0 on */
    d = compare(&many, 1, &none, 1);
    CHECK(d.factor_low <= 1e-9 && d.factor_high < .3);
}

/* So often is the true difference in the interval, and the true factor in that
   of the factor. */
static void cover(double base_mean, double now_mean, double unit, int *difference_held,
                  int *factor_held, int trials) {
    int i;
    *difference_held = *factor_held = 0;
    for (i = 0; i < trials; i++) {
        difference_run a = run_of(unit * events(base_mean), DIFFERENCE_EVENTS, unit, 0);
        difference_run b = run_of(unit * events(now_mean), DIFFERENCE_EVENTS, unit, 0);
        difference d = compare(&a, 1, &b, 1);
        double apart = unit * (now_mean - base_mean), factor = now_mean / base_mean;
        *difference_held += d.low <= apart && apart <= d.high;
        *factor_held += !(d.base > 0) || (d.factor_low <= factor && factor <= d.factor_high);
    }
}

TEST(intervals_of_sampled_time_hold_the_truth) {
    static const double means[][2] = {{3, 3}, {5, 15}, {30, 20}, {100, 130}, {1000, 1000}, {4000, 3000}};
    enum { TRIALS = 1000 };
    size_t i;
    for (i = 0; i < sizeof means / sizeof *means; i++) {
        int held, factor_held;
        cover(means[i][0], means[i][1], 2.5, &held, &factor_held, TRIALS);
        CHECK(held >= 930 && (means[i][0] < 10 || held <= 980));
        CHECK(factor_held >= 930);
    }
}

/* Three runs a side that differ by 10 % from one another, sampled by 400 events
   each. */
TEST(intervals_of_runs_hold_the_truth) {
    enum { TRIALS = 1000 };
    int i, k, held = 0, single = 0;
    for (i = 0; i < TRIALS; i++) {
        difference_run a[3], b[3];
        difference d;
        for (k = 0; k < 3; k++) {
            a[k] = run_of(events(400 * (1 + .1 * normal())), DIFFERENCE_EVENTS, 1, 0);
            b[k] = run_of(events(500 * (1 + .1 * normal())), DIFFERENCE_EVENTS, 1, 0);
        }
        d = compare(a, 3, b, 3);
        held += d.low <= 100 && 100 <= d.high;
        d = compare(a, 1, b, 1);
        single += d.low <= 100 && 100 <= d.high;
    }
    CHECK(held >= 930);
    CHECK(single < 750);                            /* two runs alone cannot know it */
}

/* A hundred rows that do not differ: in few of the comparisons any of them is
   called sure. */
TEST(many_rows_are_not_called_sure_by_luck) {
    enum { ROWS = 100, TRIALS = 200 };
    int i, k, wrong = 0, uncorrected = 0, found = 0;
    for (i = 0; i < TRIALS; i++) {
        double chances[ROWS];
        unsigned char sure[ROWS];
        int any = 0, low = 0;
        for (k = 0; k < ROWS; k++) {
            double mean = k == 0 ? 900 : 2 + k;
            difference_run a = run_of(events(k == 0 ? 600 : mean), DIFFERENCE_EVENTS, 1, 0);
            difference_run b = run_of(events(mean), DIFFERENCE_EVENTS, 1, 0);
            difference_side base, now;
            base.runs = &a;
            now.runs = &b;
            base.count = now.count = 1;
            chances[k] = compare(&a, 1, &b, 1).chance;
            low |= k > 0 && chances[k] < .05;
            if (difference_is_hopeless(&base, &now)) chances[k] = NAN;
        }
        difference_judge(chances, ROWS, sure);
        for (k = 1; k < ROWS; k++) any |= sure[k];
        wrong += any;
        uncorrected += low;
        found += sure[0];
    }
    CHECK(wrong <= TRIALS / 10);
    CHECK(uncorrected > TRIALS * 8 / 10);
    CHECK(found == TRIALS);
}

TEST(rows_of_five_events_are_no_tests) {
    difference_run none = run_of(0, DIFFERENCE_EVENTS, 2, 0), five = run_of(10, DIFFERENCE_EVENTS, 2, 0),
                   six = run_of(12, DIFFERENCE_EVENTS, 2, 0), exact = run_of(1, DIFFERENCE_EXACT, 1, 0);
    difference_side a, b;
    a.runs = &none;
    a.count = b.count = 1;
    b.runs = &five;
    CHECK(difference_is_hopeless(&a, &b) && difference_is_hopeless(&b, &a));
    b.runs = &six;
    CHECK(!difference_is_hopeless(&a, &b));
    b.runs = &exact;
    CHECK(!difference_is_hopeless(&a, &b));
}

/* Holm by hand: .04 is below .0455 / 1 but stands behind a row that failed. */
TEST(the_correction_is_holms) {
    double chances[] = {.04, .0001, NAN, .025, .014};
    unsigned char sure[5];
    difference_judge(chances, 5, sure);
    CHECK(sure[1] && sure[4] && !sure[3] && !sure[0] && !sure[2]);
    difference_judge(chances, 0, sure);
}

/* A condition is answered wrongly in at most half of the level. */
TEST(a_condition_that_is_just_false_seldom_fails) {
    enum { TRIALS = 1000 };
    int i, failed = 0, passed = 0, told = 0;
    for (i = 0; i < TRIALS; i++) {
        difference_run a = run_of(events(400), DIFFERENCE_EVENTS, 1, 0);
        difference_run b = run_of(events(420), DIFFERENCE_EVENTS, 1, 0);
        difference_run c = run_of(events(700), DIFFERENCE_EVENTS, 1, 0);
        failed += exceeds(&a, &b, 1.05, 0) == 1;
        passed += exceeds(&a, &b, 1.05, 0) == -1;
        told += exceeds(&a, &c, 1.05, 0) == 1;
    }
    CHECK(failed <= 40);
    CHECK(passed <= 40);
    CHECK(told >= 990);
}
