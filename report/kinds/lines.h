/* lines.h - time by source line (parts of kind 18), added up over threads,
   files and runs. */
#ifndef KINDS_LINES_H
#define KINDS_LINES_H
#include "base/kind.h"

typedef struct timed_line {
    char *function;                               /* that the linker knows */
    char *file; /* or a file, a tab and an address in it; "": not known */
    uint32_t line;                                /* 0: not known */
    char *inlined; /* functions inlined there, the innermost first, tabs between; "": none */
    uint64_t ticks, squares;
} timed_line;

typedef struct timed_lines {
    char *program;
    uint64_t tick_us;
    uint64_t lost, lost_squares;                  /* ticks that are in no row */
    timed_line *rows;                             /* by function, file, line, inlined */
    size_t count, room;
} timed_lines;

typedef struct timed_lines_parts {
    timed_lines *parts;
    size_t count;
} timed_lines_parts;

/* Rows of one key become one. */
void lines_fold(timed_lines *p);
/* Writes what has been read or settled, as one part. */
void lines_part_write(const timed_lines *p, text *out);

extern const part_kind kind_lines;                /* its state is timed_lines_parts */
#endif
