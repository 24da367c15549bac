/* save.h - where output goes: a file or standard output, opened when the first bytes come, never
   over an input. */
#ifndef SAVE_H
#define SAVE_H
#include "base/text.h"
#include <stdio.h>

typedef struct save {
    const char *path;                             /* NULL or "-": standard output */
    FILE *file;
    int status;                                   /* TOOL_OK, or what went wrong */
} save;

/* Opens path. Refuses one of the inputs, and unless a dump is written, a file that begins as a dump
   does. Returns a TOOL_ status, after a message. */
int  save_open(save *s, const char *path, char *const *inputs, int input_count, int is_dump);
/* Writes what is in t and empties it, if it is much; after a fault it is only emptied. Long forms
   call it now and then, so that they need little memory. s may be NULL: then t is left as it is. */
void save_some(save *s, text *t);
/* Writes the rest and closes. Returns a TOOL_ status, after a message. */
int  save_close(save *s, text *t);
/* All of a text to a path that is no input. Returns a TOOL_ status, after a message. */
int  text_save(text *t, const char *path);
#endif
