#!/bin/sh
# test_record_hints.sh - what `bursty record` says when there is little to show: a run that ended
# before the first burst, code without names, streams that had no room. Each hint names the option
# that helps, and each report the program.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_hints
needs_recorder
unset COLUMNS
shown=err

# ---- shorter than the first gap ---------------------------------------------------------------------
cat >short.c <<'P'
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned cells[64];
__attribute__((noinline)) static unsigned step(unsigned n) {
    unsigned i, sum = n;
    for (i = 0; i < 40; i++) sum += cells[(n + i) % 64]++;
    return sum;
}
int main(int count, char **word) {
    unsigned n, sum = 0, turns = count > 1 ? (unsigned)atoi(word[1]) : 20;
    for (n = 0; n < turns; n++) sum += step(n);
    printf("%u\n", sum);
    return 0;
}
P
$CC -O1 -o short short.c || exit 2
for of in --calls --edges --refs --footprint '--calls --edges' '--calls --ticks 250'; do
    # shellcheck disable=SC2086
    COLUMNS=1000 "$bursty" record $of -o x.brst ./short >got 2>err # each hint is one line
    check "$of: status" [ $? = 0 ]
    check "$of: nothing to show" grep -q '^bursty: short: nothing to show$' err
    check "$of: one reason" [ "$(grep -c 'MISSING: no burst yet: .* 9900 checks .*--every N' err)" = 1 ]
    "$bursty" report x.brst >text 2>err
    check "$of: the report, too" grep -q '^no burst yet: .* 9900 checks' text
    check "$of: of the program" [ "$(head -n 1 text)" = short ]
done
for of in --calls --edges --refs --footprint; do
    "$bursty" record $of --every 20 --all-checks -o x.brst ./short 3000 >got 2>err
    check "$of with bursts" grep -q '^bursty: short: .* (from, to: 95 % intervals)$' err
    check "$of has come" lacks err '^bursty: short: ' 'no burst'
    "$bursty" report x.brst >text
    check "$of: a report of the program" [ "$(head -n 1 text)" = short ]
    check "$of: no facts of what was not counted" lacks text '^short$' 'checks 0;'
    "$bursty" record $of --every 0 -o x.brst ./short 300 >got 2>err
    check "$of of all" grep -q '^bursty: short: ' err
done

# ---- room for streams ---------------------------------------------------------------------------------
"$bursty" record --streams 1 --every 0 -o x.brst ./short 30000 >got 2>err
check "one stream" [ $? = 0 ]
check "is too few: the cure" grep -q 'bursty record --streams N' err
check "one row" [ "$("$bursty" report --csv x.brst | sed -n '/^# streams:/,/^$/p' | grep -c '^[0-9.]*,')" -le 1 ]
"$bursty" record --streams 5000 --every 0 -o x.brst ./short 30000 >got 2>err
check "room for all" lacks err '^bursty: short: ' 'had no room'
for wrong in 0 x 1048577; do
    "$bursty" record --streams $wrong ./short >got 2>err
    check "--streams $wrong" [ "$? $(wc -l <err)" = "2 1" ]
done

# ---- code without names --------------------------------------------------------------------------------
cat >work.c <<'P'
static void turn(unsigned n);
void work(unsigned n);
void work(unsigned n) { while (n--) turn(n); }
__attribute__((noinline)) static void turn(unsigned n) {
    unsigned i;
    for (i = 0; i < 1000 + n % 2; i++) __asm__ volatile("");
}
P
cat >main.c <<'P'
#include <time.h>
void work(unsigned n);
int main(void) {
    while (clock() < CLOCKS_PER_SEC / 4) work(2000);
    return 0;
}
P
if command -v strip >/dev/null 2>&1 && $CC -O1 -shared -fPIC -o libwork.so work.c && strip libwork.so &&
    $CC -O1 -o uses main.c -L. -lwork -Wl,-rpath,"$out" && strip uses; then
    "$bursty" record --ticks 1000 -o x.brst ./uses >got 2>err
    check "the module with the time" grep -q '^bursty: libwork.so has no symbols for functions that have [0-9]* % of' err
    check "and not the program" lacks err '^bursty: ' 'uses has no symbols'
    $CC -O1 -g -shared -fPIC -o libwork.so work.c
    "$bursty" record --ticks 1000 -o x.brst ./uses >got 2>err
    check "all the time has names" lacks err '^bursty: uses: ' 'has no symbols'
else skip "no strip"; fi

# ---- a script's work is that of the programs that it starts ------------------------------------------
printf '#!/bin/sh\n./short 2000000\nexit 0\n' >script
chmod +x script
"$bursty" record -o x.brst ./script >got 2>err
check "the programs that a script starts are named" \
    grep -q '^bursty: the programs that it started used [0-9]* ms .*--follow' err
"$bursty" report x.brst >got 2>&1
check "and their time stands in the file" grep -q '^MISSING: CPU time of its children' got
"$bursty" record --follow -o x.brst ./script >got 2>err
lacks err '^bursty: ' 'that it started'
ok $? "not with --follow: $(cat err)"
"$bursty" record -o x.brst ./short 2000000 >got 2>err
lacks err '^bursty: short: ' 'that it started'
ok $? "nor where there are none"
"$bursty" report x.brst >got 2>&1 && ! grep -q 'of its children' got
ok $? "and nothing in the file"

# ---- what next: each command works as it is printed ----------------------------------------------
cat >rests.c <<'P'
#include <time.h>
#include <unistd.h>
static long now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
__attribute__((noinline)) void rest(long us) { usleep(us); }
static volatile unsigned cell;
__attribute__((noinline)) void work(clock_t until) {
    unsigned i;
    do for (i = 0; i < 100000; i++) cell++;
    while (clock() < until);
}
int main(int count, char **word) {
    int n;
    for (n = 0; n < 3; n++) {
        long begin = now_us();
        if (count > 1) work(clock() + CLOCKS_PER_SEC / 25);
        rest(150000 + 2 * (now_us() - begin)); /* more than half of the time, on a busy machine, too */
    }
    return word[0][0] == 0;
}
P
$CC -O1 -g -o rests rests.c || exit 2
# Of lines on err: runs each, and leaves their number in all.
next_commands() {
    sed 's/`[^`]*$//' err | tr '`' '\n' | grep '^bursty [a-z]* .' | sort -u >commands
    all=0
    while read -r command; do
        rm -f page.html
        (PATH=$(dirname "$bursty"):$PATH; export PATH; eval "$command" </dev/null) >got 2>log || return 1
        case $command in
        *--html*) grep -q '</html>' page.html || return 1 ;;
        *) [ -s got ] || return 1 ;;
        esac
        all=$((all + 1))
    done <commands
}
for form in 'work' '' '--inside work' '--calls work' '--every 0 --edges work'; do
    how=${form%work} word=
    case $form in *work) word=work ;; esac
    # shellcheck disable=SC2086
    "$bursty" record $how -o "it's mine.brst" ./rests $word >got 2>err
    check "$form: next commands" next_commands
    check "$form: two at least: $all" [ "$all" -ge 2 ]
    check "$form: it says what next" grep -q '^bursty: next: ' err
done
if may_look . stacks; then
    "$bursty" record -o x.brst ./rests work >got 2>err
    check "much of the time waited: by whom" \
        grep -q '^longest wait in time: main ([0-9]*) waited in rest for [0-9]* % of the time$' err
    check "and the command that shows it" grep -q '`bursty report --timeline x.brst` says when, and who waited' err
    check "with the time" grep -q ' work ' err
    # It had no tick, perhaps, and what it did is known all the same.
    "$bursty" record --ticks 1 -o x.brst ./rests >got 2>err
    check "who only waits: where" grep -q '^longest wait in time: main .* in rest for ' err
    check "who only waits: the table" grep -q ' rest  *_start > ' err
    "$bursty" report --timeline x.brst 2>log | grep -q '^main ([0-9]*)  *0 %  *····'
    check "who only waits: the axis" [ $? = 0 ]
else skip "this system does not allow it"
fi

finish
