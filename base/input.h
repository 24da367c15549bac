/* input.h - all that dumps can say, added up: what both `bursty report` and
   `bursty merge` start from. */
#ifndef INPUT_H
#define INPUT_H
#include "base/kind.h"

typedef struct input_state {
    const part_kind *kind;
    void *state;
} input_state;

typedef struct input {                            /* all zero: empty */
    input_state *states;                          /* of the kinds that occurred, by number */
    size_t state_count;
    size_t programs;                              /* ELF files among what was opened */
    text others;                                  /* parts of unknown kinds, as they are */
    struct input_other { size_t at, size; } *other;   /* where each of them stands */
    size_t other_count;
} input;

/* Adds the parts of a file. 0, or -1 with *fault filled: then the input is only
   fit to be freed. */
int  input_read(input *in, const dump *d, dump_fault *fault);
/* Is the file one more dump of samples that are in the input? Says so then: it
   is not to be read. */
int  input_repeats(const input *in, const dump *d, const char *path);
/* The same as input_read for a file named on the command line. Returns a TOOL_ status, after
   a message. */
int  input_open(input *in, const char *path);
/* The same for a dump in memory, such as a header has written by text_write.
   name: for the message. */
int  input_take(input *in, const char *name, const text *file);
/* Adds up: call it after the last part has been read. */
void input_settle(input *in);
/* Adds up on the way: settles, writes, and reads that, so that only sums are
   kept. More may be read behind it. Of what has been read in which order and
   grouping the sums tell nothing, and so it does not matter where this is
   called. *size: of what was written. Returns a TOOL_ status, after a
   message. */
int  input_fold(input *in, size_t *size);
/* Forgets what the parts of a kind said. */
void input_drop(input *in, const part_kind *kind);
/* Writes what has been settled, as one dump. */
void input_write(input *in, text *out);
void input_free(input *in);
/* What the parts of a kind said; NULL if there was none. */
const void *input_find(const input *in, const part_kind *kind);
#endif
