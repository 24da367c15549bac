/* decisions.h - MC/DC as reports show it: each decision, what was shown of its
   conditions, and the runs that are still wanted. What the writers of LCOV and
   the page's script read. */
#ifndef MODEL_DECISIONS_H
#define MODEL_DECISIONS_H
#include "report/kinds/edges.h"
#include "report/model/mcdc.h"
#include "report/model/report.h"

typedef struct decisions_judged {
    const char *file, *function;
    uint32_t number;         /* among the decisions of its function */
    const decided *d;
    uint64_t seen;           /* runs; of DECISION_OUTCOMES nothing */
    uint64_t shown[2];       /* conditions that were shown false, and true */
    uint64_t possible;       /* conditions that runs can show */
} decisions_judged;

typedef struct decisions_report {
    decisions_judged *list;    /* by file, line, function and number */
    size_t count, outcomes, outcomes_shown, left_alone;
    int is_unique;
} decisions_report;

/* The decisions in a report; NULL: there are none. */
const decisions_report *decisions_in(const report *r);

/* The values of a function's counters, made from the marks of runs: an array of
   f->slots, to be freed. NULL: the function is not of an object with decisions,
   or has no marks. *is_one: it is. */
uint64_t *decisions_values(const decisions_all *decisions, const edges_all *counts,
                         const edges_function *f, const counted **marks, int *is_one);
#endif
