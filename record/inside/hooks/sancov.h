/* sancov.h - exact counts of code that clang 16 or later has compiled with

       -fsanitize-coverage=trace-pc-guard,no-prune,pc-table,control-flow

   and that is linked with record/inside/hooks/sancov.c, without clang's own run-time
   library. The tables in the objects hold the control flow graph of each
   function. Before main begins, sancov.c plans where counters are needed
   (edgeplan_edges) and switches the guards of all other blocks off. edgeprof.h
   derives the rest: it takes sancov_functions as it takes functions measured by
   hand.

   record/inside/hooks/sancov_file.c does all of this at exit on a machine that has
   files and addr2line. */
#ifndef BURSTY_RECORD_SANCOV_H
#define BURSTY_RECORD_SANCOV_H
#include "edgeprof.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sancov_place {
    const char *function; /* NULL: not known; must stay valid */
    const char *file;
    uint32_t line; /* 0: not known */
} sancov_place;

/* The functions with their counts, for edgeprof_write, edgeprof_write_lcov and
   the others. Call it when none of them is running, as from atexit: an
   activation that still runs, or was left by longjmp or exit, is not counted
   where it ended, and counts of its function may be wrong. place, unless NULL,
   is asked for each function and each block by its address; what it does not
   know stays as it was. A block whose file is not that of its function gets no
   line. *count: how many there are. */
const edgeprof_function *const *sancov_functions(void (*place)(void *user, uintptr_t address,
                                                               sancov_place *at),
                                                 void *user, uint32_t *count);

/* How many functions are left out: SANCOV_BYTES is too little, or their counts
   could not be derived, as where no-prune was forgotten or a loop is a single
   block that never ends. */
uint32_t sancov_lost(void);

#ifdef __cplusplus
}
#endif
#endif
