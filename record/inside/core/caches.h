/* caches.h - which caches of a few sizes would have an access? Each is filled
   with whole blocks and keeps those used last (LRU, fully associative).

   One list holds for all sizes, since a larger cache has all that a smaller
   one has. The most recent block stands first, and a mark stands at the last
   block that each size still holds:

       depth     1   2   3 ... 768        769 ... 32768       32769 ...
       zone      0   0   0     0          1       1           2
                               ^ mark 0           ^ mark 1

   A block's zone says how many sizes no longer hold it. An access moves its
   block to the front. What stood before it is one deeper then, so each mark
   above it moves one block towards the front, and the block that it leaves
   changes its zone. Blocks behind the last mark are forgotten.

   Cost: a look into a table of hashes, and a step for each size that misses. */
#ifndef CACHES_H
#define CACHES_H
#include <stddef.h>
#include <stdint.h>

enum { CACHES_SIZES = 4, CACHES_BLOCK_LOG2 = 6 };

typedef struct caches_node {
    uint64_t block;
    uint32_t newer, older;      /* neighbours in the list; 0: none */
    uint32_t chained;           /* the next one of this hash */
    uint32_t zone;
} caches_node;

typedef struct caches {
    uint32_t count, used;       /* sizes; blocks in the list */
    uint32_t blocks[CACHES_SIZES], mark[CACHES_SIZES];
    uint32_t first, last, hash_log2;
    uint32_t *heads;            /* by hash: a node, or 0 */
    caches_node *nodes;         /* from 1 on, one for each block of the largest size */
} caches;

/* What caches_access says of a block that is not in the list. */
enum { CACHES_FIRST = 0x100 };

/* bytes: of each size, from the smallest up, each larger than the one before;
   at most CACHES_SIZES. Returns how much memory caches_init wants; 0: sizes
   that cannot be. */
size_t caches_bytes(const uint64_t *bytes, uint32_t count);
/* memory: zero bytes. */
void caches_init(caches *c, void *memory, const uint64_t *bytes, uint32_t count);
/* An access to a block (address >> CACHES_BLOCK_LOG2). Returns at how many sizes
   it certainly misses; those are the smallest. With CACHES_FIRST, larger sizes
   may miss or not: the block was not seen since the list was emptied, and too
   few others were. */
uint32_t caches_access(caches *c, uint64_t block);
/* Nothing is known any more. The cost is linear in the blocks that were. */
void caches_empty(caches *c);
#endif
