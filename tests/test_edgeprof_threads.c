/* test_edgeprof_threads.c - threads that share atomic counters lose no count.
   TSan clean. */
#define EDGEPROF_ATOMIC
#include "edgeprof_threads.inc"
