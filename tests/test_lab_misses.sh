#!/bin/sh
# test_lab_misses.sh - bursty-lab misses on a trace whose misses a list that is searched from the
# front counts: exactly, and in bursts, whose intervals hold the truth; and on broken traces.
CC=${CC:-cc} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
top=$PWD lab=$BUILD/bursty-lab bursty=$BUILD/bursty
dir=$BUILD/tests/lab_misses
rm -rf "$dir"
mkdir -p "$dir"
. tests/check.sh
run() { # STATUS ARGUMENT...: output in out, errors in err
    wanted=$1
    shift
    (cd "$dir" && $RUN "$lab" misses "$@" >out 2>err)
    got=$?
    if [ $got = "$wanted" ]; then pass; else fail "status $got, not $wanted: $*: $(head -n 3 "$dir/err")"; fi
}
refused() { # MESSAGE ARGUMENT...: one line, status 2
    message=$1
    shift
    run 2 "$@"
    if [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q -e "$message" "$dir/err"; then pass
    else fail "no '$message': $(cat "$dir/err")"; fi
}

cat >"$dir/make.c" <<'END'
/* Writes t.refs, t.table and t.symbols, and prints `function object misses` at 768 blocks. Phases by chance: large walks
   1 MB of window, small 8 kB of table, both walks of either in turns; a check (call or back-edge) every 8 accesses. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { LARGE = 16384, SMALL = 128, CACHE = 768 };
static FILE *refs;
static uint32_t list[CACHE], used;
static unsigned long misses[3][2];
static uint64_t seed = 3;
static unsigned below(unsigned n) { seed = seed * 6364136223846793005u + 1442695040888963407u; return (unsigned)(seed >> 40) % n; }
static void word(FILE *f, uint64_t v, int bytes) { while (bytes--) { putc((int)(v & 255), f); v >>= 8; } }
/* The site of function f on object o is one row of the table for each block. */
static void access_block(unsigned f, unsigned o, unsigned block) {
    uint32_t number = (o ? LARGE : 0) + block, depth = 0;
    while (depth < used && list[depth] != number) depth++;
    if (depth == used) {
        misses[f][o]++;
        if (used < CACHE) used++;
        else depth--;
    }
    memmove(list + 1, list, depth * sizeof *list);
    list[0] = number;
    word(refs, f * (LARGE + SMALL) + number, 4);
}
int main(void) {
    static const char *const names[] = {"large", "small", "both"};
    FILE *table = fopen("t.table", "wb"), *symbols = fopen("t.symbols", "w");
    unsigned f, n, phase, at = 0, i;
    refs = fopen("t.refs", "wb");
    for (f = 0; f < 3; f++)
        for (n = 0; n < LARGE + SMALL; n++) {
            word(table, 0x1000 + f * 0x100 + 16 + (n >= LARGE), 8);
            word(table, n < LARGE ? 0x1000000 + n * 64 : 0x2000000 + (n - LARGE) * 64, 8);
        }
    fclose(table);
    for (f = 0; f < 3; f++) fprintf(symbols, "%016x 0000000000000100 T %s\n", 0x1000 + f * 0x100, names[f]);
    fprintf(symbols, "                 U printf\n0000000001000000 0000000000100000 B window\n0000000002000000 0000000000002000 b table\n");
    fclose(symbols);
    for (phase = 0; phase < 500; phase++) {
        unsigned length = 100 + below(4000);
        f = below(4);
        if (f == 3) f = 1;
        word(refs, 0x80000000u, 4);
        for (i = 0; i < length; i++) {
            if (i % 8 == 7) word(refs, 0xC0000000u, 4);
            if (f == 0 || (f == 2 && i % 2)) access_block(f, 0, at++ % LARGE);
            else access_block(f, 1, i % SMALL);
        }
        word(refs, 0xE0000000u, 4);
    }
    fclose(refs);
    for (f = 0; f < 3; f++) for (n = 0; n < 2; n++) if (misses[f][n]) printf("%s %s %lu\n", names[f], n ? "table" : "window", misses[f][n]);
    return 0;
}
END
${HOSTCC:-$CC} -O2 -w -o "$dir/make" "$dir/make.c" || { echo "0 passed, 1 failed"; exit 1; }
(cd "$dir" && $RUN ./make >truth) || fail "no trace"

# ---- exactly what the list says ----

run 0 --caches 48k --symbols t.symbols --csv --dump t.brst t.refs t.table
cp "$dir/out" "$dir/exact.csv"
LC_ALL=C awk -F, '/^# / { here = /miss_pairs/ } here && NF == 7 && $1 != "share" { print $6, $7, $5 }' \
    "$dir/exact.csv" | sort >"$dir/got"
if sort "$dir/truth" | cmp -s - "$dir/got"; then pass
else fail "another truth: $(cat "$dir/truth"), not $(cat "$dir/got")"; fi
$RUN "$bursty" report --csv "$dir/t.brst" | cmp -s - "$dir/exact.csv" && pass || fail "the dump says something else"
run 0 --symbols t.symbols t.refs t.table
grep -q 'misses at 48 KiB .* in large, there 100 % on window' "$dir/out" && pass || fail "no sentence: $(head -n 4 "$dir/out")"
run 0 t.refs t.table
grep -q '0x1010' "$dir/out" && pass || fail "no site without symbols"

# ---- bursts: intervals ----

seed=1
: >"$dir/held"
while [ $seed -le 20 ]; do
    run 0 --caches 48k --symbols t.symbols --csv --every 2300 --burst 700 --jitter 50 --seed $seed t.refs t.table
    LC_ALL=C awk -f "$top/tests/misses/held.awk" "$dir/exact.csv" "$dir/out" >>"$dir/held"
    seed=$((seed + 1))
done
if LC_ALL=C awk '{ held += $2; all += $3; none += $4; width += $5 }
    END { print held, all, none, width / all; exit !(all > 200 && none < all / 10 && held >= .93 * all && width / all < 2) }' "$dir/held" >"$dir/sum"
then pass; else fail "held, all, without, width: $(cat "$dir/sum")"; fi

# A burst that is too short for a size does not tell of it.
run 0 --caches 8k,1m --symbols t.symbols --csv --every 2300 --burst 700 --jitter 50 t.refs t.table
grep -qE '^1048576,(,|0,0,)' "$dir/out" && pass || fail "1m is judged: $(grep 1048576 "$dir/out")"

# ---- broken input ----

head -c 1001 "$dir/t.refs" >"$dir/cut.refs"
refused 'cut.refs: offset 1000: an event is cut short' cut.refs t.table
refused 'cut.refs: a row is cut short\|offset .*: a row is cut short' t.refs cut.refs
refused 'a TABLE is wanted' t.refs
refused 'is not in the table' t.refs /dev/null
refused 'line 1: not a line of nm -S' --symbols make.c t.refs t.table
refused 'too many sizes' --caches 1k,2k,3k,4k,5k t.refs t.table
refused 'a size such as' --caches 0 t.refs t.table
refused 'needs --every' --burst 5 t.refs t.table
refused 'no option' --nothing t.refs t.table
refused 'No such file' none.refs t.table
printf '==1== lackey\nI  0400,3\n L 1ffe,8\n S 1ffe,8\n M 3000,4\n' >"$dir/lackey"
run 0 --lackey --caches 64,128 --csv lackey
grep -q '^0.666666667,0.666666667,0.666666667,2,0x400' "$dir/out" || grep -q ',2,0x400' "$dir/out" && pass || fail "lackey: $(cat "$dir/out")"
finish
