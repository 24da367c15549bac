#!/bin/sh
# test_hand.sh - checks by hand and code in two copies, against a model of Figures 2 and 3: the
# events of random programs, none missing, none extra (tests/hand). With FULL=1 each form of the
# build, as C and as C++, with an optimizer and without.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} CXX=${CXX:-c++}
src=tests/hand out=${BUILD:-build}/hand
case $out in
/*) at=$out ;;
*) at=$PWD/$out ;;
esac
mkdir -p "$out" || exit 2
printf '#define BURSTY_IMPLEMENTATION\n#include "bursty.h"\n' >"$out/bursty.c"
cp "$out/bursty.c" "$out/bursty.cc"
cp $src/main.c "$out/main.cc"

functions=50

# Compiles the implementation with the first compiler, and the programs of a seed with both optimizers.
ask() { # SEEDS OPTIMIZERS SUFFIX COMPILER OPTIONS...
    seeds=$1 optimizers=$2 suffix=$3
    shift 3
    main=$out/main.cc
    [ "$suffix" = c ] && main=$src/main.c
    if ! "$@" -O0 -I. -c -o "$out/bursty.o" "$out/bursty.$suffix"; then fail "$*: bursty.h"; return; fi
    for seed in $seeds; do
        awk -v seed="$seed" -v functions="$functions" -f $src/programs.awk >"$out/programs.inc"
        for optimizer in $optimizers; do
            if ! "$@" "$optimizer" -I. -Wall -Wextra -Werror -Wno-unused-function \
                    "-DPROGRAMS=\"$at/programs.inc\"" -o "$out/main" "$main" "$out/bursty.o" \
                    -lpthread; then
                fail "$* $optimizer, seed $seed: does not compile"
            elif ${RUN:-} "$out/main" >"$out/said" 2>&1; then
                pass
                echo "$* $optimizer, seed $seed: $(cat "$out/said")"
            else
                fail "$* $optimizer, seed $seed: $(tail -n 3 "$out/said")"
            fi
        done
    done
}

# What must not compile says which form is wrong; BURST_CHECK(); compiles without a warning.
cat >"$out/forms.c" <<'END'
#include "bursty.h"
#ifdef DOTS
#include <stdarg.h>
static DOTS(int, dots, (int n, ...), (n)) {
    va_list list;
    int s;
    va_start(list, n);
    s = va_arg(list, int);
    va_end(list);
    BURST_REF(BURSTY_LOAD, &s);
    return s;
}
#endif
int sum(const int *a, int n);
int sum(const int *a, int n) {
    int s = 0;
    BURST_CHECK();
#ifdef INSIDE
    BURST_FOR_LEAF(int, i, 0, n, { INSIDE; s += a[i]; })
#elif defined(SAME)
    s = BURST_SAME(sum, (a, n));
#elif defined(DOTS)
    s = dots(n, 1);
#elif defined(NESTED)
    while (a[--n] > 3) BURST_BODY({
        while (a[--n] > 2) BURST_BODY({
            while (a[--n] > 1) BURST_BODY({ __asm__ volatile("# a copy"); })
        })
    })
#else
    while (n-- > 0) {
        BURST_CHECK();
        s += a[n];
    }
#endif
    return s;
}
END
cp "$out/forms.c" "$out/forms.cc"
warns() { # OPTIONS...
    for of in "$CC -std=c99 $out/forms.c" "$CXX -std=c++11 $out/forms.cc"; do
        if $of -I. -Wall -Wextra -Wpedantic -Werror -O1 -c -o "$out/forms.o" "$@" >"$out/said" 2>&1; then pass
        else fail "BURST_CHECK(); $of $*: $(head -n 3 "$out/said")"; fi
    done
}
warns
warns -DBURSTY_OFF
warns -DBURSTY_PORTABLE
for inside in 'BURST_CHECK()' 'BURST_POINT(32,"x",1)' 'BURST_ENTRY()' 'BURST_LOOP()' 'BURST_SCOPE("x")' \
        'for(;;)BURST_BODY({})' 'BURST_FOR(int,k,0,n,{})' 'BURST_FOR_LEAF(int,k,0,n,{})'; do
    for of in "$CC -std=c99 $out/forms.c" "$CXX -std=c++11 $out/forms.cc"; do
        if $of "-DINSIDE=$inside" -I. -c -o "$out/forms.o" >"$out/said" 2>&1; then
            fail "$inside compiles in BURST_FOR_LEAF: $of"
        elif grep -q 'FOR_LEAF' "$out/said"; then pass
        else fail "$inside in BURST_FOR_LEAF: $(head -n 3 "$out/said")"; fi
    done
done
"$CC" -std=c99 -Werror -DSAME -I. -c -o "$out/forms.o" "$out/forms.c" >"$out/said" 2>&1
grep -q 'DUAL_LEAF' "$out/said"
ok $? "BURST_SAME of another function: $(head -n 3 "$out/said")"
# n loops in one another have n + 1 copies of the innermost body, not 2^n; clang joins two of them.
if "$CC" -std=gnu99 -DNESTED -O1 -I. -S -o "$out/forms.s" "$out/forms.c" 2>"$out/said"; then
    copies=$(grep -c '# a copy' "$out/forms.s")
    ok $([ "$copies" -ge 2 ] && [ "$copies" -le 4 ]; echo $?) "three loops in one another: $copies copies"
else
    fail "three loops in one another: $(head -n 3 "$out/said")"
fi
# A second function would not get what stands behind the last parameter.
for dots in BURST_DUAL BURST_DUAL_LEAF; do
    for of in "$CC -std=c99 $out/forms.c" "$CXX -std=c++11 $out/forms.cc"; do
        if $of "-DDOTS=$dots" -I. -c -o "$out/forms.o" >"$out/said" 2>&1; then
            fail "... compiles in $dots: $of"
        elif grep -qE 'takes a va_list|variable argument lists' "$out/said"; then pass
        else fail "... in $dots: $(head -n 3 "$out/said")"; fi
    done
done

if [ "${FULL:-0}" = 0 ]; then
    functions=30
    ask 1 -O2 c "$CC" -std=gnu99
else
    ask "1 2 3 4" "-O0 -O1 -O2 -O3" c "$CC" -std=gnu99
    for options in -DBURSTY_PORTABLE -DBURSTY_NO_TLS -DBURSTY_BARE "-DBURSTY_BARE -DBURSTY_NO_TLS" \
            -DBURSTY_STACK=0 -fPIC; do
        # shellcheck disable=SC2086
        ask "5 6" "-O0 -O2" c "$CC" -std=gnu99 $options
        # shellcheck disable=SC2086
        ask 7 "-O0 -O2" cc "$CXX" -std=gnu++11 $options
    done
    ask 8 "-O0 -O2" cc "$CXX" -std=gnu++11
fi

# Checks alone record nothing, and the report says so; or that an action got all events.
cat >"$out/checks.c" <<'END'
#include "bursty.h"
#include <stdio.h>
#include <string.h>
static void action(void *user, const bursty_event *e) { (void)user, (void)e; }
int main(int count, char **arguments) {
    bursty_stats now;
    bursty_profile own;
    int i, round = 0;
    memset(&own, 0, sizeof own);
    own.action = action;
    bursty_start(NULL);
    do { /* until a tick has come, where ticks come */
        for (i = 0; i < 1000000; i++) BURST_CHECK();
        bursty_get_stats(&now);
    } while (now.ticks == 0 && now.no_time == 0 && ++round < 1000);
    puts(now.ticks ? "ticks" : "no tick");
    if (count < 3 || bursty_save(arguments[1]) != 0 || bursty_set_profile(0, &own) != 0) return 1;
    bursty_clear();
    for (i = 0; i < 100000; i++) BURST_LOOP();
    return bursty_save(arguments[2]) != 0;
}
END
"$CC" -std=gnu99 -O0 -I. -c -o "$out/bursty.o" "$out/bursty.c" &&
    "$CC" -std=gnu99 -O0 -I. -o "$out/checks" "$out/checks.c" "$out/bursty.o" -lpthread &&
    ${RUN:-} "$out/checks" "$out/checks.brst" "$out/own.brst" >"$out/ticks"
ok $? "checks.c"
if [ -x "${BUILD:-build}/bursty" ]; then
    "${BUILD:-build}/bursty" report "$out/checks.brst" >"$out/said" 2>&1
    grep -q '^no event in: .* bursts: a check by hand' "$out/said"
    ok $? "a profile of checks alone: $(head -n 5 "$out/said")"
    if grep -q '^ticks' "$out/ticks"; then
        tr '\n' ' ' <"$out/said" | grep -q 'no scope: .*There is no time in this file: .* tick_hz = -1'
        ok $? "ticks and no scope: $(head -n 5 "$out/said")"
    fi
    "${BUILD:-build}/bursty" report "$out/own.brst" >"$out/said" 2>&1
    grep -q '^ *0 .* own-events  in bursts$' "$out/said"
    ok $? "a profile with an action: $(tail -n 3 "$out/said")"
fi
finish
