#!/bin/sh
# streams.sh [REFERENCES [TABLES]] - hot data streams of real programs: records the first REFERENCES (4000000) references of each with
# record/refs.c, then prints speed beside a textbook Sequitur, Figure 7 of "Bursty Tracing" and the tables of "Hybrid Profiling
# Support" as docs/hotstream.md has them (TABLES: some of speed figure7 hps). Wants what bench/setup.sh fetches. Traces go to $BUILD/bench/streams.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} most=${1:-4000000} tables=${2:-speed figure7 hps}
src=$BUILD/bench/src dir=$BUILD/bench/streams bursty=$BUILD/bursty
mkdir -p "$dir"
[ -d "$src/lua/src" ] && [ -f "$src/sqlite/sqlite3.c" ] || sh bench/setup.sh
make -s BUILD="$BUILD" "$bursty"
gcc -std=gnu99 -O2 -I. -o "$dir/bench" bench/bench_hotstream.c -lm
gcc -std=gnu99 -O2 -c -o "$dir/refs.o" record/refs.c

programs='lua bzip2 cjson sqlite chipmunk'
recorded() { # NAME "FLAGS" "LIBRARIES" "ARGUMENTS" SOURCE...: builds and records
    name=$1 flags=$2 libraries=$3 arguments=$4
    shift 4
    [ -f "$dir/$name.refs" ] && [ "$(cat "$dir/$name.most" 2>/dev/null)" = "$most" ] && return
    rm -rf "$dir/$name.o"; mkdir "$dir/$name.o"
    for c in "$@"; do
        gcc -g -O1 -w $flags -fsanitize=thread -fsanitize-coverage=trace-pc -c -o "$dir/$name.o/$(basename "$c" .c).o" "$c"
    done
    gcc -o "$dir/$name" "$dir/$name.o"/*.o "$dir/refs.o" $libraries
    BURSTY_REFS=$dir/$name BURSTY_REFS_MAX=$most "$dir/$name" $arguments >/dev/null
    echo "$most" >"$dir/$name.most"
}
lua=$(ls "$src"/lua/src/*.c | grep -v '/luac\.c$')
recorded lua "-I$src/lua/src -I$src/include -DLUA_USE_LINUX -Dluai_makeseed(L)=1u" "-lm -ldl" "bench/real/work.lua 1" $lua
recorded bzip2 "-I$src/bzip2" "" "$src/sqlite/sqlite3.c 500000 1" bench/real/main_bzip2.c \
    $(for c in blocksort huffman crctable randtable compress decompress bzlib; do echo "$src/bzip2/$c.c"; done)
recorded cjson "-I$src/cjson" "-lm" "200 20" bench/real/main_cjson.c "$src/cjson/cJSON.c"
recorded sqlite "-I$src/sqlite -D_GNU_SOURCE" "-lm -ldl -lpthread" "bench/real/work.sql 1" bench/real/main_sqlite.c "$src/sqlite/sqlite3.c"
recorded chipmunk "-I$src/chipmunk/include -I$src/chipmunk/src -DNDEBUG" "-lm -lpthread" "60 100" bench/real/main_chipmunk.c "$src"/chipmunk/src/*.c

case $tables in *speed*)
echo "## Speed: the first 2 000 000 references"
echo
(cd "$dir" && ./bench 2000000 $(for p in $programs; do echo "$p.refs"; done))
echo
for p in $programs; do (cd "$dir" && echo "$p:" && ./bench parts "$p.refs"); done ;;
esac

number() { sed -n "s/.*\"$1\":\([-0-9.e]*\).*/\1/p" | head -n 1; }
three() { # PROGRAM OPTIONS...: exact, shares and windows
    p=$1; shift
    "$bursty" replay streams --json --top 0 "$@" "$dir/$p.refs" "$dir/$p.table" >"$dir/out"
    for key in overlap_exact overlap_shares overlap_windows; do number $key <"$dir/out"; done | tr '\n' ' '
}

case $tables in *figure7*)
echo
echo "## Whole profiles, $most references"
echo
echo "| program | references | nodes | coverage, whole rules | coverage, with segments | violations |"
echo "|---|---|---|---|---|---|"
for p in $programs; do
    "$bursty" replay streams --json --top 0 "$dir/$p.refs" "$dir/$p.table" >"$dir/out"
    echo "| $p | $(number symbols <"$dir/out") | $(number nodes <"$dir/out") | $(number coverage_whole_rules <"$dir/out") |" \
        "$(number coverage <"$dir/out") | $(number violations <"$dir/out") |"
done

echo
echo "## Figure 7 of Bursty Tracing: overlap with the whole profile in percent, exact / shares / windows"
echo
echo "| nCheck0:nInstr0 |$(for p in $programs; do printf ' %s |' "$p"; done) mean |"
echo "|---|$(for p in $programs; do printf -- '---|'; done)---|"
for sample in 20:1 200:10 1000:50 100:1 1000:10 5000:50 200:1 2000:10; do
    for p in $programs; do three "$p" --sample $sample; echo; done |
        awk -v sample=$sample '{ row = row sprintf(" %.1f / %.1f / %.1f |", $1, $2, $3); for (i = 1; i <= 3; i++) sum[i] += $i }
            END { printf "| %s |%s %.1f / %.1f / %.1f |\n", sample, row, sum[1] / NR, sum[2] / NR, sum[3] / NR }'
done ;;
esac

case $tables in *hps*)
echo
echo "## Hybrid Profiling Support: overlap by shares in percent, mean of the programs (worst program)"
for jitter in 0 50; do
    echo
    [ $jitter = 0 ] && echo "Fixed periods:" || echo "Jittered periods:"
    echo
    echo "| 1/f | burst | methods | call pairs | streams, shares | streams, windows |"
    echo "|---|---|---|---|---|---|"
    for f in 100 500 1000 5000 10000; do
        for burst in 1 10 50 100; do
            sample=$((burst * (f - 1))):$burst
            for p in $programs; do
                for kind in methods pairs; do
                    "$bursty" replay $kind --json --sample $sample --jitter $jitter "$dir/$p.refs" "$dir/$p.pairs" | number overlap_top_90 | tr '\n' ' '
                done
                three "$p" --sample $sample --jitter $jitter
                echo
            done | awk -v f=$f -v burst=$burst '
                function put(x, i) { if (NR == 1 || x < least[i]) least[i] = x; sum[i] += x }
                { put($1, 1); put($2, 2); put($4, 3); put($5, 4) }
                END { printf "| 1/%d | %d |", f, burst; for (i = 1; i <= 4; i++) printf " %.1f (%.1f) |", sum[i] / NR, least[i]; print "" }'
        done
    done
done ;;
esac
