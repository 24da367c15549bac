#!/bin/sh
# footprint_versions.sh DIRECTORY [TRACE...] - ns an access of footprint.h and interleave.h here and
# of those in DIRECTORY (another version), taking turns; the best of five rounds each.
here=$(cd "$(dirname "$0")/.." && pwd)
there=${1:?the directory of the other headers}
shift
out=${BUILD:-build}/bench/versions
mkdir -p "$out" || exit 2
for side in here there; do
    eval "from=\$$side"
    ${CC:-cc} -std=c99 -O2 -I"$from" -I"$here/bench" -I"$here/tools" -o "$out/$side" \
        "$here/bench/footprint_versions.c" -lm || exit 2
done
printf '%-28s %8s %8s %6s\n' input there here ratio
row() { # NAME ARGUMENT...
    name=$1
    shift
    : >"$out/times"
    for round in 1 2 3 4 5; do
        echo "$("$out/there" "$@") $("$out/here" "$@")" >>"$out/times"
    done
    awk -v name="$name" '
        NR == 1 || $1 < there { there = $1 }
        NR == 1 || $2 < here { here = $2 }
        END { printf "%-28s %8.1f %8.1f %6.2f\n", name, there, here, here / there }' "$out/times"
}
for input in random-1e6 exact-1e6 zipf-1e6 zipf-1e4 turns-.9 turns-1; do row $input $input; done
for trace in "$@"; do
    for c in .9 1; do row "$(basename "$trace"), c = $c" "$trace" $c; done
done
