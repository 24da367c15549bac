/* bare.c - without libc, as firmware compiles it: no include but a compiler's own may be needed. */
#define BURSTY_NO_TLS
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#define FOOTPRINT_IMPLEMENTATION
#define INTERLEAVE_IMPLEMENTATION
#define HOTSTREAM_IMPLEMENTATION
#define EDGEPROF_IMPLEMENTATION
#define EDGEPLAN_IMPLEMENTATION
#define EDGETRACE_IMPLEMENTATION
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"
#include "interleave.h"
#include "hotstream.h"
#include "edgeprof.h"
#include "edgeplan.h"
#include "edgetrace.h"
