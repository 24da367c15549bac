#!/bin/sh
# page.sh - makes HTML reports of every kind of dump and works in them in headless Chromium, as a
# person does (page.js). Part of `make matrix`, which installs Chromium and node; axe-core, which
# looks for what a screen reader or bad eyes stumble over, comes from npm by its name.
BUILD=${BUILD:-build} CC=${CC:-cc} CHROMIUM=${CHROMIUM:-chromium}
export CHROMIUM
dir=$BUILD/tests/page
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
if [ ! -s "$dir/axe.min.js" ] && command -v npm >/dev/null; then
    (cd "$dir" && npm pack --silent axe-core >axe.name 2>/dev/null &&
        tar -xzOf "$(tail -n 1 axe.name)" package/axe.min.js >axe.min.js) || rm -f "$dir/axe.min.js"
fi
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c &&
    "$dir/make_dumps" "$dir" && "$dir/make_dumps" "$dir" bushy 200000 &&
    "$dir/make_dumps" "$dir" heavy 5000 &&
    "$dir/make_dumps" "$dir" wide 100000 && "$dir/make_dumps" "$dir" crowded 65536 200 || exit 1
# More lines than a call may have arguments.
awk 'BEGIN { for (i = 1; i <= 130000; i++) print "int line_" i ";" }' >"$dir/lines.c"
"$dir/make_dumps" "$dir" lines "$dir/lines.c" 130000
# Decisions, some of whose conditions were not shown.
cat >"$dir/valve.c" <<'C'
static int opens(int pressure, int stuck, int forced) {
    return (pressure > 5 && !stuck) || forced;
}
int main(void) { return opens(7, 0, 0) + opens(3, 0, 0) - 1; }
/* A line of a hundred columns fits into a window of 1280 pixels beside its count and its ways ... */
C
(cd "$dir" && rm -f coverage.brst && "$OLDPWD/$BUILD/bursty" cc --cover=mcdc -- "$CC" -o valve valve.c &&
    ./valve && mv coverage.brst mcdc.brst) || exit 1
# Of twelve tests five fail, and they alone run broken().
cat >"$dir/tested.c" <<'C'
#include <stdlib.h>
static int broken(int n) {
    return n * 3;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    return n >= 7 ? broken(n) == 1 : 0;
}
C
(cd "$dir" && rm -f failing.brst && "$OLDPWD/$BUILD/bursty" cc --cover -- "$CC" -o tested tested.c &&
    for n in 0 1 2 3 4 5 6 7 8 9 10 11; do BURSTY_TEST=t$n BURSTY_COVERAGE=failing.brst ./tested $n || exit 1; done &&
    "$OLDPWD/$BUILD/bursty" report --html failing.html --failing t7,t8,t9,t10,t11 failing.brst) || exit 1
# A project with folders.
mkdir -p "$dir/project/src/core/deep" "$dir/project/src/ui" "$dir/project/tests"
for file in src/core/deep/a src/core/deep/b src/ui/view src/ui/list tests/t; do
    name=${file##*/}
    printf 'int %s_one(int x) { return x > 3 ? x * 2 : x; }\nint %s_two(int x) {
    if (x == 5)\n        return 1;\n    return 0;\n}\n' "$name" "$name" >"$dir/project/$file.c"
done
cat >"$dir/project/src/main.c" <<'C'
int a_one(int), b_two(int), view_one(int), t_one(int);
int main(void) { return a_one(1) + b_two(4) + view_one(5) + t_one(2) == 100; }
C
(cd "$dir/project" && rm -f coverage.brst &&
    "$OLDPWD/$BUILD/bursty" cc --cover -- "$CC" -o prog src/main.c src/*/*.c src/core/deep/*.c tests/t.c &&
    ./prog && "$OLDPWD/$BUILD/bursty" report --html ../folders.html coverage.brst) || exit 1
"$dir/make_dumps" "$dir" || exit 1 # its coverage.brst again
$CC -std=c99 -O1 -I. -o "$dir/hot_streams" examples/hot_streams.c &&
    (cd "$dir" && ./hot_streams >/dev/null && mv hot_streams.brst streams.brst) || exit 1
pages="same_name game hostile odd-tree nothing all chains middle coverage timed no-tick mutual lines
    mcdc footprint streams tree-bursts one_of_many timeline waits crowded bushy heavy"
for dump in $pages wide; do
    [ -f "$dir/$dump.brst" ] || { echo "no $dump.brst"; exit 1; }
    "$BUILD/bursty" report --html "$dir/$dump.html" --note 'overhead=+1.3 % (0.9 to 1.8)' \
        --min 0 "$dir/$dump.brst" 2>"$dir/report.err" || { cat "$dir/report.err"; exit 1; }
done
# A path in which no browser breaks a line by itself stands in the last line of a page.
long=$dir/$(printf '%0100d' 0)
mkdir -p "$long"
cp "$dir/nothing.brst" "$long/"
"$BUILD/bursty" report --html "$dir/long.html" "$long/nothing.brst" || exit 1
# What other parts of the tool bring to the page.
if [ -f tests/make_frames.c ]; then
    $CC -O1 -I. -o "$dir/make_frames" tests/make_frames.c &&
        "$dir/make_frames" "$dir/frames.brst" budget &&
        "$BUILD/bursty" report --html "$dir/frames.html" "$dir/frames.brst" || exit 1
    pages="$pages frames"
fi
if "$BUILD/bursty" report --help | grep -q -e '--base'; then
    "$BUILD/bursty" report --html "$dir/changes.html" --base "$dir/timed.brst" "$dir/same_name.brst" || exit 1
    pages="$pages changes"
fi
# parse and init grew, old is gone, fresh came; nobody can tell how scan changed.
$CC -O1 -std=c99 -Itests -o "$dir/make_runs" tests/make_runs.c || exit 1
printf 'tick 1000\nticks main@m.c:1 200\nticks main@m.c:1;parse@p.c:10 500
ticks main@m.c:1;scan@s.c:20 300\nticks main@m.c:1;old@o.c:1 60\nticks main@m.c:1;init@a.c:1 50\n' |
    "$dir/make_runs" "$dir/base.brst" &&
    printf 'tick 1000\nticks main@m.c:1 195\nticks main@m.c:1;parse@p.c:12 700
ticks main@m.c:1;scan@s.c:22 310\nticks main@m.c:1;fresh@o.c:1 60\nticks main@m.c:1;init@a.c:1 150\n' |
    "$dir/make_runs" "$dir/new.brst" &&
    "$BUILD/bursty" report --html "$dir/difference.html" --base "$dir/base.brst" "$dir/new.brst" || exit 1
pages="$pages difference"
printf 'tick 1000\nticks main@valve.c:4 200\nticks main@valve.c:4;opens@valve.c:1 500\nticks far@gone.c:9 40\n' |
    "$dir/make_runs" "$dir/text.brst" &&
    "$BUILD/bursty" report --html "$dir/text.html" --source-root "$dir" "$dir/text.brst" || exit 1
pages="$pages text"
# What each line costs itself: line 2 is inlined into two functions, which share its cost.
cat >"$dir/shared_line.c" <<'C'
#include <time.h>
static inline __attribute__((always_inline)) int mix(int s, int k) { return (s ^ k) / (k + 7) % (k + 5) / (k + 3); }
__attribute__((noinline)) int few(int n) {
    int k, s = 0;
    for (k = 0; k < n; k++) s += mix(s, k);
    return s;
}
__attribute__((noinline)) int many(int n) {
    int k, s = 1;
    for (k = 0; k < n; k++) s -= mix(k, s & 63);
    return s;
}
int main(void) {
    int sum = 0;
    while (clock() < CLOCKS_PER_SEC / 2) sum += few(9000) + many(30000);
    return sum == 12345;
}
C
(cd "$dir" && rm -f own.brst && $CC -O1 -g -o shared_line shared_line.c &&
    "$OLDPWD/$BUILD/bursty" record --lines --quiet -o own.brst ./shared_line) &&
    "$BUILD/bursty" report --html "$dir/own.html" --min 0 --source-root "$dir" "$dir/own.brst" &&
    "$BUILD/bursty" report --csv --only lines --min 0 "$dir/own.brst" >"$dir/own.csv" || exit 1
pages="$pages own"
# Names that a page, a terminal or a script could obey, and functions of one name.
printf 'tick 1000\nticks __proto__@a.c:1;\342\200\256evil@a.c:2 40\nticks __proto__@a.c:1;\033[31mred@b.c:3 30
ticks constructor@\342\200\256c.a:4 20\nticks C:\\\\u202e@a.c:5 10\nticks twin@a.c:6 90\nticks twin 80\n' |
    "$dir/make_runs" "$dir/names.brst" &&
    "$BUILD/bursty" report --html "$dir/names.html" --min 0 "$dir/names.brst" &&
    "$BUILD/bursty" report --only time --top 0 --min 0 "$dir/names.brst" >"$dir/names.txt" || exit 1
pages="$pages names"
exec node tests/page.js "$dir" $pages failing folders long
