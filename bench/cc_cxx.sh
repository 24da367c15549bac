#!/bin/sh
# cc_cxx.sh [PROJECT ...] - builds real projects in C++ by their own build systems, once plain and
# once by `bursty cc` with the compiler's plugin, runs their own tests and compares how they end:
#
#     sh bench/cc_cxx.sh                   ninja, re2 and leveldb; prints a table for docs/cc.md
#     MODES="plain all" sh bench/cc_cxx.sh ninja
#     CC=clang-19 CXX=clang++-19 sh bench/cc_cxx.sh ninja
#
# The sources come by the names of their Debian packages (bench/setup.sh), and so do cmake, ninja and
# googletest. Works in build/bench/cxx. Instructions are callgrind's, of one test program.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/cxx
gxx=${CXX:-g++-12} gcc=${CC:-gcc-12}
modes=${MODES:-plain safe all scope}
jobs=${JOBS:-2}
bursty=$BUILD/bursty
export BURSTY_CACHE=$work/cache
mkdir -p "$work" || exit 2
failed=0

[ "$(id -u)" = 0 ] && root= || root=sudo
case $gcc in
clang-*) headers=llvm-${gcc#clang-}-dev package=$gcc ;;
*) headers=$gcc-plugin-dev package=$(basename "$gxx") ;;
esac
for p in "$headers" "$package" cmake ninja-build libgtest-dev libgmock-dev libbenchmark-dev unicode-data python3 valgrind; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
        DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "$p" >/dev/null || exit 2
done
"$bursty" cc --build-plugin -- "$gcc" >"$work/plugin.log" 2>&1 || { cat "$work/plugin.log" >&2; exit 2; }

options_of() { # MODE
    case $1 in
    safe) ;;
    all) echo --entries=all --loops=all ;;
    scope) echo --form=scope --entries=all --loops=all ;;
    esac
}

# Each builds in the folder $here by the command $cxx, leaves the program to be weighed in $program,
# and writes what its tests say, without times, to tests.txt.
with_cmake() { # SOURCES TARGETS OPTIONS...
    sources=$1 targets=$2
    shift 2
    CXX=$cxx CC=$gcc cmake -G Ninja -S "$sources" -B build -DCMAKE_BUILD_TYPE=Release "$@" >cmake.log 2>&1 &&
        ninja -C build -j "$jobs" $targets >build.log 2>&1
}
gtest() { "$@" 2>&1 | sed -n 's/ ([0-9]* ms[^)]*)//; /OK \]\|FAILED\|PASSED/p'; }

make_ninja() {
    with_cmake "$src/ninja-build" 'ninja ninja_test' || return 1
    program=build/ninja_test
    gtest build/ninja_test >tests.txt
    build/ninja -C build -t targets all 2>/dev/null | sed "s|^$here/||" | sort >>tests.txt
}
make_re2() {
    cp -RLp "$src/re2/." . && chmod -R u+w . || return 1
    tests='charclass compile filtered_re2 mimics_pcre parse possible_match re2_arg re2 regexp required_prefix
        search set simplify string_generator dfa'
    targets=
    for t in $tests; do targets="$targets obj/test/${t}_test"; done
    make -j "$jobs" REBUILD_TABLES=1 CXX="$cxx" CXXFLAGS='-O3 -g -Wall -DNDEBUG' $targets >build.log 2>&1 || return 1
    program=obj/test/search_test
    for t in $targets; do
        $t >one.txt 2>&1
        echo "$t $? $(grep -c . one.txt)"
    done >tests.txt
}
make_leveldb() {
    with_cmake "$src/leveldb" all -DLEVELDB_BUILD_BENCHMARKS=OFF || return 1
    program=build/table_test
    for t in build/*_test; do
        TEST_TMPDIR=$PWD/db $t >one.txt 2>&1
        echo "$t $?"
        gtest cat one.txt
    done >tests.txt
}

text_of() { size "$1" | awk 'NR == 2 { print $1 }'; }
# gtest's own choice of tests keeps it short, and leaves out those that start a thread: their counts differ.
instructions() { # PROGRAM
    [ $project != leveldb ] || set -- "$@" --gtest_filter='TableTest.*:MemTableTest.*'
    BURSTY_OFF=${OFF-1} TEST_TMPDIR=$PWD/db valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 |
        sed -n 's/.*Collected : *//p'
}

printf '%-8s %-6s %8s %6s %8s %8s %7s %s\n' project mode lines same text instr. proved 'hottest function'
for project in ${*:-ninja re2 leveldb}; do
    case $project in ninja) package=ninja-build ;; *) package=$project ;; esac
    [ -d "$src/$package" ] || sh bench/setup.sh $package >"$work/setup.log" 2>&1 || { cat "$work/setup.log" >&2; exit 2; }
    for mode in $modes; do
        here=$work/$project-$mode
        rm -rf "$here" && mkdir -p "$here/db" && cd "$here" || exit 2
        cxx=$gxx
        [ $mode = plain ] || cxx="$bursty cc $(options_of $mode) -- $gxx"
        export BURSTY_FILE=$here/%p.brst
        if ! make_$project; then
            echo "$project, $mode: does not build: $(grep -m 2 'rror' build.log cmake.log)" >&2
            failed=1
            cd "$top" || exit 2
            continue
        fi
        text=$(text_of $program) count=$(instructions $program)
        same=yes proved=- hot=-
        if [ $mode = plain ]; then plain_text=$text plain_count=$count
        else
            cmp -s tests.txt "$work/$project-plain/tests.txt" || { same=NO; failed=1; }
            "$bursty" place --prove $program >proof.txt 2>&1
            case $? in 0) proved=yes ;; *) proved=no ;; esac
            "$bursty" merge -o all.brst [0-9]*.brst >merge.log 2>&1
            hot=$("$bursty" report --csv all.brst 2>/dev/null | awk -F '"' '/^1=?,/ { print $2; exit }' | cut -c 1-60)
        fi
        printf '%-8s %-6s %8s %6s %8.3f %8.3f %7s %s\n' $project $mode "$(wc -l <tests.txt)" $same \
            "$(echo "$text $plain_text" | awk '{ print $1 / $2 }')" \
            "$(echo "$count $plain_count" | awk '{ print $2 ? $1 / $2 : 0 }')" $proved "$hot"
        cd "$top" || exit 2
    done
done
exit $failed
