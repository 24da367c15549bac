/* header.c - the implementation, for the programs of this folder. */
#define BINPATCH_IMPLEMENTATION
#include "binpatch.h"
