/* attach.h - `bursty record -p PID`: looks at a process that runs. */
#ifndef ATTACH_H
#define ATTACH_H

typedef struct attach_options {
    long pid;
    unsigned seconds, ticks;        /* how long, and how often in a second of CPU time */
    int quiet;
    const char *out;
} attach_options;

/* Returns a TOOL_ status, after a message. */
int attach_run(const attach_options *o);
#endif
