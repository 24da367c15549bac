#!/bin/sh
# footprint_tables.sh DIRECTORY [TRACE...] - do footprint.h and interleave.h here count as those in
# DIRECTORY do (another version)? Prints the shapes whose tables differ; ends with 1 if there are
# any.
here=$(cd "$(dirname "$0")/.." && pwd)
there=${1:?the directory of the other headers}
shift
out=${BUILD:-build}/bench/tables
mkdir -p "$out" || exit 2
for from in "$here" "$there"; do
    ${CC:-cc} -std=c99 -O2 -I"$from" -I"$here/bench" $FLAGS -o "$out/tables" \
        "$here/bench/footprint_tables.c" -lm || exit 2
    "$out/tables" "$@" >"$out/out" || exit 2
    [ "$from" = "$here" ] && mv "$out/out" "$out/here"
done
diff "$out/here" "$out/out" || exit 1
echo "$(wc -l <"$out/here") shapes, all alike"
