/* sampled.h - counts of functions and of caller and function, written as a .brst part of kind 1.
   See docs/formats.md. */
#ifndef SAMPLED_H
#define SAMPLED_H
#include <stddef.h>
#include <stdint.h>

enum { SAMPLED_ROWS = 1 << 14 };            /* rows of a table, of which 3/4 are used */

typedef struct sampled_row {
    uint32_t key, caller;                   /* key 0: a free row; caller 0: not known */
    uint64_t count, weight_256;
} sampled_row;

typedef struct sampled_table {              /* all zero: empty */
    uint32_t rows_used;
    uint64_t events, lost;
    sampled_row rows[SAMPLED_ROWS];
} sampled_table;

/* What the part says about the whole recording. */
typedef struct sampled_profile {
    const char *program;
    uint32_t check_count, burst_count, jitter_percent;
    uint64_t bursts;
    const char *(*name)(void *user, uint32_t key);
    void *name_user;
} sampled_profile;

/* One call of a function: an estimate of weight_256 / 256 calls. */
void sampled_count(sampled_table *t, uint32_t key, uint32_t caller, uint64_t weight_256);
/* Writes a part. tables: one for each thread. Returns 0, or -1. */
int sampled_write(const sampled_profile *p, const sampled_table *const *tables, uint32_t count,
                  int (*write)(void *user, const void *data, size_t size), void *user);
#endif
