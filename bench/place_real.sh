#!/bin/sh
# place_real.sh [PROGRAM ...] - the paper's Figure 6 today: what checks cost in real programs, for each set of checks that
# bursty place can choose. Builds each program plain, and with bursty cc for each set; compares what they print with what the
# plain one prints; counts executed instructions (a plugin of qemu-x86_64), with the checks in place and never sampling:
#
#     sh bench/place_real.sh                     lua bzip2 cjson sqlite chipmunk mujs; prints the table of docs/place.md
#     SETS='EC+L4 Q' sh bench/place_real.sh lua
#     LATE=--late sh bench/place_real.sh     checks behind the optimizer: once `bursty cc --build-plugin` was run
#     INPUTS=4 SETS=Q sh bench/place_real.sh     on four inputs each; ends with geometric mean and worst of each set
#
# The sources are Debian packages and one npm package, brought by bench/setup.sh. Works in build/bench/place.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/place
gcc=${CC:-gcc}
sets=${SETS:-all EL EC EN L4 L10 LN EC+L4 EC+L4+bounded+always Q}
level=${LEVEL:--O2}
count=${INPUTS:-1}
own=$top/bench/real/inputs
bursty=$BUILD/bursty
mkdir -p "$work" || exit 2
failed=0

fetch() {
    [ -d "$src/chipmunk/src" ] && [ -f "$src/sqlite/sqlite3.c" ] || sh bench/setup.sh || exit 2
    [ -d "$src/mujs" ] || sh bench/setup.sh mujs || exit 2
}

# What to compile, how, and what to run: four lines of arguments, the first as in bench/real/programs.py. The others
# are other work: text, numbers and objects; source, machine code and packed bytes; transactions, parsing and analysis.
describe() {
    main=$top/bench/real/main_$1.c libs=-lm flags= files=
    case $1 in
    lua)
        for file in "$src"/lua/src/*.c; do
            case $file in */luac.c|*/ltests.c|*/onelua.c) ;; *) files="$files $file" ;; esac
        done
        flags="-I$src/lua/src -I$src/include -DLUA_USE_LINUX -Dluai_makeseed(L)=1u -DLUA_USE_JUMPTABLE=0"
        libs="-lm -ldl" inputs="$top/bench/real/work.lua 1
$own/text.lua 4
$own/numbers.lua 2
$own/objects.lua 2" ;;
    bzip2)
        for file in blocksort bzlib compress crctable decompress huffman randtable; do
            files="$files $src/bzip2/$file.c"
        done
        files="$main $files" flags="-I$src/bzip2" inputs="$src/sqlite/sqlite3.c 500000 1
$src/lua/src/lvm.c 60000 4
$bursty 400000 1
$(ls "$src"/lua5.4_*.orig.tar.gz) 300000 1" ;;
    cjson)
        files="$main $src/cjson/cJSON.c" flags="-I$src/cjson" inputs="4000 1
5 400
100 20
1500 2" ;;
    sqlite)
        files="$main $src/sqlite/sqlite3.c" flags="-I$src/sqlite -D_GNU_SOURCE"
        libs="-lm -ldl -lpthread" inputs="$top/bench/real/work.sql 1
$own/transactions.sql 2
$own/parsing.sql 20
$own/analysis.sql 1" ;;
    chipmunk)
        files="$main $(ls "$src"/chipmunk/src/*.c)" libs="-lm -lpthread" inputs="60 100
5 800
200 15
120 60"
        flags="-I$src/chipmunk/include -I$src/chipmunk/src -DNDEBUG" ;;
    mujs)
        files="$src/mujs/main.c $src/mujs/one.c" flags="-I$src/mujs"
        inputs="$top/bench/real/work.js 1
$own/text.js 4
$own/numbers.js 2
$own/objects.js 1" ;;
    *)
        echo "place_real.sh: no program $1" >&2
        exit 2 ;;
    esac
}

# The compiler's command, then all files, JOBS at a time.
build() { # FOLDER COMMAND...
    out=$1; shift
    rm -rf "$out"
    mkdir -p "$out" && cd "$out" || exit 2
    # shellcheck disable=SC2086
    printf '%s\n' $files | nice -n 10 xargs -P "${JOBS:-2}" -n 1 "$@" -w -std=gnu11 $level $flags -c || failed=1
    # shellcheck disable=SC2086
    "$@" -o program ./*.o $libs || failed=1
    cd "$top" || exit 2
}

plugin() {
    [ -f "$work/icount.so" ] || $gcc -O2 -shared -fPIC -o "$work/icount.so" bench/real/icount.c || exit 2
}

run() { # FOLDER: out.txt of all inputs, and the instructions of each on standard output
    : >"$1/out.txt"
    printf '%s\n' "$inputs" | head -n "$count" | while read -r arguments; do
        # shellcheck disable=SC2086
        (cd "$1" && BURSTY_OFF=1 qemu-x86_64 -plugin "$work/icount.so" -d plugin -D count.log ./program $arguments \
            >>out.txt 2>&1 </dev/null
         sed -n 's/.*instructions \([0-9]*\).*/\1/p' count.log)
    done
}

ratios() { # AFTER BEFORE: those of each input
    echo "$1 / $2" | tr '\n' ' ' | awk '{ for (i = 1; $i != "/"; i++) printf "%s%.3f", (i > 1 ? " " : ""), $i / $(NF / 2 + .5 + i) }'
}

# Of the program's own objects: the runtime of checks is the same for all sets.
text_of() { size "$1"/*.o | awk 'NR > 1 { sum += $1 } END { print sum }'; }
number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" "$2" | head -n 1; }
row() { printf '| %-8s | %-20s | %6s | %6s | %6s | %5s | %-6s | %s |\n' "$@"; }

measure() { # PROGRAM
    describe "$1"
    plain=$work/$1-plain
    build "$plain" "$gcc"
    before=$(run "$plain") size=$(text_of "$plain")
    row "$1" plain 0 0 1.000 1.00 - -
    seed=$work/$1-all
    build "$seed" "$bursty" cc ${LATE:---no-late} -- "$gcc"
    cp "$seed/program" "$work/$1-graph"
    for set in $sets; do
        here=$work/$1-$set
        plan=$work/$1-$set.plan
        "$bursty" place --set "$set" -o "$plan" "$work/$1-graph" >"$work/$1-$set.txt" || failed=1
        build "$here" "$bursty" cc ${LATE:---no-late} --plan="$plan" -- "$gcc"
        after=$(run "$here")
        proof=$("$bursty" place --built --set "$set" "$here/program" 2>/dev/null | grep -c '^holds')
        "$bursty" place --set "$set" --json "$work/$1-graph" >"$work/$1-$set.json"
        same=same
        cmp -s "$plain/out.txt" "$here/out.txt" || { same=DIFFERS; failed=1; }
        ratios "$after" "$before" | sed "s/^/$set /" >>"$work/ratios.txt"
        echo >>"$work/ratios.txt"
        row "$1" "$set" "$(number entry_checks "$work/$1-$set.json")" "$(number loop_checks "$work/$1-$set.json")" \
            "$(ratios "$after" "$before")" \
            "$(awk "BEGIN { printf \"%.2f\", $(text_of "$here") / $size }")" "$same" \
            "$([ "$proof" = 1 ] && echo proved || echo no)"
    done
}

fetch
plugin
row program set entry loop instr text output cycles
row -------- -------------------- -----: -----: -----: ----: ------ ------
: >"$work/ratios.txt"
for program in ${*:-lua bzip2 cjson sqlite chipmunk mujs}; do measure "$program"; done
[ "$count" = 1 ] || awk '{
    for (i = 2; i <= NF; i++) { sum[$1] += log($i); n[$1]++; if ($i > worst[$1]) worst[$1] = $i }
} END { for (set in sum) printf "%s: geometric mean %.3f, worst %.3f\n", set, exp(sum[set] / n[set]), worst[set] }' "$work/ratios.txt"
exit $failed
