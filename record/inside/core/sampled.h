/* sampled.h - counts of functions, of caller and function, and of a timer's
   ticks, written as .brst parts of kind 1. See docs/formats.md. */
#ifndef SAMPLED_H
#define SAMPLED_H
#include <stddef.h>
#include <stdint.h>

enum { SAMPLED_ROWS = 1 << 14 };            /* rows of a table, of which 3/4 are used */
enum { SAMPLED_KEYS = 1 << 17 };            /* keys are below this */

typedef struct sampled_row {
    uint32_t key, caller;                   /* key 0: a free row; caller 0: not known */
    uint64_t count, weight_256;
    uint64_t bursts, firsts, yy, ys, xy;    /* sums over bursts: docs/formats.md */
    uint32_t start;                         /* low bits of the count when this burst began */
    uint32_t next;                          /* of those that this burst saw: 1 + row, or 0 */
} sampled_row;

/* The sums say how counts differ between bursts. The rows of a burst are a
   list, from `seen` on; at the burst's end it goes into the sums, so that the
   cost is linear in those rows. */
typedef struct sampled_table {              /* all zero: empty */
    uint32_t rows_used, seen;
    uint64_t events, lost;
    uint64_t bursts, xx;                    /* bursts that saw a row, the sum of their squares */
    sampled_row rows[SAMPLED_ROWS];
    uint32_t of_key[SAMPLED_KEYS];          /* at the end of a burst: its calls of a function */
} sampled_table;

/* What the part says about the whole recording. */
typedef struct sampled_profile {
    const char *program;
    uint32_t every, burst, jitter; /* every UINT32_MAX: always */
    uint64_t bursts, checks;                /* checks 0: not known */
    const char *(*name)(void *user, uint32_t key);
    /* Where a function with ticks stands: an ELF file, a tab, and its address there in
       hexadecimal. `bursty record` makes file and line of it. NULL, or a result of
       NULL, means that it is not known. */
    const char *(*place)(void *user, uint32_t key);
    void *name_user;
    /* The CPU time of the process while it ticked, how much of it was in the kernel,
       and how often the kernel looks where a thread is. cpu_us 0: not known. */
    uint64_t cpu_us, kernel_us, look_us;
    uint32_t step, stepping, in_step;       /* src/in_step.c: r, signals, those of one remainder */
    int has_checks;                         /* ticks came while the code had checks */
    int from_outside;                       /* by the kernel's events: nothing was changed */
} sampled_profile;

/* One call of a function: an estimate of weight_256 / 256 calls. */
void sampled_count(sampled_table *t, uint32_t key, uint32_t caller, uint64_t weight_256);
/* The end of a burst, in which a call stood for weight_256 / 256 calls. */
void sampled_burst(sampled_table *t, uint64_t weight_256);
/* Writes a part. tables: one for each thread. Returns 0, or -1. */
int sampled_write(const sampled_profile *p, const sampled_table *const *tables, uint32_t count,
                  int (*write)(void *user, const void *data, size_t size), void *user);

#ifndef SAMPLED_PATHS_BITS
#define SAMPLED_PATHS_BITS 13               /* at most 15: numbers of paths have 16 bits */
#endif
enum { SAMPLED_PATHS = 1 << SAMPLED_PATHS_BITS, SAMPLED_DEEP = 256 };

typedef struct sampled_path {               /* a function and those around it */
    uint32_t key, parent;                   /* parent: number of a path, 1 and more; 0: none */
    uint64_t ticks, slow, squares;
} sampled_path;

typedef struct sampled_ticks {              /* of one thread; all zero: empty */
    uint32_t paths_used;
    uint64_t lost, cut, late;
    sampled_path paths[SAMPLED_PATHS];
    uint16_t index[2 * SAMPLED_PATHS];      /* by hash: a path's number, or 0 */
} sampled_ticks;

enum {
    SAMPLED_OUTSIDE = 0x7FFFFFFF,           /* the key of what no function is known of, */
    SAMPLED_RECORDER = 0x7FFFFFFE,          /* that of the recorder's own time, */
    SAMPLED_BEYOND = 0x7FFFFFFD             /* and of callers beyond where a stack was cut */
};

/* n ticks of the functions keys[0..count), the innermost first. slow: the
   recorder was at work. For a signal handler of the thread. Returns the number
   of the path; 0: there was no room. */
uint32_t sampled_tick(sampled_ticks *t, const uint32_t *keys, uint32_t count, uint32_t n,
                      int slow);
/* What a key of a path is called; NULL: not known. */
const char *sampled_name_of(const sampled_profile *about, uint32_t key);
/* Writes a part; lost: ticks of no thread among these. Returns 0, or -1. */
int sampled_write_ticks(const sampled_profile *p, uint32_t period_us,
                        const sampled_ticks *const *threads, uint32_t count, uint64_t lost,
                        int (*write)(void *user, const void *data, size_t size), void *user);
/* Writes a part that only says which program ran. Returns 0, or -1. */
int sampled_write_program(const char *program,
                          int (*write)(void *user, const void *data, size_t size), void *user);
/* Writes a part that says that something is missing from the recording:
   docs/formats.md, kind 7. `missing` of `of` are not covered: ms of CPU time,
   functions, libraries. Returns 0, or -1. */
int sampled_write_missing(const sampled_profile *about, unsigned why, uint64_t missing, uint64_t of,
                          int (*write)(void *user, const void *data, size_t size), void *user);
#endif
