#!/bin/sh
# adaptive.sh [PROGRAM...] - bursts of 100 calls or checks of 1000: all of them; of a stack that had
# one, one in 5, 10 or 20 (adaptive bursts with re-enablement of 20, 10 and 5 %); none. By the
# recorder of -finstrument-functions, and by `bursty record --calls`. Executed instructions by
# callgrind, as multiples of empty hooks' and of the plain program's (there without start-up and the
# making of copies); how much of the tree of every call is there (its overlap, and how many of the
# contexts with a thousandth of the calls). cjson and lua, Debian's sources. Prints the tables of
# docs/hcct.md. Wants gcc and valgrind; x86-64 Linux.
set -e
cd "$(dirname "$0")/.."
build=${BUILD:-build}
out=$build/bench/adaptive
programs=${*:-cjson lua}
mkdir -p "$out"
command -v valgrind >/dev/null || { echo "bench/adaptive.sh: valgrind is missing" >&2; exit 1; }
make -s BUILD="$build" tools >/dev/null
for file in instrument settings calls threads names dump ticks sampled; do
    gcc -O2 -I. -c -o "$out/$file.o" record/inside/[ch]o*/"$file.c"
done
compile() { # PROGRAM OPTIONS... : $out/PROGRAM
    program=$1 src=$build/bench/src/$1
    shift
    [ -d "$src" ] || sh bench/setup.sh "$program"
    case $program in
    cjson) files="bench/real/main_cjson.c $src/cJSON.c" ;;
    lua) files=$(ls "$src"/src/*.c | grep -v '/luac\.c$') ;;
    *) echo "bench/adaptive.sh: no $program here" >&2; exit 2 ;;
    esac
    # shellcheck disable=SC2086
    gcc -w -I"$src" -I"$src/src" -I"$build/bench/src/include" $files "$@" -lm -pthread
}
rounds=1
run() { # PROGRAM PREFIX...: $rounds times as much work
    program=$1
    shift
    case $program in
    cjson) "$@" "$out/cjson" 300 $((3 * rounds)) ;;
    lua) "$@" "$out/lua" bench/real/work.lua $rounds ;;
    esac >/dev/null
}
counted() { # PROGRAM
    run "$1" valgrind --tool=callgrind --callgrind-out-file=/dev/null 2>"$out/log"
    sed -n 's/.*Collected : //p' "$out/log"
}
row() { # PROGRAM BURSTS INSTRUCTIONS PLAIN: $out/stacks beside $out/all
    awk -v program="$1" -v bursts="$2" -v ratio="$3 $4" '
        { count = $NF; sub(/ [0-9]+$/, "") }
        FNR == NR { truth[$0] += count; all += count; next }
        { got[$0] += count; seen += count }
        END {
            for (s in truth) {
                a = truth[s] / all
                b = seen ? got[s] / seen : 0
                overlap += a < b ? a : b
                hot += a >= .001
                found += a >= .001 && s in got && got[s]
            }
            split(ratio, r)
            printf "| %s | %s | %.3f | %.1f %% | %d of %d |\n", program, bursts, r[1] / r[2],
                100 * overlap, found, hot
        }' "$out/all" "$out/stacks"
}
echo 'void __cyg_profile_func_enter(void *f, void *s) { (void)f, (void)s; }
void __cyg_profile_func_exit(void *f, void *s) { (void)f, (void)s; }' >"$out/empty.c"
gcc -O2 -c -o "$out/empty.o" "$out/empty.c"
echo "| program | bursts | instructions | overlap | hot contexts found |"
echo "|---|---|--:|--:|--:|"
export BURSTY_SEED=1 BURSTY_CONTEXTS="$out/dump.brst"
for program in $programs; do
    compile "$program" -O2 -finstrument-functions -o "$out/$program" "$out/empty.o"
    plain=$(counted "$program")
    compile "$program" -O2 -finstrument-functions -o "$out/$program" "$out"/[cidfnst]*.o
    for bursts in 'every call' all '1 in 5' '1 in 10' '1 in 20' none; do
        unset BURSTY_CONTEXTS_EVERY BURSTY_CONTEXTS_REENABLE
        [ "$bursts" = 'every call' ] || export BURSTY_CONTEXTS_EVERY=900
        case $bursts in
        '1 in'*) export BURSTY_CONTEXTS_REENABLE="${bursts#1 in }" ;;
        none) export BURSTY_CONTEXTS_REENABLE=0 ;;
        esac
        took=$(counted "$program")
        "$build/bursty" report --collapsed --min 0 "$BURSTY_CONTEXTS" >"$out/stacks"
        [ "$bursts" != 'every call' ] || cp "$out/stacks" "$out/all"
        row "$program" "$bursts" "$took" "$plain"
    done
done

# Twice the work less once the work.
twice() { # COMMAND...: of the process that is no bursty
    for rounds in 2 1; do
        rm -f "$out"/cg.*
        run "$program" valgrind --tool=callgrind --smc-check=all --trace-children=yes \
            --callgrind-out-file="$out/cg.%p" "$@" 2>"$out/log"
        cat "$out"/cg.* | awk '/^cmd:/ { tool = $2 ~ /bursty$/ }
            /^(totals|summary):/ && !tool { n = $2 } END { print n + 0 }'
    done | awk '{ n = NR == 1 ? $1 : n - $1 } END { print n }'
    rounds=1
}
export XDG_CACHE_HOME="$out/cache"
echo
echo "| program | bursts of record | instructions | overlap | hot contexts found |"
echo "|---|---|--:|--:|--:|"
for program in $programs; do
    compile "$program" -O2 -o "$out/$program"
    plain=$(twice)
    for bursts in 'every call' all '1 in 5' '1 in 10' '1 in 20' none; do
        options='--every 900 --burst 100'
        case $bursts in
        'every call') options='--every 0' ;;
        '1 in'*) options="$options --reenable ${bursts#1 in }" ;;
        none) options="$options --reenable 0" ;;
        esac
        recorder="$build/bursty record --quiet --no-keep --calls $options -o $out/x.brst"
        # shellcheck disable=SC2086
        rounds=20
        run "$program" $recorder
        rounds=1
        "$build/bursty" report --collapsed --min 0 "$out/x.brst" >"$out/stacks"
        [ "$bursts" != 'every call' ] || cp "$out/stacks" "$out/all"
        # shellcheck disable=SC2086
        row "$program" "$bursts" "$(twice $recorder --follow)" "$plain"
    done
done
