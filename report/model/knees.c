/* knees.c - the steepest falls of a curve of misses.

   A fall is an octave: from a size to at most twice that size. The falls that
   take most misses away are named, no two of which overlap. At both ends, what
   takes less than a hundredth of the fall is left off.

   If reported misses at C are those of a cache between C and C / c, the true
   ones lie between the reported ones at C and at c C. So both ends of a fall
   have bounds, and so has the part of the misses that it takes away. In samples
   both ends have intervals, and so has that part: the widest that they leave. */
#include "report/model/knees.h"
#include <math.h>

enum { KNEES_MOST = 3 };
static const double least_fall = .2, least_misses = .001;

typedef struct fall { size_t from, to; double worth; } fall;

static void add_size(text *out, double bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 3; unit++) bytes /= 1024;
    text_format(out, "%.3g %s", bytes, units[unit]);
}

static void add_number(text *out, double share) {
    text_format(out, share < .1 ? "%.2g" : "%.0f", 100 * share);
}

static void add_percent(text *out, double share) {
    add_number(out, share);
    text_add(out, " %");
}

static void add_range(double low, double high, text *out) {
    text_add(out, " (");
    add_number(out, low > 0 ? low : 0);
    text_add(out, " to ");
    add_percent(out, high > 0 ? high : 0);
    text_add(out, ")");
}

/* What misses at a size: the value at the last point that is not above it; 1
   below all points. */
static double at(const knees_curve *v, double blocks) {
    size_t i;
    for (i = v->count; i > 0; i--) {
        if (v->blocks[i - 1] <= blocks) return v->misses[i - 1];
    }
    return 1;
}

/* The octave that takes most away, behind point `first` and up to `end`. */
static fall steepest(const knees_curve *v, size_t first, size_t end) {
    fall best = {0, 0, 0};
    size_t i, k;
    for (i = first; i < end; i++) {
        for (k = i + 1; k < end && v->blocks[k] <= 2 * v->blocks[i]; k++) {
            double worth = v->misses[i] - v->misses[k];
            if (worth <= best.worth) continue;
            best.from = i;
            best.to = k;
            best.worth = worth;
        }
    }
    while (best.worth > 0 && v->misses[best.from] - v->misses[best.from + 1] < .01 * best.worth)
        best.from++;
    while (best.worth > 0 && v->misses[best.to - 1] - v->misses[best.to] < .01 * best.worth)
        best.to--;
    return best;
}

static int is_worth_saying(const knees_curve *v, const fall *f) {
    return f->worth >= least_misses && f->worth >= least_fall * v->misses[f->from];
}

static void say_fall(const knees_curve *v, const fall *f, text *out) {
    double high = v->misses[f->from], low = v->misses[f->to];
    double high_most, low_most;
    text_add(out, "A cache of ");
    add_size(out, v->blocks[f->to] * v->block_bytes);
    text_add(out, " misses ");
    add_percent(out, low);
    text_add(out, ", one of ");
    add_size(out, v->blocks[f->from] * v->block_bytes);
    text_add(out, " ");
    add_percent(out, high);
    text_add(out, ": ");
    add_percent(out, 1 - low / high);
    text_add(out, " of the misses less");
    if (v->low && v->low[f->from] > 0) {
        add_range(1 - v->high[f->to] / v->low[f->from], 1 - v->low[f->to] / v->high[f->from], out);
    } else if (!v->low && v->c > 0 && v->c < 1) {
        high_most = at(v, v->c * v->blocks[f->from]);
        low_most = at(v, v->c * v->blocks[f->to]);
        add_range(1 - low_most / high, 1 - low / high_most, out);
    }
    text_add(out, ". ");
}

void knees_say(const knees_curve *v, const knees_size *sizes, size_t size_count, text *out) {
    fall found[KNEES_MOST];
    size_t count = 0, i, k;
    while (count < KNEES_MOST) {
        fall best = {0, 0, 0};
        size_t begin = 0;
        /* between the falls that are named already, which are sorted */
        for (i = 0; i <= count; i++) {
            fall here = steepest(v, begin, i < count ? found[i].from + 1 : v->count);
            if (here.worth > best.worth) best = here;
            if (i < count) begin = found[i].to;
        }
        if (best.worth <= 0 || !is_worth_saying(v, &best)) break;
        for (k = count; k > 0 && found[k - 1].from > best.from; k--) found[k] = found[k - 1];
        found[k] = best;
        count++;
    }
    for (i = 0; i < count; i++) say_fall(v, &found[i], out);
    for (i = 0; i < size_count; i++) {
        if (!v->count || sizes[i].bytes < v->blocks[0] * v->block_bytes) continue;
        if (v->low && sizes[i].bytes > v->blocks[v->count - 1] * v->block_bytes) continue;
        text_add(out, *sizes[i].label ? sizes[i].label : "A cache");
        text_add(out, " (");
        add_size(out, sizes[i].bytes);
        text_add(out, ") misses ");
        add_percent(out, at(v, sizes[i].bytes / v->block_bytes));
        text_add(out, ". ");
    }
    if (out->size && out->data[out->size - 1] == ' ') out->size--;
}
