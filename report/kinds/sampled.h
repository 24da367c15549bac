/* sampled.h - what parts of kind 1 (bursty.h) say, added up over parts, files,
   threads and machines. */
#ifndef KINDS_SAMPLED_H
#define KINDS_SAMPLED_H
#include "base/kind.h"

/* Event classes of a site's kind (bursty.h), and flags of profiles and
   threads. */
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
    SITE_EVENT_ALONE = 1024, /* of `bursty cc`, without a check */
    SITE_SECOND_COPY = 2048 /* of these: only a second copy has it (docs/cc.md) */
};
enum {
    PROFILE_OFF = 1,
    PROFILE_TABLE = 2,
    PROFILE_BUDGET = 4,
    PROFILE_REENABLE = 8,
    THREAD_ENDED = 1
};
/* How a watcher knows that a thread runs: by CPU time in large steps, by exact
   CPU time, by the system's word. */
enum { WATCH_COARSE = 1, WATCH_EXACT = 2, WATCH_STATE = 3 };
/* How ticks came: of code with a recorder's checks in it, or from outside. */
enum { TICKS_CHECKED = 1, TICKS_FROM_OUTSIDE = 2, TICKS_AT_RANDOM = 8 };

/* Programs, profiles, threads, sites and rows refer to one another by index;
   `id` is private to sampled_settle. */
typedef struct sampled_program {
    uint32_t id;
    const char *name;
    uint64_t clock_hz, checks, events, lost;
    uint32_t has_ticks;                           /* even if no tick came */
    uint64_t tick_us, ticks_lost, ticks_cut, ticks_late; /* tick_us: the period, or 0 */
    uint64_t untimed;                             /* threads that had no timer for ticks */
    uint64_t ticks_astray;                        /* on stacks that nobody has told of */
    uint64_t ticks_behind;                        /* at random moments, of looks that came late */
    uint64_t cpu_us;                              /* of the process while it ticked; 0: not known */
    /* The process's time while it ticked, as the kernel counts it, which looks each
       look_us. kernel_cpu_us 0: not known. */
    uint64_t kernel_us, kernel_cpu_us, look_us;
    uint32_t tick_ways;                           /* TICKS_...: how they came */
    uint32_t step;                                /* src/in_step.c: r, */
    uint64_t stepping, in_step;                   /* signals, and those that left one remainder */
    uint64_t lost_threads;                        /* that had no record */
    uint32_t no_time;                             /* BURSTY_NO_TIME_... of bursty.h */
    uint32_t watch_answers;                       /* WATCH_...; 0: no watcher looked */
    uint64_t rounds, looks, look_squares;         /* of the watcher: docs/ticks.md */
    uint64_t looks_late, looks_cut, unwatched;    /* unwatched: threads that never checked */
} sampled_program;
typedef struct sampled_profile {
    uint32_t id, program, number, check_count, burst_count, jitter_percent, classes, flags;
    uint64_t bursts, events;
    uint64_t begins; /* how often it began anew; 0: not known */
} sampled_profile;
typedef struct sampled_thread {
    uint32_t id, program, number, flags;
    const char *name;
    uint64_t checks, burst_checks, events, lost;
} sampled_thread;
typedef struct sampled_site { uint32_t id, line, kind; const char *name, *file; } sampled_site;

/* The bursts of one class of sites on one thread: how many there were, and the sum of
   the squares of what they counted, scaled up. */
typedef struct sampled_class {
    uint32_t id, thread, class_bit;
    uint64_t bursts, xx;
} sampled_class;

/* Rows with sums over bursts and rows without do not become one:
   docs/formats.md. */
typedef struct sampled_sums {
    struct sampled_sums *next;
    uint64_t bursts, firsts, yy, ys, xy;
} sampled_sums;
typedef struct sampled_record {
    uint32_t id, thread, site, caller;
    uint64_t count, weight_256, ticks;
    sampled_sums *sums;                             /* or NULL */
} sampled_record;

/* One path of scopes on one thread. A parent stands before its children. */
typedef struct sampled_path {
    uint32_t id, thread, depth, parent, site;     /* parent: an index, or TALLY_NO_PATH */
    uint64_t ticks, slow, squares;                /* its own; slow: of these in the recording */
    uint64_t waiting;                             /* looks that found it waiting; not among the ticks */
} sampled_path;

#define TALLY_NO_PATH UINT32_MAX
#define TALLY_NO_SITE UINT32_MAX                  /* a row's caller that is not known */

/* An array that grows; item is the array's type. */
#define TALLY_LIST(item) struct { item *at; size_t count, room; }

typedef struct tally {                            /* all zero: empty */
    TALLY_LIST(sampled_program) programs;
    TALLY_LIST(sampled_profile) profiles;
    TALLY_LIST(sampled_thread)  threads;
    TALLY_LIST(sampled_site)    sites;
    TALLY_LIST(sampled_class)   classes;
    TALLY_LIST(sampled_record)     rows;
    TALLY_LIST(sampled_path)    paths;
    sampled_sums *sums;                             /* of all rows, to be freed at once */
    struct sampled_string *strings;                 /* every name above, to be freed at once */
} tally;

extern const part_kind kind_sampled;              /* its state is a tally */

uint64_t sampled_add(uint64_t a, uint64_t b);       /* stops at 2^64 - 1 */
/* The outermost function of a stack that was cut off: nobody knows who is there. */
#define SAMPLED_BEYOND_NAME "(outer callers not known)"
#endif
