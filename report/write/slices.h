/* slices.h - ticks in time as slices: how long each function was on the stack of a
   thread, as far as ticks tell.

       ticks of a thread       a     a     b           b
       stack                   | main                | main
                               | load    | draw      | draw      a gap of no tick

   A tick stands for the time up to it: back to the thread's tick before, or where
   that is further away than ticks of a busy thread can be, for its own period. */
#ifndef SLICES_H
#define SLICES_H
#include "report/model/report.h"

typedef struct slice {
    uint64_t from, to;                            /* us */
    uint32_t thread, node, depth;                 /* depth 1: outermost */
} slice;

/* Calls `each` with all of a thread, then of the next one; inner ones come before
   those around them. Returns how many; more than `most` (0: no limit) are not made,
   and it returns most + 1 then. each may be NULL. */
size_t slices_of(const report_axis *a, size_t most,
                 void (*each)(void *user, const slice *s), void *user);
/* Ticks by thread, and by time in each: first[n] to first[n + 1] of the order, which
   is returned. Both are to be freed. */
uint32_t *slices_order(const report_axis *a, size_t **first);
/* Waits or slow frames by thread, and by when they began in each; as slices_order. */
uint32_t *slices_by_thread(const report_axis *a, const report_stretch *s, size_t count,
                           size_t **first);
/* When the time begins that a tick stands for. before: the same thread's tick
   before it, or NULL. */
uint64_t slices_begin(const report_axis *a, const report_moment *before,
                      const report_moment *tick);
/* Is there anything with its moment? */
int slices_are_there(const report *r);
#endif
