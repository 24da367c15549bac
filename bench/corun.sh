#!/bin/sh
# corun.sh [ACCESSES] - `bursty corun` beside a simulated LRU cache that two programs share: gzip, perl,
# python3 and sqlite3 as they are installed, ACCESSES (2000000) accesses of each behind the first
# 2000000 (lackey). Six pairs at 14 sizes, the programs in turns, an access each. Prints for each
# pair how many of its 28 ratios are within 10 % or .05 points of the simulation, how many others
# corun marks, and how far off those are that it does not mark; how often the marks hold the truth,
# within .05 points; and all rows.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} N=${1:-2000000} n=${1:-2000000} programs='gzip perl python3 sqlite3'
bursty=$BUILD/bursty lab=$BUILD/bursty-lab work=$BUILD/bench/corun
mkdir -p "$work"
[ "$(cat "$work/most" 2>/dev/null)" = "$n" ] || rm -f "$work"/*
echo "$n" >"$work/most"
. bench/footprint_programs.inc
record_programs $programs
cat >"$work/shared.c" <<'END'
/* shared TRACE TRACE SIZE... - the misses of each, in percent, of LRU caches of so many bytes that both
   use in turns. Stack distances of the merged trace by a tree of sums over time: the marks are the
   last accesses of all blocks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { PLACES = 1 << 22, MOST = 1 << 24 };
typedef struct place { uint64_t block; uint32_t last; } place;
static place table[PLACES];
static int32_t tree[MOST + 1];
static uint64_t misses[2][64], count[2];
static void add(uint32_t at, int32_t by) {
    for (; at <= MOST; at += at & (0 - at)) tree[at] += by;
}
static uint32_t sum(uint32_t at) {
    uint32_t all = 0;
    for (; at; at -= at & (0 - at)) all += (uint32_t)tree[at];
    return all;
}
static int next(FILE *f, uint64_t *block) {
    uint64_t z = 0;
    int c, shift = 0;
    do {
        c = getc(f);
        if (c == EOF) return 0;
        z |= (uint64_t)(c & 127) << shift;
        shift += 7;
    } while (c & 128);
    *block += z & 1 ? ~(z >> 1) : z >> 1;
    return 1;
}
int main(int argc, char **argv) {
    FILE *f[2] = {fopen(argv[1], "rb"), fopen(argv[2], "rb")};
    uint64_t block[2] = {0, 0};
    uint32_t time = 0, used = 0;
    int which, k;
    if (!f[0] || !f[1]) return 1;
    for (which = 0; time < MOST && next(f[which], &block[which]); which = !which) {
        uint64_t key = block[which] << 1 | (unsigned)which;
        uint32_t i = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 42) % PLACES, depth = UINT32_MAX;
        while (table[i].last && table[i].block != key) i = (i + 1) % PLACES;
        time++;
        if (table[i].last) {
            depth = used - sum(table[i].last);      /* blocks used since */
            add(table[i].last, -1);
        } else if (++used == PLACES) return 1;
        table[i].block = key;
        table[i].last = time;
        add(time, 1);
        count[which]++;
        for (k = 3; k < argc; k++) misses[which][k] += depth >= strtoul(argv[k], NULL, 10) / 64;
    }
    for (k = 3; k < argc; k++)
        printf("%s %.4f %.4f\n", argv[k], 100.0 * (double)misses[0][k] / (double)count[0],
               100.0 * (double)misses[1][k] / (double)count[1]);
    return 0;
}
END
${CC:-cc} -O2 -o "$work/shared" "$work/shared.c"
sizes='4096 8192 16384 24576 32768 49152 65536 98304 131072 196608 262144 524288 1048576 2097152'
for name in $programs; do
    "$lab" footprint --c 1 --title "$name" --dump "$work/$name.brst" -o /dev/null "$work/$name"
done
echo "| pair | within 10 % or .05 points | others with a mark | without | the worst without a mark | marks that hold |"
echo "|---|---:|---:|---:|---|---:|"
: >"$work/rows"
rest=$programs
while [ "${rest#* }" != "$rest" ]; do
    one=${rest%% *} rest=${rest#* }
    for two in $rest; do
        # shellcheck disable=SC2086
        "$work/shared" "$work/$one" "$work/$two" $sizes >"$work/lru"
        "$bursty" corun --size "$(echo $sizes | tr ' ' ,)" "$work/$one.brst" "$work/$two.brst" \
            >"$work/said"
        awk -v pair="$one, $two" -v rows="$work/rows" '
            NR == FNR { lru[$1, 1] = $2; lru[$1, 2] = $3; next }
            !/^ *[0-9]+ / { next }
            {
                marks = ""
                for (i = 5; i <= NF; i++) marks = marks " " $i
                for (k = 1; k <= 2; k++) {
                    said = $(k + 2) + 0; truth = lru[$1, k]
                    off = said > truth ? said - truth : truth - said
                    for (i = 5; i <= NF; i++)
                        if (split($i, part, /[:-]/) == 3 && part[1] == k) {
                            all++
                            held += part[2] - .05 <= truth && truth <= part[3] + .05
                        }
                    if (off <= .05 || off <= .1 * truth) near++
                    else if (index(marks, " " k ":")) marked++
                    else {
                        plain++
                        if (off / truth > worst) {
                            worst = off / truth
                            at = sprintf("%d kB: %.2f %%, true %.2f %%", $1 / 1024, said, truth)
                        }
                    }
                }
                printf "| %s | %d | %.2f | %.2f | %.2f | %.2f |%s |\n", pair, $1 / 1024, lru[$1, 1], \
                    $3 + 0, lru[$1, 2], $4 + 0, marks >>rows
            }
            END { printf "| %s | %d | %d | %d | %s | %d of %d |\n", pair, near, marked, plain, at, held, all }' \
            "$work/lru" "$work/said"
    done
done
echo
echo "| pair | kB | first: LRU | corun | second: LRU | corun | marks |"
echo "|---|---:|---:|---:|---:|---:|---|"
cat "$work/rows"
