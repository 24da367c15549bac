#!/bin/sh
# test_record.sh - bursty record: programs run as they do without it, what cannot be recorded is refused in one line,
# and the report shows what ran. FULL=1, as the matrix has it: more installed programs, more settings.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record
needs_recorder
# What a run wrote to stderr, but for the line that names its file.
# What the program wrote, without what is said of the recording.
others() {
    LC_ALL=C sed -e '/^bursty: .*\((from, to: 95 % intervals)\|: nothing to show\)$/,/^bursty: wrote .* shows it$/d' \
        -e '/^bursty: wrote .*; `bursty report .*` shows it$/d' got.err
}

# ---- small programs ----------------------------------------------------------------------------------------------------

cat >calls.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sum;
__attribute__((noinline)) static unsigned leaf(unsigned n) { sum += n; return n ^ 5; }
__attribute__((noinline)) static unsigned hot(unsigned n) { unsigned i, s = 0; for (i = 0; i < n; i++) s += leaf(i) + hot(i / 8); return s; }
static int compare(const void *a, const void *b) { return (int)leaf(*(const unsigned *)a) - (int)leaf(*(const unsigned *)b); }
static void *thread(void *n) { hot((unsigned)(size_t)n); return NULL; }
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    unsigned a[500], i, n = argc > 2 ? (unsigned)atoi(argv[2]) : 400;
    pthread_t t[4];
    for (i = 0; i < 500; i++) a[i] = (i * 7919) % 1009;
    qsort(a, 500, sizeof *a, compare);
    printf("%u %u %s %s\n", hot(n), a[77], getenv("LD_PRELOAD") ? "preload" : "-", getenv("BURSTY_RECORD") ? "record" : "-");
    if (!strcmp(what, "threads")) { for (i = 0; i < 4; i++) pthread_create(&t[i], NULL, thread, (void *)(size_t)n); for (i = 0; i < 4; i++) pthread_join(t[i], NULL); }
    fflush(stdout);
    if (!strcmp(what, "status")) return 7;
    if (!strcmp(what, "_exit")) _exit(9);
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "exec")) execl("/bin/true", "true", (char *)NULL);
    if (!strcmp(what, "kill")) kill(getpid(), SIGTERM);
    if (!strcmp(what, "toggle")) { struct sigaction old; sigaction(SIGUSR2, NULL, &old); if (old.sa_handler == SIG_DFL) signal(SIGUSR2, SIG_IGN); raise(SIGUSR2); hot(n); raise(SIGUSR2); hot(n); }
    if (!strcmp(what, "fork")) { pid_t c = fork(); hot(n); if (!c) _exit(3); waitpid(c, (int *)&i, 0); printf("%d\n", WEXITSTATUS(i)); }
    if (!strcmp(what, "vfork")) { pid_t c = vfork(); if (!c) _exit(4); waitpid(c, (int *)&i, 0); printf("%d\n", WEXITSTATUS(i)); }
    return 0;
}
C
$CC -O2 -pthread -o calls calls.c 2>log || { cat log; exit 2; }
for what in '' threads status _exit abort kill toggle fork vfork; do
    keep=
    case $what in abort | kill) keep=--no-keep ;; esac
    ./calls $what >plain 2>plain.err
    status=$?
    for options in '' '--every 5 --burst 5 --profile hcct,pairs,footprint,streams' \
                   '--every 20 --burst 3 --ticks 5000'; do
        # shellcheck disable=SC2086
        $bursty record $options $keep --signal 12 -o "r$what.brst" -- ./calls $what >got 2>got.err
        if [ $? = $status ] && cmp -s plain got && others | cmp -s plain.err -; then pass
        else case $what in
            abort|kill) # nothing is written by a process that a signal ends
                if cmp -s plain got && grep -q 'nothing was recorded' got.err; then pass; else fail "calls $what $options"; cat got.err; fi ;;
            *) fail "calls $what $options"; cat got.err ;;
        esac; fi
    done
done
./calls >plain
if $bursty record -o bare.brst --stats ./calls >got 2>/dev/null && cmp -s plain got && [ -s bare.brst ]; then pass
else fail "the first word that is no option is the program"; fi
# Every call of an uninterrupted record: 801 calls of hot and of leaf below main are told apart from the rest.
$bursty record --quiet --every 0 --all-checks -o full.brst -- ./calls >got
if $bursty report --min 0 full.brst | grep -q 'main > hot > leaf'; then pass; else fail "contexts of calls"; $bursty report full.brst | head; fi
if $bursty report --min 0 full.brst | grep -q 'main > compare > leaf'; then pass; else fail "a callback through the C library keeps its caller"; fi
$bursty record --quiet --only 'le?f' --every 0 -o only.brst -- ./calls >got
if $bursty report --min 0 only.brst >text && grep -q leaf text && ! grep -q compare text; then pass; else fail "--only"; cat text; fi
$bursty record --quiet --only 'le*f' --only 'comp*' --every 0 -o only.brst -- ./calls >got
if $bursty report --min 0 only.brst >text && grep -q leaf text && grep -q compare text; then pass; else fail "--only twice"; cat text; fi
$bursty record --quiet --not 'le*f' --not 'm?in' --every 0 -o not.brst -- ./calls >got
if $bursty report --min 0 not.brst >text && ! grep -q leaf text && grep -q compare text; then pass; else fail "--not"; cat text; fi
$bursty record --off --every 0 -o off.brst -- ./calls >got 2>got.err
if $bursty report off.brst 2>&1 | grep -qE '^0 calls|nothing|empty'; then pass; else fail "off records nothing"; $bursty report off.brst | head -5; fi
$bursty record --calls --quiet --follow -o follow.brst -- ./calls fork >got
if [ "$(find . -name 'follow.brst*' | wc -l)" = 2 ]; then pass; else fail "follow"; ls; fi
$bursty record --calls --stats -o stats.brst -- ./calls 2>got.err >got
if grep -q ' patched$' got.err && grep -q 'bursts [1-9]' got.err && [ ! -f stats.brst.stats ]; then pass; else fail stats; cat got.err; fi
if [ -c /dev/full ]; then
    $bursty record --stats -o /dev/full -- ./calls status >got 2>got.err
    if [ $? = 7 ] && [ "$(grep -c 'cannot write /dev/full: No space left' got.err)" = 1 ]; then pass
    else fail "a full disk"; cat got.err; fi
else skip "no /dev/full"; fi
$bursty record --quiet --every 0 --profile hcct,footprint -o parts.brst -- ./calls threads >got
if $bursty report --min 0 parts.brst >text && grep -q 'thread > hot > leaf' text && grep -qi 'footprint\|window' text; then pass
else fail "threads: trees and a footprint in one file"; cat text; fi
if $bursty record --quiet --every 5 --burst 50 --profile footprint -o sample.brst -- ./calls threads >got &&
    $bursty report sample.brst >text && lacks text misses 'guarantee\|within c of' &&
    grep -Eq 'with 95 % intervals|bursts? are too few' text &&
    $bursty report parts.brst >text && ! grep -q 'intervals' text && grep -q 'misses' text &&
    ! $bursty corun sample.brst parts.brst >text 2>&1 && grep -q 'sample.brst: .*bursts' text; then pass
else fail "a footprint of bursts promises nothing, one of a whole run does"; cat text; fi

$bursty record --quiet --every 0 --all-checks --profile methods -o methods.brst -- ./calls >got
if $bursty report --min 0 methods.brst | grep -q 'leaf' && ! $bursty report methods.brst | grep -q 'hot calling contexts'
then pass; else fail methods; $bursty report methods.brst; fi
# Sampled counts of calls stand for all of them: 12 % is far outside of what 400 bursts scatter.
$bursty record --quiet --every 0 --all-checks --profile pairs -o pairs.brst -- ./calls 9 1200 >got
$bursty record --quiet --every 90 --burst 10 --all-checks --profile pairs -o sampled.brst -- ./calls 9 1200 >got
leaf() { $bursty report --csv --min 0 "$1" | awk -F '[",]+' '/leaf/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/ && $i > n) n = $i } END { print n + 0 }'; }
if [ "$(leaf pairs.brst)" -gt 1000 ] && awk -v a="$(leaf pairs.brst)" -v b="$(leaf sampled.brst)" 'BEGIN { exit !(b > .88 * a && b < 1.12 * a) }'
then pass; else fail "pairs: all $(leaf pairs.brst), estimated $(leaf sampled.brst)"; $bursty report --csv --min 0 pairs.brst; fi
if $bursty report sampled.brst | grep -q 'where most of them are'; then fail "checks that nobody wrote"
else pass; fi
# Intervals come from how counts differ between bursts; what was recorded whole is exact.
if $bursty report --json sampled.brst | grep -q '"intervals": *"bursts"' \
   && $bursty report --json pairs.brst | grep -q '"intervals": *"exact"' \
   && $bursty report --csv --min 0 sampled.brst |
      awk -F, '/estimated_low/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
               $c["function"] == "leaf" { if ($c["estimated_low"] > 0 && $c["share_low"] > 0) n++ }
               END { exit n < 2 }'
then pass; else fail "intervals of bursts"; $bursty report --csv --min 0 sampled.brst; fi
# Contexts have intervals, too, and so have functions with what they call; a whole record has none.
$bursty record --quiet --every 90 --burst 10 --all-checks -o sampled.brst -- ./calls 9 1200 >got
for file in sampled full; do
    $bursty report --csv --min 0 $file.brst |
        awk -F, '/^share/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
                 "share_low" in c && $c["share_low"] > 0 && $c["share_low"] < $c["share"] \
                     && /main > compare > leaf$/ { contexts++ }
                 "total_low" in c && $c["total_low"] > 0 && $c["function"] == "hot" { n++ }
                 END { print contexts + 0, n + 0 }'
done >ranges
if [ "$(cat ranges)" = "1 1
0 0" ]; then pass; else fail "intervals of contexts"; cat ranges; $bursty report --csv --min 0 sampled.brst; fi
if $bursty report pairs.brst | grep -q 'hot  *leaf'; then pass; else fail "pairs: caller and function"; fi
$bursty record --quiet --every 0 --profile streams --boring 0 -o streams.brst -- ./calls 9 400 >got
if $bursty report streams.brst | grep -q 'leaf+0x'; then pass; else fail "streams: sites have names"; $bursty report streams.brst | head -20; fi
$bursty record --per-second 2000 --every 50 --stats -o clock.brst -- ./calls 9 1200 >got 2>got.err
if grep -q 'bursts [1-9]' got.err; then pass; else fail "bursts a second"; cat got.err; fi

# ---- ticks: the program runs until it has used its CPU time, however long that takes -----------

cat >spin.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static int done(double seconds) { return (double)clock() / CLOCKS_PER_SEC >= seconds; }
__attribute__((noinline)) static unsigned spin(unsigned n) {
    volatile unsigned s = 0;
    while (n--) s += n;
    return s;
}
__attribute__((noinline, noclone)) static unsigned often(void) { return spin(30000) ^ 1; }
__attribute__((noinline, noclone)) static unsigned seldom(void) { return spin(1000) ^ 2; }
static double seconds;
static volatile unsigned sink; /* what is not used may become a jump, and the caller is gone */
static void *thread(void *unused) {
    while (!done(seconds)) { sink = often(); sink = seldom(); }
    return unused;
}
int main(int argc, char **argv) {
    pthread_t t;
    seconds = argc > 1 ? atof(argv[1]) : .6;
    while (!done(seconds / 2)) { sink = often(); sink = seldom(); }
    if (pthread_create(&t, NULL, thread, NULL) == 0) pthread_join(t, NULL);
    puts("done");
    return 0;
}
C
$CC -O1 -pthread -o spin spin.c 2>log || { cat log; exit 2; }
# Columns of the first table: rank self from to total from to ticks function. Numbers in percent,
# then ticks. A function that no tick met is not in it.
share() {
    awk -v f="$1" -v c="$2" '
        /^callers and callees/ { exit }
        $9 == f { sub("%", "", $c); n = $c }
        END { print int(n) }' text
}
# How many independent ticks the first row's interval is worth, whatever its share is: Wilson's end l of a share p is where
# (p - l)^2 = 2^2 l (1 - l) / n. Where other programs cut the turns short there are no intervals. A look of the kernel
# comes each 4 ms, and 10 ms of ticks are worth one.
worth() {
    awk 'match($0, /one in [0-9]+ us/) { us = substr($0, RSTART + 7) + 0 }
        $1 == "-" && $8 + 0 > 0 { n = $8 * us / 10000; exit }
        $1 ~ /^1=?$/ { p = $2 / 100; l = $3 / 100; n = 4 * l * (1 - l) / (p - l) ^ 2; exit }
        END { print int(n) }' text
}
# Records a program for longer and longer until its ticks are worth a hundred: on a busy machine many come at once. When to
# stop does not depend on what they say. With so many a share of 60 % is below 35 or above 85 % once in two million runs.
enough() { # FILE OPTIONS...
    file=$1
    shift
    for seconds in .6 1.2 2.4 4.8 9.6; do
        $bursty record "$@" -o "$file" -- ./$program $seconds >got 2>got.err
        $bursty report --min 0 "$file" >text
        [ "$(worth)" -lt 100 ] || return 0
    done
    fail "$program: 10 s of CPU time are worth $(worth) ticks: $(cat got.err; head -n 20 text)"
}
program=spin; enough ticks.brst --ticks 1000
if [ "$(share spin 2)" -gt 50 ] && [ "$(share often 5)" -gt 50 ] && [ "$(share seldom 5)" -lt 40 ] \
   && [ "$(share main 5)" -gt 10 ] && [ "$(share thread 5)" -gt 10 ] && [ -z "$(others)" ] \
   && [ "$(cat got)" = done ]; then pass
else fail ticks; cat got.err text; fi

# The recorder's own ticks are in no share: those of a split of 60 to 40 are the same whether bursts
# are taken or not, and what is left over is small.
cat >split.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile unsigned sum;
__attribute__((noinline, noclone)) static unsigned work(unsigned n) {
    unsigned k, s = sum;
    for (k = 0; k < 20; k++) s = s * 3 + (n ^ k);
    return sum = s;
}
__attribute__((noinline, noclone)) static unsigned sixty(unsigned n) {
    unsigned s = 0, k;
    for (k = 0; k < 3 * n; k++) s += work(k);
    return s ^ 1;
}
__attribute__((noinline, noclone)) static unsigned forty(unsigned n) {
    unsigned s = 0, k;
    for (k = 0; k < 2 * n; k++) s += work(k);
    return s ^ 2;
}
int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    volatile unsigned sink;
    unsigned n = 1;
    while ((double)clock() / CLOCKS_PER_SEC < seconds) { /* rounds of one length keep step with ticks */
        n = n * 1664525 + 1013904223;
        sink = sixty(2000 + (n >> 16) % 2000);
        n = n * 1664525 + 1013904223;
        sink = forty(2000 + (n >> 16) % 2000);
    }
    (void)sink;
    puts("done");
    return 0;
}
C
$CC -O1 -o split split.c 2>log || { cat log; exit 2; }
program=split
for f in split-off split; do
    case $f in split) enough split.brst --ticks 1000 --every 900 ;; *) enough split-off.brst --ticks 1000 --off ;; esac
    sixty=$(share sixty 5) forty=$(share forty 5)
    if [ "$sixty" -gt 35 ] && [ "$sixty" -lt 85 ] && [ "$((sixty + forty))" -ge 90 ] && [ -z "$(others)" ]
    then pass
    else fail "$f: the shares of the functions: $sixty and $forty"; cat got.err text; fi
done
# All forms, and the two files merged, tell the same number of the recorder's ticks.
$bursty merge -o merged.brst split.brst split-off.brst 2>log
for f in split-off split merged; do
    said=$($bursty report $f.brst | tr '\n' ' ' | sed -n 's/.* beside them \([0-9 ]*\) met the recorder.*/\1/p' | tr -d ' ')
    if [ $f = split-off ]; then off=${said:-0}; continue; fi
    table=$($bursty report $f.brst | awk '/^time of the recorder/ { n = NR } n && NR == n + 3 { print $4 }')
    csv=$($bursty report --csv $f.brst | awk -F, '/recorder_time/ { n = NR } n && NR == n + 2 { print $4 }')
    json=$($bursty report --json $f.brst | tr '\n' ' ' | sed -n 's/.*"recorder_time"[^{]*"ticks":\[\([0-9]*\)\].*/\1/p')
    [ $f = split ] && once=$said
    if [ "${said:-0}" -gt 0 ] && [ "$said:$said:$said" = "$table:$csv:$json" ]; then pass
    else fail "$f: the recorder's ticks: $said, $table, $csv, $json"; fi
done
if [ "$said" = $((once + off)) ]; then pass; else fail "merged: the recorder's ticks: $said, once $once"; fi
if $bursty report --collapsed --by ticks split.brst | grep -q recorder; then fail "a stack of the recorder"; else pass; fi
if $bursty report --html page.html split.brst && grep -q '"recorder_time"' page.html; then pass; else fail "page: the recorder's time"; fi

# ---- time alone: the default, which patches nothing, and says it in ten lines ----

cat >later.c <<'C'
int in_library(int n);
int in_library(int n) { volatile int s = 0; int i; for (i = 0; i < 3000; i++) s += i ^ n; return s; }
C
# A part of its own (.cold) that takes time, as a library's and a thread that was there before.
cat >parts.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
static volatile int sink;
extern "C" int partly(int n);
__attribute__((noinline)) int partly(int n) {
    if (__builtin_expect(n >= 0, 0)) {
        for (int i = 0; i < 1500; i++) sink = sink + i;
        if (sink == 77) abort();
    }
    return sink;
}
int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    void *library = dlopen("./later.so", RTLD_NOW);
    int (*call)(int) = library ? (int (*)(int))dlsym(library, "in_library") : NULL;
    while (call && (double)clock() / CLOCKS_PER_SEC < seconds) {   /* which takes time itself */
        for (int i = 0; i < 20; i++) { partly(1); sink = call(sink); }
    }
    puts("done");
    return 0;
}
C
cat >early.c <<'C'
#include <pthread.h>
static volatile int stop;
int early_work(void);
__attribute__((noinline)) int early_work(void) { int i, s = 0; for (i = 0; i < 9999; i++) s ^= i * stop; return s; }
static void *run(void *none) { while (!stop) stop = early_work() == 3; return none; }
__attribute__((constructor)) static void start(void) { pthread_t t; pthread_create(&t, 0, run, 0); }
C
$CC -O1 -shared -fPIC -o later.so later.c 2>log && $CC -O1 -shared -fPIC -pthread -o libearly.so early.c 2>log \
    || { cat log; exit 2; }
program=split
enough time.brst
if [ "$(cat got)" = done ] && [ -z "$(others)" ] && [ "$(share sixty 5)" -gt 35 ] \
   && [ "$(share sixty 5)" -lt 85 ] && lacks text ' work$' 'calls-total'; then pass
else fail "time alone"; cat got.err text; fi
if head -n 1 got.err | grep -q '^bursty: split: where does it run: time by ticks' \
   && awk '$NF == "work" { n += $2 ~ /%$/ && $3 ~ /%$/ && $4 ~ /%$/ } END { exit n != 1 }' got.err \
   && [ "$(sed -n '/^rank /,$p' got.err | wc -l)" -le 13 ]; then pass
else fail "ten lines"; cat got.err; fi
if $bursty record --time --calls --stats -o both.brst ./split .3 2>&1 >got | grep -q ' patched$' \
   && $bursty report --min 0 both.brst >text && grep -q 'time by ticks' text && grep -q 'main > sixty > work' text
then pass; else fail "time and calls"; cat text; fi
$bursty record --ticks 100 --stats -o both.brst ./split .1 >got 2>got.err
if lacks got.err '^bursty: split: ' ' patched$'; then pass; else fail "time alone patches nothing"; cat got.err; fi
if command -v "$CXX" >/dev/null 2>&1 && $CXX -O2 -o parts parts.cc -ldl 2>log; then
    program=parts; enough time.brst
    if [ "$(share partly 2)" -gt 20 ] && [ "$(share in_library 2)" -gt 20 ] && lacks text in_library '(outside)'; then pass
    else fail "parts and libraries that are loaded later"; cat got.err text; fi
else skip "no C++ compiler"; fi
$CC -O1 -o early split.c -L. -Wl,-rpath,. -Wl,--no-as-needed -learly 2>log || { cat log; exit 2; }
program=early; enough time.brst
if [ "$(cat got)" = done ] && [ "$(share early_work 2)" -gt 10 ] && [ "$(share work 2)" -gt 10 ]; then pass
else fail "a thread that was there before"; cat got.err text; fi

# ---- an earlier file stays until the new one is whole; nothing else is left --------------------

mkdir keep && cp bare.brst keep/x.brst
for what in abort kill exec; do
    $bursty record --inside --no-keep -o keep/x.brst -- ./calls $what >got 2>got.err
    if cmp -s bare.brst keep/x.brst && [ "$(ls keep)" = x.brst ] \
       && [ "$(others | grep -c '^bursty')" = 1 ] \
       && grep -q 'nothing was recorded.*keep/x.brst' got.err; then pass
    else fail "$what: the earlier file stays"; ls -l keep; cat got.err; fi
done
$bursty record --calls --only 'no*such' -o keep/x.brst -- ./calls status >got 2>got.err
if [ $? = 7 ] && cmp -s bare.brst keep/x.brst && [ "$(ls keep)" = x.brst ] \
   && [ "$(others | wc -l)" = 1 ] && grep -q 'only and --not leave no function' got.err; then pass
else fail "a filter that matches nothing"; cat got.err; fi
$bursty record --calls -o keep/x.brst -- ./calls >got 2>got.err
if unlike bare.brst keep/x.brst && [ "$(ls keep)" = x.brst ] && [ -z "$(others)" ]; then pass
else fail "the new file takes its place"; ls -l keep; cat got.err; fi
if [ "$(tail -n 1 got.err)" = 'bursty: wrote keep/x.brst; `bursty report keep/x.brst` shows it' ]; then pass
else fail "the file is named"; cat got.err; fi
$bursty record --calls --quiet -o keep/x.brst -- ./calls >got 2>got.err
if [ -s got.err ]; then fail "--quiet"; cat got.err; else pass; fi
mv keep/x.brst keep/y.brst.new
if $bursty report keep/y.brst >got 2>got.err; then fail "a file that is not whole yet"
elif [ "$(wc -l <got.err)" = 1 ] && grep -q 'but a keep/y.brst.new: who writes it still runs' got.err; then pass
else fail "a file that is not whole yet"; cat got.err; fi
mv keep/y.brst.new keep/x.brst
(
    ulimit -f 0 2>/dev/null || exit 0
    trap '' XFSZ                        # a disk that is full while the file is written
    $bursty record -o keep/y.brst -- ./calls status >/dev/null 2>/dev/null
)
if [ "$(ls keep)" = x.brst ]; then pass; else fail "half a file is no file"; ls -l keep; fi

# ---- code without unwind tables ----

awk 'BEGIN { for (i = 0; i < 600; i++) printf "int f%d(int n) { return n * %d ^ n >> %d; }\n", i, 3 * i + 5, i % 7 + 1 }' >bare.c
echo 'int f9(int); int main(int argc, char **argv) { (void)argv; return f9(argc) == 0; }' >tables.c
if $CC -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables -c bare.c && $CC -O1 -c tables.c && $CC -o bare tables.o bare.o
then
    $bursty record --every 0 -o bare.brst ./bare 2>got
    if grep -q 'bare was built without unwind tables: .eh_frame names functions in [0-9]* % of its code' got
    then pass; else fail "code without unwind tables"; cat got; fi
    $bursty record --every 0 -o bare.brst -- ./calls >/dev/null 2>got
    if lacks got '^bursty: calls: ' 'unwind tables'; then pass; else fail "unwind tables are there"; cat got; fi
    # Of a small program much is the C library's; with -z noseparate-code constants stand beside the code.
    echo 'int main(void) { return 0; }' >hello.c
    for words in -O2 -Wl,-z,noseparate-code; do
        if $CC $words -o hello hello.c 2>/dev/null; then
            $bursty record --every 0 -o bare.brst ./hello 2>got || fail "hello.c $words"
            if lacks got '^bursty: hello: ' 'unwind tables'; then pass
            else fail "unwind tables of a small program, $words"; cat got; fi
        else skip "hello.c $words"; fi
    done
else fail "bare.c"; fi

# ---- names that stand in other files ----

if command -v objcopy >/dev/null 2>&1 && command -v strip >/dev/null 2>&1; then
    objcopy --only-keep-debug calls calls.debug
    strip -o linked calls
    objcopy --add-gnu-debuglink=calls.debug linked
    named() { # PROGRAM
        $bursty record --every 0 --all-checks -o named.brst -- "./$1" >got 2>got.err
        others >>got
        $bursty report --min 0 named.brst | grep -q 'main > hot > leaf'
    }
    if named linked && [ "$(wc -l <got)" = 1 ]; then pass; else fail "names by .gnu_debuglink"; fi
    mv calls.debug elsewhere
    if named linked; then fail "names from nowhere"; else pass; fi
    if grep -q 'linked has no symbols' got; then pass; else fail "no hint"; cat got; fi
    $bursty record --calls --quiet -o named.brst ./linked >got 2>&1
    if [ "$(wc -l <got)" = 1 ]; then pass; else fail "--quiet gives hints"; cat got; fi
    if command -v xz >/dev/null 2>&1 && xz -c elsewhere >mini.xz && strip -o compressed calls \
       && objcopy --add-section .gnu_debugdata=mini.xz compressed 2>/dev/null
    then if named compressed; then pass; else fail "names from .gnu_debugdata"; fi
    else skip "no xz"; fi
else skip "no objcopy"; fi

# ---- refusals ----------------------------------------------------------------------------------------------------------

refuses() { # PATTERN ARGUMENT...
    pattern=$1; shift
    $bursty record "$@" >got 2>got.err
    status=$?
    if [ $status = 2 ] && [ "$(wc -l <got.err)" = 1 ] && grep -q -e "$pattern" got.err && [ ! -s got ]; then pass
    else fail "to refuse $*: status $status"; cat got.err; fi
}
refuses 'no such program' -o x.brst -- no-such-program-anywhere
refuses 'No such file' -o x.brst -- ./missing
refuses 'No such file' -o /nowhere/x.brst -- ./calls
refuses 'Is a directory' -o . -- ./calls
chmod +x calls.c
refuses 'not an ELF .* -- /bin/sh ./calls.c$' -o x.brst -- ./calls.c
printf '#!/usr/bin/env sh\n' >shell
refuses 'record its interpreter: -- sh ./shell$' -o x.brst -- ./shell
refuses 'no such program in PATH; did you mean ./calls?' -o x.brst -- calls
refuses 'is no .brst file' -o calls.c -- ./calls
refuses 'is no .brst file' -o calls -- ./calls
refuses 'no program' -o x.brst
refuses 'no program' -o x.brst --
refuses 'no option' --nonsense -- ./calls
refuses 'there is no nonsense' --profile nonsense -- ./calls
refuses 'not a number' --every many -- ./calls
refuses 'at least 1' --burst 0 -- ./calls
refuses 'empty list' --profile '' -- ./calls
refuses 'empty list' --events= -- ./calls
refuses 'wants a pattern' --only '' -- ./calls
refuses 'wants a pattern' --not '' -- ./calls
refuses '^bursty: record: .--period. is called --every now$' --period 5 -- ./calls
refuses '^bursty: record: .--filter. is called --only now$' --filter 'a*' -- ./calls
refuses 'cannot be caught' --signal 9 -- ./calls
refuses 'cannot be caught' --signal 19 -- ./calls
refuses 'fault of the program' --signal 11 -- ./calls
refuses 'not a number' --signal 65 -- ./calls
refuses 'not a number' --ticks 10001 -- ./calls
refuses 'not a number' --per-second often -- ./calls
refuses 'this is not a program' -- ./
head -c 3000 calls >short && chmod +x short && refuses 'cut short' -- ./short
head -c 40 calls >short && refuses 'not an ELF' -- ./short
printf '#!/no/such/interpreter\n' >script && chmod +x script
refuses '/no/such/interpreter' -- ./script
if [ "$(id -u)" != 0 ]; then
    mkdir locked && chmod 555 locked && refuses 'ermission denied' -o locked/x.brst -- ./calls
else skip "root may write everywhere"; fi
cp calls other && chmod u+s other && refuses 'other rights' -- ./other
if $CC -static -pthread -o static calls.c 2>log; then refuses 'statically linked.*without -static' --inside -- ./static; else skip "no static libc"; fi
echo 'int main(void) { return 0; }' >small.c
if $CC -m32 -o small32 small.c 2>log; then refuses '64 bits' -- ./small32; else skip "no -m32"; fi

# ---- exceptions, backtraces, dlsym -------------------------------------------------------------------------------------

cat >throw.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <stdexcept>
#include <string>
struct guard { int &n; explicit guard(int &k) : n(k) {} ~guard() { n++; } };
static int cleaned;
__attribute__((noinline)) static int deep(int n) { guard g(cleaned); if (n == 0) throw std::runtime_error("deep"); return deep(n - 1) + 1; }
__attribute__((noinline)) static int through(const void *, const void *) { throw 7; }
extern "C" int by_qsort(const void *a, const void *b) { return through(a, b); }
int main() {
    int i, caught = 0, a[2] = {2, 1};
    void *frames[64];
    for (i = 0; i < 2000; i++) { try { deep(i % 9); } catch (const std::exception &e) { caught += e.what()[0] == 'd'; } }
    for (;;) { try { deep(2); } catch (const std::runtime_error &) { if (++caught > 3000) break; } }
    try { qsort(a, 2, sizeof *a, by_qsort); } catch (int k) { caught += k; }
    std::printf("%d %d %d\n", caught, cleaned, backtrace(frames, 64));
    std::printf("%d\n", dlsym(RTLD_NEXT, "malloc") != nullptr);
    return 0;
}
C
if command -v "$CXX" >/dev/null 2>&1 && $CXX -std=c++11 -D_GNU_SOURCE -O2 -o throw throw.cc -ldl 2>log; then
    ./throw >plain
    for options in '' '--every 3 --burst 3' '--every 0 --all-checks --profile hcct,footprint'; do
        # shellcheck disable=SC2086
        if $bursty record $options -o throw.brst -- ./throw >got 2>got.err && cmp -s plain got; then pass; else fail "throw $options"; cat plain got got.err; fi
    done
    # gcc moves the throw and what catches it to parts (.cold): they belong to deep and to main.
    if nm throw 2>/dev/null | grep -q 'main.*cold'; then
        if $bursty record --stats --every 0 -o throw.brst -- ./throw 2>&1 >got | grep -q '[2-9] part of another function, copied'; then pass; else fail "throw: parts"; fi
    else skip "no part of main (.cold)"; fi
else skip "no C++ compiler"; fi

# ---- installed programs ------------------------------------------------------------------------------------------------

head -c 200000 "$build/bursty" >data
i=0; while [ $i -lt 3000 ]; do echo "line $i of $((i * 7919 % 1009)) words"; i=$((i + 1)); done >text.txt
echo 'create table t(a integer primary key, b text); with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000) insert into t select x, hex(x * 7919) from c; create index i on t(b); select count(*), sum(length(b)) from t where b like "%3%"; select a, b from t order by b limit 5;' >s.sql
echo 'local t = {} for i = 1, 5000 do t[i] = (i * 7919) % 1009 end table.sort(t) print(t[77], #t, pcall(error, "x")) for w in ("one two"):gmatch("%a+") do print(w) end' >s.lua
echo 'my %h; for my $i (1 .. 5000) { $h{$i % 97} .= chr(65 + $i % 26); } print join(",", map { length $h{$_} } sort keys %h), "\n"; eval { die "oops\n" }; print $@;' >s.pl
echo 'f() { if [ $1 -lt 2 ]; then echo 1; else echo $(( $(f $(( $1 - 1 ))) + $1 )); fi; }; f 5; for i in 1 2 3 4 5 6 7 8 9; do a="$a$i"; done; echo ${a#12}; trap "echo usr1" USR1; kill -USR1 $$; echo end' >s.sh
echo 'import json, re; d = {str(i): list(range(i % 17)) for i in range(500)}; s = json.dumps(d); print(len(s), sum(map(len, json.loads(s).values()))); print(re.sub(r"(\d+)", lambda m: str(int(m.group(1)) + 1), s)[:60])' >s.py
# What a program prints is its own. One line may stand beside it if the program handles signals: one can come while a copy
# is made, and what its handler calls then is missing; the recorder counts that, and says it with --quiet, too.
same() { # COMMAND...
    if ! command -v "$1" >/dev/null 2>&1; then skip "no $1"; return; fi
    "$@" >plain 2>plain.err
    status=$?
    set_of='--every=2 --burst=2 --jitter=0;--every=0 --profile=footprint'
    [ -z "${FULL-}" ] || set_of="$set_of;--seed=1;--every=17 --burst=5 --boring=0 --all-checks --profile=hcct,footprint;--every=199 --burst=40 --events=blocks"
    IFS=';'
    for options in $set_of; do
        IFS=' '
        # shellcheck disable=SC2086
        timeout 300 $bursty record --quiet $options -o same.brst -- "$@" >got 2>got.err
        ended=$?
        case $1 in
            gdb|bash|git) grep -av '^bursty: [1-9] calls are missing: they were made in the middle of' got.err >got.own ;;
            *) cp got.err got.own ;;
        esac
        if [ $ended = $status ] && cmp -s plain got && cmp -s plain.err got.own; then pass; else fail "$* $options"; head -c 400 got.err; fi
        IFS=';'
    done
    IFS=' '
}
same gzip -c data
same bzip2 -c data
same xz -c -T1 text.txt
same mawk '{ n[$2] += $4 } END { for (k in n) s += n[k]; print s, length(n) }' text.txt
same perl s.pl
same bash s.sh
same lua5.4 s.lua
same sqlite3 :memory: '.read s.sql'
same /usr/bin/python3 s.py
same git --no-pager -C "$top" log --stat -n 5
if [ -n "${FULL-}" ]; then
    cc1=$($CC -print-prog-name=cc1)
    same "$cc1" -quiet -O2 calls.c -o -
    same cmake --help-full
    same gdb -batch -ex 'info line main' -ex 'print 3 * 4' ./calls
fi
# A short form of the soak. `sh bench/run.sh soak` has other seeds.
if [ -n "${FULL-}" ]; then
    cd "$top" || exit 2
    quick='^\(gzip\|bzip2\|xz\|mawk\|perl\|bash\|lua\|sqlite3\|/usr/bin/python3\|git\|/.*/cc1\|cmake\)'
    if sh bench/soak.sh 25 1 "$quick" >"$out/soak.log"; then pass
    else fail "soak"; cat "$out/soak.log"; fi
fi
finish
