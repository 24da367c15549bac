/* interval.c - Wilson's interval, z = 2. */
#include "model/interval.h"
#include <math.h>

interval interval_wilson(double p, double n) {
    const double z = 2;
    interval i = { -1, -1 };
    double middle, half;
    if (!(n > 0) || p < 0 || p > 1) return i;
    middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    i.low = middle > half ? middle - half : 0;
    i.high = middle + half < 1 ? middle + half : 1;
    return i;
}

int interval_meets(interval a, interval b) {
    return a.low < 0 || b.low < 0 || (a.low <= b.high && b.low <= a.high);
}
