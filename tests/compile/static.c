/* static.c - NAME_STATIC: linked twice over with itself, nothing clashes and nothing of ours is
   visible outside. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1     /* binpatch.h wants it before the first include */
#endif
#define BURSTY_STATIC
#define BURSTCLOCK_STATIC
#define CONTROL_STATIC
#define HOTTEST_STATIC
#define TICKS_STATIC
#define HCCT_STATIC
#define CALLPATHS_STATIC
#define FOOTPRINT_STATIC
#define HOTSTREAM_STATIC
#define EDGEPROF_STATIC
#define BINPATCH_STATIC
#define BURSTY_IMPLEMENTATION
#define BURSTCLOCK_IMPLEMENTATION
#define CONTROL_IMPLEMENTATION
#define HOTTEST_IMPLEMENTATION
#define TICKS_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#define CALLPATHS_IMPLEMENTATION
#define FOOTPRINT_IMPLEMENTATION
#define HOTSTREAM_IMPLEMENTATION
#define EDGEPROF_IMPLEMENTATION
#define BINPATCH_IMPLEMENTATION
#include "keepregs.h"
#include "bursty.h"
#include "bursttiny.h"
#include "burstclock.h"
#include "control.h"
#include "dualpath.h"
#include "hottest.h"
#include "ticks.h"
#include "hcct.h"
#include "callpaths.h"
#include "footprint.h"
#include "hotstream.h"
#include "edgeprof.h"
#include "binpatch.h"

#ifdef STATIC_OTHER
int static_other(void);
int static_other(void) {
    BURST_ENTRY();
    return bursty_start(NULL) != 0;
}
#else
int static_other(void);
int main(void) {
    BURST_ENTRY();
    return bursty_start(NULL) != 0 && static_other() ? 0 : 1;
}
#endif
