/* contexts.h - sums over bursts of a tree of calling contexts, for patch.c: those
   that hcct.h keeps of the calls of bursty.h. docs/formats.md says what a reader
   makes of them. */
#ifndef CONTEXTS_H
#define CONTEXTS_H
#include "hcct.h"
#include "../../../src/context_sums.c"

typedef base_p_sums context_sums;
typedef base_p_contexts contexts;
#define contexts_bytes base_p_contexts_bytes
#define contexts_count base_p_contexts_count
#define contexts_burst base_p_contexts_burst
#define contexts_numbers base_p_contexts_numbers
#endif
