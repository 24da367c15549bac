#!/bin/sh
# cc_overhead.sh [PROGRAM ...] - lz4 mawk libyaml zstd jq gawk: the instructions that counters add to a program,
# beside those of gcc --coverage, same gcc, -O0 and -O2. A run of almost nothing is taken off, so
# that starts and ends, where dumps are written, do not count. Prints a table for docs/cc.md. Needs
# gcc, qemu-x86_64, whose plugin bench/real/icount.c counts, and what bench/setup.sh fetches.
# FORMS are those of bursty cc --cover, LEVELS those of optimisation.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/overhead
forms=${FORMS:-count bytes mcdc}
mkdir -p "$work" && cd "$work" || exit 2
gcc -O2 -shared -fPIC -o icount.so "$top/bench/real/icount.c" || exit 2
missing=
for package in lz4 mawk libyaml libzstd jq gawk; do [ -d "$src/$package" ] || missing="$missing $package"; done
# shellcheck disable=SC2086
[ -z "$missing" ] || (cd "$top" && sh bench/setup.sh $missing) || exit 2

instructions() { # COMMAND...
    BURSTY_COVERAGE=/dev/null qemu-x86_64 -plugin ./icount.so -d plugin -D count.log "$@" >out.txt 2>/dev/null
    tr -dc 0-9 <count.log
}

# Each: the files and options to compile, or how make builds it, a run, and a run of almost nothing.
lz4_files() { echo -I"$src/lz4/lib" -DXXH_NAMESPACE=LZ4_ "$src"/lz4/lib/*.c "$src"/lz4/programs/*.c; }
lz4_run() { instructions "$1" -q -9 -c "$src/lz4/lib/lz4hc.c"; }
lz4_nothing() { instructions "$1" -q -9 -c tiny; }
mawk_files() {
    [ -f mawk/config.h ] || {
        cp -RLp "$src/mawk/." mawk && (cd mawk && ./configure && make) >mawk.log 2>&1
    }
    (cd mawk && ls ./*.o) | sed 's/^\.\/\(.*\)\.o$/mawk\/\1.c/'
    echo -Imawk -DHAVE_CONFIG_H
}
script='{ n[length($0)]++; for (i = 1; i <= NF; i++) { w[$i]++; if ($i ~ /^[a-z]+=/) s = s substr($i, 1, 3) } gsub(/x/, "yy"); t = t $1 }
    END { for (k in w) if (w[k] > 9) c++; print c, length(s), length(t) }'
mawk_run() { instructions "$1" "$script" "$src/mawk/configure"; }
mawk_nothing() { instructions "$1" "$script" tiny; }
libyaml_files() {
    echo -I"$src/libyaml/include" '-DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING="0.2.5"' \
        "$src"/libyaml/src/*.c "$src/libyaml/tests/run-parser.c"
}
libyaml_run() { instructions "$1" large.yaml; }
libyaml_nothing() { instructions "$1" tiny; }
zstd_files() {
    echo -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -I"$src/libzstd/lib" -I"$src/libzstd/lib/common" \
        "$src"/libzstd/lib/common/*.c "$src"/libzstd/lib/compress/*.c \
        "$src"/libzstd/lib/decompress/*.c "$src"/libzstd/lib/dictBuilder/*.c "$src"/libzstd/programs/*.c
}
zstd_run() { instructions "$1" -q -9 --no-progress -c "$src/libzstd/lib/compress/zstd_lazy.c"; }
zstd_nothing() { instructions "$1" -q -9 --no-progress -c tiny; }
jq_make() { # CC LEVEL OUTPUT
    [ -f jq/Makefile ] || {
        cp -RLp "$src/jq/." jq && (cd jq && autoreconf -fi && ./configure --without-oniguruma \
            --disable-maintainer-mode --disable-docs --disable-shared) >jq.log 2>&1
    }
    (cd jq && make -s clean && make -s CC="$1" CFLAGS="-w $2") >>jq.log 2>&1 && cp jq/jq "$3"
}
jq_run() { instructions "$1" '[.[] | select(.n > 5) | {a: (.n * 2), b: (.s | ascii_upcase), c: (.l | add)}] | length' large.json; }
jq_nothing() { instructions "$1" '[.[] | select(.n > 5) | {a: (.n * 2), b: (.s | ascii_upcase), c: (.l | add)}] | length' tiny.json; }
gawk_make() { # CC LEVEL OUTPUT
    [ -f gawk/Makefile ] || {
        cp -RLp "$src/gawk/." gawk && (cd gawk && find . -name aclocal.m4 -exec touch {} + && sleep 1 &&
            find . '(' -name configure -o -name 'config*.in' -o -name Makefile.in ')' -exec touch {} + &&
            ./configure --disable-extensions --disable-nls --disable-mpfr) >gawk.log 2>&1
    }
    (cd gawk && rm -f ./*.o support/*.o support/*.a gawk && make -s -C support CC="$1" CFLAGS="-w $2" &&
        make -s gawk CC="$1" CFLAGS="-w $2") >>gawk.log 2>&1 && cp gawk/gawk "$3"
}
gawk_run() { instructions "$1" "$script" "$src/mawk/configure"; }
gawk_nothing() { instructions "$1" "$script" tiny; }

echo 'a: 1' >tiny
awk 'BEGIN { for (i = 0; i < 2000; i++) printf "key%d: {a: [1, 2, \"three\", four%d], b: |\n", i, i > "/dev/null"
    for (i = 0; i < 2000; i++) printf "- key%d: value %d\n  list: [1, \"two\", {three: %d}]\n  text: |\n    some words\n    more\n", i, i, i }' >large.yaml
echo '[]' >tiny.json
awk 'BEGIN { printf "["; for (i = 0; i < 3000; i++) printf "%s{\"n\": %d, \"s\": \"word%d\", \"l\": [%d, 2, 3]}", i ? ", " : "", i % 20, i, i
    print "]" }' >large.json
echo '| program | | plain | '"$(echo "$forms" | sed 's/ / | /g')"' | gcc --coverage | '"$(echo "$forms" | sed 's/\([a-z0-9]*\)/\1: of gcov/g; s/ \([a-z0-9]*:\)/ | \1/g')"' |'
for name in ${*:-lz4 mawk libyaml zstd jq gawk}; do
    for level in ${LEVELS:--O0 -O2}; do
        row= plain=
        for kind in plain $forms gcov; do
            case $kind in
            plain) cc=gcc ;;
            gcov) cc="gcc --coverage" ;;
            *) cc="$BUILD/bursty cc --cover=$kind -- gcc" ;;
            esac
            rm -f ./*.gcda
            if command -v "${name}_make" >/dev/null; then
                "${name}_make" "$cc" "$level" "$name-$kind" || exit 2
            else
                # shellcheck disable=SC2046,SC2086
                $cc -w $level -o "$name-$kind" $("${name}_files") -lm || exit 2
            fi
            row="$row $(($("${name}_run" "./$name-$kind") - $("${name}_nothing" "./$name-$kind")))"
        done
        echo "$row" | awk -v name="$name" -v level="$level" '{
            printf "| %s | %s | %.2f M |", name, level, $1 / 1e6
            for (i = 2; i < NF; i++) printf " %.2f M |", $i / 1e6
            printf " %.2f M |", $NF / 1e6
            for (i = 2; i < NF; i++) printf " %.2f |", ($i - $1) / ($NF - $1)
            print "" }'
    done
done
