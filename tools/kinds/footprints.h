/* footprints.h - the profiles of parts of kind 3 (footprint.h), added up over parts, files, threads and machines. */
#ifndef FOOTPRINTS_H
#define FOOTPRINTS_H
#include "footprint.h"
#include "base/kind.h"

typedef struct footprints_part { footprint_profile profile; char *name; void *memory; } footprints_part;
typedef struct footprints { footprints_part *parts; size_t count; } footprints;      /* all zero: empty */

/* Settling adds up profiles of one name that count the same: blocks of one size, sampled alike, with one c. */
extern const part_kind kind_footprints;           /* its state is a footprints */
#endif
