/* attach.h - looks at a process from outside: `bursty record -p PID` and `bursty
   record` of time. There is one such process at a time. */
#ifndef ATTACH_H
#define ATTACH_H
#include <stdint.h>

typedef struct attach_options {
    long pid;
    unsigned seconds, ticks;        /* how long, and how often in a second of CPU time */
    int quiet, lines;
    unsigned timeline;              /* so many ticks at most have their moment; 0: none */
    int follow;                     /* children, too, each into FILE.PID */
    const char *out;
    /* Is told of each file; is_main: of the process itself, as it ended. */
    void (*wrote)(void *user, const char *file, uint32_t pid, int is_main);
    void *user;
} attach_options;

/* Returns a TOOL_ status, after a message. */
int attach_run(const attach_options *o);

/* ---- a child that waits to become a program ---- */

/* Looks at o->pid from its exec on. Returns NULL, or why that cannot be: words to
   be put behind "for". */
const char *attach_begin(const attach_options *o);
/* Until it has ended. Returns its status, as waitpid has it. */
int attach_wait(const attach_options *o);
/* Writes the file. Returns a TOOL_ status, after a message. */
int attach_end(const attach_options *o, const char *program);
#endif
