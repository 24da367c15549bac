/* driver.h - one run of a compiler with rewriting in between. */
#ifndef CC_DRIVER_H
#define CC_DRIVER_H
#include "cc/put/rewrite.h"
#include "cc/run/runtime.h"

/* Counters of 64 bits where pointers have them, so that none ever wraps; else of
   32. */
enum { CC_COVER_WORD = -1 };

typedef struct cc_driver {
    cc_choice choice;
    cc_naming naming;
    const char *plan, *list;  /* files, or NULL */
    uint64_t options;         /* hash of the options of bursty cc */
    int side, no_runtime;
    int cover, atomic, mcdc;  /* as in cc_request, or CC_COVER_WORD */
    int trace;                /* witnesses of the path; cover is 64 then */
    int late;                 /* checks of C: 1 by the plugin, -1 in source, 0 as it fits */
    int verbose;              /* says on standard error how each file gets its checks */
    int no_exits;             /* calls that may not return are not marked */
} cc_driver;

/* words: the compiler and its arguments. Returns the status to end with. */
int cc_drive(cc_driver *d, int count, char **words);
#endif
