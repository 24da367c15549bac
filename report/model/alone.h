/* alone.h - of all windows of two threads' accesses, in how many one of them is
   alone: what spans of time tell for certain. */
#ifndef MODEL_ALONE_H
#define MODEL_ALONE_H
#include "report/kinds/interleave.h"

/* At least and at most so many accesses, at any times from `from` to `to`. */
typedef struct alone_span { uint64_t from, to, least, most; } alone_span;
typedef struct alone_spans { alone_span *at; size_t count; } alone_spans;

/* Those of a thread, by time; `at` is to be freed. */
alone_spans alone_make(const turned_thread *thread);
/* At least and at most so many windows of `window` accesses of both hold
   accesses of `of` alone; `other` is the other thread. */
void alone_windows(const alone_spans *of, const alone_spans *other, uint64_t window,
                   double *least, double *most);
#endif
