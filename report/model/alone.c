/* alone.c - windows of one thread alone.

   An access may be anywhere in its span. A row with an edge is two spans: nobody
   knows how many of its accesses are in which. Span b of the other thread lies
   between spans i and j of this one

       for certain    if it has an access for certain, b begins after i has ended, and ends before j begins
       perhaps        unless b ends before i begins, or begins after j has ended;
                      for i = j, too

   What happens in one nanosecond has no order.

   The windows that begin in span i are of this thread alone as long as no access
   of the other one comes. At most that is up to the span j behind which one of
   the other thread lies between for certain, at least up to the one before which
   none lies perhaps. With n accesses in span i, and s in those behind it, as far
   as that, n + s - w + 1 of the windows that begin in span i fit, and no more
   than n. j never falls as i grows, so all takes as many steps as there are
   spans. */
#include "report/model/alone.h"
#include "base/tool.h"

alone_spans alone_make(const turned_thread *thread) {
    alone_spans s = {NULL, 0};
    size_t i;
    s.at = (alone_span *)tool_alloc((2 * thread->count + 1) * sizeof *s.at);
    for (i = 0; i < thread->count; i++) {
        const turn *row = &thread->rows[i];
        alone_span *span = &s.at[s.count++];
        span->from = row->from;
        span->to = row->to;
        span->least = span->most = row->accesses;
        if (!row->edge) continue;
        span->to = row->from + row->edge;
        span->least = 0;
        span[1] = span[0];
        span[1].from = row->to - row->edge;
        span[1].to = row->to;
        s.count++;
    }
    return s;
}

static double fitting(double own, double behind, double window) {
    double fit = own + behind - window + 1;
    return fit < 0 ? 0 : fit > own ? own : fit;
}

void alone_windows(const alone_spans *of, const alone_spans *other, uint64_t window,
                   double *least, double *most) {
    const alone_span *a = of->at, *b = other->at;
    size_t i, far = 0, near = 0, ended = 0, open = 0, count = other->count;
    double far_sum = 0, near_sum = 0, w = (double)window; /* of spans i to far, or to near */
    *least = *most = 0;
    for (i = 0; i < of->count; i++) { /* far, near: one behind the last span */
        if (far <= i) {
            far = i;
            far_sum = 0;
        }
        if (near < i) {
            near = i;
            near_sum = 0;
        }
        while (ended < count && (b[ended].from <= a[i].to || !b[ended].least)) ended++;
        while (open < count && b[open].to < a[i].from) open++;
        while (far < of->count && (far == i || ended == count || b[ended].to >= a[far].from))
            far_sum += (double)a[far++].most;
        while (near < of->count && (open == count || b[open].from > a[near].to))
            near_sum += (double)a[near++].least;
        *most += fitting((double)a[i].most, far_sum - (double)a[i].most, w);
        if (near > i) {
            *least += fitting((double)a[i].least, near_sum - (double)a[i].least, w);
            near_sum -= (double)a[i].least;
        }
        far_sum -= (double)a[i].most;
    }
}
