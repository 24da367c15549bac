#!/bin/sh
# test_ticks_dlclose.sh - a shared object with ticks of its own is opened, ticks, stops and is
# closed, three times; the program runs on with its code gone. The same with a watcher, which is
# not stopped but by the closing. Linux.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc}
dir=${BUILD:-build}/tests/ticks_dlclose
mkdir -p "$dir" || exit 2
dir=$(cd "$dir" && pwd)
cat >"$dir/part.c" <<'END'
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define SEEN __attribute__((visibility("default")))
static volatile unsigned sink;
/* 0: ticks came. 1: this machine has no such timers. 2: none came in a long time. */
SEEN int part(void);
SEEN int part(void) {
    static bursty_config config;
    bursty_stats stats;
    unsigned n;
    BURST_SCOPE("part");
#ifdef WATCHED
    config.watch = 1;
#endif
    config.tick_hz = 2000; /* in a shared object nothing ticks unless it is asked for */
    if (bursty_start(NULL) == 0) return 1;
    bursty_get_stats(&stats);
    if (stats.no_time != BURSTY_NO_TIME_SHARED) return 7;
    if (bursty_start(&config) == 0) return 1;
    bursty_get_stats(&stats);
    if (stats.no_time != BURSTY_TIME_IS_ON || stats.untimed) return 1;
    for (n = 0; n < 4000000000u; n++) {
        sink = sink * 1664525u + 1013904223u;
        if (n % 100000) continue;
        bursty_get_stats(&stats);
        if (stats.ticks >= 3) break;
    }
#ifndef WATCHED
    bursty_stop();
#endif
    return stats.ticks >= 3 ? 0 : 2;
}
END
cat >"$dir/main.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv) {
    volatile unsigned sink = 0;
    int i, status;
    for (i = 0; i < 3; i++) {
        void *part = dlopen(argv[argc - 1], RTLD_NOW);
        int (*run)(void);
        clock_t end;
        if (!part) return fprintf(stderr, "%s\n", dlerror()), 3;
        *(void **)(void *)&run = dlsym(part, "part");
        if (!run) return 4;
        status = run();
        if (status) return status;
        if (dlclose(part) != 0) return 5;
        part = dlopen(argv[argc - 1], RTLD_NOW | RTLD_NOLOAD);
        if (part) return 6; /* it is still there: nothing would be shown */
        for (end = clock() + CLOCKS_PER_SEC / 20; clock() < end;) sink = sink * 3u + 1u;
    }
    return 0;
}
END
[ "$(uname -s)" = Linux ] && [ -z "${RUN-}" ] || leave "not on this target"
case $CC in *tcc*|*mingw*) leave "no shared object with ticks by $CC" ;; esac
case ${CFLAGS-} in *fsanitize*) leave "a sanitizer keeps signals back and objects open" ;; esac
# shellcheck disable=SC2086
for watched in '' -DWATCHED; do
    $CC -std=gnu99 -O1 ${CFLAGS-} -fPIC -shared $watched -I. -o "$dir/part$watched.so" "$dir/part.c" \
        >"$dir/log" 2>&1 || leave "$CC makes no shared object: $(head -n 1 "$dir/log")"
done
# shellcheck disable=SC2086
$CC -std=c99 -O1 ${CFLAGS-} -o "$dir/main" "$dir/main.c" -ldl >"$dir/log" 2>&1 || leave "no dlopen here"
for watched in '' -DWATCHED; do
    "$dir/main" "$dir/part$watched.so" >"$dir/log" 2>&1
    status=$?
    [ $status != 1 ] || leave "no timers of threads' CPU time here"
    [ $status != 6 ] || leave "this C library keeps closed objects"
    if [ $status = 0 ]; then pass
    else
        fail "status $status $watched"
        cat "$dir/log"
    fi
done
finish
