#!/bin/sh
# place_predict.sh [PROGRAM ...] - bzip2 lua lz4 zopfli clzip cjson: what `bursty place --counts` predicts beside what
# is measured. Each program is trained with all checks and bursts (BURSTY_EVERY=90) on its work, and
# built anew by EC+L4 and by rule Q. Instructions by a plugin of qemu-x86_64 (bench/real/runs.c), with sampling
# off and at $RATE (990:10). A row has the checks and the cost in per cent of the plain program's
# instructions, and the error in points. Needs gcc, qemu-x86_64 and what bench/setup.sh fetches.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
bursty=$BUILD/bursty
work=$BUILD/bench/predict
rate=${RATE:-990:10}
programs=${*:-bzip2 lua lz4 zopfli clzip cjson}
options='-O2 -w -no-pie -fno-pie'
mkdir -p "$work" && cd "$work" || exit 2
gcc -O2 -shared -fPIC -o runs.so "$top/bench/real/runs.c" || exit 2
for name in $programs; do
    [ -d "$src/$name" ] || (cd "$top" && BUILD=$BUILD sh bench/setup.sh "$name") || exit 2
done
head -c 1500000 "$bursty" >input
head -c 60000 "$top/bursty.h" >small
cat >work.lua <<'L'
local t, s = {}, 0
for i = 1, 20000 do t[i] = tostring(i) .. "x" end
for i, v in ipairs(t) do if v:find("7") then s = s + #v * i end end
table.sort(t)
print(s, #table.concat(t))
L
awk 'BEGIN { printf "["; for (i = 0; i < 9000; i++) printf "{\"a\":%d,\"b\":[1,2.5,\"x%d\"],\"c\":null},", i, i; print "1]" }' >work.json
cat >json.c <<'C'
#include "cJSON.h"
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **v) {
    FILE *f = fopen(v[1], "rb");
    char *text = calloc(1, 1 << 22), *out;
    (void)n;
    fread(text, 1, (1 << 22) - 1, f);
    out = cJSON_Print(cJSON_Parse(text));
    puts(out);
    return 0;
}
C

files() {
    case $1 in
    bzip2) for f in blocksort huffman crctable randtable compress decompress bzlib bzip2; do echo "$src/bzip2/$f.c"; done ;;
    lua) find "$src/lua/src" -name '*.c' ! -name luac.c; echo -I"$src/include" -DLUA_USE_LINUX '-Dluai_makeseed(L)=1u' -DLUA_USE_JUMPTABLE=0 -lm -ldl ;;
    lz4) echo -I"$src/lz4/lib" -DXXH_NAMESPACE=LZ4_ "$src"/lz4/lib/*.c "$src"/lz4/programs/*.c ;;
    zopfli) find "$src/zopfli/src/zopfli" -name '*.c'; echo -lm ;;
    clzip) echo '-DPROGVERSION="1"' "$src"/clzip/*.c ;;
    cjson) echo -I"$src/cjson" "$src/cjson/cJSON.c" json.c ;;
    esac
}
works() {
    case $1 in
    bzip2) echo -c input ;;
    lua) echo work.lua ;;
    lz4) echo -q -9 -c input ;;
    zopfli) echo -c --i1 small ;;
    clzip) echo -c -3 input ;;
    cjson) echo work.json ;;
    esac
}
build() { # OUT COMMAND...
    out=$1
    shift
    # shellcheck disable=SC2046
    "$@" $options -o "$out" $(files "$name") >build.log 2>&1 || { head -n 5 build.log >&2; return 1; }
}
counted() { # BINARY: instructions to all, checks to checks
    # shellcheck disable=SC2046
    qemu-x86_64 -plugin ./runs.so -d plugin -D runs.log "./$1" $(works "$name") >/dev/null 2>&1
    read -r all checks _ <runs.log
}

echo "| program | set | checks that ran | predicted | basic cost | predicted | error | at $rate | predicted | error |"
echo '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|'
for name in $programs; do
    build "$name.plain" gcc && build "$name.all" "$bursty" cc --entries=all --loops=all -- gcc || continue
    counted "$name.plain"
    plain=$all
    # shellcheck disable=SC2046
    BURSTY_EVERY=90 BURSTY_FILE="$name.brst" "./$name.all" $(works "$name") >/dev/null 2>&1
    for set in EC+L4 Q; do
        said=$("$bursty" place --set $set --counts "$name.brst" --least 100 --instructions "$plain" --rate "$rate" -o "$name.plan" "$name.all") || continue
        build "$name.$set" "$bursty" cc --no-late --plan="$PWD/$name.plan" -- gcc || continue
        BURSTY_OFF=1; export BURSTY_OFF
        counted "$name.$set"
        off=$all ran=$checks
        unset BURSTY_OFF
        BURSTY_EVERY=${rate%:*}; BURSTY_BURST=${rate#*:}; export BURSTY_EVERY BURSTY_BURST
        BURSTY_FILE=/dev/null counted "$name.$set"
        unset BURSTY_EVERY BURSTY_BURST
        echo "$said" | awk -v name="$name" -v set="$set" -v plain="$plain" -v off="$off" -v ran="$ran" -v on="$all" '
            /^predicted for that run/ { n = $0; sub(/.*run: /, "", n); sub(/ checks.*/, "", n); gsub(/ /, "", n) }
            /basic cost/ { basic = $3; rate = $0; sub(/.*of the checks: /, "", rate); rate += 0 }
            END { b = 100 * (off / plain - 1); r = 100 * (on / plain - 1)
                printf "| %s | %s | %d | %d | %.2f %% | %.2f %% | %+.2f | %.2f %% | %.2f %% | %+.2f |\n", name, set, ran, n, b, basic, basic - b, r, rate, rate - r }'
    done
done
