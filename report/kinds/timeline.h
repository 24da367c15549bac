/* timeline.h - parts of kind 26: a log of ticks, each with its moment, its thread
   and its stack (docs/formats.md). A file has the log of one recording. */
#ifndef KINDS_TIMELINE_H
#define KINDS_TIMELINE_H
#include "base/kind.h"

enum { TIMELINE_MOST = 65536 };       /* ticks, unless somebody wants another bound */
#define TIMELINE_NO_PATH UINT32_MAX

typedef struct timeline_thread {
    uint32_t number;                  /* the system's */
    char *name;
} timeline_thread;

typedef struct timeline_function {
    char *name, *file;                /* file: "", or as in kind 1 */
    uint32_t line;
} timeline_function;

typedef struct timeline_path {        /* parents stand before their children */
    uint32_t function, parent;        /* parent: TIMELINE_NO_PATH: none */
} timeline_path;

typedef struct timeline_tick {
    uint64_t us;                      /* since the log's zero; never falls */
    uint32_t thread, path;
} timeline_tick;

typedef struct timeline_span {        /* a wait, or a frame above its limit */
    uint64_t from_us, us;
    uint32_t thread, what;            /* of a wait its path or TIMELINE_NO_PATH; of a frame its kind */
} timeline_span;

typedef struct timeline_spans {       /* by when they began */
    timeline_span *at;
    size_t count;
    uint64_t left, left_us;           /* shorter ones that are not here, and their sum */
} timeline_spans;

typedef struct timeline_frames {      /* a kind of frames */
    char *name;
    uint64_t limit_us;                /* above which they are slow; 0: not known */
} timeline_frames;

typedef struct timeline {             /* all zero: empty */
    char *program;
    uint32_t process;                 /* 0: not known */
    uint64_t began_us;                /* of the zero, since 1970; 0: not known */
    uint64_t span_us;                 /* from there to the end of the recording */
    uint64_t period_us;               /* of CPU time between two ticks */
    uint64_t one_of;                  /* so many ticks one is here, and stands for them */
    uint64_t others;                  /* logs that were left out beside this one */
    timeline_thread *threads;
    timeline_function *functions;
    timeline_path *paths;
    timeline_tick *ticks;
    size_t thread_count, function_count, path_count, tick_count;
    uint64_t wait_look_us;            /* between two looks that tell waits; 0: exact, or none */
    uint64_t wait_unseen_us;          /* of the span, in which nobody saw waits */
    timeline_spans waits, late;       /* late: frames */
    timeline_frames *frames;
    size_t frame_count;
    /* The range that somebody asked for (model/range.c): only its ticks are here.
       whole_count 0: no range was asked for, and all ticks are here. */
    uint64_t from_us, to_us;
    size_t whole_count;
} timeline;

typedef struct timeline_state {
    timeline *kept;                   /* NULL: none yet */
    text bytes;                       /* how it is written, without `others` */
} timeline_state;

extern const part_kind kind_timeline; /* its state is a timeline_state */

/* Returns 0, or -1 with *fault filled and t empty. */
int timeline_read(timeline *t, const dump *d, const dump_part *part, dump_fault *fault);
void timeline_write(const timeline *t, text *out);
void timeline_free(timeline *t);
/* CPU time of a tick of the log. */
uint64_t timeline_tick_us(const timeline *t);
/* The first tick that is not before a moment. */
size_t timeline_first(const timeline *t, uint64_t us);
#endif
