#!/bin/sh
# edges_coverage.sh - sqlite compiled by clang 19 for record/inside/hooks/sancov.c, run, and its coverage in all
# forms: LCOV against the rules of LCOV 2 and through genhtml, Cobertura against its DTD by xmllint.
# It prints a line for each. bench/setup.sh fetches the source.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
src=$build/bench/src/sqlite out=$build/bench/edges_coverage
rm -rf "$out"
mkdir -p "$out"
make -s BUILD="$build" "$build/bursty"
flags='-O0 -w -gdwarf-4 -fsanitize-coverage=trace-pc-guard,no-prune,pc-table,control-flow'
# shellcheck disable=SC2086
clang-19 $flags -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I"$src" -c \
    -o "$out/sqlite3.o" "$src/sqlite3.c"
for source in bench/real/main_sqlite.c record/inside/hooks/sancov.c record/inside/hooks/sancov_file.c; do
    clang-19 -O1 -w -I. -I"$src" -c -o "$out/$(basename "$source" .c).o" "$source"
done
clang-19 -o "$out/sqlite" "$out"/*.o -lm
BURSTY_COVERAGE=$out/coverage.brst "$out/sqlite" bench/real/work.sql 1 >"$out/output"
bursty=$build/bursty
"$bursty" report --json "$out/coverage.brst" |
    awk '{ n += gsub(/"entries":/, "&") } END { print n " functions" }'
"$bursty" report --lcov -o "$out/sqlite.info" "$out/coverage.brst"
awk -f tests/edgeprof/lcov_rules.awk "$out/sqlite.info"
echo "LCOV: contradicts itself nowhere"
genhtml -q --branch-coverage -o "$out/html" "$out/sqlite.info"
pages=$(find "$out/html" -name '*.html' | wc -l)
echo "genhtml: $(genhtml --version | sed 's/.* //'), $pages pages"
"$bursty" report --cobertura -o "$out/sqlite.xml" "$out/coverage.brst"
xmllint --nonet --noout --dtdvalid tests/edgeprof/coverage-04.dtd "$out/sqlite.xml" 2>/dev/null
echo "Cobertura: valid"
