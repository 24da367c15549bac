/* headers.c - the implementations of the headers that the tool uses, compiled once. */
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#define EDGEPLAN_IMPLEMENTATION
#include "edgeplan.h"
#define EDGEPROF_IMPLEMENTATION
#define EDGEPROF_WIDE
#include "edgeprof.h"
#define EDGETRACE_IMPLEMENTATION
#include "edgetrace.h"
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
