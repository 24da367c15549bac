#!/bin/sh
# refs_names.sh PROGRAM RUN [calls] - names for `bursty-lab streams --names`: a line `pc
# function`, a tab and `file:line` for each site of RUN.table, which record/inside/hooks/refs.c has written
# while PROGRAM ran. calls: for each function of RUN.pairs instead, for --calls. PROGRAM must be
# compiled with -g. Wants addr2line, and a little-endian machine.
[ $# = 2 ] || [ "$#,$3" = 3,calls ] || {
    echo "usage: refs_names.sh PROGRAM RUN [calls]" >&2
    exit 2
}
set -e
base=$(cat "$2.base")
pcs=$(mktemp)
trap 'rm -f "$pcs"' EXIT
if [ "${3-}" = calls ]; then
    od -An -v -tx8 "$2.pairs" | awk '{ print $2 }' | sort -u >"$pcs"
else
    od -An -v -tx8 "$2.table" | awk '{ print $1 }' | sort -u >"$pcs"
fi
# A return address is behind the call that it belongs to, so one byte less is the call's line.
while read -r pc; do
    printf '%x\n' $((0x$pc - 0x$base - 1))
done <"$pcs" | addr2line -f -s -e "$1" | awk '
    NR % 2 { name = $1; next }
    { print name "\t" $1 }' | paste -d ' ' "$pcs" -
