/* race.h - rivals of a group run in turn inside one process, several rounds.
   Prints raw times and computes nothing from them:

       time  group  rival  nanoseconds of one operation in round 1  round 2  ...

   separated by tabs. bench/stats.py makes best, median and ratio of them. */
#ifndef BENCH_RACE_H
#define BENCH_RACE_H
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { RACE_ROUNDS = 64, RACE_RIVALS = 16 };            /* at most */

typedef uint64_t (*race_run)(void);                     /* runs, returns the number of operations */
typedef struct race_rival { const char *name; race_run run; } race_rival;

static inline double race_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void race_print(const char *group, const char *name, const double *ns, int rounds) {
    int r;
    printf("time\t%s\t%s", group, name);
    for (r = 0; r < rounds; r++) printf("\t%.4f", ns[r]);
    printf("\n");
}

/* Every rival once to warm up, then once per round, forward and backward in
   turn. */
static inline void race(const char *group, const race_rival *rivals, int count, int rounds) {
    static double ns[RACE_RIVALS][RACE_ROUNDS];
    int i, r;
    for (i = 0; i < count; i++) (void)rivals[i].run();
    for (r = 0; r < rounds; r++)
        for (i = 0; i < count; i++) {
            int k = r & 1 ? count - 1 - i : i;
            double start = race_now_ns();
            uint64_t operations = rivals[k].run();
            ns[k][r] = (race_now_ns() - start) / (double)operations;
        }
    for (i = 0; i < count; i++) race_print(group, rivals[i].name, ns[i], rounds);
}

#endif /* BENCH_RACE_H */
