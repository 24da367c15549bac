#!/bin/sh
# test_cc_ticks.sh - bursty cc --ticks: the report begins with time; a leaf that loops has its share
# and is not charged to its caller; without the option nothing ticks.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-cc}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
bursty=$BUILD/bursty
dir=$BUILD/tests/cc_ticks
rm -rf "$dir"
mkdir -p "$dir/tmp" || exit 2
export TMPDIR=$dir/tmp BURSTY_CACHE=$dir/../cc_runtime
cd "$dir" || exit 2

# The time in both is processor time, so a busy machine changes nothing.
cat >work.c <<'E1'
#include <time.h>
static volatile unsigned long sum;
static __attribute__((noinline)) void leaf(long n) {
    for (long i = 0; i < n; i++) sum = sum * 3 + (unsigned long)i;
}
static __attribute__((noinline)) void tiny(void) { sum++; }
static __attribute__((noinline)) void caller(void) {
    leaf(100000);
    tiny();
}
int main(void) {
    while (clock() < CLOCKS_PER_SEC * 4 / 10) caller();
    return 0;
}
E1
needs_programs .

# The row of a function in the table of time: its self share in whole percent, or nothing.
self_of() { # FUNCTION
    "$bursty" report --min 0 work.brst | awk -v name="$1" '
        /^where does it run/ { table = 1 }
        /^$/ { table = 0 }
        table && $9 == name { print int($2) }'
}
build() { # OPTIONS...
    rm -f work.brst
    "$bursty" cc "$@" -o work work.c >log 2>&1 && ./work >>log 2>&1 || fail "$*: $(cat log)"
}

for level in -O0 '-g -O2'; do
    build --ticks -- $CC $level
    "$bursty" report work.brst >report
    # What no tick saw stands before it, where the machine stood still.
    if head -n 6 report | grep -q '^leaf takes .* of the time '; then pass
    else fail "$level: the report begins with: $(head -n 6 report)"; fi
    # Of 40 ticks nearly all are the leaf's.
    [ "$(self_of leaf)" -ge 80 ] 2>/dev/null && pass || fail "$level: leaf: $(cat report)"
    [ "$(self_of caller)" -le 20 ] 2>/dev/null && pass || fail "$level: caller: $(cat report)"
    [ -z "$(self_of tiny)" ] && pass || fail "$level: tiny has a scope: $(cat report)"
done

build --ticks --entries=EL -- $CC -O2
[ "$(self_of caller)" -ge 80 ] 2>/dev/null && [ -z "$(self_of leaf)" ] && pass ||
    fail "EL: $("$bursty" report work.brst)"
build --form=scope --entries=all -- $CC -O2
"$bursty" report work.brst >report
lacks report ' leaf ' 'time by ticks' && pass || fail "time that nobody asked for: $(cat report)"

finish
