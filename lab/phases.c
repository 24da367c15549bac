/* phases.c - the recorder's slices of a run, for misses.c: the writer of parts
   stands in both. */
#include "record/inside/core/phases.c"
