#!/bin/sh
# test_record_nested.sh - a `bursty record` inside of another one records what it was asked for, and
# its program sees nothing of either: what the outer one left in the environment is cleared.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_nested
needs_recorder
unset COLUMNS
shown=err

cat >two.c <<'P'
#include <stdio.h>
#include <stdlib.h>
volatile unsigned z;
__attribute__((noinline)) unsigned alpha(unsigned n) { unsigned s = z; while (n) s += n * n--; return s; }
__attribute__((noinline)) unsigned beta(unsigned n) { unsigned s = z; while (n) s ^= n * n--; return s; }
int main(void) {
    const char *library = getenv("LD_PRELOAD"), *record = getenv("BURSTY_RECORD");
    unsigned i, s = 0;
    for (i = 0; i < 300000; i++) s += alpha(i & 7) + beta(i & 7);
    printf("%s %s\n", library ? library : "-", record ? record : "-");
    return s == 7;
}
P
$CC -O1 -g -o two two.c || exit 2

calls() { # FILE: functions with about half of the calls
    "$bursty" report "$1" | awk '/by function/ { reads = 1 } /by caller/ { reads = 0 } reads && /^(49|50|51)\.[0-9]*% .* (alpha|beta)$/ { print $NF }' |
        sort | tr '\n' ' '
}
"$bursty" record --calls --quiet -o plain.brst ./two >got 2>err
check "alone" [ "$(calls plain.brst)" = 'alpha beta ' ]
inner="$bursty record --calls --quiet -o inner.brst ./two"
for of in '' '--only alpha' '--not beta --calls' '--frames alpha' '--only alpha --misses --caches 4k' \
    '--refs --streams 1 --not alpha' '--calls --off --every 1 --burst 1 --seed 9'; do
    rm -f inner.brst
    # shellcheck disable=SC2086
    "$bursty" record --follow $of --quiet -o outer.brst sh -c "$inner" >got 2>err
    check "inside of --follow $of" [ "$(calls inner.brst)" = 'alpha beta ' ]
    check "inside of --follow $of: the program's environment" [ "$(cat got)" = '- -' ]
    rm -f outer.brst*
done
# What was preloaded before both comes back, and only that.
library=$(ldd /bin/sh | awk '/libc\.so/ { print $3 }')
LD_PRELOAD=$library "$bursty" record --follow --misses --quiet -o outer.brst sh -c "$inner" >got 2>err
check "a library of the user's own" [ "$(cat got)" = "$library -" ]
rm -f outer.brst*

# A text that another version has left is not guessed at.
BURSTY_RECORD='9900 100 12 3 1 4 1 0 0 77 0 0 - /tmp/x' LD_PRELOAD=$build/bursty-record.so ./two >got 2>err
check "another version: the program runs" grep -q "bursty-record.so 9900" got
check "another version: it is said" grep -q '^bursty: the recorder and the tool are not of one version$' err
BURSTY_RECORD=nonsense "$bursty" record --calls --quiet -o inner.brst ./two >got 2>err
check "nonsense is replaced" [ "$(calls inner.brst)" = 'alpha beta ' ]
finish
