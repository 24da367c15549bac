/* report.h - the model that all forms of `bursty report` share, and its makers and writers: one report_*.c each. */
#ifndef REPORT_H
#define REPORT_H
#include "kinds/input.h"

/* A function, loop or other site, or a pair of caller and site: what was counted and what it stands for. */
typedef struct report_item {
    uint32_t site, caller, kind;                  /* into sampled->sites; caller: TALLY_NO_SITE in functions */
    uint64_t sampled, estimated;                  /* events */
    uint64_t orphaned;                            /* estimated, of a function: those whose caller is not known */
    double   time_ns;                             /* estimated; 0 without a clock */
    double   share, time_share;                   /* of all items of the same class of site, 0..1 */
    double   heat;                                /* the share of time where that class has any, else that of events */
} report_item;

/* A calling-context tree in preorder, one array per column; node 0 is the root. */
typedef struct report_tree {
    const char *algorithm;
    char   **names;  size_t name_count;
    uint32_t *parent, *name;                      /* of each node */
    uint64_t *lower, *upper;                      /* bounds of the context's own count, callees left out */
    size_t   count;
    uint64_t total, absent;                       /* counted in all; the most that a context not shown can have */
    uint64_t unmatched;                           /* leaves without an enter */
    int      is_of_sample;                        /* counts are of sampled calls and not scaled up */
} report_tree;

/* A curve: y at each x. */
typedef struct report_curve { const char *label; double *x, *y; size_t count; } report_curve;

enum { REPORT_PERCENTILES = 5 };                  /* 0, 5, 50, 95 and 100 % */

typedef struct report_footprint {
    char *title;
    const char *worth;                            /* what the numbers are worth */
    char reading[112];                            /* how percentiles and average go together; empty without percentiles */
    int is_pair;                                  /* two threads: y is how many accesses are the second one's */
    uint64_t accesses, distinct;
    double block_bytes, c;                        /* footprints are within [c, 1] of the true ones */
    report_curve percentile[REPORT_PERCENTILES], average;         /* blocks by window length in accesses */
    report_curve miss_ratio;                      /* 0..1 by cache size in blocks */
} report_footprint;

typedef struct report_note { char *name, *value; } report_note;

typedef struct report {
    char *title;
    TALLY_LIST(report_note) notes;
    const tally *sampled;                         /* the input's */
    TALLY_LIST(report_item) functions, pairs;     /* by class (calls first), in a class hottest first; loop trips have no pairs */
    size_t functions_left_out, pairs_left_out;    /* by the least share */
    int has_time;
    uint64_t checks, events, lost;                /* of all programs */
    double callers_unknown;                       /* part of the pairs' events whose caller is "(deep)", 0..1 */
    double rate_seen;                             /* part of the checks in bursts of report_fills_table profiles, 0..1 */
    TALLY_LIST(report_tree) trees;
    TALLY_LIST(report_footprint) footprints;
} report;

/* From an input that has been settled and outlives the report, in this order: functions and pairs, but those of a smaller
   share; trees; footprints. */
void report_sampled(report *r, const tally *s, double least_share);
void report_contexts(report *r, const contexts *c);
void report_footprints(report *r, const footprints *f);

/* Twice the relative standard error of a count of so many sampled events: 95 in 100 times the truth is within.
   0: they are too few to tell. */
double report_error(uint64_t sampled);
/* The part of all checks that a profile asked to be in bursts, 0..1. */
double report_rate(const tally_profile *profile);
/* Is it one of those that fill the hot table? If none does: all are. */
int report_fills_table(const tally *s, const tally_profile *profile);
/* Is it on, and without a burst yet? */
int report_waits(const tally_profile *profile);
/* "calls", "loop trips", ... for a site's kind. */
const char *report_class(uint32_t kind);

void report_text(const report *r, text *out);
void report_html(const report *r, text *out);
void report_collapsed(const report *r, text *out);
void report_json(const report *r, text *out);
void report_free(report *r);

/* Lines of the HTML page's style sheet and scripts, each list ended by NULL. The build makes them from tools/write/page. */
extern const char *const page_style[];
extern const char *const page_scripts[];
#endif
