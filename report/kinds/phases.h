/* phases.h - slices of runs, with the functions that miss in them (parts of kind
   16). */
#ifndef KINDS_PHASES_H
#define KINDS_PHASES_H
#include "base/kind.h"

enum { SLICES_MOST = 64 };

typedef struct sliced_function { char *name; uint64_t misses; } sliced_function;

typedef struct sliced {
    uint64_t accesses, misses;                    /* misses: of functions without a row, too */
    sliced_function *of;
    size_t count;
} sliced;

typedef struct sliced_part {
    char *program;
    uint64_t accesses;                            /* of all slices */
    sliced *slices;
    size_t count;
} sliced_part;

typedef struct sliced_parts {
    sliced_part *parts;
    size_t count;
} sliced_parts;

/* Settling keeps one thread of each program, that with the most accesses: slices
   of two threads or runs have no common time. */
extern const part_kind kind_phases;               /* its state is sliced_parts */
#endif
