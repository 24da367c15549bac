/* interleave.h - parts of kind 29: when each thread of a program made how many
   accesses. Each recording has its own, and none are added up. */
#ifndef KINDS_INTERLEAVE_H
#define KINDS_INTERLEAVE_H
#include "base/kind.h"

/* A thread made that many accesses at any times from `from` to `to`; with an
   edge, not further than that from one of the two. */
typedef struct turn { uint64_t from, to, accesses, edge; } turn;

typedef struct turned_thread {
    turn *rows; /* by time */
    size_t count;
    uint64_t accesses;
} turned_thread;

typedef struct turned_part {
    char *program;
    turned_thread *threads;
    size_t count;
} turned_part;

typedef struct turned_parts {
    turned_part *parts;
    size_t count, room;
} turned_parts;

extern const part_kind kind_interleave; /* its state is turned_parts */
#endif
