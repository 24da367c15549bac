#!/bin/sh
# cc_real.sh [PROGRAM ...] - builds real programs by their own build systems, once plain and once
# for each form of `bursty cc`, runs their own tests and compares what they print:
#
#     sh bench/cc_real.sh                  all of them; prints a table for docs/cc.md
#     SEEDS=1000 sh bench/cc_real.sh csmith
#     SEEDS=1300 ROTATE=1 CSMITH="--max-funcs 4" MODES="point scope dual count mcdc bits" \
#         sh bench/cc_real.sh csmith       one form for each seed, in turn; small programs
#     MODES="plain bits mcdc" sh bench/cc_real.sh lua
#
# bzip2, cJSON and gzip come with tests. Where a package has none, the checks of bench/real/checks.*
# (Lua, sqlite, mujs) and the drivers of bench/real (Chipmunk, tree-sitter) stand in for them.
# bench/setup.sh fetches the sources by the names of their packages. Works in build/bench/cc.
# csmith makes random programs, from seed FIRST on; each is built at -O0, -O1 or -O2. Programs that
# run for more than half a second by themselves are not counted: csmith makes some that never end.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/cc
real=$top/bench/real
gcc=${CC:-gcc}
bursty=$BUILD/bursty
modes=${MODES:-plain point scope dual count}
mkdir -p "$work" || exit 2
failed=0

flags_of() { # MODE
    case $1 in
    point) echo --entries=all --loops=all ;;
    safe) echo --no-late ;;
    scope) echo --form=scope --entries=all --loops=all ;;
    dual) echo --form=dual --entries=all --loops=all ;;
    *) echo "--cover=$1" ;;
    esac
}

# The folder of one build: a fresh copy of the sources. $cc is the compiler's command, $left lists
# what was left alone.
begin() { # PROGRAM MODE SOURCES...
    here=$work/$1-$2 program=$1 mode=$2
    shift 2
    rm -rf "$here" && mkdir "$here" && cd "$here" || exit 2
    for source in "$@"; do cp -RLp "$source/." . || exit 2; done
    left=$here/left-alone
    BURSTY_FILE=$here/profile.brst BURSTY_COVERAGE=$here/coverage.brst
    export BURSTY_FILE BURSTY_COVERAGE
    cc=$gcc
    [ "$mode" = plain ] || cc="$bursty cc --list=$left $(flags_of "$mode") -- $gcc"
}

broken() { echo "$program, $mode: $*" >&2; failed=1; }

checks() { # FILE: what checks.* printed
    good=$(grep -c '|ok$' "$1") all=$(grep -c '|' "$1")
    [ "$good" = "$all" ] && [ "$all" -gt 0 ] || broken "checks fail"
    echo "$good of $all checks" >"$here/tests.txt"
}

row() { printf '| %-11s | %-5s | %-22s | %10s | %-26s | %-7s |\n' "$@"; }

finish() { # HOW TESTS: out.txt against the plain build's; was something built with bursty cc?
    alone=0 same=same
    [ ! -f "$left" ] || alone=$(grep -c 'left alone' "$left")
    cmp -s "$work/$program-plain/out.txt" "$here/out.txt" || { same=DIFFERS; broken "output"; }
    [ -s "$here/out.txt" ] || broken "no output"
    if [ "$mode" != plain ]; then
        [ -s "$BURSTY_FILE" ] || [ -s "$BURSTY_COVERAGE" ] || broken "no profile"
    fi
    row "$program" "$mode" "$1" "$alone" "$2" "$same"
}

# Debian builds Lua by libtool; its first patch, taken back, gives Lua's own Makefile.
lua() {
    begin lua "$1" "$src/lua"
    patch -s -R -p1 <debian/patches/0001-build-system.patch || broken patch
    make -s -C src linux CC="$cc -std=gnu99 -I$src/include" >make.log 2>&1 || broken make
    src/lua "$real/checks.lua" >checks.txt 2>&1 || broken checks.lua
    checks checks.txt
    src/lua "$real/work.lua" >out.txt 2>&1
    finish "its Makefile" "$(cat tests.txt)"
}

bzip2() {
    begin bzip2 "$1" "$src/bzip2"
    make -s CC="$cc" libbz2.a bzip2 bzip2recover >make.log 2>&1 || broken make
    tests="make test passed"
    make -s CC="$cc" test >test.log 2>&1 || { tests="make test FAILED"; broken test; }
    ./bzip2 -c9 <"$src/sqlite/sqlite3.h" | cksum >out.txt
    finish "its Makefile" "$tests"
}

cjson() {
    begin cjson "$1" "$src/cjson"
    mkdir -p own && cd own || exit 2
    CC=$cc cmake -DENABLE_CJSON_UTILS=On .. >cmake.log 2>&1 && make >make.log 2>&1 || broken make
    ctest >ctest.log 2>&1 || broken ctest
    tests=$(sed -n 's/^.* tests passed, \(.*\) tests failed out of \(.*\)/\2 tests, \1 fail/p' ctest.log)
    ./cJSON_test >../out.txt 2>&1
    finish cmake "$tests"
}

gzip() {
    begin gzip "$1" "$src/gzip"
    # Debian's patches are younger than what autoconf made of the files that they change.
    touch aclocal.m4 && sleep 1 && touch configure ./*.hin lib/*.hin doc/version.texi doc/stamp-vti
    find . -name Makefile.in -exec touch {} + && touch doc/gzip.info
    ./configure -q CC="$cc" >conf.log 2>&1 && make -s >make.log 2>&1 || broken make
    make check >check.log 2>&1 || broken "make check"
    tests=$(sed -n 's/^# \(PASS\|FAIL\): */\1 /p' check.log | tr '\n' ' ')
    ./gzip -c9n <"$src/sqlite/sqlite3.h" | cksum >out.txt
    finish configure "make check: $tests"
}

sqlite() {
    begin sqlite "$1" "$src/sqlite"
    cp "$real/main_sqlite.c" .
    $cc -O1 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. -o sql main_sqlite.c sqlite3.c \
        -lm || broken compile
    ./sql "$real/checks.sql" 2 >checks.txt 2>&1 || broken checks.sql
    checks checks.txt
    ./sql "$real/work.sql" 1 >out.txt 2>&1
    finish "one command" "$(cat tests.txt)"
}

chipmunk() {
    begin chipmunk "$1" "$src/chipmunk"
    mkdir -p own && cd own || exit 2
    CC=$cc cmake -DBUILD_DEMOS=OFF .. >cmake.log 2>&1 && make >make.log 2>&1 || broken make
    $cc -I../include -o driver "$real/main_chipmunk.c" src/libchipmunk.a -lm -lpthread ||
        broken driver
    ./driver 100 300 >../out.txt 2>&1
    finish cmake "none; a pile of bodies"
}

tree_sitter() {
    begin tree-sitter "$1" "$src/tree-sitter" "$src/tree-sitter-javascript"
    cp "$real/main_treesitter.c" main.c
    $cc -O1 -D_GNU_SOURCE -Ilib/include -Ilib/src -Isrc -o parse main.c lib/src/lib.c \
        src/parser.c src/scanner.c || broken compile
    ./parse "$src/typescript/typescript.js" 200000 32 >out.txt 2>&1
    finish "one command" "none; parses and edits"
}

mujs() {
    begin mujs "$1" "$src/mujs"
    make -s HAVE_READLINE=no CC="$cc" >make.log 2>&1 || broken make
    build/release/mujs "$real/checks.js" >checks.txt 2>&1 || broken checks.js
    checks checks.txt
    build/release/mujs "$real/work.js" 1 >out.txt 2>&1
    finish "its Makefile" "$(cat tests.txt)"
}

# Every seed in every mode, or with ROTATE in one; three levels of the compiler in turn.
csmith() {
    first=${FIRST:-1} seeds=${SEEDS:-100} bad=0 count=0 programs=0 seed=$first
    modes=$(echo " $modes " | sed 's/ plain / /')
    # shellcheck disable=SC2086
    set -- $modes
    here=$work/csmith-$first
    rm -rf "$here" && mkdir -p "$here" && cd "$here" || exit 2
    while [ "$seed" -lt $((first + seeds)) ]; do
        # shellcheck disable=SC2086
        command csmith --seed "$seed" ${CSMITH:-} >t.c 2>/dev/null
        [ -z "${ROTATE:-}" ] || eval "modes=\${$((seed / 3 % $# + 1))}"
        level=-O$((seed % 3))
        if $gcc -w $level -I/usr/include/csmith -o plain t.c && timeout 0.5 ./plain >plain.txt 2>&1
        then
            programs=$((programs + 1))
            for mode in $modes; do
                count=$((count + 1))
                random_program && continue
                if never_ends; then
                    echo "seed $seed: does not end by itself at -O0, plain; not counted"
                    count=$((count - 1))
                    continue
                fi
                bad=$((bad + 1))
                echo "seed $seed, $mode: differs"
                cp t.c "bad-$seed-$mode.c"
            done
        fi
        seed=$((seed + 1))
    done
    row csmith $# "$programs programs" \
        "$(cat left-* 2>/dev/null | grep -c 'left alone')" "$count built and run" "$bad differ"
    [ $bad = 0 ] && [ $count -gt 0 ] || failed=1
}

# Sampled ten times as densely as usual, so that short programs see bursts.
random_program() {
    # shellcheck disable=SC2046
    $bursty cc $(flags_of "$mode") --list="left-$mode" -- \
        $gcc -w $level -I/usr/include/csmith -o own t.c &&
        BURSTY_FILE=own.brst BURSTY_COVERAGE=cover.brst BURSTY_EVERY=90 \
            timeout 30 ./own >own.txt 2>&1 && cmp -s plain.txt own.txt
    result=$?
    rm -f own.brst cover.brst
    return $result
}

# Some random programs hold a loop that never ends, which the compiler takes out when it optimizes,
# but not from around a check. So the plain program without optimization is asked.
never_ends() {
    $gcc -w -O0 -I/usr/include/csmith -o plain t.c && timeout 30 ./plain >/dev/null 2>&1
    [ $? = 124 ]
}

each() { # FUNCTION
    if [ "$1" = csmith ]; then
        command -v csmith >/dev/null ||
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq csmith libcsmith-dev >/dev/null
        csmith
        return
    fi
    for mode in $modes; do
        "$1" "$mode"
        cd "$top" || exit 2
    done
}

if [ "$*" != csmith ]; then
    [ -d "$src/tree-sitter/lib" ] && [ -d "$src/gzip" ] && [ -d "$src/mujs" ] ||
        sh bench/setup.sh gzip mujs || exit 2
fi
row program form "built by" 'left alone' tests output
row ----------- ----- ---------------------- ---------: -------------------------- -------
for name in ${*:-lua sqlite bzip2 cjson chipmunk gzip tree_sitter mujs csmith}; do
    each "$name"
    cd "$top" || exit 2
done
exit $failed
