#!/bin/sh
# misses_decisions.sh [PROGRAM...] - what a person does with the advice of `bursty record --misses`, and
# what that brings: sqlite3, zstd, lua and python3 (all four), each recorded on a real input. Prints
# what the report says, and for the program as it was and after each decision: instructions, misses
# of a data cache of 32 KiB and of one of 1 MiB behind it (cachegrind), and the median of user time
# of RUNS (20) runs (hyperfine; RUNS=0: no times). Each variant must compute the same answer.
# Fetches what bench/setup.sh fetches, and libzstd's source; python3 is Debian's own.
set -e
cd "$(dirname "$0")/.."
root=$(pwd)
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
bursty=$BUILD/bursty src=$BUILD/bench/src dir=$BUILD/bench/misses_decisions
[ -f "$src/sqlite/sqlite3.c" ] && [ -d "$src/libzstd/lib" ] && [ -d "$src/lua/src" ] ||
    sh bench/setup.sh libzstd
mkdir -p "$dir"
cd "$dir"
programs=${*:-sqlite3 zstd lua python3}
CC=${CC:-gcc}
built() { [ -x "$1" ] || $CC -O2 -g -w -o "$@"; }

advice() { # COMMAND...: what the report says of it
    "$bursty" record --quiet --misses --every 0 --caches 32k,256k,1m,4m -o x.brst -- "$@" >said
    "$bursty" report --json x.brst | grep -o '"name":"advice","value":"[^"]*"' |
        sed 's/.*"value":"//; s/"$//; s/\\u003c/</g' | fold -s -w 80 | sed 's/ *$//'
    echo
    echo "| variant | instructions | misses of 32 KiB | misses of 1 MiB | user time, s | remark |"
    echo "|---|---:|---:|---:|---:|---|"
    said_sum=
}
variant() { # NAME REMARK COMMAND...
    name=$1 remark=$2
    shift 2
    "$@" >said
    sum=$(cksum <said)
    [ "${said_sum:=$sum}" = "$sum" ] || { echo "$name: another answer" >&2; exit 1; }
    time=-
    if [ "${RUNS:-20}" -gt 0 ]; then
        hyperfine -N --warmup 2 --runs "${RUNS:-20}" --style none --output null \
            --export-json time.json "$(quoted "$@")" >/dev/null 2>&1
        time=$(tr -d ' \n' <time.json | sed 's/.*"user":\([0-9.e-]*\).*/\1/')
    fi
    [ "$remark" != size ] || remark="$(wc -c <z.out) bytes"
    valgrind --tool=cachegrind --cache-sim=yes --D1=32768,8,64 --LL=1048576,16,64 \
        --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk -v name="$name" -v remark="$remark" -v time="$time" '
            { gsub(",", "") }
            /I *refs:/ { i = $4 }
            /D1 *misses:/ { d = $4 }
            /LLd misses:/ { l = $4 }
            END { printf "| %s | %d | %d | %d | %s | %s |\n", name, i, d, l, \
                time == "-" ? "" : sprintf("%.3f", time), remark }'
}
quoted() { # WORDS...: one line that hyperfine cuts into the same words
    for word; do printf "'%s' " "$word"; done
}

bench_sqlite3() {
    cat >drive.c <<'END'
#include "sqlite3.h"
#include <stdio.h>
static int show(void *user, int columns, char **values, char **names) {
    (void)user, (void)names;
    for (; columns > 0; columns--) printf("%s ", *values++);
    puts("");
    return 0;
}
int main(int argc, char **argv) { /* SQL... */
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
    for (argv++; argc > 1; argc--)
        if (sqlite3_exec(db, *argv++, show, NULL, NULL) != SQLITE_OK) return 1;
    return sqlite3_close(db) != SQLITE_OK;
}
END
    built drive -DSQLITE_THREADSAFE=0 -I"$src/sqlite" drive.c "$src/sqlite/sqlite3.c" -lm -ldl
    rows=100000
    work="create table t(a integer primary key, b integer, c text);
        with recursive n(x) as (select 1 union all select x + 1 from n where x < $rows)
            insert into t select x, (x * 7919) % 150011, \"row \" || x from n;
        create index i on t(b);
        select count(*) from (select c from t order by c limit $rows);
        select count(*), sum(length(u.c)) from t join t u on t.b = u.a;"
    advice ./drive "$work"
    variant 'as it is' 'cache_size -2000' ./drive "$work"
    variant 'lists of 1 MB' 'cache_size -1000' ./drive 'pragma cache_size = -1000;' "$work"
    variant 'lists of 250 KB' 'page_size 1024, cache_size -250' \
        ./drive 'pragma page_size = 1024; pragma cache_size = -250;' "$work"
}

bench_zstd() {
    z=$src/libzstd
    # shellcheck disable=SC2086
    built zstd -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -I"$z/lib" \
        -I"$z/lib/common" "$z"/lib/common/*.c "$z"/lib/compress/*.c "$z"/lib/decompress/*.c \
        "$z"/lib/dictBuilder/*.c "$z"/programs/*.c -lpthread
    head -c 6000000 "$src/sqlite/sqlite3.c" >z.in
    advice ./zstd -q -f -9 --single-thread -o z.out z.in
    variant 'as it is (-9)' size ./zstd -q -f -9 --single-thread -o z.out z.in
    for hash in 19 17 15; do
        variant "-9, hash table of $((4 << (hash - 10))) KiB" size \
            ./zstd -q -f -9 --zstd=hlog=$hash --single-thread -o z.out z.in
    done
    ./zstd -q -d -c z.out | cmp - z.in
}

bench_lua() {
    # shellcheck disable=SC2046
    built lua "-I$src/lua/src" "-I$src/include" -DLUA_USE_LINUX '-Dluai_makeseed(L)=1u' \
        $(ls "$src"/lua/src/*.c | grep -v '/luac\.c$') -lm -ldl -Wl,-E
    cat >each.lua <<'END'
local n, points, sum = tonumber(arg[1]), {}, 0
for i = 1, n do points[i] = {x = i, y = i * 2, dx = 1, dy = 2} end
for round = 1, 10 do
    for i = 1, n do
        local p = points[i]
        p.x = p.x + p.dx
        sum = sum + p.x
    end
end
print(sum)
END
    cat >columns.lua <<'END'
local n, x, y, dx, dy, sum = tonumber(arg[1]), {}, {}, {}, {}, 0
for i = 1, n do x[i], y[i], dx[i], dy[i] = i, i * 2, 1, 2 end
for round = 1, 10 do
    for i = 1, n do
        x[i] = x[i] + dx[i]
        sum = sum + x[i]
    end
end
print(sum)
END
    advice ./lua each.lua 20000
    variant 'as it is' 'a table for each point' ./lua each.lua 20000
    variant 'columns' 'a table for each field' ./lua columns.lua 20000
}

bench_python3() {
    cat >body.py <<'END'
import sys
from array import array
n, how = int(sys.argv[1]), sys.argv[2]
class Plain:
    def __init__(self, i):
        self.x, self.dx, self.name = float(i), 1.5, str(i)
class Slots:
    __slots__ = "x", "dx", "name"
    __init__ = Plain.__init__
total = 0.0
if how == "columns":
    x = array("d", range(n))
    dx = array("d", [1.5]) * n
    name = [str(i) for i in range(n)]
    for turn in range(10):
        for i in range(n):
            total += x[i] * dx[i]
else:
    bodies = [(Slots if how == "slots" else Plain)(i) for i in range(n)]
    for turn in range(10):
        for b in bodies:
            total += b.x * b.dx
print(total)
END
    python=/usr/bin/python3
    advice "$python" -S -E body.py 20000 plain | sed '/^$/,$d'
    echo
    echo "And with PYTHONMALLOC=malloc:"
    echo
    PYTHONHASHSEED=0 PYTHONMALLOC=malloc
    export PYTHONHASHSEED PYTHONMALLOC
    advice "$python" -S body.py 20000 plain
    unset PYTHONMALLOC
    variant 'as it is' 'an object for each body' "$python" -S body.py 20000 plain
    variant slots '__slots__' "$python" -S body.py 20000 slots
    variant columns 'array("d") for each field' "$python" -S body.py 20000 columns
}

echo "load: $(cat /proc/loadavg)"
for program in $programs; do
    case $program in
    sqlite3 | zstd | lua | python3) ;;
    *)
        echo "misses_decisions.sh: no program '$program'" >&2
        exit 2
        ;;
    esac
    echo
    echo "## $program"
    echo
    "bench_$program"
done
