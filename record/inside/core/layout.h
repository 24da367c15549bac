/* layout.h - what an order of fields, of blocks and of functions could gain.
   Written as .brst parts of kind 15; docs/hotstream.md and docs/formats.md.

   References are cut into *windows* of 512 different lines of data, what a cache
   of 32 KiB holds: within a window a line is fetched once. A window that a burst's
   end cuts off is dropped, for all that it touched may be in the cache: so short
   bursts say nothing, and neither do programs whose data fits.

   At a window's end it is known which lines were used, and which words (8 bytes)
   of which blocks. So two questions are asked of each kind of block that has a
   part in it. How many lines would the window have taken

       sites    if the blocks of one allocation site lay side by side
       fields   if those of one site and size (at most 512 bytes) had the words
                that earlier windows used most in front?

       block of 136 bytes   | next ...... value ...... name last |
       in that order        | value name next last ............. |

   All else stays where it is: what lies between two blocks on one line shares
   it, in both counts.

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
enum { LAYOUT_LINES = 512, LAYOUT_PLACES = 1024, LAYOUT_OBJECTS = 1 << 10 };
enum { LAYOUT_SETS = 64, LAYOUT_WAYS = 8, LAYOUT_TABLE = 1 << 12, LAYOUT_LEAST = 16 };
enum { LAYOUT_WHOLE = 1 };      /* a flag: every access was seen */

/* A site, or a site with a size. */
typedef struct layout_object {
    uint64_t object, bytes;     /* bytes: of its blocks; 0: of all sizes */
    uint32_t is_used, is_block, is_known;       /* is_known: uses are of some window */
    uint64_t now_bytes;         /* of this window: of its blocks, with what malloc adds */
    uint32_t now_lines, now_blocks, next;   /* next: of this window, 1 + object; last: itself */
    uint64_t blocks[LAYOUT_GROUPS], lines[LAYOUT_GROUPS];
    uint64_t was[LAYOUT_GROUPS], then[LAYOUT_GROUPS];   /* lines of windows that were judged */
    uint64_t uses[LAYOUT_WORDS];    /* blocks of windows of which a word was used */
} layout_object;

/* A line of one window. `window` says which one, so that nothing has to be emptied. */
typedef struct layout_line { uint64_t line, window; } layout_line;
typedef struct layout_block {
    uint64_t low, bytes, window, mask;
    uint32_t object, next;
} layout_block;
/* A line of this window, and whose: of a block the site and the size. */
typedef struct layout_place { uint64_t line; uint32_t site, sized; } layout_place;

typedef struct layout {
    uint32_t flags, group, object_count, place_count;
    uint64_t window, windows[LAYOUT_GROUPS], lines[LAYOUT_GROUPS], lost;
    uint32_t now_lines, first_object, first_block, block_count;
    layout_line line[LAYOUT_TABLE];
    layout_line scratch[LAYOUT_TABLE];
    uint64_t asked;             /* the window of scratch */
    layout_block block[LAYOUT_TABLE];
    layout_place place[LAYOUT_PLACES];
    layout_object objects[LAYOUT_OBJECTS];
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
