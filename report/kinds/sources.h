/* sources.h - parts of kind 12: of each source that `bursty cc --cover` has
   compiled the hash of its bytes, under the key of its counts. So a report can
   say that a source was changed since, and tell the tables of an older text
   from those of the present one. */
#ifndef KINDS_SOURCES_H
#define KINDS_SOURCES_H
#include "base/kind.h"

enum { SOURCED_KIND = 12, SOURCED_VERSION = 1 };

typedef struct sourced {
    uint64_t key, hash; /* the hash is FNV-1a of 64 bits */
    char *file;
} sourced;

typedef struct sourced_all { /* all zero: empty */
    sourced *list;           /* by file, key and hash, each once, when it is settled */
    size_t count, room;
} sourced_all;

/* Writes one record, behind the version. */
void sourced_put(dump_writer *w, const sourced *s);
/* Is anything known of the file? all may be NULL, here and below. */
int sourced_knows(const sourced_all *all, const char *file);
/* Was any object made of the file with that hash? */
int sourced_has(const sourced_all *all, const char *file, uint64_t hash);
/* Was the object of that key compiled from another version of the file? 0 if nothing is
   known of that object. */
int sourced_differs(const sourced_all *all, uint64_t key, const char *file, uint64_t hash);

extern const part_kind kind_sources; /* its state is a sourced_all */
#endif
