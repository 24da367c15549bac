/* looks.h - the looks of a watcher: how many, and what they are worth. */
#ifndef MODEL_LOOKS_H
#define MODEL_LOOKS_H
#include "report/kinds/sampled.h"

/* A watcher looks at all threads at one moment. Threads in lockstep are then
   seen in the same scope, and m such looks are worth one. Returns how many looks are
   worth one independent look, over all scopes: at least 1, and 1 if there was no look.
   docs/ticks.md has the formula. */
double looks_lockstep(const tally *s);
#endif
