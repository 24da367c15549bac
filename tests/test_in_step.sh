#!/bin/sh
# test_in_step.sh - programs that wake in step with the kernel's clock. What timers then see is said
# before the first number, in each form. Ticks at random moments give a game of 50, 60, 100 and 144
# frames a second its shares, which are half and half by construction.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder in_step || exit 2

bursty() { ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 ${RUN-} "$bursty" "$@"; }

cat >steps.c <<'END'
/* steps FILE R COUNT TOP: timers of which TOP of COUNT left one remainder by R */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdlib.h>
int main(int argc, char **argv) {
    static bursty_config config;
    int i;
    config.watch = -1;
    config.tick_hz = 1;
    if (argc < 5 || bursty_start(&config) == 0) return 2;
    {
        BURST_SCOPE("work");
        for (i = 0; i < 100; i++) bursty_tick(1);
        BURST_LEAVE();
    }
#ifdef BURSTY_P_TIMERS
    unsigned r = (unsigned)atoi(argv[2]), count = (unsigned)atoi(argv[3]), top = (unsigned)atoi(argv[4]), k;
    bursty_p_stepping.count = count;
    bursty_p_stepping.at[r * (r - 1) / 2 + 1] = top;
    for (k = 2; k <= BURSTY_P_STEPS; k++) { /* elsewhere they are even */
        unsigned i, rest = k == r ? count - top : count;
        for (i = 0; rest; i = (i + 1) % k, rest--)
            if (k != r || i != 1) bursty_p_stepping.at[k * (k - 1) / 2 + i]++;
            else rest++;
    }
    return bursty_save(argv[1]) != 0;
#else
    return 77;
#endif
}
END
${CC:-cc} ${CFLAGS:--O2} -pthread -I"$top" steps.c -o steps || exit 2
./steps few.brst 5 19 19
if [ $? = 77 ]; then
    skip "there are no timers here"
    finish
fi
./steps all.brst 5 200 190
./steps some.brst 5 200 80
./steps half.brst 2 400 220
./steps two.brst 2 400 399
# shellcheck disable=SC2086
speaks() { bursty report $2 "$1.brst" >"$1.out" && grep -q 'in step with the program' "$1.out"; } # NAME FORM
silent() { ! speaks "$1" "$2" && [ -s "$1.out" ]; }
for form in "" --json --csv --html=all.html; do
    case $form in
    --html*) bursty report --html all.html all.brst >/dev/null && check "said on the page" grep -q 'in step with the program' all.html ;;
    *) check "said in form '$form'" speaks all "$form" ;;
    esac
done
check "95 % of 200 are said" grep -q 'in step with the program.s sleeps.*190' all.out
check "the cure is one that helps" sh -c '"$0" report all.brst | tr "\n" " " | grep -q "config.watch = 2"' "$bursty"
check "it is said first" sh -c '
    "$0" report all.brst | awk "/in step/ && !first { first = NR } /%.*%/ && !number { number = NR } END { exit !(first && (!number || first <= number)) }"' "$bursty"
# Of the row of `work` in the table of time, which has to be there: are both bounds empty?
bounds() { # NAME EMPTY: 1 or 0
    bursty report --csv "$1.brst" | awk -F, -v empty="$2" '
        /^# / { on = index($0, "# time:") == 1 }
        on && index($0, ",work,") && !found++ { is_right = empty ? $3 == "" && $4 == "" : $3 != "" && $4 != "" }
        END { exit !is_right }'
}
lacks_interval() { bounds "$1" 1; }
has_interval() { bounds "$1" 0; }
check "and shares have no interval" lacks_interval all
check "of 19 nothing is said" silent few ""
check "of 40 % by 5 nothing is said" silent some ""
check "of 55 % by 2 nothing is said" silent half ""
check "of nearly all by 2 it is" speaks two ""

# ---- turns that other programs cut short: two threads give way to one another on one processor
cat >turns.c <<'END'
/* turns FILE SLEEPS MS: sleeps so often, and works for MS of CPU time */
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static int is_over;
static void *other(void *unused) {
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) sched_yield();
    return unused;
}
static long turns(void) {
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? used.ru_nivcsw : -1;
}
int main(int argc, char **argv) {
    static bursty_config config;
    pthread_t thread;
    cpu_set_t one;
    long began;
    if (argc < 4) return 2;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 3;
    config.watch = -1;
    if (bursty_start(&config) == 0) return 2;
    began = turns();
    if (pthread_create(&thread, NULL, other, NULL) != 0) return 2;
    while (turns() < began + 400) sched_yield();
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    for (began = atol(argv[2]); began > 0; began--) usleep(1);
    {
        BURST_SCOPE("work");
        clock_t until = clock() + (clock_t)atol(argv[3]) * (CLOCKS_PER_SEC / 1000);
        while (clock() < until) { }
        BURST_LEAVE();
    }
    return bursty_save(argv[1]) != 0;
}
END
${CC:-cc} ${CFLAGS:--O2} -pthread -I"$top" turns.c -o turns || exit 2
./turns slept.brst 60 800 && ./turns awake.brst 0 800 && ./turns short.brst 60 200 || exit 2
cut_short() { # NAME WORD: said before the first number
    bursty report "$1.brst" | tr '\n' ' ' |
        grep -q "^[^%]* MISSING: turns on the processor that other programs cut short$2, in [0-9]* ticks"
}
check "turns that were cut short are said" cut_short awake ""
check "and those of a program that sleeps" cut_short slept " or put off"
check "whose shares have no interval" lacks_interval slept
bursty report short.brst >short.out
check "of few ticks nothing is said" lacks short.out '^ticks [0-9]' 'cut short'
check "where nothing is said there is an interval" has_interval some
bursty merge all.brst some.brst -o both.brst
check "a sum of both is of both" speaks both ""

# ---- looks at random moments that came late: said if they are more than 5 of 100 ticks

cat >late.c <<'END'
/* late FILE LATE HZ: 100 ticks, so many of them of looks that came late */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdlib.h>
int main(int argc, char **argv) {
    static bursty_config config;
    config.watch = -1;
    config.tick_hz = argc > 3 ? atoi(argv[3]) : 0;
    if (argc < 4 || bursty_start(&config) == 0) return 2;
    {
        BURST_SCOPE("work");
        bursty_tick(100);
        BURST_LEAVE();
    }
#ifdef BURSTY_P_TICKER
    bursty_p_ticks.is_sent = 1;
    bursty_p_watcher.late = (bursty_p_tick_count)atoi(argv[2]);
    return bursty_save(argv[1]) != 0;
#else
    return 77;
#endif
}
END
${CC:-cc} ${CFLAGS:--O2} -pthread -I"$top" late.c -o late || exit 2
late() { # DUMP SAID: so many late, or nothing
    said=$(bursty report --csv "$1.brst" | sed -n 's/^.*ticks of looks that came late,\([0-9]*\),.*/\1/p')
    check "$1: ${2:-nothing} is said of late looks: $said" [ "$said" = "$2" ]
}
if ./late five.brst 5 1; then
    ./late six.brst 6 1
    ./late none.brst 0 1
    ./late tenths.brst 30 10
    bursty merge -o sum.brst five.brst six.brst
    bursty merge -o units.brst six.brst tenths.brst
    late none ""
    late five ""
    late six 6
    late sum 11
    late units 90 # in ticks of 100 ms
    check "the first of all" sh -c '"$0" report six.brst | sed -n 2p | grep -q "^MISSING: ticks of looks"' "$bursty"
else skip "there are no timers here"; fi

# ---- a game, half update and half draw, by the thread's clock of CPU time

cat >game.c <<'END'
/* game FILE PERIOD_US FRAMES WATCH */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdlib.h>
#include <time.h>
static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
static void spin(double ms) { double end = cpu_ms() + ms; while (cpu_ms() < end) { } }
__attribute__((noinline)) static void update(double ms) { BURST_SCOPE("update"); spin(ms); BURST_LEAVE(); }
__attribute__((noinline)) static void draw(double ms) { BURST_SCOPE("draw"); spin(ms); BURST_LEAVE(); }
int main(int argc, char **argv) {
    static bursty_config config;
    struct timespec t;
    long period = argc > 4 ? atol(argv[2]) : 0, i, n = argc > 4 ? atol(argv[3]) : 0;
    if (n == 0) return 2;
    config.watch = atoi(argv[4]);
    bursty_start(&config);
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec = t.tv_nsec / 4000000 * 4000000 + 2000000;
    for (i = 0; i < n; i++) {
        t.tv_nsec += period * 1000;
        if (t.tv_nsec >= 1000000000) {
            t.tv_nsec -= 1000000000;
            t.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        update(1.8);
        draw(1.8);
    }
    return bursty_save(argv[1]) != 0;
}
END
${CC:-cc} ${CFLAGS:--O2} -pthread -I"$top" game.c -o game || exit 2
# Of n equal looks a share of one half is within 5.3 / (2 sqrt n), but for once in ten million runs.
# Where the machine is busy a look may come late, at the end of a turn; what that adds is below .1.
# Looks that keep step are .49 off, with an n of 50 or more.
halves() { # DUMP
    bursty report --json "$1" >json 2>/dev/null || return
    worth=$(sed -n 's/.*"effective":\([0-9.e+]*\).*/\1/p' json | head -n 1)
    # Ticks that all count alike have no such number; of two seconds they are 50 and more.
    bursty report --csv "$1" | awk -F, -v worth="${worth:-50}" '
        /^# / { on = index($0, "# time:") == 1 }
        on && /,update,/ { update = $2 }
        on && /,draw,/ { draw = $2 }
        END {
            apart = update / (update + draw) - .5
            if (apart < 0) apart = -apart
            print update, draw, worth
            exit !(worth > 0 && apart < .1 + 5.3 / (2 * sqrt(worth))) }'
}
# Where the machine is busy, turns are put off.
in_step_or_halves() {
    bursty report "$1" | grep -Eq 'in step with the program|cut short or put off' || halves "$1"
}
for period in 20000 16667 10000 6944; do
    frames=$((2000000 / period))
    ./game sent.brst $period $frames 2
    check "a frame of $period us has its halves" halves sent.brst
    case $period in 16667 | 6944) continue ;; esac
    ./game timers.brst $period $frames 0
    check "timers and a frame of $period us: in step, put off, or halves" in_step_or_halves timers.brst
done
finish
