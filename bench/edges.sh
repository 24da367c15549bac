#!/bin/sh
# edges.sh - the tables of docs/edgeprof.md on today's programs: bzip2, Lua and sqlite out of their
# packages are compiled with gcc
# --coverage -O0 and run; bench/gcov_cfg.py makes graphs and counts of gcc's own notes; bursty
# replay edges plans and derives.
# Prints the tables. bench/setup.sh fetches the sources. Beside them stand gcov's own updates on the
# same runs.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
src=$build/bench/src out=$build/bench/edges
rm -rf "$out"
mkdir -p "$out"
make -s BUILD="$build" "$build/bursty"

# compile NAME COMMAND...: gcc's notes and data land in $out/NAME
compile() {
    name=$1; shift
    mkdir -p "$out/$name"
    (cd "$out/$name" && gcc-12 -O0 -w --coverage "$@")
}
cfg() { python3 bench/gcov_cfg.py "$1" "$out/$1"/*.gcno >"$out/$1.txt"; }

bzip2=$src/bzip2
compile bzip2 -o bzip2 "$bzip2"/blocksort.c "$bzip2"/huffman.c "$bzip2"/crctable.c \
    "$bzip2"/randtable.c "$bzip2"/compress.c \
    "$bzip2"/decompress.c "$bzip2"/bzlib.c "$bzip2"/bzip2.c
head -c 3000000 "$src/sqlite/sqlite3.c" >"$out/input"
(cd "$out/bzip2" && ./bzip2 -c ../input >packed && ./bzip2 -dc packed | cmp - ../input)
cfg bzip2

# gcc leaves the edges of computed gotos out of its notes: Lua is built with a switch.
lua=$src/lua/src
compile lua -DLUA_USE_POSIX -DLUA_USE_JUMPTABLE=0 -I"$src/include" -o lua \
    $(ls "$lua"/*.c | grep -v '/luac\.c') -lm
(cd "$out/lua" && ./lua "$OLDPWD/bench/real/work.lua" >/dev/null)
cfg lua

compile sqlite -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I"$src/sqlite" -Ibench/real \
    -I"$PWD" -o sqlite \
    "$src/sqlite/sqlite3.c" "$PWD/bench/real/main_sqlite.c" -lm
(cd "$out/sqlite" && ./sqlite "$OLDPWD/bench/real/work.sql" 1 >/dev/null)
cfg sqlite

key() { sed "s/.*\"$2\":\([0-9.a-z]*\)[,}].*/\1/" "$1"; }
ratio() { awk "BEGIN { printf \"%.$3f\", $1 / $2 }"; }
replay() { "$build/bursty" replay edges --json "$@" "$out/$program.txt" >"$out/json"; }

echo \
    '| program | functions | exact | counters | gcov counters | updates a block, rules | exact weights | exact weights, minimum tree | gcov | updates, of gcov |'
echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
for program in bzip2 lua sqlite; do
    replay
    blocks=$(key "$out/json" blocks) updates=$(key "$out/json" updates) \
        gcov=$(key "$out/json" gcov_updates)
    printf '| %s | %s | %s | %s | %s ' $program "$(key "$out/json" functions)" \
        "$(key "$out/json" exact_functions)" \
        "$(key "$out/json" counters)" \
            "$(awk '/^F/ { n += $6 } END { print n }' "$out/$program.txt")"
    printf '| %s ' "$(ratio "$updates" "$blocks" 3)"
    for options in '--weights exact' '--weights exact --minimum'; do
        # shellcheck disable=SC2086
        replay $options
        printf '| %s ' "$(ratio "$(key "$out/json" updates)" "$blocks" 3)"
    done
    echo "| $(ratio "$gcov" "$blocks" 3) | $(ratio "$updates" "$gcov" 2) |"
done
echo
echo \
    'Reduction (blocks / updates; and in instructions, 5 an update and 1 a jump: 5 blocks / (5 updates + jumps)), exact weights:'
echo
echo \
    '| program | Eprof(Ecnt) | instructions | Vprof(Ecnt) | Vprof(Vcnt) | witnesses a block | bits a block | planning, ms |'
echo '|---|---:|---:|---:|---:|---:|---:|---:|'
for program in bzip2 lua sqlite; do
    replay --weights exact
    blocks=$(key "$out/json" blocks) updates=$(key "$out/json" updates) \
        jumps=$(key "$out/json" updates_on_critical_edges)
    printf '| %s | %s | %s ' $program "$(ratio "$blocks" "$updates" 2)" "$(ratio "(5 * \
        $blocks)" "(5 * $updates + $jumps)" 2)"
    for problem in vprof-e vprof-v; do
        replay --weights exact --problem $problem
        printf '| %s ' "$(ratio "$blocks" "$(key "$out/json" updates)" 2)"
    done
    replay --problem trace
    printf '| %.3f | %.3f ' "$(key "$out/json" witnesses_per_block)" \
        "$(key "$out/json" bits_per_block)"
    replay
    echo "| $(ratio "$(key "$out/json" planning_us)" 1000 1) |"
done
