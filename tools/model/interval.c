/* interval.c - Wilson's interval and McNemar's test, both with z = 2. */
#include "model/interval.h"
#include <math.h>

static interval wilson(double p, double n, double z) {
    interval i = { -1, -1 };
    double middle, half;
    if (!(n > 0) || p < 0 || p > 1) return i;
    middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    i.low = middle > half ? middle - half : 0;
    i.high = middle + half < 1 ? middle + half : 1;
    return i;
}

interval interval_wilson(double p, double n) { return wilson(p, n, 2); }

interval interval_seen(double p, double n, double bursts) {
    interval i = { -1, -1 };
    if (!(bursts > 0)) return i;
    n *= bursts / (bursts + 1);
    if (n < 1) n = 1;
    i = wilson(p, n, 2);
    i.low = bursts < 5 ? -1 : wilson(p, n, 2 + 2 / sqrt(bursts)).low;
    return i;
}

/* z = 2 is passed in one direction with 2.275 %. */
/* The variance of the row's sum, p known: of its own looks and of the others. It
   is p (1 - p) all_squares where all count alike. */
double interval_part_of_worth(double ticks, double squares, double all, double all_squares) {
    const double p = all > 0 ? ticks / all : 0;
    const double variance = squares * (1 - p) * (1 - p) + (all_squares - squares) * p * p;
    const double alike = p * (1 - p) * all_squares;
    return p > 0 && p < 1 && variance > alike * (1 + 1e-9) ? alike / variance : 1;
}

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

int interval_has_least(double bursts) { return bursts >= 5; }

interval interval_of_bursts(double p, double m, double seen, double over) {
    static const double least_bursts = 8;
    interval none = {-1, -1};
    double wider;
    if (seen < least_bursts || m < 2 || !(over < HUGE_VAL)) return none;
    wider = interval_few(2, seen) / 2;
    over = m / (m - 1) * over * wider * wider;
    if (over < 1e-15) return interval_wilson(p, m); /* bursts all alike */
    return interval_wilson(p, p * (1 - p) / over);
}

/* McNemar's test with its correction for small counts. Samples that are neither
   of the two say nothing; of the others, half would be of each kind if the
   shares were the same. */
int interval_differs(double p, double q, double n) {
    const double z = 2;
    double apart = n * fabs(p - q) - 1;
    return apart > 0 && apart * apart > z * z * n * (p + q);
}
