/* compare.h - what has changed between two groups of runs: time by ticks and
   calls, by function and by context, each with the interval of the difference
   and a test.

   Each dump is a run. All that runs say of a row stands side by side in a list:

                     base runs          new runs
       parse     | 12 ms | 13 ms  |  19 ms | 18 ms |   one difference_run each
       scan      |  4 ms |   -    |   5 ms |  4 ms |   -: 0, with the limits of a 0

   Rows are functions by name, file and line (identities.h), or stacks of
   these. */
#ifndef MODEL_COMPARE_H
#define MODEL_COMPARE_H
#include "report/model/difference.h"
#include "report/model/identities.h"
#include "report/model/report.h"

typedef struct compare_input {
    const char *path;
    const input *in; /* settled */
} compare_input;

/* What rows are measured in. */
typedef enum compare_measure {
    COMPARE_SELF,     /* time in a function itself */
    COMPARE_TOTAL,    /* and in what it calls */
    COMPARE_STACKS,   /* time of a stack's last function */
    COMPARE_CALLS,
    COMPARE_CONTEXTS, /* calls of a context */
    COMPARE_WHOLE,    /* time of the whole program: one row */
    COMPARE_MEASURES
} compare_measure;

typedef struct compare_list {
    int is_there;        /* both sides have it */
    difference_run *cells; /* row by row: base runs, then new runs */
    size_t rows;
    uint32_t *which;     /* of each row: a function, or a node of the tree */
    const char *unit;    /* "ms", "calls", "%" */
} compare_list;

typedef struct comparison {
    size_t base_count, new_count;
    identities functions;
    char **names; /* of the functions, as people read them; twins with their place */
    compare_list lists[COMPARE_MEASURES];
    int by_share;   /* time is a share of all time, not the time of a run */
    report_tree *stacks, *contexts; /* trees of the paths; or NULL */
    char **context_names;
    size_t context_name_count;
} comparison;

/* Fills what is zero but for the counts of runs and by_share; adds the losses
   of all runs to the report. Base runs come first. Returns a TOOL_ status,
   after a message. */
int compare_gather(comparison *c, report *r, const compare_input *runs);
void compare_free(comparison *c);
/* The runs of a row of a list. */
difference_side compare_base(const comparison *c, const compare_list *list, size_t row);
difference_side compare_new(const comparison *c, const compare_list *list, size_t row);
/* Begins a section of the report, which owns the comparison. Base runs come
   first. Returns a TOOL_ status, after a message. */
int compare_make(report *r, const compare_input *runs, size_t base_count, size_t new_count,
                 int by_share, comparison **made);
/* Adds a headline, facts and a table for each list. */
void compare_show(report *r, const comparison *c, const compare_input *runs);
#endif
