/* layout.h - what orders of fields, blocks and functions could gain (parts of
   kind 15): sums over windows of references, by group. record/core/layout.h
   explains them. */
#ifndef KINDS_LAYOUT_H
#define KINDS_LAYOUT_H
#include "base/kind.h"

enum { LAID_WHOLE = 1, LAID_GROUPS = 16, LAID_WORDS = 64, LAID_LINE = 64 };

typedef struct laid_visit {
    uint32_t phase;                               /* words that its line has before the block */
    uint64_t mask;                                /* words of it that a window used */
    uint64_t count[LAID_GROUPS];
} laid_visit;

typedef struct laid_object {
    char *name;
    uint64_t bytes;                               /* of its blocks; 0: they differ, or are large */
    uint32_t is_block;                            /* of the heap */
    uint64_t blocks[LAID_GROUPS], lines[LAID_GROUPS], packed[LAID_GROUPS];
    laid_visit *visits;                           /* by phase, then by mask */
    size_t visit_count, visit_room;
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
