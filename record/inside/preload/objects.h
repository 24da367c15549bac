/* objects.h - what data an address belongs to: a symbol or a section of a file
   that is mapped, a block of the heap by where it was allocated, the stack. */
#ifndef OBJECTS_H
#define OBJECTS_H
#include <stdint.h>

/* Reads the symbols of all modules, and gets memory for blocks of the heap.
   Early, while one thread runs. */
void objects_start(void);
/* The number of the object at an address. A thread's stack is given. */
uint64_t objects_find(uint64_t address, uint64_t stack_low, uint64_t stack_end);
/* The same, and what memory it has; of a block of the heap also its life: no two
   allocations have the same. All 0: not known. */
typedef struct objects_span { uint64_t low, bytes, life; } objects_span;
uint64_t objects_find_span(uint64_t address, uint64_t stack_low, uint64_t stack_end,
                           objects_span *out);
/* Counts up with each allocation. As long as it stays, a span that was found
   stays right. */
uint64_t objects_lives(void);
/* Whether it is the stack, or a block of the heap. */
int objects_is_stack(uint64_t object);
int objects_is_block(uint64_t object);
/* Whether it is neither of them and has no name. */
int objects_is_other(uint64_t object);
/* NULL: it has no name. The text stays until the next call. name: of a key. */
const char *objects_name(uint64_t object, const char *(*name)(void *user, uint32_t key));
/* Blocks that found no place in the table. */
uint64_t objects_lost(void);
/* In a child that is not recorded: nothing of the heap is followed any more. */
void objects_end(void);
/* Nothing is recorded at all, so that the program has the memory instead. One
   thread runs. */
void objects_free(void);

/* For record/inside/heap/hooks.c, in another library: a block was allocated, by a call
   that returns to `back`, with these registers behind it; a block is about to
   be freed; one that was told to be freed is in use still. */
void bursty_allocated(const void *block, uint64_t bytes, const void *back, const void *stack,
                      const void *frame);
void bursty_freed(const void *block);
void bursty_kept(const void *block);
#endif
