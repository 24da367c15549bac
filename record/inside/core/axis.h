/* axis.h - when a timer's ticks came, and slow frames: a part of kind 26. */
#ifndef AXIS_H
#define AXIS_H
#include "sampled.h"

/* A frame's kind: its name, how many there were, and above which time it is slow
   (0: the slowest 5 %). */
typedef struct axis_kind {
    const char *name;
    uint64_t count, limit_us;
} axis_kind;

typedef struct axis_thread {
    uint32_t number;                        /* the system's, or that of its ticks */
    char name[16];                          /* "": none */
} axis_thread;

/* Room for so many ticks at most, rounded down to a power of 2. Without a call, or
   without memory, there is no axis. */
void axis_begin(uint32_t most);
/* In the child of a fork: it begins with nothing, and its zero is now. */
void axis_in_child(void);
/* n ticks of a path of a thread, in a handler of a signal. */
void axis_tick(uint32_t thread, uint32_t path, uint32_t n);
/* The clock of axis_frame. */
uint64_t axis_now_ns(void);
/* A frame of a thread that ends now. */
void axis_frame(uint32_t kind, uint32_t thread, uint64_t began_ns);
/* Writes the part. tables: of each thread that has a number, by it; NULL: it has
   none. Returns 0, or -1. */
int axis_write(const sampled_profile *about, int32_t process, uint32_t period_us,
               const sampled_ticks *const *tables, const axis_thread *threads,
               uint32_t count, const axis_kind *kinds, uint32_t kind_count,
               int (*write)(void *user, const void *data, size_t size), void *user);
#endif
