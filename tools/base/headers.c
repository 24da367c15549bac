/* headers.c - the implementations of the headers that the tool uses, compiled once. */
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#define INTERLEAVE_IMPLEMENTATION
#include "interleave.h"
