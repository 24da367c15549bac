/* sampled.h - the columns that model/sampled.c computes and
   model/sampled_json.c writes. */
#ifndef MODEL_SAMPLED_H
#define MODEL_SAMPLED_H
#include "report/kinds/sampled.h"
#include "report/model/report.h"
#include "report/model/sampled_ranges.h"

/* A function, loop or other site, or a pair of caller and site: what was
   counted and what it stands for. */
typedef struct report_item {
    uint32_t site, caller, kind;                  /* caller: TALLY_NO_SITE in functions */
    uint32_t is_timed;                            /* it has a scope and there was a clock */
    ranges_sums sums; /* events, and what they stand for, with their bursts */
    uint64_t orphaned; /* estimated, of a function: those whose caller is not known */
    double   time_ns;                             /* estimated; 0 without a clock */
    double   share, time_share;                   /* of all items of the same class of site, 0..1 */
    double heat; /* the share of time where that class has any, else of events */
} report_item;

typedef struct report_sampled {
    const tally *tally;
    char **names;                                 /* of the tally's sites, as people read them */
    report_item *functions, *pairs; /* by class (calls first), in a class hottest first */
    size_t function_count, pair_count;
    size_t functions_left_out, pairs_left_out;    /* by the least share */
    int has_time;
    int has_contexts;                 /* the dumps have trees of calling contexts, too */
    int has_ticks;                    /* time is told by ticks, in tables of its own */
    uint64_t checks, events, lost;                /* of all programs */
    ranges ranges;
    const report_tree *stacks;                    /* of the report: pairs */
    double callers_unknown; /* part of the pairs' events whose caller is "(deep)", 0..1 */
    double rate_seen;       /* part of the checks in bursts that fill the table, 0..1 */
} report_sampled;

/* The part of all checks that a profile asked to be in bursts, 0..1. */
double report_rate(const sampled_profile *profile);
/* Did each profile that recorded anything record a part only? */
int report_is_part(const tally *s);
/* A thread's name, or else its number. Threads are numbered from 0. */
const char *report_thread_name(report *r, const sampled_thread *thread);

/* The section's JSON, in sampled_json.c. */
void sampled_json(const void *columns, const report *r, text *out);
#endif
