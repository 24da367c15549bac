#!/bin/sh
# types.sh - Figures 6 and 7 of "Hybrid Profiling Support" with `bursty record`: how
# accurate hot methods, call pairs and hot data streams are, and what they cost, by the frequency of
# sampling; each alone, and all three at once. Bursts are of 1 check for methods and pairs, and of
# 100 for streams and for all, as in the paper.
#
#   overhead   executed instructions by callgrind that recording adds, as a part of the plain program's;
#              of gzip with 120 000 bytes more, so that start-up and the making of copies are in neither.
#              `never` is the basic overhead: checks, and no burst
#   accuracy   of the six headers, three times: of methods and pairs: the members with 90 % of a
#              profile's calls, the sum of the least of both shares (the paper's metric); of
#              streams: `bursty overlap`, exact and by windows
#
# FREQUENCIES="100 1000": these alone, of 100 500 1000 5000 10000. Wants valgrind.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/bench/types
bursty=$build/bursty members=$PWD/bench/members.awk
command -v valgrind >/dev/null || { echo "bench/types.sh: valgrind is missing" >&2; exit 1; }
rm -rf "$out"
mkdir -p "$out"
head -c 60000 bursty.h >"$out/data1"
head -c 180000 bursty.h >"$out/data2"
cat ./*.h ./*.h ./*.h >"$out/data"
cd "$out"
XDG_CACHE_HOME=$out/cache BURSTY_SEED=1
export XDG_CACHE_HOME BURSTY_SEED
never=500000000
counted() { # COMMAND...: the instructions of the process that is no bursty
    rm -f cg.*
    valgrind --tool=callgrind --smc-check=all --trace-children=yes --callgrind-out-file=cg.%p "$@" \
        >/dev/null 2>&1
    cat cg.* | awk '/^cmd:/ { tool = $2 ~ /bursty$/ } /^(totals|summary):/ && !tool { n = $2 } END { print n + 0 }'
}
with() { # PROFILES EVERY BURST: in 100ths of a percent of the plain program
    for data in data2 data1; do
        counted "$bursty" record --quiet --follow --no-keep --profile "$1" --every "$2" --burst "$3" \
            -o x.brst gzip -c $data
        rm -f x.brst*
    done | awk -v plain="$plain" '{ n = NR == 1 ? $1 : n - $1 } END { printf "%.2f %%", 100 * (n / plain - 1) }'
}
members() { # TABLE FULL SAMPLED: the metric of the paper
    for file in "$2" "$3"; do
        "$bursty" report --csv --min 0 "$file" >"$file.csv"
    done
    awk -F, -v table="$1" -f "$members" "$2.csv" "$3.csv"
}
streams() { # FULL SAMPLED
    "$bursty" overlap "$1" "$2" | awk '/exact/ { exact = $2 } /windows/ { windows = $2 }
        END { printf "%.1f / %.1f %%", exact, windows }'
}
"$bursty" record --quiet --profile methods,pairs --every 0 -o calls.full gzip -c data >/dev/null
"$bursty" record --quiet --profile streams --every 0 -o streams.full gzip -c data >/dev/null
plain=$(($(counted gzip -c data2) - $(counted gzip -c data1)))
echo "| type | frequency | overhead | methods | pairs | streams, exact / by windows |"
echo "|---|--:|--:|--:|--:|--:|"
for type in methods pairs streams methods,pairs,streams; do
    burst=1
    case $type in *streams*) burst=100 ;; esac
    with $type $never $burst >/dev/null # what is found out once is known from here on
    echo "| $type | never | $(with $type $never $burst) | | | |"
    for n in ${FREQUENCIES:-100 500 1000 5000 10000}; do
        every=$((burst * n - burst))
        took=$(with $type $every $burst)
        "$bursty" record --quiet --profile $type --every $every --burst $burst -o sampled gzip -c data >/dev/null
        methods=- pairs=- of_streams=-
        case $type in *methods*) methods=$(members functions: calls.full sampled) ;; esac
        case $type in *pairs*) pairs=$(members pairs: calls.full sampled) ;; esac
        case $type in *streams*) of_streams=$(streams streams.full sampled) ;; esac
        echo "| $type | 1/$n | $took | $methods | $pairs | $of_streams |"
    done
done
