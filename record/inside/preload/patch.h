/* patch.h - what patch.c and patch_file.c share. */
#ifndef PATCH_H
#define PATCH_H
#include "../../x86/x86.h"
#include "../core/contexts.h"
#include "footprint.h"
#include "hotstream.h"
#include "keep.h"
#include "../core/layout.h"
#include "../core/missed.h"
#include "../core/misses.h"
#include "../core/recorder.h"
#include "../core/sampled.h"
#include "../core/sharing.h"
#include "../core/interleave.h"
#include "../../options.h"
#include <pthread.h>
#include <stdint.h>

/* What references need takes some 4 MB for each thread that runs beside others,
   and calls less than a quarter of that. */
enum { BLOCKS = 1 << 16, MODULES = 256, REFERENCE_THREADS = 256 };
enum { STREAM_PLACES = 1 << 14 };
enum { STREAM_NODES = 1 << 14, STREAMS = 512, EVENT_BLOCKS = 1024 };
/* sampled.c looks functions up by their keys. */
typedef char record_keys_fit[RECORDER_BEYOND < SAMPLED_KEYS ? 1 : -1];

/* What a thread has beside its tree; each is made when it is needed. */
typedef struct record_extra {
    footprint *f;
    hotstream *streams;
    struct record_places *places;  /* what instructions of streams use: patch_streams.c */
    sampled_table *methods, *pairs;
    contexts *sums;                /* of the tree, if bursts are samples */
    misses *misses;
    missed_tree *missed;              /* by context, if contexts are asked for, too */
    recorder_thread *thread;
    interleave_log *interleave;
    uint64_t turn_from_ns, turn_accesses; /* since the recorder was left last, with */
    uint64_t turn_cpu_ns, turn_switches;  /* CPU time and switches of the thread then */
    sharing_thread *sharing;
    uint64_t sharing_began_ns;
    int is_sharing;                /* as the thread that has this now */
    uintptr_t stack_low, stack_end; /* of the thread, for misses and sharing */
    size_t block_count;
    uint64_t blocks[EVENT_BLOCKS]; /* references that the footprint has not been told of */
} record_extra;

/* Patterns of --only or of --not: one a line in the options, here a list that
   NULL ends. */
typedef struct record_patterns {
    char words[1024];
    const char *list[17];
} record_patterns;

/* Calls that were told, and those of them on a stack that no thread began with. */
typedef struct record_calls {
    uint64_t all, astray;
} record_calls;

typedef struct record_state {
    x86_config config;
    unsigned profiles;
    uint64_t caches[CACHES_SIZES]; /* for misses: bytes of each size, and what it is */
    char cache_labels[CACHES_SIZES][8];
    uint32_t cache_count;
    uint64_t began_ns;           /* for interleave.h */
    uint32_t streams;            /* room for so many in each thread */
    pid_t owner, pid;            /* the process that bursty started; this process */
    int follow, running, done;
    int looks;                   /* nothing is patched: time alone is asked for */
    int lines;                   /* and ticks by their place in the code */
    uint32_t timeline;           /* so many ticks have their moment; 0: none */
    int is_child;                /* of a fork that is followed, and no other program since */
    uint64_t bias[MODULES];      /* what to add to a place of a module to get its address */
    uint32_t modules;            /* so many from the start */
    uint64_t lost;               /* events that found no memory */
    record_calls calls;
    int without_tables;          /* a thread found none for what it is asked to keep */
    pthread_key_t at_end;
    uint32_t threads_missing;
    uint64_t frames_full;
    uint32_t first_key;          /* _start: bursts do not see it on the stack, nobody calls it */
    uint64_t missed;             /* of a run that was to have every call */
    uint64_t weight_256;         /* calls that a sampled one stands for, times 256 */
    int write_error, direct;     /* direct: the output is no regular file */
    int shadow_stack;            /* the processor checks returns */
    int toggles;                 /* there is a signal that switches on */
    unsigned ticks;              /* in a second; 0: none */
    int no_timer;
    int not_switched;            /* a signal was to switch on, and could not */
    int sandboxed;               /* the program has forbidden itself system calls */
    int keeping;                 /* what is written now is kept for the case of a kill */
    int in_exec;                 /* or because the process becomes another program */
    uint8_t *pool;               /* memory for after that */
    size_t pool_left;
    char path[4096], report[128];
    record_patterns only, not_these; /* of names of functions */
} record_state;
extern record_state record;

/* The key of a function, for recorder.h. */
uint32_t record_key(uint32_t module, uint32_t place);

/* patch_streams.c: a reference for hot streams, and for layout.h. `times` is the
   count of a rep instruction. */
void record_stream_reference(record_extra *x, const x86_event *e, uint64_t times);
/* NULL: there is none. */
layout *record_layout(const record_extra *x);
/* The instruction of a site of a stream; *object: 0, or 1 and
   the object. */
uint64_t record_stream_site(const record_extra *x, uint64_t site, uint64_t *object);
/* References that found no room for their pair. */
uint64_t record_stream_placeless(void);

/* The time on a clock that all threads share: patch_sharing.c. */
uint64_t record_now_ns(void);
/* What all threads share, and what they belong to: patch_sharing.c. NULL:
   there is no memory, or nobody asked. */
sharing_thread *record_sharing(record_extra *x);
void record_sharing_begins(record_extra *x);
void record_sharing_burst(record_extra *x);
void record_sharing_ends(record_extra *x);
const sharing *record_shared(void);
void record_sharing_start(void);
void record_sharing_in_child(void);
/* Finds the calling thread's stack for x: a thread takes what an earlier one has
   left, but for its stack. */
void record_find_stack(record_extra *x);

/* ---- patch_file.c: a process has stopped to record, and its threads are record_all ---- */

extern const recorder_thread *record_all;
/* A call in a burst stands for as many calls as there are checks for each check
   in bursts. Both are counted. Returns by how much this is more than what
   tables took it for. */
double record_weigh(void);
void record_scale_table(sampled_table *t, double by);
void record_write_file(void);
/* The report for the tool: faults, which begin with !, hints, which begin with
   ?, and for `bursty record --stats` lines about each module. */
void record_write_report(void);
/* The file as it would be now, at `path`, while all goes on. Returns 0, or
   -1. */
int record_write_image(const char *path);
/* The process records no more: what there is becomes its file. Returns
   0, or -1. images.c */
int record_write_last(void);
/* For keep: the file as it would be now. */
int record_write_kept(keep_write_fn write, void *user);
#endif
