#!/bin/sh
# joint.sh - section 4.2 of "Bursty Tracing" leaves a counter for loop and check together open. What a
# check at the back-edge costs in executed instructions of an iteration, by callgrind: in a body of
# its own, with the counter of a counted loop (BURST_FOR), and where nothing in the loop may check
# (BURST_FOR_LEAF). Of two loops that a compiler cannot make wider. Wants gcc and valgrind.
set -e
cd "$(dirname "$0")/.."
out=${BUILD:-build}/bench/joint
mkdir -p "$out"
command -v valgrind >/dev/null || { echo "bench/joint.sh: valgrind is missing" >&2; exit 1; }
cat >"$out/loops.c" <<'END_OF_FILE'
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdlib.h>
#if FORM == 0
#define LOOP(...) for (i = 0; i < n; i++) { __VA_ARGS__ }
#elif FORM == 1
#define LOOP(...) for (i = 0; i < n; i++) BURST_BODY({ __VA_ARGS__ })
#elif FORM == 2
#define LOOP(...) BURST_FOR(int, i, 0, n, { __VA_ARGS__ })
#else
#define LOOP(...) BURST_FOR_LEAF(int, i, 0, n, { __VA_ARGS__ })
#endif
#if FORM < 2
#define VARIABLE int i;
#else
#define VARIABLE
#endif
#define APART __attribute__((noinline, optimize("no-tree-vectorize")))
static unsigned a[1000], b[1000];
APART static unsigned hash(int n) { unsigned h = 1; VARIABLE LOOP(h = (h ^ a[i]) * 16777619u;) return h; }
APART static unsigned compare(int n) { VARIABLE LOOP(if (a[i] != b[i]) return 1;) return 0; }
int main(int argc, char **argv) {
    static unsigned (*const loops[])(int) = {hash, compare};
    unsigned all = 0;
    int k, times = atoi(argv[2]);
    for (k = 0; k < 1000; k++) a[k] = b[k] = (unsigned)(k * argc);
    bursty_start(NULL);
    bursty_pause(1);
    for (k = 0; k < times && argc > 2; k++) all += loops[atoi(argv[1])](1000);
    return all == 12345;
}
END_OF_FILE
counted() { # FORM LOOP TIMES
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$out/form$1" "$2" "$3" 2>&1 |
        sed -n 's/.*Collected : //p'
}
for form in 0 1 2 3; do gcc -O2 -w -I. -DFORM=$form -o "$out/form$form" "$out/loops.c"; done
echo "| loop | plain | \`BURST_BODY\` | \`BURST_FOR\` | \`BURST_FOR_LEAF\` |"
echo "|---|--:|--:|--:|--:|"
number=0
for loop in hash compare; do
    for form in 0 1 2 3; do
        echo "$(counted $form $number 1100) $(counted $form $number 100)"
    done | awk -v loop=$loop '{ row = row sprintf(" %.2f |", ($1 - $2) / 1e6) } END { print "| " loop " |" row }'
    number=$((number + 1))
done
