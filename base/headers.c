/* headers.c - the implementations of the headers that the tool uses, compiled
   once. */
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#define EDGEPROF_IMPLEMENTATION
#define EDGEPROF_WIDE
#include "edgeprof.h"
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
