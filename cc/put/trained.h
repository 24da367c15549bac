/* trained.h - a run's counts of edges as the weights of the next plan
   (`bursty cc --cover --plan`; Ball and Larus, section 5: measured weights). */
#ifndef CC_TRAINED_H
#define CC_TRAINED_H

struct edgeplan; /* of edgeprof.h */
typedef struct cc_trained cc_trained;
/* Reads a dump of `bursty cc --cover` that has tables. Returns NULL after a
   message. */
cc_trained *cc_trained_read(const char *path);
/* Weighs the edges of a function by what ran, if the dump has a function of that
   name, file and graph. plan has been weighed by the rules, which still decide
   between edges that ran equally often. Returns 1 if it was found. */
int cc_trained_weigh(const cc_trained *t, const char *name, const char *file, struct edgeplan *plan);
void cc_trained_free(cc_trained *t);
#endif
