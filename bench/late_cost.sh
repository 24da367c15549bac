#!/bin/sh
# late_cost.sh [PROGRAM ...] - what checks behind the optimizer cost in
# programs that nobody tuned, beside checks in source: jq, zstd, lz4, Lua,
# zopfli, clzip, mawk and expat (C), ninja, re2 and leveldb (C++), all of them
# Debian's sources. Each is built plain, then by `bursty cc`, once with checks
# in source (C alone) and once by the compiler's plugin, then again with the
# plan that `bursty place` makes of that build, for each set:
#
#     sh bench/late_cost.sh                              prints the table of docs/place.md
#     CC=clang-19 CXX=clang++-19 sh bench/late_cost.sh   the same for the plugin of clang
#     SETS=Q sh bench/late_cost.sh lz4
#     WAYS=late SETS=Q sh bench/late_cost.sh lz4         by the plugin alone
#
# basic: executed instructions with all checks in place, never sampling, the plain program is 1 (a plugin of qemu-x86_64 counts;
# geometric mean of a program's inputs, and the worst). at 1 %: the same, sampling bursts of 10 checks out of 1000. code: bytes of
# instructions in the program's own objects, without the names of its sites. compile: processor time of the build. same: all that was printed is what the plain program prints, C++
# projects' own tests included. proved: `bursty place --prove`. Works in build/bench/late.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/late
gcc=${CC:-gcc-12} gxx=${CXX:-g++-12}
sets=${SETS:-EC+L4 Q}
ways=${WAYS:-source late}
bursty=$BUILD/bursty
export BURSTY_CACHE=$work/cache
mkdir -p "$work" || exit 2
failed=0
[ -f "$work/icount.so" ] || gcc -O2 -shared -fPIC -o "$work/icount.so" bench/real/icount.c || exit 2
"$bursty" cc --build-plugin -- "$gcc" >"$work/plugin.log" 2>&1 || { cat "$work/plugin.log" >&2; exit 2; }

need() { # FOLDER PACKAGE
    [ -d "$src/$1" ] || sh bench/setup.sh "$2" >"$work/setup.log" 2>&1 || { cat "$work/setup.log" >&2; exit 2; }
}

[ "$(id -u)" = 0 ] && root= || root=sudo
install() { # PACKAGE...: what a program needs beside its source
    for p in "$@"; do
        dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
            DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq -o DPkg::Lock::Timeout=600 \
                --no-install-recommends "$p" >/dev/null || exit 2
    done
}

# Each program: its kind (C: files and flags to compile and link; C++: a build of its own), its inputs, one a line.
describe() {
    libs= flags= files= kind=c
    lua=$src/lua/src json=$work/input.json xml=$work/input.xml
    case $1 in
    jq)
        need jq jq
        for f in builtin bytecode compile execute jq_test jv jv_alloc jv_aux jv_dtoa jv_file jv_parse jv_print \
            jv_unicode linker locfile util main parser lexer inject_errors; do
            [ ! -f "$src/jq/src/$f.c" ] || [ $f = inject_errors ] || files="$files $src/jq/src/$f.c"
        done
        flags="-I$src/jq/src -I$src/jq -I$work/jq-generated -D_GNU_SOURCE -DIEEE_8087 -DHAVE_MEMMEM -DHAVE_MKSTEMP -DHAVE_ISATTY -DUSE_ISATTY -DHAVE_TIMEGM -DHAVE_GMTIME_R -DHAVE_STRPTIME -DHAVE_STRFTIME -DHAVE_MKTIME -DHAVE_TM_TM_GMT_OFF -DHAVE_SETLOCALE -DHAVE_PTHREAD -DJQ_VERSION=\"bench\"" libs="-lm -lpthread"
        mkdir -p "$work/jq-generated/src"
        (cd "$src/jq" && sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' src/builtin.jq) >"$work/jq-generated/src/builtin.inc"
        printf '#define JQ_VERSION "bench"\n' >"$work/jq-generated/src/version.h"
        inputs="[.[]|{name,size:(.values|add)}]|sort_by(.size)|.[0:5] $json
map(.name|ascii_upcase|explode|map(.+1)|implode)|join(\"\")|length $json
[range(9000)|.*.%97]|group_by(.)|map(length)|add $json" ;;
    zstd)
        need libzstd libzstd
        for f in "$src"/libzstd/lib/common/*.c "$src"/libzstd/lib/compress/*.c "$src"/libzstd/lib/decompress/*.c \
            "$src"/libzstd/lib/dictBuilder/*.c "$src"/libzstd/programs/*.c; do
            files="$files $f"
        done
        flags="-I$src/libzstd/lib -I$src/libzstd/lib/common -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_" libs=
        inputs="-q -c -3 $lua/lvm.c
-q -c -19 $lua/ltable.c
-q -c -d $work/input.zst" ;;
    lz4)
        need lz4 lz4
        files=$(ls "$src"/lz4/lib/*.c "$src"/lz4/programs/*.c) flags="-I$src/lz4/lib -DXXH_NAMESPACE=LZ4_"
        inputs="-q -9 -c $src/lz4/lib/lz4hc.c
-q -1 -c $bursty
-q -d -c $work/input.lz4" ;;
    lua)
        need lua lua5.4
        files=$(find "$src/lua/src" -name '*.c' ! -name luac.c)
        flags="-I$src/lua/src -I$src/include -DLUA_USE_LINUX -DLUA_USE_JUMPTABLE=0 -Dluai_makeseed(L)=1u" libs="-lm -ldl"
        inputs="$work/words.lua
$work/numbers.lua
$top/bench/real/work.lua 1" ;;
    zopfli)
        need zopfli zopfli
        files=$(find "$src/zopfli/src/zopfli" -name '*.c') flags= libs=-lm
        inputs="-c --i1 $src/zopfli/src/zopfli/deflate.c
-c --i3 --deflate $work/little.json" ;;
    clzip)
        need clzip clzip
        files=$(ls "$src"/clzip/*.c) flags='-DPROGVERSION="1"'
        inputs="-c -3 $src/lz4/lib/lz4hc.c
-c -0 $bursty
-c -d $work/input.lz" ;;
    mawk)
        need mawk mawk
        [ -f "$work/mawk/config.h" ] || { mkdir -p "$work/mawk" && cp -RLp "$src/mawk/." "$work/mawk" &&
            (cd "$work/mawk" && ./configure && make) >"$work/mawk.log" 2>&1; }
        files=$(cd "$work/mawk" && ls ./*.o | sed "s|^\./\(.*\)\.o\$|$work/mawk/\1.c|")
        flags="-I$work/mawk -DHAVE_CONFIG_H -DLOCAL_REGEXP" libs=-lm
        inputs="-f $work/words.awk $src/mawk/configure
-f $work/sums.awk $json
-f $work/loop.awk" ;;
    expat)
        need expat expat
        for f in lib/xmlparse lib/xmltok lib/xmlrole xmlwf/xmlwf xmlwf/xmlfile xmlwf/codepage xmlwf/unixfilemap; do
            files="$files $src/expat/expat/$f.c"
        done
        flags="-I$src/expat/expat/lib -DXML_DEV_URANDOM -DXML_NS -DXML_DTD -DXML_CONTEXT_BYTES=1024 -DXML_LARGE_SIZE -DHAVE_MEMMOVE -DHAVE_UNISTD_H -DBYTEORDER=1234 -Dgetauxval=bench_none" libs=
        inputs="$xml
-n $xml
-d db $xml" ;;
    ninja)
        need ninja-build ninja-build
        kind=cxx files=$(ls "$src"/ninja-build/src/*.cc | grep -v 'test\|perf\|browse\|win32\|minidump\|msvc\|getopt\|hash_collision\|\.in\.cc')
        flags=-DNDEBUG inputs="-C $work -f many.ninja -n
-C $work -f many.ninja -t targets all
-C $work -f many.ninja -t commands" ;;
    re2)
        need re2 re2
        install unicode-data # its tables are made of Unicode's
        [ -f "$work/re2/tables" ] || {
            rm -rf "$work/re2"
            mkdir -p "$work/re2" && cp -RLp "$src/re2/." "$work/re2" && chmod -R u+w "$work/re2" &&
                make -C "$work/re2" REBUILD_TABLES=1 re2/unicode_casefold.cc re2/unicode_groups.cc re2/perl_groups.cc &&
                : >"$work/re2/tables"
        } >"$work/re2.log" 2>&1 || { tail -n 3 "$work/re2.log" >&2; exit 2; }
        kind=cxx flags="-I$work/re2 -DNDEBUG" libs=-lpthread
        for f in "$work"/re2/re2/*.cc "$work"/re2/util/rune.cc "$work"/re2/util/strutil.cc "$work"/re2/util/pcre.cc "$work"/re2/util/test.cc; do
            case $f in *fuzz*) ;; *) files="$files $f" ;; esac
        done
        for f in backtrack dump exhaustive_tester null_walker regexp_generator string_generator tester search_test parse_test; do
            files="$files $work/re2/re2/testing/$f.cc"
        done
        inputs=- ;;
    leveldb)
        need leveldb leveldb
        install libgtest-dev libgmock-dev
        kind=cxx flags="-I$src/leveldb -I$src/leveldb/include -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_FDATASYNC=1 -DHAVE_O_CLOEXEC=1 -DHAVE_FULLFSYNC=0 -DNDEBUG -fno-exceptions"
        libs="-lgtest -lgmock -lpthread"
        for f in "$src"/leveldb/util/*.cc "$src"/leveldb/db/*.cc "$src"/leveldb/table/*.cc "$src"/leveldb/helpers/memenv/memenv.cc; do
            case $f in *_test.cc | *windows* | *leveldbutil.cc | *_bench*) ;; *) files="$files $f" ;; esac
        done
        # Tests that open a database start a thread, and no two of their counts are the same.
        files="$files $src/leveldb/table/table_test.cc"
        for f in util/bloom util/coding util/cache db/log db/write_batch; do
            test=$work/leveldb_$(basename $f)_test.cc
            printf '#define main no_main_%s\n#include "%s_test.cc"\n' "$(basename $f)" $f >"$test"
            files="$files $test"
        done
        inputs="--gtest_filter=TableTest.*:MemTableTest.*
--gtest_filter=BloomTest.*:Coding.*
--gtest_filter=LogTest.*:WriteBatchTest.*:CacheTest.*" ;;
    *) echo "late_cost.sh: no program $1" >&2; exit 2 ;;
    esac
}

make_inputs() {
    [ -f "$work/many.ninja" ] && return
    awk 'BEGIN { srand(1); print "["
        for (i = 0; i < 600; i++) { printf "%s{\"name\":\"item %d\",\"values\":[", (i ? "," : ""), i
            for (k = 0; k < 12; k++) printf "%s%d", (k ? "," : ""), int(rand() * 10000); print "]}" } print "]" }' >"$work/input.json"
    head -c 9000 "$work/input.json" >"$work/little.json"
    echo 'local t, s = {}, 0
for i = 1, 9000 do t[i] = tostring(i * 7919 % 9001) .. "x" end
for i, v in ipairs(t) do if v:find("7") then s = s + #v * i end end
table.sort(t)
print(s, #table.concat(t))' >"$work/words.lua"
    echo 'local function f(n) return n < 2 and n or f(n - 1) + f(n - 2) end
local a = {}
for i = 1, 300 do a[i] = {} for k = 1, 30 do a[i][k] = i * k % 7 + .5 end end
local s = 0
for i = 1, 300 do for k = 1, 30 do s = s + a[i][k] * a[k][k] end end
print(f(21), s)' >"$work/numbers.lua"
    awk 'BEGIN { print "<?xml version=\"1.0\"?><all xmlns:n=\"urn:n\">"
        for (i = 0; i < 9000; i++) printf "<n:item id=\"%d\" kind=\"a &amp; b\">text %d &lt;with&gt; words</n:item>\n", i, i * i
        print "</all>" }' >"$work/input.xml"
    echo '{ for (i = 1; i <= NF; i++) w[$i]++; if ($0 ~ /^ac_[a-z]+=/) s = s substr($0, 1, 5); gsub(/x/, "yy"); n += length($0) }
        END { for (k in w) if (w[k] > 9) c++; print c, n, length(s) }' >"$work/words.awk"
    echo '{ n = split($0, part, /[^0-9]+/); for (i = 1; i <= n; i++) sum += part[i]; line[NR] = toupper($0) }
        END { for (i = NR; i > 0; i--) t = t substr(line[i], 1, 2); print sum, length(t) }' >"$work/sums.awk"
    echo 'BEGIN { for (i = 0; i < 200000; i++) { a[i % 1000] += i; if (i % 3 == 0) n++ } for (i = 0; i < 1000; i++) s += a[i]; print s, n }' >"$work/loop.awk"
    awk 'BEGIN { print "rule cc\n  command = cc -c $in -o $out $flags\n  description = CC $out"
        for (i = 0; i < 3000; i++) { printf "build o/%d.o: cc src/%d.c | h/%d.h h/%d.h\n  flags = -O2 -DN=%d\n", i, i, i % 97, i % 53, i }
        for (i = 0; i < 97; i++) printf "build h/%d.h: phony\n", i
        for (i = 0; i < 3000; i++) printf "build src/%d.c: phony\n", i }' >"$work/many.ninja"
}

build() { # FOLDER COMMAND...: seconds of processor time, on standard output
    out=$1
    shift
    rm -rf "$out"
    mkdir -p "$out/db" && cd "$out" || exit 2
    standard=-std=gnu11
    [ $kind = c ] || standard=-std=c++14
    # shellcheck disable=SC2086
    (printf '%s\n' $files | xargs -P "${JOBS:-2}" -n 1 "$@" -w $standard -O2 $flags -c >build.log 2>&1
     echo $? >status
     times >times.txt)
    # shellcheck disable=SC2086
    if [ "$(cat status)" != 0 ] || ! "$@" -o program ./*.o $libs >>build.log 2>&1; then
        echo "$out: $(grep -m 2 'rror\|undefined' build.log)" >&2
        failed=1
    fi
    cd "$top" || exit 2
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += t[1] * 60 + t[2] } printf "%.2f", s }' "$out/times.txt"
}

count() { # COMMAND...: its instructions; what it prints is added to said.txt
    TEST_TMPDIR=$PWD/db qemu-x86_64 -plugin "$work/icount.so" -d plugin -D count.log "$@" </dev/null 2>&1 |
        sed 's/ ([0-9]* ms[^)]*)//; s/([0-9]* ms total)//' >>said.txt
    sed -n 's/.*instructions \([0-9]*\).*/\1/p' count.log
}

run() { # FOLDER: the instructions of each input
    cd "$1" || exit 2
    : >said.txt
    printf '%s\n' "$inputs" | while IFS= read -r words; do
        # shellcheck disable=SC2086
        case $program$words in
        jq*) count ./program "${words% *}" "${words##* }" ;;
        *-) [ "$words" = - ] && count ./program || count ./program $words ;;
        *) count ./program $words ;;
        esac
    done
    cd "$top" || exit 2
}

code_of() { size -A "$1"/*.o | awk '$1 ~ /^\.text/ { sum += $2 } END { print sum }'; }
# Geometric mean and worst of what stands behind over what stands before.
ratios() { # AFTER BEFORE
    echo "$1 / $2" | tr '\n' ' ' | awk '{ for (n = 1; $n != "/"; n++);
        for (i = 1; i < n; i++) { r = $i / $(n + i); sum += log(r); if (r > worst) worst = r }
        printf "%.3f %.3f", exp(sum / (n - 1)), worst }'
}
row() { printf '| %-8s | %-6s | %-6s | %-13s | %-13s | %5s | %7s | %-4s | %s |\n' "$@"; }

measure() { # PROGRAM
    program=$1
    describe "$program"
    compiler=$gcc some=$ways
    [ $kind = c ] || { compiler=$gxx some=late; }
    plain=$work/$program-plain
    plain_time=$(build "$plain" "$compiler")
    case $program in
    zstd) "$plain/program" -q -f "$lua/lvm.c" -o "$work/input.zst" ;;
    lz4) "$plain/program" -q -f "$src/lz4/lib/lz4.c" "$work/input.lz4" ;;
    clzip) "$plain/program" -c "$src/lz4/lib/lz4.c" >"$work/input.lz" ;;
    esac
    before=$(run "$plain")
    for way in $some; do measure_way; done
}

measure_way() {
    own=--late
    [ "$way" = late ] || own=--no-late
    first=$work/$program-$way
    # shellcheck disable=SC2086
    build "$first" "$bursty" cc $own -- "$compiler" >/dev/null
    for set in $sets; do
        here=$work/$program-$way-$set
        plan=$here.plan
        "$bursty" place --set "$set" -o "$plan" "$first/program" >"$here.txt" 2>&1 || { cat "$here.txt" >&2; failed=1; }
        # shellcheck disable=SC2086
        time=$(build "$here" "$bursty" cc $own --plan="$plan" -- "$compiler")
        export BURSTY_FILE=/dev/null BURSTY_OFF=1
        basic=$(ratios "$(run "$here")" "$before")
        same=same
        cmp -s "$plain/said.txt" "$here/said.txt" || { same=DIFFERS; failed=1; }
        unset BURSTY_OFF
        rate=$(BURSTY_EVERY=1000 ratios "$(run "$here")" "$before")
        unset BURSTY_FILE
        cmp -s "$plain/said.txt" "$here/said.txt" || { same=DIFFERS; failed=1; }
        "$bursty" place --prove --set "$set" "$here/program" >"$here.proof" 2>&1 && proved=yes || proved=no
        row "$program" "$set" "$way" "$basic" "$rate" "$(echo "$(code_of "$here") $(code_of "$plain")" | awk '{ printf "%.2f", $1 / $2 }')" \
            "$(echo "$time $plain_time" | awk '{ printf "%.2f", $1 / $2 }')" $same $proved
        echo "$set,$way $basic $rate" >>"$work/all.txt"
    done
}

make_inputs
: >"$work/all.txt"
row program set way 'basic, worst' 'at 1 %, worst' code compile same proved
row -------- ------ ------ ------------- ------------- ----: ------: ---- ------
for name in ${*:-lz4 lua jq zstd zopfli clzip mawk expat ninja re2 leveldb}; do measure "$name"; done
awk '{ n[$1]++; for (i = 2; i <= 5; i += 2) sum[$1, i] += log($i); for (i = 3; i <= 5; i += 2) if ($i > worst[$1, i]) worst[$1, i] = $i }
    END { for (set in n) printf "%s: geometric mean %.3f, worst %.3f; at 1 %% %.3f, worst %.3f\n", set, exp(sum[set, 2] / n[set]), worst[set, 3], exp(sum[set, 4] / n[set]), worst[set, 5] }' "$work/all.txt"
exit $failed
