/* unmeasured.h - parts of kind 21: functions that `bursty cc --cover` left
   alone, and whole files of which it left all alone, with the reason. They have
   no counters, so nobody knows what they ran; a report must not pass over
   them. */
#ifndef KINDS_UNMEASURED_H
#define KINDS_UNMEASURED_H
#include "base/kind.h"

enum { UNMEASURED_KIND = 21, UNMEASURED_VERSION = 1 };

typedef struct unmeasured {
    uint64_t key;         /* of the object's counts, as in parts of kind 12 */
    char *file, *name;    /* name "": the whole file */
    char *reason;
    uint32_t *lines;      /* that hold code, in order; the first is the function's own */
    uint32_t line_count;
} unmeasured;

typedef struct unmeasured_all { /* all zero: empty */
    unmeasured *list;           /* by file, name, lines, reason and key, each once, when settled */
    size_t count, room;
} unmeasured_all;

/* Writes one record, behind the version. */
void unmeasured_put(dump_writer *w, const unmeasured *u);

extern const part_kind kind_unmeasured; /* its state is an unmeasured_all */
#endif
