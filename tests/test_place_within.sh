#!/bin/sh
# test_place_within.sh - bursty place --within N: loops get a check in every so many rounds, what costs
# too much a check of its own, and the proof counts how many instructions run between two checks. It
# refuses loops whose budget does not only fall.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-cc}
bursty=$BUILD/bursty
dir=$BUILD/tests/within
rm -rf "$dir"
mkdir -p "$dir/tmp" || exit 2
export TMPDIR=$dir/tmp BURSTY_CACHE=$dir/../cc_runtime
shown=$dir/out

place() { "$bursty" place "$@" >"$dir/out" 2>&1; }
says() { # STATUS PATTERN OPTIONS...
    wanted=$1 pattern=$2
    shift 2
    place "$@"
    status=$?
    if [ $status = "$wanted" ] && grep -qE "$pattern" "$dir/out"; then pass
    else fail "$*: status $status, not $wanted with '$pattern'"; fi
}

# main's calls cost too much: g and then a, the dearest that it calls, get a check. huge is dearer than a,
# but another function calls it, for which it is cheap enough.
cat >"$dir/dearest.burstycg" <<'G'
U 1 0000000000000000 0000000000000000 x.c
F main g 1 0000000000000001 - 0 x.c 10
C a -
C a -
C a -
C a -
C g -
B c0c1c2c3c4
F g s 2 0000000000000002 - 0 x.c 10
C huge -
B c0
F a s 3 0000000000000003 - 0 x.c 50
B r
F huge s 4 0000000000000004 - 0 x.c 60
B r
G
says 0 '^g  .* check  --within: too much' --set Q --within 1500 --list "$dir/dearest.burstycg"
says 0 '^a  .* check  --within: too much' --set Q --within 1500 --list "$dir/dearest.burstycg"
says 0 '^huge  .* none  ' --set Q --within 1500 --list "$dir/dearest.burstycg"

cat >"$dir/p.c" <<'C'
#include <stdio.h>
#include <string.h>
static char big[1 << 16];
static unsigned long sum(const char *p, const char *e) { unsigned long s = 0; while (p < e) s = s * 31 + (unsigned char)*p++; return s; }
static int same(const char *a, const char *b) { int n = 0; for (; *a && *a == *b; a++, b++) n++; return n; }
static int steps(unsigned n) { int k = 0; do { k++; n = n & 1 ? 3 * n + 1 : n / 2; } while (n != 1); return k; }
static int again(int n) { int s = 0; more: s += n & 7; if (--n > 0) goto more; return s; }
static int nested(int n) { int i, k, s = 0; for (i = 0; i < n; i++) for (k = 0; k < n; k++) s ^= i * k; return s; }
static int wide(int x) { return x * 7 + (x >> 3) - x / 3 * x % 5 + (x << 2 ^ x) - (x | 9) * (x & 3) + x / 7 - x % 9; }
static int one(int x) { return x * 7 + (x >> 3); }
static int calls(int n) { int s = 0; while (n-- > 0) s += one(n) + wide(n); return s; }
static int bounded(void) { int s = 0; for (int i = 0; i < 8; i++) s += big[i]; return s; }
__attribute__((noinline)) static int leaf(int x) { struct bursty_no_check; return x / 3 + x % 5; }
int main(void) {
    int i; unsigned long t = 0;
    memset(big, 'a', sizeof big - 1);
    for (i = 0; i < 4; i++) {
        big[i] = (char)(i + 1);
        t += sum(big, big + sizeof big) + (unsigned)(same(big, big + 1) + steps(97) + again(5000) + nested(90));
        t += (unsigned)(calls(3000) + bounded() + leaf(i));
    }
    printf("%lu\n", t);
    return 0;
}
C
build() { # OUT OPTIONS...
    out=$1
    shift
    "$bursty" cc "$@" -- $CC -O2 -g -w -o "$dir/$out" "$dir/p.c" >"$dir/log" 2>&1 || fail "$out: $(cat "$dir/log")"
}
needs_programs "$dir"
$CC -O2 -w -o "$dir/plain" "$dir/p.c" || exit 2
"$dir/plain" >"$dir/plain.out"
build graph

# ---- the plan
says 0 '[0-9]+ loops?: .*strip [1-9]' --set Q --within 20000 -o "$dir/plan" "$dir/graph"
check "a loop has a weight and a budget" grep -qE '^P .* sum [0-9a-f]{16} [01] 0:[1-9][0-9]*:625 ' "$dir/plan"
check "nested loops have one each" grep -qE ' nested [0-9a-f]{16} [01] 0:[0-9]+:625,1:[0-9]+:625 ' "$dir/plan"
check "bounded loops need none" grep -qE ' bounded [0-9a-f]{16} [01] - ' "$dir/plan"
one=$(sed -n 's/^P .* calls [0-9a-f]* [01] 0:\([0-9]*\):.*/\1/p' "$dir/plan")
alone=$(sed -n 's/^P .* again [0-9a-f]* [01] 0:\([0-9]*\):.*/\1/p' "$dir/plan")
ok $([ "${one:-0}" -gt 5 ] && [ "${alone:-0}" -gt 3 ]; echo $?) "a round counts what it calls: $one, $alone"
says 0 '^9 loops: .*within' --set Q --within 1000 "$dir/graph"
check "what costs too much has an entry check" grep -qE "^11 functions: 5 with a check: within 5" "$dir/out"
says 0 'loop 0, line 4: check  --within' --set Q --within 20000 --why sum "$dir/graph"
place --set Q "$dir/graph"
ok $(grep -qE 'strip|within' "$dir/out"; [ $? = 1 ]; echo $?) "none without the option"

# ---- the program
build bound --plan="$dir/plan"
"$dir/bound" >"$dir/bound.out" && BURSTY_EVERY=90 BURSTY_FILE="$dir/bound.brst" "$dir/bound" >"$dir/bound.out2"
check "it prints the same" cmp "$dir/plain.out" "$dir/bound.out"
check "and while it samples" cmp "$dir/plain.out" "$dir/bound.out2"
"$bursty" report --events "$dir/bound.brst" >"$dir/out" 2>&1 || "$bursty" report "$dir/bound.brst" >"$dir/out" 2>&1
checks=$(sed -n 's/.*checks \([0-9 ]*\);.*/\1/p' "$dir/out" | tr -d ' ')
# about 4 * (65536 + 65535 + 5000 + 8190 + 3000) rounds, and a check for every 30 to 200 of them
ok $([ "${checks:-0}" -gt 2000 ] && [ "${checks:-0}" -lt 40000 ]; echo $?) "checks of strips: '$checks'"
ok $(sed -n '/^functions: loop trips/,/^$/p' "$dir/out" | grep -qE ' (sum|same) '; [ $? = 1 ]; echo $?) "a strip is no event"
says 0 '^holds on the graph' --built --set Q "$dir/bound"

# ---- dual form: a check in each round, and the same output
build dual --plan="$dir/plan" --form=dual
"$dir/dual" >"$dir/dual.out"
check "two copies print the same" cmp "$dir/plain.out" "$dir/dual.out"
build portable --plan="$dir/plan" --form=scope
"$dir/portable" >"$dir/portable.out"
check "scopes print the same" cmp "$dir/plain.out" "$dir/portable.out"
"$bursty" cc --plan="$dir/plan" -- $CC -O2 -w -DBURSTY_PORTABLE -o "$dir/inc" "$dir/p.c" >"$dir/log" 2>&1
ok $? "checks in C build"
"$dir/inc" >"$dir/inc.out"
check "checks in C print the same" cmp "$dir/plain.out" "$dir/inc.out"

# ---- what is refused
for value in 0 999 1000000001 x 1e4 -5 '10000 ' 5000x; do
    says 2 "place: --within: '.*' is not valid: a number from 1000 to 1000000000 is wanted" --within "$value" "$dir/graph"
done
says 2 'place: --within goes with a plan or --prove' --built --within 5000 "$dir/graph"
says 2 'place: --within is given twice' --within 5000 --within=5000 "$dir/graph"
for loops in 0:5 0:5:6:7 0: :5:6 0:5:6, 0::6 0:5,1; do
    printf 'bursty plan 1\nP p.c sum 0123456789abcdef 0 %s leaf\n' "$loops" >"$dir/bad"
    "$bursty" cc --plan="$dir/bad" -- $CC -O2 -w -o "$dir/no" "$dir/p.c" >"$dir/out" 2>&1
    ok $([ $? = 2 ] && grep -q 'bad' "$dir/out"; echo $?) "a plan with loops $loops is refused"
done

# ---- the proof
printf 'int main(void) { return 0; }\n' >"$dir/empty.c"
$CC -o "$dir/empty" "$dir/empty.c" 2>"$dir/log"
if [ "$($CC -dumpmachine | cut -d- -f1)" != x86_64 ] || ! "$dir/empty"; then
    leave "machine code of x86-64 ELF files is proved"
fi
says 0 '^within 20 000 instructions: at most [0-9 ]+ run between two checks' --prove --set Q --within 20000 "$dir/bound"
check "strips are counted" grep -qE '^  [0-9]+ loops have a check in every so many rounds: at most [0-9 ]+ instructions' "$dir/out"
says 1 '^NOT within 20 000 instructions: [0-9]+ loops have no end' --prove --set Q --within 20000 "$dir/graph"
check "the witness is named" grep -qE '^  loop: [a-z]+ 0x[0-9a-f]+ \(.*p\.c:[0-9]+\), [0-9]+ instructions' "$dir/out"
says 1 '^NOT within 1 000 instructions: at most [0-9 ]+ run' --prove --set Q --within 1000 "$dir/bound"
says 0 '^holds on|^proved' --prove --set Q "$dir/bound"
ok $(grep -q within "$dir/out"; [ $? = 1 ]; echo $?) "not asked, not said"

# Loops by hand. A budget that only falls has an end; what refills it without a check has none.
sed 's/%/%%/g' >"$dir/hand.c" <<'C'
#define HAND(name, text) static int __attribute__((noinline, noclone)) name(int n) { \
    __asm__ __volatile__(text ::: "eax", "ecx", "edx", "cc", "memory"); return n; }
#define FALLS "movl $100, %eax\n1: subl $3, %eax\n js 2f\n"
#define AGAIN " decl %ecx\n jnz 1b\n2:"
HAND(falls, FALLS AGAIN)
HAND(moved, FALLS "movl %eax, %edx\n xorl %eax, %eax\n movl %edx, %eax\n" AGAIN)
HAND(long_way, "movl $100, %ecx\n1: subl $3, %ecx\n jns 3f\n jmp 2f\n3: nop\n nop\n nop\n" " decl %edx\n jnz 1b\n2:")
HAND(refilled, FALLS "movl $100, %eax\n" AGAIN)
HAND(raised, FALLS "addl $9, %eax\n" AGAIN)
HAND(unknown, "1: subl $3, %eax\n js 2f\n" AGAIN)
HAND(around, FALLS " decl %ecx\n jnz 1b\n2: movl $100, %eax\n decl %edx\n jnz 1b")
HAND(passed_by, "movl $100, %eax\n1: testl $1, %ecx\n jz 3f\n subl $3, %eax\n js 2f\n3:" AGAIN)
HAND(other_register, FALLS "movl %edx, %eax\n" AGAIN)
HAND(greater, "movl $100, %eax\n1: subl $3, %eax\n jg 2f\n" AGAIN)
HAND(overflow, "movl $100, %eax\n1: subl $3, %eax\n jo 2f\n" AGAIN)
HAND(flags_lost, "movl $100, %eax\n1: subl $3, %eax\n testl %ecx, %ecx\n js 2f\n" AGAIN)
HAND(stays, "movl $100, %eax\n1: subl $3, %eax\n js 1b\n" AGAIN)
HAND(at_once, "movl $-100, %eax\n1: subl $3, %eax\n js 2f\n" AGAIN)
int main(int n, char **v) {
    return falls(n) + moved(n) + long_way(n) + refilled(n) + raised(n) + unknown(n) + around(n) + passed_by(n) +
           other_register(n) + greater(n) + flags_lost(n) + stays(n) + at_once(n) + overflow(n);
}
C
"$bursty" cc -- $CC -O2 -w -o "$dir/hand" "$dir/hand.c" >"$dir/log" 2>&1 || fail "by hand: $(cat "$dir/log")"
place --prove --within 50000 "$dir/hand"
found=$(sed -n 's/^  loop: \([a-z_]*\) 0x.*/\1/p' "$dir/out" | sort -u | tr '\n' ' ')
ok $([ "$found" = 'around flags_lost greater other_register overflow passed_by raised refilled stays unknown ' ]; echo $?) \
    "what has no end by hand: $found"
# 34 rounds of 4, of 7, of 7 and what stands around, and one round that is the last
check "what has one is counted" grep -qE '^  4 loops have a check in every so many rounds: at most 2[4-9][0-9] instructions' "$dir/out"

# A run goes back through callers, and what they do behind their calls adds up: three times 300, then
# through a function without a check, 150, and down into one whose check stands behind 200.
cat >"$dir/back.c" <<'C'
#define LONG(n) __asm__ __volatile__(".rept " #n "\n nop\n .endr");
#define APART __attribute__((noinline, noclone))
static APART int inner(int x) { struct bursty_check; return x * 3; }
static APART int next(int x) { struct bursty_no_check; LONG(200) return inner(x) + 1; }
static APART int pass(int x) { struct bursty_no_check; LONG(150) return x; }
static APART int first(int x) { struct bursty_no_check; x = inner(x); LONG(300) return x; }
static APART int second(int x) { struct bursty_no_check; x = first(x); LONG(300) return x; }
static APART int third(int x) { struct bursty_no_check; x = second(x); LONG(300) return x; }
int main(int n, char **v) { struct bursty_no_check; return next(pass(third(n))); }
C
"$bursty" cc -- $CC -O2 -w -o "$dir/back" "$dir/back.c" >"$dir/log" 2>&1 || fail "back: $(cat "$dir/log")"
says 0 '^within 2 000 instructions: at most 1 2[5-9][0-9] run between two checks' --prove --within 2000 "$dir/back"
finish
