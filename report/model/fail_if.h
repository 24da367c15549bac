/* fail_if.h - conditions of --fail-if, such as `parse>+5%`: what they say and
   whether they hold.

       [self:|time:|calls:]NAME > [+|-]NUMBER[%|ms|us|s|pp]

   NAME is a pattern of function names, or `total` for the whole program.
   `time:`, the default, is time in the function and in what it calls; self: in
   the function itself. NUMBER without a unit is a number of calls (or of
   ticks). The last `>` before a number counts, so that C++ names may have
   others. */
#ifndef MODEL_FAIL_IF_H
#define MODEL_FAIL_IF_H
#include "report/model/compare.h"

typedef struct fail_if {
    const char *words; /* as it was given */
    char *pattern;
    compare_measure measure;
    double factor, more; /* it holds where new > factor * base + more */
    int is_absolute;     /* `more` counts */
    char unit[4];        /* "%", "ms", "pp", or nothing */
} fail_if;

/* Returns a TOOL_ status, after a message. */
int fail_if_read(fail_if *f, const char *words);
void fail_if_free(fail_if *f);

typedef enum fail_if_answer { FAIL_IF_HOLDS, FAIL_IF_NOT, FAIL_IF_UNDECIDED } fail_if_answer;

/* Tests all conditions. Each that holds, and each that the data cannot decide,
   has a line on standard error; the report has a table of all, and of the
   functions that they are about. If any function grows by luck alone, the
   chance that a condition holds is at most
   2.5 %, however many functions and conditions there are. *holds: how many hold. Returns a TOOL_
   status, after a message: a name that no function has is an error. */
int fail_if_check(report *r, const comparison *c, const fail_if *list, size_t count,
                  size_t *holds);
#endif
