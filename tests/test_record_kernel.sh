#!/bin/sh
# test_record_kernel.sh - how much of the time is in the kernel, and who called there: of
# programs that measure it themselves, with short calls and long ones, some time there or
# most, one thread and four; from outside, without rights, and by a timer inside.
# getrusage is no truth: most kernels sample it.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_kernel
needs_recorder
shown=err

$CC -O1 -g -pthread -o share "$top/bench/record_kernel.c" || exit 2

# Is a row's total the truth? Ticks of one look count as one: Hoeffding's bound for half of
# the ticks leaves a chance below 10^-6.
is_true() { # ROW
    "$bursty" report --min 0 --csv --only time x.brst >csv || return 1
    awk -F, -v truth="$(cut -d " " -f 1 said)" -v row="$1" '
        { all += $8 }
        $9 == row { share = $5 }
        END {
            far = share > truth ? share - truth : truth - share
            printf "%s: %.3f for %.3f, %d ticks\n", row, share, truth, all
            exit !(all > 200 && far < sqrt(log(2000000) / all))
        }' csv >>err
}
# The kernel's part and that of who calls there.
from_outside() { # KIND PERCENT THREADS
    "$bursty" record --ticks 6000 -o x.brst ./share "$@" 400 >said 2>err || return 1
    grep -q 'from outside' err && is_true '(kernel)' && is_true calls
}
if may_look . stacks; then
    check "short calls, most of the time" from_outside assembly 90 1
    check "short calls, four threads" from_outside assembly 70 4
    check "short calls, a tenth of the time" from_outside assembly 10 1
    check "long calls, half of the time" from_outside long 50 1
    check "long calls, most of it, four threads" from_outside long 90 4
    "$bursty" record --ticks 6000 -o x.brst ./share short 90 1 400 >said 2>err
    check "who calls by the C library's syscall" is_true calls
    "$bursty" report --min 0 x.brst >text
    check "the way back has a row" grep -q ' (return to the program)$' text
    if command -v setpriv >/dev/null && setpriv --bounding-set=-all ./may_look . stacks 2>log; then
        setpriv --bounding-set=-all "$bursty" record --ticks 6000 -o x.brst \
            ./share assembly 90 1 400 >said 2>err
        check "without rights" is_true '(kernel)'
        # Both are of the same looks.
        awk -F, '$9 == "(kernel)" { print int(100 * $5 + .5) }' csv >row
        sed -n 's/^in the kernel: \([0-9]*\) %.*/\1/p' err >said
        far=$(($(cat said) - $(cat row)))
        check "without rights: the sentence" [ $((far * far)) -le 64 ]
    else skip "no setpriv"
    fi
    # A process that runs, by who may not know the kernel's names, or not see it at all.
    of_process() { # COMMAND THAT RUNS ANOTHER...
        "$@" ./share assembly 90 1 20000 >said &
        process=$!
        until [ "$(cat /proc/$process/comm)" = share ] || ! kill -0 $process; do sleep .02; done
        "$@" "$bursty" record -p $process --seconds 1 -o x.brst 2>err
        status=$?
        kill $process
        wait $process 2>log
        "$bursty" report --min 0 --csv --only time x.brst 2>log | cut -d, -f9 >text
        [ $status = 0 ]
    }
    sed 's/^[0-9a-f]*/0000000000000000/' /proc/kallsyms 2>log | head -n 1000 >hidden
    cat >hiding <<'P'
mount --bind "$PWD/hidden" /proc/kallsyms || exit 9
exec "$@"
P
    if [ -s hidden ] && unshare -m sh ./hiding true 2>log; then
        check "-p: names are hidden" of_process unshare -m sh ./hiding
        check "-p: hidden: one row says why" \
            [ "$(grep -c '^(its names are hidden: kernel.kptr_restrict)$' text)" = 1 ]
        check "-p: hidden: and no other name of the kernel" lacks text '^(kernel)$' '_\[k\]$'
        check "-p: hidden: its part has a row" grep -q '^(kernel)$' text
    else skip "no mounts of our own"
    fi
    if command -v setpriv >/dev/null && setpriv --bounding-set=-all ./may_look . stacks 2>log; then
        check "-p: without rights" of_process setpriv --bounding-set=-all
        check "-p: without rights: the kernel's part is there" grep -q '^(kernel)$' text
    else skip "no setpriv"
    fi
else skip "this system does not allow it"
fi

# On a machine where a hundred programs run, a third of the ticks do not come.
inside() { # KIND
    "$bursty" record --inside -o x.brst ./share "$1" 90 1 2000 >said 2>err && is_true calls
}
check "inside: long calls" inside long
check "inside: the C library's syscall, which the recorder has, too" inside short
check "inside: none of it was the recorder" lacks err 'in the kernel' 'met the recorder'
check "inside: short calls" inside assembly
# The handler finds the thread behind a call for all that `calls` has, but for the
# instructions between two of them: 5 percent points would be five times what they take.
no_less() {
    awk -F, '$9 == "calls" { print int(100 * $5 + .5) }' csv >least
    sed -n 's/^in the kernel: \([0-9]*\) %.*/\1/p' err >said
    [ "$(cat said)" -ge $(($(cat least) - 5)) ]
}
check "inside: the kernel has what is found behind its calls" no_less
finish
