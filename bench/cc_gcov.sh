#!/bin/sh
# cc_gcov.sh [PROGRAM ...] - lua bzip2 cjson sqlite: what `bursty cc --cover` counts, line by line, beside what gcov
# counts in the same run, both at -O0 with the same gcc; text and static data of both. Differences go to
# build/bench/cc/PROGRAM-gcov/differences.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/cc
bursty=$BUILD/bursty
mkdir -p "$work" || exit 2
[ -d "$src/lua/src" ] && [ -f "$src/sqlite/sqlite3.c" ] || sh bench/setup.sh || exit 2

program() { # NAME RUN FLAGS FILES...
    name=$1 run=$2 flags=$3
    shift 3
    here=$work/$name-gcov
    rm -rf "$here" && mkdir -p "$here" && cp -p "$@" "$here" && cd "$here" || exit 2
    cp -p "$top"/bench/real/work.* "$top"/bench/real/main_*.c .
    for file in "$@"; do cp -p "$(dirname "$file")"/*.h . 2>/dev/null; done
    files=
    for file in "$@"; do files="$files $(basename "$file")"; done
    # shellcheck disable=SC2086
    gcc -w -O0 --coverage $flags -I. -o gcov-run $files -lm || exit 1
    # shellcheck disable=SC2086
    $bursty cc --cover --list=left -- gcc -w -O0 $flags -I. -o cntr-run $files -lm || exit 1
    # shellcheck disable=SC2086
    $bursty cc --cover=bits -- gcc -w -O0 $flags -I. -o bits-run $files -lm || exit 1
    # shellcheck disable=SC2086
    gcc -w -O0 $flags -I. -o none-run $files -lm || exit 1
    for one in gcov cntr bits none; do eval "BURSTY_COVERAGE=$one.brst ./$one-run $run" >$one.txt 2>&1; done
    cmp -s none.txt cntr.txt || echo "$name: the output differs"
    gcov -b -c ./*.gcda >/dev/null 2>&1
    for file in $files; do
        [ -f "$file.gcov" ] || continue
        awk -F: -v f="$file" '$1 !~ /-/ && $2 + 0 > 0 { gsub(/[ *]/, "", $1); gsub(/#####|=====/, "0", $1)
            if ($1 ~ /^[0-9]+$/) print f ":" $2 + 0, $1 }' "$file.gcov"
    done | sort -u >gcov.lines
    $bursty report --lcov cntr.brst |
        awk -F'[:,]' '/^SF:/ { f = $2; sub(/.*\//, "", f) } /^DA:/ { print f ":" $2, $3 }' | sort -u >own.lines
    awk -v name="$name" '
        NR == FNR { gcov[$1] = $2; next }
        $1 in gcov { both++; if (gcov[$1] == $2) same++; else { print $1 ": gcov " gcov[$1] ", bursty " $2 >"differences"
                     if ((gcov[$1] > 0) != ($2 > 0)) hit++ } ; next }
        { alone++ }
        END { printf "| %-6s | %6d | %6d | %5d | %5d |", name, both, same, both - same, hit }' gcov.lines own.lines
    size -A none-run cntr-run bits-run gcov-run | awk '
        $1 == ".text" { t[++n] = $2 } $1 == ".bss" || $1 == ".data" { d[n + ($1 == ".bss" ? 0 : 0)] += $2 }
        END { printf " %.2f / %.2f / %.2f |", t[2] / t[1], t[3] / t[1], t[4] / t[1] }'
    for one in cntr bits gcov; do
        size -A $one-run none-run | awk '$1 == ".bss" || $1 == ".data" { s[n] += $2 } /:$/ || /section/ { if (/section/) n++ }
            END { printf " %d", s[1] - s[2] }'
    done
    echo " |"
    cd "$top" || exit 2
}

lua() {
    set -- "$src"/lua/src/*.c
    keep=
    for file in "$@"; do case $file in */luac.c|*/ltests.c|*/onelua.c) ;; *) keep="$keep $file" ;; esac; done
    # shellcheck disable=SC2086
    program lua work.lua "-std=gnu99 -I$src/include -DLUA_COMPAT_5_3 -DLUA_USE_POSIX -Dluai_makeseed(L)=1" $keep
}
bzip2() {
    s=$src/bzip2
    program bzip2 "-c9 <work.lua | cksum" "" "$s/blocksort.c" "$s/huffman.c" "$s/crctable.c" "$s/randtable.c" \
        "$s/compress.c" "$s/decompress.c" "$s/bzlib.c" "$s/bzip2.c"
}
cjson() { program cjson "" "" "$src/cjson/cJSON.c" "$src/cjson/test.c"; }
sqlite() {
    program sqlite "work.sql 1" "-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION" "$src/sqlite/sqlite3.c" \
        "$top/bench/real/main_sqlite.c"
}

echo '| program | lines both know | same count | other count | of these run or not | text: count / bits / gcov over plain | RAM more: count bits gcov |'
echo '|---|---:|---:|---:|---:|---|---|'
for name in ${*:-lua bzip2 cjson sqlite}; do "$name"; done
