/* misses.h - which function misses, on which data, in caches of a few sizes.
   Written as .brst parts of kind 13; docs/misses.md and docs/formats.md.

   In samples nothing is known when a burst begins. Its first half fills the
   list of caches.h, and what misses in its second half is counted. Whether the
   first access to a block misses is known if so many other blocks were seen
   before it as the cache holds; else the access is counted as unknown.

   Half are the burst's checks, not its accesses. Any check is as likely to lie
   in a second half as any other. Of accesses that is not true: a loop of many
   accesses takes the second half to itself if a burst ends in it, and its first
   accesses, which miss most, are seldom there.

   Misses are charged to rows: of a function, of an object, of both together,
   and of an instruction. A row keeps the sums that an interval wants, from burst
   to burst. */
#ifndef MISSES_H
#define MISSES_H
#include "caches.h"
#include "phases.h"
#include <stddef.h>
#include <stdint.h>

enum { MISSES_KIND = 13, MISSES_VERSION = 1 };
enum { MISSES_ROWS = 1 << 13 };
/* What a row is of. b is an object in pairs, and the function of a site. */
enum { MISSES_FUNCTION = 1, MISSES_OBJECT = 2, MISSES_PAIR = 3, MISSES_SITE = 4 };
enum { MISSES_WHOLE = 1 };      /* a flag: every access was seen, no sums over bursts */

typedef struct misses_row {
    uint64_t a, b;
    uint32_t what, next;        /* what 0: a free row; next: of this burst, 1 + row; last: itself */
    uint32_t now[CACHES_SIZES], bursts[CACHES_SIZES];
    uint64_t misses[CACHES_SIZES], unknown[CACHES_SIZES];
    uint64_t yy[CACHES_SIZES], xy[CACHES_SIZES];
} misses_row;

typedef struct misses_size {
    uint64_t bytes, misses, unknown, xx, xr;    /* x: misses of a burst, r: its accesses */
    uint32_t bursts;                            /* in which something missed */
} misses_size;

/* Says what an access belongs to. */
typedef void misses_charge(void *user, uint64_t site, uint64_t address, uint64_t *function,
                           uint64_t *object);

typedef struct misses {
    caches list;
    misses_charge *charge;
    void (*missed)(void *user, uint64_t function); /* each miss in the smallest size; or NULL */
    void *user;
    uint32_t flags, rows_used, seen;
    uint32_t is_behind;         /* the middle of this burst is over */
    uint64_t at, middle;        /* accesses of this burst, and those in front of its middle */
    uint64_t now[CACHES_SIZES]; /* misses of this burst */
    uint64_t bursts, accesses, counted, rr;     /* counted: in second halves */
    uint64_t lost;              /* misses without a row */
    misses_size size[CACHES_SIZES];
    phases phases;              /* of the smallest size */
    uint64_t piece;             /* whole runs: accesses that phases does not know yet */
    misses_row rows[MISSES_ROWS];
} misses;

/* bytes: of each cache, as caches_bytes wants them. Returns how much memory
   misses_init wants; 0: sizes that cannot be. */
size_t misses_bytes(const uint64_t *bytes, uint32_t count);
/* memory: zero bytes, which the answer stands in. */
misses *misses_init(void *memory, const uint64_t *bytes, uint32_t count, uint32_t flags,
                    misses_charge *charge, void *user);
/* An access of an instruction to so many bytes. */
void misses_access(misses *m, uint64_t site, uint64_t address, uint64_t bytes);
/* Half of the burst's checks are done: what misses from here on is counted. */
void misses_middle(misses *m);
/* The burst ends; nothing is known any more. */
void misses_burst(misses *m);

typedef struct misses_about {
    const char *program;
    uint32_t every, burst;      /* checks, or 0 */
    const char *labels[CACHES_SIZES];   /* "L1d"; NULL: none */
    /* The name of a function (MISSES_FUNCTION), an object, or a site. NULL: it
       has none. The text is used at once. */
    const char *(*name)(void *user, uint32_t what, uint64_t number);
    /* Where a site stands, as FILE, a tab and an address in it; or NULL. */
    const char *(*place)(void *user, uint64_t site);
    void *user;
} misses_about;
/* Writes the slices of the run as a part of their own. Returns 0, or -1. */
int misses_write_phases(const misses *m, const misses_about *about,
                        int (*write)(void *user, const void *data, size_t size), void *user);
/* Writes a part, of whole bursts. Returns 0, or -1. */
int misses_write(const misses *m, const misses_about *about,
                 int (*write)(void *user, const void *data, size_t size), void *user);
#endif
