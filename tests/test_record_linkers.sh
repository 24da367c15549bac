#!/bin/sh
# test_record_linkers.sh - names and lines of a program, whoever linked it: a segment of code need not
# begin at a page of the file, and its address need not be its place there.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_linkers
needs_recorder
unset COLUMNS
shown=err

# The line of fN is N + 1. The functions are alike, so that no name is right by its length.
{
    echo 'static volatile unsigned g;'
    i=1
    while [ $i -lt 120 ]; do
        echo "__attribute__((noinline, aligned(64))) unsigned f$i(unsigned n) { unsigned x = n, i; for (i = 0; i < n; i++) x = x * 1664525u + $i; g = x; return x; }"
        i=$((i + 1))
    done
    echo 'int main(void) { unsigned s = 0, n;'
    i=1
    while [ $i -lt 120 ]; do
        echo "s += f$i(10);"
        i=$((i + 1))
    done
    echo 'for (n = 0; n < 60000; n++) s += f90(2000); return s == 7; }'
} >many.c
$CC -O1 -g -c many.c || exit 2

others=$(seq 1 119 | grep -vx 90 | tr '\n' ' ')
linked=0
try() { # OPTIONS of the linker
    rm -f many
    $CC "$@" -o many many.o 2>log || return
    linked=$((linked + 1))
    "$bursty" record --lines -o x.brst ./many >got 2>err
    check "$*: time" grep -qE '^1 .* f90  *many\.c:91$' err
    "$bursty" report --min 0 x.brst >text
    check "$*: lines" grep -qE '^ *(9[0-9]|100)\.[0-9]*% .* many\.c:91  *f90$' text
    # Each call: f90 is called 60 001 times, and each other one once.
    "$bursty" record --calls --edges --every 0 -o x.brst ./many >got 2>err
    "$bursty" report --min 0 --top 0 x.brst >text
    check "$*: calls" grep -qE ' 60001  *60001  main > f90$' text
    names=$(sed -n 's/.*%  *1  *1  main > f\([0-9]*\)$/\1/p' text | sort -n | tr '\n' ' ')
    check "$*: each other one" [ "$names" = "$others" ]
}
try -fuse-ld=bfd
try -fuse-ld=bfd -Wl,-z,noseparate-code
try -fuse-ld=lld
try -fuse-ld=lld -Wl,--no-rosegment
try -fuse-ld=lld -no-pie
try -fuse-ld=mold
try -fuse-ld=gold
ok $((linked < 1)) "no linker"
[ $linked -ge 5 ] || skip "$linked of 7 ways to link are here"

# The program's name is that of its file, whatever it writes over its arguments.
cat >title.c <<'P'
#include <string.h>
int main(int count, char **word) {
    volatile unsigned i;
    memset(word[count - 1], 'x', strlen(word[count - 1]));
    memcpy(word[0], "client 1", 8);
    for (i = 0; i < 60000000; i++) { }
    return 0;
}
P
$CC -O1 -g -o title title.c || exit 2
for mode in --time --calls --misses; do
    "$bursty" record $mode -o x.brst ./title words >got 2>err
    "$bursty" report x.brst >text 2>err
    check "$mode: the program's name" [ "$(head -n 1 text)" = title ]
done
finish
