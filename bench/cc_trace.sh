#!/bin/sh
# cc_trace.sh [PROGRAM ...] - clzip zopfli tcc bzip2 cjson: the instructions that
# `bursty cc --trace` adds to a program, beside those of gcc --coverage, same gcc, -O0 and -O2;
# bytes of the trace for each block that ran, witnesses as a share of all edges; and whether the
# counts of the replay are those of --cover. Prints a table for docs/trace.md. A run of almost
# nothing is taken off the instructions. Needs gcc, qemu-x86_64, whose plugin bench/real/icount.c
# counts, and what bench/setup.sh fetches.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/trace
mkdir -p "$work" && cd "$work" || exit 2
gcc -O2 -shared -fPIC -o icount.so "$top/bench/real/icount.c" || exit 2
missing=
for package in clzip zopfli tcc bzip2 cjson; do
    [ -d "$src/$package/" ] || missing="$missing $package"
done
# shellcheck disable=SC2086
[ -z "$missing" ] || (cd "$top" && sh bench/setup.sh $missing) || exit 2
export BURSTY_COVERAGE=$work/coverage.brst BURSTY_TRACE=$work/run.trace BURSTY_TRACE_LIMIT=1G

instructions() { # COMMAND...
    qemu-x86_64 -plugin ./icount.so -d plugin -D count.log "$@" >out.txt 2>/dev/null
    tr -dc 0-9 <count.log
}

# Each: the files and options to compile, and a run on a file.
clzip_files() { echo -DPROGVERSION='"1"' "$src"/clzip/*.c; }
clzip_run() { echo -k -9 -c "$1"; }
zopfli_files() { echo "$src"/zopfli/src/zopfli/*.c; }
zopfli_run() { echo --i1 -c "$1"; }
tcc_files() {
    [ -f tcc/config.h ] || { cp -RLp "$src/tcc/." tcc && (cd tcc && ./configure && make tccdefs_.h) >tcc.log 2>&1; }
    echo -Itcc -DONE_SOURCE=1 tcc/tcc.c -ldl
}
tcc_run() { echo -nostdinc -c -o out.o "$1"; }
bzip2_files() {
    echo -I"$src"/bzip2 "$top"/bench/real/main_bzip2.c
    for file in blocksort bzlib compress crctable decompress huffman randtable; do
        echo "$src/bzip2/$file.c"
    done
}
bzip2_run() { echo "$1" 100000 1; }
cjson_files() { echo -I"$src"/cjson "$top"/bench/real/main_cjson.c "$src"/cjson/cJSON.c; }
cjson_run() { [ "$1" = tiny.c ] && echo 0 1 || echo 20 2; }
head -c 6000 "$top/bench/real/icount.c" >large.c
head -n 12 large.c >small.c
head -n 60 "$top/tests/make_exits.c" | tail -n 20 >>large.c
awk 'BEGIN { for (i = 0; i < 300; i++) printf "static int f%d(int a) { int i, s = 0; for (i = 0; i < a; i++) if (a & 1) s += i * %d; return s; }\n", i, i }' >many.c
echo 'int a;' >tiny.c

echo '| program | | plain | --trace: of gcov | gcc --coverage | bytes an event | bits a block | witnesses a block | edges with a witness | bits by bit tracing | lines that differ from --cover |'
for name in ${*:-clzip zopfli tcc bzip2 cjson}; do
    input=large.c
    [ "$name" = tcc ] && input=many.c
    [ "$name" = zopfli ] && input=small.c
    for level in -O0 -O2; do
        row=
        for kind in plain trace gcov cover; do
            case $kind in
            plain) cc=gcc ;;
            gcov) cc="gcc --coverage" ;;
            *) cc="$BUILD/bursty cc --$kind -- gcc" ;;
            esac
            rm -f ./*.gcda
            # shellcheck disable=SC2046,SC2086
            $cc -w $level -o "$name-$kind" $("${name}_files") -lm || exit 2
            [ $kind = cover ] && continue
            # shellcheck disable=SC2046
            row="$row $(($(instructions "./$name-$kind" $("${name}_run" $input)) - \
                $(instructions "./$name-$kind" $("${name}_run" tiny.c))))"
        done
        rm -f coverage.brst run.trace*
        # shellcheck disable=SC2046
        "./$name-trace" $("${name}_run" $input) >/dev/null
        # shellcheck disable=SC2046
        "./$name-cover" $("${name}_run" $input) >/dev/null
        "$BUILD/bursty" report --last 0 run.trace >text || exit 2
        for file in coverage.brst run.trace; do
            "$BUILD/bursty" report --lcov $file 2>/dev/null | awk -F'[:,]' '/^SF/ { f = $2 } /^DA/ { print f ":" $2 "," $3 }' >"$file.lines"
        done
        [ -s run.trace.lines ] || exit 2
        differ=$(diff coverage.brst.lines run.trace.lines | grep -c '^[<>]')
        awk -v row="$row" -v name="$name" -v level="$level" -v differ="$differ" '
            /bit tracing would/ { traced = $5 }
            /bytes an event/ { bytes = $1; bits = $5; witnesses = $9; share = $(NF - 1); gsub(/[()]/, "", share) }
            END { split(row, n, " ")
                of = n[3] > n[1] ? sprintf("%.2f", (n[2] - n[1]) / (n[3] - n[1])) : "-"
                printf "| %s | %s | %.2f M | %.2f M: %s | %.2f M | %s | %s | %s | %s %% | %s | %d |\n", name, level, n[1] / 1e6,
                    n[2] / 1e6, of, n[3] / 1e6, bytes, bits, witnesses, share, traced, differ }' text
    done
done
