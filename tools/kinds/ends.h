/* ends.h - recordings whose end is missing (parts of kind 7). */
#ifndef KINDS_ENDS_H
#define KINDS_ENDS_H
#include "base/kind.h"

/* By a signal; without the C library's exit; or the end is there, but threads
   that may be cancelled at any instruction were not sampled. */
enum { END_KILLED = 1, END_LEFT = 2, END_QUIET = 3 };

typedef struct missing_end {
    char *program;
    uint32_t why;
    uint64_t missing_ms;                          /* from what is there to the end; CPU time */
    uint64_t of_ms;                               /* END_QUIET: the CPU time of the process */
} missing_end;

typedef struct missing_ends {
    missing_end *at;
    size_t count;
} missing_ends;

extern const part_kind kind_ends;

/* Writes a part. */
void ends_write(const missing_end *end, text *out);
#endif
