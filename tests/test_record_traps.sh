#!/bin/sh
# test_record_traps.sh - what programs do that a recorder inside them could break: small stacks,
# handlers on other stacks, coroutines, threads that are cancelled, closed files, another root or
# user, children, all signals taken, system calls forbidden, libraries that come and go, code that
# is far away, data between instructions, loops that only an exception closes. A program must print
# the same and end the same as without the recorder, and its file must be there.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_traps
needs_recorder
traps=$top/tests/traps
# What a run wrote to stderr, but for the line that names its file.
# What the program wrote, without what is said of the recording.
others() {
    LC_ALL=C sed -e '/^bursty: .*\((from, to: 95 % intervals)\|: nothing to show\)$/,/^bursty: wrote .* shows it$/d' \
        -e '/^bursty: wrote .*; `bursty report .*` shows it$/d' got.err
}
compile() { # COMMAND...
    "$@" 2>log || { echo "$*"; cat log; exit 2; }
}

compile $CC -O2 -pthread -o program "$traps/program.c" -ldl
compile $CC -O2 -shared -fPIC -o later.so "$traps/later.c"

# Runs the program recorded, in three ways. A pattern after the mode: this hint is to be given.
same() { # MODE [PATTERN]
    mode=$1 pattern=${2:-}
    keep=${pattern:+--no-keep}
    ./program "$mode" >plain 2>plain.err
    status=$?
    if [ $status = 77 ]; then
        skip "$mode: $(cat plain.err)"
        return
    fi
    for options in '--every 5 --burst 5 --profile hcct,pairs,footprint,streams' \
                   '--every 20 --burst 3 --ticks 5000' '--every 0 --all-checks'; do
        rm -f x.brst
        # shellcheck disable=SC2086
        $bursty record --quiet $keep $options --signal 12 -o x.brst -- ./program "$mode" \
            >got 2>got.err
        got=$?
        if [ $got != $status ] || ! cmp -s plain got; then
            fail "$mode $options: status $got instead of $status"
            diff plain got
            cat got.err
        elif [ -n "$pattern" ]; then
            if [ "$(others | grep -c '^bursty')" = 1 ] && grep -q "$pattern" got.err; then pass
            else fail "$mode $options: no line of $pattern"; cat got.err; fi
        elif [ -s got.err ] || ! $bursty report --min 0 x.brst 2>&1 | grep -q work; then
            fail "$mode $options: nothing was recorded"
            cat got.err
        else pass; fi
    done
}
same small-stacks
same short-threads
same other-stack
same coroutines
same cancel
same cancel-at-once
same close-all
same close-other
same folder
same root
same user
same umask
same children
same killed 'nothing was recorded: the program was killed'
same all-signals
same signal 'nothing was recorded: the program was killed'
same toggles
same few-calls
same few-calls-2
same no-memory
same later

# Ticks end where system calls are forbidden, and the recorder says so. What is called only behind
# the filter is in the file, with its name.
$bursty record --ticks 1000 --every 0 -o x.brst -- ./program few-calls >got 2>got.err
if [ $? = 0 ] && [ "$(others | grep -c '^bursty')" = 1 ] && grep -q 'ticks end where' got.err \
   && $bursty report --min 0 x.brst | grep -q after_the_filter; then pass
elif ! ./program few-calls >got 2>&1; then skip "no seccomp"
else fail "calls behind a filter"; cat got.err; $bursty report --min 0 x.brst; fi

# Of 40 threads that have ticks 4 run at once: no more records are made, beside the first thread's.
$bursty record --ticks 5000 -o x.brst -- ./program small-stacks >got 2>got.err
n=$($bursty report --json x.brst | grep -c '"ended":true')
if [ "$n" -ge 1 ] && [ "$n" -le 5 ]; then pass; else fail "records of $n threads"; cat got.err; fi

# A buffer is used again when its thread has ended: of a thousand threads every call is there. A
# thread that has none, because so many run at once, is told of.
$bursty record --every 0 --all-checks -o x.brst -- ./program short-threads >got 2>got.err
n=$($bursty report --csv --min 0 x.brst |
    awk -F, '/^share/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
             $c["function"] == "short_call" && "calls" in c { print $c["calls"]; exit }')
if [ "$n" = 2000 ] && [ -z "$(others)" ]; then pass
else fail "calls of a thousand threads: $n"; cat got.err; fi
$bursty record --every 0 -o x.brst -- ./program many-threads >got 2>got.err
status=$?
if ./program many-threads >plain 2>&1; [ $? = 77 ]; then skip "no 300 threads"
else
    if [ $status = 0 ] && [ -z "$(others)" ]; then pass
    else fail "300 threads at once"; cat got.err; fi
    # References need more memory: 256 threads at once have it. What is lost is in the file, and
    # each form of the report says so.
    $bursty record --profile hcct,footprint --every 0 -o x.brst -- ./program many-threads >got 2>got.err
    if [ "$(others | wc -l)" = 1 ] \
       && grep -q '^bursty: 45 threads were not sampled all the time' got.err; then pass
    else fail "300 threads at once, with references"; cat got.err; fi
    for form in --text --json '--html page.html'; do
        rm -f page.html
        $bursty report $form x.brst >got.report 2>&1
        if cat page.html got.report 2>/dev/null | tr '\n' ' ' |
               grep -q 'threads that were not recorded all the time.\{1,12\}45'; then pass
        else fail "300 threads at once: report $form"; fi
    done
    $bursty report x.brst >got.report
    if lacks got.report 'threads that were not recorded' 'lost 0'; then pass; else fail "lost 0, and something was lost"; fi
fi

# ---- a program that is killed ------------------------------------------------------------------

. "$top/tests/kept.sh"
nothing_kept() { # WHAT: ends the job
    if [ -f pid.whole ]; then kill -9 "$(cat pid.whole)"; else kill $job; fi 2>/dev/null
    { wait $job; } 2>/dev/null
    rm -f keep/* x.brst.new
    if [ $keeps = no ]; then skip "$1: this kernel cannot keep what is recorded"
    else fail "$1: nothing was kept"; cat got.err; fi
}
for options in '' '--every 0 --all-checks --profile hcct,pairs,footprint' \
               '--ticks 1000 --every 500000000'; do
    rm -f x.brst pid.whole
    # shellcheck disable=SC2086
    TMPDIR=$out/keep $bursty record --calls $options -o x.brst -- ./program until-killed >got 2>got.err &
    job=$!
    half=0
    # The first half may have begun before the program was ready.
    if ! wait_for [ -f pid.whole ] || ! wait_for_half || ! wait_for_half; then
        nothing_kept "killed $options"
        continue
    fi
    kill -9 "$(cat pid.whole)"
    { wait $job; status=$?; } 2>/dev/null
    $bursty report --csv x.brst | awk -F, '/missing_ends/ { n = NR } n && NR == n + 2' >ends
    if grep -q '^[0-9.]*,killed,program$' ends && $bursty report x.brst | grep -q 'the end is missing' \
       && $bursty merge -o y.brst x.brst && $bursty report --csv y.brst | grep -c ',killed,' | grep -qx 1
    then pass; else fail "killed $options: the file knows that its end is missing"; fi
    if [ $status = 137 ] && [ ! -f x.brst.new ] && [ -z "$(ls keep)" ] \
       && [ "$(grep -c '^bursty: the program was killed; .* ends [0-9.]* sec' got.err)" = 1 ] \
       && $bursty report --min 0 x.brst >text && grep -q work text && grep -q deep text
    then pass; else fail "killed $options: status $status"; cat got.err text; ls keep; fi
done
rm -f x.brst go pid.whole
TMPDIR=$out/keep $bursty record --calls -o x.brst -- ./program until-exec >got 2>got.err &
job=$!
half=0
if ! wait_for_half; then nothing_kept "another program"
elif : >go && wait $job && [ "$(grep -c '^bursty: the program ended .* as another program (.*ends' got.err)" = 1 ] \
   && $bursty report --min 0 x.brst | grep -q work; then pass
else fail "what was recorded before another program"; cat got.err; fi

# Who asks the recorder's tool to end asks the program, once. Nothing is left behind. A signal that
# was ignored before (nohup) stays so: then this cannot be tested.
cat >asked.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t asked;
static void ask(int number) { asked += number; }
__attribute__((noinline)) int work(int n) { return n + (int)asked; }
int main(void) {
    FILE *file;
    int n = 0, rest = 100000;
    signal(SIGTERM, ask);
    signal(SIGHUP, ask);
    file = fopen("pid", "w");
    if (!file || fprintf(file, "%ld\n", (long)getpid()) < 0 || fclose(file) != 0) return 1;
    if (rename("pid", "pid.whole") != 0) return 1;
    while (!asked || rest--) n |= work(n);
    printf("asked by %d\n", (int)asked);
    return 5;
}
C
compile $CC -O2 -o asked asked.c
for signal in 1 15; do
    mask=$(sed -n 's/^SigIgn:.*\(....\)$/\1/p' /proc/self/status)
    if [ $((0x$mask >> (signal - 1) & 1)) = 1 ]; then
        skip "signal $signal is ignored here"
        continue
    fi
    for program in asked 'program until-killed'; do
        rm -f x.brst pid.whole
        # shellcheck disable=SC2086
        TMPDIR=$out/keep $bursty record --calls -o x.brst -- ./$program >got 2>got.err &
        job=$!
        wait_for [ -f pid.whole ] || echo "$program did not begin"
        kill -$signal $job
        { wait $job; status=$?; } 2>/dev/null
        if [ "$program" = asked ]; then
            [ $status = 5 ] && [ "$(cat got)" = "asked by $signal" ] && [ -z "$(others)" ] \
                && $bursty report --min 0 x.brst | grep -q work
        else [ $status = $((128 + signal)) ] && ! kill -0 "$(cat pid.whole)" 2>/dev/null; fi
        if [ $? = 0 ] && [ -z "$(ls keep)" ] && [ ! -f x.brst.new ]; then pass
        else
            fail "signal $signal, $program: status $status"
            cat got got.err
            ls keep
            kill -9 "$(cat pid.whole)" 2>/dev/null
            rm -f keep/*
        fi
    done
done

# A file of an earlier run stays if a program in another root cannot write, and a whole one has the
# size of what is in it.
$bursty record --calls -o x.brst -- ./program root >got 2>got.err
if ./program root >plain 2>&1; [ $? = 77 ]; then skip "no other root"
elif [ "$(wc -c <x.brst)" -lt 100000 ] && [ ! -f x.brst.new ]; then pass
else fail "another root: the size of the file"; ls -l; fi

# ---- code that is far away, or odd -------------------------------------------------------------

# The same object three times: as it is, with text over 394 MB, and with text over 1.9 GB, beside
# which there is no room for copies.
compile $CC -O0 -fno-pie -c -o odd.o "$traps/odd.c"
compile $CC -no-pie -o odd odd.o
./odd >plain
if $CC -no-pie -Wl,--section-start=.far=0x18A00000 -o far odd.o 2>log; then
    compile $CC -no-pie -Wl,--section-start=.far=0x78000000 -o farther odd.o
    for options in '--every 3 --burst 2' '--every 0 --all-checks --profile hcct,footprint'; do
        for program in odd far; do
            # shellcheck disable=SC2086
            $bursty record --calls $options -o x.brst -- ./$program >got 2>got.err
            if [ $? = 0 ] && cmp -s plain got && [ -z "$(others)" ] \
               && $bursty report --min 0 x.brst | grep -q odd_loop; then pass
            else fail "$program $options"; cat got.err; fi
        done
    done
    $bursty record --calls -o x.brst -- ./farther >got 2>got.err
    if [ $? = 0 ] && cmp -s plain got && [ "$(others | wc -l)" = 1 ] \
       && grep -q 'recorded: .*no space in reach' got.err; then pass
    else fail "farther"; cat got.err; fi
else skip "this linker places no section"; fi

# Every loop has a check, also one that ends with a conditional jump back: its function is called
# 1200 times, and the loops go round 38000 times.
bursts() { # FILTER PROGRAM: how many bursts there are with checks in these functions alone
    $bursty record --stats --only "$1" --every 90 --burst 10 -o x.brst -- "./$2" 2>&1 >log |
        sed -n 's/^bursts \([0-9]*\).*/\1/p'
}
n=$(bursts odd_loop odd)
if [ "${n:-0}" -gt 200 ]; then pass; else fail "a loop without optimisation: $n bursts"; fi

cat >catch.cc <<'C'
#include <cstdio>
__attribute__((noinline)) int thrower(int n) { if (n >= 0) throw n; return 7; }
__attribute__((noinline)) int catch_loop(int n) {
    int i = 0;
    for (;;) try { i += thrower(i); } catch (int) { if (++i == n) return i; }
}
int main() { std::printf("%d\n", catch_loop(3000)); return 0; }
C
if command -v "$CXX" >/dev/null 2>&1 && $CXX -O1 -o catch catch.cc 2>log; then
    compile $CXX -O2 -o catch-moved catch.cc            # the catch stands in a part of its own
    for program in catch catch-moved; do
        n=$(bursts '*catch_loop*' $program)
        if [ "${n:-0}" -gt 20 ]; then pass
        else fail "$program: a loop that an exception closes: $n bursts"; fi
    done
else skip "no C++ compiler"; fi

if $CC -no-pie -Wl,--no-eh-frame-hdr -o noframe odd.o 2>log; then
    $bursty record --calls -o x.brst -- ./noframe >got 2>got.err
    if [ $? = 0 ] && cmp -s plain got && [ "$(others | wc -l)" = 1 ] \
       && grep -q 'recorded: .*no .eh_frame_hdr' got.err; then pass
    else fail "no unwind information"; cat got.err; fi
else skip "this linker always lists unwind information"; fi
if $CC -no-pie -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1 -o musl odd.o 2>log; then
    $bursty record --calls -o x.brst -- ./musl >got 2>got.err
    if [ $? = 2 ] && [ "$(wc -l <got.err)" = 1 ] && grep -q 'its loader is /lib/ld-musl' got.err
    then pass; else fail "another loader"; cat got.err; fi
else skip "this linker names no loader"; fi

# ---- memory that may not be written and executed, ever -----------------------------------------

cat >mdwe.c <<'C'
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv) {
    if (argc < 2 || prctl(65, 1UL, 0UL, 0UL, 0UL) != 0) return 77; /* PR_SET_MDWE */
    execv(argv[1], argv + 1);
    return 1;
}
C
compile $CC -o mdwe mdwe.c
if ./mdwe ./odd >got; then
    ./mdwe "$bursty" record --every 3 --burst 2 -o x.brst -- ./odd >got 2>got.err
    if [ $? = 0 ] && cmp -s plain got && [ -z "$(others)" ] \
       && $bursty report --min 0 x.brst | grep -q odd_loop; then pass
    else fail "MDWE"; cat got.err; fi
else skip "no PR_SET_MDWE"; fi

# ---- scripts, and programs in the place of others ----------------------------------------------

# The interpreter is what is recorded, also if env is to find it.
printf '#!%s/odd an-argument\n' "$out" >script
printf '#!/usr/bin/env odd\n' >script-env
printf '#!/usr/bin/env no-such-program-anywhere\n' >script-none
printf '#!/bin/sh\nexec ./odd\n' >script-exec
chmod +x script script-env script-none script-exec
for script in script script-env; do
    PATH=$out:$PATH $bursty record --every 3 --burst 2 -o x.brst -- ./$script >got 2>got.err
    if [ $? = 0 ] && cmp -s plain got && [ -z "$(others)" ] \
       && $bursty report --min 0 x.brst | grep -q odd_loop; then pass
    else fail "$script"; cat got.err; fi
done
$bursty record --calls -o x.brst -- ./script-none >got 2>got.err
if [ $? = 2 ] && [ "$(wc -l <got.err)" = 1 ] && grep -q 'anywhere: there is no such program' got.err
then pass; else fail "script-none"; cat got.err; fi
rm -f x.brst
$bursty record --calls --quiet --no-keep -o x.brst -- ./script-exec >got 2>got.err
if [ $? = 0 ] && cmp -s plain got && grep -q 'or as another program (see --follow)' got.err; then pass
else fail "a script that becomes a program"; cat got.err; fi
$bursty record --quiet --follow --every 3 --burst 2 -o x.brst -- ./script-exec >got 2>got.err
if [ $? = 0 ] && cmp -s plain got && $bursty report --min 0 x.brst | grep -q odd_loop; then pass
else fail "--follow goes into the next program"; cat got.err; fi
finish
