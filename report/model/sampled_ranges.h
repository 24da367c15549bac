/* sampled_ranges.h - how far the shares and counts of sampled events may be
   off. */
#ifndef MODEL_SAMPLED_RANGES_H
#define MODEL_SAMPLED_RANGES_H
#include "report/kinds/sampled.h"
#include "report/model/interval.h"

/* What intervals rest on. */
typedef enum ranges_basis {
    RANGES_EXACT,  /* nothing: every event was counted */
    RANGES_BURSTS, /* how counts differed from burst to burst */
    RANGES_EVENTS  /* the dump does not say; events are taken as independent of one another */
} ranges_basis;

enum { RANGES_LEAST_BURSTS = 5 }; /* seen in fewer bursts than that, a row has an upper bound alone */

/* Sums over the bursts that saw a site or a pair, of all threads. */
typedef struct ranges_sums {
    uint64_t sampled, weight_256, bursts;
    double yy, xy;
} ranges_sums;

/* What all sites of a class make together, by the classes' bits. */
typedef struct ranges_class {
    double sampled, total;                        /* events, and what they stand for */
    double unsummed;                              /* the part of total that has no sums */
    double bursts, xx;                            /* of the bursts that saw the class */
    double clump; /* what bursts leave over of its rows, for each 1 of total */
} ranges_class;

typedef struct ranges {
    ranges_basis basis;
    int has_table_profile;
    int is_partial; /* so much is missing that counts have no interval */
    double checks;                                /* of all programs */
    double checks_seen;                           /* of these in bursts that fill the table */
    double bursts[SITE_CLASSES + 1];              /* that could have seen the class */
    double gaps;                                  /* variance of all weights together, as part of
                                                     their square: gaps are drawn */
    ranges_class of[SITE_CLASSES + 1];
} ranges;

void ranges_make(ranges *to, const tally *s);
/* Is the profile one of those that fill the hot table? If none does: all
   are. */
int ranges_fills_table(const ranges *r, const sampled_profile *profile);
/* What becomes of a profile's events: "functions" (the tables of functions and
   pairs), "contexts" (the tree of calling contexts), or "own-events" (the
   program handles them by itself). */
const char *ranges_records(const ranges *r, const tally *s, int has_contexts,
                           const sampled_profile *profile);
/* The checks that all bursts of a profile stand for, and the variance of their
   number, since the gaps between bursts are drawn. Zeros if it is always on. */
typedef struct ranges_gaps { double checks, variance; } ranges_gaps;
ranges_gaps ranges_gaps_of(const sampled_profile *profile);
/* Events estimated. */
uint64_t ranges_estimated(const ranges_sums *sums);
/* Adds a row to the sums of its site (the joint sums of all of its callers) or
   of its pair. */
void ranges_add(ranges_sums *sums, const sampled_record *row, int is_pair);
/* Adds the sums of rows of one site or one pair up. */
void ranges_join(ranges_sums *to, const ranges_sums *from);
/* Was it seen often enough for two bounds? Bursts that differ much ask for
   more. */
int ranges_has(const ranges *r, const ranges_sums *sums);
/* The interval of its part of all events of its class. Of few bursts there is an
   upper bound alone: low < 0, high >= 0. So with ranges_count. */
interval ranges_share(const ranges *r, const ranges_sums *sums, uint32_t kind);
/* How many independent events would make that share as sure: -1 if it has no
   interval. */
double ranges_worth(const ranges *r, const ranges_sums *sums, uint32_t kind);
/* The interval of how often it ran. */
interval ranges_count(const ranges *r, const ranges_sums *sums, uint32_t kind);
/* How many independent events would make that count as sure: -1 if nobody can
   tell, HUGE_VAL if it is exact. */
double ranges_count_events(const ranges *r, const ranges_sums *sums, uint32_t kind);
#endif
