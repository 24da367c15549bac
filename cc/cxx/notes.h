/* notes.h - what gcc says of a program that counts for gcov (-ftest-coverage,
   x.gcno), as tables of a dump. Of versions 11 to 14. */
#ifndef CC_NOTES_H
#define CC_NOTES_H
#include "base/dump.h"
#include <stdint.h>

/* What the caller knows of files and functions. */
typedef struct cc_notes_files {
    /* The name that a report gives the file, to be freed; NULL: nobody wants to
       hear of it, as of a header of the system. */
    char *(*name)(void *user, const char *file);
    /* The hash of its bytes (kinds/sources.h). Returns 0, or -1: it is not
       here. */
    int (*hash)(void *user, const char *file, uint64_t *hash);
    void *user;
    /* The name that a report gives the function, to be freed; NULL: nobody wants
       to hear of it. */
    char *(*function)(void *choice, const char *name);
    void *choice;
} cc_notes_files;

/* A hash of all that the notes say, but not of when they were made. Returns 0,
   or -1 with *fault filled. */
int cc_notes_hash(const unsigned char *data, size_t size, uint64_t *hash, dump_fault *fault);

/* Do they name no function? Then the object has no counters. */
int cc_notes_are_empty(const unsigned char *data, size_t size);

/* Adds parts with the tables of all functions to out. unit: what the program's
   counters are known by (cc/inside/arcs.c). Returns 0, or -1 with *fault
   filled; then out is as it was. Time and memory are bounded by the size of the
   notes. */
int cc_notes_read(const unsigned char *data, size_t size, const char *unit,
                  const cc_notes_files *files, text *out, dump_fault *fault);
#endif
