#!/bin/sh
# test_record_guest.sh - a program that is recorded ends as it ends alone, with the same last words,
# and sees of itself what it sees alone.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_guest
needs_recorder
guest=$top/tests/guest
compile() { # COMMAND...
    "$@" 2>log || { echo "$*"; cat log; exit 2; }
}

# Runs a command in this way of recording, silently; $got is its status.
recorded() { # OPTIONS COMMAND...
    options=$1
    shift
    # shellcheck disable=SC2086
    { $bursty record --quiet --no-keep $options -o x.brst -- "$@" >got 2>got.all; got=$?; } 2>/dev/null
    LC_ALL=C grep -v '^bursty: ' got.all >got.err
}
often='--every 50 --burst 20'
calls="$often --calls" edges="$often --edges" all_calls='--calls --every 0 --all-checks'
refs="$often --refs" misses="$often --misses" sharing="$often --sharing"
time='--ticks 3000' timed="$calls --ticks 3000 --seed 3"

same() { # WHAT OPTIONS COMMAND...: as it is plain, of which $status, plain and plain.err tell
    what=$1
    shift
    recorded "$@"
    if [ $got = $status ] && cmp -s plain got && cmp -s plain.err got.err; then pass; return; fi
    fail "$what $options: status $got instead of $status"
    diff plain got | head -n 20
    diff plain.err got.err | head -n 20
}

# ---- endings ------------------------------------------------------------------------------------

compile $CXX -O2 -pthread -o endings "$guest/endings.cc"
for how in returns abort assert terminate handler uncaught number noexcept destructor rethrow nested \
           thread at-exit overflow cancel cancel-in-call thread-exit quick-exit exit-in-handler \
           exec-fails killed segv term child; do
    { ./endings $how >plain 2>plain.err; status=$?; } 2>/dev/null
    for mode in "$all_calls" "$timed"; do
        same $how "$mode" ./endings $how
    done
done
for mode in "$edges" "$refs" "$misses" "$sharing" "$time" "--time --seed 3" '--frames work'; do
    { ./endings uncaught >plain 2>plain.err; status=$?; } 2>/dev/null
    same uncaught "$mode" ./endings uncaught
done
# ---- what it sees of itself -----------------------------------------------------------------------

# Its stack and that of a handler, a callback and a thread, by four ways; its libraries, files,
# signals, limits, timers, errno and the state of its floating-point unit.
compile $CC -O1 -rdynamic -pthread -o guest "$guest/guest.c" -ldl -lm
./guest one two >plain 2>plain.err
status=$?
for mode in "$all_calls" '--calls --every 5 --burst 5' "$calls" "$timed" "$refs" "$misses" "$sharing" \
            "$edges" "$often --footprint" "$time" '--frames work'; do
    same guest "$mode" ./guest one two
done
lines=$(wc -l <plain)
if [ "$lines" -gt 200 ] && grep -q ' deeper+' plain && ! grep -q bursty plain; then pass
else fail "the guest says too little: $lines lines"; fi

# ---- little memory --------------------------------------------------------------------------------

# With any limit it runs as it runs alone, with threads; where the recorder has no room, it says so, and
# writes no file. `ulimit -d` counts the same memory.
compile $CC -O1 -pthread -o memory "$guest/memory.c"
for limit in 'v 150000' 'v 300000' 'v 700000' 'd 300000' 'v 3000000'; do
    for mode in "$calls" "$time" "$refs"; do
        rm -f x.brst
        # shellcheck disable=SC2086
        (ulimit -$limit && ./memory) >plain 2>plain.err
        status=$?
        # shellcheck disable=SC2086
        (ulimit -$limit || exit 1; recorded "$mode" ./memory; exit $got)
        got=$?
        LC_ALL=C grep -v '^bursty: ' got.all >got.err
        if [ $status = 5 ] && [ $got = 5 ] && cmp -s plain got && [ ! -s got.err ] \
           && { [ -f x.brst ] || grep -q "^bursty: nothing is recorded.*(ulimit -${limit% *})" got.all; }; then pass
        else fail "ulimit -$limit $mode: status $got instead of $status"; cat got.all; fi
    done
    wanted=0
    [ "$limit" != 'v 3000000' ] || wanted=1
    if [ "$(find . -name x.brst | wc -l)" = $wanted ]; then pass; else fail "ulimit -$limit: a file"; fi
done

# ---- handlers that leave by siglongjmp ------------------------------------------------------------

# Every 100 us, from wherever they come. Of a jump one call may be counted by one side alone. In
# bursts all calls are told within a fiftieth; a thread that fell silent would have lost half of them.
compile $CC -O1 -o jumps "$guest/jumps.c"
counted() { # FILE FUNCTION: its calls, as the report tells
    $bursty report --csv --min 0 "$1" | awk -F, -v name="$2" '
        /^(rank|share),/ { delete c; for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["function"] == name && ("calls" in c || "estimated" in c) {
            print "calls" in c ? $c["calls"] : $c["estimated"]
            exit
        }'
}
for mode in "$all_calls" "$calls" '--profile pairs' "$timed"; do
    part=50
    [ "$mode" != "$all_calls" ] || part=0
    recorded "$mode" ./jumps
    n=$(counted x.brst leaf)
    if [ $got = 3 ] && [ ! -s got.err ] && [ "${n:-0}" -gt 0 ] \
       && awk -v n="$n" -v part=$part '{
              most = $2 + (part ? $1 / part : 0)
              exit !(n - $1 <= most && $1 - n <= most)
          }' got; then pass
    else fail "jumps $mode: status $got, calls of leaf, jumps: $(cat got), counted: $n"; cat got.err; fi
done
# Around exceptions, in bursts shorter than a throw: what the landing pad calls, and at -O3, where main's
# entry has no room for a jump, what main calls. Each estimate has a deviation of 3 %.
for level in -O1 -O3; do
    compile $CXX $level -I"$top/tests/world" -o caught "$top/tests/world/caught.cc"
    recorded "--calls --every 50 --burst 10" ./caught
    for name in middle deepest after; do
        n=$(counted x.brst "$name(unsigned int)")
        if [ $got = 0 ] && [ "${n:-0}" -gt 4500 ] && [ "$n" -lt 7500 ]; then pass
        else fail "caught $level: status $got, calls of $name: $n for 6000"; cat got.all; fi
    done
done
# A stack that is full may be so in the recorder. What is lost then, the report says.
compile $CC -O1 -o overflow "$guest/overflow.c"
all_pairs='--profile pairs --every 0 --all-checks'
for mode in "$all_pairs" '--calls --every 5 --burst 5' "$refs"; do
    for how in '' plainly; do
        (ulimit -s 512; ./overflow $how) >plain 2>plain.err
        status=$?
        (ulimit -s 512; recorded "$mode" ./overflow $how; exit $got)
        if [ $? = 6 ] && [ $status = 6 ] && cmp -s plain got; then pass
        else fail "overflow $how $mode: status $got instead of $status"; cat got got.all; fi
        [ "$mode" = "$all_pairs" ] || continue
        n=$(($(counted x.brst leaf) + $(counted x.brst deeper)))
        truth=$(tail -n 1 got.err)
        if $bursty report x.brst | grep -q 'MISSING: \(events\|calls\) that are lost' \
           || [ $((truth - n)) -le 50 ]; then pass
        else fail "overflow $how $mode: $n of $truth calls, and nothing is said"; fi
    done
done
for mode in "$refs" "$misses" "$sharing" "$edges" "$often --footprint" "$time" '--frames work'; do
    recorded "$mode" ./jumps
    if [ $got = 3 ] && [ ! -s got.err ] && grep -q ' 400$' got; then pass
    else fail "jumps $mode: status $got"; cat got.err; fi
done
finish
