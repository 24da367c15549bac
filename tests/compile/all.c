/* all.c - all headers in one translation unit, implementations too, each pulled
   in twice; also compiled as C++ (all.cc). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1     /* binpatch.h wants it before the first include */
#endif
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"
#include "hotstream.h"
#include "edgeprof.h"
#include "binpatch.h"
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#define FOOTPRINT_IMPLEMENTATION
#define HOTSTREAM_IMPLEMENTATION
#define EDGEPROF_IMPLEMENTATION
#define BINPATCH_IMPLEMENTATION
#include "binpatch.h"
#include "edgeprof.h"
#include "hotstream.h"
#include "footprint.h"
#include "hcct.h"
#include "bursty.h"
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"
#include "hotstream.h"
#include "edgeprof.h"
#include "binpatch.h"
