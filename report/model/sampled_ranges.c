/* sampled_ranges.c - intervals of sampled shares and counts, from the sums over
   bursts that bursty.h keeps (docs/formats.md).

   Events of one burst are not independent of one another, bursts are. Let y be
   what a burst counted of a site, scaled up, and x of all sites of its class.
   The share is p = Y / X, the ratio of their sums over m bursts, and its
   variance follows from what each burst leaves over, y - p x:

       se^2 = m / (m - 1)  (yy - 2 p xy + p^2 xx) / X^2        yy: the sum of y^2, and so on

   A share with this error is as sure as one of p (1 - p) / se^2 independent
   events; Wilson's interval for so many is printed. Of a count what is left over
   is y - Y / m, over all bursts, empty ones too. It is no part of the checks:
   where nearly each check is of one function, the bursts may have found more of
   it than there are. And each burst stands for the mean gap,
   while the gaps themselves are drawn evenly from C - j C to C + j C: m bursts
   of I checks are too many or too few by a part of variance (j C / (C + I))^2 /
   (3 m). A profile begins anywhere in its period, with each thread, pause and
   new setting. So how many bursts come until it ends is random, too: a chance of
   one where that is less than a period, and else of some fifth of a burst
   (1/6 and a little, for a renewal process in equilibrium). */
#include "report/model/sampled_ranges.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(uint64_t sum) { return sum == UINT64_MAX ? HUGE_VAL : (double)sum; }

static int is_always(const sampled_profile *profile) { return profile->check_count == UINT32_MAX; }

int ranges_fills_table(const ranges *r, const sampled_profile *profile) {
    return !r->has_table_profile || (profile->flags & PROFILE_TABLE) != 0;
}

/* Where no table has a row, the events of a profile without one went to its action.
   hcct.h takes the last profile there is for the contexts of calls. */
const char *ranges_records(const ranges *r, const tally *s, int has_contexts,
                           const sampled_profile *profile) {
    size_t i;
    if (ranges_fills_table(r, profile) && (s->rows.count || (profile->flags & PROFILE_TABLE)))
        return "functions";
    if (!has_contexts || profile->classes != SITE_CALL) return "own-events";
    for (i = 0; i < s->profiles.count; i++) {
        const sampled_profile *other = &s->profiles.at[i];
        if (other->program == profile->program && other->number > profile->number)
            return "own-events";
    }
    return "contexts";
}

uint64_t ranges_estimated(const ranges_sums *sums) { return sums->weight_256 / 256; }

ranges_gaps ranges_gaps_of(const sampled_profile *profile) {
    const double most = .2;
    ranges_gaps gaps = {0, 0};
    double period = (double)profile->check_count + (double)profile->burst_count;
    double spread = profile->jitter_percent / 100.0 * (double)profile->check_count;
    if (is_always(profile)) return gaps;
    gaps.checks = (double)profile->bursts * period;
    gaps.variance = (double)profile->bursts * spread * spread / 3;
    if (profile->begins) {
        double each = (double)profile->bursts / (double)profile->begins;
        gaps.variance += (double)profile->begins * (each < most ? each : most) * period * period;
    }
    return gaps;
}

/* The checks seen are not the threads' burst_checks: those are checks in bursts
   of any profile. */
static void add_profiles(ranges *to, const tally *s) {
    size_t i, tables = 0, always = 0;
    double weights = 0, variance = 0;
    uint32_t mask;
    for (i = 0; i < s->programs.count; i++)
        to->checks += (double)s->programs.at[i].checks;
    for (i = 0; i < s->profiles.count; i++) {
        if (s->profiles.at[i].flags & PROFILE_TABLE) to->has_table_profile = 1;
    }
    for (i = 0; i < s->profiles.count; i++) {
        const sampled_profile *profile = &s->profiles.at[i];
        ranges_gaps gaps;
        if (!ranges_fills_table(to, profile)) continue;
        to->checks_seen += is_always(profile)
                               ? (double)s->programs.at[profile->program].checks
                               : (double)profile->bursts * (double)profile->burst_count;
        gaps = ranges_gaps_of(profile);
        weights += gaps.checks;
        variance += gaps.variance;
        if (profile->events) {
            tables++;
            always += (size_t)is_always(profile);
        }
        for (mask = 0; mask <= SITE_CLASSES; mask++) {
            if (profile->classes & mask) to->bursts[mask] += number(profile->bursts);
        }
    }
    if (to->checks_seen > to->checks) to->checks_seen = to->checks;
    if (weights > 0) to->gaps = variance / (weights * weights);
    to->basis = tables && tables == always ? RANGES_EXACT : RANGES_BURSTS;
}

/* What the bursts left over, or 0 if that is no more than rounding makes of
   bursts that are alike. bursty.h rounds each y to a whole number, which leaves
   a twelfth over on average, and the sums that are subtracted have 53 bits.
   Without end if a sum was full. */
static double more_than_rounding(double over, double bursts, double of) {
    return of < HUGE_VAL && over <= bursts / 12 + 1e-12 * of ? 0 : over;
}

/* The sum of squares of y - p x over bursts. */
static double left_over(double p, double yy, double xy, double xx, double bursts) {
    return more_than_rounding(yy - 2 * p * xy + p * p * xx, bursts, yy + p * p * xx);
}

static double part_of(const ranges_sums *sums, const ranges_class *of) {
    return of->total > 0 ? (double)sums->weight_256 / 256 / of->total : 0;
}

/* Rows of a site together, as ranges_add takes them. */
static void add_clumps(ranges *to, const tally *s) {
    ranges_sums *sites = (ranges_sums *)tool_alloc((s->sites.count + 1) * sizeof *sites);
    size_t i;
    for (i = 0; i < s->rows.count; i++) ranges_add(&sites[s->rows.at[i].site], &s->rows.at[i], 0);
    for (i = 0; i < s->sites.count; i++) {
        ranges_class *of = &to->of[s->sites.at[i].kind & SITE_CLASSES];
        double p = part_of(&sites[i], of);
        double over = left_over(p, sites[i].yy, sites[i].xy, of->xx, (double)sites[i].bursts);
        if (over < HUGE_VAL && of->total > 0) of->clump += over / of->total;
    }
    free(sites);
}

void ranges_make(ranges *to, const tally *s) {
    const double most_unsummed = .05; /* what was only seen in a burst that had not ended */
    double total = 0, unsummed = 0;
    size_t i;
    memset(to, 0, sizeof *to);
    add_profiles(to, s);
    for (i = 0; i < s->rows.count; i++) {
        const sampled_record *row = &s->rows.at[i];
        ranges_class *of = &to->of[s->sites.at[row->site].kind & SITE_CLASSES];
        of->sampled += (double)row->count;
        of->total += (double)row->weight_256 / 256;
        if (!row->sums) of->unsummed += (double)row->weight_256 / 256;
    }
    for (i = 0; i < s->classes.count; i++) {
        ranges_class *of = &to->of[s->classes.at[i].class_bit];
        of->bursts += number(s->classes.at[i].bursts);
        of->xx += number(s->classes.at[i].xx);
    }
    add_clumps(to, s);
    for (i = 0; i <= SITE_CLASSES; i++) {
        total += to->of[i].total;
        unsummed += to->of[i].unsummed;
    }
    if (to->basis != RANGES_EXACT && unsummed > most_unsummed * total) to->basis = RANGES_EVENTS;
}

void ranges_add(ranges_sums *sums, const sampled_record *row, int is_pair) {
    sums->sampled = sampled_add(sums->sampled, row->count);
    sums->weight_256 = sampled_add(sums->weight_256, row->weight_256);
    if (!row->sums) return;
    sums->bursts = sampled_add(sums->bursts, is_pair ? row->sums->bursts : row->sums->firsts);
    sums->yy += number(is_pair ? row->sums->yy : row->sums->ys);
    sums->xy += number(row->sums->xy);
}

void ranges_join(ranges_sums *to, const ranges_sums *from) {
    to->sampled = sampled_add(to->sampled, from->sampled);
    to->weight_256 = sampled_add(to->weight_256, from->weight_256);
    to->bursts = sampled_add(to->bursts, from->bursts);
    to->yy += from->yy;
    to->xy += from->xy;
}

int ranges_has(const ranges *r, const ranges_sums *sums) {
    if (r->basis == RANGES_EXACT) return 1;
    return (r->basis == RANGES_BURSTS ? sums->bursts : sums->sampled) >= RANGES_LEAST_BURSTS;
}

static interval exactly(double value) {
    interval i;
    i.low = i.high = value;
    return i;
}

/* How many independent events would give a part p of a whole this variance. Without
   any variance it is the number of bursts. -1: a sum was full. */
static double worth(double p, double variance, double bursts) {
    if (!(variance < HUGE_VAL)) return -1;
    return variance > 0 && p < 1 ? p * (1 - p) / variance : bursts;
}

/* A variance between the bursts that were looked at knows no more than they
   do. */
static double bursts_of(const ranges *r, const ranges_sums *sums) {
    double equal = interval_worth_of_bursts((double)sums->weight_256 / 256, sums->yy);
    if (r->basis == RANGES_EVENTS) return (double)sums->sampled;
    return equal < (double)sums->bursts ? equal : (double)sums->bursts;
}

/* A share with that worth. Events that are taken as independent have no variance
   to estimate. Of a row that no burst with sums has seen, the upper bound is
   that of one burst. */
static interval bounds_of(const ranges *r, const ranges_sums *sums, double p, double n) {
    double bursts = bursts_of(r, sums);
    interval i;
    if (r->basis == RANGES_BURSTS) return interval_of_worth(p, n, bursts > 1 ? bursts : 1);
    i = interval_wilson(p, n);
    if (!interval_has_least(bursts)) i.low = -1;
    return i;
}

/* However few bursts saw it. */
static double share_worth(const ranges *r, const ranges_sums *sums, uint32_t kind) {
    const ranges_class *of = &r->of[kind & SITE_CLASSES];
    double p = part_of(sums, of), m = of->bursts, over;
    if (r->basis == RANGES_EVENTS) return of->sampled;
    if (m < 2) return -1;
    over = left_over(p, sums->yy, sums->xy, of->xx, (double)sums->bursts);
    over = interval_with_unseen(over, p * of->total, bursts_of(r, sums), of->clump);
    return worth(p, m / (m - 1) * over / (of->total * of->total), m);
}

double ranges_worth(const ranges *r, const ranges_sums *sums, uint32_t kind) {
    if (r->basis == RANGES_EXACT) return HUGE_VAL;
    return ranges_has(r, sums) ? share_worth(r, sums, kind) : -1;
}

interval ranges_share(const ranges *r, const ranges_sums *sums, uint32_t kind) {
    double p = part_of(sums, &r->of[kind & SITE_CLASSES]);
    if (r->basis == RANGES_EXACT) return exactly(p);
    return bounds_of(r, sums, p, share_worth(r, sums, kind));
}

/* The variance of a count that was seen in m bursts. */
static double count_variance(const ranges *r, const ranges_sums *sums, uint32_t kind,
                             double count) {
    double m = r->bursts[kind & SITE_CLASSES];
    double over = more_than_rounding(sums->yy - count * count / m, (double)sums->bursts, sums->yy);
    over = interval_with_unseen(over, count, bursts_of(r, sums), r->of[kind & SITE_CLASSES].clump);
    return m / (m - 1) * over + r->gaps * count * count;
}

/* However few bursts saw it. Bursts that are all alike are so many events. */
static double any_count_variance(const ranges *r, const ranges_sums *sums, uint32_t kind,
                                 double count) {
    double m = r->bursts[kind & SITE_CLASSES], variance = count_variance(r, sums, kind, count);
    return variance > 0 ? variance : count * count / m;
}

double ranges_count_events(const ranges *r, const ranges_sums *sums, uint32_t kind) {
    double count = (double)sums->weight_256 / 256, variance;
    if (r->is_partial) return -1;
    if (r->basis == RANGES_EXACT) return HUGE_VAL;
    if (!ranges_has(r, sums) || sums->weight_256 / 256 <= sums->sampled) return -1;
    if (r->basis == RANGES_EVENTS) return (double)sums->sampled;
    if (r->bursts[kind & SITE_CLASSES] < 2) return -1;
    variance = any_count_variance(r, sums, kind, count);
    return variance < HUGE_VAL ? count * count / variance : -1;
}

interval ranges_count(const ranges *r, const ranges_sums *sums, uint32_t kind) {
    double count = (double)sums->weight_256 / 256, part = r->checks > 0 ? count / r->checks : 0;
    double bursts = bursts_of(r, sums);
    interval i = {-1, -1};
    if (r->is_partial) return i;
    if (r->basis == RANGES_EXACT) return exactly(count);
    if (sums->weight_256 / 256 <= sums->sampled) return i;
    if (r->basis == RANGES_BURSTS) {
        if (r->bursts[kind & SITE_CLASSES] < 2) return i;
        return interval_of_count(count, any_count_variance(r, sums, kind, count),
                                 bursts > 1 ? bursts : 1);
    }
    if (!(part > 0) || part > 1) return i;
    i = bounds_of(r, sums, part, r->checks_seen);
    if (i.low > 0) i.low *= r->checks;
    if (i.high > 0) i.high *= r->checks;
    return i;
}
