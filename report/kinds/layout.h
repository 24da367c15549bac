/* layout.h - what orders of fields, blocks and functions could gain (parts of
   kind 15): sums over windows of references, by group. record/inside/core/layout.h
   explains them. */
#ifndef KINDS_LAYOUT_H
#define KINDS_LAYOUT_H
#include "base/kind.h"

enum { LAID_WHOLE = 1, LAID_GROUPS = 16, LAID_WORDS = 64 };

/* The blocks of an allocation site, all of them or those of one size; or other
   data, as a symbol. */
typedef struct laid_object {
    char *name;
    uint64_t bytes;                               /* of its blocks; 0: of all sizes */
    uint32_t is_block;                            /* of the heap */
    uint64_t blocks[LAID_GROUPS], lines[LAID_GROUPS];
    uint64_t was[LAID_GROUPS], then[LAID_GROUPS]; /* lines of judged windows, by another order */
    uint64_t uses[LAID_WORDS];                    /* blocks of windows of which a word was used */
} laid_object;

typedef struct laid_part {
    char *program;
    uint32_t flags;
    uint64_t lost, windows[LAID_GROUPS], lines[LAID_GROUPS];
    uint64_t code[LAID_GROUPS], placed[LAID_GROUPS], other[LAID_GROUPS];
    laid_object *objects;                         /* by name, then by bytes */
    size_t object_count, object_room;
} laid_part;

typedef struct laid_parts {
    laid_part *parts;
    size_t count;
} laid_parts;

extern const part_kind kind_layout;               /* its state is laid_parts */
#endif
