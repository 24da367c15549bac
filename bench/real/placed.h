/* placed.h - what place.py's copies include. With BENCH_SCOPES every function entry is a scope
   instead of a point. */
#include "keepregs.h"
#include "bursty.h"
#include "dualpath.h"
#ifdef BENCH_SCOPES
#undef BURST_ENTRY
#define BURST_ENTRY() BURST_SCOPE(__func__)
#endif
