/* test_ranges.c - intervals of sampled shares and counts: from sums over bursts
   as from the bursts themselves, and what stands where there are no sums. */
#include "test.h"
#include "report/model/sampled_ranges.h"
#include <math.h>

enum { SITES = 4, MOST = 400 };

/* Made bursts: what each counted of each site, scaled up. */
static double counted[MOST][SITES];
static uint64_t drawn = 1;

static void make_bursts(unsigned bursts, unsigned events) {
    unsigned b, i, k;
    memset(counted, 0, sizeof counted);
    for (b = 0; b < bursts; b++) {
        for (i = 0; i < events;) {
            unsigned run = 1 + (unsigned)(test_random(&drawn) % 9);
            unsigned site = (unsigned)(test_random(&drawn) % 16);
            site = site < 9 ? 0 : site < 14 ? 1 : site < 15 ? 2 : 3;
            for (k = 0; k < run && i < events; k++, i++) counted[b][site] += 100;
        }
    }
}

/* A tally as a dump of these bursts would make it: one program, one class of
   sites. */
static sampled_program program;
static sampled_profile profile;
static sampled_thread thread;
static sampled_site sites[SITES];
static sampled_class of_calls;
static sampled_record rows[SITES];
static sampled_sums sums_of_rows[SITES];

static tally sampled_of(unsigned bursts, unsigned events) {
    tally t;
    unsigned b, i, k;
    memset(&t, 0, sizeof t);
    memset(&program, 0, sizeof program);
    memset(&profile, 0, sizeof profile);
    memset(&thread, 0, sizeof thread);
    memset(&of_calls, 0, sizeof of_calls);
    memset(rows, 0, sizeof rows);
    memset(sums_of_rows, 0, sizeof sums_of_rows);
    program.checks = (uint64_t)bursts * events * 100;
    profile.check_count = 99 * events;
    profile.burst_count = events;
    profile.classes = SITE_CLASSES;
    profile.flags = PROFILE_TABLE;
    profile.bursts = bursts;
    profile.events = (uint64_t)bursts * events;
    of_calls.class_bit = SITE_CALL;
    for (b = 0; b < bursts; b++) {
        double x = 0;
        for (i = 0; i < SITES; i++) x += counted[b][i];
        of_calls.bursts += x > 0;
        of_calls.xx += (uint64_t)(x * x);
        for (i = 0; i < SITES; i++) {
            double y = counted[b][i];
            if (y <= 0) continue;
            rows[i].count += (uint64_t)(y / 100);
            rows[i].weight_256 += (uint64_t)y * 256;
            rows[i].sums = &sums_of_rows[i];
            rows[i].sums->bursts++;
            rows[i].sums->firsts++;
            rows[i].sums->yy += (uint64_t)(y * y);
            rows[i].sums->ys = rows[i].sums->yy;
            rows[i].sums->xy += (uint64_t)(x * y);
        }
    }
    for (k = 0; k < SITES; k++) {
        sites[k].name = sites[k].file = "";
        sites[k].kind = SITE_CALL;
        rows[k].site = k;
        rows[k].caller = TALLY_NO_SITE;
    }
    t.programs.at = &program;
    t.profiles.at = &profile;
    t.threads.at = &thread;
    t.sites.at = sites;
    t.classes.at = &of_calls;
    t.rows.at = rows;
    t.programs.count = t.profiles.count = t.threads.count = t.classes.count = 1;
    t.sites.count = t.rows.count = SITES;
    return t;
}

static ranges_sums sums_of(unsigned row) {
    ranges_sums sums;
    memset(&sums, 0, sizeof sums);
    ranges_add(&sums, &rows[row], 0);
    return sums;
}

static int is_near(double a, double b) { return fabs(a - b) <= 1e-9 * (1 + fabs(b)); }

/* Sums over bursts of a row and of all rows. */
typedef struct told { double x, y, left, left_of_count, squares; } told;

static told tell(unsigned row, unsigned bursts) {
    told t = {0, 0, 0, 0, 0};
    unsigned b, i;
    for (b = 0; b < bursts; b++) {
        for (i = 0; i < SITES; i++) t.x += counted[b][i];
        t.y += counted[b][row];
        t.squares += pow(counted[b][row], 2);
    }
    for (b = 0; b < bursts; b++) {
        double in_burst = 0;
        for (i = 0; i < SITES; i++) in_burst += counted[b][i];
        t.left += pow(counted[b][row] - t.y / t.x * in_burst, 2);
        t.left_of_count += pow(counted[b][row] - t.y / bursts, 2);
    }
    return t;
}

/* A row gets one more burst, with what a burst of all rows leaves over. */
static double with_one_more(double left, double y, double bursts, double clump) {
    return y * clump > left ? (bursts * left + y * clump) / (bursts + 1) : left;
}

/* From the bursts one by one, by the definition of the variance. */
static void compare(const tally *t, unsigned row, unsigned bursts) {
    ranges r;
    ranges_sums sums = sums_of(row);
    interval share, count, wanted;
    told of = tell(row, bursts);
    double p = of.y / of.x, equal = of.y * of.y / of.squares, clump = 0, left;
    unsigned i;
    ranges_make(&r, t);
    CHECK_EQ(r.basis, RANGES_BURSTS);
    for (i = 0; i < SITES; i++) clump += tell(i, bursts).left / of.x;
    share = ranges_share(&r, &sums, SITE_CALL);
    left = with_one_more(of.left, of.y, equal, clump);
    wanted = interval_of_worth(p, p * (1 - p) / (left / (bursts - 1) * bursts / of.x / of.x), equal);
    CHECK(is_near(share.low, wanted.low) && is_near(share.high, wanted.high));
    count = ranges_count(&r, &sums, SITE_CALL);
    left = with_one_more(of.left_of_count, of.y, equal, clump);
    wanted = interval_of_count(of.y, left * bursts / (bursts - 1.0), equal);
    CHECK(is_near(count.low, wanted.low) && is_near(count.high, wanted.high));
    CHECK(share.low < p && p < share.high && count.low < of.y && of.y < count.high);
}

TEST(intervals_are_those_of_the_bursts) {
    static const unsigned events[] = {1, 10, 100};
    unsigned k, row;
    for (k = 0; k < 3; k++) {
        tally t;
        make_bursts(MOST, events[k]);
        t = sampled_of(MOST, events[k]);
        for (row = 0; row < SITES; row++) compare(&t, row, MOST);
    }
}

TEST(few_bursts_have_an_upper_bound_alone) {
    unsigned bursts, few;
    interval share, count;
    for (bursts = 0; bursts < 8; bursts++) {
        tally t;
        ranges r;
        ranges_sums sums;
        make_bursts(bursts, 20);
        t = sampled_of(bursts, 20);
        ranges_make(&r, &t);
        sums = sums_of(0);
        few = sums.bursts == 0 || tell(0, bursts).y * tell(0, bursts).y / sums.yy <= 4.9;
        share = ranges_share(&r, &sums, SITE_CALL);
        count = ranges_count(&r, &sums, SITE_CALL);
        CHECK_EQ(share.low < 0, few);
        CHECK_EQ(count.low < 0, few);
        CHECK_EQ(share.high > 0, bursts >= 2);
        CHECK_EQ(count.high > 0, bursts >= 2);
        CHECK_EQ(ranges_has(&r, &sums), sums.bursts >= 5);
    }
}

/* The only function there is has the share 1 for sure only as far as there are
   bursts. */
TEST(one_function_alone) {
    tally t;
    ranges r;
    ranges_sums sums;
    interval share;
    unsigned b;
    make_bursts(0, 0);
    for (b = 0; b < 100; b++) counted[b][0] = 1000;
    t = sampled_of(100, 10);
    ranges_make(&r, &t);
    sums = sums_of(0);
    share = ranges_share(&r, &sums, SITE_CALL);
    CHECK(share.low > .9 && share.low < 1 && share.high >= 1);
    CHECK(ranges_count(&r, &sums, SITE_CALL).low > 80000);
}

/* Bursts that differ by no more than rounding say nothing of how bursts differ.
   Their interval is that of so many bursts alike, and no narrower. */
TEST(rounding_is_no_variance) {
    unsigned b, odd;
    for (odd = 0; odd < 2; odd++) {
        tally t;
        ranges r;
        ranges_sums sums;
        interval share, count;
        make_bursts(0, 0);
        for (b = 0; b < 100; b++) counted[b][0] = counted[b][1] = 1000;
        counted[7][0] += odd;
        t = sampled_of(100, 20);
        ranges_make(&r, &t);
        sums = sums_of(0);
        share = ranges_share(&r, &sums, SITE_CALL);
        count = ranges_count(&r, &sums, SITE_CALL);
        CHECK(share.low > .35 && share.low < .45 && share.high > .55 && share.high < .65);
        CHECK(count.low > 0 && count.low < 98000 && count.high > 102000);
        program.checks = 50000; /* references: more of them than checks */
        ranges_make(&r, &t);
        count = ranges_count(&r, &sums, SITE_CALL);
        CHECK(count.low > 0 && count.low < 98000 && count.high > 102000);
    }
}

/* Of 5 equal bursts Student's 2.86 standard errors, of many 2. */
TEST(few_bursts_are_farther) {
    interval five = interval_of_worth(.5, 100, 5), many = interval_of_worth(.5, 100, 1e9);
    CHECK(fabs(five.low - .3627) < .0005 && fabs(five.high - .6373) < .0005);
    CHECK(fabs(many.low - .4019) < .0005 && fabs(many.high - .5981) < .0005);
}

/* A count's interval is four standard errors wide, and is not cut at the number
   of checks: bursts find more than there is as often as less. */
TEST(a_count_is_no_part_of_the_checks) {
    interval few = interval_of_count(3, 3, 1e9), many = interval_of_count(100000, 1e6, 1e9);
    interval unequal = interval_of_count(100, 100 * 100 / 4., 4);
    CHECK(fabs(many.low - 98020) < 2 && fabs(many.high - 102020) < 3);
    CHECK(fabs(few.low - 1) < .01 && fabs(few.high - 9) < .01); /* (k - 3)^2 = 4 k */
    CHECK(unequal.low < 0 && unequal.high > 200);
    CHECK(interval_of_count(0, 1, 9).high < 0 && interval_of_count(9, 0, 9).high < 0);
}

TEST(everything_counted_is_exact) {
    tally t;
    ranges r;
    ranges_sums sums;
    make_bursts(10, 20);
    t = sampled_of(10, 20);
    profile.check_count = UINT32_MAX;
    ranges_make(&r, &t);
    CHECK_EQ(r.basis, RANGES_EXACT);
    sums = sums_of(3);
    CHECK(ranges_has(&r, &sums));
    CHECK(is_near(ranges_share(&r, &sums, SITE_CALL).low, ranges_share(&r, &sums, SITE_CALL).high));
    CHECK(is_near(ranges_count(&r, &sums, SITE_CALL).low, (double)rows[3].weight_256 / 256));
}

/* Dumps of older versions have no sums: events count as independent. A
   twentieth without sums is taken for what a burst saw that had not ended. */
TEST(without_sums_events_are_independent) {
    tally t;
    ranges r;
    ranges_sums sums;
    interval share, wanted;
    unsigned i;
    make_bursts(100, 20);
    t = sampled_of(100, 20);
    rows[3].sums = NULL;
    ranges_make(&r, &t);
    CHECK_EQ(r.basis, rows[3].weight_256 > 2000 * 100 * 256 / 20 ? RANGES_EVENTS : RANGES_BURSTS);
    for (i = 0; i < SITES; i++) rows[i].sums = NULL;
    t.classes.count = 0;
    ranges_make(&r, &t);
    CHECK_EQ(r.basis, RANGES_EVENTS);
    sums = sums_of(0);
    share = ranges_share(&r, &sums, SITE_CALL);
    wanted = interval_wilson((double)rows[0].count / 2000, 2000);
    CHECK(is_near(share.low, wanted.low) && is_near(share.high, wanted.high));
    CHECK(ranges_count(&r, &sums, SITE_CALL).low > 0);
    rows[0].count = 4;
    sums = sums_of(0);
    CHECK(!ranges_has(&r, &sums) && ranges_share(&r, &sums, SITE_CALL).low < 0);
}

TEST(full_sums_have_no_interval) {
    tally t;
    ranges r;
    ranges_sums sums;
    make_bursts(50, 20);
    t = sampled_of(50, 20);
    sums_of_rows[0].ys = UINT64_MAX;
    of_calls.xx = UINT64_MAX;
    ranges_make(&r, &t);
    sums = sums_of(0);
    CHECK(ranges_share(&r, &sums, SITE_CALL).low < 0 && ranges_count(&r, &sums, SITE_CALL).low < 0);
    sums = sums_of(1);
    CHECK(ranges_share(&r, &sums, SITE_CALL).low < 0 && ranges_count(&r, &sums, SITE_CALL).low > 0);
}

/* Ten bursts saw a row, and one of them has half of it: there is no telling how
   little there may be. */
TEST(one_large_burst_leaves_no_least) {
    tally t;
    ranges r;
    ranges_sums sums;
    unsigned b, large;
    for (large = 1; large <= 9; large += 8) {
        make_bursts(0, 0);
        for (b = 0; b < 100; b++) counted[b][1] = 20;
        for (b = 0; b < 10; b++) counted[b][0] = b ? 1 : large;
        t = sampled_of(100, 20);
        ranges_make(&r, &t);
        sums = sums_of(0);
        CHECK_EQ(ranges_share(&r, &sums, SITE_CALL).low < 0, large > 1);
        CHECK_EQ(ranges_count(&r, &sums, SITE_CALL).low < 0, large > 1);
        CHECK(ranges_share(&r, &sums, SITE_CALL).high > 2 * large / 2000.);
    }
}

/* A function that three bursts saw once each, beside others whose calls come
   500 at a time: the next burst may hold 500 of it, too. */
TEST(a_tail_is_known_from_the_other_rows) {
    double high[2];
    unsigned b, i, heavy;
    for (heavy = 0; heavy < 2; heavy++) {
        tally t;
        ranges r;
        ranges_sums sums;
        make_bursts(0, 0);
        for (b = 0; b < 100; b++)
            for (i = 1; i < SITES; i++) counted[b][i] = !heavy ? 10 : b % 50 == i ? 500 : 0;
        counted[3][0] = counted[50][0] = counted[77][0] = 1;
        t = sampled_of(100, 20);
        ranges_make(&r, &t);
        sums = sums_of(0);
        high[heavy] = ranges_share(&r, &sums, SITE_CALL).high * r.of[SITE_CALL].total;
    }
    CHECK(high[0] > 5 && high[0] < 25);
    CHECK(high[1] > 200 && high[1] < 1000);
}

/* What no bursts could have made, as a stranger's file may have it: any
   numbers, no crash, and an interval inside 0..1 or none. */
TEST(any_numbers) {
    unsigned turn;
    for (turn = 0; turn < 2000; turn++) {
        tally t;
        ranges r;
        ranges_sums sums;
        interval share, count;
        make_bursts(6, 3);
        t = sampled_of(6, 3);
        sums_of_rows[0].yy = test_random(&drawn) >> turn % 64;
        sums_of_rows[0].ys = test_random(&drawn) >> turn * 7 % 64;
        sums_of_rows[0].xy = test_random(&drawn) >> turn * 11 % 64;
        rows[0].weight_256 = test_random(&drawn) >> turn * 13 % 64;
        sums_of_rows[0].bursts = sums_of_rows[0].firsts = 1 + turn % 9;
        rows[0].sums = &sums_of_rows[0];
        of_calls.xx = test_random(&drawn) >> turn * 17 % 64;
        of_calls.bursts = turn % 5;
        profile.bursts = turn % 3;
        ranges_make(&r, &t);
        sums = sums_of(0);
        share = ranges_share(&r, &sums, SITE_CALL);
        count = ranges_count(&r, &sums, SITE_CALL);
        CHECK(share.low < 0 || (share.low <= share.high && share.high <= 1));
        CHECK(count.low < 0 || count.low <= count.high);
    }
}

static double chance_of(double k, double n, double p) {
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p)
               + (n - k) * log(1 - p));
}

/* A table shows the rows that a sample met. Of these, 93 of 100 hold, however few
   samples are expected to meet them; all chances are added up, so nothing here is
   random. With Wilson's interval alone it is none of 100 for .05, and 77 for .5. The
   same for what nearly all samples met. */
TEST(rows_that_few_samples_met_hold_the_truth) {
    static const double sizes[] = {30, 100, 500}, expected[] = {.05, .1, .3, .5, 1, 2, 3, 5, 7};
    size_t s, e;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (e = 0; e < sizeof expected / sizeof *expected; e++) {
            double n = sizes[s], p = expected[e] / n, k, all = 0, held = 0, mirrored = 0;
            for (k = 1; k <= n; k++) {
                interval few = interval_wilson(k / n, n), most = interval_wilson(1 - k / n, n);
                double chance = chance_of(k, n, p);
                all += chance;
                if (few.low <= p && p <= few.high) held += chance;
                if (most.low <= 1 - p && 1 - p <= most.high) mirrored += chance;
            }
            CHECK(held >= .935 * all && mirrored >= .935 * all);
        }
    }
}

/* The bound is exact to a hundredth of a share's chance, and from five samples on it
   is Wilson's, which is narrower. */
TEST(the_least_of_few_samples_is_exact) {
    double n, k, j;
    interval five;
    for (n = 8; n <= 400; n += 392) {
        for (k = 1; k < 5; k++) {
            interval i = interval_wilson(k / n, n);
            double less = 0;
            for (j = 0; j < k; j++) less += chance_of(j, n, i.low);
            CHECK(1 - less > .01 && 1 - less < .0235);
        }
    }
    n = 400;
    five = interval_wilson(5 / n, n);
    CHECK(fabs(five.low - .0052638684) < 1e-6 && fabs(five.high - .0293895970) < 1e-6);
    CHECK(interval_wilson(.25 / n, n).low >= 0 && interval_wilson(.25 / n, n).low < 1e-12);
    CHECK(interval_wilson(0, n).low >= 0 && interval_wilson(1, n).high <= 1);
}

/* 300 and 250 of 1000: their intervals overlap, and still the first is surely larger. 30 and 25 of
   100 may be the same. */
TEST(two_shares_are_compared_by_their_difference) {
    interval a = interval_wilson(.30, 1000), b = interval_wilson(.25, 1000);
    CHECK(a.low < b.high);
    CHECK(interval_differs(.30, .25, 1000));
    CHECK(interval_differs(.25, .30, 1000));
    CHECK(!interval_differs(.30, .25, 100));
    CHECK(!interval_differs(.30, .30, 1e9));
    CHECK(!interval_differs(0, 0, 1e9));
    CHECK(!interval_differs(.30, .25, 0));
    /* Few samples, as if counted with coins: 5 to 0 comes in one of 16 runs, 7
       to 0 in one of 64. */
    CHECK(!interval_differs(.05, 0, 100));
    CHECK(interval_differs(.07, 0, 100));
}

/* Of shares that are the same, about one pair in twenty may be called
   different, not more. */
TEST(equal_shares_are_seldom_called_different) {
    enum { RUNS = 4000, SAMPLES = 400 };
    const double samples = SAMPLES;
    uint64_t seed = 7;
    int run, wrong = 0, found = 0;
    for (run = 0; run < RUNS; run++) {
        int i, a = 0, b = 0, c = 0;
        for (i = 0; i < SAMPLES; i++) {
            unsigned at = (unsigned)(test_random(&seed) % 100);
            if (at < 20) a++;
            else if (at < 40) b++;
            else if (at < 70) c++;
        }
        wrong += interval_differs(a / samples, b / samples, samples);
        found += interval_differs(a / samples, c / samples, samples);
    }
    CHECK(wrong < RUNS / 20);
    CHECK(wrong > RUNS / 100);
    CHECK(found > RUNS / 2);
}

/* What events of bursts are worth is what their interval says. */
TEST(worth_and_interval_agree) {
    ranges r;
    ranges_sums sums;
    interval i, w;
    double worth;
    memset(&r, 0, sizeof r);
    memset(&sums, 0, sizeof sums);
    r.basis = RANGES_BURSTS;
    r.of[1].bursts = 100;
    r.of[1].total = 1000;
    r.of[1].xx = 10000;
    sums.sampled = sums.bursts = 50;
    sums.weight_256 = 500 * 256;
    sums.yy = 5000;
    sums.xy = 5000;
    worth = ranges_worth(&r, &sums, 1);
    i = ranges_share(&r, &sums, 1);
    w = interval_of_worth(.5, worth, 50);
    CHECK(worth > 90 && worth < 110); /* half of the bursts have ten of it, half have none */
    CHECK(i.low == w.low && i.high == w.high);
    sums.bursts = 1;
    CHECK(ranges_worth(&r, &sums, 1) < 0);
    r.basis = RANGES_EXACT;
    CHECK(ranges_worth(&r, &sums, 1) > 1e300);
}
