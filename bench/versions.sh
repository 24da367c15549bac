#!/bin/sh
# versions.sh [COMMIT] - what one operation of bursty.h, hcct.h and footprint.h takes in this tree and
# in version 0.1.0, or another COMMIT of this repository's history: executed instructions, which
# qemu-x86_64 counts by a plugin, of a run with 2 n operations less those of a run with n. `make bench`
# runs it. Prints a table for bench/results.md.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
before=${1:-8c4518a}
out=$build/bench/versions
mkdir -p "$out/before"
for tool in gcc git qemu-x86_64; do
    command -v $tool >/dev/null || { echo "bench/versions.sh: $tool is missing" >&2; exit 2; }
done
if ! git cat-file -e "$before^{commit}" 2>/dev/null; then
    echo "bench/versions.sh: this repository's history does not reach back to $before" >&2
    exit 2
fi
git archive "$before" bursty.h hcct.h footprint.h | tar -x -C "$out/before"
gcc -O2 -fPIC -shared -o "$out/icount.so" bench/real/icount.c
for family in BURSTY HCCT FOOTPRINT; do
    gcc -O2 -w -pthread -DWITH_$family -I. -o "$out/after-$family" bench/versions.c -lm
    gcc -O2 -w -pthread -DWITH_$family -DBEFORE -I"$out/before" -o "$out/before-$family" bench/versions.c -lm
done

count() { # VERSION-FAMILY OPERATION N: instructions of the whole run
    qemu-x86_64 -plugin "$out/icount.so" -d plugin -D "$out/log" "$out/$1" "$2" "$3"
    sed -n 's/^instructions //p' "$out/log"
}
n=400000
each() { # VERSION-FAMILY OPERATION
    one=$(count "$1" "$2" $n)
    two=$(count "$1" "$2" $((2 * n)))
    echo "$one $two" | awk -v n=$n '{ printf "%.3f", ($2 - $1) / n }'
}
row() { # FAMILY OPERATION BASE WHAT: the operation less its base
    printf '%s %s %s %s\n' "$(each "before-$1" "$2")" "$(each "before-$1" "$3")" \
        "$(each "after-$1" "$2")" "$(each "after-$1" "$3")" |
        awk -v what="$4" '{ printf "| %s | %.1f | %.1f |\n", what, $1 - $2, $3 - $4 }'
}
echo "| one operation | 0.1.0 ($before) | this tree |"
echo "|---|---:|---:|"
row BURSTY entry call "check at a function's entry, nothing samples"
row BURSTY 'check loop' loop "check in a loop, nothing samples"
row BURSTY scope call "scope, nothing samples"
row BURSTY 'sampled entry' call "check at a function's entry, bursts of 10 in 1000"
row BURSTY 'sampled loop' loop "check in a loop, bursts of 10 in 1000"
row BURSTY 'sampled scope' call "scope, bursts of 10 in 1000"
row HCCT contexts random "hcct.h: a call and its return, 16 MB"
row HCCT 'few contexts' random "hcct.h: a call and its return, 64 KiB"
row FOOTPRINT accesses random "footprint.h: an access of 10 000 blocks"
row FOOTPRINT 'far accesses' random "footprint.h: an access of 400 000 blocks"
