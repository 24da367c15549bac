#!/bin/sh
# test_demo.sh - the demonstration in small: the index is right, plain and profiled print the same,
# the rate seen is the rate asked, the report is there, and a difference would be noticed.
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
. tests/check.sh
from=${BUILD:-build}
BUILD=$from/test-demo
export BUILD
rm -rf "$BUILD"
mkdir -p "$BUILD"
cp "$from/bursty" "$BUILD/bursty"
tree=$BUILD/tree
mkdir -p "$tree/sys" "$tree/build"
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0         # the demonstration keeps what it reads until it ends
export ASAN_OPTIONS
check() {
    if eval "$2"; then pass
    else fail "$1"; fi
}

cat >"$tree/a.c" <<'END'
#include "b.h"
#include <sys/s.h>
# include <missing.h>
// a comment with word not_counted \
   continued, still_not_counted
/* and { braces } and "quotes */ int alpha = 'x' + '"'; /* x */
const char *text = "not a word \" { \
   still a string";
int beta(void) { if (alpha) { { alpha++; } } return 0x1fUL; }
#define OPEN_ALL { { {
END
cat >"$tree/b.h" <<'END'
#include "c.h"
#ifdef alpha
int gamma(void) {
#else
int gamma(int beta) {
#endif
    return alpha; }
END
echo '#include "b.h"' >"$tree/c.h"
printf '#include "../c.h"\nint alpha;\n' >"$tree/sys/s.h"
cp "$tree/a.c" "$tree/copy.c"
echo 'int never;' | tee "$tree/build/x.c" >"$tree/readme.txt"
cat >"$BUILD/wanted.txt" <<'END'
5 files, 809 bytes, 20 lines; 1 of them copies of others, counted once
5 identifiers, used 12 times
6 includes, 1 of files outside; 1 cycles of 2 files
longest chain of includes: 2, from TREE/a.c

most used identifiers
      uses    files
         6        3  alpha
         2        2  beta
         2        1  gamma
         1        1  text
         1        1  OPEN_ALL

deepest braces
     depth     line
         3        9  TREE/a.c
         1        3  TREE/b.h

most included
       all directly
         3        2  TREE/b.h
         3        2  TREE/c.h
         1        1  TREE/sys/s.h

heaviest includes
     lines
        10           TREE/a.c
         8           TREE/sys/s.h
         7           TREE/c.h
         1           TREE/b.h
END

CC=${CC:-cc} sh demo/run.sh --pairs 2 --rounds 3 --megabytes 3 . "$tree" >"$BUILD/demo.txt" 2>"$BUILD/messages.txt"
check "the demonstration runs" "[ $? = 0 ]"
check "it has nothing to complain of" '[ ! -s "$BUILD/messages.txt" ]'
cat "$BUILD/messages.txt"
for rate in plain 990:10 99:1:-1 always; do
    program=$BUILD/demo/index
    [ $rate = plain ] && program=$program-plain
    INDEX_HOT=$rate "$program" -n 2 "$tree" | sed "s|$tree|TREE|" >"$BUILD/got.txt"
    check "the index of a small tree, $rate" 'diff "$BUILD/wanted.txt" "$BUILD/got.txt"'
done
INDEX_TICKS=1 INDEX_DUMP=$BUILD/time.brst "$BUILD/demo/index" -n 2 "$tree" |
    sed "s|$tree|TREE|" >"$BUILD/got.txt"
check "the index of a small tree, by ticks" 'diff "$BUILD/wanted.txt" "$BUILD/got.txt"'
check "ticks are told, or that none came" '"$BUILD/bursty" report "$BUILD/time.brst" | grep -q "^ticks"'
INDEX_CONTEXTS=always INDEX_REFERENCES=always INDEX_DUMP=$BUILD/small.brst "$BUILD/demo/index" "$tree" | sed "s|$tree|TREE|" >"$BUILD/got.txt"
check "the index of a small tree, contexts and references" 'diff "$BUILD/wanted.txt" "$BUILD/got.txt"'
"$BUILD/bursty" report --collapsed --by calls "$BUILD/small.brst" >"$BUILD/stacks.txt"
check "contexts are counted exactly when every event is seen" \
    'grep -qx "index_all;visit;visit;visit 1" "$BUILD/stacks.txt" && grep -qx "index_all;scan_file 4" "$BUILD/stacks.txt"'
check "the rate seen is the rate asked" \
    'awk "/^sampling rate/ { asked = \$4; seen = \$7 } END { exit !(seen > .9 * asked && seen < 1.1 * asked) }" "$BUILD/demo.txt"'
check "the first answer is time, with intervals" \
    'awk "/where it runs, by ticks/ { on = 1; next } on && /hot functions/ { exit } on && /no ticks here/ { ok = 1 } on && /%  *[0-9.]* % to/ { ok = 1 } END { exit !ok }" "$BUILD/demo.txt"'
check "the first line is the finding" \
    'head -n 1 "$BUILD/demo.txt" | grep -qE "^[a-z_]+ takes [0-9.]+ % of the time, between [0-9.]+ % and [0-9.]+ %\.$|^No ticks came"'
# Where the plain program beside itself differs by 3 % or more, there is no overhead at all.
check "overheads of a quiet run alone" \
    'awk "/^plain again/ { quiet = \$4 > .97 && \$6 < 1.03; n++ } /^(hot functions at|and calling|time by)/ { rows++ } /^The overhead is not shown/ { none++ } END { exit !(n == 1 && (quiet ? rows == 4 && !none : !rows && none == 1)) }" "$BUILD/demo.txt"'
check "the page has them with what half of the pairs said, or says why not" \
    'grep -o "\"overhead[^]]*" "$BUILD/demo/report.html" | head -n 1 | if grep -q "^The overhead" "$BUILD/demo.txt"; then grep -q "not shown"; else grep -q "(middle half: "; fi'
check "calls stand with their intervals" \
    'awk "/ hot functions\$/ { on = 1; next } on && /% to .*% +find_name\$/ { ok = 1 } END { exit !ok }" "$BUILD/demo.txt"'
check "hot functions are named" 'grep -q "%   find_name$" "$BUILD/demo.txt"'
check "hot call pairs are named" 'grep -q "%   scan_file -> find_name$" "$BUILD/demo.txt"'
check "hot contexts are named" 'grep -q "%   index_all > scan_file > find_name$" "$BUILD/demo.txt"'
check "footprints from bursts are near those of every reference" \
    'awk "/^blocks of 64/ { a = \$NF } /^the same from/ { b = \$NF } END { exit !(a > 0 && b > .5 * a && b < 2 * a) }" "$BUILD/demo.txt"'
check "the report is there" 'grep -q "find_name" "$BUILD/demo/report.html" && grep -q "overhead" "$BUILD/demo/report.html"'
"$BUILD/demo/compare" --overlap --rounds 2 --megabytes 2 . >"$BUILD/overlap.md"
check "sampled profiles look like the full one" \
    'awk -F"|" "/1\/100,/ && !/no jitter/ { n++; if (\$4 < 80 || \$5 < 70 || \$4 > 100.01) bad = 1 } END { exit bad || n != 4 }" "$BUILD/overlap.md"'
"$BUILD/demo/compare" --equation --pairs 1 --rounds 2 --megabytes 2 . >"$BUILD/equation.md"
check "the costs of an event and of a burst" 'grep -q "^An event costs e = [0-9.]* ns here, a burst E = -*[0-9.]* ns" "$BUILD/equation.md"'
check "equation 2 has a line for each rate" '[ "$(grep -c "^| 1/10*, .* | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* to" "$BUILD/equation.md")" = 6 ]'

printf '#!/bin/sh\necho something else\n' >"$BUILD/demo/index"
"$BUILD/demo/compare" --pairs 1 --rounds 1 "$tree" >/dev/null 2>"$BUILD/messages.txt"
check "another output is an error" '[ $? = 1 ] && grep -q "something else" "$BUILD/messages.txt"'
finish
