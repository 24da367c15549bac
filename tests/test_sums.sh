#!/bin/sh
# test_sums.sh - rows of `bursty report --sums` add up: the blocks of docs/fleet.md, run by sqlite3
# over the rows of many machines, give the values and the intervals that the report of the merged
# dumps shows, to nine digits. `tests/test_sums.sh FOLDER` does so with the dumps of a folder
# (bench/fleet.sh); if DUCKDB is a folder node_modules with @duckdb/node-api, in DuckDB, too.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/tests/sums${1:+_of_folder}
rm -rf "$out"
mkdir -p "$out/dumps" || exit 2
. tests/check.sh
bursty() { ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 ${RUN-} "$build/bursty" "$@"; }

# ---- dumps: machines that call the same functions in other proportions, and some that not all
# call; they tick at two rates
if [ $# = 1 ]; then
    find "$1" -name '*.brst' -exec cp {} "$out/dumps" \;
else
    cat >"$out/machine.c" <<'END'
#define BURSTY_BARE
#define BURSTY_TICKS
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <stdlib.h>
static unsigned state;
static unsigned next(unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}
static void leaf(void) {
    BURST_SCOPE("leaf");
    if (next(40) == 0) bursty_tick(1 + next(3));
    BURST_LEAVE();
}
static void parse(unsigned n) {
    BURST_SCOPE("parse");
    if (n && next(9)) parse(n - 1);
    leaf();
    BURST_LEAVE();
}
static void answer(void) {
    BURST_SCOPE("answer");
    parse(next(4));
    if (next(30) == 0) bursty_tick(1);
    BURST_LEAVE();
}
static void seldom(void) {
    BURST_SCOPE("seldom");
    leaf();
    BURST_LEAVE();
}
static FILE *file;
static int write_to(void *user, const void *data, size_t size) {
    (void)user;
    return fwrite(data, 1, size, file) != size;
}
int main(int argc, char **argv) {
    bursty_config config = {0};
    int machine, i;
    config.profile.every = 90;
    config.profile.burst = 30;
    config.program = "server";
    config.tick_hz = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
    if (argc != 4 || !bursty_start(&config)) return 1;
    for (machine = atoi(argv[3]); machine < atoi(argv[3]) + 10; machine++) {
        char path[4096];
        bursty_clear();
        state = (unsigned)machine * 2654435761u;
        for (i = 0; i < 3000; i++) {
            answer();
            if (machine % 4 == 1 && next(8) == 0) seldom();
        }
        snprintf(path, sizeof path, "%s/%d.brst", argv[1], machine);
        file = fopen(path, "wb");
        if (!file || bursty_write(write_to, NULL) != 0 || fclose(file) != 0) return 1;
    }
    return 0;
}
END
    root=$PWD
    (cd "$out" &&
        ${CC:-cc} -O1 -std=gnu99 -I"$root" -o machine machine.c -lm ${LDFLAGS-} -pthread) &&
        ${RUN-} "$out/machine" "$out/dumps" 100 0 && # ten machines of each rate
        ${RUN-} "$out/machine" "$out/dumps" 40 10
    ok $? "machine.c"
fi
find "$out/dumps" -name '*.brst' >"$out/list"
bursty merge -o "$out/all.brst" --list "$out/list"
ok $? "merge"
bursty report --csv --min 0 "$out/all.brst" >"$out/all.csv"
bursty report --sums "$out/all.brst" >"$out/all.sums"

# ---- the page's blocks
block() { # LANGUAGE
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" docs/fleet.md | sed '/^```/d'
}
block sql >"$out/fleet.sql"
grep -q 'tail -n +2; done >rows.csv$' docs/fleet.md
ok $? "docs/fleet.md says how rows are made"
while read -r dump; do bursty report --sums "$dump" | tail -n +2; done <"$out/list" >"$out/rows.csv"
# Each row has as many numbers as the heading; so has the sum of all, by its own rows.
awk -F , 'NR == 1 { n = NF } NF != n || n != 11 { bad = 1 } END { exit bad }' "$out/all.sums"
ok $? "rows have eleven fields"
if [ "$(sqlite3 :memory: 'select sqrt(4)' 2>/dev/null)" != 2.0 ]; then
    leave "no sqlite3 with sqrt"
fi
run_page() { # ROWS OUT: tables without head, as CSV
    rm -rf "$out/db"
    mkdir "$out/db"
    cp "$1" "$out/db/rows.csv"
    (cd "$out/db" && sqlite3 -csv fleet.db <"$out/fleet.sql") >"$2" 2>"$out/stderr"
    [ ! -s "$out/stderr" ]
    ok $? "sqlite3 says: $(cat "$out/stderr")"
}
run_page "$out/rows.csv" "$out/got"
tail -n +2 "$out/all.sums" >"$out/merged.csv"
run_page "$out/merged.csv" "$out/of_merged"

# what,function,file,line,value,low,high of the report's tables, with an interval
awk -F , '
    /^# / { table = $0; head = 1; next }
    head { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; head = 0; next }
    function put(what, value, low, high) {
        if (NF && $at[low] != "")
            print what "," $at["function"] "," $at["file"] "," $at["line"] "," $at[value] "," \
                  $at[low] "," $at[high]
    }
    table ~ /^# functions:/ {
        put("share of calls", "share", "share_low", "share_high")
        put("number of calls", "estimated", "estimated_low", "estimated_high")
    }
    table ~ /^# time:/ {
        if ($at["self_ticks"] > 0) put("time itself", "self_share", "self_low", "self_high")
        if ($at["total_share"] > 0) put("time", "total_share", "total_low", "total_high")
    }' "$out/all.csv" >"$out/wanted"

# Nine digits: the report prints no more. An estimate is whole in the report.
same() { # WANTED GOT: prints how many rows are the same
    awk -F , -v wanted="$1" '
        function near(a, b) { d = a - b; if (d < 0) d = -d; return d <= 5.1e-9 * b }
        { gsub(/["\r]/, "") }
        FILENAME == wanted { value[$1 "," $2 "," $3 "," $4] = $5; low[$1 "," $2 "," $3 "," $4] = $6
                             high[$1 "," $2 "," $3 "," $4] = $7; n++; next }
        NF < 7 { next }
        { key = $1 "," $2 "," $3 "," $4 }
        !(key in value) { print "only here: " $0; next }
        { good = near($6, low[key]) && near($7, high[key])
          good = good && ($1 == "number of calls" ? int($5 * (1 + 1e-12)) == value[key] : near($5, value[key]))
          if (good) same++; else print $0 " is not " value[key] "," low[key] "," high[key]
          delete value[key] }
        END { for (key in value) print "not there: " key; print same + 0 " of " n }' "$1" "$2"
}
gots='got of_merged'
if [ -n "${DUCKDB-}" ]; then
    (cd "$out/db" && cp ../rows.csv . && node "$OLDPWD/bench/fleet_duckdb.js" "$DUCKDB" "$out/fleet.sql") \
        >"$out/of_duckdb" 2>"$out/stderr"
    ok $? "DuckDB says: $(cat "$out/stderr")"
    gots="$gots of_duckdb"
fi
for got in $gots; do # a machine's rows, and those of all together
    same "$out/wanted" "$out/$got" >"$out/same"
    rows=$(wc -l <"$out/wanted")
    [ "$(cat "$out/same")" = "$rows of $rows" ] && [ "$rows" -ge 12 ]
    ok $? "$got: $(tail -n 1 "$out/same"): $(head -n 3 "$out/same")"
done
for what in 'share of calls' 'number of calls' 'time' 'time itself'; do
    [ $# = 1 ] && case $what in time*) continue ;; esac
    grep -q "^$what," "$out/wanted"
    ok $? "the report has intervals of: $what"
done

# ---- what is missing stands in a row, and the last query shows it
if [ $# = 0 ]; then
    grep -q ',lost,' "$out/rows.csv"
    ok $(($? != 1)) "a dump without losses has a row of them"
    mkdir "$out/lossy"
    ${CC:-cc} -O1 -std=c99 -Itests -o "$out/make_dumps" tests/make_dumps.c &&
        ${RUN-} "$out/make_dumps" "$out/lossy"
    ok $? "make_dumps"
    for dump in game game3 lost_threads; do
        bursty report --sums "$out/lossy/$dump.brst" | tail -n +2
    done >"$out/lossy.csv"
    run_page "$out/lossy.csv" "$out/of_lossy"
    grep -q '^"events lost",4' "$out/of_lossy" &&
        grep -q '^"threads without a record",47' "$out/of_lossy"
    ok $? "what is missing: $(tail -n 2 "$out/of_lossy")"
fi
finish
