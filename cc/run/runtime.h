/* runtime.h - what `bursty cc` links into programs: text in the tool, compiled
   by the user's own compiler, kept in a cache. */
#ifndef CC_RUNTIME_H
#define CC_RUNTIME_H
#include "cc/run/arguments.h"
#include <stdint.h>

typedef struct cc_embedded {
    const char *name;
    const char *const *lines; /* ended by NULL */
} cc_embedded;

extern const cc_embedded cc_runtime[];         /* ended by a name that is NULL */

typedef struct cc_naming {
    const char *dump;         /* the name of the dump, or NULL: the program's with .brst */
    unsigned every, burst;    /* rates, or 0 */
    int ticks;                /* time, too */
    int no_tls;               /* the word of checks is one of the program */
    int cover;                /* the runtime of --cover, not that of checks */
    int trace;                /* that of --trace */
    int exits;                /* with exits.c */
    int cxx, notes;           /* with terminate.c, with arcs.c */
} cc_naming;

/* Writes one of the runtime's files, of which the tool has the text, into a
   folder. Returns 0, or a status after a message. */
int cc_write_embedded(const char *folder, const char *name);
/* A hash of the texts that the tool holds. */
uint64_t cc_embedded_hash(void);
/* Adds the runtime's objects to a linker's command. folder: for what is made on
   the way. Returns 0, or a status; the compiler has said why. */
int cc_add_runtime(cc_command *link, const cc_line *line, const cc_naming *naming,
                   const char *folder);
#endif
