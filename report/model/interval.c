/* interval.c - Wilson's interval and McNemar's test, with z = 2 or Student's. */
#include "report/model/interval.h"
#include <math.h>

static interval wilson(double p, double n, double z) {
    interval i = { -1, -1 };
    double middle, half;
    if (!(n > 0) || p < 0 || p > 1) return i;
    middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    i.low = middle > half ? middle - half : 0;
    i.high = middle + half < 1 ? middle + half : 1;
    if (i.low > p) i.low = p; /* by rounding */
    if (i.high < p) i.high = p;
    return i;
}

/* The least share that so many samples met, and so many others did not: with less
   they would have been fewer with 97.7 %. This is Clopper and Pearson's bound, by
   Paulson's approximation of F (1942). Below half a sample it is 0. */
static double exact_least(double met, double others) {
    const double z = 2, s = 1 / (9 * met), t = 1 / (9 * (others + 1)), a = 1 - t, b = 1 - s;
    const double high = a * a - z * z * t, low = b * b - z * z * s, root = a * a * b * b - high * low;
    double cube;
    if (!(low > 0) || !(high > 0)) return 0;
    cube = (a * b - sqrt(root > 0 ? root : 0)) / high;
    cube = cube > 0 ? met * cube * cube * cube : 0;
    return cube / (cube + others + 1);
}

/* Wilson's lower bound lies too high where few samples met a row: of rows that one
   or two are expected to meet it leaves out the truth in 12 to 23 of 100. There,
   and where few did not meet it, the exact bound stands. */
interval interval_wilson(double p, double n) {
    interval i = wilson(p, n, 2);
    const double met = p * n, others = n - met;
    if (i.low < 0) return i;
    if (met > 0 && !interval_has_least(met)) i.low = fmin(i.low, exact_least(met, others));
    if (others > 0 && !interval_has_least(others))
        i.high = fmax(i.high, 1 - exact_least(others, met));
    return i;
}

/* The variance of the row's sum, p known: of its own looks and of the others. It
   is p (1 - p) all_squares where all count alike. */
double interval_part_of_worth(double ticks, double squares, double all, double all_squares) {
    const double p = all > 0 ? ticks / all : 0;
    const double variance = squares * (1 - p) * (1 - p) + (all_squares - squares) * p * p;
    const double alike = p * (1 - p) * all_squares;
    return p > 0 && p < 1 && variance > alike * (1 + 1e-9) ? alike / variance : 1;
}

/* z = 2 is passed in one direction with 2.275 %. */
interval interval_unmet(double n) {
    interval i = { -1, -1 };
    if (!(n > 0)) return i;
    i.low = 0;
    i.high = 1 - pow(.02275, 1 / n);
    return i;
}

double interval_worth_of_bursts(double y, double y2) { return y2 > 0 ? y * y / y2 : 0; }

/* The bound of t that is passed as rarely as z is by a normal number, after
   Gaver and Kafadar (1984): within 1 % from 4 degrees of freedom on. */
double interval_few(double z, double bursts) {
    const double freedom = bursts > 5 ? bursts - 1 : 4;
    const double part = (freedom - 1.5) / ((freedom - 1) * (freedom - 1));
    if (!(freedom < 1e6)) return z;
    return sqrt(freedom * expm1(z * z * part));
}

int interval_has_least(double bursts) { return bursts > 4.9; } /* rounding takes a little of 5 */

interval interval_of_worth(double p, double n, double bursts) {
    interval i = {-1, -1};
    if (!(bursts > 0)) return i;
    i = wilson(p, n, interval_few(2, bursts));
    if (!interval_has_least(bursts)) i.low = -1;
    return i;
}

/* Wilson's for a share that goes to 0 while the whole grows. */
interval interval_of_count(double count, double variance, double bursts) {
    interval i = {-1, -1};
    double z = interval_few(2, bursts), events = count * count / variance, middle, half;
    if (!(count > 0) || !(variance > 0 && variance < HUGE_VAL) || !(bursts > 0)) return i;
    middle = 1 + z * z / (2 * events);
    half = z * sqrt(1 / events + z * z / (4 * events * events));
    i.high = count * (middle + half);
    if (interval_has_least(bursts)) i.low = middle > half ? count * (middle - half) : 0;
    return i;
}

double interval_with_unseen(double over, double y, double bursts, double clump) {
    const double more = y * clump - over;
    return more > 0 ? over + more / (bursts + 1) : over;
}

interval interval_of_bursts(double p, double m, double seen, double over) {
    interval none = {-1, -1};
    if (m < 2 || !(over < HUGE_VAL)) return none;
    over *= m / (m - 1);
    return interval_of_worth(p, over < 1e-15 ? m : p * (1 - p) / over, seen); /* 0: all alike */
}

/* McNemar's test with its correction for small counts. Samples that are neither
   of the two say nothing; of the others, half would be of each kind if the
   shares were the same. */
int interval_differs(double p, double q, double n) {
    const double z = 2;
    double apart = n * fabs(p - q) - 1;
    return apart > 0 && apart * apart > z * z * n * (p + q);
}
