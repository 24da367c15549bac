#!/bin/sh
# before_after.sh [build|TRACE...] - one table of what cheaper checks, events, trees and footprints
# were to reach: before (version 0.1.0, out of this repository's history) and after (the working
# tree), measured in one run, in turns. Writes docs/before-after.md.
#
# A TRACE is a call trace or a block trace of docs/formats.md, not compressed. Call traces take the
# place of those that hcct_paper.sh records. Without a block trace the rows about data accesses are
# not measured. Setting up (fetching and compiling programs, recording calls) takes ten minutes the
# first time and is kept in build/bench; the rest takes six. `before_after.sh build` only sets up.
# BEFORE names another commit.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
before=${BEFORE:-8c4518a}
work=$BUILD/bench/before_after
say() { echo "before_after: $*" >&2; }
if ! git cat-file -e "$before^{commit}" 2>/dev/null; then
    say "the history of this repository does not reach back to $before"
    exit 2
fi
say "setting up"
sh bench/setup.sh mujs
make -s "$BUILD/bursty"
mkdir -p "$work/tree" "$work/shim"
git archive "$before" bursty.h hcct.h footprint.h bench/real | tar x -C "$work/tree"
for name in hotl interleave dualpath; do
    echo '#include "before_after.h"' >"$work/shim/$name.h"
done
only=
[ "${1:-}" != build ] || { only=build; shift; }
calls=0
for trace; do
    [ "$(od -An -tx4 -N4 "$trace" | tr -d ' ')" = abadcafe ] && calls=1
done
if [ $calls = 0 ]; then
    say "recording calls"
    recorded=$(sh bench/hcct_paper.sh record)
    # shellcheck disable=SC2086
    set -- "$@" $recorded
fi
export PYTHONDONTWRITEBYTECODE=1
if [ -n "$only" ]; then
    exec /usr/bin/python3 bench/before_after.py "$BUILD/bench" "$before" build
fi
/usr/bin/python3 bench/before_after.py "$BUILD/bench" "$before" "$@" >"$work/table.md"
cp "$work/table.md" docs/before-after.md
say "wrote docs/before-after.md"
