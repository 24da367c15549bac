/* bare.c - without libc, as firmware compiles it: no include but a compiler's
   own may be needed. */
#define BURSTY_NO_TLS
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
