#!/bin/sh
# failing.sh - 7 faults in jansson, 7 in cmark and 6 in pcre2, drawn by a seed: how often the
# faulty line is among the first five that `bursty report --failing` shows, beside plain ranks by Ochiai's
# and Tarantula's coefficients. The rows stand in docs/coverage.md; failing.py says how it is counted.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/failing
missing=
for one in jansson cmark pcre2; do [ -d "$src/$one" ] || missing="$missing $one"; done
# shellcheck disable=SC2086
[ -z "$missing" ] || sh bench/setup.sh $missing || exit 2
rm -rf "$work" && mkdir -p "$work" || exit 2
for one in jansson cmark pcre2; do cp -RLp "$src/$one/." "$work/$one"; done
quietly() { "$@" >"$work/log" 2>&1 || { echo "failed: $*, see $work/log" >&2; exit 2; }; }
cd "$work/jansson" || exit 2
quietly cmake -DJANSSON_BUILD_DOCS=OFF .
cp private_include/jansson_private_config.h include/jansson_config.h src/ 2>/dev/null
ls src/*.c >units
# The same hash in each run.
sed -i 's/^static uint32_t generate_seed() {/&\n    return 1;/' src/hashtable_seed.c
cd "$work/cmark" || exit 2
quietly cmake -DCMARK_TESTS=OFF -S . -B made
cp made/src/*.h src/
ls src/*.c >units
cd "$work/pcre2" || exit 2
for one in config.h pcre2.h pcre2_chartables.c; do
    cp src/$one.generic src/$one 2>/dev/null || cp src/$one.dist src/$one || exit 2
done
ls src/pcre2_*.c src/pcre2posix.c src/pcre2test.c | grep -v 'dftables\|jit_\(match\|misc\|test\)\|fuzz\|printint\|ucptables\|pcre2_jit_\(match\|misc\)' >units
cd "$top" || exit 2
echo '| program | faults | in the first 5 rows | in the first 5 lines | Ochiai alone | Tarantula alone |'
echo '|---|---:|---:|---:|---:|---:|'
exec python3 bench/failing.py "$BUILD/bursty" "$work" jansson:7,cmark:7,pcre2:6
