/* frames.c - how long frames took, what slow ones do that others do not, and
   the slowest as they were.

   With n ticks of a function in a frame, mean and variance of n over the slow
   frames and over the others give the difference of two means and its variance,
   as if frames were independent. Ticks are few: with fewer than 30 of them on a
   side its variance is at least that of a Poisson count, and with fewer than 30
   slow frames the interval is as wide as Student's distribution asks.

   Frames that follow one another are alike. So the same difference has a second
   variance, from what 8 to 16 blocks of frames leave over, and Student's
   distribution for as many blocks as these are worth: (sum n)^2 / sum n^2 for n
   slow frames in a block. The wider interval holds.

   All rows of a table are one question, with one error rate: Holm's. */
#include "report/model/frames.h"
#include "base/tool.h"
#include "report/model/difference.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_TICKS = 30, FEW_FRAMES = 30, FEW_EVENTS = 8, ROWS_SHOWN = 30, PATHS_SHOWN = 3 };
/* A file may have many kinds, and point at a long name from many rows: what is
   made of it stays linear in its size. */
enum { KINDS_IN_HEADLINE = 3, KINDS_COMPARED = 64, KIND_CHARACTERS = 64, NAME_CHARACTERS = 200, STACK_CHARACTERS = 48 };

/* ---- the difference ----------------------------------------------------------------------- */

/* Student's quantile for 95 %, from 1 degree of freedom on. Above 29: 2, as
   everywhere. */
static double quantile_of(double degrees) {
    static const double t[FEW_FRAMES - 1] = {
        12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045,
    };
    return degrees < (double)FEW_FRAMES ? t[(int)degrees - 1] : 2;
}

static double variance_of_mean(const frames_amount *of, double count) {
    const double deviations = of->squares - of->sum * of->sum / count;
    const double variance = deviations / (count - 1) / count, least = of->least / (count * count);
    return variance > least ? variance : least;
}

/* The chance of a difference so large if there were none. Without an error it is 0. */
static double chance_of(double more, double error, double degrees) {
    if (!(fabs(more) > 0)) return 1;
    return error > 0 ? difference_t_chance(fabs(more) / error, degrees) : 0;
}

frames_difference frames_differ(double slow_frames, const frames_amount *slow, double other_frames,
                                const frames_amount *other) {
    frames_difference d = {0, 0, 0, 0, 0, 1, 0};
    double fewer = slow_frames < other_frames ? slow_frames : other_frames, half, error;
    if (slow_frames > 0) d.slow = slow->sum / slow_frames;
    if (other_frames > 0) d.other = other->sum / other_frames;
    d.more = d.slow - d.other;
    if (fewer < 2) return d;
    error = sqrt(variance_of_mean(slow, slow_frames) + variance_of_mean(other, other_frames));
    half = quantile_of(fewer - 1) * error;
    d.chance = chance_of(d.more, error, fewer - 1);
    d.low = d.more - half;
    d.high = d.more + half;
    d.has_range = 1;
    return d;
}

/* A system may look at timers of CPU time at its own ticks only, every 4 ms,
   and whom it takes the processor from is interrupted there. So a frame that
   was preempted, and is slow for that, gets ticks of the time before it, too;
   and it gets them always, while a frame that works for longer gets one now and
   then. The clock knows how much CPU time the frames of each class had, and of
   each stratum, which is frames of about the same CPU time. Their ticks share
   that. Where a stratum has few ticks, those above it join it.

   The factor is taken as known. It goes up and down with the function's own
   ticks, so intervals are too wide rather than too narrow. */
static void find_strata(const frames_of_kind *kind, int c, frames_units *units) {
    size_t first = 0, i, k;
    while (first < kind->stratum_count) {
        double cpu_ms = 0, ticks = 0, events = 0, unit = (double)kind->tick_us / 1000;
        for (i = first; i < kind->stratum_count && events < (double)FEW_EVENTS; i++) {
            cpu_ms += (double)kind->strata[i].cpu_us[c] / 1000;
            ticks += (double)kind->strata[i].ticks[c];
            events += (double)kind->strata[i].events[c];
        }
        if (ticks > 0) unit = cpu_ms / ticks;
        if (unit > units->most[c] && cpu_ms > 0) units->most[c] = unit;
        for (k = first; k < i; k++) units->stratum_ms[c][kind->strata[k].bucket] = unit;
        first = i;
    }
}

frames_units frames_units_of(const frames_of_kind *kind) {
    frames_units units;
    size_t i;
    int c;
    memset(&units, 0, sizeof units);
    for (c = 0; c < FRAMES_CLASSES; c++) {
        const frames_class *of = &kind->classes[c];
        const double cpu_ms = of->us > of->wait_us ? (double)(of->us - of->wait_us) / 1000 : 0;
        double ticks = 0, together = 0, events = 0;
        for (i = 0; i < kind->function_count; i++)
            ticks += (double)kind->functions[i].ticks[c][FRAMES_SELF].sum;
        for (i = 0; i < kind->stratum_count; i++) {
            together += (double)kind->strata[i].ticks[c];
            events += (double)kind->strata[i].events[c];
        }
        units.ms[c] = (double)kind->tick_us / 1000;
        if (kind->knows_waiting && ticks >= (double)FEW_TICKS && kind->tick_us)
            units.ms[c] = cpu_ms / ticks;
        units.many[c] = events > 0 && together > events ? together / events : 1;
        if (kind->knows_waiting && kind->tick_us) find_strata(kind, c, &units);
        if (units.most[c] <= 0) units.most[c] = units.ms[c];
    }
    return units;
}

/* The ticks of one stratum, each of which is so many ms. */
static void add_amount(frames_amount *to, const frames_ticks *ticks, double unit) {
    to->sum += unit * (double)ticks->sum;
    to->squares += unit * unit * (double)ticks->squares;
    to->least += unit * unit * (double)ticks->sum;
}

/* Ticks are few: below 30 events the variance is at least that of a Poisson
   count, and there might have been one more. */
static frames_amount amount_of(const frames_of_kind *kind, const frames_units *units,
                               const frames_function *f, int which, int c) {
    frames_amount amount = {0, 0, 0};
    const double class_ms = units->ms[c], many = units->many[c];
    size_t i;
    for (i = 0; i < f->share_count; i++) {
        const frames_share *share = &kind->shares[f->first_share + i];
        const double unit = units->stratum_ms[c][share->stratum];
        add_amount(&amount, &share->ticks[c][which], unit > 0 ? unit : class_ms);
    }
    if (!f->share_count) add_amount(&amount, &f->ticks[c][which], class_ms);
    amount.least = amount.least * many + units->most[c] * units->most[c] * many * many;
    if ((double)f->ticks[c][which].sum >= (double)FEW_TICKS * many) amount.least = 0;
    return amount;
}

/* Were blocks of frames counted? Else frames are taken for independent. */
static int have_blocks(const frames_of_kind *kind) {
    return kind->blocks[FRAMES_N] > 0 && kind->blocks[FRAMES_M] > 0 &&
           kind->blocks[FRAMES_N] == kind->classes[FRAMES_SLOW].frames &&
           kind->blocks[FRAMES_M] == kind->classes[FRAMES_OTHER].frames;
}

/* A part that is full tells nothing. */
static int is_full(const frames_moments *m) {
    size_t i;
    for (i = 0; i < FRAMES_MOMENTS; i++) {
        if (m->of[i] == UINT64_MAX) return 1;
    }
    return 0;
}

/* Makes the interval as wide as blocks ask, which leave over

       (x - n X / N) u / N - (y - m Y / M) v / M

   with X, Y, N, M the sums of x, y, n, m over all blocks. x and y stand for u
   and v ms. */
static void widen_by_blocks(frames_difference *d, const frames_of_kind *kind,
                            const frames_moments *moments, double slow_sum, double other_sum,
                            double u, double v) {
    const double n = (double)kind->blocks[FRAMES_N], m = (double)kind->blocks[FRAMES_M];
    const double nn = (double)kind->blocks[FRAMES_NN], mm = (double)kind->blocks[FRAMES_MM];
    const double nm = (double)kind->blocks[FRAMES_NM];
    const double x = slow_sum / n, y = other_sum / m;
    const double slow_worth = n * n / nn, other_worth = m * m / mm;
    const double worth = slow_worth < other_worth ? slow_worth : other_worth;
    double of[FRAMES_MOMENTS], variance, error, half, chance;
    size_t i;
    if (!d->has_range || !have_blocks(kind)) return;
    if (worth < 2 || is_full(moments)) {
        d->has_range = 0;
        return;
    }
    for (i = 0; i < FRAMES_MOMENTS; i++) of[i] = (double)moments->of[i];
    variance = u * u * (of[FRAMES_XX] - 2 * x * of[FRAMES_XN] + x * x * nn) / (n * n) +
               v * v * (of[FRAMES_YY] - 2 * y * of[FRAMES_YM] + y * y * mm) / (m * m) -
               2 * u * v *
                   (of[FRAMES_XY] - y * of[FRAMES_XM] - x * of[FRAMES_YN] + x * y * nm) / (n * m);
    error = variance > 0 ? sqrt(variance * worth / (worth - 1)) : 0;
    half = difference_t_quantile(DIFFERENCE_LEVEL, worth - 1) * error;
    chance = chance_of(d->more, error, worth - 1);
    if (chance > d->chance) d->chance = chance;
    if (d->more - half < d->low) d->low = d->more - half;
    if (d->more + half > d->high) d->high = d->more + half;
}

/* If classes are the same, few ticks vary as much as those that the other class
   leads one to expect, be there none. */
static void expect(frames_amount *few, double unit, double wanted) {
    if (few->least > 0 && few->least < unit * wanted) few->least = unit * wanted;
}

frames_difference frames_differ_in(const frames_of_kind *kind, const frames_units *units,
                                   const frames_function *function, int which) {
    const double slow_frames = (double)kind->classes[FRAMES_SLOW].frames;
    const double other_frames = (double)kind->classes[FRAMES_OTHER].frames;
    frames_amount slow = amount_of(kind, units, function, which, FRAMES_SLOW);
    frames_amount other = amount_of(kind, units, function, which, FRAMES_OTHER);
    const double slow_ticks = (double)function->ticks[FRAMES_SLOW][which].sum;
    const double other_ticks = (double)function->ticks[FRAMES_OTHER][which].sum;
    const double in_slow = slow_frames > 0 ? slow.sum / slow_frames : 0;
    const double in_other = other_frames > 0 ? other.sum / other_frames : 0;
    frames_difference d = frames_differ(slow_frames, &slow, other_frames, &other), same;
    const frames_moments *m = &function->moments[which];
    expect(&slow, units->most[FRAMES_SLOW] * units->many[FRAMES_SLOW], in_other * slow_frames);
    expect(&other, units->most[FRAMES_OTHER] * units->many[FRAMES_OTHER], in_slow * other_frames);
    same = frames_differ(slow_frames, &slow, other_frames, &other);
    if (same.chance > d.chance) d.chance = same.chance;
    if (slow_ticks + other_ticks > 0 && have_blocks(kind) && !m->of[FRAMES_XX] && !m->of[FRAMES_YY])
        d.has_range = 0; /* there was no room for its blocks */
    widen_by_blocks(&d, kind, m, slow_ticks, other_ticks,
                    slow_ticks > 0 ? slow.sum / slow_ticks : units->ms[FRAMES_SLOW],
                    other_ticks > 0 ? other.sum / other_ticks : units->ms[FRAMES_OTHER]);
    return d;
}

/* The difference of two sums in us, as ms. */
static frames_difference differ_in_us(const frames_of_kind *kind, uint64_t slow, uint64_t slow2,
                                      uint64_t other, uint64_t other2) {
    const frames_amount a = {(double)slow / 1e3, (double)slow2 / 1e6, 0};
    const frames_amount b = {(double)other / 1e3, (double)other2 / 1e6, 0};
    return frames_differ((double)kind->classes[FRAMES_SLOW].frames, &a,
                         (double)kind->classes[FRAMES_OTHER].frames, &b);
}

frames_difference frames_differ_waiting(const frames_of_kind *kind) {
    const frames_class *slow = &kind->classes[FRAMES_SLOW], *other = &kind->classes[FRAMES_OTHER];
    frames_difference d =
        differ_in_us(kind, slow->wait_us, slow->wait_us2, other->wait_us, other->wait_us2);
    widen_by_blocks(&d, kind, &kind->waiting, (double)slow->wait_us, (double)other->wait_us, 1e-3,
                    1e-3);
    return d;
}

static frames_difference differ_length(const frames_of_kind *kind) {
    const frames_class *slow = &kind->classes[FRAMES_SLOW], *other = &kind->classes[FRAMES_OTHER];
    return differ_in_us(kind, slow->us, slow->us2, other->us, other->us2);
}

/* No more than the longest, if that was kept. */
static double capped(const frames_of_kind *kind, double ns) {
    const double most = kind->slowest_count ? (double)kind->slowest[0].ns : ns;
    return ns < most ? ns : most;
}

double frames_quantile(const frames_of_kind *kind, double q) {
    const double wanted = q * (double)frames_count(kind);
    double before = 0;
    size_t i;
    for (i = 0; i < kind->bucket_count; i++) {
        const frames_bucket *b = &kind->buckets[i];
        const double begins = (double)frames_bucket_begins(b->bucket);
        const double next = b->bucket + 1 < FRAMES_BUCKETS ? (double)frames_bucket_ends(b->bucket)
                                                           : 2 * begins;
        if (before + (double)b->count >= wanted || i + 1 == kind->bucket_count)
            return capped(kind, begins + (next - begins) * (wanted - before) / (double)b->count);
        before += (double)b->count;
    }
    return 0;
}

/* ---- kinds -------------------------------------------------------------------------------- */

static double ms(double ns) { return ns / 1e6; }

/* The longest that was kept; else where the last bucket ends. */
static double longest(const frames_of_kind *kind) {
    if (kind->slowest_count) return (double)kind->slowest[0].ns;
    return frames_quantile(kind, 1);
}

/* As people read it, in at most so many characters. */
static const char *shown(report *r, const char *name, size_t most) {
    char *readable;
    text words = {NULL, 0, 0};
    if (!*name) return "(no name)";
    readable = report_name(r, name);
    text_short(&words, readable, most);
    free(readable);
    return report_keep_text(r, &words);
}

/* "3 were running, 2 ..." */
static void add_uncounted(text *words, uint64_t count, const char *what) {
    if (!count) return;
    text_add(words, words->size ? ", " : " Not counted: ");
    text_count(words, count);
    text_add(words, what);
}

static void add_remark(report_table *table, const frames *s) {
    uint64_t running = 0, unended = 0, left_out = 0, idle = 0;
    text words = {NULL, 0, 0}, remark = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < s->kinds.count; i++) {
        running = sampled_add(running, s->kinds.at[i].running);
        unended = sampled_add(unended, s->kinds.at[i].unended);
        left_out = sampled_add(left_out, s->kinds.at[i].left_out);
    }
    for (i = 0; i < s->programs.count; i++) idle = sampled_add(idle, s->programs.at[i].idle_ends);
    add_uncounted(&words, running, " that had not ended yet");
    add_uncounted(&words, unended, " whose thread ended first");
    add_uncounted(&words, left_out, " with a pause in them");
    text_add(&remark, "Durations are read from buckets that are at most 6 % wide; the longest is "
                      "exact.");
    if (words.size) {
        text_bytes(&remark, words.data, words.size);
        text_add(&remark, ".");
    }
    if (s->kinds.count > KINDS_COMPARED)
        text_format(&remark, " Only the first %d kinds have more than this row.", KINDS_COMPARED);
    if (idle) {
        text_add(&remark, " ");
        text_counted(&remark, idle, "end");
        text_add(&remark, " found no frame to end.");
    }
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&words);
    text_free(&remark);
}

static void add_kinds(report *r, const frames *s) {
    static const report_column columns[] = {
        {"count", "frames", REPORT_COUNT, 0, NULL},
        {"median_ms", "median_ms", REPORT_REAL, REPORT_FINE, "-"},
        {"p90_ms", "90%", REPORT_REAL, REPORT_FINE | REPORT_OPTIONAL, "-"},
        {"p95_ms", "95%", REPORT_REAL, REPORT_FINE, "-"},
        {"p99_ms", "99%", REPORT_REAL, REPORT_FINE, "-"},
        {"p999_ms", "99.9%", REPORT_REAL, REPORT_FINE | REPORT_OPTIONAL, "-"},
        {"max_ms", "longest", REPORT_REAL, REPORT_FINE, "-"},
        {"waiting_ms", "waiting", REPORT_REAL, REPORT_FINE, "unknown"},
        {"slow", "slow", REPORT_COUNT, 0, NULL},
        {"limit_ms", "above_ms", REPORT_REAL, REPORT_FINE, "-"},
        {"over_budget", "misses", REPORT_REAL, REPORT_WHOLE, "no-budget"},
        {"mean_ms", "mean_ms", REPORT_REAL, REPORT_FINE | REPORT_HIDDEN, "-"},
        {"kind", "kind", REPORT_NAME, 0, NULL},
        {"program", "program", REPORT_NAME, REPORT_OPTIONAL, NULL},
    };
    report_table *table = report_add_table(r, "frames", "how long do frames take", columns,
                                           sizeof columns / sizeof *columns);
    size_t i;
    add_remark(table, s);
    for (i = 0; i < s->kinds.count; i++) {
        const frames_of_kind *k = &s->kinds.at[i];
        const frames_class *slow = &k->classes[FRAMES_SLOW], *other = &k->classes[FRAMES_OTHER];
        const double classed = (double)slow->frames + (double)other->frames;
        report_cell *row = report_add_row(table);
        row[0].count = frames_count(k);
        row[1].real = row[0].count ? ms(frames_quantile(k, .5)) : REPORT_NONE;
        row[2].real = row[0].count ? ms(frames_quantile(k, .9)) : REPORT_NONE;
        row[3].real = row[0].count ? ms(frames_quantile(k, .95)) : REPORT_NONE;
        row[4].real = row[0].count ? ms(frames_quantile(k, .99)) : REPORT_NONE;
        row[5].real = row[0].count ? ms(frames_quantile(k, .999)) : REPORT_NONE;
        row[6].real = row[0].count ? ms(longest(k)) : REPORT_NONE;
        row[7].real = REPORT_NONE;
        if (k->knows_waiting && classed > 0)
            row[7].real = ((double)slow->wait_us + (double)other->wait_us) / classed / 1000;
        row[8].count = slow->frames;
        row[9].real = k->most_limit_ns ? ms((double)k->most_limit_ns) : REPORT_NONE;
        row[10].real = k->budget_ns ? (double)slow->frames : REPORT_NONE;
        row[12].name = shown(r, k->name, KIND_CHARACTERS);
        row[13].name = *k->program ? shown(r, k->program, KIND_CHARACTERS) : "";
        row[11].real = classed > 0 ? ((double)slow->us + (double)other->us) / classed / 1000 : REPORT_NONE;
    }
}

/* ---- what slow frames do more ------------------------------------------------------------- */

/* What is surely more, or less, in slow frames. Self and total of each function
   and, last, waiting are one question: one in twenty tables names something
   that is there by chance. The first sentence asks for a chance that is 50
   times smaller. */
static const double headline_asks = 50;
typedef struct told {
    frames_difference *self, *total;  /* of each function, and of waiting */
    unsigned char *is_sure;           /* two for each: self, total */
    unsigned char *is_surest;
} told;

/* Has a function no tick but its own? */
static int is_leaf(const frames_function *f) {
    return f->ticks[FRAMES_SLOW][FRAMES_SELF].sum == f->ticks[FRAMES_SLOW][FRAMES_TOTAL].sum &&
           f->ticks[FRAMES_OTHER][FRAMES_SELF].sum == f->ticks[FRAMES_OTHER][FRAMES_TOTAL].sum;
}

static void judge(const frames_of_kind *k, told *t) {
    const size_t count = k->function_count + 1;
    double *chances = (double *)tool_alloc(2 * count * sizeof *chances);
    const frames_units units = frames_units_of(k);
    size_t i;
    t->self = (frames_difference *)tool_alloc(count * sizeof *t->self);
    t->total = (frames_difference *)tool_alloc(count * sizeof *t->total);
    t->is_sure = (unsigned char *)tool_alloc(2 * count);
    t->is_surest = (unsigned char *)tool_alloc(2 * count);
    for (i = 0; i < count; i++) {
        const frames_function *f = i < k->function_count ? &k->functions[i] : NULL;
        t->self[i] = f ? frames_differ_in(k, &units, f, FRAMES_SELF) : frames_differ_waiting(k);
        t->total[i] = f ? frames_differ_in(k, &units, f, FRAMES_TOTAL) : t->self[i];
        if (!f && !k->knows_waiting) t->self[i].has_range = t->total[i].has_range = 0;
        chances[2 * i] = t->self[i].has_range ? t->self[i].chance : NAN;
        chances[2 * i + 1] = NAN; /* where it is the same as self it is no question more */
        if (f && t->total[i].has_range && !is_leaf(f)) chances[2 * i + 1] = t->total[i].chance;
    }
    difference_judge(chances, 2 * count, t->is_sure);
    for (i = 0; i < 2 * count; i++) chances[i] *= headline_asks;
    difference_judge(chances, 2 * count, t->is_surest);
    free(chances);
}

static void free_told(told *t) {
    free(t->self);
    free(t->total);
    free(t->is_sure);
    free(t->is_surest);
}

/* Do nearly all frames wait, also those that are not slow, or are slow ones most
   of all? Then those that lost their processor at a tick cannot be told from
   those that wait for something. 2 ms is half of what lies between two looks of
   the system at its timers. */
static int nearly_all_wait(const frames_of_kind *k) {
    enum { LEAST_US = 2000 };
    const frames_class *slow = &k->classes[FRAMES_SLOW], *other = &k->classes[FRAMES_OTHER];
    const frames_class *most = slow->frames > other->frames ? slow : other;
    if (!k->knows_waiting || !k->tick_us || !most->frames) return 0;
    return most->wait_us / most->frames >= LEAST_US && most->wait_us >= most->us / 2;
}

/* "5.0 % of the frames (180 of 3600) are slow: above 21.3 ms. They take 24.1 ms
   more (23.0 to 25.2)." */
static void add_summary(report_table *table, const frames_of_kind *k, size_t left_out) {
    const frames_class *slow = &k->classes[FRAMES_SLOW], *other = &k->classes[FRAMES_OTHER];
    const double classed = (double)slow->frames + (double)other->frames;
    const frames_difference d = differ_length(k);
    text words = {NULL, 0, 0};
    text_count(&words, slow->frames);
    text_add(&words, " of ");
    text_counted(&words, sampled_add(slow->frames, other->frames), "frame");
    text_format(&words, " (%.2g %%) %s slow",
                classed > 0 ? 100 * (double)slow->frames / classed : 0.,
                slow->frames == 1 ? "is" : "are");
    if (k->most_limit_ns && k->least_limit_ns < k->most_limit_ns)
        text_format(&words, ": above %.4g to %.4g ms, as each run had it",
                    ms((double)k->least_limit_ns), ms((double)k->most_limit_ns));
    else if (k->most_limit_ns) text_format(&words, ": above %.4g ms", ms((double)k->most_limit_ns));
    text_add(&words, ". ");
    if (d.has_range)
        text_format(&words, "Such a frame takes %.4g ms more (%.4g to %.4g). %s", d.more, d.low,
                    d.high,
                    table->rows ? "Below is what it does in that time: the difference of the two "
                                  "means, with its 95 % interval. Of such tables one in twenty "
                                  "has a row that is there by chance."
                                : "No function surely takes part of that time.");
    else
        text_add(&words, "There are too few of one sort for an interval: nothing is compared.");
    if (d.has_range && !have_blocks(k))
        text_add(&words, " Frames are taken for independent: how alike neighbours are was not counted.");
    if (nearly_all_wait(k))
        text_add(&words,
                 " Nearly all frames wait for half of their time or more. If it is a processor that "
                 "they wait for, rows of functions may be wrong beyond their intervals: the system "
                 "takes it away at the moments at which its timers tick.");
    if (!k->tick_us) text_add(&words, " No timer of these threads ticked, so it is not known in which functions.");
    if (left_out) {
        text_add(&words, " ");
        text_counted(&words, left_out, "function");
        text_add(&words, left_out == 1
                             ? " of which too little is sure is left out; --csv has it."
                             : " of which too little is sure are left out; --csv has them.");
    }
    text_bytes(&words, "", 1);
    report_remark(table, words.data);
    text_free(&words);
}

/* "collect_garbage +18.9 ms (17.7 to 20.1)": of all functions and waiting, what
   a slow frame takes most more of, and if that is waiting, the function that is
   next. Returns 0 if nothing can be told. */
static int add_causes(report *r, text *words, const frames *s, const frames_of_kind *k) {
    frames_difference best = {0, 0, 0, 0, 0, 1, 0}, waiting;
    const size_t last = k->function_count;
    int has_waited;
    const char *name = NULL;
    told t;
    size_t i;
    judge(k, &t);
    waiting = t.self[last];
    has_waited = t.is_surest[2 * last] && waiting.low > 0;
    for (i = 0; i < last; i++) {
        const frames_difference d = t.self[i];
        if (!t.is_surest[2 * i] || d.low <= 0 || (name && d.more <= best.more)) continue;
        best = d;
        name = s->sites.at[k->functions[i].site].name;
    }
    free_told(&t);
    if (has_waited && (!name || waiting.more > best.more))
        text_format(words, "waiting +%.3g ms (%.3g to %.3g)%s", waiting.more, waiting.low, waiting.high,
                    name ? ", " : "");
    if (name) {
        text_add(words, shown(r, name, KIND_CHARACTERS));
        text_format(words, " +%.3g ms (%.3g to %.3g)", best.more, best.low, best.high);
    }
    return has_waited || name;
}

/* "53 of 536 frames are slow (> 9.96 ms): waiting +3.48 ms (2.53 to 4.44), gc
   +3.05 ms (1.24 to 4.85) in slow ones." Of each kind; before what was the
   headline. */
static void add_headline(report *r, const frames *s) {
    text words = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < s->kinds.count && i < KINDS_IN_HEADLINE; i++) {
        const frames_of_kind *k = &s->kinds.at[i];
        const frames_class *slow = &k->classes[FRAMES_SLOW], *other = &k->classes[FRAMES_OTHER];
        const uint64_t classed = sampled_add(slow->frames, other->frames);
        if (!k->bucket_count) continue;
        if (words.size) text_add(&words, " ");
        if (classed) {
            text_number(&words, slow->frames);
            text_add(&words, " of ");
        }
        text_counted(&words, classed ? classed : frames_count(k), "frame");
        if (strcmp(k->name, "frame") != 0) {
            text_add(&words, " of ");
            text_add(&words, shown(r, k->name, KIND_CHARACTERS));
        }
        if (!classed) {
            text_add(&words, ": too few to tell which are slow.");
            continue;
        }
        text_add(&words, slow->frames == 1 ? " is slow" : " are slow");
        if (k->most_limit_ns) text_format(&words, " (> %.3g ms)", ms((double)k->most_limit_ns));
        if (slow->frames < 2 || other->frames < 2) {
            text_add(&words, slow->frames ? ": too few of one sort to compare." : ".");
            continue;
        }
        text_add(&words, ": ");
        text_add(&words, add_causes(r, &words, s, k)
                             ? " in slow ones."
                             : "no interval tells what these do more.");
    }
    if (words.size) {
        text_bytes(&words, "", 1);
        r->slow = text_clean(words.data, strlen(words.data));
        words.size--;
        if (r->headline) {
            text_add(&words, " ");
            text_add(&words, r->headline);
            free(r->headline);
        }
        text_bytes(&words, "", 1);
        r->headline = text_clean(words.data, strlen(words.data));
    }
    text_free(&words);
}

static void fill_range(report_cell *row, const frames_difference *d) {
    row[0].real = d->more;
    row[1].real = d->has_range ? d->low : REPORT_NONE;
    row[2].real = d->has_range ? d->high : REPORT_NONE;
}

static void add_more(report *r, const frames *s, const frames_of_kind *k) {
    static const report_column columns[] = {
        {"more_ms", "more_ms", REPORT_REAL, REPORT_FINE, "-"},
        {"more_low", "from", REPORT_REAL, REPORT_FINE, "-"},
        {"more_high", "to", REPORT_REAL, REPORT_FINE, "-"},
        {"slow_ms", "in_slow", REPORT_REAL, REPORT_FINE, "-"},
        {"other_ms", "in_others", REPORT_REAL, REPORT_FINE, "-"},
        {"total_more_ms", "total_more", REPORT_REAL, REPORT_FINE, "-"},
        {"total_low", "from", REPORT_REAL, REPORT_FINE | REPORT_OPTIONAL, "-"},
        {"total_high", "to", REPORT_REAL, REPORT_FINE | REPORT_OPTIONAL, "-"},
        {"ticks", "ticks", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"function", "function", REPORT_NAME, 0, NULL},
        {"place", "place", REPORT_NAME, REPORT_OPTIONAL, NULL},
        {"file", "file", REPORT_NAME, REPORT_HIDDEN, NULL},
        {"line", "line", REPORT_COUNT, REPORT_HIDDEN, NULL},
        {"kind", "kind", REPORT_NAME, REPORT_HIDDEN, NULL},
    };
    const char *kind = shown(r, k->name, KIND_CHARACTERS);
    told t;
    text title = {NULL, 0, 0};
    report_table *table;
    size_t i, left_out = 0;
    text_add(&title, "what slow frames do more: ");
    text_add(&title, kind);
    text_bytes(&title, "", 1);
    table = report_add_table(r, "frames_more", title.data, columns,
                             sizeof columns / sizeof *columns);
    text_free(&title);
    judge(k, &t);
    for (i = 0; i <= k->function_count; i++) { /* the last one is waiting */
        const frames_function *f = i < k->function_count ? &k->functions[i] : NULL;
        const frames_site *site = f ? &s->sites.at[f->site] : NULL;
        frames_difference self, total;
        report_cell *row;
        if (!f && !k->knows_waiting) break;
        self = t.self[i];
        total = t.total[i];
        if (!t.is_sure[2 * i] && !t.is_sure[2 * i + 1] && !r->options.wants_all_rows) {
            left_out += f != NULL && self.has_range;
            continue;
        }
        row = report_add_row(table);
        fill_range(row, &self);
        row[3].real = self.slow;
        row[4].real = self.other;
        fill_range(row + 5, &total);
        row[8].count = f ? sampled_add(f->ticks[FRAMES_SLOW][FRAMES_TOTAL].sum,
                                     f->ticks[FRAMES_OTHER][FRAMES_TOTAL].sum)
                         : 0;
        row[9].name = f ? shown(r, site->name, NAME_CHARACTERS) : "(waiting)";
        row[10].name = f ? report_place(r, site->file, site->line) : "";
        row[11].name = f && *site->file ? shown(r, site->file, NAME_CHARACTERS) : "";
        row[12].count = f ? site->line : 0;
        row[13].name = kind;
    }
    free_told(&t);
    report_sort_table(table, "more_ms");
    table->rows_shown = ROWS_SHOWN;
    add_summary(table, k, left_out);
}

/* ---- the slowest, as they were ------------------------------------------------------------ */

static void add_short(text *words, const report *r, const char *name) {
    char *readable = report_name(r, name);
    text_short(words, *readable ? readable : "(no name)", STACK_CHARACTERS);
    free(readable);
}

/* "3 load_chunk in update, 1 draw": where the ticks were, at most three
   paths. */
static const char *ticked(report *r, const frames *s, const frames_one *one) {
    uint64_t rest = one->more;
    text words = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < one->path_count; i++) {
        const frames_path *path = &s->paths.at[one->first_path + i];
        const uint32_t *stack = &s->stacks.at[path->stack];
        if (i >= PATHS_SHOWN) {
            rest = sampled_add(rest, path->ticks);
            continue;
        }
        if (i) text_add(&words, ", ");
        text_count(&words, path->ticks);
        text_add(&words, " ");
        add_short(&words, r, s->sites.at[stack[0]].name);
        if (path->depth > 1) {
            text_add(&words, " in ");
            add_short(&words, r, s->sites.at[stack[1]].name);
        }
    }
    if (rest) {
        text_add(&words, ", and ");
        text_count(&words, rest);
    }
    return report_keep_text(r, &words);
}

static void add_slowest(report *r, const frames *s) {
    static const report_column columns[] = {
        {"ms", "ms", REPORT_REAL, REPORT_FINE, "-"},
        {"waiting_ms", "waiting", REPORT_REAL, REPORT_FINE, "unknown"},
        {"at_s", "at_s", REPORT_REAL, REPORT_FINE, "-"},
        {"number", "number", REPORT_COUNT, 0, NULL},
        {"kind", "kind", REPORT_NAME, REPORT_OPTIONAL, NULL},
        {"ticks", "ticks", REPORT_NAME, 0, NULL},
    };
    report_table *table = report_add_table(r, "frames_slowest", "the slowest frames, as they were",
                                           columns, sizeof columns / sizeof *columns);
    size_t i, n;
    report_remark(table, "How long each took, how much of it the thread waited, when it began, and "
                         "which functions its ticks met: one frame is an example, not a cause.");
    for (i = 0; i < s->kinds.count && i < KINDS_COMPARED; i++) {
        const frames_of_kind *k = &s->kinds.at[i];
        const char *kind = shown(r, k->name, KIND_CHARACTERS);
        for (n = 0; n < k->slowest_count; n++) {
            const frames_one *one = &k->slowest[n];
            report_cell *row = report_add_row(table);
            row[0].real = ms((double)one->ns);
            row[1].real = k->knows_waiting ? ms((double)one->wait_ns) : REPORT_NONE;
            row[2].real = (double)one->began_us / 1e6;
            row[3].count = one->number;
            row[4].name = kind;
            row[5].name = ticked(r, s, one);
        }
    }
}

/* For programs, and for the picture of the page. */
static void add_histogram(report *r, const frames *s) {
    static const report_column columns[] = {
        {"from_ms", "from", REPORT_REAL, REPORT_FINE, "-"},
        {"to_ms", "to", REPORT_REAL, REPORT_FINE, "-"},
        {"count", "frames", REPORT_COUNT, 0, NULL},
        {"row", "row", REPORT_COUNT, 0, NULL},
    };
    report_table *table = report_add_table(r, "frames_histogram", "durations of frames", columns,
                                           sizeof columns / sizeof *columns);
    size_t i, n;
    table->is_for_programs = 1;
    report_remark(table, "row: which row of the table of kinds the frames belong to, from 0.");
    for (i = 0; i < s->kinds.count && i < KINDS_COMPARED; i++) {
        const frames_of_kind *k = &s->kinds.at[i];
        for (n = 0; n < k->bucket_count; n++) {
            const uint32_t bucket = k->buckets[n].bucket;
            report_cell *row = report_add_row(table);
            row[0].real = ms((double)frames_bucket_begins(bucket));
            row[1].real = bucket + 1 < FRAMES_BUCKETS ? ms((double)frames_bucket_ends(bucket))
                                                      : REPORT_NONE;
            row[2].count = k->buckets[n].count;
            row[3].count = i;
        }
    }
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    const frames *s = (const frames *)state;
    size_t i;
    (void)columns;
    (void)in;
    for (i = 0; i < s->programs.count; i++) report_add_name(r, s->programs.at[i].name);
    if (!s->kinds.count) return;
    add_kinds(r, s);
    for (i = 0; i < s->kinds.count && i < KINDS_COMPARED; i++) {
        if (s->kinds.at[i].bucket_count) add_more(r, s, &s->kinds.at[i]);
    }
    add_slowest(r, s);
    add_histogram(r, s);
    add_headline(r, s);
}

const report_section section_frames = {&kind_frames, "frames", 0, fill, NULL, NULL};
