/* all.c - all headers in one translation unit, implementations too, each pulled in twice; also compiled as C++ (all.cc). */
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"
#include "hotstream.h"
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#define FOOTPRINT_IMPLEMENTATION
#define HOTSTREAM_IMPLEMENTATION
#include "footprint.h"
#include "hotstream.h"
#include "hcct.h"
#include "bursty.h"
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"
#include "hotstream.h"
