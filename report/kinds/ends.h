/* ends.h - recordings whose end is missing (parts of kind 7). */
#ifndef KINDS_ENDS_H
#define KINDS_ENDS_H
#include "base/kind.h"

/* By a signal; without the C library's exit; or the end is there, but threads
   that may be cancelled at any instruction were not sampled, functions were not
   patched, a library came later, or other programs took the processor so often
   that ticks do not see all moments alike. */
enum {
    END_KILLED = 1,
    END_LEFT = 2,
    END_QUIET = 3,
    END_UNCOUNTED = 4,
    END_LATER = 5,
    END_TURNS = 6,
    /* What was lost: threads that were not recorded all the time; events that
       found no room; calls that came in the middle of the recorder; threads for
       whose tables there was no memory. Then, mostly of nobody knows how many:
       functions of which the program changed the code; libraries for which there
       was no room; blocks of the heap, and references in streams, that are not
       known by what they belong to; calls too deep to follow; ticks, and a signal
       that could not switch sampling on. */
    END_THREADS = 7,
    END_EVENTS = 8,
    END_CALLS = 9,
    END_MEMORY = 10,
    END_CHANGED = 11,
    END_MODULES = 12,
    END_BLOCKS = 13,
    END_PLACES = 14,
    END_DEEP = 15,
    END_TIMER = 16,
    END_SWITCH = 17,
    END_CHILDREN = 18, /* what children did is not in it */
    END_REPLACED = 19, /* a file with code was, before its names and lines were read */
    END_TWICE = 20,  /* switches to fibers that another thread ran */
    END_INSIDE = 21, /* switches of fibers in the middle of an event */
    END_ASTRAY = 22, /* calls on stacks that the program switched to by itself */
    END_BROKEN = 23, /* bursts that a signal ended where they began */
    END_UNHOOKED = 24, /* functions of --frames that cannot be hooked */
    END_AWAY = 25, /* checks of tasks while another one was left in an event */
    END_CUT = 26, /* runs of `cc --cover` that a signal ended in the middle of a function */
    END_WOKEN = 27,  /* END_TURNS of a program that sleeps */
    END_REASONS
};

typedef struct missing_end {
    char *program;                                /* END_LATER, END_REPLACED: the file; "": not known */
    uint32_t why;
    /* Milliseconds from what is there to the end; END_QUIET: of CPU time;
       END_UNCOUNTED: functions; END_TURNS: turns that were cut off, at most the
       ticks; END_CHILDREN: of their CPU time. */
    uint64_t missing;
    uint64_t of;                                  /* from END_QUIET on: of so many */
} missing_end;

typedef struct missing_ends {
    missing_end *at;
    size_t count;
} missing_ends;

extern const part_kind kind_ends;

/* Writes a part. */
void ends_write(const missing_end *end, text *out);
#endif
