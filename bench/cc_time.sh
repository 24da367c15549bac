#!/bin/sh
# cc_time.sh ["lua_files -O0" ...] - what `bursty cc` adds to the time of compiling: twelve files of Lua and sqlite3.c, plain and rewritten in
# turn, user and system time of all processes as a ratio; the median of five rounds. The second plain run is the A/A row.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/cc/time
bursty=$BUILD/bursty
mkdir -p "$work" && cd "$work" || exit 2
lua=
for name in lapi lauxlib lbaselib lcode ldo lgc llex lparser lstrlib ltable lvm lundump; do lua="$lua $src/lua/src/$name.c"; done

used() { # COMMAND...: hundredths of a second of user and system time
    ("$@" >/dev/null 2>&1; times) | awk -F'[ms ]+' 'NR == 2 { printf "%d", 100 * (60 * $1 + $2 + 60 * $3 + $4) }'
}
lua_files() { # LEVEL COMPILER...
    level=$1; shift
    for file in $lua; do "$@" -std=gnu99 $level -Wall -I"$src/include" -DLUA_USE_POSIX -c "$file" -o x.o; done
}
sqlite() { level=$1; shift; "$@" $level -DSQLITE_THREADSAFE=0 -c "$src/sqlite/sqlite3.c" -o x.o; }

echo '| files | options | plain again | checks | --cover | --cover=bits |'
echo '|---|---|---:|---:|---:|---:|'
[ $# -gt 0 ] || set -- "lua_files -O0" "lua_files -O2" "sqlite -O0" "sqlite -O2"
for job in "$@"; do
    : >rounds
    for round in 1 2 3 ${ROUNDS-4 5}; do
        a=$(used $job gcc)
        b=$(used $job gcc)
        c=$(used $job "$bursty" cc --no-late -- gcc)
        d=$(used $job "$bursty" cc --cover -- gcc)
        e=$(used $job "$bursty" cc --cover=bits -- gcc)
        echo "$a $b $c $d $e" >>rounds
    done
    printf '| %s | %s |' "${job% *}" "${job#* }"
    for column in 2 3 4 5; do
        awk -v c=$column '{ print $c / $1 }' rounds | sort -n | awk '{ v[NR] = $1 } END { printf " %.2f |", v[int((NR + 1) / 2)] }'
    done
    echo
done
