/* quiet.h - CPU time of threads that are not sampled, for patch.c and
   patch_file.c. */
#ifndef QUIET_H
#define QUIET_H
#include <stdint.h>

typedef struct quiet_time {
    uint32_t threads;           /* that asked to be cancelled at any instruction */
    uint32_t unknown;           /* of those: their time is not known */
    uint64_t ns, all_ns;        /* CPU time of these, and of the process; 0: not known */
} quiet_time;

/* At the end of each thread. */
void quiet_ends(void);
void quiet_in_child(void);
void quiet_get(quiet_time *out);
/* Does a child of this process go on that is not recorded? Returns 1 or 0. */
int quiet_has_child(void);
#endif
