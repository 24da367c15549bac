#!/bin/sh
# record_sqlite.sh - sqlite fills a table, builds an index, sorts and joins: what samples of
# `bursty record` say beside the whole. Prints two tables: miss ratios by `--footprint` in four
# settings (docs/footprint.md), and functions that miss by `--misses` beside cachegrind's counts, of
# a cache of the same size that keeps what was used last (docs/misses.md).
set -e
cd "$(dirname "$0")/.."
root=$(pwd)
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
bursty=$BUILD/bursty src=$BUILD/bench/src/sqlite
dir=$BUILD/bench/record_sqlite
[ -f "$src/sqlite3.c" ] || sh bench/setup.sh
mkdir -p "$dir"
cd "$dir"
cat >drive.c <<'END'
#include "sqlite3.h"
#include <stdio.h>
#include <stdlib.h>
static int show(void *user, int columns, char **values, char **names) {
    (void)user, (void)names;
    for (; columns > 0; columns--) printf("%s ", *values++);
    puts("");
    return 0;
}
int main(int argc, char **argv) { /* SQL ROUNDS */
    int n = argc == 3 ? atoi(argv[2]) : 0;
    for (; n > 0; n--) {
        sqlite3 *db;
        if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
        if (sqlite3_exec(db, argv[1], show, NULL, NULL) != SQLITE_OK) return 1;
        sqlite3_close(db);
    }
    return argc != 3;
}
END
[ -x drive ] && [ drive -nt "$root/bench/record_sqlite.sh" ] ||
    ${CC:-gcc} -O2 -g -w -DSQLITE_THREADSAFE=0 -I"$src" -o drive drive.c "$src/sqlite3.c" -lm -ldl
work() { # ROWS
    echo "create table t(a integer primary key, b integer, c text);
        with recursive n(x) as (select 1 union all select x + 1 from n where x < $1)
            insert into t select x, (x * 7919) % 150011, 'row ' || x from n;
        create index i on t(b);
        select count(*) from (select c from t order by c limit $1);
        select count(*), sum(length(u.c)) from t join t u on t.b = u.a;"
}
echo "load: $(cat /proc/loadavg)"

# ---- footprints
: >ratios
for way in '--every 0' '' '--every 200000 --burst 10000' '--every 990000 --burst 100000'; do
    # shellcheck disable=SC2086
    "$bursty" record --quiet --footprint $way -o x.brst ./drive "$(work 40000)" 1 >said
    "$bursty" report --csv x.brst | awk -F , -v way="${way:-defaults}" '
        /^#/ { on = /^# misses/; next }
        function percent(share) { return share == "" ? "" : 100 * share }
        on && $1 + 0 { print way "," $1 "," 100 * $2 "," percent($3) "," percent($4) }' >>ratios
done
awk -F , '
    function known(way, at) {
        if (low[way, at] == "") return "not known"
        return sprintf("%.2g to %.2g", low[way, at], high[way, at])
    }
    $1 == "--every 0" { sizes[++n] = $2; exact[$2] = $3 }
    { low[$1, $2] = $4; high[$1, $2] = $5 }
    END {
        print "| cache in bytes | `--every 0` | defaults | `--every 200000 --burst 10000` | `--every 990000 --burst 100000` |"
        print "|---|---:|---:|---:|---:|"
        split("1500 3000 12000 48000 192000", wanted, " ")
        for (i = 1; i <= 5; i++) {
            for (k = 1; k < n && sizes[k] < wanted[i]; k++) { }
            at = sizes[k]
            printf "| %d | %.2g | %s | %s | %s |\n", at, exact[at], known("defaults", at), \
                known("--every 200000 --burst 10000", at), known("--every 990000 --burst 100000", at)
        }
    }' ratios

# ---- misses. Cachegrind's cache has one set, so that it, too, keeps what was used last.
"$bursty" record --quiet --misses --caches 48k -o x.brst ./drive "$(work 150000)" 10 >said
"$bursty" report --csv x.brst >misses.csv
valgrind --tool=cachegrind --cache-sim=yes --D1=49152,768,64 --cachegrind-out-file=cg.out \
    ./drive "$(work 150000)" 1 >said 2>&1
awk -F , '
    FILENAME == "cg.out" && /^fl=/ { is_ours = /(sqlite3|drive)\.c$/; next }
    FILENAME == "cg.out" && /^fn=/ { name = substr($0, 4); next }
    FILENAME == "cg.out" && /^[0-9]/ && is_ours {
        split($0, count, " ")
        missed[name] += count[6] + count[9] # of reads and of writes
        all += count[6] + count[9]
        next
    }
    FILENAME == "cg.out" { next }
    /^# / { on = /^# miss_functions/; head = 1; next }
    on && head { head = 0; next }
    on && NF && rows < 9 {
        if (!rows++) print "\n| function | share | 95 % interval | cachegrind |\n|---|---:|---:|---:|"
        between = $2 == "" ? "not known" : sprintf("%.1f to %.1f", 100 * $2, 100 * $3)
        printf "| %s | %.1f | %s | %.1f |\n", $5, 100 * $1, between, 100 * missed[$5] / all
    }' cg.out misses.csv
