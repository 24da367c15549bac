#!/bin/sh
# test_switches.sh - what a switch of a manual leaves out or does otherwise changes nothing else.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder switches
log=$out/log

# shellcheck disable=SC2086
built() { # OUT SOURCE OPTION...
    to=$1 source=$2
    shift 2
    $CC -std=c99 -Wall -Wextra -Werror ${CFLAGS--O0} -I"$top" "$@" -o "$to" "$source" -lm
}

# Plain C in place of bit scans, SSE2 and BMI2: every cell of a profile, and all bytes that are written.
cat >windows.c <<'C'
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include <stdio.h>
static uint64_t memory[400000], table[200000];
static footprint fp;
#ifndef FOOTPRINT_NO_FILES
static int put(void *user, const void *data, size_t size) {
    (void)user;
    return fwrite(data, 1, size, stderr) != size;
}
#endif
int main(void) {
    footprint_profile profile;
    footprint_config config = {0};
    uint32_t x = 1, i, w, f;
    int round;
    for (round = 0; round < 3; round++) {
        config.c = 1 - .3 * round;
        if (footprint_init(&fp, memory, sizeof memory, &config) == 0) return 1;
        for (i = 0; i < 30000; i++) {
            x = x * 1664525 + 1013904223;
            footprint_access(&fp, x >> 30 ? x >> 18 & 255 : x >> 20);
        }
        if (footprint_snapshot(&fp, &profile, table, sizeof table) != 0) return 1;
        for (w = 0; w <= footprint_bin(30000); w++) {
            for (f = 0; f <= footprint_bin(5000); f++)
                printf("%llu ", (unsigned long long)footprint_at_least(&profile, w, f));
            putchar('\n');
        }
#ifndef FOOTPRINT_NO_FILES
        if (footprint_write(&profile, "w", put, NULL) != 0) return 1;
#endif
    }
    return 0;
}
C
check "windows" built windows windows.c
./windows >windows.out 2>windows.brst
[ "$(grep -c '[1-9]' windows.out)" -gt 200 ] && [ -s windows.brst ]
ok $? "windows: the trace says little"
for switch in FOOTPRINT_NO_BUILTINS FOOTPRINT_NO_SIMD FOOTPRINT_NO_FILES; do
    check "$switch" built other windows.c -D$switch
    ./other >other.out 2>other.brst
    cmp -s windows.out other.out
    ok $? "$switch: other windows"
    if [ $switch = FOOTPRINT_NO_FILES ]; then empty other.brst; else cmp -s windows.brst other.brst; fi
    ok $? "$switch: other bytes"
done

cat >streams.c <<'C'
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include <stdio.h>
static uint64_t memory[100000];
static hotstream h;
int main(void) {
    hotstream_stream rows[8];
    size_t i, count;
    if (hotstream_init(&h, memory, sizeof memory, NULL) == 0) return 1;
    for (i = 0; i < 5000; i++) hotstream_record(&h, i % 12 + 1, i % 97 == 8 ? i : 0);
    count = hotstream_top(&h, rows, 8);
    for (i = 0; i < count; i++) printf("heat %llu\n", (unsigned long long)rows[i].heat);
    return count == 0;
}
C
for switch in NOTHING HOTSTREAM_NO_FILES; do
    check "$switch" built $switch streams.c -D$switch
    ./$switch >$switch.out
done
[ -s NOTHING.out ] && cmp -s NOTHING.out HOTSTREAM_NO_FILES.out
ok $? "HOTSTREAM_NO_FILES: other streams"
cat >left_out.c <<'C'
#include "SWITCH.h"
static int SWITCH_write(void) { return 0; } /* a name that is free */
int main(void) { return SWITCH_write(); }
C
for family in footprint hotstream; do
    sed "s/SWITCH/$family/" left_out.c >left_$family.c
    check "$family: its writer is left out" built left left_$family.c \
        -D"$(echo $family | tr a-z A-Z)_NO_FILES"
    built left left_$family.c 2>left.log && fail "$family: its writer is in no header" || pass
done

# EDGEPROF_ADD in place of ++ is what counts, and where counts are atomic, marks are as well.
cat >edges.c <<'C'
#include <stdio.h>
static unsigned added;
#define EDGEPROF_ADD(counter) ((void)(added++, (counter)++))
#define EP_CFG_sum(V, E, F)  V(F, head, 3) V(F, body, 3) V(F, done, 0) \
                             E(F, 0, head, body) E(F, 1, head, done) E(F, 2, body, head)
#define EDGEPROF_CHECK
#define EDGEPROF_IMPLEMENTATION
#include "edgeprof.h"
EP_FUNC(sum);
static int sum(int n) {
    int s = 0;
    for (EP_ENTRY(sum); n > 0; EP_EDGE(sum, 2)) { EP_EDGE(sum, 0); s += n--; }
    EP_EDGE(sum, 1);
    return s;
}
static unsigned char bits;
int main(void) {
    int s = sum(4);
    EP_P_SET_BIT(bits, 2);
    printf("%d %u %u\n", s, added, bits);
    return 0;
}
C
for switch in NOTHING EDGEPROF_ATOMIC; do
    check "EDGEPROF_ADD, $switch" built $switch edges.c -D$switch
    [ "$(./$switch)" = "10 10 2" ]
    ok $? "EDGEPROF_ADD, $switch: $(./$switch) for 10 10 2"
done
if compiler_says 'defined(__GNUC__)'; then
    $CC -I"$top" -DEDGEPROF_ATOMIC -E edges.c 2>"$log" | grep -q '__atomic_fetch_or(&(bits)'
    ok $? "EDGEPROF_ATOMIC with an EDGEPROF_ADD: bits are set as if there were one thread"
fi
finish
