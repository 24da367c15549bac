/* headers.c - the implementations of the headers that the tool uses. They stand here once. */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#define INTERLEAVE_IMPLEMENTATION
#include "interleave.h"
