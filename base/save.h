/* save.h - where output goes: a file or standard output, opened when the first
   bytes come, never over an input. A file is replaced when all is written, or
   stays as it was. */
#ifndef SAVE_H
#define SAVE_H
#include "base/text.h"
#include <stdio.h>

typedef struct save {
    const char *path;                             /* NULL or "-": standard output */
    FILE *file;
    int status;                                   /* TOOL_OK, or what went wrong */
    char *target, *beside; /* the file to replace, the one that is written; NULL: directly */
    int stays;             /* the target gets new contents, and is not replaced */
} save;

/* Opens path. Refuses one of the inputs, and unless a dump is written, a file
   that begins as a dump does. An input that is NULL or "-" is no file. Returns
   a TOOL_ status, after a message. */
int  save_open(save *s, const char *path, const char *const *inputs, int input_count, int is_dump);
/* For a command with two outputs, before its work begins: refuses a path that
   is an input, and one path for both. dump_path may be NULL: no dump. Returns a
   TOOL_ status, after a message. */
int  save_check(const char *text_path, const char *dump_path, const char *const *inputs,
                int input_count);
/* Whether both paths mean one regular file. */
int  save_is_same(const char *a, const char *b);
/* Refuses a path that holds something else than a dump: it would be
   overwritten. Returns a TOOL_ status, after a message. */
int  save_check_dump(const char *path);
/* Writes what is in t and empties it, if it is much; after a fault it is only
   emptied. Long forms call it now and then, so that they need little memory. s
   may be NULL: then t is left as it is. */
void save_some(save *s, text *t);
/* Leaves what was there as it is, in the place of save_close. */
void save_drop(save *s);
/* Writes the rest and closes. Returns a TOOL_ status, after a message. */
int  save_close(save *s, text *t);
/* save_open, all of a text, and save_close. Returns a TOOL_ status, after a
   message. */
int  text_save(text *t, const char *path, const char *const *inputs, int input_count, int is_dump);
#endif
