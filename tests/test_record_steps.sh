#!/bin/sh
# test_record_steps.sh - a signal at each instruction of a recorded program, and of the recorder: what
# is counted and what is said to be lost add up to the truth, and nothing crashes or hangs.
#
# tests/guest/steps.c stops itself at each instruction. 10 is SIGUSR1, which waits while the recorder is
# at work; 11 is SIGSEGV, which does not. FULL=1 sends ten times as many signals, by three seeds.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_steps
needs_recorder
$CC -O1 -o steps "$top/tests/guest/steps.c" 2>log || { cat log; exit 2; }
# A throw from each instruction wants tables of each in the program, too.
$CXX -x c++ -O1 -fnon-call-exceptions -fasynchronous-unwind-tables -o steps_throws "$top/tests/guest/steps.c" \
    2>log || { cat log; exit 2; }
times=1 seeds=1
[ -z "${FULL-}" ] || times=10 seeds='1 2 3'
./steps ends 10 1 1 >alone
[ "$(cat alone)" = '1000 1000' ] || leave "no process may stop another one here"

# Runs steps under the recorder: $begun, $counted, $handled, $places of the program, $n calls of leaf in
# the file, $lost as the recorder says.
steps() { # OPTIONS HANDLER SIGNAL SIGNALS SEED
    options=$1
    shift
    program=./steps
    [ "$1" != throws ] || program=./steps_throws
    rm -f x.brst
    # shellcheck disable=SC2086
    { within 200 $bursty record --stats --no-keep $options -o x.brst -- $program "$@" >got 2>err; got=$?; } 2>/dev/null
    begun=-1 counted=-1 handled=0 places=0
    read -r begun counted handled places <got
    missed=$(sed -n 's/^.*, missed \([0-9]*\),.*$/\1/p' err)
    events=$(sed -n 's/^.*events lost \([0-9]*\),.*$/\1/p' err)
    lost=$((${missed:-0} + ${events:-0}))
    $bursty report --csv --min 0 x.brst >csv 2>/dev/null
    n=$(awk -F, '/^(rank|share),/ { delete c; for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["function"] ~ /^leaf(\(int\))?$/ && ("calls" in c || "estimated" in c) {
            print "calls" in c ? $c["calls"] : $c["estimated"]
            exit
        }' csv)
    n=${n:-0}
    # All that --stats says is in the file.
    said=$(sed -n 's/^"*\(calls\|events\) that are lost\(, or more\)*"*,\([0-9]*\),.*/\3/p' csv |
        awk '{ n += $1 } END { print n + 0 }')
    [ "$said" != $lost ] || said=yes
    what="$options: $*: status $got, calls $counted to $begun, in the file $n, lost $lost (said: $said)"
}

for seed in $seeds; do
    # All calls. A signal that waits costs at most an event in twenty; one that does not may cost all.
    for mode in '--calls --every 0 --all-checks' '--edges --every 0'; do
        for how in returns calls jumps throws ends; do
            signals=1000
            case $how in jumps|throws) signals=200 ;; esac
            for number in 10 11; do
                steps "$mode" $how $number $((signals * times)) "$seed"
                most=$((counted / 20))
                [ $number = 10 ] || most=$lost
                if [ $got = 3 ] && [ $said = yes ] && [ "$n" -le "$begun" ] \
                   && [ "$counted" -le $((n + lost)) ] && [ $lost -le $most ]; then pass
                else fail "$what"; fi
            done
        done
    done
    # In bursts: within a third, where the deviation of some 150 bursts is below 5 %. But half of the bursts
    # end where they begin, by a signal that leads the program to its start, too: gaps and the program go in
    # step, and 1.2 to 1.4 times as many calls are told. Signals that do not wait cost what they cost.
    for mode in '--calls --every 20 --burst 5' '--profile pairs --every 5 --burst 5 --all-checks'; do
        for how in calls jumps throws; do
            signals=1500
            [ $how = calls ] || signals=300
            steps "$mode" $how 10 $((signals * times)) "$seed"
            if [ $got = 3 ] && [ $said = yes ] && [ $((3 * n)) -gt $((2 * counted)) ] \
               && [ $((5 * n)) -lt $((8 * begun)) ] && [ $lost -le $((counted / 20)) ]; then pass
            else fail "$what"; fi
            steps "$mode" $how 11 $((signals * times / 4)) "$seed"
            if [ $got = 3 ] && [ $said = yes ] && [ $lost -gt 0 ]; then pass; else fail "$what"; fi
        done
    done
done
# Where other events are written, and where one function is hooked, an exception finds its way, too.
for seed in $seeds; do
    for mode in '--refs --every 5 --burst 20' '--misses --every 5 --burst 9' \
                '--events blocks --every 3 --burst 9' '--frames leaf'; do
        for number in 10 11; do
            steps "$mode" throws $number $((200 * times)) "$seed"
            if [ $got = 3 ] && [ "$handled" = $((200 * times)) ]; then pass; else fail "$what"; fi
        done
    done
done
# A handler that forks; the child ends by _exit, exit, quick_exit, exec and abort in turn, recorded or
# not. 3 says that all ended as they should.
for seed in $seeds; do
    for mode in '--calls --every 0 --all-checks' '--calls --every 20 --burst 5' '--edges --every 0'; do
        for number in 10 11; do
            steps "$mode" forks $number $((400 * times)) "$seed"
            if [ $got = 3 ] && [ $said = yes ] && [ "$handled" = $((400 * times)) ]; then pass; else fail "$what"; fi
        done
    done
    steps '--follow --calls --every 20 --burst 5' forks 11 $((40 * times)) "$seed"
    if [ $got = 3 ] && [ "$handled" = $((40 * times)) ]; then pass; else fail "$what"; fi
    rm -f x.brst*
done
# A handler that ends the process where it is. All that was told before is in the file: what the handler
# called may be missing, and said to be. Behind exec and abort the file is what was kept, if there is one.
for turn in $(seq $((50 * times))); do
    mode='--calls --every 0 --all-checks'
    [ $((turn % 3)) != 0 ] || mode='--edges --every 0'
    number=$((10 + turn / 5 % 2)) wanted=9
    case $(((turn + 1) % 5)) in 3) wanted=77 ;; 4) wanted=134 ;; esac
    steps "$mode" leaves $number 1 "$turn"
    if [ $got = $wanted ] && [ "$n" -le "$begun" ] \
       && { [ $wanted != 9 ] || [ "$counted" -le $((n + lost + 3)) ]; }; then pass
    else fail "$what, status $wanted wanted"; fi
done
# The signals came at many places, in the recorder, too: alone there are some 160.
steps '--calls --every 0 --all-checks' calls 11 2000 1
if [ "$places" -gt 300 ]; then pass; else fail "signals came at $places places"; fi
finish
