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

counted() { # FILE FUNCTION: its calls, as the report tells
    $bursty report --csv --min 0 "$1" | awk -F, -v name="$2" '
        /^(rank|share),/ { delete c; for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["function"] == name && ("calls" in c || "estimated" in c) {
            print "calls" in c ? $c["calls"] : $c["estimated"]
            exit
        }'
}

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
# A death that the process asks for leaves all that was before, however short it was. In a child that
# is recorded, too.
for dies in '' 'abort()' 'assert(sum == 0)' 'stack_is_bad()' 'raise(SIGTERM)' 'kill(getpid(), SIGKILL)' \
            'pthread_kill(pthread_self(), SIGSEGV)' 'raise(SIGURG), raise(SIGABRT)' \
            'if (fork()) wait(0); abort()'; do
    compile $CXX -O1 -w -pthread -fno-stack-protector -I"$top/tests/world" ${dies:+"-DDIES=$dies"} -o dies \
        "$top/tests/world/uncaught.cc"
    { ./dies >plain 2>plain.err; status=$?; } 2>/dev/null
    for mode in '--calls --every 0' '--edges --every 0'; do
        rm -f x.brst*
        # shellcheck disable=SC2086
        { $bursty record --quiet --follow $mode -o x.brst -- ./dies >got 2>got.all; got=$?; } 2>/dev/null
        n="$(counted x.brst 'leaf(unsigned int)') $(counted x.brst 'fall(unsigned int)')"
        if [ $got = $status ] && cmp -s plain got && [ "$n" = '3000 15' ]; then pass
        else fail "dies by ${dies:-uncaught} $mode: status $got for $status, calls $n"; cat got.all; fi
        case $dies in *fork*) ok "$([ -s "$(echo x.brst.*)" ]; echo $?)" "dies by $dies: a child without a file" ;; esac
    done
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

# ---- uncommon hosts -------------------------------------------------------------------------------

# A program that forbids itself system calls, sets limits, has stacks of its own, or closes its files;
# one that a library audits, beside which another one is preloaded, that is alone in a space of processes, or was started
# without files.
compile $CC -O1 -pthread -o hosts "$guest/hosts.c" -ldl
printf '%s\n' 'int plug(int n) { int s = 0; while (n-- > 0) s += n; return s; }' >plug.c
compile $CC -O1 -shared -fPIC -o plug.so plug.c
printf '%s\n' 'unsigned la_version(unsigned v) { return v; }' >audit.c
compile $CC -shared -fPIC -o audit.so audit.c
cat >own_malloc.c <<'END'
#include <stddef.h>
#include <string.h>
static char room[1 << 26] __attribute__((aligned(64))); /* the names of the kernel take 13 MB of the tool */
static size_t used;
void *malloc(size_t n) {
    size_t at = __atomic_fetch_add(&used, (n + 79) & ~(size_t)63, __ATOMIC_RELAXED);
    if (at + n + 64 > sizeof room) return NULL;
    *(size_t *)(void *)(room + at) = n;
    return room + at + 16;
}
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) {
    void *q = malloc(n);
    size_t old = p ? *(size_t *)(void *)((char *)p - 16) : 0;
    if (q && p) memcpy(q, p, old < n ? old : n);
    return q;
}
END
compile $CC -O1 -shared -fPIC -o own_malloc.so own_malloc.c
alone=
if unshare -Urpf true 2>/dev/null; then alone=alone; fi
hosts() { # BEFORE HOW: plain, and in five ways
    before=$1 how=$2
    rm -f opened
    # shellcheck disable=SC2086
    { $before ./hosts $how >plain 2>plain.err; status=$?; } 2>/dev/null
    cat opened >>plain 2>/dev/null
    [ $status = 7 ] || fail "hosts $how $before: status $status, plain"
    for mode in "$calls" "$all_calls" "$timed" "$refs" '--frames leaf'; do
        rm -f opened
        # shellcheck disable=SC2086
        { $before $bursty record --quiet --no-keep $mode -o x.brst -- ./hosts $how >got 2>got.all
          got=$?; } 2>/dev/null
        LC_ALL=C grep -v '^bursty: ' got.all >got.err
        cat opened >>got 2>/dev/null
        if [ $got = $status ] && cmp -s plain got && cmp -s plain.err got.err; then pass
        else
            fail "hosts $how $before $mode: status $got instead of $status"
            diff plain got
            cat got.all
        fi
    done
}
for how in strict filter limits stacks closes closes-range nothing-left vforks clones daemons again \
           cancels plugins coroutines; do
    hosts '' $how
done
for how in vforks clones daemons coroutines again; do
    hosts 'env LD_AUDIT=./audit.so LD_PRELOAD=./own_malloc.so' $how
done
for mine in '' GLIBC_TUNABLES=glibc.malloc.check=0; do
    hosts "env LD_AUDIT=./audit.so $mine" audited
done
hosts 'env LD_PRELOAD=./own_malloc.so' preloaded
[ -z "$alone" ] || hosts 'unshare -Urpf' alone
without() { exec "$@" <&- >&- 2>&-; }
for mode in "$calls" "$all_calls" "$timed"; do
    (without ./hosts closes)
    status=$?
    cp opened plain
    # shellcheck disable=SC2086
    (without $bursty record --quiet --no-keep $mode -o x.brst -- ./hosts closes)
    got=$?
    if [ $got = $status ] && cmp -s plain opened; then pass
    else fail "without files $mode: status $got instead of $status"; diff plain opened; fi
done

# Code without tables that keeps a 0 where a return address might be, as Haskell's does: ticks meet it.
cat >bare.c <<'END'
void bare(long n);
__asm__(".text\nbare: push $0\n1: dec %rdi\njnz 1b\npop %rax\nret\n.type bare, @function\n.size bare, .-bare");
int main(void) { int i; for (i = 0; i < 400; i++) bare(1000000); return 5; }
END
compile $CC -O1 -o bare bare.c
for mode in "$calls --ticks 3000" "$refs --ticks 3000" '--inside --ticks 3000'; do
    recorded "$mode" ./bare
    if [ $got = 5 ] && [ ! -s got.err ]; then pass; else fail "bare $mode: status $got"; cat got.all; fi
done

# ---- many threads --------------------------------------------------------------------------------

# Where a thread's stack is, all of /proc/self/maps says, which is longer with each thread: it is not
# read for each. 400 times that would be 30 MB.
compile $CC -O1 -pthread -o threads "$guest/threads.c"
recorded "$sharing" ./threads
if [ $got = 0 ] && [ "$(cat got)" = fine ] && [ "$(cat got.err)" -lt 4000000 ]; then pass
else fail "threads: status $got, bytes read: $(cat got.err)"; fi

# ---- handlers that leave by siglongjmp ------------------------------------------------------------

# Every 100 us, from wherever they come. Of a jump one call may be counted by one side alone. In
# bursts all calls are told within a fiftieth; a thread that fell silent would have lost half of them.
compile $CC -O1 -o jumps "$guest/jumps.c"
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
    if [ $got = 3 ] && [ ! -s got.err ] && grep -q ' 40[0-9]$' got; then pass
    else fail "jumps $mode: status $got"; cat got.err; fi
done
finish
