#!/bin/sh
# test_misses.sh - bursty record --misses: a program whose misses are known, whole and in bursts;
# names of data; sizes that a burst cannot judge; programs with unusual calls of malloc.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder misses
needs_recorder
has() { # FILE PATTERN
    if grep -qE -e "$2" "$1"; then pass; else fail "no '$2' in $1: $(head -c 400 "$1")"; fi
}
near() { # FILE TABLE NAME LEAST MOST: the share of a row
    if LC_ALL=C awk -F, -v table="$2" -v name="$3" -v least="$4" -v most="$5" '
        /^# / { here = index($0, "# " table ":") == 1 }
        here && $NF == name && !seen++ { found = $1 >= least && $1 <= most }
        END { exit !found }' "$1"; then pass
    else fail "$2 $3 is not $4 to $5: $(grep -e "$3" "$1" | head -n 3)"; fi
}
$CC -O1 -g -o phases "$top/tests/misses/phases.c" || exit 2

# ---- every access, and bursts ----

./phases 60 7 >plain
"$bursty" record --quiet --misses --every 0 --caches 48k,2m -o whole.brst ./phases 60 7 >got 2>err || fail "whole"
if cmp -s plain got && [ ! -s err ]; then pass; else fail "another output: $(cat err)"; fi
"$bursty" report --csv whole.brst >whole.csv || fail "csv"
near whole.csv miss_objects window .5 .9
near whole.csv miss_objects 'heap of main' .02 .5
near whole.csv miss_functions walk_table 0 .02
has whole.csv '^# miss_pairs: misses at 2 MiB'
has whole.csv 'walk_window\+0x[0-9a-f]+,(.*/)?phases\.c:[0-9]+$'
strip -o bare phases 2>/dev/null && "$bursty" record --quiet --misses --every 0 --caches 48k -o bare.brst ./bare 20 7 >got
"$bursty" report --csv bare.brst >bare.csv || fail 'csv of a program without symbols'
has bare.csv ',\.bss of bare$'
"$bursty" report whole.brst >whole.txt || fail "text"
has whole.txt 'every access that the recorder saw'
"$bursty" record --quiet --every 50000 --burst 5000 --caches 48k,2m -o some.brst ./phases 60 7 >got || fail "some"
if cmp -s plain got; then pass; else fail "another output in bursts"; fi
"$bursty" report --csv some.brst >some.csv || fail "csv"
LC_ALL=C awk -f "$top/tests/misses/held.awk" whole.csv some.csv >held
if LC_ALL=C awk '{ held += $2; all += $3 } END { exit !(all >= 10 && held >= all - 2) }' held; then pass
else fail "intervals do not hold: $(cat held)"; fi
has some.csv '^2097152,(,|0,0,)'        # no number, or none but what is at most
"$bursty" report some.brst >some.txt || fail "text"
has some.txt 'misses at 48 KiB .* of accesses miss \(.* to .*\); .* of these \(.* to .*\) in '
has some.txt 'second halves of [0-9]+ bursts'
"$bursty" report --json some.brst >some.json || fail "json"
has some.json '"misses":'
has some.json '"miss_pairs"'
"$bursty" report --html some.html some.brst || fail "html"
has some.html 'misses at 48 KiB: functions with objects'

# ---- by calling context ----

# Each round walks over 16384 lines, 3/4 of them below wide, and misses none or one more in each
# function. The misses of all contexts are those of the table of functions.
$CC -O1 -g -o contexts "$top/tests/misses/contexts.c" || exit 2
./contexts 40 >plain
"$bursty" record --quiet --misses --calls --every 0 --caches 48k -o all.brst ./contexts 40 >got || fail "contexts"
if cmp -s plain got; then pass; else fail "contexts: another output"; fi
"$bursty" report --collapsed --by misses --min 0 all.brst >all.stacks || fail "stacks of misses"
for row in 'main;wide;walk 491520' 'main;small;walk 163840'; do
    if awk -v stack="${row% *}" -v wanted="${row#* }" '
        $1 == stack { found = $2 >= wanted && $2 <= wanted * 1.001 + 1 }
        END { exit !found }' all.stacks; then pass
    else fail "misses by context: no $row: $(cat all.stacks)"; fi
done
functions() { awk '{ n = split($1, path, ";"); of[path[n]] += $2 } END { for (f in of) print f, of[f] }' all.stacks | sort; }
"$bursty" report --csv --min 0 all.brst >all.csv || fail "csv of contexts"
awk -F, '/^# / { here = /^# miss_functions:/; next } here && $4 + 0 { print $5, $4 }' all.csv | sort >of
if [ "$(functions)" = "$(cat of)" ] && grep -q '^walk [0-9]' of; then pass
else fail "contexts have other misses than functions: $(functions) for $(cat of)"; fi
"$bursty" record --quiet --misses --every 0 --caches 48k -o none.brst ./contexts 2 >got
if "$bursty" report --collapsed --by misses none.brst >got 2>err; then fail "contexts that nobody asked for"
else pass; fi
held=0
for seed in 1 2 3 4 5 6; do
    "$bursty" record --quiet --misses --calls --every 20000 --burst 8000 --seed $seed --caches 48k \
        -o bursts.$seed.brst ./contexts 200 >got || fail "contexts in bursts"
    "$bursty" report --csv bursts.$seed.brst >bursts.csv
    awk -F, '/^# / { here = /^# contexts_by_misses:/; next }
        here && $NF ~ /wide > walk$/ { found = $2 <= .75 && .75 <= $3 && $3 - $2 < .3 && $3 - $2 > .01 }
        END { exit !found }' bursts.csv && held=$((held + 1))
done
if [ $held -ge 5 ]; then pass; else fail "intervals of contexts: $held of 6 hold 75 %"; fi
"$bursty" merge -o ab.brst bursts.1.brst bursts.2.brst && "$bursty" merge -o ba.brst bursts.2.brst bursts.1.brst
if cmp -s ab.brst ba.brst; then pass; else fail "merge of contexts depends on the order"; fi
"$bursty" report bursts.1.brst >bursts.txt
has bursts.txt 'Of [0-9]+ accesses nobody knows whether they missed'
"$bursty" report --html bursts.html bursts.1.brst && "$bursty" report --json bursts.1.brst >bursts.json
has bursts.html 'hot calling contexts, by misses'
has bursts.json '"unit":"misses"'

# Sites of hot streams have their lines, too; without -g only the function. Streams of one loop are
# one row, and groups that come again stand there once.
"$bursty" record --quiet --refs --every 0 -o refs.brst ./phases 3 7 >got || fail "refs"
"$bursty" report --csv refs.brst >refs.csv || fail "csv of streams"
has refs.csv '\+0x[0-9a-f]+ \((.*/)?phases\.c:[0-9]+\)'
has refs.csv 'loop of [0-9]+ streams: walk_table\+'
"$bursty" report --order refs.brst >refs.order || fail "order of functions"
has refs.order '^walk_table$'
$CC -O1 -o nolines "$top/tests/misses/phases.c" || exit 2
"$bursty" record --quiet --refs --every 0 -o nolines.brst ./nolines 3 7 >got || fail "refs without -g"
"$bursty" report --csv nolines.brst >nolines.csv || fail "csv of streams without -g"
has nolines.csv '\+0x[0-9a-f]'
if grep -qE 'nolines\.c|[0-9a-f] \(|	' nolines.csv; then fail "places without lines"; else pass; fi

# Threads and runs add up; bytes do not depend on the order.
"$bursty" record --quiet --every 50000 --burst 5000 --seed 2 --caches 48k,2m -o more.brst ./phases 60 7 >got
"$bursty" merge -o ab.brst some.brst more.brst && "$bursty" merge -o ba.brst more.brst some.brst
if cmp -s ab.brst ba.brst; then pass; else fail "merge depends on the order"; fi
bursts() { "$bursty" report "$1" | sed -n 's/.*second halves of \([0-9]*\) bursts.*/\1/p'; }
if [ "$(bursts ab.brst)" = $(($(bursts some.brst) + $(bursts more.brst))) ]; then pass
else fail "bursts do not add up: $(bursts ab.brst)"; fi

# Other lengths of bursts tell a large cache.
"$bursty" record --quiet --every 1000 --burst 900000 --caches 64k,512k -o long.brst ./phases 60 7 >got || fail "long"
"$bursty" report --csv long.brst >long.csv
has long.csv '^524288,0\.[0-9]+,'

# ---- the machine's caches, refusals ----

"$bursty" record --quiet --misses -o own.brst ./phases 20 7 >got || fail "own"
if [ -r /sys/devices/system/cpu/cpu0/cache/index0/size ]; then
    "$bursty" report own.brst >own.txt
    has own.txt 'L1d'
else pass; fi
refused() { # WORDS LIST
    "$bursty" record --caches "$2" -o no.brst ./phases 1 7 >out 2>err
    if [ $? = 2 ] && [ "$(wc -l <err)" = 1 ]; then pass; else fail "$2 is not refused: $(cat err)"; fi
    has err "$1"
}
refused 'a size such as 48k' 48x
refused 'a size such as 48k' k
refused 'a size such as 48k' 48k,
refused 'larger than the one before' 48k,48k
refused 'larger than the one before' 2m,48k
refused 'too many sizes' 1k,2k,4k,8k,16k
refused 'from 64 bytes to 4g' 63
refused 'from 64 bytes to 4g' 5g

# ---- the program's malloc is its own ----

cat >heap.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned sum;
static void *work(void *user) {
    unsigned i;
    for (i = 0; i < 3000; i++) {
        char *p = malloc(1 + i % 3000), *q = calloc(i % 7 + 1, 11);
        p[0] = 1;
        p = realloc(p, 5000 + i);
        p = reallocarray(p, i % 100 + 1, 16);
        __atomic_fetch_add(&sum, (unsigned)(p[0] + q[10]), __ATOMIC_RELAXED);
        free(p);
        free(q);
        free(NULL);
    }
    return user;
}
/* No tail calls: who called is told by where they return to. */
__attribute__((noinline)) static unsigned char *xmalloc(size_t n) {
    unsigned char *p = malloc(n);
    __asm__ volatile("" : "+r"(p));
    return p;
}
__attribute__((noinline)) static unsigned char *make_picture(void) {
    unsigned char *p = xmalloc(1 << 20);
    __asm__ volatile("" : "+r"(p));
    return p;
}
__attribute__((noinline)) static unsigned draw(volatile unsigned char *p) {
    unsigned i, s = 0;
    for (i = 0; i < 1 << 20; i += 64) s += p[i]++;
    return s;
}
int main(void) {
    pthread_t t[3];
    void *p = NULL;
    unsigned char *picture = make_picture();
    unsigned drawn = 0;
    int i, status = 0;
    memset(picture, 0, 1 << 20);
    for (i = 0; i < 3; i++) pthread_create(&t[i], NULL, work, NULL);
    for (i = 0; i < 20; i++) drawn += draw(picture);
    for (i = 0; i < 3; i++) pthread_join(t[i], NULL);
    sum += drawn;
    errno = 77;
    printf("%d ", posix_memalign(&p, 4096, 10) == 0 && (uintptr_t)p % 4096 == 0);
    printf("%d ", p && malloc_usable_size(p) >= 10);
    free(p);
    p = aligned_alloc(64, 128);
    printf("%d ", p && (uintptr_t)p % 64 == 0);
    p = realloc(p, 300);
    free(p);
    p = memalign(256, 3);
    printf("%d ", p && (uintptr_t)p % 256 == 0);
    free(p);
    printf("%d ", errno == 77);
    errno = 0;
    p = reallocarray(NULL, SIZE_MAX / 2, 3);
    printf("%d %d ", !p, errno == ENOMEM);
    free(strdup("a"));
    fflush(stdout);
    if (fork() == 0) {
        work(NULL);
        _exit(3);
    }
    wait(&status);
    printf("%d %u\n", WEXITSTATUS(status), sum);
    return 0;
}
C
$CC -O1 -w -pthread -o heap heap.c || exit 2
./heap >plain
for options in '--every 0' '--every 3000 --burst 2000' '--every 3000 --burst 2000 --follow'; do
    # shellcheck disable=SC2086
    "$bursty" record --quiet --misses --caches 48k $options -o heap.brst ./heap >got 2>err
    if [ $? = 0 ] && cmp -s plain got; then pass; else fail "heap $options: $(diff plain got) $(cat err)"; fi
done
"$bursty" record --quiet --misses --caches 48k --every 0 -o heap.brst ./heap >got
"$bursty" report --csv heap.brst >heap.csv
has heap.csv 'draw,heap of make_picture < main$'
if command -v g++ >/dev/null 2>&1 && [ "$($CC -dumpmachine)" = "$(g++ -dumpmachine)" ]; then
    printf '#include <vector>\n#include <cstdio>\nint main() { std::vector<int> v; for (int i = 0; i < 300000; i++) v.push_back(i); std::printf("%%d\\n", v[77]); }\n' >v.cc
    g++ -O1 -o v v.cc
    "$bursty" record --quiet --misses --caches 48k --every 0 -o v.brst ./v >got
    if [ "$(cat got)" = 77 ]; then pass; else fail "a vector: $(cat got)"; fi
else skip "no g++ for $CC's machine"; fi
# Rows of few bursts with a heavy tail, of which each has 1.75 of 4070 misses (make_dumps.c): 60
# samples by fixed seeds. Without a burst more, and with one as large as all rows have in the mean,
# 80.4 % of the intervals hold.
"$CC" -O1 -std=c99 -I"$top/tests" -o make_dumps "$top/tests/make_dumps.c" || fail "make_dumps.c"
seed=1
while [ $seed -le 60 ]; do
    ./make_dumps . heavy-misses $seed && "$bursty" report --csv --min 0 heavy-misses.brst | grep ',row_[1-9]'
    seed=$((seed + 1))
done >heavy
awk -F, '{
    t = 1.75 / 4070
    above += $3 >= t
    if ($2 != "") { both++; held += $2 <= t && t <= $3; wide += ($3 - $2) / t }
} END { print NR, both, held / both, wide / both, above / NR
        exit !(NR == 2400 && both > 1000 && held > .88 * both && wide < 2 * both && above > .9 * NR) }' heavy >got
ok $? "rows with a heavy tail hold the truth: $(cat got)"
finish
