/* sampled.c - the writer of ticks, which the recorder has, too, with room for more
   paths. */
#define SAMPLED_PATHS_BITS 15
#include "record/inside/core/sampled.c"
