/* lines.h - ticks by the place in the code that they interrupted, written as a
   .brst part of kind 18. `bursty record` makes source lines of the places.
   See docs/formats.md. */
#ifndef LINES_H
#define LINES_H
#include <stddef.h>
#include <stdint.h>

enum { LINES_KIND = 18, LINES_VERSION = 1 };
enum { LINES_ROWS = 1 << 15 };          /* numbers of rows have 16 bits */

typedef struct lines_row {
    uint64_t pc;                        /* 0: not told apart from others of the function */
    uint32_t key, unused;
    uint64_t ticks, squares;
} lines_row;

/* The lines of one thread; all zero: empty. When 7/8 of the room are used, new places
   of a function become one row without a place. Ticks that find no room even then are
   counted as lost. */
typedef struct lines {
    uint32_t used;                      /* rows, in the order in which they were met */
    uint64_t lost, lost_squares;
    lines_row rows[LINES_ROWS];
    uint16_t index[2 * LINES_ROWS];     /* by hash: 1 + a row's number, or 0 */
} lines;

typedef struct lines_about {
    const char *program;
    uint32_t period_us;
    const char *(*name)(void *user, uint32_t key);
    /* An ELF file, and behind tabs the address there in hexadecimal and the file's
       build id. NULL: not known. */
    const char *(*place)(void *user, uint32_t key, uint64_t pc);
    void *user;
} lines_about;

/* n ticks at pc, which is in the function of that key. For a signal handler of
   the thread. */
void lines_tick(lines *l, uint64_t pc, uint32_t key, uint32_t n);
/* Writes a part: the tables of threads, one behind the other. next(user, l): the
   first one if l is NULL, NULL behind the last. Returns 0, or -1. */
int lines_write(const lines_about *about, const lines *(*next)(void *user, const lines *l),
                void *next_user, int (*write)(void *user, const void *data, size_t size),
                void *user);
#endif
