#!/bin/sh
# cc_tests.sh [PROGRAM ...] - what `bursty cc --cover` and gcov say of programs of Debian after their
# own tests. gawk jq mawk gzip cjson lz4 zstd libyaml onig sqlite zlib tcc, and in C++ ninja and jsoncpp:
# both at -O0 with the same gcc; with CXX=clang++-19 in the environment C++ for bursty is compiled by
# that one. jansson libcsv pcre2 httpparser jsonc yajl png, and in C++ tinyxml2 pugixml cli11: gcov
# at -O0, and bursty with gcc and clang at -O0 and -O2, each build with its row.
# Prints the tables of docs/coverage.md, and puts their rows there. Every line that one counts as run and
# the other does not is in build/bench/tests/PROGRAM/run-or-not, and so is every function, and every line
# whose branches differ; those that bench/real/run_or_not.txt does not explain are printed, and the status
# is 1. Each report passes LCOV 2's rules. Where a package has no tests that run from its source alone
# (lz4, zstd, libyaml, sqlite), a few runs stand here.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/tests
bursty=$BUILD/bursty
failed=0

fresh() { cp -RLp "$src/$1/." .; }

# Debian's patches are younger than what autoconf made of the files that they change.
settle() {
    find . -name aclocal.m4 -exec touch {} +
    sleep 1
    find . '(' -name configure -o -name 'config*.in' -o -name Makefile.in ')' -exec touch {} +
    find . '(' -name '*.info' -o -name '*.1' -o -name stamp-vti -o -name version.texi ')' -exec touch {} +
}

quietly() { # STEP COMMAND...: what it says goes to STEP.log; "build" must not fail
    step=$1
    shift
    nice -n 5 "$@" >"$here/$step.log" 2>&1 && return
    [ "$step" = tests ] || { echo "$program, $kind: $* failed, see $here/$step.log" >&2; exit 2; }
}

# Each: the sources into this folder, `make_it` builds with $cc, `test_it` runs its tests.
gawk_sources() { fresh gawk && settle; }
gawk_make() {
    quietly build ./configure --disable-extensions --disable-nls --disable-mpfr CC="$cc" CFLAGS=-w &&
        quietly build make -s -C support && quietly build make -s gawk
}
gawk_test() { quietly tests make -C test -k basic; }

# Without the part that runs jq a few thousand times on pieces of one file, and with the same bytes
# in each run where the tests take random ones.
jq_sources() {
    fresh jq && gzip -9nc src/parser.c >tests/bytes &&
        sed -i 's/^if which seq /if false /; s|if=/dev/urandom|if="$JQTESTDIR/bytes"|' tests/shtest
}
jq_make() {
    quietly build autoreconf -fi
    quietly build ./configure --without-oniguruma --disable-maintainer-mode --disable-docs \
        --disable-shared CC="$cc" CFLAGS=-w && quietly build make -s
}
jq_test() { quietly tests make check NO_VALGRIND=1; }

mawk_sources() { fresh mawk; }
mawk_make() { quietly build ./configure CC="$cc" CFLAGS=-w && quietly build make; }
mawk_test() { quietly tests make check; }

gzip_sources() { fresh gzip && settle && touch lib/*.hin ./*.hin; }
gzip_make() { quietly build ./configure -q CC="$cc" CFLAGS=-w && quietly build make -s; }
gzip_test() { quietly tests make check; }

cjson_sources() { fresh cjson; }
cjson_make() {
    quietly build env CC="$cc" CFLAGS=-w cmake -DENABLE_CUSTOM_COMPILER_FLAGS=Off -DENABLE_CJSON_UTILS=On . &&
        quietly build make
}
cjson_test() { quietly tests ctest; }

lz4_sources() { fresh lz4; }
lz4_make() { # without its Makefile, which Debian has link with the library of the machine
    # shellcheck disable=SC2086
    quietly build $cc -w -Ilib -DXXH_NAMESPACE=LZ4_ -o programs/lz4 lib/*.c programs/*.c
}
lz4_test() {
    quietly tests sh -c 'for level in -1 -5 -9 -12 "-9 -BD -B4" "-1 --no-frame-crc -B6X" --fast=5 "-l"; do
        programs/lz4 -q -f $level lib/lz4hc.c x.lz4 && programs/lz4 -q -f -d x.lz4 x.c && cmp x.c lib/lz4hc.c
    done; programs/lz4 -t x.lz4; programs/lz4 --list x.lz4; programs/lz4 -b1 -i0 lib/lz4.c; programs/lz4 -x; programs/lz4 -m -f lib/lz4.c lib/lz4.h;
    programs/lz4 -D lib/lz4.c -f lib/lz4hc.c d.lz4; programs/lz4 -d -f -D lib/lz4.c d.lz4 d.c; programs/lz4 -t README.md'
}

zstd_sources() { fresh libzstd; }
zstd_make() {
    quietly build make -C programs zstd CC="$cc" CFLAGS="-w -O0" CPPFLAGS=-DZSTD_DISABLE_ASM \
        HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 HAVE_THREAD=0 ZSTD_LEGACY_SUPPORT=0
}
zstd_test() {
    quietly tests sh -c 'for level in -1 -3 -6 -9 -13 -16 -19 --ultra\ -22 --fast=4 "-3 --long" "-12 --no-check"; do
        programs/zstd -q -f $level lib/compress/zstd_lazy.c -o x.zst && programs/zstd -q -f -d x.zst -o x.c && cmp x.c lib/compress/zstd_lazy.c
    done; programs/zstd -q --train -f -o d lib/*/*.h lib/*/*.c --maxdict=4000; programs/zstd -q -f -D d lib/zstd.h -o y.zst;
    programs/zstd -q -d -f -D d y.zst -o y.h; programs/zstd -l x.zst; programs/zstd -t README.md x.zst; programs/zstd -b1 -i0 lib/zstd.h'
}

libyaml_sources() { fresh libyaml; }
libyaml_make() { quietly build env CC="$cc" CFLAGS="-w -O0" cmake -DBUILD_TESTING=On . && quietly build make; }
libyaml_test() {
    quietly tests ctest
    quietly tests sh -c 'for one in run-scanner run-parser run-loader run-emitter run-dumper; do
        find . -name $one -type f -exec {} examples/*.yaml regression-inputs/* ";"
    done'
}

onig_sources() { fresh libonig; }
onig_make() {
    quietly build autoreconf -fi
    quietly build ./configure --disable-shared CC="$cc" CFLAGS="-w -O0" && quietly build make -s
}
onig_test() { quietly tests make check; }

sqlite_sources() { fresh sqlite && cp "$top/bench/real/main_sqlite.c" "$top"/bench/real/*.sql .; }
sqlite_make() {
    # shellcheck disable=SC2086
    quietly build $cc -w -O0 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. -o sql main_sqlite.c sqlite3.c -lm
}
sqlite_test() { quietly tests ./sql checks.sql 2; quietly tests ./sql work.sql 1; }

zlib_sources() { fresh zlib; }
zlib_make() { quietly build env CC="$cc" CFLAGS=-w ./configure && quietly build make; }
zlib_test() { quietly tests make check; }

tcc_sources() { fresh tcc; }
tcc_make() {
    quietly build ./configure --extra-cflags="-w -O0" && quietly build make CC="$cc" tcc libtcc.a libtcc1.a
}
tcc_test() {
    quietly tests make -C tests/tests2
    quietly tests make -C tests/pp
    quietly tests make -k -C tests test1 hello-exe libtest
}

# In C++. The tests of ninja need googletest.
ninja_sources() { fresh ninja-build; }
ninja_make() {
    quietly build env CXX="$cxx" CC="$cc" cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-w . &&
        quietly build make -j2 ninja ninja_test
}
ninja_test() {
    quietly tests ./ninja_test
    quietly tests sh -c './ninja -t list; ./ninja --version; ./ninja -C nowhere; ./ninja -h; mkdir -p own && cd own &&
        printf "rule c\n  command = cp \$in \$out\nbuild b: c a\nbuild d: c b\n" >build.ninja && echo >a &&
        ../ninja && ../ninja -t graph && ../ninja -t targets all && ../ninja -t query d && ../ninja -t compdb c &&
        ../ninja -d stats -d explain -v && ../ninja -t clean && ../ninja -n'
}

jsoncpp_sources() { fresh libjsoncpp; }
jsoncpp_make() {
    quietly build env CXX="$cxx" CC="$cc" cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-w \
        -DBUILD_SHARED_LIBS=OFF -DBUILD_OBJECT_LIBS=OFF -DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF -S . -B out &&
        quietly build make -j2 -C out
}
jsoncpp_test() { quietly tests make -C out test; }

# Those that are built four times. -w, for they are older than the compilers.
jansson_sources() { # with the same hash in each run
    fresh jansson && sed -i 's/^static uint32_t generate_seed() {/&\n    return 1;/' src/hashtable_seed.c
}
jansson_make() {
    quietly build env CC="$cc" cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-w -DJANSSON_BUILD_DOCS=OFF . &&
        quietly build make -j2
}
jansson_test() { quietly tests ctest; }

libcsv_sources() { fresh libcsv && settle; }
libcsv_make() { quietly build ./configure --disable-shared CC="$cc" CFLAGS=-w && quietly build make check TESTS=; }
libcsv_test() { quietly tests make check; }

pcre2_sources() { fresh pcre2 && settle; }
pcre2_make() { quietly build ./configure --disable-shared CC="$cc" CFLAGS=-w && quietly build make -s -j2; }
pcre2_test() { quietly tests make check; }

httpparser_sources() { fresh http-parser; }
httpparser_make() {
    # shellcheck disable=SC2086
    quietly build $cc -w -DHTTP_PARSER_STRICT=1 -I. -o tested http_parser.c test.c
}
httpparser_test() { quietly tests ./tested; }

# With the same hash in each run.
jsonc_sources() { fresh json-c && sed -i 's/seed = json_c_get_random_seed()/seed = 1/' linkhash.c; }
jsonc_make() {
    quietly build env CC="$cc" cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-w \
        -DBUILD_SHARED_LIBS=OFF -DDISABLE_WERROR=ON . && quietly build make -j2
}
jsonc_test() { quietly tests env USE_VALGRIND=0 ctest; }

# With 4 of the 31 sizes of its buffer.
yajl_sources() { fresh yajl && sed -i 's/iter + 1 /iter + 10 /' test/parsing/run_tests.sh; }
yajl_make() { quietly build env CC="$cc" cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-w . && quietly build make; }
yajl_test() {
    quietly tests sh -c 'cd test/parsing && ./run_tests.sh ../../test/parsing/yajl_test'
    quietly tests test/api/gen-extra-close
}

png_sources() { fresh libpng1.6 && settle; }
png_make() {
    quietly build ./configure --disable-shared CC="$cc" CFLAGS=-w && quietly build make -s -j2 check TESTS=
}
png_test() { quietly tests make check; }

tinyxml2_sources() { fresh tinyxml2; }
tinyxml2_make() {
    # shellcheck disable=SC2086
    quietly build $cxx -w -o xmltest xmltest.cpp tinyxml2.cpp && mkdir -p resources/out
}
tinyxml2_test() { quietly tests ./xmltest; }

pugixml_sources() { fresh pugixml; }
pugixml_make() { quietly build make -j2 BUILD=out CXX="$cxx" CXXFLAGS='-w -std=c++11' out/test; }
pugixml_test() { quietly tests out/test; }

# Some of its tests, for each takes half a minute to compile.
cli11_sources() { # it has a link to itself
    cp -Rp "$src/cli11/include" "$src/cli11/tests" . && cp -r "$src/catch2/single_include/catch2" .
}
cli11_make() {
    for one in main HelpersTest StringParseTest OptionGroupTest; do
        # shellcheck disable=SC2086
        quietly build $cxx -w -std=c++11 -Iinclude -I. -c -o $one.o tests/$one.cpp
    done
    # shellcheck disable=SC2086
    quietly build $cxx -o tested main.o HelpersTest.o StringParseTest.o OptionGroupTest.o
}
cli11_test() { quietly tests ./tested; }

# A program, its version and its tests.
what() { # PROGRAM
    case $1 in
    gawk) folder=gawk tests='the basic ones of its tests' ;;
    jq) folder=jq tests='its tests but the longest' ;;
    mawk) folder=mawk tests='`make check`' ;;
    gzip) folder=gzip tests='`make check`' ;;
    cjson) folder=cjson tests='with its utilities, `ctest`' ;;
    lz4) folder=lz4 tests='22 runs' ;;
    zstd) folder=libzstd tests='30 runs' ;;
    libyaml) folder=libyaml tests='`ctest`, its programs over its examples' ;;
    onig) folder=libonig tests='`make check`' ;;
    sqlite) echo "sqlite $(sed -n 's/^#define SQLITE_VERSION *"\(.*\)"/\1/p' "$src/sqlite/sqlite3.h"), bench/real/checks.sql and work.sql" && return ;;
    zlib) folder=zlib tests='`make check`' ;;
    tcc) folder=tcc tests='tests2, pp and three of its tests' ;;
    ninja) folder=ninja-build tests='`ninja_test`, some commands' ;;
    jsoncpp) folder=libjsoncpp tests='`make test`' ;;
    jansson) folder=jansson tests='`ctest`' ;;
    libcsv) folder=libcsv tests='`make check`' ;;
    pcre2) folder=pcre2 tests='`make check`' ;;
    httpparser) folder=http-parser tests='`make test`' ;;
    jsonc) folder=json-c tests='`ctest`' ;;
    yajl) folder=yajl tests='its parsing and api tests' ;;
    png) folder=libpng1.6 tests='`make check`' ;;
    tinyxml2) folder=tinyxml2 tests='`xmltest`' ;;
    pugixml) folder=pugixml tests='`make test`' ;;
    cli11) folder=cli11 tests='three of its files of tests, with Catch2' ;;
    esac
    version=$(basename "$(readlink -f "$src/$folder")")
    echo "$1 ${version##*-}, $tests"
}

# The builds of bursty, one a line: a C compiler, and its level.
builds_of() { # PROGRAM
    case $1 in
    jansson | libcsv | pcre2 | httpparser | jsonc | yajl | png | tinyxml2 | pugixml | cli11)
        for compiler in gcc clang-19; do
            echo "$compiler -O0 -g"
            echo "$compiler -O2 -g"
        done
        ;;
    *) echo 'gcc -O0' ;;
    esac
}
plus_of() { # COMPILER: its C++
    case $1 in
    gcc*) echo "${CXX:-g++${1#gcc}}" ;;
    *) echo "clang++${1#clang}" ;;
    esac
}

build_and_test() { # KIND
    kind=$1
    here=$work/$program/$kind
    mkdir "$here" && cd "$here" || exit 2
    "${program}_sources" || exit 2
    BURSTY_COVERAGE=/dev/null
    export BURSTY_COVERAGE
    "${program}_make" || exit 2
    find . -name '*.gcda' -exec rm {} +
    BURSTY_COVERAGE=$work/$program/$kind.brst
    "${program}_test"
    cd "$work/$program" || exit 2
}

one() { # PROGRAM
    program=$1
    rm -rf "${work:?}/$program" && mkdir -p "$work/$program" || exit 2
    builds_of "$program" >"$work/$program/builds"
    level=$(sed -n '1s/^[^ ]* //p' "$work/$program/builds")
    cc="gcc $level --coverage" cxx="g++ $level --coverage"
    build_and_test gcov
    find gcov -name '*.gcda' | sort | while read -r file; do
        (cd gcov && gcov --json-format --stdout -b "${file#gcov/}" 2>/dev/null)
    done >gcov.json
    while read -r compiler level <&3; do
        own=own_$compiler$(echo "$level" | tr -d ' ')
        covered="$bursty cc --cover --list=$work/$program/left --"
        cc="$covered $compiler $level" cxx="$covered $(plus_of "$compiler") $level"
        build_and_test "$own"
        "$bursty" report --lcov "$own.brst" >"$own.info" 2>notes
        awk -f "$top/tests/edgeprof/lcov_rules.awk" "$own.info" || failed=1
        build=
        [ "$(wc -l <builds)" = 1 ] || build="$compiler $level"
        python3 "$top/bench/cc_tests.py" "$program" "$(what "$program")" "$build" "$own" \
            "$top/bench/real/run_or_not.txt" "$top/docs/coverage.md" || failed=1
        [ ! -s left ] || { echo "$program: left alone:"; cat left; }
        grep 'left out' notes
    done 3<builds
    cd "$top" || exit 2
}

missing=
for pair in gawk: jq: mawk: gzip: cjson: lz4: zstd:libzstd libyaml: onig:libonig sqlite: zlib: tcc: \
    ninja:ninja-build jsoncpp:libjsoncpp jansson: libcsv: pcre2: httpparser:http-parser jsonc:json-c \
    yajl: png:libpng1.6 tinyxml2: pugixml: cli11: cli11:catch2; do
    program=${pair%%:*} package=${pair#*:}
    case " ${*:-$program} " in *" $program "*) ;; *) continue ;; esac
    [ -d "$src/${package:-$program}" ] || missing="$missing ${package:-$program}"
done
# shellcheck disable=SC2086
[ -z "$missing" ] || sh bench/setup.sh $missing || exit 2
echo '| program | lines both know | another count | run or not | functions both know | called or not | dump | .gcno + .gcda |'
echo '|---|---:|---:|---:|---:|---:|---:|---:|'
# Of those that are built four times: the last three columns are lines with branches that both know, those
# with another number of them, and those with as many, of which another number was taken.
for program in ${*:-gawk jq mawk gzip cjson lz4 zstd libyaml onig sqlite zlib tcc ninja jsoncpp \
    jansson libcsv pcre2 httpparser jsonc yajl png tinyxml2 pugixml cli11}; do one "$program"; done
exit $failed
