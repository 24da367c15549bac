/* chosen.h - which files, lines and branches of a program coverage speaks of:
   those that --filter and --exclude leave, that a diff has changed, and that no
   marker of the source leaves out.

   Markers are those of lcov and gcovr, in a comment of the source:
   LCOV_EXCL_LINE leaves its line out; LCOV_EXCL_START and LCOV_EXCL_STOP leave
   out the lines from the first up to the second, which stays;
   LCOV_EXCL_BR_LINE, _BR_START and _BR_STOP leave out branches and decisions
   alone. GCOV_ and GCOVR_ are the same words. Sources are read through the door
   of base/source.h. */
#ifndef MODEL_CHOSEN_H
#define MODEL_CHOSEN_H
#include "base/hash.h"
#include "base/source.h"
#include <stddef.h>

typedef struct chosen_range {
    uint32_t first, last;
} chosen_range;

/* What is known of one source. */
typedef struct chosen_source {
    char *name;
    const char *fault;          /* why it was not read, or NULL */
    uint64_t hash;              /* of its bytes, if it was read */
    uint8_t *marks;             /* of each line, from 1 on */
    uint32_t lines;
    uint32_t open_at;           /* a START without a STOP stands there; 0: none does */
    struct chosen_change *change; /* NULL: the diff does not have it */
} chosen_source;

/* A file of a diff. */
typedef struct chosen_change {
    char *name;
    chosen_range *added;        /* in order */
    size_t count;
    int is_found;               /* a file of the program is it (match.h) */
    const char *may_be;         /* if not, a file of the program that may be it; or NULL */
    int has_code;               /* there is code on lines that it has added */
} chosen_change;

typedef struct chosen_match {
    const char *file;           /* of the program */
    chosen_change *change;      /* its own, or NULL */
} chosen_match;

typedef struct chosen {
    const char **filter, **exclude; /* ended by NULL; NULL: none */
    const char *diff;               /* NULL: there is none */
    chosen_change *changes;
    size_t change_count;
    chosen_match *matched;          /* all files of the program, by name */
    size_t matched_count;
    sources door;
    chosen_source *sources;
    size_t source_count;
    hash_table by_name;
    const struct sourced_all *compiled; /* hashes of what was compiled; NULL: nobody knows */
} chosen;

/* All zero but for filter and exclude. root: the folder of sources, or NULL.
   Returns a TOOL_ status, after a message. */
int  chosen_begin(chosen *c, const char *root);
/* Reads a unified diff ("-": standard input). Returns a TOOL_ status, after a
   message. */
int  chosen_read_diff(chosen *c, const char *path);
void chosen_end(chosen *c);

/* Is the file wanted at all? c may be NULL, here and below: then everything
   is. */
int  chosen_file(const chosen *c, const char *name);
/* Do --filter and --exclude let the name through? */
int  chosen_name(const chosen *c, const char *name);
/* What is known of a source; it is read when it is first asked for. The pointer
   holds until the next call. NULL: c is. */
const chosen_source *chosen_open(chosen *c, const char *name);
/* Was the object of that key made of another text of its file than another
   object, which was made of the text that is there now? Then it is of an older
   build, and nothing of it is told. */
int  chosen_is_older(chosen *c, uint64_t key, const char *file);
/* Was no object made of the text that is there? It was changed since. */
int  chosen_is_changed(chosen *c, const char *file);
/* source may be NULL. */
int  chosen_line(const chosen *c, const chosen_source *source, uint32_t line);
/* Is a marker the reason why a line is not? */
int  chosen_is_marked(const chosen_source *source, uint32_t line);
int  chosen_branch(const chosen *c, const chosen_source *source, uint32_t line);
#endif
