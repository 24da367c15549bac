#!/bin/sh
# test_merge.sh - bursty merge of many dumps of all kinds: in any order, in any grouping and with
# sums made on the way the bytes are the same; --list; and what it refuses.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
build=${BUILD:-build}
out=$build/tests/merge
rm -rf "$out"
mkdir -p "$out/dumps" || exit 2
bursty() { ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 ${RUN-} "$build/bursty" "$@"; }

# Dumps that a writer made, and those of examples that record other kinds of parts.
${CC:-cc} -O1 -std=c99 -Itests -o "$out/make_dumps" tests/make_dumps.c && ${RUN-} "$out/make_dumps" "$out/dumps"
ok $? "make_dumps"
for example in hot_contexts hot_streams streams_of_frames cache_sizes footprint_of_events slow_frames; do
    [ -f "examples/$example.c" ] || continue
    ${CC:-cc} -O0 -std=gnu99 -w -I. -o "$out/$example" examples/$example.c -lm ${LDFLAGS-} -pthread &&
        (cd "$out/dumps" && ${RUN-} ../$example >/dev/null 2>&1)
    ok $? "examples/$example.c"
done
for dump in "$out"/dumps/*.brst; do
    bursty merge -o "$out/one" "$dump" 2>/dev/null && echo "$dump"
done >"$out/list"
[ "$(wc -l <"$out/list")" -gt 35 ]
ok $? "there are $(wc -l <"$out/list") dumps"

bursty merge -o "$out/all" --list "$out/list"
ok $? "merge --list"
same() { # FILE WHAT
    cmp -s "$out/all" "$out/$1"
    ok $? "$2: the bytes are the same"
}
# shellcheck disable=SC2046
bursty merge -o "$out/named" $(cat "$out/list")
same named "names on the command line"
bursty merge -o - --list - <"$out/list" >"$out/piped"
same piped "from standard input to standard output"
bursty merge -o "$out/again" "$out/all"
same again "merged once more"

# Two orders, each by another key of a fixed sequence; and each as a tree of random shape.
for seed in 1 2; do
    awk -v s=$seed '{ s = (s * 7141 + 54773) % 259200; printf "%06d %s\n", s, $0 }' "$out/list" |
        sort | cut -d ' ' -f 2 >"$out/shuffled"
    bursty merge -o "$out/order" --list "$out/shuffled"
    same order "order $seed"
    : >"$out/groups"
    n=0
    awk -v s=$seed -v out="$out/group" '
        left == 0 { s = (s * 7141 + 54773) % 259200; left = 1 + s % 9; group++ }
        { print >(out "." group ".list"); left-- }
        END { print group }' "$out/shuffled" >"$out/count"
    while [ $n -lt "$(cat "$out/count")" ]; do
        n=$((n + 1))
        bursty merge -o "$out/group.$n.brst" --list "$out/group.$n.list"
        # every third sum is put into the next group
        if [ $((n % 3)) = 0 ] && [ $n -lt "$(cat "$out/count")" ]; then
            echo "$out/group.$n.brst" >>"$out/group.$((n + 1)).list"
        else echo "$out/group.$n.brst" >>"$out/groups"; fi
    done
    bursty merge -o "$out/tree" --list "$out/groups"
    same tree "groups $seed"
done

# More than a megabyte, so that sums are made on the way. Twelve times all of it is twelve times
# each sum, however it came about. A dump with a seed counts once.
for dump in $(cat "$out/list"); do
    bursty merge -o "$out/one" "$dump" "$dump" 2>&1 | grep -q 'is left out' || echo "$dump"
done >"$out/unseeded"
[ "$(wc -l <"$out/unseeded")" -lt "$(wc -l <"$out/list")" ]
ok $? "some have a seed"
bursty merge -o "$out/all" --list "$out/unseeded"
twelve=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat "$out/unseeded"; done)
# shellcheck disable=SC2086
bursty merge -o "$out/long" $twelve
ok $? "twelve times all"
a="$out/all"
bursty merge -o "$out/twelve" $a $a $a $a $a $a $a $a $a $a $a $a
cmp -s "$out/long" "$out/twelve"
ok $? "sums on the way change nothing"

refused() { # MESSAGE ARGUMENTS...
    wanted=$1
    shift
    rm -f "$out/no"
    bursty merge -o "$out/no" "$@" >"$out/said" 2>&1 </dev/null
    [ $? = 2 ] && [ "$(cat "$out/said")" = "bursty: $wanted" ] && [ ! -e "$out/no" ]
    ok $? "merge $*: $(cat "$out/said")"
}
: >"$out/empty"
printf 'x\0y\n' >"$out/zero"
echo "$out/none.brst" >"$out/lost"
head -c 50 "$out/dumps/game.brst" >"$out/cut"
{ cat "$out/list"; echo "$out/cut"; } >"$out/last"
refused "$out/empty: names no file" --list "$out/empty"
refused "$out/zero: offset 1: a zero byte: no list of names" --list "$out/zero"
refused "$out/none.brst: No such file or directory" --list "$out/lost"
refused "$out/cut: offset 50: $(bursty report "$out/cut" 2>&1 | sed 's/.*offset 50: //')" --list "$out/last"
refused "$out/none: No such file or directory" --list "$out/none"

# Runs that tick at other rates: 300 ticks of 1 ms and 30 of 10 ms are the same time.
cat >"$out/rates.c" <<'END'
#define BURSTY_BARE
#define BURSTY_TICKS
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <stdlib.h>
static FILE *file;
static int write_to(void *user, const void *data, size_t size) { (void)user; return fwrite(data, 1, size, file) != size; }
static void foo(int n) { BURST_SCOPE("foo"); while (n--) bursty_tick(1); BURST_LEAVE(); }
static void bar(int n) { BURST_SCOPE("bar"); while (n--) bursty_tick(1); BURST_LEAVE(); }
int main(int argc, char **argv) {
    bursty_config config = {0};
    config.tick_hz = atoi(argv[1]);
    config.program = "rates";
    bursty_start(&config);
    if (argv[2][0] == 'f') foo(atoi(argv[3]));
    else bar(atoi(argv[3]));
    file = fopen(argv[4], "wb");
    return argc != 5 || !file || bursty_write(write_to, NULL) != 0 || fclose(file) != 0;
}
END
${CC:-cc} -O1 -std=gnu99 -w -I. -o "$out/rates" "$out/rates.c" -lm ${LDFLAGS-} &&
    ${RUN-} "$out/rates" 1000 foo 300 "$out/foo.brst" && ${RUN-} "$out/rates" 100 bar 30 "$out/bar.brst" &&
    ${RUN-} "$out/rates" 400 bar 120 "$out/bar400.brst"
ok $? "programs that tick at other rates"
bursty report --min 0 "$out/foo.brst" "$out/bar.brst" >"$out/rates.txt"
[ "$(grep -cE '^1=? +50\.00%.* (foo|bar) ' "$out/rates.txt")" = 2 ]
ok $? "a tick of 10 ms is worth ten of 1 ms"
bursty merge -o "$out/rates1" "$out/foo.brst" "$out/bar.brst" "$out/bar400.brst" &&
    bursty merge -o "$out/rates2" "$out/bar400.brst" "$out/bar.brst" &&
    bursty merge -o "$out/rates3" "$out/rates2" "$out/foo.brst"
cmp -s "$out/rates1" "$out/rates3"
ok $? "rates in any order"
bursty report --json "$out/rates1" | grep -q '"self_ticks":\[1200,600\]'
ok $? "900 ms are 1800 ticks of 500 us"

finish
