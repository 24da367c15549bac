/* named.h - what the places in a dump are called (record/places_format.h): for a part
   with modules, files are opened when something in them is asked for, and only
   those that are what ran: by build id, or else by size and time.

   What has no name is called by its module and address, "libx.so+0x12a0". */
#ifndef NAMED_H
#define NAMED_H
#include "base/dump.h"

typedef struct named named;

/* What there is to say about names that are missing. */
typedef struct named_facts {
    char replaced[128];             /* a file that was replaced or removed; "": none */
    int without_map;                /* code was made at run time, and nothing names it, */
    unsigned long process;          /* by this process */
    uint64_t functions, unnamed;    /* places in the program; those of them without a name */
    char program[128];
} named_facts;

/* Reads a part of modules. program: a file that is the program, in case that its
   name is gone, or NULL. Returns NULL: the part is damaged. */
named *named_open(const dump *d, const dump_part *part, const char *program);
/* To be put into a dump before its parts are read. */
const dump_names *named_names(const named *n);
const named_facts *named_say(const named *n);
/* The next module of which something was asked whose file was replaced or
   removed, or NULL. *at: 0 at first. */
const char *named_lost(const named *n, size_t *at);
void named_free(named *n);
#endif
