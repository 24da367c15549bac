/* attach.h - looks at a process from outside: `bursty record -p PID`, `bursty
   record` of time, and `bursty top`. There is one such process at a time. */
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

/* ---- ticks as they come, for who shows them himself ---- */

typedef struct attach_state {
    const char *program;            /* its name now */
    uint64_t lost;                  /* looks that found no room */
    double children_ns;             /* CPU time of processes that it started */
    int has_kernel;                 /* is time in the kernel seen? */
} attach_state;

/* From here on the process is looked at, `ticks` times in a second of CPU time.
   SIGINT and SIGTERM are caught. The same status. */
int attach_open(long pid, unsigned ticks);
/* Waits for a twentieth of a second. To be called again at once, or looks are lost.
   Returns 0 when the process has ended, or a signal asked us to. */
int attach_poll(void);
/* Calls `each` with every look since the last call: the key of its function, and the
   CPU time that it stands for. Returns the sum of the squares of these times, of looks
   that are one together. */
double attach_take(void (*each)(void *user, uint32_t key, double ns), void *user);
/* Keys count from 1; names stay. */
const char *attach_name(uint32_t key);
void attach_about(attach_state *s);
#endif
