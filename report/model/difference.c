/* difference.c - intervals and tests of differences. */
#include "report/model/difference.h"
#include "base/tool.h"
#include "report/model/interval.h"
#include <math.h>
#include <stdlib.h>

typedef struct limits { double mean, low, high; } limits;

/* ---- normal and Student ------------------------------------------------------------------- */

static double z_chance(double z) { return erfc(z / sqrt(2.0)); }

/* Where a falling function of x between low and high has that value. */
static double solve(double (*of)(double x, double degrees), double degrees, double value,
                    double low, double high) {
    int i;
    for (i = 0; i < 100 && high - low > 1e-9 * high; i++) {
        double middle = (low + high) / 2;
        if (of(middle, degrees) > value) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

static double z_falling(double z, double unused) {
    (void)unused;
    return z_chance(z);
}

static double z_quantile(double chance) { return solve(z_falling, 0, chance, 0, 38); }

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;
    int m;
    if (fabs(d) < tiny) d = tiny;
    h = d = 1 / d;
    for (m = 1; m < 300; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;
        d = 1 + even * d;
        c = 1 + even / c;
        if (fabs(d) < tiny) d = tiny;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        h *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        if (fabs(d) < tiny) d = tiny;
        if (fabs(c) < tiny) c = tiny;
        d = 1 / d;
        step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-12) break;
    }
    return h;
}

static double beta_part(double a, double b, double x) {
    double front;
    if (!(x > 0)) return 0;
    if (x >= 1) return 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double difference_t_chance(double t, double degrees) {
    if (!(degrees < 1e6)) return z_chance(fabs(t));
    return beta_part(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double difference_t_quantile(double chance, double degrees) {
    double high = 2;
    while (high < 1e9 && difference_t_chance(high, degrees) > chance) high *= 2;
    return solve(difference_t_chance, degrees, chance, 0, high);
}

/* ---- sampling ----------------------------------------------------------------------------- */

/* Score limits: of a count k, and of a part p seen in n samples. They are right
   at 0, too. */
static limits limits_of_events(double k, double z) {
    limits l;
    double half = z * sqrt(k + z * z / 4);
    l.mean = k;
    l.low = k + z * z / 2 - half;
    l.high = k + z * z / 2 + half;
    if (l.low < 0) l.low = 0;
    return l;
}

static limits limits_of_part(double p, double n, double z) {
    limits l;
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    l.mean = p;
    l.low = middle > half ? middle - half : 0;
    l.high = middle + half;
    if (l.low > p) l.low = p;
    if (l.high < p) l.high = p;
    return l;
}

/* NAN where nobody can tell. */
static limits limits_of_run(const difference_run *run, double z) {
    limits l;
    l.mean = l.low = l.high = run->value;
    if (run->bursts > 0) z = interval_few(z, run->bursts);
    switch (run->noise) {
    case DIFFERENCE_EXACT: break;
    case DIFFERENCE_EVENTS:
        l = limits_of_events(run->value / run->unit, z);
        l.low *= run->unit;
        l.high *= run->unit;
        break;
    case DIFFERENCE_PART:
        if (!(run->worth > 0)) l.low = l.high = NAN;
        else if (run->worth < HUGE_VAL) {
            l = limits_of_part(run->value / run->unit, run->worth, z);
            l.low *= run->unit;
            l.high *= run->unit;
        }
        break;
    case DIFFERENCE_NORMAL:
        l.low = run->value > z * run->worth ? run->value - z * run->worth : 0;
        l.high = run->value + z * run->worth;
        break;
    default: l.low = l.high = NAN;
    }
    if (run->bursts > 0 && !interval_has_least(run->bursts) && l.low > 0) l.low = 0;
    l.mean = run->value;
    l.high += run->above;
    return l;
}

static limits limits_of_sampling(const difference_side *side, double z) {
    double n = (double)side->count, below = 0, above = 0, sum = 0;
    limits all;
    size_t i;
    for (i = 0; i < side->count; i++) {
        limits l = limits_of_run(&side->runs[i], z);
        sum += l.mean;
        below += (l.mean - l.low) * (l.mean - l.low);
        above += (l.high - l.mean) * (l.high - l.mean);
    }
    all.mean = sum / n;
    all.low = all.mean - sqrt(below) / n;
    all.high = all.mean + sqrt(above) / n;
    return all;
}

/* now - factor * base. */
static limits limits_of_difference(const limits *base, const limits *now, double factor) {
    double low = now->mean - now->low, high = now->high - now->mean;
    double base_low = factor * (base->mean - base->low);
    double base_high = factor * (base->high - base->mean);
    limits d;
    d.mean = now->mean - factor * base->mean;
    d.low = d.mean - sqrt(low * low + base_high * base_high);
    d.high = d.mean + sqrt(high * high + base_low * base_low);
    return d;
}

/* ---- runs --------------------------------------------------------------------------------- */

typedef struct spread {
    double mean, variance; /* of one run */
    double runs;
} spread;

static spread spread_of(const difference_side *side) {
    spread s = {0, 0, 0};
    size_t i;
    s.runs = (double)side->count;
    for (i = 0; i < side->count; i++) s.mean += side->runs[i].value / s.runs;
    for (i = 0; i < side->count; i++)
        s.variance += (side->runs[i].value - s.mean) * (side->runs[i].value - s.mean);
    s.variance = side->count > 1 ? s.variance / (s.runs - 1) : -1;
    return s;
}

/* One run has no variance: a side with one run takes that of the other side. Returns 0
   if neither side has two runs. */
static int complete(spread *base, spread *now) {
    if (base->variance < 0 && now->variance < 0) return 0;
    if (base->variance < 0) base->variance = now->variance;
    if (now->variance < 0) now->variance = base->variance;
    return 1;
}

/* By Welch and Satterthwaite. A side of one run adds no degree of freedom. */
static double degrees_of(const spread *base, const spread *now, double factor) {
    double a = factor * factor * base->variance / base->runs, b = now->variance / now->runs;
    double fewest = 0;
    if (base->runs > 1 && now->runs > 1) {
        double below = a * a / (base->runs - 1) + b * b / (now->runs - 1);
        return below > 0 ? (a + b) * (a + b) / below : base->runs + now->runs - 2;
    }
    fewest = base->runs > 1 ? base->runs : now->runs;
    return fewest - 1;
}

static double error_of(const spread *base, const spread *now, double factor) {
    return sqrt(factor * factor * base->variance / base->runs + now->variance / now->runs);
}

static double runs_chance(const spread *base, const spread *now) {
    double apart = fabs(now->mean - base->mean), error = error_of(base, now, 1);
    if (!(apart > 0)) return 1;
    return error > 0 ? difference_t_chance(apart / error, degrees_of(base, now, 1)) : 0;
}

/* ---- both --------------------------------------------------------------------------------- */

/* What is made once, so that many factors are cheap. The degrees of freedom are
   those of the factor that it was made for. */
typedef struct pair {
    limits base, now;
    spread base_runs, now_runs;
    int has_runs;
    double t;
} pair;

static pair pair_of(const difference_side *base, const difference_side *now, double factor,
                    double level) {
    pair p;
    double z = z_quantile(level);
    p.base = limits_of_sampling(base, z);
    p.now = limits_of_sampling(now, z);
    p.base_runs = spread_of(base);
    p.now_runs = spread_of(now);
    p.has_runs = complete(&p.base_runs, &p.now_runs);
    p.t = 0;
    if (p.has_runs)
        p.t = difference_t_quantile(level, degrees_of(&p.base_runs, &p.now_runs, factor));
    return p;
}

static limits contrast(const pair *p, double factor) {
    limits d = limits_of_difference(&p->base, &p->now, factor);
    if (p->has_runs) {
        double margin = p->t * error_of(&p->base_runs, &p->now_runs, factor);
        if (d.mean - margin < d.low) d.low = d.mean - margin;
        if (d.mean + margin > d.high) d.high = d.mean + margin;
    }
    return d;
}

/* The factor at which one end of the contrast passes 0. Both ends fall while
   the factor grows. */
static double factor_at(const pair *p, int is_low) {
    double low = 1e-9, high = 1e9;
    int i;
    limits d = contrast(p, low);
    if ((is_low ? d.low : d.high) <= 0) return 0;
    d = contrast(p, high);
    if ((is_low ? d.low : d.high) > 0) return HUGE_VAL;
    for (i = 0; i < 80 && high / low > 1 + 1e-9; i++) {
        double middle = sqrt(low * high);
        d = contrast(p, middle);
        if ((is_low ? d.low : d.high) > 0) low = middle;
        else high = middle;
    }
    return sqrt(low * high);
}

/* The chance at which the limits by sampling meet 0. */
static double sampling_chance(const difference_side *base, const difference_side *now) {
    double low = 0, high = 38;
    int i;
    for (i = 0; i < 40; i++) {
        double z = (low + high) / 2;
        limits a = limits_of_sampling(base, z), b = limits_of_sampling(now, z);
        limits d = limits_of_difference(&a, &b, 1);
        if (d.low != d.low) return NAN;
        if (d.low > 0 || d.high < 0) low = z;
        else high = z;
    }
    return z_chance(low);
}

difference difference_make(const difference_side *base, const difference_side *now) {
    difference d;
    pair p = pair_of(base, now, 1, DIFFERENCE_LEVEL);
    limits l = contrast(&p, 1);
    d.base = p.base.mean;
    d.now = p.now.mean;
    d.low = l.low;
    d.high = l.high;
    d.factor_low = d.factor_high = NAN;
    d.chance = sampling_chance(base, now);
    if (d.chance != d.chance || d.low != d.low) {
        d.low = d.high = d.chance = NAN;
        return d;
    }
    if (p.has_runs) {
        double chance = runs_chance(&p.base_runs, &p.now_runs);
        if (chance > d.chance) d.chance = chance;
    }
    if (d.base > 0) {
        d.factor_low = factor_at(&p, 1);
        d.factor_high = factor_at(&p, 0);
    }
    return d;
}

int difference_exceeds(const difference_side *base, const difference_side *now, double factor,
                       double more, double level) {
    pair p = pair_of(base, now, factor, level);
    limits d = contrast(&p, factor);
    if (d.low > more) return 1;
    return d.high <= more ? -1 : 0;
}

static double events_of(const difference_side *side) {
    double events = 0;
    size_t i;
    for (i = 0; i < side->count; i++) {
        const difference_run *run = &side->runs[i];
        if (run->noise == DIFFERENCE_EVENTS) events += run->value / run->unit;
        else if (run->noise == DIFFERENCE_PART && run->unit > 0)
            events += run->value / run->unit * run->worth;
        else return HUGE_VAL;
    }
    return events;
}

/* Five events that all fall to one side do so by luck in 1 of 16 cases. */
int difference_is_hopeless(const difference_side *base, const difference_side *now) {
    return events_of(base) + events_of(now) < 6;
}

/* ---- many tests --------------------------------------------------------------------------- */

typedef struct tested { double chance; size_t row; } tested;

static int compare_chances(const void *left, const void *right) {
    const tested *a = (const tested *)left, *b = (const tested *)right;
    if (a->chance < b->chance || a->chance > b->chance) return a->chance < b->chance ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

void difference_judge(const double *chances, size_t count, unsigned char *is_sure) {
    tested *tests = (tested *)tool_alloc(count * sizeof *tests);
    size_t i, n = 0;
    for (i = 0; i < count; i++) {
        is_sure[i] = 0;
        if (chances[i] != chances[i]) continue;
        tests[n].chance = chances[i];
        tests[n++].row = i;
    }
    if (n) qsort(tests, n, sizeof *tests, compare_chances);
    for (i = 0; i < n && tests[i].chance <= DIFFERENCE_LEVEL / (double)(n - i); i++)
        is_sure[tests[i].row] = 1;
    free(tests);
}
