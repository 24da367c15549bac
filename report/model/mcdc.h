/* mcdc.h - MC/DC of one decision from the runs that its marks tell.

   A condition is independent in a run if the other value of it would have led
   to the other outcome for some values of the conditions that the run left out.
   Masking MC/DC of a condition is shown by two runs in which it is independent,
   once true and once false, with different outcomes. Unique-cause MC/DC is
   shown by two runs with different outcomes and values of the condition in
   which no other condition that both evaluated differs. */
#ifndef MODEL_MCDC_H
#define MODEL_MCDC_H
#include "report/kinds/decisions.h"

/* One run, a bit for each condition. */
typedef struct mcdc_run {
    uint64_t evaluated, value, independent;
    int outcome;
} mcdc_run;

/* All runs of a decision with DECISION_PATHS. Returns how many there are, P. */
uint32_t mcdc_runs(const decided *d, mcdc_run runs[DECISION_RUNS_MOST]);

/* For condition i and run r: the runs that show the condition together with
   r. */
typedef struct mcdc_pairs {
    uint64_t partners[DECISION_RUNS_MOST][DECISION_RUNS_MOST];
} mcdc_pairs;
void mcdc_pair_up(const decided *d, const mcdc_run *runs, int unique, mcdc_pairs *pairs);

/* What a set of runs (bit r: run r) shows. Bit i of shown[1] and shown[0]:
   condition i was shown true and false. Both are set only if a pair of runs
   shows the condition. possible: all runs together would show it. */
typedef struct mcdc_shown {
    uint64_t shown[2], possible;
} mcdc_shown;
void mcdc_show(const decided *d, const mcdc_run *runs, const mcdc_pairs *pairs, uint64_t seen,
               mcdc_shown *out);

/* No pair of runs that was seen shows condition i. This lists pairs that would show it,
   at most `most` of them; those whose wanted run evaluates few conditions come first.
   One run of each pair was seen, if that is possible; else both are wanted. Returns how
   many pairs there are. */
typedef struct mcdc_wanted {
    uint32_t run[2]; /* the second was not seen */
    int both;        /* nor was the first */
} mcdc_wanted;
uint32_t mcdc_want(const decided *d, const mcdc_run *runs, const mcdc_pairs *pairs, uint64_t seen,
                   uint32_t i, mcdc_wanted *wanted, uint32_t most);
/* How many bits are set. */
uint32_t mcdc_count_bits(uint64_t bits);
#endif
