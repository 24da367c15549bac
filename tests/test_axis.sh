#!/bin/sh
# test_axis.sh - the axis of time that bursty.h keeps (config.timeline): of programs whose clock and
# ticks are their own, so that all of it is known; in bounded memory; waits of a thread that waits for
# all of the run. (That of the recorder: test_timeline.sh.)
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder axis
shown=err
unset COLUMNS NO_COLOR

bursty() { ${RUN-} "$bursty" "$@"; }
rows() { # TABLE ARGUMENTS...
    table=$1
    shift
    bursty report --csv --min 0 --only "$table" "$@" 2>err | grep '^[0-9]'
}
says() { grep -q -- "$1" got; }
build() { # NAME OPTION...
    name=$1
    shift
    $CC -O1 -I"$top" "$@" -o "$name" "$name.c" || exit 2
}

# ---- a clock and ticks of the program's own: 10 s, in load up to 4 s, in draw from 5 s on; each 1 ms
# is a frame of draw, but that of 6 s takes 40 ms and that of 8 s 90 ms
cat >clock.c <<'P'
#define BURSTY_IMPLEMENTATION
#define BURSTY_NO_TIMERS
#include "bursty.h"
#include <stdlib.h>
static uint64_t now_ns;
static uint64_t clock_of(void *user) { return (void)user, now_ns; }
static void pass(uint32_t ms) {
    for (; ms; ms--) {
        now_ns += 1000000;
        bursty_tick(1);
    }
}
static void load(void) { BURST_SCOPE("load"); pass(4000); }
static void draw(uint32_t ms) { BURST_SCOPE("draw"); pass(ms); }
static void game(void) {
    uint32_t ms;
    BURST_SCOPE("game");
    load();
    now_ns += 1000000000;
    for (ms = 5000; ms < 10000;) {
        uint32_t took = ms == 6000 ? 40 : ms == 8000 ? 90 : 1;
        bursty_frame("frame");
        draw(took);
        ms += took;
    }
    bursty_frame(NULL);
}
int main(int count, char **word) {
    static uint64_t memory[1 << 20];
    bursty_config config = { 0 };
    bursty_stats stats;
    (void)count;
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.tick_hz = 1000;
    config.watch = -1;
    config.timeline = (uint32_t)atoi(word[1]);
    config.frame_clock = clock_of;
    config.frame_slow_ns = 16000000;
    config.program = "clocked";
    bursty_start(&config);
    game();
    bursty_get_stats(&stats);
    printf("%u\n", stats.timeline);
    if (bursty_save("clock.brst") != 0) return 1;
    if (count > 2) { /* what came before a clear is gone */
        bursty_clear();
        draw(3);
        return bursty_save("cleared.brst") != 0;
    }
    return 0;
}
P
build clock -std=c99 -DBURSTY_PORTABLE
${RUN-} ./clock 16384 again >room
check "room for a power of two" [ "$(cat room)" = 16384 ]
# A tick comes at the end of its millisecond.
for form in '0 4 load=3999' '4 5 load=1' '4.001 5 ' '5 10 draw=4999' '3.9 5.1 draw=99 load=101' \
    '6 6.04 draw=40'; do
    # shellcheck disable=SC2086
    set -- $form
    from=$1 to=$2
    shift 2
    rows time --from "$from" --to "$to" clock.brst |
        awk -F, '$8 > 0 { print $9 "=" $8 }' | sort | tr '\n' ' ' >got
    check "from $from to $to: $(cat got)" [ "$(cat got)" = "${*:+$* }" ]
done
bursty report --timeline clock.brst >got 2>err
check "all of it" says '^in time: 10 s, 9000 ticks of 1 threads$'
check "the marks" awk '/^frame > 16 ms/ { ok = $5 == 2 && gsub("▾", "") == 2 } END { exit !ok }' got
check "slow frames: when, how long, which limit" [ "$(rows late_frames clock.brst | tr '\n' ' ')" = \
    '6,40,16,thread 0,frame 8,90,16,thread 0,frame ' ]
check "of a range" [ "$(rows late_frames --from 7 clock.brst | tr '\n' ' ')" = '8,90,16,thread 0,frame ' ]
check "a part of one" [ "$(rows late_frames --from 8.05 clock.brst | tr '\n' ' ')" = '8.05,40,16,thread 0,frame ' ]
$CC -O1 -std=c99 -o check_json "$top/tests/check_json.c" || exit 2
bursty report --perfetto clock.brst >got 2>err
check "they are slices of their own track" [ "$(grep -c '"tid":536870912,"ts":[68]000000,"dur":[49]0000,"name":"frame"' got)" = 2 ]
check "trace events are JSON" ./check_json <got
bursty report --firefox clock.brst >got 2>err
check "they are markers" says '"startTime":\[6000,8000\],"endTime":\[6040,8090\]'
check "with a name" says '"slow frame: frame"'
check "Firefox's profile is JSON" ./check_json <got
bursty report --timeline cleared.brst >got 2>err
check "what was cleared is gone" says ' s, 3 ticks of 1 threads$'
check "its frames, too" lacks got '^thread 0' '^frame'

# Too many: each that stays stands for as many, and they are spread over the time.
${RUN-} ./clock 500 >room
check "less room" [ "$(cat room)" = 256 ]
rows slices clock.brst | cut -d, -f4 >got
bursty report --json clock.brst >json 2>err
tick_us=$(tr -d '\n' <json | sed 's/.*"tick_us":\([0-9]*\).*/\1/')
check "one of 64" [ "$tick_us" = 64000 ]
# 9000 ticks: 140 groups of 64, of which the last may have none.
check "each group has one: $(tr '\n' ' ' <got)" awk '{ all += $1 } END { exit !(all == 140 || all == 141) }' got
check "spread out" awk '{ if (NR < 5 || NR > 7) bad += $1 < 11 || $1 > 15 } END { exit bad != 0 }' got
${RUN-} ./clock 0 >room
check "nobody asked: no room" [ "$(cat room)" = 0 ]
bursty report --timeline clock.brst >got 2>err
check "and no axis" [ $? = 2 ]

# ---- firmware: without a clock ticks are the clock; without the option there is no code
cat >board.c <<'P'
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
static uint64_t memory[1 << 15];
static int put(void *user, const void *data, size_t size) { return fwrite(data, 1, size, (FILE *)user) != size; }
int main(void) {
    bursty_config config = { 0 };
    FILE *file = fopen("board.brst", "wb");
    bursty_stats stats;
    int i;
    config.memory = memory;
    config.memory_bytes = sizeof memory;
    config.tick_hz = 1000;
    config.timeline = 1024;
    config.seed = 1;
    bursty_start(&config);
    { BURST_SCOPE("early"); for (i = 0; i < 300; i++) bursty_tick(1); }
    { BURST_SCOPE("late"); for (i = 0; i < 200; i++) bursty_tick(1); }
    bursty_get_stats(&stats);
    printf("%u\n", stats.timeline);
    return bursty_write(put, file) != 0 || fclose(file) != 0;
}
P
build board -std=c99 -DBURSTY_BARE -DBURSTY_TICKS -DBURSTY_TIMELINE -DBURSTY_STACK=8
${RUN-} ./board >room
check "a board has an axis" [ "$(cat room)" = 1024 ]
rows time --from .1 --to .4 board.brst | awk -F, '$8 > 0 { print $9 "=" $8 }' | sort | tr '\n' ' ' >got
check "its ticks are its clock: $(cat got)" [ "$(cat got)" = 'early=201 late=99 ' ]
build board -std=c99 -DBURSTY_BARE -DBURSTY_TICKS -DBURSTY_STACK=8
${RUN-} ./board >room
check "without the option there is none" [ "$(cat room)" = 0 ]
if command -v nm >/dev/null && [ -z "${RUN-}" ]; then
    nm board >names
    check "and no code" lacks names bursty_start 'axis_tick\|put_moment'
fi

# ---- waits: the watcher sees a thread that waits from its beginning to its end
if [ -z "${RUN-}" ] && compiler_says __linux__; then
    cat >waits.c <<'P'
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <pthread.h>
static int line[2];
static volatile unsigned sink;
static void nap(void) { char c; BURST_SCOPE("nap"); if (read(line[0], &c, 1) != 1) sink++; }
static void *work(void *unused) {
    BURST_SCOPE("work");
    bursty_thread_name("worker");
    nap();
    return unused;
}
static void burn(void) { unsigned i; BURST_SCOPE("burn"); for (i = 0; i < 1000000; i++) sink++; }
int main(void) {
    bursty_config config = { 0 };
    bursty_stats stats = { 0 };
    pthread_t thread;
    config.timeline = 1024;
    config.watch = 1;
    config.tick_hz = 1000;
    if (!bursty_start(&config) || pipe(line) != 0) return 1;
    if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
    while (stats.waiting < 200 || stats.ticks < 100) {
        burn();
        bursty_get_stats(&stats);
    }
    if (bursty_save("waits.brst") != 0) return 1; /* it goes on */
    if (write(line[1], "", 1) != 1) return 1;
    pthread_join(thread, NULL);
    return bursty_save("over.brst") != 0;
}
P
    build waits -std=gnu99 -pthread
    ${RUN-} ./waits
    check "it ends" [ $? = 0 ]
    for of in waits over; do
        # Of the worker: one wait, in nap, that is the longest; nearly all of the time.
        rows waits $of.brst | awk -F, '$5 ~ /^worker/ { print $7, $3, ($1 == $4), ($2 > .5 && $2 <= 1) }' >got
        check "$of: who waited, where, how often: $(tr '\n' ';' <got)" awk '
            $1 == "work" && $3 == "nap" && $4 == 1 && $5 == 1 && $6 == 1 { ok = 1 }
            $3 != "nap" { bad++ } END { exit !(ok && NR <= 2) }' got
    done
    bursty report --timeline waits.brst >got 2>err
    check "its track" awk '/^worker/ { ok = gsub("·", "") >= 30 } END { exit !ok }' got
    check "what the dots are" says '^(· it waited)$'
    bursty report --json waits.brst >json 2>err
    check "in JSON" ./check_json <json
    bursty report --from .02 --to .04 --csv --only waits waits.brst 2>err | awk -F, '$5 ~ /^worker/ { print ($1 <= 20.001), ($2 <= 1.0001) }' >got
    check "a range has its part alone" [ "$(cat got)" = '1 1' ]
fi
finish
