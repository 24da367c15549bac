/* layout.h - what an order of fields, of blocks and of functions could gain.
   Written as .brst parts of kind 15; docs/hotstream.md and docs/formats.md.

   References are cut into *windows* of 512 different lines of data, what a cache
   of 32 KiB holds: within a window a line is fetched once. A burst's end ends a
   window, too. For each object a window says how many lines it took, and how
   many would do if its blocks lay side by side. For a block of at most 512
   bytes it says which of its words were used, a bit for each 8 bytes:

       block of 136 bytes at offset 16 of a line   mask
       | next ...... value ...... name last |      1000...10...11

   A mask with its block's place in a line is a *visit*. Who knows all visits can
   tell how many lines any order of the words would take.

   Of code there are two caches of 32 KiB: one with sets of 8 lines, as
   processors have it, and one without sets. What misses in the first alone
   misses because of where functions lie.

   Bursts are dealt out to 16 groups in turn, and all sums are kept by group: so
   that an order can be chosen by some groups and judged by others. */
#ifndef LAYOUT_H
#define LAYOUT_H
#include "caches.h"
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_KIND = 15, LAYOUT_VERSION = 1, LAYOUT_GROUPS = 16, LAYOUT_WORDS = 64 };
enum { LAYOUT_LINES = 512, LAYOUT_OBJECTS = 1 << 10, LAYOUT_VISITS = 1 << 13 };
enum { LAYOUT_SETS = 64, LAYOUT_WAYS = 8, LAYOUT_TABLE = 1 << 11 };
enum { LAYOUT_WHOLE = 1 };      /* a flag: every access was seen */

typedef struct layout_object {
    uint64_t object, bytes;     /* bytes: of its blocks, 0: they differ or are large */
    uint32_t is_used, is_block;
    uint64_t now_bytes;         /* of this window: of its blocks, with what malloc adds */
    uint32_t now_lines, next;   /* next: of this window, 1 + object; last: itself */
    uint64_t blocks[LAYOUT_GROUPS], lines[LAYOUT_GROUPS], packed[LAYOUT_GROUPS];
} layout_object;

typedef struct layout_visit {
    uint32_t object, phase;     /* 1 + object, 0: none; words that its line has before it */
    uint64_t mask;
    uint64_t count[LAYOUT_GROUPS];
} layout_visit;

/* Of one window; `window` says which, so that nothing has to be emptied. */
typedef struct layout_line { uint64_t line, window; } layout_line;
typedef struct layout_block {
    uint64_t low, bytes, window, mask;
    uint32_t object, next;
} layout_block;

typedef struct layout {
    uint32_t flags, group, object_count, visit_count;
    uint64_t window, windows[LAYOUT_GROUPS], lines[LAYOUT_GROUPS], lost;
    uint32_t now_lines, first_object, first_block, block_count;
    layout_line line[LAYOUT_TABLE];
    layout_block block[LAYOUT_TABLE];
    layout_object objects[LAYOUT_OBJECTS];
    layout_visit visits[LAYOUT_VISITS];
    /* Code. */
    uint64_t code_line, set[LAYOUT_SETS][LAYOUT_WAYS];
    uint64_t code[LAYOUT_GROUPS], placed[LAYOUT_GROUPS], other[LAYOUT_GROUPS];
    caches list;
} layout;

size_t layout_bytes(void);
/* memory: zero bytes, which the answer stands in. */
layout *layout_init(void *memory, uint32_t flags);
/* An access of the instruction at `pc`. object 0: nobody knows what it is to;
   low, size: of the symbol, or of the block of the heap. */
void layout_access(layout *l, uint64_t pc, uint64_t address, uint64_t bytes, uint64_t object,
                   int is_block, uint64_t low, uint64_t size);
void layout_burst(layout *l);
/* Writes a part, of whole windows. name: of an object. Returns 0, or -1. */
int layout_write(const layout *l, const char *program,
                 const char *(*name)(void *user, uint64_t object), void *name_user,
                 int (*write)(void *user, const void *data, size_t size), void *user);
#endif
