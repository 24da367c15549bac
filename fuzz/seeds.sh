#!/bin/sh
# seeds.sh FOLDER [DUMP...] - what fuzz_dump starts from: the dumps of tests/make_dumps.c and those
# that are named, whole (first byte 0), and the payload of each (first byte its kind; chunks' lengths and
# crcs are left in, the fuzzer gets over them).
set -e
folder=$1
shift
mkdir -p "$folder"
${CC:-cc} -std=c99 -Itests -o "$folder/../make_dumps" tests/make_dumps.c
mkdir -p "$folder/../dumps"
"$folder/../make_dumps" "$folder/../dumps"
for dump in "$folder"/../dumps/*.brst "$@"; do
    [ -f "$dump" ] || continue
    name=$(basename "$dump" .brst)
    {
        printf '\0'
        cat "$dump"
    } >"$folder/$name"
    kind=$(od -An -tu1 -j6 -N1 "$dump" | tr -d ' ')
    {
        printf "\\$kind"
        tail -c +19 "$dump"
    } >"$folder/$name-payload"
done
cp tests/place/*.burstycg "$folder"
