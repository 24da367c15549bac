#!/bin/sh
# cc_real.sh [PROGRAM ...] - builds real programs by their own build systems, once plain and once for each form of
# `bursty cc`, runs their own tests and compares what they print:
#
#     sh bench/cc_real.sh                  lua bzip2 cjson gzip sqlite csmith; prints a table for docs/cc.md
#     SEEDS=1000 sh bench/cc_real.sh csmith
#
# The sources are Debian packages, brought by bench/setup.sh and apt-get source. Works in build/bench/cc.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/cc
gcc=${CC:-gcc}
bursty=$BUILD/bursty
mkdir -p "$work" || exit 2
failed=0

fetch() {
    [ -d "$src/lua/src" ] && [ -f "$src/sqlite/sqlite3.c" ] || sh bench/setup.sh || exit 2
    ls -d "$src"/gzip-*/ >/dev/null 2>&1 ||
        (cd "$src" && APT_CONFIG="$src/.apt/apt.conf" apt-get source -qq gzip >/dev/null 2>&1)
    command -v csmith >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq csmith libcsmith-dev >/dev/null
}

# The folder of one build: a fresh copy of the sources. $cc is the compiler's command, $left lists what was left alone.
begin() { # PROGRAM MODE SOURCES
    here=$work/$1-$2
    rm -rf "$here" && cp -rLp "$3" "$here" && cd "$here" || exit 2
    left=$here/left-alone
    case $2 in
    plain) cc=$gcc ;;
    point) cc="$bursty cc --list=$left -- $gcc" ;;
    all)   cc="$bursty cc --list=$left --entries=all --loops=all -- $gcc" ;;
    scope) cc="$bursty cc --list=$left --form=scope --entries=all --loops=all -- $gcc" ;;
    dual)  cc="$bursty cc --list=$left --form=dual --entries=all --loops=all -- $gcc" ;;
    *)     cc="$bursty cc --list=$left --cover=$2 -- $gcc" ;;
    esac
}
modes=${MODES:-plain point all scope dual count bits}
alone() { if [ -f "$left" ]; then grep -c 'left alone' "$left"; else echo 0; fi; }
row() { printf '| %-7s | %-6s | %10s | %-28s | %s |\n' "$@"; }
same() { # PROGRAM: out.txt against the plain build's
    if cmp -s "$work/$1-plain/out.txt" "$here/out.txt"; then echo same; else echo DIFFERS; failed=1; fi
}

lua() {
    for mode in $modes; do
        begin lua "$mode" "$src/lua/src"
        objects=
        for file in *.c; do
            case $file in luac.c|ltests.c|onelua.c) continue ;; esac
            $cc -std=gnu99 -O2 -Wall -Wextra -I"$src/include" -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -c "$file" || failed=1
            objects="$objects ${file%.c}.o"
        done
        # shellcheck disable=SC2086
        $cc -o lua $objects -lm -ldl -Wl,-E || failed=1
        ./lua "$top/bench/real/work.lua" >out.txt 2>&1
        row lua "$mode" "$(alone)" "work.lua" "$(same lua)"
    done
}

bzip2() {
    for mode in $modes; do
        begin bzip2 "$mode" "$src/bzip2"
        make -s CC="$cc" libbz2.a bzip2 bzip2recover >make.log 2>&1 || failed=1
        make -s CC="$cc" test >test.log 2>&1 && tests="make test passed" || { tests="make test FAILED"; failed=1; }
        ./bzip2 -c9 <"$src/sqlite/sqlite3.h" | cksum >out.txt
        row bzip2 "$mode" "$(alone)" "$tests" "$(same bzip2)"
    done
}

cjson() {
    for mode in $modes; do
        begin cjson "$mode" "$src/cjson"
        mkdir -p own && cd own && CC=$cc cmake -DENABLE_CJSON_UTILS=On .. >cmake.log 2>&1 && make >make.log 2>&1 || failed=1
        ctest 2>&1 | grep -E 'tests passed|Failed' | head -n 1 >out.txt
        ./cJSON_test >>out.txt 2>&1
        mv out.txt ..
        row cjson "$mode" "$(alone)" "$(head -n 1 ../out.txt | sed 's/, .* out of/ of/')" "$(same cjson)"
    done
}

gzip() {
    for mode in $modes; do
        begin gzip "$mode" "$(ls -d "$src"/gzip-*/)"
        # Debian's patches are younger than what autoconf made of the files that they change.
        touch aclocal.m4 && sleep 1 && touch configure ./*.hin lib/*.hin doc/version.texi doc/stamp-vti
        find . -name Makefile.in -exec touch {} + && touch doc/gzip.info
        ./configure -q CC="$cc" >conf.log 2>&1 && make -s >make.log 2>&1 || failed=1
        make check >check.log 2>&1
        grep -E '^# (PASS|FAIL|ERROR):' check.log | tr -d '\n' >tests.txt
        ./gzip -c9n <"$src/sqlite/sqlite3.h" | cksum >out.txt
        row gzip "$mode" "$(alone)" "$(cat tests.txt)" "$(same gzip)"
    done
}

sqlite() {
    for mode in $modes; do
        begin sqlite "$mode" "$src/sqlite"
        cp "$top/bench/real/main_sqlite.c" "$top/bench/real/work.sql" .
        $cc -O1 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. -o sql main_sqlite.c sqlite3.c -lm || failed=1
        ./sql work.sql 2 >out.txt 2>&1
        row sqlite "$mode" "$(alone)" "work.sql" "$(same sqlite)"
    done
}

# Every seed in every mode, two compilers' levels in turn.
csmith() {
    seeds=${SEEDS:-100} bad=0 count=0
    mkdir -p "$work/csmith" && cd "$work/csmith" || exit 2
    seed=1
    while [ "$seed" -le "$seeds" ]; do
        command csmith --seed "$seed" >t.c 2>/dev/null
        level=-O$((seed % 3))
        $gcc -w $level -I/usr/include/csmith -o plain t.c && timeout 5 ./plain >plain.txt 2>&1
        if [ $? = 0 ]; then
            for mode in $modes; do
                [ "$mode" = plain ] && continue
                (begin_csmith "$mode") || { bad=$((bad + 1)); echo "seed $seed, $mode: differs"; cp t.c "bad-$seed-$mode.c"; }
                count=$((count + 1))
            done
        fi
        seed=$((seed + 1))
    done
    row csmith "$(echo "$modes" | wc -w)" "$(cat left-* 2>/dev/null | wc -l)" "$count programs" "$bad differ"
    [ $bad = 0 ] || failed=1
}
begin_csmith() {
    case $1 in
    point) flags="" ;;
    all)   flags="--entries=all --loops=all" ;;
    scope) flags="--form=scope --entries=all --loops=all" ;;
    dual)  flags="--form=dual --entries=all --loops=all" ;;
    *)     flags="--cover=$1" ;;
    esac
    # shellcheck disable=SC2086
    $bursty cc $flags --list="left-$1" -- $gcc -w $level -I/usr/include/csmith -o own t.c &&
        timeout 20 ./own >own.txt 2>&1 && cmp -s plain.txt own.txt
}

fetch
row program mode 'left alone' 'own tests' output
row ------- ------ ---------: ---------------------------- ------
for program in ${*:-lua bzip2 cjson gzip sqlite csmith}; do "$program"; cd "$top" || exit 2; done
exit $failed
