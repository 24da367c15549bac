/* test_edgeprof_own_threads.c - threads with counters of their own add up when
   they join. TSan clean. */
#define EDGEPROF_THREAD __thread
#include "edgeprof_threads.inc"
