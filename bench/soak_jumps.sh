#!/bin/sh
# soak_jumps.sh [RUNS [SEED]] - a program whose signal handlers leave by siglongjmp every 100 us is
# recorded again and again, each time in another way. RUNS: 1000. It must end as it ends alone. The
# count of a function is held against the program's own: with all calls it may be off by the jumps,
# each of which may have left a call that one side alone has counted, and by what the report says is
# lost. In bursts, how often the 95 % interval had the truth is printed, and in all of them no count
# may be off by more than 5 %.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
runs=${1:-1000}
random=${2:-1}
out=$build/soak_jumps
bursty=$build/bursty
mkdir -p "$out" || exit 2
${CC:-cc} -O1 -o "$out/jumps" tests/guest/jumps.c || exit 2
cd "$out" || exit 2

next() { # MAX: a number from 0 to MAX - 1, in $n
    random=$(((random * 1103515245 + 12345) % 2147483648))
    n=$((random / 65536 % $1))
}
passed=0 failed=0 held=0 of=0 crashed=0
while [ $((passed + failed)) -lt "$runs" ]; do
    next 400
    every=$((n + 5))
    next 200
    options="--every $every --burst $((n + 1)) --seed $((random % 100000 + 1))"
    next 8
    case $n in
    0) options="--calls --every 0 --all-checks" ;;
    1) options="--profile pairs --every 0 --all-checks" ;;
    2) options="--calls $options" ;;
    3) options="--profile pairs $options --all-checks" ;;
    4) options="--profile pairs $options --ticks 3000" ;;
    *) options="--profile methods $options" ;;
    esac
    rm -f x.brst
    # shellcheck disable=SC2086
    timeout 300 "$bursty" record --quiet --no-keep $options -o x.brst -- ./jumps 400 100 >got 2>err
    status=$?
    "$bursty" report --csv --min 0 x.brst >csv 2>>err || : >csv
    answer=$(awk -F, -v options="$options" '
        FNR == NR { split($0, words, " "); calls = words[1]; jumps = words[2]; next }
        /^# losses/ { losses = 1 }
        losses && /^"*(calls|events) that are lost/ {
            for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) { lost += $i; break }
        }
        /^(rank|share),/ { delete c; for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["function"] == "leaf" && !found && ("calls" in c || "estimated" in c) {
            found = 1
            n = "calls" in c ? $c["calls"] : $c["estimated"]
            if ("estimated_low" in c) { low = $c["estimated_low"]; high = $c["estimated_high"] }
        }
        END {
            off = n > calls ? n - calls : calls - n
            most = options ~ /--every 0/ ? jumps + lost : calls / 20 + jumps
            is_held = "none"
            if (low != "") is_held = calls + jumps >= low && calls - jumps <= high ? "held" : "missed"
            is_right = jumps >= 400 && found && off <= most
            print is_right ? "right" : "wrong", is_held, n, calls, lost + 0
        }' got csv)
    case $answer in
    *held*) held=$((held + 1)) of=$((of + 1)) ;;
    *missed*) of=$((of + 1)) ;;
    esac
    if [ $status = 3 ] && [ ! -s err ] && [ "${answer%% *}" = right ]; then passed=$((passed + 1))
    else
        failed=$((failed + 1))
        [ $status = 3 ] || crashed=$((crashed + 1))
        echo "FAILED status $status, $answer (counted, truth, lost):" \
            "bursty record $options -- ./jumps 400 100"
    fi
done
echo "$held of $of intervals held the truth; $crashed crashed"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
