/* footprints.h - the profiles of parts of kind 3 (footprint.h), added up over parts, files, threads and machines. */
#ifndef FOOTPRINTS_H
#define FOOTPRINTS_H
#include "footprint.h"
#include "base/dump.h"

typedef struct footprints_part { footprint_profile profile; char *name; void *memory; } footprints_part;
typedef struct footprints { footprints_part *parts; size_t count; } footprints;      /* all zero: empty */

/* Adds a part of kind 3. 0, or -1 with *fault filled: then f is only fit to be freed. */
int  footprints_read(footprints *f, const dump *d, const dump_part *part, dump_fault *fault);
/* Adds up profiles of one name that count the same: blocks of one size, sampled alike, with one c. */
void footprints_settle(footprints *f);
void footprints_write(const footprints *f, text *out);
void footprints_free(footprints *f);
#endif
