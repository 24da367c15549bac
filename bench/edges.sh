#!/bin/sh
# edges.sh - the tables of docs/edgeprof.md on today's programs. bzip2, Lua and sqlite out of their
# packages are compiled with gcc --coverage -O0 and run. bench/gcov_cfg.py makes graphs and counts
# of gcc's own notes. bursty-lab edges plans and derives. Beside them stand gcov's own updates on
# the same runs, and those of clang's IR-PGO (-O0 -fprofile-generate), the sum of its counters.
# bench/setup.sh fetches sources and compilers.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
src=$build/bench/src out=$build/bench/edges
rm -rf "$out"
mkdir -p "$out"
make -s BUILD="$build" "$build/bursty-lab"

# compile NAME COMMAND...: gcc's notes and data land in $out/NAME, what clang makes in
# $out/NAME-clang
compile() {
    name=$1
    shift
    mkdir -p "$out/$name" "$out/$name-clang"
    (cd "$out/$name" && gcc-12 -O0 -w --coverage "$@")
    (cd "$out/$name-clang" && clang-19 -O0 -w -fprofile-generate "$@")
}
# both NAME COMMAND...: runs it in both folders; output goes to output
both() {
    name=$1
    shift
    for folder in "$out/$name" "$out/$name-clang"; do
        (cd "$folder" && LLVM_PROFILE_FILE="$folder/%p.profraw" "$@" >output)
    done
}
cfg() { python3 bench/gcov_cfg.py "$1" "$out/$1"/*.gcno >"$out/$1.txt"; }
clang_updates() {
    llvm-profdata-19 merge -o "$out/$1.profdata" "$out/$1-clang"/*.profraw
    llvm-profdata-19 show --all-functions --counts "$out/$1.profdata" |
        sed -n 's/^    \(Function count: \|Block counts: \)//p' | tr -d '[],' |
        awk '{ for (i = 1; i <= NF; i++) n += $i } END { printf "%.0f\n", n }'
}

bzip2=$src/bzip2
compile bzip2 -o bzip2 "$bzip2"/blocksort.c "$bzip2"/huffman.c "$bzip2"/crctable.c \
    "$bzip2"/randtable.c "$bzip2"/compress.c "$bzip2"/decompress.c "$bzip2"/bzlib.c \
    "$bzip2"/bzip2.c
head -c 3000000 "$src/sqlite/sqlite3.c" >"$out/input"
both bzip2 ./bzip2 -c ../input
for folder in "$out/bzip2" "$out/bzip2-clang"; do cp "$folder/output" "$folder/packed"; done
both bzip2 ./bzip2 -dc packed
cmp "$out/bzip2/output" "$out/input"
cmp "$out/bzip2-clang/output" "$out/input"
cfg bzip2

# gcc leaves the edges of computed gotos out of its notes: Lua is built with a switch.
lua=$src/lua/src
# shellcheck disable=SC2046
compile lua -DLUA_USE_POSIX -DLUA_USE_JUMPTABLE=0 -I"$src/include" -o lua \
    $(ls "$lua"/*.c | grep -v '/luac\.c') -lm
both lua ./lua "$PWD/bench/real/work.lua"
cfg lua

compile sqlite -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I"$src/sqlite" -Ibench/real \
    -I"$PWD" -o sqlite "$src/sqlite/sqlite3.c" "$PWD/bench/real/main_sqlite.c" -lm
both sqlite ./sqlite "$PWD/bench/real/work.sql" 1
cfg sqlite

key() { sed "s/.*\"$2\":\([0-9.a-z]*\)[,}].*/\1/" "$1"; }
ratio() { awk "BEGIN { printf \"%.$3f\", $1 / $2 }"; }
replay() { "$build/bursty-lab" edges --json "$@" "$out/$program.txt" >"$out/json"; }

row() { # NUMBER... of a table
    printf '|'
    printf ' %s |' "$@"
    printf '\n'
}
row program functions exact counters 'of gcov'
echo '|---|---:|---:|---:|---:|'
for program in bzip2 lua sqlite; do
    replay
    row $program "$(key "$out/json" functions)" "$(key "$out/json" exact_functions)" \
        "$(key "$out/json" counters)" \
        "$(awk '/^F/ { n += $6 } END { print n }' "$out/$program.txt")"
done
echo
echo 'Updates for each block that ran: by the rules, by exact weights, of the minimum tree (the worst'
echo "plan, by exact weights) and of gcov; then ours by the rules and clang's as a share of gcov's:"
echo
row program rules 'exact weights' 'minimum tree' gcov 'ours / gcov' 'clang IR-PGO / gcov'
echo '|---|---:|---:|---:|---:|---:|---:|'
for program in bzip2 lua sqlite; do
    replay --weights exact
    exact=$(key "$out/json" updates)
    replay --weights exact --minimum
    minimum=$(key "$out/json" updates)
    replay
    blocks=$(key "$out/json" blocks)
    updates=$(key "$out/json" updates)
    gcov=$(key "$out/json" gcov_updates)
    row $program "$(ratio "$updates" "$blocks" 3)" "$(ratio "$exact" "$blocks" 3)" \
        "$(ratio "$minimum" "$blocks" 3)" "$(ratio "$gcov" "$blocks" 3)" \
        "$(ratio "$updates" "$gcov" 2)" "$(ratio "$(clang_updates $program)" "$gcov" 2)"
done
echo
echo 'Reduction: blocks / updates; and in instructions, 5 an update and 1 a jump:'
echo '5 blocks / (5 updates + jumps); exact weights.'
echo
row program 'Eprof(Ecnt)' instructions 'Vprof(Ecnt)' 'Vprof(Vcnt)' 'witnesses a block' \
    'bits a block' 'planning, ms'
echo '|---|---:|---:|---:|---:|---:|---:|---:|'
for program in bzip2 lua sqlite; do
    replay --weights exact --problem vprof-e
    vprof_e=$(key "$out/json" updates)
    replay --weights exact --problem vprof-v
    vprof_v=$(key "$out/json" updates)
    replay --problem trace
    witnesses=$(key "$out/json" witnesses_per_block) bits=$(key "$out/json" bits_per_block)
    replay
    planning=$(key "$out/json" planning_us)
    replay --weights exact
    blocks=$(key "$out/json" blocks)
    updates=$(key "$out/json" updates)
    jumps=$(key "$out/json" updates_on_critical_edges)
    row $program "$(ratio "$blocks" "$updates" 2)" \
        "$(ratio "(5 * $blocks)" "(5 * $updates + $jumps)" 2)" "$(ratio "$blocks" "$vprof_e" 2)" \
        "$(ratio "$blocks" "$vprof_v" 2)" "$(ratio "$witnesses" 1 3)" "$(ratio "$bits" 1 3)" \
        "$(ratio "$planning" 1000 1)"
done
