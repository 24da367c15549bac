/* footprints.h - the profiles of parts of kind 3 (footprint.h), added up over
   parts and files.

   A part's table may have 496 x 496 cells in 3 kB of file. So only cells that
   are not 0 are kept, and a table is laid out for one profile at a time: memory
   is at most 40 bytes for each byte of file, and 2 MB. */
#ifndef KINDS_FOOTPRINTS_H
#define KINDS_FOOTPRINTS_H
#include "footprint.h"
#include "base/kind.h"

typedef struct footprints_cell {
    uint32_t column, row;
    uint64_t windows;
} footprints_cell;

/* What a group of bursts has. Zeros at the ends are left out. */
typedef struct footprints_group {
    uint32_t depths, cuts, columns;
    uint64_t *depth, *cut;
    footprint_total *total;
} footprints_group;

typedef struct footprints_part {
    footprint_profile profile;           /* its tables are NULL; rows and columns are set */
    char *name;                          /* as it stands in the part; it may hold any byte */
    size_t name_size, order;             /* order: of the first part of this sum */
    footprints_cell *cells;              /* by column, then by row; windows is never 0 */
    size_t cell_count;
    uint64_t *depth;                     /* [rows] */
    footprint_total *total;              /* [columns] */
    int version;                         /* 1: of an older version, without what follows */
    uint64_t *reuse;                     /* [reuses], or NULL: not known */
    uint32_t reuses;
    footprints_group *groups;            /* [profile.groups] */
} footprints_part;

typedef struct footprints {              /* all zero: empty */
    footprints_part *parts;
    size_t count;
} footprints;

/* Settling adds up profiles of one name that count the same: blocks of one
   size, sampled alike, with one c, in one version. */
extern const part_kind kind_footprints;           /* its state is a footprints */

/* Lays the tables of a part out in memory of tool_alloc. Free *memory. */
footprint_profile footprints_lay_out(const footprints_part *part, void **memory);
#endif
