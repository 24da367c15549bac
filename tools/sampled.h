/* sampled.h - what parts of kind 1 (bursty.h) say, added up over parts, files, threads and machines. */
#ifndef SAMPLED_H
#define SAMPLED_H
#include "dump.h"

/* Event classes of a site's kind (bursty.h), and flags of profiles and threads. */
enum { SITE_CALL = 1, SITE_RETURN = 2, SITE_BACKEDGE = 4, SITE_LOAD = 8, SITE_STORE = 16, SITE_USER = 32, SITE_CLASSES = 63 };
enum { PROFILE_OFF = 1, PROFILE_TABLE = 2, PROFILE_BUDGET = 4, PROFILE_REENABLE = 8, THREAD_ENDED = 1 };

/* Programs, profiles, threads, sites and rows refer to one another by index; `id` is private to sampled_settle. */
typedef struct sampled_program { uint32_t id; const char *name; uint64_t clock_hz, checks, events, lost; } sampled_program;
typedef struct sampled_profile {
    uint32_t id, program, number, check_count, burst_count, jitter_percent, classes, flags;
    uint64_t bursts, events;
} sampled_profile;
typedef struct sampled_thread {
    uint32_t id, program, number, flags;
    const char *name;
    uint64_t checks, burst_checks, events, lost;
} sampled_thread;
typedef struct sampled_site { uint32_t id, line, kind; const char *name, *file; } sampled_site;
typedef struct sampled_row  { uint32_t id, thread, site, caller; uint64_t count, weight_256, ticks; } sampled_row;

#define SAMPLED_NO_SITE UINT32_MAX                 /* a row's caller that is not known */

/* An array that grows; item is the array's type. */
#define SAMPLED_LIST(item) struct { item *at; size_t count, room; }

typedef struct sampled {                          /* all zero: empty */
    SAMPLED_LIST(sampled_program) programs;
    SAMPLED_LIST(sampled_profile) profiles;
    SAMPLED_LIST(sampled_thread)  threads;
    SAMPLED_LIST(sampled_site)    sites;
    SAMPLED_LIST(sampled_row)     rows;
    struct sampled_string *strings;               /* every name above, to be freed at once */
} sampled;

/* Adds what a part of kind 1 says. 0, or -1 with *fault filled: then s is only fit to be freed. */
int  sampled_read(sampled *s, const dump *d, const dump_part *part, dump_fault *fault);
/* Brings everything into a fixed order and makes equals one: call it after the last sampled_read. */
void sampled_settle(sampled *s);
/* Writes what has been settled, one part for each program. */
void sampled_write(const sampled *s, text *out);
void sampled_free(sampled *s);

uint64_t sampled_add(uint64_t a, uint64_t b);      /* stops at 2^64 - 1 */
#endif
