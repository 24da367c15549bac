/* test_edgeprof_mark_threads.c - threads that set bits of one byte lose no
   mark. TSan clean. */
#define EDGEPROF_ATOMIC
#define EDGEPROF_COVER 1
#include "edgeprof_threads.inc"
