#!/bin/sh
# test_interleave.sh - bursty record --interleave: two threads that take turns of a known length,
# threads that never run together, one thread alone; and what goes with it.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder interleave
needs_recorder
cat >turns.c <<'C'
/* Two threads make `turn` accesses each in turn, so often; a turn of 0: each all at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int whose, times, turn;
static volatile char data[2][4096];
static void *work(void *argument) {
    int me = argument != NULL, i, k;
    for (i = 0; i < times; i++) {
        if (turn) {
            pthread_mutex_lock(&lock);
            while (whose != me) pthread_cond_wait(&moved, &lock);
            pthread_mutex_unlock(&lock);
        }
        for (k = 0; k < (turn ? turn : 100000); k++) data[me][k % 4096] = (char)k;
        if (!turn) continue;
        pthread_mutex_lock(&lock);
        whose = !me;
        pthread_mutex_unlock(&lock);
        pthread_cond_signal(&moved);
    }
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t other;
    turn = atoi(argv[1]);
    times = atoi(argv[2]);
    if (argc > 3) return work(NULL) != NULL;
    pthread_create(&other, NULL, work, (void *)data);
    if (!turn) pthread_join(other, NULL);
    work(NULL);
    if (turn) pthread_join(other, NULL);
    printf("%d\n", data[0][7] + data[1][9]);
    return 0;
}
C
$CC -O1 -o turns turns.c -pthread || exit 2
taken() { # NAME TURN TIMES...: NAME.csv
    name=$1
    shift
    ./turns "$@" >plain
    "$bursty" record --quiet --interleave -o "$name.brst" ./turns "$@" >got 2>err || fail "$name"
    cmp -s plain got && [ ! -s err ]
    ok $? "$name: another output: $(cat err)"
    "$bursty" report --csv "$name.brst" >"$name.csv"
    ok $? "$name: no report"
}
row() { # FILE WINDOW: its columns
    awk -F, -v window="$2" '/^# / { here = /^# interleave:/; next } here && $1 == window { print $2, $3, $4, $5, $6 }' "$1"
}

# Turns of 200 000 accesses (and a few for the locks): of windows of w, (200 000 - w) / 200 000 have
# one thread alone, and none if w is more. The recorder looks at the clock each few thousand accesses.
taken batches 200000 10
for window in 1024 8192 65536; do
    row batches.csv $window | awk -v truth="$(awk "BEGIN { print 1 - $window / 200000 }")" '
        { held = $1 <= truth + .01 && truth - .01 <= $2 && $2 < truth + .15 } END { exit !held }'
    ok $? "windows of $window: $(row batches.csv $window)"
done
row batches.csv 524288 | awk '{ held = $1 == 0 && $2 == 0 && $3 > .2 && $4 > .4 && $4 < .6 && $5 < .8 } END { exit !held }'
ok $? "windows of 524288: $(row batches.csv 524288)"

# Turns that are shorter than the recorder can see: it says that it cannot.
taken fine 50 2000
row fine.csv 1024 | awk '{ held = $1 == 0 && $2 > 0 && $4 > .3 && $4 < .7 } END { exit !held }'
ok $? "short turns: $(row fine.csv 1024)"

# One behind the other: nearly all windows hold one thread alone, those of the later one for certain.
taken apart 0 10
row apart.csv 1024 | awk '{ held = $1 > .45 && $2 > .98 && $2 <= 1 } END { exit !held }'
ok $? "one behind the other: $(row apart.csv 1024)"
taken alone 0 3 alone
lacks alone.csv '^# interleave:' '^[0-9]'
ok $? "one thread has pairs"
"$bursty" record --interleave -o alone.brst ./turns 0 3 alone >got 2>err
lacks err 'nothing to show' '.\{101\}' && tr '\n' ' ' <err | grep -q 'No two threads made as many accesses'
ok $? "one thread: what is said at the end: $(cat err)"
# The words end where they end, whatever the memory behind them holds.
MALLOC_PERTURB_=85 "$bursty" report --brief alone.brst >got && tail -n 1 got | grep -q 'another\.$'
ok $? "one thread: its last line: $(tail -n 1 got)"

# Recordings stay apart, in an order of their own.
BURSTY_SEED=2 "$bursty" record --quiet --interleave -o fine.brst ./turns 50 2000 >got 2>err
"$bursty" merge -o ab.brst batches.brst fine.brst && "$bursty" merge -o ba.brst fine.brst batches.brst &&
    cmp -s ab.brst ba.brst && "$bursty" report ab.brst | grep -q ' of run 2$'
ok $? "merge"
"$bursty" report batches.brst | grep -q 'how threads take turns'
ok $? "text"
"$bursty" record --interleave --every 100 ./turns 1 1 >got 2>err
[ $? = 2 ] && grep -q 'wants every access' err
ok $? "--every is not refused: $(cat err)"
finish
