#!/bin/sh
# cc_overhead.sh [PROGRAM ...] - the instructions that counters add to a program, beside those of
# gcc --coverage and of clang's source-based coverage. A run of almost nothing is taken off, so that
# starts and ends, where dumps are written, do not count. Prints a table for docs/coverage.md. Needs gcc,
# qemu-x86_64, whose plugin bench/real/icount.c counts, and what bench/setup.sh fetches.
# Where gcc's plugin is built, C++ is measured with it.
# FORMS are those of bursty cc --cover, LEVELS those of optimisation; CLANG= leaves clang out.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=${WORK:-$BUILD/bench/overhead}
forms=${FORMS:-count bytes mcdc}
CLANG=${CLANG-clang-19}
real=$top/bench/real
mkdir -p "$work" && cd "$work" || exit 2
gcc -O2 -shared -fPIC -o icount.so "$real/icount.c" || exit 2

instructions() { # COMMAND...: what it wrote before is not added up with this
    rm -f ./*.gcda
    BURSTY_COVERAGE=/dev/null LLVM_PROFILE_FILE=/dev/null \
        qemu-x86_64 -plugin ./icount.so -d plugin -D count.log "$@" >out.txt 2>/dev/null
    tr -dc 0-9 <count.log
}

# Each program: the package, the files and options to compile or how make builds it, a run, and a run of
# almost nothing.
list='lz4 zstd lzo libyaml mawk sed giflib snappy tinyxml2 fmt'
package() {
    case $1 in zstd) echo libzstd ;; lzo) echo lzo2 ;; fmt) echo fmtlib ;; *) echo "$1" ;; esac
}
lz4_files() { echo -I"$src/lz4/lib" -DXXH_NAMESPACE=LZ4_ "$src"/lz4/lib/*.c "$src"/lz4/programs/*.c; }
lz4_run() { instructions "$1" -q -9 -c "$src/lz4/lib/lz4hc.c"; }
lz4_nothing() { instructions "$1" -q -9 -c tiny; }
zstd_files() {
    echo -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -I"$src/libzstd/lib" -I"$src/libzstd/lib/common" \
        "$src"/libzstd/lib/common/*.c "$src"/libzstd/lib/compress/*.c \
        "$src"/libzstd/lib/decompress/*.c "$src"/libzstd/lib/dictBuilder/*.c "$src"/libzstd/programs/*.c
}
zstd_run() { instructions "$1" -q -9 --no-progress -c "$src/libzstd/lib/compress/zstd_lazy.c"; }
zstd_nothing() { instructions "$1" -q -9 --no-progress -c tiny; }
lzo_files() { echo -I"$src/lzo2/include" -I"$src/lzo2/src" -I"$src/lzo2" "$src"/lzo2/src/*.c "$src/lzo2/examples/lzopack.c"; }
lzo_run() { instructions "$1" -9 "$src/lz4/lib/lz4hc.c" packed; }
lzo_nothing() { instructions "$1" -9 tiny packed; }
libyaml_files() {
    echo -I"$src/libyaml/include" '-DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING="0.2.5"' \
        "$src"/libyaml/src/*.c "$src/libyaml/tests/run-parser.c"
}
libyaml_run() { instructions "$1" large.yaml; }
libyaml_nothing() { instructions "$1" tiny; }
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
sed_files() {
    [ -f sed/config.h ] || {
        cp -RLp "$src/sed/." sed && (cd sed && ./configure --disable-nls --disable-acl --without-selinux --with-included-regex && make) >sed.log 2>&1
    }
    (cd sed && find lib sed -name '*.o') | sed 's/\(.*\)\.o$/sed\/\1.c/; s/libsed_a-//; s/sed-//'
    echo -Ised -Ised/lib -Ised/sed -DHAVE_CONFIG_H -DLOCALEDIR='""'
}
edits='s/[a-z]*_\([a-z]*\)/\1/g;/^$/d;h;G;s/\n.*//;y/abc/xyz/'
sed_run() { instructions "$1" "$edits" "$src/mawk/scan.c"; }
sed_nothing() { instructions "$1" "$edits" tiny; }
giflib_files() {
    echo -I"$src/giflib" "$src"/giflib/dgif_lib.c "$src"/giflib/egif_lib.c "$src"/giflib/gif*alloc.c "$src"/giflib/gif_err.c \
        "$src"/giflib/gif_hash.c "$src"/giflib/gif_font.c "$src"/giflib/quantize.c "$src"/giflib/openbsd-reallocarray.c \
        "$src"/giflib/gif2rgb.c "$src"/giflib/getarg.c "$src"/giflib/qprintf.c
}
giflib_run() { instructions "$1" -1 -o image.rgb "$src/giflib/pic/fire.gif"; }
giflib_nothing() { instructions "$1" -1 -o image.rgb tiny; }
snappy_files() {
    [ -f snappy-stubs-public.h ] || sed 's/\${HAVE_SYS_UIO_H_01}/1/; s/\${PROJECT_VERSION_[A-Z]*}/1/' \
        "$src/snappy/snappy-stubs-public.h.in" >snappy-stubs-public.h
    echo -I. -I"$src/snappy" "$src"/snappy/snappy.cc "$src"/snappy/snappy-sinksource.cc \
        "$src"/snappy/snappy-stubs-internal.cc "$real/main_snappy.cc"
}
snappy_run() { instructions "$1" "$src/lz4/lib/lz4hc.c"; }
snappy_nothing() { instructions "$1" tiny; }
tinyxml2_files() { echo -I"$src/tinyxml2" "$src/tinyxml2/tinyxml2.cpp" "$real/main_tinyxml2.cc"; }
tinyxml2_run() { instructions "$1" large.xml; }
tinyxml2_nothing() { instructions "$1" tiny.xml; }
fmt_files() { echo -I"$src/fmtlib/include" "$src/fmtlib/src/format.cc" "$real/main_fmt.cc"; }
fmt_run() { instructions "$1" 5000; }
fmt_nothing() { instructions "$1" 1; }

missing=
for name in ${*:-$list}; do [ -d "$src/$(package "$name")" ] || missing="$missing $(package "$name")"; done
# shellcheck disable=SC2086
[ -z "$missing" ] || (cd "$top" && sh bench/setup.sh $missing lz4 mawk) || exit 2

echo 'a: 1' >tiny
awk 'BEGIN { for (i = 0; i < 2000; i++) printf "- key%d: value %d\n  list: [1, \"two\", {three: %d}]\n  text: |\n    some words\n    more\n", i, i, i }' >large.yaml
echo '<a/>' >tiny.xml
awk 'BEGIN { print "<list>"; for (i = 0; i < 3000; i++) printf "<item n=\"%d\" name=\"item &amp; %d\"><!-- some words --><b>text %d</b><c/></item>\n", i, i, i
    print "</list>" }' >large.xml

build() { # PROGRAM KIND LEVEL
    case $1.$2 in
    snappy.clang* | tinyxml2.clang* | fmt.clang*) compiler=$(echo "$CLANG" | sed 's/clang/clang++/') ;;
    *.clang*) compiler=$CLANG ;;
    snappy.* | tinyxml2.* | fmt.*) compiler=g++ ;;
    *) compiler=gcc ;;
    esac
    case $2 in
    plain | clang) ;;
    gcov) compiler="$compiler --coverage" ;;
    clang-source) compiler="$compiler -fprofile-instr-generate -fcoverage-mapping" ;;
    clang-byte) compiler="$compiler -fprofile-instr-generate -fcoverage-mapping -mllvm -enable-single-byte-coverage" ;;
    *) compiler="$BUILD/bursty cc --cover=$2 -- $compiler" ;;
    esac
    rm -f ./*.gcda
    # shellcheck disable=SC2046,SC2086
    $compiler -w $3 -o "$1-$2" $("$1_files") -lm
}

count() { # PROGRAM KIND
    echo $(($("$1_run" "./$1-$2") - $("$1_nothing" "./$1-$2")))
}

echo "| program | | plain | gcov |$(printf ' %s |' $forms)${CLANG:+ clang, source-based | single-byte |}"
echo "|---|---|---:|---:|$(printf -- '---:|%.0s' $forms)${CLANG:+---:|---:|}"
for name in ${*:-$list}; do
    for level in ${LEVELS:--O0 -O2}; do
        row=
        for kind in plain gcov $forms ${CLANG:+clang clang-source clang-byte}; do
            build "$name" "$kind" "$level" || exit 2
            row="$row $(count "$name" "$kind")"
        done
        echo "$row" | awk -v name="$name" -v level="$level" -v forms="$(echo "$forms" | wc -w)" '{
            printf "| %s | %s | %.2f M | +%.2f M |", name, level, $1 / 1e6, ($2 - $1) / 1e6
            for (i = 3; i < 3 + forms; i++) printf " %.2f |", ($i - $1) / ($2 - $1)
            for (c = i++; i <= NF; i++) printf " %.2f |", ($i - $c) / ($2 - $1)
            print "" }'
    done
done
