#!/bin/sh
# test_trace.sh - bursty cc --trace: its counts are those of --cover on the same run, wherever the
# program ends; what ran last; damaged files; limits; fork, threads, signals, exec.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder trace
shares_runtime
unset BURSTY_TRACE BURSTY_TRACE_LIMIT
bursty() { "$build/bursty" "$@"; }
# Lines, functions, and how often each branch was taken; a trace has vertices of its own behind
# calls, so that its branches have other numbers and may stand on the next line of a statement.
counts_of() { # FILE OUT
    bursty report --lcov "$1" | awk -F, '/^BRDA/ { print "branch " $4 | "sort"; next } { print }' >"$2"
}

cat >ends.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf outer;
static int twice(int n) {
    return n + n;
}
static int deep(int n) {
    if (n > 0) return deep(n - 1) + twice(n);
    longjmp(outer, 1);
}
static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
static void stop(const char *how) {
    if (strcmp(how, "exit") == 0) exit(3);
    if (strcmp(how, "_exit") == 0) _Exit(4);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "crash") == 0) {
        *(volatile int *)0 = 1;
        puts("never");
    }
}
int main(int argc, char **argv) {
    int list[3] = {3, 1, 2}, i, sum = twice(argc) + twice(2);
    for (i = 0; i < 3; i++) {
        switch (setjmp(outer) ? 2 : i) {
        case 0: sum += twice(sum) ? twice(1) : 0;
        case 1: deep(i + 2); break;
        default: sum--;
        }
    }
    qsort(list, 3, sizeof *list, compare);
    stop(argc > 1 ? argv[1] : "");
    sum += list[0];
    return sum & 1;
}
END
$CC -w -o plain ends.c 2>/dev/null && ./plain >/dev/null
[ $? -le 1 ] || leave "$CC makes no programs that run here"
marks_calls || leave "$CC has no traces here"
bursty cc --trace --list=left -- $CC -g -O2 -w -o own ends.c 2>log || { fail "not compiled: $(cat log)"; finish; }
empty left && pass || fail "left alone: $(cat left)"
bursty cc --cover -- $CC -g -O2 -w -o counted ends.c || fail "not compiled with counters"

for how in '' exit _exit; do
    rm -f coverage.brst own.trace
    ./counted $how >/dev/null
    ./own $how >/dev/null
    counts_of coverage.brst counted.info
    counts_of own.trace own.info
    [ -s own.info ] && cmp -s counted.info own.info && pass || fail "counts after '$how': $(diff counted.info own.info | head -n 4)"
    bursty report --replay own.trace >replayed
    grep -q ' compare .*ends.c:14' replayed && pass || fail "no replay after '$how'"
done
# Where it ended: the newest line.
last() { bursty report --replay own.trace | tail -n 1; }
last | grep 'stop .*ends.c:18 ' | grep -qv perhaps && pass || fail "_exit: $(last)"
(ulimit -c 0; ./own abort; exit 0) >/dev/null 2>&1
last | grep -q 'stop .*ends.c:19 ' && pass || fail "abort: $(last)"
(ulimit -c 0; ./own crash; exit 0) >/dev/null 2>&1
bursty report own.trace >text
grep -q '^ *stop .*ends.c:2[12]' text && pass || fail "crash: $(cat text)"
sed -n 2p text | grep -q 'did not come to its end' && pass || fail "crash is not said first"
bursty report --json own.trace >json
grep -q '"ended":0' json && grep -q '"function":"deep"' json && pass || fail "json"
bursty report --function deep --last 2 --top 1 own.trace >text
[ "$(grep -c ' deep ' text)" = 2 ] && [ "$(grep -c 'deep:' text)" = 1 ] && pass || fail "--function"
for words in '--function nobody' '--last x' '--sort a' '--replay --json'; do
    # shellcheck disable=SC2086
    bursty report $words own.trace >log 2>&1
    [ $? = 2 ] && [ "$(wc -l <log)" = 1 ] && pass || fail "$words: $(cat log)"
done
# Paths: compare runs three times or less, always on its one path; main's loop three times.
./own >/dev/null
bursty report --json --top 0 own.trace | tr '{' '\n' | grep -c '"function":"compare".*"count":3' >log
[ "$(cat log)" = 1 ] && pass || fail "paths of compare"

# Many paths, of which the tool's table grows: 512 ways through one function, in order and then again.
# Each is one path that ran twice.
cat >ways.c <<'END'
static volatile int sink;
static void way(int n) {
    if (n & 1) sink++;
    if (n & 2) sink++;
    if (n & 4) sink++;
    if (n & 8) sink++;
    if (n & 16) sink++;
    if (n & 32) sink++;
    if (n & 64) sink++;
    if (n & 128) sink++;
    if (n & 256) sink++;
}
int main(void) {
    int i;
    for (i = 0; i < 1024; i++) way(i % 512);
    return 0;
}
END
bursty cc --trace -- $CC -g -w -o ways ways.c && ./ways || fail "ways.c"
bursty report --json --top 0 ways.trace | tr '{' '\n' | grep '"function":"way"' |
    awk '/"count":/ { n++ } /"count":2[,}]/ { twice++ } END { print n + 0, twice + 0 }' >log
[ "$(cat log)" = "512 512" ] && pass || fail "512 paths, each of them twice: $(cat log)"

# A number has more than one digit.
bursty report --function way --last 12 --top 1 ways.trace >text
[ "$(grep -c '^ *way  *ways' text)" = 12 ] && pass || fail "--last 12: $(cat text)"

# Damage: a file that is cut off shows what it has; a flipped bit is refused, or said.
for at in 3 30 60 300 4090 4100 4170; do
    head -c $at own.trace >cut.trace
    bursty report cut.trace >log 2>&1
    case $? in 0 | 2) pass ;; *) fail "cut at $at: $(cat log)" ;; esac
done
segment=$(od -A n -t u4 -j 32 -N 4 own.trace | tr -d ' ')
for at in 1 9 25 70 300 $((segment + 1)) $((segment + 9)) $((segment + 37)) $((segment + 70)); do
    { head -c $at own.trace; printf '\377'; tail -c +$((at + 2)) own.trace; } >cut.trace
    bursty report cut.trace >log 2>&1
    case $? in
    0) grep -q ' ! .*damaged' log && pass || fail "flipped at $at: nothing is said" ;;
    2) [ "$(wc -l <log)" = 1 ] && pass || fail "flipped at $at: $(cat log)" ;;
    *) fail "flipped at $at" ;;
    esac
done
bursty report --lcov cut.trace >log 2>&1
[ $? = 2 ] && pass || fail "counts of a damaged trace"
echo text >other.trace
BURSTY_TRACE=other.trace ./own >/dev/null 2>log
[ "$(cat other.trace)" = text ] && grep -q 'something else' log && pass || fail "overwrites a file"

# Processes, threads, handlers.
cat >many.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static sigjmp_buf back;
static volatile int seen;
static int odd(int n) { return n % 2 ? 1 : 0; } static int both(int n) { return odd(n) + odd(n / 3); }
static void handler(int n) {
    seen += odd(n) + 1;
    if (n == SIGUSR2) siglongjmp(back, 1);
}
static void *work(void *limit) {
    long i, sum = 0;
    for (i = 0; i < (long)limit; i++) sum += both((int)i);
    return (void *)sum;
}
static int child(int n) {
    return odd(n) + 7;
}
int main(int argc, char **argv) {
    pthread_t thread[2];
    int i, status = 0;
    if (argc > 2) {
        work((void *)(long)atoi(argv[2]));
        return 0;
    }
    if (argc > 1) {
        signal(SIGUSR1, handler);
        for (i = 0; i < 5; i++) raise(SIGUSR1);
        signal(SIGUSR2, handler);
        if (sigsetjmp(back, 1) == 0) raise(SIGUSR2);
        else seen += odd(3);
        if (fork() == 0) _exit(child(2));
        wait(&status);
        if (vfork() == 0) _exit(odd(4));
        wait(NULL);
        execl(argv[0], argv[0], (char *)NULL);
    }
    for (i = 0; i < 2; i++) pthread_create(&thread[i], NULL, work, (void *)1000L);
    for (i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    return WEXITSTATUS(status);
}
END
bursty cc --trace -- $CC -g -O2 -w -pthread -o many many.c && bursty cc --cover --atomic -- \
    $CC -g -O2 -w -pthread -o manyc many.c || fail "many.c"
./many && ./manyc
bursty report --lcov coverage.brst >/dev/null; rm -f coverage.brst; ./manyc
counts_of coverage.brst counted.info
counts_of many.trace own.info
[ -s own.info ] && cmp -s counted.info own.info && pass || fail "threads: $(diff counted.info own.info | head -n 4)"
rm -f many.trace*
./many x || fail "many x"
ls many.trace.* >log
bursty report many.trace >text 2>&1 || fail "many.trace"
grep -q 'signal handlers' text && ! grep -q 'did not fit' text && pass || fail "handlers: $(cat text)"
grep -q 'by longjmp' text || bursty report --last 200 many.trace | grep -q 'by longjmp' && pass ||
    fail "siglongjmp out of a handler"
found=0
for file in many.trace.*; do
    bursty report --last 50 "$file" >text 2>&1 || fail "$file"
    lacks text many.c 'did not fit' || fail "$file: $(head -n 4 text)"
    grep -q 'a child of' text && grep -q ' child ' text && ! grep -q ' handler ' text && found=1
done
ok $((1 - found)) "no child tells what it did, and only that"

# Several at once: what each says alone, one behind the other; JSON is a list.
set -- many.trace many.trace.*
for file; do bursty report "$file"; echo; done | sed '$d' >each
bursty report "$@" >text 2>&1 && cmp -s each text && pass || fail "several at once: $(diff each text | head -n 4)"
for file; do bursty report --replay "$file"; done >each
bursty report --replay "$@" >text 2>&1 && cmp -s each text && pass || fail "several with --replay"
before=[
for file; do printf %s "$before"; before=,; bursty report --json "$file"; done >each
echo ] >>each
$CC -O1 -std=c99 -o check_json "$top/tests/check_json.c" || fail "check_json.c"
bursty report --json "$@" >text 2>&1 && cmp -s each text && pass || fail "several with --json"
./check_json <text >/dev/null 2>&1 && pass || fail "several: no JSON"
bursty report --function child "$@" >text 2>&1 && pass || fail "a function that one of them has: $(cat text)"
bursty report --function nobody "$@" >text 2>log
[ $? = 2 ] && [ ! -s text ] && grep -q 'no function has that name' log && pass || fail "a function that none has"
bursty report "$@" many.c >text 2>log
[ $? = 2 ] && [ ! -s text ] && grep -q 'it is no trace' log && pass || fail "one that is no trace: $(cat log)"

# A limit: the last part is kept, with all functions that were open.
rm -f many.trace*
BURSTY_TRACE_LIMIT=256K ./many x 900000
size=$(wc -c <many.trace)
[ "$size" -le 300000 ] && pass || fail "limit: $size bytes"
bursty report many.trace >text
sed -n 2p text | grep -q 'segments .* are missing' && pass || fail "limit is not said: $(head -n 3 text)"
lacks text 'are missing' 'did not fit\|are left out' && pass || fail "a late beginning: $(head -n 5 text)"
grep -q ' main .*many.c:29' text && pass || fail "limit: the end: $(cat text)"
bursty report --lcov many.trace >log 2>&1
[ $? = 2 ] && pass || fail "counts without the beginning"
BURSTY_TRACE_LIMIT=0 BURSTY_TRACE=none.trace ./many
[ -e none.trace ] && fail "a trace although none was wanted" || pass

# longjmp comes back to the statement of its setjmp: what stands in front of it ran once.
cat >land.c <<'END'
#include <setjmp.h>
static jmp_buf b;
static int all;
static int in_condition(volatile int n) {
    all += 1;
    n += 2;
    if (setjmp(b) < 3)
        longjmp(b, ++n);
    return all;
}
static int in_switch(volatile int n) {
    all += 1;
    switch (setjmp(b)) {
    case 0: longjmp(b, 1);
    case 1: longjmp(b, 2);
    default: n++;
    }
    return n;
}
int main(void) {
    volatile int n = 0;
    all = 5;
    n = all;
    int j = setjmp(b);
    if (j < 3) {
        n++;
        longjmp(b, j + 1);
    }
    in_condition(0);
    return in_switch(n) < 0;
}
END
bursty cc --trace -- $CC -g -w -o land land.c && ./land || fail "land.c"
bursty report --replay land.trace | sed 's/.*land.c:\([0-9]*\).*/\1/' | sort -n | uniq -c |
    awk '{ printf "%s:%s ", $2, $1 }' >log
wanted='4:1 5:1 6:1 7:2 8:1 9:1 11:1 12:1 13:3 14:1 15:1 16:1 18:1 20:1 21:1 22:1 23:1 24:4 25:4 26:3 27:3 29:1 30:1 '
[ "$(cat log)" = "$wanted" ] && pass || fail "lines in front of a setjmp: $(cat log)"

# Programs at random.
$CC -w -o make_exits "$top/tests/make_exits.c" || fail make_exits
for seed in 2; do
    ./make_exits $seed >random.c
    bursty cc --trace --list=left -- $CC -w -O$seed -o own random.c || fail "seed $seed"
    bursty cc --cover -- $CC -w -O1 -o counted random.c || fail "seed $seed"
    rm -f coverage.brst
    ./own 2 $seed >own.out
    ./counted 2 $seed >counted.out
    cmp -s own.out counted.out || fail "seed $seed: output"
    counts_of coverage.brst counted.info
    counts_of own.trace own.info
    [ -s own.info ] && cmp -s counted.info own.info && pass || fail "seed $seed: $(diff counted.info own.info | head -n 4)"
done
# ---- bit tracing: a bit at each of two ways, three at each of five
cat >bits.c <<'END'
int main(void) {
    int i, sum = 0;
    for (i = 0; i < 1000; i++) {
        if (i & 1) sum++;
        else sum += 2;
        switch (i % 5) {
        case 0: sum += 3; break;
        case 1: sum += 4; break;
        case 2: sum += 5; break;
        case 3: sum += 6; break;
        default: sum += 7;
        }
    }
    return sum == 0;
}
END
bursty cc --trace -- $CC -w -o bits bits.c && BURSTY_TRACE=bits.trace ./bits
bursty report --json bits.trace >said
grep -q '"branches":3001,"bits_of_bit_tracing":5001,' said
ok $? "not 3001 branches and 5001 bits: $(head -c 300 said)"
blocks=$(bursty report bits.trace | sed -n 's/^  \([0-9]*\) blocks in.*/\1/p')
wanted=$(awk "BEGIN { printf \"bit tracing would write %.2f bits a block, at %.3f branches a block\", 5001 / $blocks, 3001 / $blocks }")
bursty report bits.trace | grep -q "^  $wanted\$"
ok $? "not '$wanted': $(bursty report bits.trace | head -5)"
finish
