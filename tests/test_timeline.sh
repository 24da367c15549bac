#!/bin/sh
# test_timeline.sh - ticks in time: what --from, --to and --timeline say of a log whose ticks are
# known (make_dumps.c), what they refuse, and what merge keeps; and logs of programs that say
# themselves when they did what.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder timeline
shown=err
unset COLUMNS NO_COLOR

bursty() { ${RUN-} "$bursty" "$@"; }
$CC -O1 -std=c99 -I"$top/tests" -o make_dumps "$top/tests/make_dumps.c" && ${RUN-} ./make_dumps . &&
    ${RUN-} ./make_dumps . crowded 65536 200 || exit 2

refused() { # TEXT ARGUMENTS...
    text=$1
    shift
    bursty "$@" >got 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "$text" err && [ ! -s got ]
}
# The rows of a table of CSV, without the line of keys, by its key.
rows() { # TABLE ARGUMENTS...
    table=$1
    shift
    bursty report --csv --min 0 --only "$table" "$@" 2>err | grep '^[0-9]'
}
says() { grep -q -- "$1" got; }

# ---- 10 s of a log that is known: main is in load for 4 s, in draw from 5 s on; worker in save from 6 to 8 s
for form in '4 7 draw=200 save=100' '0 4 load=400' '3.995 5.005 draw=1' '3.99 5.01 draw=1 load=1' \
    '7.995 8 ' '9.98 99 draw=2' '5s 5010ms draw=1' '6 6.01 draw=1 save=1'; do
    # shellcheck disable=SC2086
    set -- $form
    from=$1 to=$2
    shift 2
    rows time --from "$from" --to "$to" timeline.brst |
        awk -F, '$8 > 0 { print $9 "=" $8 }' | sort | tr '\n' ' ' >got
    check "from $from to $to: $(cat got)" [ "$(cat got)" = "${*:+$* }" ]
done
rows time --from 8 timeline.brst | awk -F, '$8 > 0 { print $9, $8 }' >got
check "from alone" [ "$(cat got)" = 'draw 200' ]
rows time --to 500ms timeline.brst | awk -F, '$8 > 0 { print $9, $8 }' >got
check "to alone" [ "$(cat got)" = 'load 50' ]
rows thread_time --from 6 --to 8 timeline.brst | cut -d, -f4,5 >got
check "threads of a range" [ "$(cat got)" = '200,main
200,worker' ]
bursty report --collapsed --from 3 --to 6 timeline.brst >got 2>err
check "stacks of a range" [ "$(cat got)" = 'main;draw 100
main;load 100' ]
bursty report --from 4 --to 7 timeline.brst >got 2>err
check "the range is said" says '^range: 4 to 7 s of 10 s; 300 of 1100 ticks in time$'

# A range without a tick is said, and is no zero.
bursty report --from 4.1 --to 4.9 timeline.brst >got 2>err
check "no tick: the status" [ $? = 0 ]
check "no tick: it is said" says '^No tick came from 4.1 to 4.9 s'
check "no tick: and no number" lacks got '^No tick' '%'
check "no tick: no stacks" refused 'nothing in it can be shown' report --collapsed --from 4.1 --to 4.9 timeline.brst
bursty report --timeline --from 4.1 --to 4.9 timeline.brst >got 2>err
check "no tick on the axis" says '^No tick came'
check "no tick on the axis: no row" lacks got '^No tick' 'main\|slice'
bursty report --json --from 4.1 --to 4.9 timeline.brst >got 2>err
check "no tick in JSON" says '"from_us":4100000,"to_us":4900000,"span_us":10000000'

check "a bad moment" refused '--from x: a moment is wanted' report --from x timeline.brst
check "a negative moment" refused '--to -1: a moment is wanted' report --to=-1 timeline.brst
check "nothing between them" refused 'leave no time between them' report --from 5 --to 5 timeline.brst
check "the wrong order" refused 'leave no time between them' report --from 5 --to 4 timeline.brst
check "behind the end" refused 'the recording of timeline.brst ends at 10 s' report --from 10 timeline.brst
check "a dump without a log" refused 'game.brst: it has no ticks in time' report --from 1 game.brst
check "its axis" refused 'nothing in it can be shown as --timeline' report --timeline game.brst
check "a range of no base" refused '--base FILE, which is missing' report --base-from 1 timeline.brst
check "twice" refused 'stands twice' report --from 1 --from 2 timeline.brst

# ---- the axis
bursty report --timeline timeline.brst >got 2>err
block=$(printf '\342\226\210')
awk -v block="$block" '
    /^main \(41\)/ {
        blank = $0
        full = gsub(block, "#", blank)
        print "main", full, (blank ~ /#  *[^ #]*#+$/)
    }
    /^worker \(42\)/ { blank = $0; print "worker", gsub(block, "#", blank), $3 }' got >rows_got
# 60 cells of 1/6 s: 24 of load, 30 of draw of which the first may be higher or lower, 12 of save.
check "rows of blocks: $(cat rows_got)" awk '
    $1 == "main" { ok += $2 >= 53 && $2 <= 55 && $3 }
    $1 == "worker" { ok += $2 >= 11 && $2 <= 13 && $3 == 20 }
    END { exit ok != 2 }' rows_got
check "what ran when" [ "$(rows slices timeline.brst | cut -d, -f4,8,9 | tr '\n' ' ')" = \
    '84,load,main 83,load,main 83,load,main 84,load,main 66,load,main 0,(no tick), 84,draw,main 150,draw,main 166,draw,main 134,draw,main 83,draw,main 83,draw,main ' ]
rows slices timeline.brst >slices
check "what ran in 10 s are all ticks" [ "$(awk -F, '{ n += $4 } END { print n }' slices)" = 1100 ]
check "and its share has an interval" awk -F, 'NR == 8 && $5 > .55 && $6 < .5 && $7 > .6 { ok = 1 } END { exit !ok }' slices
COLUMNS=50 bursty report --timeline --top 1 timeline.brst >got 2>err
check "so many rows" says '^(1 more threads; --top 0 shows all)$'
check "and no more" lacks got '^main' '^worker'

# ---- waits and slow frames (version 2)
rows waits waits.brst >got
check "who waited, where: $(tr '\n' ' ' <got)" [ "$(tr '\n' ' ' <got)" = \
    '6000,0.6,2,4000,worker (42),save,save 2000,0.2,1,2000,worker (42),(not known),(not known) 1000,0.1,1,1000,main (41),load,main > load ' ]
rows waits --from 3.5 --to 4.25 waits.brst >got
check "of a range: $(tr '\n' ' ' <got)" [ "$(tr '\n' ' ' <got)" = \
    '750,1,2,500,worker (42),save,save 250,0.333333333,1,250,main (41),load,main > load ' ]
bursty report --html page.html waits.brst 2>err
sed -n '/data-table="waits"/,$p' page.html | grep -m 1 -o '<tr>.*</tr>' >got
check "the page's plain table has the name first, and all columns: $(sed 's/<[^>]*>/ /g' got)" \
    [ "$(sed -n '1s/<[^>]*>/ /gp' got | xargs)" = 'function waited-ms of-time times longest-ms thread where' ]
sed -n '/data-table="waits"/,$p' page.html | grep -m 1 '^<tr><td' | sed 's/<[^>]*>/ /g' | xargs >got
check "and so do its rows: $(cat got)" [ "$(cat got)" = 'save 6000 60.00 % 2 4000 worker (42) save' ]
bursty report --brief waits.brst >got 2>err
check "much of the time waited: it is said at once" \
    says '^longest wait in time: worker (42) waited in save for 60 % of the time$'
bursty report --brief --from 2 --to 7 waits.brst >got 2>err
check "of a range" says '^longest wait in time: worker (42) waited in save for 80 % of the time$'
bursty report --brief --from 5.8 --to 7.8 waits.brst >got 2>err
check "a tenth of the time is no more than a row" lacks got '^bursty: ' 'longest wait'
check "slow frames" [ "$(rows late_frames waits.brst | tr '\n' ' ')" = \
    '1,50,16,main (41),frame 6,100,16,main (41),frame 7,300,,worker (42),request ' ]
bursty report --timeline waits.brst >got 2>err
awk '/^main \(41\)/ { print gsub("·", "") } /^worker \(42\)/ { print gsub("·", "") }
    /^frame > 16 ms/ { print "frame", $5, gsub("▾", "") } /^request/ { print $1, $2, gsub("▾", "") }' got >rows_got
check "on the axis: $(tr '\n' ' ' <rows_got)" [ "$(tr '\n' ' ' <rows_got)" = '5 47 frame 2 2 request 1 1 ' ]
check "what is left out is said" says '^waits in time: the 4 longest; 3 more, of 4.5 ms altogether, are not here$'
check "and how well it is known" says 'There was a look each 10 ms'
bursty report --timeline --from 4.1 --to 4.9 waits.brst >got 2>err
check "no tick, but waits" says '^main (41) *0 % *···'
bursty report --collapsed --from 3 --to 6 waits.brst >got 2>err
check "stacks are those of ticks" [ "$(cat got)" = 'main;draw 100
main;load 100' ]
bursty merge -o both waits.brst timeline.brst 2>err
bursty merge -o turned timeline.brst waits.brst 2>err
check "merge: the order makes no difference" cmp -s both turned
check "merge keeps waits" [ "$(rows waits both | wc -l)" = 3 ]
bursty report --perfetto waits.brst >got 2>err
check "trace events of waits" [ "$(grep -c '"tid":10737418[0-9]*,"ts"' got)" = 4 ]
check "and of slow frames" [ "$(grep -c '"tid":5368709[0-9]*,"ts"' got)" = 3 ]
check "with names" says '"name":"thread_name","args":{"name":"worker (42): waits"}'

# ---- two ranges of one run, and of two
bursty report --from 5 --to 6 --base timeline.brst --base-from 1 --base-to 2 timeline.brst >got 2>err
check "two ranges" says '^gone  *-1000.0 .* load '
check "of which the other appeared" says '^appeared  *+1000.0 .* draw '
check "a range of the base that has no tick" refused 'no ticks in time' report --base game.brst --base-to 1 timeline.brst

# ---- for other tools
$CC -O1 -std=c99 -o check_json "$top/tests/check_json.c" || exit 2
bursty report --perfetto timeline.brst >got 2>err
check "trace events are JSON" ./check_json <got
# From the tick before the first one of a gap to its end; a tick stands for 10 ms.
sed -n 's/.*"ph":"X","pid":41,"tid":\([0-9]*\),"ts":\([0-9]*\),"dur":\([0-9]*\),"name":"\(.*\)"}.*/\1 \4 \2 \3/p' got |
    sort >slices
check "slices: $(tr '\n' ',' <slices)" [ "$(tr '\n' , <slices)" = \
    '41 draw 4990000 5000000,41 load 0 3990000,41 main 0 3990000,41 main 4990000 5000000,42 save 5990000 2000000,' ]
# Ticks that are drawn at random are up to two periods apart while a thread is busy.
bursty report --perfetto timeline-apart.brst >apart 2>err
sed -n 's/.*"tid":41,"ts":\([0-9]*\),"dur":\([0-9]*\),"name":"main"}.*/\1 \2/p' apart >slices
check "ticks that are two periods apart: $(tr '\n' ',' <slices)" \
    [ "$(tr '\n' , <slices)" = '0 3980000,4990000 4990000,' ]
check "threads have names" says '"tid":42,"name":"thread_name","args":{"name":"worker (42)"}'
bursty report --perfetto --from 3 --to 6 timeline.brst >got 2>err
sed -n 's/.*"tid":41,"ts":\([0-9]*\),"dur":\([0-9]*\),"name":"main"}.*/\1 \2/p' got >slices
check "slices of a range" [ "$(tr '\n' , <slices)" = '3000000 990000,4990000 1000000,' ]
check "none without moments" refused 'nothing in it can be shown as --perfetto' report --perfetto game.brst
bursty report --perfetto crowded.brst >got 2>err
check "so many slices are not too many" [ $? = 0 ]
bursty report --firefox timeline.brst >got 2>err
check "Firefox's profile is JSON" ./check_json <got
# Of each thread: where the stack changes, as ms:stack, and all CPU time in us.
awk '
    /^{"name"|"threads":\[{"name"/ { sub(/.*{"name":"/, ""); name = $0; sub(/".*/, "", name) }
    /^"stackTable"/ {
        split($0, part, /\[|\]/)
        split(part[2], prefix, ","); split(part[4], frame, ",")
    }
    /^"stringArray"/ { split($0, strings, "\"") }
    /^"samples"/ { sub(/.*"stack":\[/, ""); count = split($0, stack, /[],]/) - 2 }
    /^"timeDeltas"/ {
        sub(/.*\[/, ""); split($0, step, /[],]/)
        at = 0; said = ""; before = "x"
        for (i = 1; i <= count; i++) {
            at += step[i]
            if (stack[i] != before) {
                words = "none"
                if (stack[i] != "null") {
                    words = ""
                    for (k = stack[i]; k != "null"; k = prefix[k + 1])
                        words = strings[4 + 2 * frame[k + 1]] (words == "" ? "" : "<" words)
                }
                said = said " " at ":" words
            }
            before = stack[i]
        }
    }
    /^"threadCPUDelta"/ {
        sub(/.*\[/, ""); n = split($0, cpu, /[],]/); all = 0
        for (i = 1; i <= count; i++) all += cpu[i]
        print name said, all
    }' got >samples
check "stacks and moments: $(tr '\n' ',' <samples)" [ "$(tr '\n' , <samples)" = \
    'main (41) 0:main<load 3990:none 4990:main<draw 9990:none 9000000,worker (42) 5990:save 7990:none 2000000,' ]
check "none without moments, for Firefox" refused 'nothing in it can be shown as --firefox' report --firefox game.brst
bursty report --speedscope timeline.brst >got 2>err
check "speedscope's file is JSON" ./check_json <got
# Of each thread: its name, the first moment, all weights, and those of empty stacks, in ms.
tr -d '\n' <got | sed 's/{"type"/\n&/g' | awk '
    /, in time"/ {
        name = $0; sub(/.*"name":"/, "", name); sub(/, in time.*/, "", name)
        end = $0; sub(/.*"endValue":/, "", end)
        stacks = $0; sub(/.*"samples":\[/, "", stacks); sub(/\],"weights".*/, "", stacks)
        weights = $0; sub(/.*"weights":\[/, "", weights); sub(/\].*/, "", weights)
        count = split(stacks, s, /\]/); many = split(weights, w, ",")
        all = empty = 0
        for (i = 1; i <= many; i++) { all += w[i]; if (s[i] ~ /\[$/) empty += w[i] }
        print name, end + 0, all, empty, count - 1 == many
    }' >slices
check "weights are wall time: $(tr '\n' ',' <slices)" [ "$(tr '\n' , <slices)" = \
    'main (41) 9990 9990 1000 1,worker (42) 7990 7990 5990 1,' ]

# ---- a clock that was wrong: moments are since the start, and a date that nobody can have is none
for when in future:4102444800000 never:0; do
    which=timeline-${when%:*}.brst
    for form in '--timeline' '--csv' '--from 3 --to 6' '--perfetto'; do
        # shellcheck disable=SC2086
        bursty report $form timeline-alone.brst >then 2>err
        # shellcheck disable=SC2086
        bursty report $form "$which" >got 2>err
        check "$which: $form" cmp -s then got
    done
    bursty report --firefox "$which" >got 2>err
    check "$which: the date" says "\"startTime\":${when#*:},"
    bursty merge -o merged "$which" timeline-alone.brst 2>err
    bursty report --timeline merged >got 2>err
    check "$which: merge" says '^in time: 10 s, '
done

# ---- merge keeps one
bursty merge -o merged timeline.brst timeline-alone.brst 2>err
check "merge says it" grep -q '^bursty: note: ticks in time are those of one recording, of in_time; those of 1 more ' err
bursty report merged >got 2>err
check "and so does the report" says '^ticks in time: those of one recording of 2, '
rows time --to 4 merged | awk -F, '$8 > 0 { print $9, $8 }' >got
check "it is the one of most time" [ "$(cat got)" = 'load 400' ]
bursty merge -o same timeline.brst 2>err
check "one alone: nothing is said" empty err
bursty report same >got 2>err
check "nor by the report" lacks got '^draw' 'one recording of'

# ---- programs that say when they did what
has_recorder || leave "no recorder for this target"
may_look . stacks || leave "this system does not allow it"
cat >phases.c <<'P'
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static volatile unsigned sink;
static void burn(double s) {
    double end = now(CLOCK_THREAD_CPUTIME_ID) + s;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
        int i;
        for (i = 0; i < 20000; i++) sink++;
    }
}
static void say(const char *what, double from) {
    printf("%s %.6f %.6f\n", what, from, now(CLOCK_REALTIME));
    fflush(stdout);
}
__attribute__((noinline)) void load(void) { burn(.2); sink++; }
__attribute__((noinline)) void draw(void) { burn(.3); sink++; }
__attribute__((noinline)) void save(void) { burn(.1); sink++; }
/* A phase is said by who calls it: all of it lies between the two moments. */
static void pass(const char *what, void (*phase)(void)) {
    double t = now(CLOCK_REALTIME);
    phase();
    say(what, t);
}
static void *run(void *unused) {
    pthread_setname_np(pthread_self(), "worker");
    pass("save", save);
    return unused;
}
int main(int count, char **word) {
    pthread_t thread;
    double t;
    pass("load", load);
    t = now(CLOCK_REALTIME);
    usleep(400000);
    say("sleep", t);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    pass("draw", draw);
    if (count > 1) for (;;) burn(1);
    return word[0][0] == 0;
}
P
$CC -O1 -g -pthread -o phases phases.c || exit 2
"$bursty" record -o x.brst ./phases >truth 2>err
check "it ends as ever" [ $? = 0 ]
bursty report --json x.brst >json 2>err
# Moments in seconds since 1970, the function of each tick and the one that called it.
moments() { # JSON
    tr -d '\n' <"$1" | sed 's/.*"timeline"://' | awk '
        function list(key,  rest) {
            rest = substr($0, index($0, "\"" key "\":[") + length(key) + 4)
            return substr(rest, 1, match(rest, /\][,}]/) - 1)  # a name may have ]
        }
        function number(key,  rest) {
            rest = substr($0, index($0, "\"" key "\":") + length(key) + 3)
            return rest + 0
        }
        {
            split(list("names"), names, ",")
            split(list("parent"), parent, ",")
            split(list("name"), name, ",")
            split(list("threads"), threads, ",")
            count = split(list("ticks"), ticks, ",")
            us = 0
            for (i = 1; i + 2 <= count; i += 3) {
                us += ticks[i]
                stack = ""
                for (node = ticks[i + 2]; node; node = parent[node + 1])
                    stack = stack " " names[name[node + 1] + 1]
                gsub(/"/, "", stack)
                thread = threads[ticks[i + 1] + 1]
                gsub(/[" ]/, "", thread)
                printf "%.6f %s%s\n", (number("began_us") + us) / 1e6, thread, stack
            }
        }'
}
moments json >moments_got
# Clocks are slewed: 5 ms.
cat >judge.awk <<'A'
FNR == NR { from[$1] = $2 - .005; to[$1] = $3 + .005; next }
{
    all++
    if ($1 > from["sleep"] + .01 && $1 < to["sleep"] - .01) { print "asleep:", $0; bad++ }
    for (n = 3; n <= NF; n++) {
        if (!($n in from)) continue
        seen[$n]++
        if ($1 < from[$n] || $1 > to[$n]) { print "another time:", $0; bad++ }
        if (($n == "save") != ($2 ~ worker)) { print "another thread:", $0; bad++ }
    }
}
END {
    print all, seen["load"], seen["save"], seen["draw"]
    exit !(!bad && seen["load"] > 150 * part && seen["load"] < 260 * part && seen["draw"] > 230 * part &&
        seen["draw"] < 380 * part && seen["save"] > 70 * part && seen["save"] < 150 * part)
}
A
check "each tick is where the program was" awk -v part=1 -v worker='^worker' -f judge.awk truth moments_got
awk -v part=1 -v worker='^worker' -f judge.awk truth moments_got >log 2>&1
check "of all ticks" [ "$(rows time x.brst | awk -F, '{ n += $8 } END { print n }')" = "$(wc -l <moments_got | tr -d ' ')" ]
# The range of a phase has that phase alone; that of the sleep has no tick.
began=$(tr -d '\n' <json | sed 's/.*"began_us":\([0-9]*\).*/\1/')
range_of() { # PHASE: its inner part
    awk -v began="$began" -v phase="$1" '$1 == phase {
        printf "--from %.6f --to %.6f", $2 - began / 1e6 + .01, $3 - began / 1e6 - .01 }' truth
}
# shellcheck disable=SC2046
rows time $(range_of load) x.brst | awk -F, '$9 == "load" { print int(100 * $5 + .5) } $9 == "draw" { print "draw" }' >got
check "the range of a phase: $(cat got)" [ "$(cat got)" -ge 99 ]
# shellcheck disable=SC2046
bursty report $(range_of sleep) x.brst >got 2>err
check "the range of a sleep" says '^No tick came'

# ---- bounded
"$bursty" record --timeline 100 -o x.brst ./phases >truth 2>err
bursty report --json x.brst >json 2>err
moments json >moments_got
kept=$(wc -l <moments_got)
all=$(rows time x.brst | awk -F, '{ n += $8 } END { print n }')
one_of=$(tr -d '\n' <json | sed 's/.*"tick_us":\([0-9]*\).*/\1/' | awk '{ print $1 / 1000 }')
check "bounded: $kept of $all, one of $one_of" [ "$kept" -ge 50 -a "$kept" -le 100 ]
check "each stands for as many" awk -v kept="$kept" -v all="$all" -v w="$one_of" '
    BEGIN { exit !(w >= 4 && kept * w >= all && kept * w < all + w) }'
bursty report --note a=b x.brst 2>err | tr '\n' ' ' >got
check "and it is said" says "one of $one_of is kept, and stands for $one_of ms of CPU time"
"$bursty" record --timeline 0 -o x.brst ./phases >truth 2>err
check "none" refused 'it has no ticks in time' report --to 1 x.brst
check "too few" refused 'wants 0, or at least 100' record --timeline 99 ./phases
check "without ticks" refused 'about ticks, and none are taken' record --calls --timeline 100 ./phases
check "without any" refused 'about ticks, and none are taken' record --ticks 0 --timeline 100 ./phases

# ---- by a recorder in the program: 250 ticks a second; threads that ended have numbers
"$bursty" record --inside -o inside.brst ./phases >truth 2>err
check "inside: it ends as ever" [ $? = 0 ]
bursty report --json inside.brst >json 2>err
moments json >moments_got
check "inside: each tick is where the program was" awk -v part=.25 -v worker='^thread' -f judge.awk truth moments_got
awk -v part=.25 -v worker='^thread' -f judge.awk truth moments_got >log 2>&1
check "inside: of all ticks" [ "$(rows time inside.brst | awk -F, '{ n += $8 } END { print n }')" = "$(wc -l <moments_got | tr -d ' ')" ]
"$bursty" record --inside --timeline 100 -o inside.brst ./phases >truth 2>err
bursty report --json inside.brst >json 2>err
moments json >moments_got
kept=$(wc -l <moments_got) all=$(rows time inside.brst | awk -F, '{ n += $8 } END { print n }')
check "inside, bounded: $kept of $all" [ "$kept" -ge 32 -a "$kept" -le 64 ]
"$bursty" record --inside --timeline 0 -o inside.brst ./phases >truth 2>err
check "inside: none" refused 'it has no ticks in time' report --to 1 inside.brst
# Frames that take longer than 250 ms: draw alone, of .3 s; nobody said a limit: of 3 frames none is slow.
"$bursty" record --frames 'draw' --frames 'load' --frames 'save' --slow 250 -o frames.brst ./phases >truth 2>err
began=$(bursty report --json frames.brst 2>err | tr -d '\n' | sed 's/.*"began_us":\([0-9]*\).*/\1/')
rows late_frames frames.brst >got
# A frame has all of its phase, and nothing of the phase before or behind it.
cat >judge_frames.awk <<'A'
FNR == NR { from[$1] = $2 - began / 1e6; to[$1] = $3 - began / 1e6; next }
{
    f = $NF
    end = $1 + $2 / 1000
    seen[f]++
    if ($2 <= 250 || $3 != 250 || $1 > from[f] + .005 || end < to[f] - .005) bad++
    if (f == "load" && end > from["sleep"] + .005) bad++
    if (f == "save" && ($1 < to["sleep"] - .005 || end > from["draw"] + .005)) bad++
    if (f == "draw" && $1 < to["save"] - .005) bad++
}
END {
    for (f in from) if (f != "sleep" && to[f] - from[f] > .255 && seen[f] != 1) bad++
    exit bad || !seen["draw"]
}
A
awk -v began="$began" -F '[ ,]' -f judge_frames.awk truth got
check "frames: when the program says, and as long: $(tr '\n' ' ' <got)" [ $? = 0 ]
"$bursty" record --frames 'draw' -o frames.brst ./phases >truth 2>err
bursty report --csv --min 0 --only late_frames frames.brst >got 2>err
check "one frame is not slow by itself" [ $? = 2 ]

# ---- of a process that runs
./phases on >truth &
process=$!
wait_for grep -q draw truth
before=$(date +%s)
"$bursty" record -p $process --seconds 1 -o p.brst 2>err
after=$(date +%s)
kill $process
wait $process 2>"$out/waited"
bursty report --json p.brst >json 2>err
moments json >moments_got
check "-p: as many as ticks" [ "$(rows time p.brst | awk -F, '{ n += $8 } END { print n }')" = "$(wc -l <moments_got | tr -d ' ')" ]
check "-p: of its thread" awk -v thread="main($process)" '$2 != thread { bad = 1 } END { exit bad || !NR }' moments_got
# Others may run for most of that second, but for no part of it may moments be of another time.
check "-p: while it looked" awk -v before="$before" -v after="$after" '
    $1 < before - .005 || $1 > after + 1 { bad = 1 } END { exit bad || !NR }' moments_got

# ---- where threads wait, from outside: the program says when it was in each call that waits
cat >sleepy.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile double x;
static double at(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
static void say(const char *what, double from) {
    printf("%s %.6f %.6f\n", what, from, at(CLOCK_REALTIME));
    fflush(stdout);
}
__attribute__((noinline)) void work(double s) {
    double end = at(CLOCK_THREAD_CPUTIME_ID) + s;
    while (at(CLOCK_THREAD_CPUTIME_ID) < end) x += 1;
}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void want(void) {
    double from = at(CLOCK_REALTIME);
    pthread_mutex_lock(&lock);
    say("want", from);
    pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) void nap(void) {
    double from = at(CLOCK_REALTIME);
    usleep(100000);
    say("nap", from);
}
static void *other(void *forever) {
    if (forever) usleep(100000000);
    want();
    return forever;
}
int main(int count, char **words) {
    int n, on = count > 1;
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, other, on ? words : NULL);
    for (n = 0; n < 5 || on; n++) {
        nap();
        work(.02);
    }
    for (n = 0; n < 20; n++) usleep(1000);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
C
$CC -O1 -g -pthread -o sleepy sleepy.c || exit 2
# Of each wait: from, to (seconds since 1970), stack.
stretches() { # JSON
    tr -d '\n' <"$1" | sed 's/.*"timeline"://' | awk '
        function list(key,  rest) {
            rest = substr($0, index($0, "\"" key "\":[") + length(key) + 4)
            return substr(rest, 1, match(rest, /\][,}]/) - 1)
        }
        {
            began = substr($0, index($0, "\"began_us\":") + 11) + 0
            split(list("names"), names, ","); split(list("parent"), parent, ",")
            split(list("name"), name, ","); count = split(list("waits"), waits, ",")
            for (i = 1; i + 3 <= count; i += 4) {
                us += waits[i]
                stack = ""
                for (node = waits[i + 3]; node; node = parent[node + 1])
                    stack = stack " " names[name[node + 1] + 1]
                gsub(/"/, "", stack)
                printf "%.6f %.6f%s\n", (began + us) / 1e6, (began + us + waits[i + 1]) / 1e6, stack
            }
        }'
}
"$bursty" record -o x.brst ./sleepy >truth 2>err
bursty report --json x.brst >json 2>err
stretches json >got
# No wait is longer than its call, and who works does not wait, though others may run. A
# nap of .1 s is no wait for half of it only if others kept the thread from sleeping after
# its timer began: that does not happen to all five.
cat >judge_waits.awk <<'A'
FNR == NR { calls++; what[calls] = $1; from[calls] = $2 - .005; to[calls] = $3 + .005; next }
{
    for (n = 3; n <= NF && $n != "nap" && $n != "want" && $n != "work"; n++) ;
    if (n > NF) next
    for (c = 1; c <= calls && !(what[c] == $n && $1 >= from[c] && $2 <= to[c]); c++) ;
    if (c > calls) { print "in no call:", $0; bad++ }
    seen[$n]++
    seconds[$n] += $2 - $1
}
END {
    print seen["nap"], seconds["nap"], seen["want"], seconds["want"]
    exit bad || seen["nap"] != 5 || seconds["nap"] < .25 || seconds["nap"] > 1000 || !seen["want"] ||
        seconds["want"] < .25
}
A
check "each wait is in its call: $(awk -f judge_waits.awk truth got | tail -1)" awk -f judge_waits.awk truth got
rows waits x.brst >got
check "waits by place: $(tr '\n' ' ' <got)" awk -F, '/nap/ && $3 == 5 && $4 >= 50 { ok++ } END { exit ok != 1 }' got
check "by the program's own function, and not the system's" awk -F, '
    $NF ~ /> (nap|want) > / { seen++; bad += $6 != "nap" && $6 != "want" }
    END { exit bad || seen < 2 }' got
rows time x.brst | awk -F, '{ n += $8 } END { print n }' >got
check "time is what it was: $(cat got) ticks" [ "$(cat got)" -ge 95 ]
"$bursty" record --timeline 100 -o x.brst ./sleepy >truth 2>err
bursty report --json x.brst 2>err | stretches /dev/stdin >got
check "bounded waits: the longest 13" [ "$(wc -l <got)" = 13 -a "$(grep -c ' nap ' got)" = 5 ]
bursty report --note a=b x.brst 2>err >got
check "the rest is counted" says '^waits in time: the 13 longest; [1-9][0-9]* more, of'
"$bursty" record --inside -o inside.brst ./sleepy >truth 2>err
bursty report --timeline inside.brst >got 2>err
check "inside: main is called so" says '^main ([1-9]'
check "inside: no waits" lacks got '^in time' 'it waited'
cat >named.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static volatile double x;
static volatile int done;
static void work(void) {
    struct timespec t;
    do {
        x += 1;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while (!t.tv_sec && t.tv_nsec < 100000000);
}
static void *stays(void *name) {
    pthread_setname_np(pthread_self(), (const char *)name);
    work();
    done = 1;
    for (;;) pause();
}
static void *ends(void *none) {
    work();
    return none;
}
int main(void) {
    pthread_t a, b;
    int i;
    pthread_create(&a, NULL, stays, "decoder");
    for (i = 0; i < 2; i++) {
        pthread_create(&b, NULL, ends, NULL);
        pthread_join(b, NULL);
    }
    work();
    while (!done) usleep(1000);
    return 0;
}
C
$CC -O1 -g -pthread -o named named.c || exit 2
"$bursty" record --inside -o named.brst ./named 2>err
rows thread_times named.brst | cut -d, -f5 | sed 's/([0-9]*)/N/' | sort | tr '\n' , >named_rows
check "inside: names of threads that live, and of those that came one after another: $(cat named_rows)" \
    [ "$(cat named_rows)" = 'decoder N,in turn N,main N,' ]

./sleepy on >truth &
process=$!
wait_for grep -q nap truth
"$bursty" record -p $process --seconds 1 -o p.brst 2>err
kill $process
wait $process 2>"$out/waited"
rows waits p.brst >got
check "-p: who slept all the time: $(tr '\n' ' ' <got)" awk -F, '
    /not known/ && $2 > .95 && $3 == 1 { whole++ } /nap/ && $3 >= 1 { naps++ } END { exit !(whole && naps == 1) }' got

# ---- a thread of C++: what the library made for a function of the program is the program's
cat >lambda.cc <<'C'
#include <thread>
#include <unistd.h>
static volatile int rested;
static void rests(int us) { rested = usleep(us); }
int main() {
    std::thread a([] { rested = usleep(200000); }), b(rests, 200000);
    a.join();
    b.join();
}
C
for level in -O0 -O2; do
    $CXX $level -g -pthread -o lambda lambda.cc || exit 2
    "$bursty" record -o x.brst ./lambda 2>err
    rows waits x.brst | cut -d, -f6 >got
    check "$level: a lambda waits: $(tr '\n' ' ' <got)" says 'main::{lambda()#1}'
    check "$level: a function waits" says 'rests(int)'
    check "$level: and no library" [ "$(grep -c 'libstdc++\|start_thread\|clone' got)" = 0 ]
done

# ---- a program that switches more often than each switch can be noted
cat >pong.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
static int to[2], from[2], never[2];
static void *other(void *none) {
    char c;
    while (read(to[0], &c, 1) == 1 && c && write(from[1], &c, 1) == 1) ;
    return none;
}
static void *idles(void *none) {
    char c;
    return read(never[0], &c, 1) == 0 ? none : NULL;
}
int main(void) {
    struct timespec t, u;
    struct rusage r;
    pthread_t thread, idle;
    double seconds;
    char c = 1;
    int n;
    if (pipe(to) != 0 || pipe(from) != 0 || pipe(never) != 0) return 1;
    clock_gettime(CLOCK_MONOTONIC, &t);
    pthread_create(&idle, NULL, idles, NULL);
    pthread_create(&thread, NULL, other, NULL);
    for (n = 0; n < 200000; n++)
        if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1) return 1;
    c = 0;
    if (write(to[1], &c, 1) != 1) return 1;
    pthread_join(thread, NULL);
    close(never[1]);
    pthread_join(idle, NULL);
    clock_gettime(CLOCK_MONOTONIC, &u);
    getrusage(RUSAGE_SELF, &r);
    seconds = (double)(u.tv_sec - t.tv_sec) + (double)(u.tv_nsec - t.tv_nsec) / 1e9;
    printf("%.0f %.0f\n", (double)r.ru_nvcsw / seconds, 20000 * seconds + 10000);
    return 0;
}
C
$CC -O1 -g -pthread -o pong pong.c || exit 2
"$bursty" record -o x.brst ./pong >rate 2>err
bursty report --timeline x.brst >got 2>err
read -r rate most <rate
# 10 000 waits in a second and 5000 at first, and what comes until somebody looks again.
noted=$(sed -n 's/^waits in time: the \([0-9]*\) longest; \([0-9]*\) more.*/\1 \2/p' got | awk '{ print $1 + $2 }')
[ "$noted" ] || noted=$(rows waits x.brst | awk -F, '{ n += $3 } END { print n + 0 }')
check "$noted waits are noted, at most $most" [ "$noted" -gt 0 -a "$noted" -le "$most" ]
if [ "$rate" -gt 30000 ]; then
    check "so many switches ($rate a second) are not all seen, and that is said" \
        says '^waits in time: not seen in [1-9][0-9.]* % of the time: threads switched too often'
    # It waited in all of the time that was seen, between all pauses.
    unseen=$(sed -n 's/^waits in time: not seen in \([0-9.]*\) .*/\1/p' got)
    rows waits x.brst | grep ',idles,' >idle
    check "who idles waits on behind each pause: $(cut -c 1-60 idle) of $unseen % unseen" \
        awk -F, -v unseen="$unseen" '
            { share += $2; times += $3 }
            END { exit !(times > 1 && share > .9 * (1 - unseen / 100) && share < 1.01 - unseen / 100) }' idle
fi
rows waits x.brst | awk -F, '{ share[$5] += $2 } END { for (t in share) if (share[t] > 1) exit 1 }'
check "and no thread waits longer than all the time" [ $? = 0 ]

# Two threads wait in one place: both rows have its name as it is. Nearly no tick comes, and
# the waits stand there all the same.
cat >pair.c <<'C'
#include <pthread.h>
#include <unistd.h>
static void *rests(void *none) {
    usleep(200000);
    return none;
}
int main(void) {
    pthread_t t[2];
    int n;
    for (n = 0; n < 2; n++) pthread_create(&t[n], NULL, rests, NULL);
    for (n = 0; n < 2; n++) pthread_join(t[n], NULL);
    return 0;
}
C
$CC -O1 -g -pthread -o pair pair.c || exit 2
"$bursty" record --ticks 1 -o x.brst ./pair 2>err
rows waits x.brst | grep rests | cut -d, -f7 >got
check "threads that wait in one place: $(tr '\n' ' ' <got)" [ "$(wc -l <got)" = 2 -a "$(sort -u got | wc -l)" = 1 ]
finish
