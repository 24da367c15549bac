/* sampled.h - what parts of kind 1 (bursty.h) say, added up over parts, files, threads and
   machines. */
#ifndef KINDS_SAMPLED_H
#define KINDS_SAMPLED_H
#include "base/kind.h"

/* Event classes of a site's kind (bursty.h), and flags of profiles and threads. */
enum {
    SITE_CALL = 1,
    SITE_RETURN = 2,
    SITE_BACKEDGE = 4,
    SITE_LOAD = 8,
    SITE_STORE = 16,
    SITE_USER = 32,
    SITE_CLASSES = 63,
    SITE_FRAME = 256, /* of a scope, which has a return too */
    SITE_PLACED = 512, /* by `bursty cc` */
    SITE_EVENT_ALONE = 1024 /* of `bursty cc`, without a check */
};
enum {
    PROFILE_OFF = 1,
    PROFILE_TABLE = 2,
    PROFILE_BUDGET = 4,
    PROFILE_REENABLE = 8,
    THREAD_ENDED = 1
};
/* How a watcher knows that a thread runs: by CPU time in large steps, by exact CPU time, by the
   system's word. */
enum { WATCH_COARSE = 1, WATCH_EXACT = 2, WATCH_STATE = 3 };

/* Programs, profiles, threads, sites and rows refer to one another by index; `id` is private to
   tally_settle. */
typedef struct tally_program {
    uint32_t id;
    const char *name;
    uint64_t clock_hz, checks, events, lost;
    uint32_t has_ticks;                           /* even if no tick came */
    uint64_t tick_us, ticks_lost, ticks_cut, ticks_late; /* tick_us: the period, or 0 */
    uint64_t untimed;                             /* threads that had no timer for ticks */
    uint64_t cpu_us;                              /* of the process while it ticked; 0: not known */
    uint64_t lost_threads;                        /* that had no record */
    uint32_t no_time;                             /* BURSTY_NO_TIME_... of bursty.h */
    uint32_t watch_answers;                       /* WATCH_...; 0: no watcher looked */
    uint64_t rounds, looks, look_squares;         /* of the watcher: docs/ticks.md */
    uint64_t looks_late, looks_cut, unwatched;    /* unwatched: threads that never checked */
} tally_program;
typedef struct tally_profile {
    uint32_t id, program, number, check_count, burst_count, jitter_percent, classes, flags;
    uint64_t bursts, events;
} tally_profile;
typedef struct tally_thread {
    uint32_t id, program, number, flags;
    const char *name;
    uint64_t checks, burst_checks, events, lost;
} tally_thread;
typedef struct tally_site { uint32_t id, line, kind; const char *name, *file; } tally_site;

/* Of one class of sites on one thread, over its bursts: how many there were, and the sum of the
   squares of what they counted, scaled up. */
typedef struct tally_class {
    uint32_t id, thread, class_bit;
    uint64_t bursts, xx;
} tally_class;

/* Rows with sums over bursts and rows without do not become one: docs/formats.md. */
typedef struct tally_sums {
    struct tally_sums *next;
    uint64_t bursts, firsts, yy, ys, xy;
} tally_sums;
typedef struct tally_row {
    uint32_t id, thread, site, caller;
    uint64_t count, weight_256, ticks;
    tally_sums *sums;                             /* or NULL */
} tally_row;

/* One path of scopes on one thread. A parent stands before its children. */
typedef struct tally_path {
    uint32_t id, thread, depth, parent, site;     /* parent: an index, or TALLY_NO_PATH */
    uint64_t ticks, slow, squares;                /* its own; slow: of these in the recording */
    uint64_t waiting;                             /* looks that found it waiting; not among the ticks */
} tally_path;

#define TALLY_NO_PATH UINT32_MAX
#define TALLY_NO_SITE UINT32_MAX                  /* a row's caller that is not known */

/* An array that grows; item is the array's type. */
#define TALLY_LIST(item) struct { item *at; size_t count, room; }

typedef struct tally {                            /* all zero: empty */
    TALLY_LIST(tally_program) programs;
    TALLY_LIST(tally_profile) profiles;
    TALLY_LIST(tally_thread)  threads;
    TALLY_LIST(tally_site)    sites;
    TALLY_LIST(tally_class)   classes;
    TALLY_LIST(tally_row)     rows;
    TALLY_LIST(tally_path)    paths;
    tally_sums *sums;                             /* of all rows, to be freed at once */
    struct tally_string *strings;                 /* every name above, to be freed at once */
} tally;

extern const part_kind kind_sampled;              /* its state is a tally */

uint64_t tally_add(uint64_t a, uint64_t b);       /* stops at 2^64 - 1 */
#endif
