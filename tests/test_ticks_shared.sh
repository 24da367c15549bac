#!/bin/sh
# test_ticks_shared.sh - ticks in a function's first and last instructions find its scope in
# position-independent code, too: in shared objects and executables, with each way to address a
# thread's variables. A debugger's flag makes the processor trap behind each instruction. Optimised
# code for x86-64 Linux.
set -u
cd "$(dirname "$0")/.." || exit 2
CC=${CC:-cc}
dir=${BUILD:-build}/tests/ticks_shared
mkdir -p "$dir" || exit 2
dir=$(cd "$dir" && pwd)
passed=0 failed=0
skip() { echo "skipped: $*"; echo "$passed passed, $failed failed, 1 skipped"; exit 0; }
cat >"$dir/part.c" <<'END'
#define _GNU_SOURCE
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#ifndef TICKS_P_READS_CODE
int part(void);
__attribute__((visibility("default"))) int part(void) { return 1; }
#else
typedef unsigned (*stepped)(unsigned a);
static volatile unsigned stored[8];
static volatile stepped now;
static const char *volatile scope;
static volatile int stepping;
static volatile unsigned inside, own, doubled; /* instructions of the function, of its scope */

static void trap(int number, siginfo_t *info, void *context) {
    ucontext_t *c = (ucontext_t *)context;
    const unsigned char *pc = (const unsigned char *)c->uc_mcontext.gregs[REG_RIP];
    uint32_t depth = BURSTY_P_HERE.depth;
    const bursty_site *top = depth ? BURSTY_P_HERE.stack[depth - 1] : NULL, *running, *site;
    (void)number;
    (void)info;
    if (!stepping) c->uc_mcontext.gregs[REG_EFL] &= ~INT64_C(0x100);
    if (ticks_p_function(pc) != (const unsigned char *)(uintptr_t)now) return;
    running = ticks_p_running(pc);
    site = running ? running : top;
    inside++;
    own += site && strcmp(site->name, scope) == 0;
    doubled += running && running == top;
}

static void step(stepped function, const char *name) {
    struct sigaction action, old;
    now = function;
    scope = name;
    inside = own = doubled = 0;
    (void)function(7);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, &old);
    stepping = 1;
    __asm__ __volatile__("leaq -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n"
                         "leaq 128(%%rsp), %%rsp" : : : "cc", "memory");
    (void)now(7);
    stepping = 0;
    __asm__ __volatile__("nop");
    sigaction(SIGTRAP, &old, NULL);
    printf("%s: %u of %u, doubled %u\n", name, own, inside, doubled);
}

__attribute__((noinline)) static unsigned small_scope(unsigned a) {
    BURST_SCOPE("small_scope");
    stored[0] = a;
    return a * 3 + stored[1];
}
__attribute__((noinline)) static unsigned busy_scope(unsigned a) {
    unsigned i, sum = 0;
    BURST_SCOPE("busy_scope");
    for (i = 0; i < 8; i++) sum += stored[i] * a;
    if (sum == 1) return small_scope(sum);
    for (i = 0; i < 8; i++) stored[i] = sum + a + i;
    return sum;
}
__attribute__((noinline)) static unsigned a_late_scope(unsigned a) {
    unsigned i;
    for (i = 0; i < 20 * a; i++) stored[i & 7] = a + i;
    {
        BURST_SCOPE("late");
        stored[0] = a;
    }
    return a;
}
__attribute__((noinline)) static unsigned an_early_scope(unsigned a) {
    unsigned i;
    {
        BURST_SCOPE("early");
        stored[0] = a;
    }
    for (i = 0; i < 20 * a; i++) stored[i & 7] = a + i;
    return a;
}

int part(void);
__attribute__((visibility("default"))) int part(void) {
    static ticks_config config;
    static bursty_config bursty;
    int wrong = 0;
    bursty.profile.every = BURSTY_ALWAYS / 8;
    bursty.profile.burst = 1;
    bursty.profile.jitter = -1;
    config.bursty = &bursty;
    config.period_us = 1000000000; /* no timer disturbs */
    if (ticks_start(&config) != 0 || ticks_p_code.count == 0) return 1;
    step(small_scope, "small_scope");
    wrong |= own != inside || inside < 10 || doubled;
    step(busy_scope, "busy_scope");
    wrong |= own != inside || inside < 30 || doubled;
    step(a_late_scope, "late");
    wrong |= own == 0 || own + 200 > inside || doubled;
    step(an_early_scope, "early");
    wrong |= own == 0 || own + 200 > inside || doubled;
    ticks_stop();
    return wrong ? 2 : 0;
}
#endif
END
cat >"$dir/main.c" <<'END'
int part(void);
int main(void) { return part(); }
END
[ "$(uname -s)" = Linux ] && [ -z "${RUN-}" ] || skip "not on this target"
case $CC in *tcc*|*mingw*) skip "$CC has no timers" ;; esac
case ${CFLAGS-} in *fsanitize*) skip "a sanitizer changes the code" ;; esac
echo | $CC ${CFLAGS-} -dM -E - 2>/dev/null | grep -q '__x86_64__' || skip "not on this machine"
echo | $CC ${CFLAGS-} -dM -E - | grep -q '__ILP32__' && skip "not on this machine"

try() { # WHAT FLAGS...: the part with these flags
    what=$1
    shift
    case $what in
    *shared*) made="-shared -o $dir/libpart.so" with="$dir/libpart.so -Wl,-rpath,$dir" ;;
    *) made="-c -o $dir/part.o" with="-pie $dir/part.o" ;;
    esac
    # shellcheck disable=SC2086
    if ! $CC -std=gnu99 ${CFLAGS-} -O2 -I. "$@" $made "$dir/part.c" >"$dir/log" 2>&1 ||
        ! $CC ${CFLAGS-} -o "$dir/main" "$dir/main.c" $with >>"$dir/log" 2>&1; then
        echo "$what: $CC cannot: $(head -n 1 "$dir/log")"
        return
    fi
    "$dir/main" >"$dir/log" 2>&1
    case $? in
    0) passed=$((passed + 1)) ;;
    1) skip "no timers of threads' CPU time, or no sorted table for unwinding" ;;
    *)
        failed=$((failed + 1))
        echo "FAILED: $what"
        cat "$dir/log"
        ;;
    esac
}
try "shared object" -fPIC
try "shared object without jumps to other objects" -fPIC -fno-plt
try "shared object, static functions" -fPIC -DBURSTY_STATIC -DTICKS_STATIC
try "shared object, local-dynamic" -fPIC -ftls-model=local-dynamic
try "shared object, initial-exec" -fPIC -ftls-model=initial-exec
try "executable, -fPIC" -fPIC
try "executable, -fPIE" -fPIE
[ $((passed + failed)) != 0 ] || skip "$CC makes no such code"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
