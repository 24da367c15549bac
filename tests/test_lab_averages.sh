#!/bin/sh
# test_lab_averages.sh - bursty-lab averages on traces whose averages are known, and on broken ones.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} BUILD=${BUILD:-build}
lab=$BUILD/bursty-lab dir=$BUILD/tests/lab_averages
rm -rf "$dir"
mkdir -p "$dir" || exit 2
shown=$dir/err
run() { # STATUS ARGUMENT...
    wanted=$1
    shift
    ${RUN-} "$lab" averages "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    [ $got = "$wanted" ]
    ok $? "status $got, not $wanted: $*"
}
has() { # PATTERN
    grep -q -e "$1" "$dir/out" "$dir/err"
    ok $? "no '$1'"
}
# The columns at a window: exact, Chandra's, Suh's, Shen's.
row() { # WINDOW EXACT CHANDRA SUH SHEN WITHIN: these numbers, but for the share WITHIN
    awk -v w="$1" -v v="$2 $3 $4 $5" -v within="$6" '
        $1 == w && NF == 5 {
            found = 1
            split(v, want, " ")
            for (i = 1; i <= 4; i++)
                if ($(i + 1) < want[i] * (1 - within) - .0006 ||
                    $(i + 1) > want[i] * (1 + within) + .0006) bad = 1
        }
        END { exit !found || bad }' "$dir/out"
    ok $? "a window of $1 has not $2 $3 $4 $5: $(grep " $1 " "$dir/out")"
}

cat >"$dir/make.c" <<'END'
/* make KIND N M THREADS: a block trace; with THREADS a byte in front of each access, 1 and 2 in turn. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    unsigned long n = strtoul(argv[2], NULL, 10), m = strtoul(argv[3], NULL, 10), i;
    uint64_t s = 1, last[2] = {0, 0};
    for (i = 0; i < n; i++) {
        uint64_t block, z;
        int64_t d;
        int t = argc > 4 && i % 2;
        s = s * UINT64_C(6364136223846793005) + 1442695040888963407u;
        block = 77 + (argv[1][0] == 'c' ? i / (argc > 4 ? 2 : 1) % m : (s >> 40) % m);
        d = (int64_t)(block - last[t]);
        z = ((uint64_t)d << 1) ^ (d < 0 ? ~(uint64_t)0 : 0);
        if (argc > 4) putchar(1 + t);
        for (; z > 127; z >>= 7) putchar((int)(z & 127) | 128);
        putchar((int)z);
        last[t] = block;
    }
    return 0;
}
END
$CC -std=c99 -o "$dir/make" "$dir/make.c" || { echo "0 passed, 1 failed"; exit 1; }

# A round of 100: a window of w touches w blocks up to 100. Each access up to there misses, and so
# says each formula: M(f) = 1 below 100 blocks, so E grows by 1; no block comes back before 100.
# From there on Chandra's and Suh's grow by the first accesses, 100 of 100000.
"$dir/make" cyclic 100000 100 >"$dir/cyclic"
run 0 "$dir/cyclic"
has '^100000 accesses to 100 blocks'
for w in 1 3 15 63; do row $w $w $w $w "$(awk "BEGIN { print $w * 100 / 99 }")" 0; done
row 1023 100 100.9 100.9 100 .001
row 32767 100 132.7 132.7 100 .001

# Random: a window of w touches m (1 - (1 - 1/m)^w) blocks on average. A cache of f blocks misses
# 1 - f/m of the accesses, so Chandra's recursion has the same solution, and Suh's is
# m (1 - e^(-w/m)). Times between two accesses are geometric: Shen's is as near.
"$dir/make" random 400000 50 >"$dir/random"
run 0 "$dir/random"
for w in 3 7 31 127; do
    set -- $(awk "BEGIN { printf \"%.6f %.6f\", 50 * (1 - (49 / 50) ^ $w), 50 * (1 - exp(-$w / 50)) }")
    row $w "$1" "$1" "$2" "$1" .03
done
"$dir/make" random 400000 3 >"$dir/three"
run 0 "$dir/three"
for w in 1 3 7; do
    set -- $(awk "BEGIN { printf \"%.6f %.6f\", 3 * (1 - (2 / 3) ^ $w), 3 * (1 - exp(-$w / 3)) }")
    row $w "$1" "$1" "$2" "$1" .01
done

# Only one thread, and only a beginning.
"$dir/make" cyclic 40000 10 both >"$dir/threads"
run 0 --thread 2 "$dir/threads"
has '^20000 accesses to 10 blocks'
row 7 7 7 7 7.778 .001
run 0 --threads "$dir/threads"
has '^40000 accesses to 10 blocks'
run 0 --to 1000 "$dir/random"
has '^1000 accesses to 50 blocks'
run 0 --json --to 1000 - <"$dir/cyclic"
has '^{"accesses":1000,"blocks":100,"windows":\[{"window":1,"exact":1,"chandra":1,"suh":1,"shen":1.01010101},'
has '"errors":{"chandra":{"mean":[0-9.]*,"most":[0-9.]*,"at":[0-9]*},"suh":{.*"shen":{.*}}}$'
head -c 1 "$dir/cyclic" >"$dir/one"
: >"$dir/none"
for trace in one none; do
    run 2 "$dir/$trace"
    [ "$(wc -l <"$dir/err")" -le 2 ]
    ok $? "more than two lines: $trace"
done
"$dir/make" cyclic 1 5 >"$dir/one"
run 0 --json "$dir/one"
has '^{"accesses":1,"blocks":1,"windows":\[\],"errors":{}}$'
"$dir/make" cyclic 9 1 >"$dir/same"
run 0 "$dir/same"
row 3 1 1.222 1.0587 1 .001 # the size 1 is reached after ln 9 x 9/8
run 2 --to 0 "$dir/cyclic"
run 2 --to x "$dir/cyclic"
run 2 --thread 256 "$dir/threads"
run 2 --bogus "$dir/cyclic"
run 2 "$dir/cyclic" "$dir/cyclic"
run 2
run 2 "$dir/nowhere"
run 0 --help
has '^usage: bursty-lab averages'
finish
