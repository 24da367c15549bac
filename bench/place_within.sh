#!/bin/sh
# place_within.sh [PROGRAM ...] - lz4 bzip2 lua: what `bursty place --within N` brings and costs. Each
# program is built plain, by rule Q, and by rule Q within N instructions (WITHIN, or 50000 10000 2000). A row has
# the instructions over plain, the checks that ran, the longest run of the program's own instructions
# without a check and the share of them that lies in runs above 10 000 (a plugin of qemu-x86_64
# counts both: bench/real/runs.c), and what the proof says of the machine code. Sampling is off. Needs
# gcc, qemu-x86_64, and what bench/setup.sh fetches.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
bursty=$BUILD/bursty
work=$BUILD/bench/within
options='-O2 -w -no-pie -fno-pie'
mkdir -p "$work" && cd "$work" || exit 2
gcc -O2 -shared -fPIC -o runs.so "$top/bench/real/runs.c" || exit 2
for name in ${*:-lz4 bzip2 lua}; do
    [ -d "$src/$name" ] || (cd "$top" && BUILD=$BUILD sh bench/setup.sh "$name") || exit 2
done
cat "$top/bursty.h" "$top/hcct.h" "$BUILD/bursty" >input
gcc -O2 -w -I"$src/lz4/lib" -DXXH_NAMESPACE=LZ4_ -o lz4.tool "$src"/lz4/lib/*.c "$src"/lz4/programs/*.c &&
    ./lz4.tool -q -f -9 input input.lz4 || exit 2
cat >work.lua <<'L'
local t, s = {}, 0
for i = 1, 60000 do t[i] = tostring(i) .. "x" end
for i, v in ipairs(t) do if v:find("7") then s = s + #v * i end end
table.sort(t)
print(s, #table.concat(t))
L

# The files of a program, and its works: each a line of arguments.
lz4_files() { echo -I"$src/lz4/lib" -DXXH_NAMESPACE=LZ4_ "$src"/lz4/lib/*.c "$src"/lz4/programs/*.c; }
lz4_works() { printf '%s\n' '-q -9 -c input' '-q -1 -c input' '-q -d -c input.lz4'; }
bzip2_files() { for f in blocksort huffman crctable randtable compress decompress bzlib bzip2; do echo "$src/bzip2/$f.c"; done; }
bzip2_works() { printf '%s\n' '-c input'; }
lua_files() { find "$src/lua/src" -name '*.c' ! -name luac.c; echo -I"$src/include" -DLUA_USE_LINUX '-Dluai_makeseed(L)=1u' -DLUA_USE_JUMPTABLE=0 -lm -ldl; }
lua_works() { printf '%s\n' work.lua; }

one_row() { # BINARY LABEL ARGUMENTS...
    binary=$1 label=$2
    shift 2
    BURSTY_OFF=1 qemu-x86_64 -plugin ./runs.so -d plugin -D runs.log "$binary" "$@" >out.now 2>/dev/null
    read -r all checks longest _ above _ <runs.log
    if [ "$label" = plain ]; then
        plain=$all
        mv out.now out.plain
        return
    fi
    cmp -s out.now out.plain || { echo "$binary $*: does not print what plain does" >&2; exit 1; }
    said=$("$bursty" place --prove --set Q --within "${label#Q, }" "$binary" 2>/dev/null | grep -E '^(NOT )?within')
    echo "| $name $* | $label | $(awk "BEGIN { printf \"%.3f\", $all / $plain }") | $checks | $longest | $above % |" \
        "$(echo "$said" | sed 's/ run between.*//; s/.*instructions: //') |"
}

build() { # OUT COMMAND...
    out=$1
    shift
    # shellcheck disable=SC2046
    "$@" $options -o "$out" $("${name}_files") >build.log 2>&1 || { cat build.log >&2; exit 1; }
}

echo '| work | checks | instructions over plain | checks that ran | longest run without | in runs above 10 000 | the proof: instructions between two checks |'
echo '|---|---|---:|---:|---:|---:|---|'
for name in ${*:-lz4 bzip2 lua}; do
    build "$name.plain" gcc
    build "$name.graph" "$bursty" cc --no-late -- gcc
    "$bursty" place --set Q -o "$name.Q.plan" "$name.graph" >/dev/null || exit 1
    build "$name.Q" "$bursty" cc --no-late --plan="$PWD/$name.Q.plan" -- gcc
    for n in ${WITHIN:-50000 10000 2000}; do
        "$bursty" place --set Q --within "$n" -o "$name.$n.plan" "$name.graph" >/dev/null || exit 1
        build "$name.$n" "$bursty" cc --no-late --plan="$PWD/$name.$n.plan" -- gcc
    done
    "${name}_works" | while read -r line; do
        # shellcheck disable=SC2086
        {
            one_row "./$name.plain" plain $line
            one_row "./$name.Q" Q $line
            for n in ${WITHIN:-50000 10000 2000}; do one_row "./$name.$n" "Q, $n" $line; done
        }
    done
done
