/* input.h - all that dumps can say, added up: what both `bursty report` and `bursty merge` start from. */
#ifndef INPUT_H
#define INPUT_H
#include "kinds/contexts.h"
#include "kinds/footprints.h"
#include "kinds/sampled.h"
#include "kinds/streams.h"

typedef struct input {                            /* all zero: empty */
    tally sampled;
    contexts contexts;
    footprints footprints;
    streams streams;
    text others;                                  /* parts of unknown kinds, as they are */
} input;

/* Adds the parts of a file. 0, or -1 with *fault filled: then the input is only fit to be freed. */
int  input_read(input *in, const dump *d, dump_fault *fault);
/* The same for a file named on the command line. Returns a TOOL_ status, after a message. */
int  input_open(input *in, const char *path);
/* Adds up: call it after the last input_read. */
void input_settle(input *in);
/* Writes what has been settled, as one dump. */
void input_write(input *in, text *out);
void input_free(input *in);
#endif
