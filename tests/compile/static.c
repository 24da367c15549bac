/* static.c - NAME_STATIC: linked twice over with itself, nothing clashes and
   nothing of ours is visible outside. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1     /* binpatch.h wants it before the first include */
#endif
#define BURSTY_STATIC
#define HCCT_STATIC
#define FOOTPRINT_STATIC
#define HOTSTREAM_STATIC
#define EDGEPROF_STATIC
#define BINPATCH_STATIC
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#define FOOTPRINT_IMPLEMENTATION
#define HOTSTREAM_IMPLEMENTATION
#define EDGEPROF_IMPLEMENTATION
#define BINPATCH_IMPLEMENTATION
#include "bursty.h"
#include "hcct.h"
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
