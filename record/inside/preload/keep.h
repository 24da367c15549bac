/* keep.h - what a program that is killed has recorded so far, for patch.c and
   record/tool/record.c. */
#ifndef KEEP_H
#define KEEP_H
#include <stddef.h>
#include <stdint.h>

/* Behind the first KEEP_AT bytes of the report's file stands this, and then two
   halves. */
enum { KEEP_AT = 1 << 16, KEEP_HEAD = 1 << 12, KEEP_HALF = 1 << 24 };
enum { KEEP_FILE = KEEP_AT + KEEP_HEAD + 2 * KEEP_HALF };

typedef struct keep_head {
    uint32_t whole;                         /* the half that is whole, 1 or 2; 0: none is yet */
    uint32_t unused;
    uint64_t bytes[2];                      /* of each half */
    uint64_t time_ns[2];                    /* CLOCK_MONOTONIC */
} keep_head;

typedef int (*keep_write_fn)(void *user, const void *data, size_t size);

/* Before the program does anything: maps the file. Without one nothing is
   kept. */
void keep_open(const char *path);
/* Is it time for the next one? Costs a look at a clock. */
int keep_is_due(void);
/* Has `write_all` write a .brst file, on a stack of its own and without
   signals. If it returns something else than 0, the one before stays. No lock
   is waited for: one thread at a time. */
void keep(int (*write_all)(keep_write_fn write, void *user));
/* The process is about to die: the same at once, and waits for who is at it. */
void keep_last(int (*write_all)(keep_write_fn write, void *user));
/* From now on nothing is kept; waits for who is at it. */
void keep_stop(void);
#endif
