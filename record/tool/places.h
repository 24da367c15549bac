/* places.h - instructions in a recording get file and line. */
#ifndef RECORD_TOOL_PLACES_H
#define RECORD_TOOL_PLACES_H
#include "base/named.h"
#include "base/text.h"

/* What there is to say about the names of a recording. */
typedef struct places_facts {
    named_facts of;
    uint64_t ticks, unnamed;        /* of unnamed functions: in the module that has most of them */
    char module[128];
} places_facts;

/* The same dump, with the names of functions where the recorder wrote places in
   code, and with FILE:LINE of those in an ELF file of this machine. program: a
   file that is the program, in case that its name is gone; or NULL. facts may be
   NULL. Returns 0, or -1: it is no whole dump. */
int places_name(const unsigned char *data, size_t size, const char *program, places_facts *facts,
                text *out);
/* The same for who reads a dump, if it has a part with modules: else -1. For
   dump_name_places. */
int places_of_dump(const unsigned char *data, size_t size, text *out);
#endif
