/* live.h - looks at running processes as they come, for who shows them himself:
   `bursty top`. */
#ifndef LIVE_H
#define LIVE_H
#include <stddef.h>
#include <stdint.h>

typedef struct live_state {
    const char *program;            /* its name now; or the name that was asked for */
    size_t processes;               /* that are there now, */
    size_t refused;                 /* and those that could not be looked at, */
    int why_refused;                /* the latest of them for this errno */
    uint64_t lost;                  /* looks that found no room */
    double children_ns;             /* CPU time of other processes that they started */
    int has_kernel;                 /* is time in the kernel seen? */
} live_state;

/* From here on processes are looked at, `ticks` times in a second of CPU time of
   each thread: those in pids, or, if name is not NULL, all whose program has that
   name, and those that come to have it. SIGINT and SIGTERM are caught. Returns a
   TOOL_ status, after a message. */
int live_open(const long *pids, size_t count, const char *name, unsigned ticks);
/* Waits for a twentieth of a second. To be called again at once, or looks are lost.
   Returns 0 when the last process has ended, or a signal asked us to. */
int live_poll(void);
/* Calls `each` with every look since the last call: the key of its function, and the
   CPU time that it stands for. Looks for processes that have come, too. To be called
   once a second. Returns the sum of the squares of these times, of looks that are one
   together. */
double live_take(void (*each)(void *user, uint32_t key, double ns), void *user);
/* Keys count from 1; names stay. */
const char *live_name(uint32_t key);
void live_about(live_state *s);
#endif
