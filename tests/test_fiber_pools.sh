#!/bin/sh
# test_fiber_pools.sh - fibers as programs have them: jobs that yield, each on whichever thread
# is free, by ucontext and by a switch of stacks in assembly. Each call has its true caller and
# context. Switches that nobody can follow are said first.
. tests/check.sh
in_folder fiber_pools
export BURSTY_SEED=

cat >pool.c <<'END'
/* Jobs that yield, on a pool of threads: JOBS fibers, each on whichever thread is free. Each
   job's work_K calls leaf_K twice a round and yields between them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "bursty.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { JOBS = 6, ROUNDS = 300, STACK = 1 << 16 };
#ifndef WORKERS
#define WORKERS 3
#endif
#ifdef SWITCH_BY_HAND
typedef struct { void *sp; } context;
void switch_stacks(context *from, const context *to);
__asm__(".text\n.globl switch_stacks\n.type switch_stacks,@function\nswitch_stacks:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov (%rsi),%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
#else
#include <ucontext.h>
typedef ucontext_t context;
static void switch_stacks(context *from, context *to) { (void)swapcontext(from, to); }
#endif
typedef struct job {
    bursty_fiber fiber;
    context self, *home;
    char *stack;
    int is_done;
    void (*body)(struct job *);
} job;
static job jobs[JOBS];
static job *queue[JOBS];
static int queued, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void __attribute__((noinline)) yield(job *j) {
#ifndef STAYS
    bursty_fiber_switch(NULL);
#endif
    switch_stacks(&j->self, j->home);
}
#define JOB(k) \
    static void __attribute__((noinline)) leaf_##k(void) { \
        BURST_SCOPE("leaf_" #k); BURST_LEAVE(); \
    } \
    static void __attribute__((noinline)) work_##k(job *j) { \
        BURST_SCOPE("work_" #k); leaf_##k(); yield(j); leaf_##k(); BURST_LEAVE(); \
    } \
    static void body_##k(job *j) { int i; for (i = 0; i < ROUNDS; i++) work_##k(j); }
JOB(0) JOB(1) JOB(2) JOB(3) JOB(4) JOB(5)
static void (*const bodies[JOBS])(job *) = {
    body_0, body_1, body_2, body_3, body_4, body_5,
};

static void begin(unsigned low, unsigned high) {
    job *j = (job *)(((uintptr_t)high << 16 << 16) | low);
    j->body(j);
    j->is_done = 1;
    yield(j);
}
#ifdef SWITCH_BY_HAND
static __thread job *begins; /* what the thread switches to */
static void begin_by_hand(void) {
    const uintptr_t at = (uintptr_t)begins;
    begin((unsigned)at, (unsigned)(at >> 16 >> 16));
}
#endif
static void *run(void *unused) {
    context home;
    memset(&home, 0, sizeof home);
    for (;;) {
        job *j;
        pthread_mutex_lock(&lock);
        while (!queued && done < JOBS) pthread_cond_wait(&more, &lock);
        if (done == JOBS) break;
        j = queue[0];
        memmove(queue, queue + 1, (size_t)--queued * sizeof *queue);
        pthread_mutex_unlock(&lock);
        j->home = &home;
        bursty_fiber_switch(&j->fiber);
#ifdef SWITCH_BY_HAND
        begins = j;
#endif
        switch_stacks(&home, &j->self);
        pthread_mutex_lock(&lock);
        if (j->is_done) done++;
        else queue[queued++] = j;
        pthread_cond_broadcast(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int argc, char **argv) {
    pthread_t thread[WORKERS];
    bursty_config config;
    int i;
    memset(&config, 0, sizeof config);
    config.profile.every = argc > 2 ? (uint32_t)atoi(argv[2]) : BURSTY_ALWAYS;
    config.seed = 1;
    config.tick_hz = -1;
    if (!bursty_start(&config)) return 3;
    for (i = 0; i < JOBS; i++) {
        job *j = &jobs[i];
        j->stack = (char *)malloc(STACK);
        j->body = bodies[i];
#ifdef SWITCH_BY_HAND
        {
            void **top = (void **)(((uintptr_t)j->stack + STACK) & ~(uintptr_t)15) - 1;
            *--top = (void *)begin_by_hand; /* where ret goes; a call leaves 8 of 16 */
            j->self.sp = memset(top - 6, 0, 6 * sizeof *top);
        }
#else
        const uintptr_t at = (uintptr_t)j;
        getcontext(&j->self);
        j->self.uc_stack.ss_sp = j->stack;
        j->self.uc_stack.ss_size = STACK;
        makecontext(&j->self, (void (*)(void))begin, 2, (unsigned)at,
                    (unsigned)(at >> 16 >> 16));
#endif
        queue[queued++] = j;
    }
    for (i = 0; i < WORKERS; i++) pthread_create(&thread[i], NULL, run, NULL);
    for (i = 0; i < WORKERS; i++) pthread_join(thread[i], NULL);
    return bursty_save(argv[1]) != 0;
}
END

cat >headers.c <<'END'
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#ifdef WITH_CONTEXTS
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#endif
END

# All calls of each job: work_K 300, by nobody, and leaf_K 600, by work_K.
judge() { # NAME HEADERS-OPTIONS OPTIONS...
    name=$1 headers=$2
    shift 2
    log=$out/log
    # shellcheck disable=SC2086
    [ -f "headers$headers.o" ] ||
        "$CC" -O0 $headers -I"$top" -c -o "headers$headers.o" headers.c
    # shellcheck disable=SC2086
    check "$name is built" "$CC" $headers "$@" -I"$top" -Wall -o "$name" pool.c \
        "headers$headers.o" -pthread
    check "$name runs" "./$name" "$name.brst"
    log=''
    "$bursty" report --csv --min 0 "$name.brst" >"$name.csv"
    lacks "$name.csv" '^# functions' '^# losses'
    ok $? "$name: nothing is lost"
    for table in $tables; do
        sed -n "/^# $table:/,/^$/p" "$name.csv" >part
        for k in 0 1 2 3 4 5; do
            case $table in
            functions) wanted="leaf_$k 600:work_$k 300" ;;
            pairs)     wanted="work_$k,leaf_$k 600" ;;
            context_functions) wanted="leaf_$k 600:work_$k 300" ;;
            context_pairs) wanted="work_$k,leaf_$k 600:(none),work_$k 300" ;;
            contexts)  wanted="work_$k > leaf_$k 600:work_$k 300" ;;
            esac
            IFS=:
            for row in $wanted; do
                awk -F, -v row="${row% *}" -v count="${row##* }" -v table="$table" '
                    NR == 2 { for (i = 1; i <= NF; i++) at[$i] = i }
                    NR > 2 && NF {
                        callee = $at[table == "pairs" ? "function" : "callee"]
                        name = table ~ /pairs/ ? $at["caller"] "," callee \
                             : $at[table == "contexts" ? "context" : "function"]
                        n = $at[table ~ /^context_/ ? "calls" \
                              : table == "contexts" ? "at_least" : "sampled"]
                        if (name == row) { found++; wrong += n != count }
                    }
                    END { exit !(found == 1 && !wrong) }' part
                ok $? "$name: $table: $row"
            done
            unset IFS
        done
        # Nothing else: all was counted, so there is no interval either.
        rows=$(grep -c '^0' part)
        case $table in pairs) wanted=6 ;; *) wanted=12 ;; esac
        [ "$rows" = $wanted ]
        ok $? "$name: $rows rows of $table"
    done
    case $tables in *contexts*)
        lacks "$name.csv" '^# contexts' share_low
        ok $? "$name: contexts that were all counted have no interval" ;;
    esac
}
tables='functions pairs'
# Scopes in C: a compiler may keep a thread's address across a switch, so fibers stay on one thread.
judge portable -DBURSTY_PORTABLE -O1 -DWORKERS=1
workers=1
if compiler_says '__x86_64__ && !__ILP32__'; then
    workers=3
    judge by_hand "" -O2 -DSWITCH_BY_HAND
fi
judge by_ucontext "" -O2 -DWORKERS=$workers
tables='context_functions context_pairs contexts'
judge with_contexts -DWITH_CONTEXTS -O2 -DWORKERS=$workers

# A fiber that main is in when another thread enters it; and a switch in an action.
cat >wrong.c <<'END'
#include "bursty.h"
#include <pthread.h>
#include <string.h>
static bursty_fiber job, other;
static int is_right;
static void *run(void *u) {
    bursty_fiber_switch(&job);
    { BURST_SCOPE("second"); BURST_LEAVE(); }
    bursty_fiber_switch(NULL);
    return u;
}
static void waits(void *u, const bursty_event *e) {
    (void)u, (void)e;
    bursty_fiber_switch(bursty_fiber_switch(&other));
}
int main(int argc, char **argv) {
    pthread_t t;
    bursty_config c;
    memset(&c, 0, sizeof c);
    memset(&job, 0, sizeof job);
    job.name = "job";
    c.tick_hz = -1;
    c.profile.every = BURSTY_ALWAYS;
    if (argc > 2 && *argv[2] == 'a') c.profile.action = waits;
    is_right = argc > 2 && *argv[2] == 'r';
    if (!bursty_start(&c)) return 3;
    bursty_fiber_switch(&job);
    { BURST_SCOPE("first"); BURST_LEAVE(); }
    if (is_right) bursty_fiber_switch(NULL);
    if (argc < 3 || is_right) pthread_create(&t, NULL, run, NULL), pthread_join(t, NULL);
    bursty_fiber_switch(NULL);
    return bursty_save(argv[1]) != 0;
}
END
log=$out/log
check "wrong switches are built" "$CC" -O1 -I"$top" -o wrong wrong.c headers.o -pthread
check "a fiber of two threads" ./wrong two.brst
check "an action that switches" ./wrong action.brst action
check "the same handed over" ./wrong right.brst right
log=''
for name in two action right; do "$bursty" report "$name.brst" >$name; done
# The thread enters while main is in it, and main leaves what the thread has left. Of four
# switches the thread may not have said its last one when it ended.
sed -n 2p two | grep -qE '^MISSING: switches to a fiber that another thread ran: 2, (50|66.7) % of'
ok $? "two threads in a fiber are said first"
# Each of the two events of the scope switches there and back; two more switches are in order.
sed -n 2p action | grep -q '^MISSING: switches of fibers in an action, or in the middle of an event: 4, 66.7 % of all'
ok $? "switches in an action are said first"
lacks right '^right.brst' MISSING
ok $? "a fiber that is handed over is no fault"
"$bursty" merge -o merged.brst two.brst action.brst
"$bursty" report --csv merged.brst >merged
grep -q '^switches to a fiber that another thread ran,2,' merged && grep -q '^"switches of fibers in an action, .*",4,' merged
ok $? "merged, both are there"
finish
