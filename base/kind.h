/* kind.h - one kind of part of a .brst file, as the rest of the tool sees it.

   Each report/kinds/NAME.c defines one `const part_kind kind_NAME`; the Makefile
   finds it there. The functions work on a state of the kind's own, which starts
   as zero bytes and holds what all parts of that kind in all files say. */
#ifndef KIND_H
#define KIND_H
#include "base/dump.h"

typedef struct part_kind {
    uint32_t number;                              /* in the header of a part */
    const char *name;
    size_t state_bytes;
    /* Adds what a part says. Returns 0, or -1 with *fault filled: then the
       state is only fit to be freed. */
    int  (*read)(void *state, const dump *d, const dump_part *part, dump_fault *fault);
    /* Adds up equals and brings everything into a fixed order. Called once,
       after the last read. */
    void (*settle)(void *state);
    /* Writes what has been settled, as one part or several. */
    void (*write)(void *state, text *out);
    void (*free)(void *state);
    /* Is the dump of that name one more of samples that are in the state? Says so
       then. NULL for kinds that do not know. */
    int  (*repeats)(const void *state, const dump *d, const char *path);
} part_kind;

/* The kind of that number; NULL if this tool does not know it. */
const part_kind *kind_of(uint32_t number);
/* The kind with the next larger number; NULL after the last. kind_after(0) is
   the first. */
const part_kind *kind_after(uint32_t number);

extern const part_kind *const kind_list[];        /* ended by NULL, in no order */
#endif
