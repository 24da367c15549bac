#!/bin/sh
# streams.sh [REFERENCES [TABLES]] - hot data streams of seven real programs: records the first
# REFERENCES (12000000) references of each with record/inside/hooks/refs.c, then prints speed beside a textbook
# Sequitur, instructions a symbol, Figures 7 and 8 of "Bursty Tracing" and the tables of "Hybrid
# Profiling Support", as docs/hotstream.md has them. TABLES are some of
#     speed instructions bounded figure7 figure8 goals long hps
# PROGRAMS="lua zlib": these alone.
# Wants valgrind for instructions, and fetches what bench/setup.sh fetches, zlib and MuJS. The
# traces go to $BUILD/bench/streams.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} most=${1:-12000000}
tables=${2:-speed instructions bounded figure7 figure8 goals long hps}
src=$BUILD/bench/src dir=$BUILD/bench/streams bursty=$BUILD/bursty lab=$BUILD/bursty-lab
mkdir -p "$dir"
[ -d "$src/lua/src" ] && [ -f "$src/sqlite/sqlite3.c" ] && [ -d "$src/zlib" ] &&
    [ -d "$src/mujs" ] || sh bench/setup.sh zlib mujs
make -s BUILD="$BUILD" "$bursty" "$lab"
gcc -std=gnu99 -O2 -I. -o "$dir/bench" bench/bench_hotstream.c -lm
gcc -std=gnu99 -O2 -c -o "$dir/refs.o" record/inside/hooks/refs.c

# ---- the traces ----

programs=${PROGRAMS:-lua bzip2 cjson sqlite chipmunk zlib mujs}

arguments() { # NAME TIMES: what the program is given
    case $1 in
    lua)      echo "bench/real/work.lua $2" ;;
    bzip2)    echo "$src/sqlite/sqlite3.c 1000000 $2" ;;
    cjson)    echo "200 $((30 * $2))" ;;
    sqlite)   echo "bench/real/work.sql $2" ;;
    chipmunk) echo "60 $((200 * $2))" ;;
    zlib)     echo "-c $src/sqlite/sqlite3.c" ;;
    mujs)     echo "bench/real/work.js $((10 * $2))" ;;
    zstd)     echo "-q -9 --no-progress -c $src/libzstd/lib/compress/zstd_lazy.c" ;;
    esac
}

recorded() { # NAME "FLAGS" "LIBRARIES" SOURCE...: builds and records
    name=$1 flags=$2 libraries=$3
    shift 3
    case " $programs zstd " in *" $name "*) ;; *) return ;; esac
    [ -f "$dir/$name.loops" ] && [ "$(cat "$dir/$name.most" 2>/dev/null)" = "$most" ] && return
    rm -rf "$dir/$name.o"
    mkdir "$dir/$name.o"
    for c in "$@"; do
        gcc -g -O1 -w $flags -fsanitize=thread -fsanitize-coverage=trace-pc -c \
            -o "$dir/$name.o/$(basename "$c" .c).o" "$c"
    done
    gcc -o "$dir/$name" "$dir/$name.o"/*.o "$dir/refs.o" $libraries
    BURSTY_REFS=$dir/$name BURSTY_REFS_MAX=$most "$dir/$name" $(arguments "$name" 2) >/dev/null
    echo "$most" >"$dir/$name.most"
}

all_of() { # FOLDER FILE...: their paths
    folder=$1
    shift
    for file in "$@"; do echo "$folder/$file.c"; done
}

recorded lua "-I$src/lua/src -I$src/include -DLUA_USE_LINUX -Dluai_makeseed(L)=1u" "-lm -ldl" \
    $(ls "$src"/lua/src/*.c | grep -v '/luac\.c$')
recorded bzip2 "-I$src/bzip2" "" bench/real/main_bzip2.c \
    $(all_of "$src/bzip2" blocksort huffman crctable randtable compress decompress bzlib)
recorded cjson "-I$src/cjson" "-lm" bench/real/main_cjson.c "$src/cjson/cJSON.c"
recorded sqlite "-I$src/sqlite -D_GNU_SOURCE" "-lm -ldl -lpthread" \
    bench/real/main_sqlite.c "$src/sqlite/sqlite3.c"
recorded chipmunk "-I$src/chipmunk/include -I$src/chipmunk/src -DNDEBUG" "-lm -lpthread" \
    bench/real/main_chipmunk.c "$src"/chipmunk/src/*.c
recorded zlib "-I$src/zlib -DHAVE_UNISTD_H" "" \
    "$src/zlib/test/minigzip.c" $(all_of "$src/zlib" adler32 crc32 deflate trees zutil gzlib \
    gzwrite gzread gzclose inflate inffast inftrees)
recorded mujs "-I$src/mujs" "-lm" "$src/mujs/main.c" "$src/mujs/one.c"

# zstd's first references hardly repeat. It counts instructions alone: the other tables are of the
# seven above.
recorded_zstd() {
    [ -d "$src/libzstd/lib" ] || sh bench/setup.sh libzstd
    z=$src/libzstd
    recorded zstd "-DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -I$z/lib -I$z/lib/common" \
        "-lpthread" "$z"/lib/common/*.c "$z"/lib/compress/*.c "$z"/lib/decompress/*.c \
        "$z"/lib/dictBuilder/*.c "$z"/programs/*.c
}

wanted() { case " $tables " in *" $1 "*) return 0 ;; esac; return 1; }
number() { sed -n "s/.*\"$1\":\([-0-9.e]*\).*/\1/p" | head -n 1; }

# ---- speed ----

if wanted speed; then
    echo "## Speed: the first 2 000 000 references"
    echo
    (cd "$dir" && ./bench 2000000 $(for p in $programs; do echo "$p.refs"; done))
    echo
    for p in $programs; do
        echo "$p:"
        (cd "$dir" && ./bench parts "$p.refs")
    done
fi

counted() { # WAY PROGRAM: instructions for the first 2 000 000 references
    nodes=1004096
    [ "$2" != zstd ] || nodes=1300000 # with fewer it would take two passes, and both count
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$dir/bench" one "$1" 2000000 \
        "$dir/$2.refs" $nodes 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

if wanted instructions; then
    echo
    echo "## Instructions a symbol: the first 2 000 000 references"
    echo
    echo "| program | hotstream.h |"
    echo "|---|---|"
    recorded_zstd
    for p in $programs zstd; do
        echo "$p $(counted lazy "$p") $(counted none "$p")"
    done | awk '{ each = ($2 - $3) / 2000000; printf "| %s | %.0f |\n", $1, each }
        $1 != "zstd" { sum += log(each); rows++ }
        END { printf "| geometric mean without zstd | %.0f |\n", exp(sum / rows) }'
fi

# ---- profiles ----

three() { # PROGRAM OPTIONS...: exact, shares and windows
    p=$1
    shift
    "$lab" streams --json --top 0 "$@" "$dir/$p.refs" "$dir/$p.table" >"$dir/out"
    for key in overlap_exact overlap_shares overlap_windows; do
        number $key <"$dir/out"
    done | tr '\n' ' '
}

if wanted bounded; then
    echo
    echo "## Bounded against unbounded, $most references"
    echo
    echo "| program | nodes | coverage | overlap with the unbounded profile, percent |"
    echo "|---|---|---|---|"
    for p in $programs; do
        "$lab" streams --json --top 0 --dump "$dir/all.brst" "$dir/$p.refs" \
            "$dir/$p.table" >"$dir/out"
        echo "| $p | $(number nodes <"$dir/out") | $(number coverage <"$dir/out") | |"
        for nodes in 262144 65536 16384; do
            "$lab" streams --json --top 0 --nodes $nodes --dump "$dir/some.brst" \
                "$dir/$p.refs" "$dir/$p.table" >"$dir/out"
            "$bursty" overlap --json "$dir/all.brst" "$dir/some.brst" >"$dir/overlap"
            echo "| | $nodes | $(number coverage <"$dir/out") |" \
                "$(number overlap_exact <"$dir/overlap") /" \
                "$(number overlap_shares <"$dir/overlap") /" \
                "$(number overlap_windows <"$dir/overlap") |"
        done
    done
fi

if wanted figure7; then
    echo
    echo "## Whole profiles, $most references"
    echo
    echo "| program | references | nodes | coverage, whole rules | with segments | violations |"
    echo "|---|---|---|---|---|---|"
    for p in $programs; do
        "$lab" streams --json --top 0 "$dir/$p.refs" "$dir/$p.table" >"$dir/out"
        echo "| $p | $(number symbols <"$dir/out") | $(number nodes <"$dir/out") |" \
            "$(number coverage_whole_rules <"$dir/out") | $(number coverage <"$dir/out") |" \
            "$(number violations <"$dir/out") |"
    done

    echo
    echo "## Figure 7 of Bursty Tracing: overlap with the whole profile in percent," \
        "exact / shares / windows"
    echo
    for sample in 20:1 200:10 1000:50 100:1 1000:10 5000:50 200:1 2000:10; do
        for p in $programs; do
            three "$p" --every ${sample%:*} --burst ${sample#*:}
            echo
        done | awk -v sample=$sample '
            {
                row = row sprintf(" %.1f / %.1f / %.1f |", $1, $2, $3)
                for (i = 1; i <= 3; i++) sum[i] += $i
            }
            END {
                printf "| %s |%s %.1f / %.1f / %.1f |\n", sample, row, sum[1] / NR, sum[2] / NR,
                    sum[3] / NR
            }'
    done >"$dir/figure7"
    # Two tables of four columns.
    {
        echo "| nCheck0:nInstr0 |$(for p in $programs; do printf ' %s |' "$p"; done) mean |"
        echo "|---|$(for p in $programs; do printf -- '---|'; done)---|"
        cat "$dir/figure7"
    } >"$dir/figure7.table"
    cut -d '|' -f 1-6 "$dir/figure7.table" | sed 's/$/|/'
    echo
    cut -d '|' -f 1,2,7- "$dir/figure7.table"
fi

# The checks that a set leaves are those of the recorded trace (bursty-lab streams --thin).
if wanted figure8; then
    echo
    echo "## Figure 8 of Bursty Tracing: overlap at 1000:50 with fewer checks, percent," \
        "exact / shares / windows"
    echo
    echo "| set |$(for p in $programs; do printf ' %s |' "$p"; done) mean | checks left |"
    echo "|---|$(for p in $programs; do printf -- '---|'; done)---|---:|"
    for set in all EL EC EN L4 L10 LN EC+L4 Q; do
        for p in $programs; do
            three "$p" --every 1000 --burst 50 --thin $set
            echo "$(number checks <"$dir/out") $(number checks_all <"$dir/out")"
        done | awk -v set=$set '
            {
                row = row sprintf(" %.1f / %.1f / %.1f |", $1, $2, $3)
                for (i = 1; i <= 3; i++) sum[i] += $i
                left += 100 * $4 / $5
            }
            END {
                printf "| %s |%s %.1f / %.1f / %.1f | %.1f %% |\n", set, row, sum[1] / NR, sum[2] / NR,
                    sum[3] / NR, left / NR
            }'
    done
fi

# ---- methods and call pairs ----

members() { # KIND PROGRAM OPTIONS...: overlap of all members, and of the heaviest up to 90 %
    kind=$1 p=$2
    shift 2
    "$lab" "$kind" --json "$@" "$dir/$p.refs" "$dir/$p.pairs" >"$dir/out"
    for key in overlap overlap_top_90; do number $key <"$dir/out"; done | tr '\n' ' '
}

if wanted goals; then
    echo
    echo "## Methods and call pairs at 1/500, bursts of 1: all members / the heaviest 90 %, percent"
    echo
    echo "| program | checks | methods, jittered | pairs, jittered | methods, fixed |" \
        "pairs, fixed |"
    echo "|---|---|---|---|---|---|"
    for p in $programs; do
        "$lab" methods --json --every 499 --burst 1 "$dir/$p.refs" "$dir/$p.pairs" >"$dir/out"
        printf '%s %s ' "$p" "$(number checks <"$dir/out")"
        for jitter in 50 0; do
            for kind in methods pairs; do
                members $kind "$p" --every 499 --burst 1 --jitter $jitter
            done
        done
        echo
    done | awk '{ printf "| %s | %d |", $1, $2
            for (i = 3; i < 11; i += 2) printf " %.1f / %.1f |", $i, $(i + 1)
            print "" }'
fi

# The same on longer runs, which go through a pipe and leave no file.
if wanted long; then
    echo
    echo "## Methods and call pairs at 1/500, bursts of 1, jittered, 200 000 000 references"
    echo
    echo "| program | checks | methods: all / heaviest 90 % | pairs: all / heaviest 90 % |"
    echo "|---|---|---|---|"
    for p in $programs; do
        for kind in methods pairs; do
            rm -f "$dir/pipe.refs"
            mkfifo "$dir/pipe.refs"
            BURSTY_REFS=$dir/pipe BURSTY_REFS_MAX=200000000 "$dir/$p" $(arguments "$p" 40) \
                >/dev/null &
            "$lab" $kind --json --every 499 --burst 1 --jitter 50 "$dir/pipe.refs" >"$dir/out"
            wait
            for key in checks calls overlap overlap_top_90; do number $key <"$dir/out"; done | tr '\n' ' '
        done
        echo "$p"
    done | awk '{ printf "| %s | %d | %.1f / %.1f | %.1f / %.1f |\n", $7, $1, $2, $3, $5, $6 }'
    rm -f "$dir"/pipe.*
fi

if wanted hps; then
    echo
    echo "## Hybrid Profiling Support: overlap by shares in percent, mean of the programs" \
        "(worst program)"
    for jitter in 0 50; do
        echo
        [ $jitter = 0 ] && echo "Fixed periods:" || echo "Jittered periods:"
        echo
        echo "| 1/f | burst | methods | call pairs | streams, shares | streams, windows |"
        echo "|---|---|---|---|---|---|"
        for f in 100 500 1000 5000 10000; do
            for burst in 1 10 50 100; do
                sample="--every $((burst * (f - 1))) --burst $burst"
                for p in $programs; do
                    for kind in methods pairs; do
                        members $kind "$p" $sample --jitter $jitter
                    done
                    three "$p" $sample --jitter $jitter
                    echo
                done | awk -v f=$f -v burst=$burst '
                    function put(x, i) {
                        if (NR == 1 || x < least[i]) least[i] = x
                        sum[i] += x
                    }
                    { put($2, 1); put($4, 2); put($6, 3); put($7, 4) }
                    END {
                        printf "| 1/%d | %d |", f, burst
                        for (i = 1; i <= 4; i++) printf " %.1f (%.1f) |", sum[i] / NR, least[i]
                        print ""
                    }'
            done
        done
    done
fi
