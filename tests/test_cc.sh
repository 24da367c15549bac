#!/bin/sh
# test_cc.sh - bursty cc as a compiler: what it makes runs as before and leaves a dump; messages, status, line numbers and
# dependency files are the compiler's own; one trap in each program.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder cc
shares_runtime
same() { # WHAT A B
    if cmp -s "$2" "$3"; then pass; else fail "$1"; diff "$2" "$3" | head -n 8; fi
}
bursty() { "$build/bursty" "$@"; }
with() { bursty cc "$@"; }

cat >hello.c <<'END'
#include <stdio.h>
int main(void) { printf("hello\n"); return 0; }
END
if ! $CC -o hello hello.c 2>/dev/null || ! ./hello >/dev/null 2>&1; then leave "$CC makes no programs that run here"; fi
case $(uname -s) in Linux) ;; *) leave "not Linux" ;; esac

# ---- a program, its dump, the report ----------------------------------------------------------------------------------

cat >work.c <<'END'
#include <stdio.h>
#include <string.h>
static int leaf(int n) { return n + 1; }
static int fib(int n) { return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2); }
static int loops(int n) {
    int i, s = 0;
    for (i = 0; i < n; i++) s += leaf(i);
    do s--; while (s > 100);
    return s;
}
int main(int argc, char **argv) {
    int i, s = 0;
    for (i = 0; i < 20; i++) s += fib(15) + loops(1000);
again:
    if (s++ < 100000) goto again;
    printf("%d %d %s\n", s, argc, strrchr(argv[0], '/'));
    return 3;
}
END
for form in point scope; do
    for set in "--entries=safe --loops=L4" "--entries=all --loops=all" "--entries=EL --loops=L10" "--entries=EN --loops=LN"; do
        case $form$set in scope*EL*|scope*safe*) continue ;; esac
        rm -f program.brst
        # shellcheck disable=SC2086
        $CC -O1 -o program work.c && ./program x >plain.out; plain=$?
        # shellcheck disable=SC2086
        with --form=$form $set -- $CC -g -O2 -Wall -Wextra -o program work.c >log 2>&1 || fail "$form $set does not compile"
        [ -s log ] && fail "$form $set: a message" && head -n 5 log
        ./program x >out; status=$?
        same "$form $set: output" plain.out out
        [ "$status" = "$plain" ] || fail "$form $set: status $status"
        case $set in
        *EN*) [ ! -f program.brst ] || fail "$form: a dump without a check" ;;
        *) bursty report --csv program.brst >csv 2>&1 && grep -q fib csv && pass || fail "$form $set: no fib in the report" ;;
        esac
    done
done
BURSTY_FILE=other.brst ./program x >/dev/null
with --every=90 --burst=10 --dump=own.brst -- $CC -o program work.c && ./program x >/dev/null
bursty report own.brst | grep -q 'asked 10 %' && pass || fail "--every, --dump"
BURSTY_FILE=env.brst BURSTY_EVERY=190 ./program x >/dev/null; bursty report env.brst | grep -q 'asked 5 %' && pass || fail "BURSTY_FILE, BURSTY_EVERY"
BURSTY_FILE=env.brst BURSTY_EVERY=0 ./program x >/dev/null; bursty report env.brst | grep -q 'asked 100 %' && pass || fail "BURSTY_EVERY=0 leaves gaps"
BURSTY_EVERY=10x ./program x 2>log >/dev/null; grep -q "BURSTY_EVERY: '10x' is not valid" log && pass || fail "BURSTY_EVERY that is no number"
echo precious >text; BURSTY_FILE=text ./program x 2>log >/dev/null
[ "$(cat text)" = precious ] && grep -q 'text: is no .brst file and is not overwritten' log && pass || fail "BURSTY_FILE over another file"
rm -f own.brst; BURSTY_OFF=1 ./program x >/dev/null; [ ! -f own.brst ] && pass || fail "BURSTY_OFF"
with --only='fi*' --entries=all --loops=LN -- $CC -o program work.c && ./program x >/dev/null
bursty report --csv program.brst >csv; { grep -q fib csv && ! grep -q leaf csv; } && pass || fail "--only"
rm -f program.brst
with --not='fib' --not=main --not=loops --entries=all -- $CC -o program work.c && ./program x >/dev/null
bursty report --csv program.brst >csv; { ! grep -q fib csv && grep -q leaf csv; } && pass || fail "--not"

# ---- two copies ---------------------------------------------------------------------------------------------------------

# What has no check is recorded by second copies: leaf, and the loop of few rounds in loops.
rm -f program.brst left
with --form=dual --list=left --every=9 --burst=3 -- $CC -O1 -Wall -Wextra -o program work.c >log 2>&1 || fail "dual does not compile"
empty log && empty left && pass || { fail "dual: messages"; cat log left; }
./program x >out; status=$?
same "dual: output" plain.out out
[ "$status" = "$plain" ] && pass || fail "dual: status $status"
bursty report --csv program.brst >csv; { grep -q fib csv && grep -q leaf csv; } && pass || { fail "dual: no events without checks"; cat csv; }
bursty report program.brst | sed -n '/^checks:/,$p' >checks
{ grep -q '^ *[0-9].* fib ' checks && ! grep -q '^ *[0-9].* leaf ' checks && tr '\n' ' ' <checks | grep -q 'bursty cc placed these'; } && pass || { fail "dual: which checks are bursty cc's"; cat checks; }
# The loop of line 8 stands behind 1000 checks: who was led into the second copy by a burst of 3 still counts there.
grep -q 'work.c:8' csv && pass || fail "dual: an event behind 1000 checks"
# mid2 has no check and stands behind the 8 checks of mid's loop in its round: bursts of 20 see 12 of 20. So does later, whose
# caller stands in front of it, and fast, which is inlined everywhere else. one has one copy: it keeps its state, and tests.
cat >behind.c <<'END'
volatile int N = 8;
static int leaf(int x) { return x * 3; }
static int mid(int x) { int s = 0, n = N; for (int i = 0; i < n; i++) s += leaf(x + i); return s; }
static inline __attribute__((always_inline)) int fast(int x) { return leaf(x) + 1; }
static int mid2(int x) { return fast(x) + leaf(x + 1); }
static int one(void) { static int n; return ++n; }
static int later(int x);
int work(int n) { int s = 0; for (int i = 0; i < n; i++) { s += mid(i); s += mid2(i) + later(i) + one(); } return s; }
static int later(int x) { return leaf(x) - 1; }
int main(void) { int s = 0; for (int k = 0; k < 500; k++) s += work(100); return s == 1; }
END
# Without variables of threads: the word of checks is one of the program.
for form in point scope dual; do
    rm -f behind.brst
    with --no-tls --form=$form -- $CC -std=gnu99 -O1 -o behind behind.c >log 2>&1 && BURSTY_EVERY=380 ./behind &&
        bursty report behind.brst >log 2>&1 && grep -q work log && pass || fail "--no-tls --form=$form: $(cat log)"
done
rm -f left behind.brst
with --form=dual --list=left -- $CC -std=gnu99 -O1 -o behind behind.c >log 2>&1 && BURSTY_EVERY=380 BURSTY_BURST=20 ./behind && pass || fail "dual: behind: $(cat log)"
calls_are() { # WHAT NAME:CALLS...: within 10 %
    what=$1
    shift
    for name; do
        awk -v name="${name%:*}" -v truth="${name#*:}" '$1 == name { seen = $2 } END { exit !(seen > 0.9 * truth && seen < 1.1 * truth) }' calls &&
            pass || fail "dual: $what: $name: $(cat calls)"
    done
}
estimates() { # DUMP: the calls of each function, to the file calls
    bursty report --sums "$1" | awk -F, '$0 ~ /,calls,calls,/ { for (i = 1; i <= NF; i++) if ($i == "calls" && $(i + 1) == "calls") calls[$(i + 2)] += $(i + 6) }
        END { for (name in calls) print name, calls[name] }' >calls
}
estimates behind.brst
calls_are behind mid:50000 mid2:50000 later:50000 fast:50000 one:50000 leaf:550000
# With bursts of 5 they stand behind whole bursts, and count as much.
BURSTY_EVERY=95 BURSTY_BURST=5 ./behind && estimates behind.brst
calls_are 'behind whole bursts' mid:50000 mid2:50000 later:50000 fast:50000 one:50000 leaf:550000
bursty report behind.brst | grep -q '^MISSING: functions and loops seen behind a check alone: ' && pass ||
    fail "dual: what two copies do not see is no loss: $(bursty report behind.brst | head -n 12)"
[ "$(cat left)" = 'behind.c:6: one: one copy: static-local' ] && pass || fail "dual: one copy that tests: $(cat left)"
# Functions without a check that another file, a pointer or a table leads to have a twin. An argument may hold such calls itself,
# with checks in them. kind has one copy, and tests.
cat >here.c <<'END'
typedef int (*fn)(int);
struct op { fn f; };
extern struct op table[2];
int far(int x), two(int x, int y), kind(int x), back(int x), (*give(int x))(int);
void nothing(void);
int round8(int x);
int back(int x) { return x - 1; }
static int local(int x) { return round8(x) + far(x); }
int main(void) {
    int i, s = 0;
    for (i = 0; i < 50000; i++) {
        s += far(i) + two(local(i), far(i)) + kind(i);
        s += table[i & 1].f(i) + (*table[0].f)(i) + give(i & 1)(i);
        nothing();
    }
    return s == 1;
}
END
cat >there.c <<'END'
typedef int (*fn)(int);
struct op { fn f; };
volatile int N = 8;
int back(int x);
static int leaf(int x) { return x + 1; }
int far(int x) { return leaf(x); }
int two(int x, int y) { return x - y; }
int kind(int x) { static int n; return x + ++n; }
static int even(int x) { return x & 2; }
static int odd(int x) { return x & 3; }
struct op table[2] = { { even }, { odd } };
fn give(int x) { return x ? odd : even; }
void nothing(void) {}
int round8(int x) { int i, s = 0, n = N; for (i = 0; i < n; i++) s += leaf(x) + back(x); return s; }
END
for words in "-O2 -Wall -Wextra -pedantic -std=c99" "-O0 -fPIE" -fPIC; do
    rm -f left here.brst
    # shellcheck disable=SC2086
    with --form=dual --list=left --every=190 --burst=10 -- $CC $words -o here here.c there.c >log 2>&1 && ./here && [ ! -s log ] && pass || fail "dual: twins: $words: $(cat log)"
    [ "$(cat left)" = 'there.c:8: kind: one copy: static-local' ] && pass || fail "dual: twins: $words: $(cat left)"
    estimates here.brst
    calls_are "twins $words" far:150000 two:50000 kind:50000 local:50000 even:100000 odd:50000 give:50000 nothing:50000 leaf:550000 back:400000
done
cat >copies.c <<'END'
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#define W __attribute__((warn_unused_result))
typedef struct pair { int a, b; } pair;
static pair swap(pair p) { pair q = { p.b, p.a }; return q; }
static W int (odd)(int n) { return n & 1; }
static int counts(void) { static int n; return odd(++n); }
static int sums(int n, ...) { int s = 0; va_list l; va_start(l, n); while (n--) s += va_arg(l, int); va_end(l); return s; }
static int cb(int (*f)(int, int), const int a[], unsigned n) { int s = 0; unsigned i; for (i = 0; i < n; i++) s = f(s, a[i]); return s; }
static int add(int a, int b) { return a + b; }
static int loops(int n) {
    int i, j, k, s = 0;
    for (i = 0; i < n; i++) { for (j = 0; j < i; j++) for (k = 0; k < 2; k++) if (j == k) continue; else if (j > 20) break; else s += add(j, k); if (s > 9999) return s; }
    while (i--) { switch (i & 3) { case 0: s++; break; case 1: continue; default: s += odd(i); } if (i == 3) goto out; }
out: for (i = 0; i < 3; i++) { s += i; if (s < 0) goto next; next: s++; }
    switch (n & 1) { for (; i < 9; i++) { case 0: s++; case 1: s += 2; } }
    do if (s & 1) s--; else { s -= 3; add(s, 1); } while (s > 40);
    return s;
}
static int jumps(int n) {
    static void *const to[] = { &&even, &&odd }; int s = 0, i;
    for (i = 0; i < n; i++) { goto *to[i & 1]; even: s += 2; if (s > 90) goto out; continue; odd: s++; }
    for (i = 0; i < n; i++) { int k; for (k = 0; k < i; k++) { if (k == 3) goto on; if (k == 7) goto done; s += odd(k); continue; on: s--; } done: s++; }
    if (n == 5) goto inside;
    while (n-- > 0) { s++; inside: s += add(s, n); }
out: return s;
}
static void nothing(void) { printf("%s\n", __func__); add(1, 2); }
static _Noreturn void stop(int s) { nothing(); exit(s); }
static const char *named(const char *volatile p, int (*const q)[2]) { return (*q)[0] ? p : __func__; }
int main(void) {
    int a[] = { 3, 4, 5 }, q[2] = { 0, 1 }, s = 0, r;
    pair p = { 1, 2 };
    for (r = 0; r < 300; r++) { p = swap(p); s += cb(add, a, 3) + loops(r % 30) + jumps(r % 40) + counts() + sums(2, r, p.a); }
    nothing();
    printf("%d %d %s\n", s, p.a, named("x", &q));
    stop(7);
}
END
for words in "-O0 -std=c11" "-O2 -Wall -std=gnu99 -pedantic"; do
    # shellcheck disable=SC2086
    $CC $words -o plain copies.c 2>plain.log && ./plain >plain.out; plain=$?
    for set in "--entries=all --loops=all" "--entries=safe --loops=L4" "--entries=EN --loops=all"; do
        rm -f left
        # shellcheck disable=SC2086
        with --form=dual --list=left --every=2 --burst=7 $set -- $CC $words -o own copies.c 2>own.log || fail "dual $words $set: not compiled"
        same "dual $words $set: messages" plain.log own.log
        ./own >own.out; own=$?
        same "dual $words $set: output" plain.out own.out
        [ $own = $plain ] && pass || fail "dual $words $set: status $own"
        case $set in *=all*all*) cp left first ;; esac
        if grep 'left alone' left; then fail "dual $words $set"; fi
    done
done
for line in 'odd: one copy: declarator' 'counts: one copy: static-local' 'sums: one copy: variadic' 'stop: one copy: noreturn' \
            'jumps: a loop in one copy: label' 'loops: a loop in one copy: case-of-outer-switch'; do
    grep -q ": $line\$" first && pass || fail "dual: $line"
done
# A weak function may be replaced when the program is linked: its body has no second copy.
printf '__attribute__((weak, noinline)) int hook(int n) { return n; }\n%s\n' \
    'int main(void) { int i, sum = 0; for (i = 0; i < 1000; i++) sum += hook(i) + 1; return sum != 0; }' >weak.c
printf 'int hook(int n) { return n - n - 1; }\n' >strong.c
rm -f left
with --form=dual --list=left --every=3 --burst=5 --entries=all --loops=all -- $CC -O1 -o own weak.c strong.c && ./own && pass ||
    fail "dual: a weak function that is replaced"
grep -q 'hook: one copy: weak$' left && pass || fail "dual: weak: $(cat left)"
# A static table of numbers may stand twice if only its elements are read: nothing keeps an address of it, and nothing writes.
cat >tables.c <<'END'
extern int abs(int);
#define F __attribute__((noinline)) static
F int reads(int i) { static const unsigned char t[2] = {1, 2}; return i & t[i & 1]; }
F int takes(int i) { static const int t[2] = {1, 2}; static const int *last; int same = last == &t[0]; last = &t[0]; return same + i; }
F const int *gives(int i) { static const int t[2] = {1, 2}; return (i & 1) + t; }
F int writes(int i) { static int t[2] = {1, 2}; return t[i & 1]++; }
F int member(int i) { static const struct { int v[2]; } t[2] = {{{1, 2}}, {{3, 4}}}; return t[i & 1].v[0]; }
F int rows(int i) { static const int t[2][2] = {{1, 2}, {3, 4}}; return t[i & 1][0]; }
F int words(int i) { static const char *const t[2] = {"a", "b"}; return t[i & 1][0]; }
F int passes(int i) { static const int t[2] = {1, 2}; return abs(t[i & 1]); }
int main(void) {
    int i, sum = 0;
    for (i = 0; i < 100; i++)
        sum += reads(i) + takes(i) + *gives(i) + writes(i) + member(i) + rows(i) + words(i) + passes(i);
    return sum % 128;
}
END
rm -f left
$CC -O1 -o program tables.c && ./program; plain=$?
with --form=dual --list=left --every=3 --burst=5 -- $CC -O1 -o own tables.c && ./own; own=$?
[ $own = $plain ] && pass || fail "dual: tables: $own, not $plain"
[ "$(sed 's/^[^:]*:[0-9]*: //' left | sort | tr '\n' ' ')" = "$(for f in gives member passes rows takes words writes; do
    printf '%s: one copy: static-local ' $f; done)" ] && pass || fail "dual: tables: $(cat left)"
# A goto out of a loop's copy leads to a label without a check in the first copy: the round is seen, once. Of 101 rounds 100
# come so. Where the whole function has been entered in its second copy, the goto stays there, and the label sees 101.
cat >back.c <<'END'
static int sum;
int step(int x) { return x * 3 + 1; }
void turn(int n) {
    int i;
again:
    sum++;
    for (i = 0; i < 10; i++) {
        sum += step(i);
        if (i == 7 && n-- > 0) goto again;
    }
}
int main(void) { int k; for (k = 0; k < 1000; k++) turn(100); return 0; }
END
with --form=dual --dump=back.brst -- $CC -O1 -o own back.c && bursty place --set Q -o back.all own >log
rounds() { # PLAN: thousandths of the trips that are the label's
    with --form=dual --dump=back.brst --plan=$1 -- $CC -Wall -Wextra -Wshadow -Werror -O1 -o own back.c 2>log || fail "dual: goto: $(cat log)"
    BURSTY_EVERY=20 ./own
    bursty report --csv --min 0 back.brst | awk -F, '/^# / { trips = /loop trips/ } trips && $9 == "back.c:5" { print int($2 * 1000) }'
}
sed 's/^\(P [^ ]* turn [^ ]*\) . [^ ]* /\1 0 1 /; s/^\(P [^ ]* main [^ ]*\) . [^ ]* /\1 0 - /' back.all >back.loop
for plan in back.all back.loop; do
    share=$(rounds $plan)
    [ "${share:-0}" -ge 104 ] && [ "$share" -le 118 ] && pass || fail "dual: goto, $plan: $share of 1000"
done
# Who falls from that label into another one has begun a round of both: 51 and 101 of 962.
cat >back.c <<'END'
static int sum;
int step(int x) { return x * 3 + 1; }
void turn(int n) {
    int i;
again:
    sum++;
more:
    for (i = 0; i < 10; i++) {
        sum += step(i);
        if (i == 7 && n-- > 0) {
            if (n & 1) goto again;
            goto more;
        }
    }
}
int main(void) { int k; for (k = 0; k < 1000; k++) turn(100); return 0; }
END
with --form=dual --dump=back.brst -- $CC -O1 -o own back.c && bursty place --set Q -o back.all own >log
sed 's/^\(P [^ ]* turn [^ ]*\) . [^ ]* /\1 0 2 /; s/^\(P [^ ]* main [^ ]*\) . [^ ]* /\1 0 - /' back.all >back.loop
share=$(rounds back.loop)
[ "${share:-0}" -ge 46 ] && [ "$share" -le 60 ] && pass || fail "dual: goto, first label: $share of 1000"
share=$(bursty report --csv --min 0 back.brst | awk -F, '/^# / { trips = /loop trips/ } trips && $9 == "back.c:7" { print int($2 * 1000) }')
[ "${share:-0}" -ge 95 ] && [ "$share" -le 116 ] && pass || fail "dual: goto, second label: $share of 1000"
$CC -O1 -o program work.c && ./program x >plain.out; plain=$?

# ---- a plan ------------------------------------------------------------------------------------------------------------

with --side -- $CC -c work.c -o work.o
hash=$(awk '$1 == "F" && $2 == "fib" { print $5 }' work.o.burstycg)
printf 'bursty plan 1\nP work.c fib %s 0 - test\n' "$hash" >plan
rm -f program.brst
with --plan=plan --entries=all --loops=LN -- $CC -o program work.c && ./program x >/dev/null
bursty report --csv program.brst >csv; { ! grep -q fib csv && grep -q leaf csv; } && pass || fail "--plan: an entry without a check"
with --plan=plan --keep-events --entries=all --loops=LN -- $CC -o program work.c && ./program x >/dev/null
bursty report --csv program.brst >csv; grep -q fib csv && pass || fail "--keep-events"
sed 's/n < 2/n < 3/' work.c >changed.c; mv changed.c work2.c
with --plan=plan --entries=all --loops=LN -- $CC -o program work2.c && ./program x >/dev/null
bursty report --csv program.brst >csv; grep -q fib csv && pass || fail "--plan: a stale line must not count"
with --plan=none --entries=all -- $CC -c work.c && pass || fail "a plan that is not there yet"
# A plan for checks behind the optimizer is said to be of no use here, where there is no plugin.
sed 's/^P /O /' plan >plan.late; rm -f left
with --plan=plan.late --list=left --entries=all --loops=LN -- $CC -c -o late.o work.c 2>log && [ "$(wc -l <log)" = 1 ] && grep -q '^bursty: cc: work.c: the plan is one for checks behind the optimizer and is not obeyed: checks stand in source; build the plugin (bursty cc --build-plugin), or make a new plan of this build$' log && pass || fail "a plan for the plugin: $(cat log)"
grep -q '^work.c:1: the file: without a plan: the plan is one for checks behind the optimizer$' left && pass || fail "a plan for the plugin: $(cat left)"
with --plan=plan.late --side -- $CC -c -o late.o work.c 2>log && [ "$(wc -l <log)" = 1 ] && grep -q 'checks stand in source; make a new plan of this build$' log && pass || fail "a plan for the plugin, --side: $(cat log)"
mkdir -p deep/src && cp work.c deep/src/work.c && rm -f left
with --plan=plan --list=left --entries=all --loops=LN -- $CC -c -o deep.o deep/src/work.c && empty left && pass || fail "a plan knows a file by the end of its path"
sed 's/^P work.c/P x\/work.c/p;s/^P x/P y/' plan >plan2
with --plan=plan2 --list=left --entries=all -- $CC -c -o deep.o work.c && grep -q 'work.c:1: the file: without a plan: the plan has several files' left && pass || fail "two files with one end of the path"
rm -f left; with --plan=plan --list=left -- $CC -c -o deep.o work2.c && grep -q 'work2.c:1: the file: without a plan: the plan has no such file' left && pass || fail "a file that the plan does not know"
with --plan=/dev/zero -- $CC -c work.c 2>log; [ $? = 2 ] && grep -q '^bursty: /dev/zero: is no regular file' log && pass || fail "a plan that is a device"
echo 'no plan' >bad; with --plan=bad -- $CC -c work.c 2>log; [ $? = 2 ] && grep -q '^bursty: bad:1: ' log && pass || fail "a bad plan"
if command -v readelf >/dev/null 2>&1; then
    with -- $CC -c work.c && readelf -p .bursty.cg work.o 2>/dev/null | grep -q 'B W0{;c0;}D1{;}r' && pass || fail ".bursty.cg"
else skip "no readelf"; fi

# ---- messages, status, dependency files --------------------------------------------------------------------------------

cat >warn.c <<'END'
#include <stdio.h>
#define TWICE(x) ((x) + (x))
int g(int a);
int f(int a) { int unused; if (a = 1) return TWICE(a) + g(a); for (;;) a++; }
END
cat >error.c <<'END'
int f(int a) { if (a) { return a + ; } while (a) a--; return undeclared; }
END
cat >fall.c <<'END'
int f(int a) {
    switch (a) {
    case 1: a = 2; /* fall through */
    case 2: a = 3; break;
    default: break;
    }
    return a;
}
END
compare() { # ARGUMENTS: the same messages, the same status
    LC_ALL=C $CC "$@" -c -o plain.o >plain.log 2>&1; plain=$?
    rm -f o.o
    LC_ALL=C with -- $CC "$@" -c -o o.o >own.log 2>&1; own=$?
    same "messages of $*" plain.log own.log
    [ $plain = $own ] && pass || fail "status of $*: $own, wanted $plain"
    { [ $plain = 0 ] && [ -f o.o ]; } || { [ $plain != 0 ] && [ ! -f o.o ]; } && pass || fail "object of $*"
}
compare -Wall -Wextra warn.c
compare -Wall -Werror warn.c
compare error.c
compare -Wextra -Werror fall.c
compare -std=c90 -pedantic -Wall -Wextra -Werror work.c
compare missing.c
echo older >plain.o; $CC -c -o plain.o error.c 2>/dev/null; echo older >o.o; with -- $CC -c -o o.o error.c 2>/dev/null
{ [ -f plain.o ] && cmp -s plain.o o.o; } || { [ ! -f plain.o ] && [ ! -f o.o ]; } && pass || fail "an error and an older object"
compare -Wall -Wextra -Wshadow -Wconversion -Wdeclaration-after-statement -O2 work.c

echo 'int g(void); int (*p)(void) = g;' >inc.h
printf '#include "inc.h"\nint f(void) { return g(); }\n' >dep.c
mkdir -p a b
printf '#include "inc.h"\nint g(void) { return 0; }\nint main(void) { return g(); }\n' >depmain.c
# The last two are what automake and cmake write: the target's name is the output's.
for words in "-MD" "-MMD" "-MD -MP" "-MD -MF x.dep" "-MD -MT target -MF y.dep" "-MT dep.o -MD -MP -MF y.dep" "-MD -MQ dep.o -MF y.dep"; do
    rm -f dep.d x.dep y.dep
    # shellcheck disable=SC2086
    $CC $words -c dep.c -o dep.o && cat dep.d x.dep y.dep >plain.dep 2>/dev/null
    rm -f dep.d x.dep y.dep
    # shellcheck disable=SC2086
    with -- $CC $words -c dep.c -o dep.o && cat dep.d x.dep y.dep >own.dep 2>/dev/null
    same "dependencies of $words" plain.dep own.dep
    grep -q bursty dep.o && pass || fail "no check with $words"
done

for words in "-MD -o dep" "-MMD -MP -o a/dep" "-MD -MF x.dep -o dep" "-Wp,-MD,x.dep -o dep" "-Wp,-MMD,x.dep -c -o a/dep.o"; do
    for how in plain own; do
        rm -f dep.d a/dep.d x.dep dep a/dep.o
        case $how in plain) set -- ;; *) set -- "$build/bursty" cc -- ;; esac
        # shellcheck disable=SC2086
        "$@" $CC $words depmain.c && cat dep.d a/dep.d x.dep >$how.dep 2>/dev/null
    done
    same "dependencies of $words" plain.dep own.dep
done

# ---- command lines -----------------------------------------------------------------------------------------------------

echo 'int one(void); int two(void); int main(void) { return one() + two() - 3; }' >main.c
echo 'int one(void) { return 1; }' >a/util.c
echo 'int two(void) { int i, s = 0; for (i = 0; i < 2; i++) s++; return s; }' >b/util.c
with -- $CC -o two main.c a/util.c b/util.c && ./two && pass || fail "several sources, equal names"
with -- $CC -c main.c a/util.c && [ -f main.o ] && [ -f util.o ] && pass || fail "-c with several sources"
with -- $CC -c b/util.c -o b.o && with -- $CC -o two main.c a/util.c b.o && ./two && pass || fail "a source and an object"
printf '%s\n' '-DNAME="a b"' "-DX='c'" 'main.c a/util.c' '-o two' >words
with -- $CC @words b/util.c && ./two && pass || fail "@file"
for words in "-E main.c" "-S main.c -o main.s" "--version" "-c main.c -o /dev/null" "-fsyntax-only main.c"; do
    # shellcheck disable=SC2086
    $CC $words >plain.out 2>&1; plain=$?
    # shellcheck disable=SC2086
    with -- $CC $words >own.out 2>&1; [ $? = $plain ] && same "$words" plain.out own.out
done
echo 'int main(void) { return 0; }' | with -- $CC -x c - -o std && ./std && pass || fail "standard input"
printf '.text\n' >empty.s; with -- $CC -c empty.s -o empty.o && [ -f empty.o ] && pass || fail "assembly"
: >void.c; with -- $CC -c void.c -o void.o && [ -f void.o ] && pass || fail "an empty file"
with -- $CC -shared -fPIC -o lib.so b/util.c work.c 2>log && pass || { fail "a shared object"; head -n 3 log; }
cp work.c work.text; mkdir -p temps
checks() { nm "$1" 2>/dev/null | grep -q -e bursty_hit -e bursty_thunk; }
for words in "-x c work.text" "work.text -x none" "-v work.c" "-P work.c" "-save-temps=obj -c work.c -o temps/work.o" "-x c -c work.text -x none"; do
    case $words in *none) words="-x c $words" ;; esac
    rm -f program work.o temps/work.o; case $words in *-c*) out=work.o ;; *) out=program ;; esac
    case $words in *-c*) made= ;; *) made="-o program" ;; esac
    # shellcheck disable=SC2086
    with --entries=all -- $CC $made $words >log 2>&1
    case $words in *temps*) out=temps/work.o ;; esac
    ! command -v nm >/dev/null 2>&1 || { checks $out && pass || fail "$words: no checks"; }
done
$CC -E work.c -o work.i && with --entries=all -- $CC -c work.i -o work.o && { ! command -v nm >/dev/null 2>&1 || checks work.o; } && pass || fail "a .i file"
rm -f left
# A check changes no memory of the program: what a loop reads is read before it, once. But two calls of a function that has a
# check are not one.
cat >reads.c <<'END'
struct mask { int bits; };
int sum(const struct mask *mask, int n) {
    int i, s = 0;
    for (i = 0; i < n; i++) s += (i & mask->bits) * i;
    return s;
}
__attribute__((noinline)) int three(int x) { return x * 3; }
int both(int x) { return three(x) + three(x); }
END
for options in "" "-fno-pie"; do
    # shellcheck disable=SC2086
    with --entries=all --loops=all -- $CC -O2 $options -c reads.c 2>log || fail "reads.c $options"
    $CC -dM -E -x c /dev/null | grep -q __clang__ && break
    echo '#include "bursty.h"' >ask.c
    $CC $options -I"$top" -dM -E ask.c 2>/dev/null | grep -q 'define BURSTY_CHECKS_ARE_ASSEMBLY' &&
        command -v objdump >/dev/null || { skip "no checks in assembly"; break; }
    objdump -dr --disassemble=sum reads.o | awk '/\tdec/ { n++ } n == 2 && /[(]%rdi[)]/ { bad++ } END { exit n != 2 || bad > 0 }' &&
        pass || { fail "$options: behind a check memory is read anew"; objdump -dr --disassemble=sum reads.o; }
    [ "$(objdump -dr --disassemble=both reads.o | grep -c 'PLT32.three\|PC32.three\|call.*<three')" -ge 2 ] &&
        pass || { fail "$options: two calls became one"; objdump -dr --disassemble=both reads.o; }
done

# The dump is written without a large block of malloc, for which glibc puts together all small ones that are free.
cat >blocks.c <<'END'
#include <stddef.h>
#include <unistd.h>
static char room[1 << 20];
static size_t used, ended;
void *malloc(size_t size) {
    char *at = room + used;
    used += (size + 31) / 16 * 16;
    if (used > sizeof room) _exit(9);
    if (ended && size >= 1024) (void)!write(1, "a block\n", 8);
    return at;
}
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *old, size_t size) { (void)old; return malloc(size); }
void free(void *at) { (void)at; }
static int leaf(int n) { return n + 1; }
int main(void) {
    volatile int i, s = 0;
    for (i = 0; i < 9999; i++) s = leaf(s);
#ifdef __GLIBC__
    ended = 1;
#endif
    return 0;
}
END
with --only=leaf --only=main --entries=all --loops=all -- $CC -o blocks blocks.c && rm -f blocks.brst &&
    ./blocks >out && [ -s blocks.brst ] && ./blocks >>out && [ ! -s out ] && pass || fail "the dump takes a large block"

# Files of C++ are compiled as they are, and listed.
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
    rm -f left; echo 'int plus() { return 1; }' >plus.cpp
    with --list=left -- "${CXX:-c++}" -c plus.cpp -o plus.o && [ -s plus.o ] &&
        grep -q 'plus.cpp:1: the file: left alone: C++' left && pass || fail "a C++ file is not listed"
else skip "no compiler of C++"; fi
rm -f left
with --list=left -- $CC -S work.c -o work.s; echo 'int x;' | with --list=left -- $CC -c -x c - -o std.o; with --list=left -- $CC -E work.c >/dev/null
[ "$(sort left)" = "-:1: the file: left alone: standard input
work.c:1: the file: left alone: -S" ] && pass || { fail "what runs as it is must be listed"; cat left; }
with $CC -c main.c 2>log; [ $? = 2 ] && pass || fail "no --"
for words in --dump= --dump=a/ --list= --list=none/list; do
    with $words -- $CC -c main.c 2>log; [ $? = 2 ] && [ "$(wc -l <log)" -eq 1 ] && pass || fail "$words"
done
rm -f main.o; TMPDIR=$out/none with -- $CC -c main.c && [ -f main.o ] && pass || fail "TMPDIR that does not exist"
with --entries=x -- $CC -c main.c 2>log; [ $? = 2 ] && pass || fail "--entries=x"
with --loops=4 -- $CC -c main.c 2>log; [ $? = 2 ] && pass || fail "--loops=4"
with --form=x -- $CC -c main.c 2>log; [ $? = 2 ] && pass || fail "--form=x"
with --burst=0 -- $CC -c main.c 2>log; [ $? = 2 ] && pass || fail "--burst=0"
with --nothing -- $CC -c main.c 2>log; [ $? = 2 ] && pass || fail "--nothing"
with -- 2>log; [ $? = 2 ] && pass || fail "no compiler"
with -- no-such-compiler -c main.c 2>log; [ $? = 127 ] && pass || fail "a compiler that is not there"
with --no-runtime -- $CC -c main.c && with --no-runtime -- $CC -o two main.o a/util.c b.o 2>log; [ $? != 0 ] && pass || fail "--no-runtime"
with --list=left --entries=all -- $CC -c -o nest.o -x c - </dev/null 2>/dev/null
printf 'int f(int a) {\n    if (a)\n        else a = 1;\n}\n' >bad.c
cp main.c same.c
$CC -c same.c -o same.c 2>/dev/null      # gcc refuses, clang does it
if cmp -s main.c same.c; then
    with -- $CC -c same.c -o same.c 2>/dev/null
    if cmp -s main.c same.c; then pass; else fail "an object overwrites its source"; fi
fi
ln -sf /dev/null sink
$CC -c bad.c -o sink 2>/dev/null         # clang removes it by itself
[ -L sink ] && with -- $CC -c bad.c -o sink 2>/dev/null || ln -sf /dev/null sink
if [ -L sink ]; then pass; else fail "a failed compilation removes a device"; fi

# ---- traps: each program prints what the plain one prints ----------------------------------------------------------------

trap_() { # NAME WORDS...: the program is standard input
    name=$1; shift
    cat >"$name.c"
    $CC "$@" -o plain "$name.c" -lm 2>plain.log || { skip "$name: $CC refuses it"; return; }
    ./plain >plain.out; plain=$?
    for form in ${forms:-scope dual}; do      # points at loops are the same in both forms
        rm -f left
        with --form=$form --entries=all --loops=all --list=left -- $CC "$@" -o own "$name.c" -lm 2>own.log || fail "$name $form: not compiled"
        ./own >own.out; own=$?
        same "$name $form: output" plain.out own.out
        [ $own = $plain ] || fail "$name $form: status $own"
        [ "$(cat left 2>/dev/null | wc -l)" = "${wanted:-0}" ] || [ $form = dual ] || { fail "$name $form: left alone:"; cat left; }
    done
}
trap_ duff <<'END'
#include <stdio.h>
int main(void) { int n = 11, i = (n + 3) / 4, c = 0; switch (n % 4) { do { case 0: c++; case 3: c++; case 2: c++; case 1: c++; } while (--i > 0); }
printf("%d\n", c); return 0; }
END
trap_ bodies <<'END'
#include <stdio.h>
int main(void) { int i, j, s = 0; for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) if (i) s++; else while (s & 1) s++;
for (i = 0; i < 9; i++) switch (i) default: if (i > 3) case 1: s += i;
do if (s) s--; else s++; while (s > 3); printf("%d\n", s); return 0; }
END
trap_ computed <<'END'
#include <stdio.h>
int main(void) { static void *const t[] = {&&a, &&b, &&c}; int i = 0; goto *t[0];
a: printf("a"); if (i++ < 3) goto *t[1]; b: printf("b"); if (i++ < 6) goto *(void *)&&a; c: printf("c\n"); return 0; }
END
trap_ oldstyle -std=gnu89 <<'END'
#include <stdio.h>
int add(a, b) int a; int b; { return a + b; }
main() { printf("%d\n", add(1, 2)); return 0; }
END
trap_ statements -std=gnu99 <<'END'
#include <stdio.h>
#define MAX(a, b) ({ __typeof__(a) x = (a), y = (b); while (0 && x) x--; x > y ? x : y; })
static int labelled(int n) { int s = 0; if (n) top: s += n--; if (n > 0) goto top; return s; }
static int vla(int n) { int a[n], i; for (i = 0; i < n; i++) a[i] = i; return a[n - 1] + (int)(sizeof a / sizeof *a); }
int main(void) { int a[] = {[1 ? 2 : 0] = MAX(3, 4), 1 && 2}; printf("%d %d %d %d\n", MAX(1, 2), a[2], labelled(4), vla(5)); return 0; }
END
forms='point scope dual'
trap_ inlines -std=gnu99 -O1 <<'END'
#include <stdio.h>
extern inline __attribute__((gnu_inline, always_inline)) int g(int a) { return a + 1; }
static inline int h(int a) { return a + 2; }
inline int k(int a) { return a + 3; }
extern int k(int a);
int main(void) { printf("%d %d %d\n", g(1), h(1), k(1)); return 0; }
END
trap_ attributes <<'END'
#include <stdio.h>
static int seen;
static void __attribute__((constructor)) first(void) { seen = 1; }
static void bye(int *p) { printf("bye %d\n", *p); }
static int __attribute__((noinline, noclone)) f(int a) { int x __attribute__((cleanup(bye))) = a; switch (a) { case 1: a++; __attribute__((fallthrough)); default: a++; } return a; }
int main(void) { printf("%d %d\n", f(1), seen); return 0; }
END
forms=
trap_ jumps <<'END'
#include <stdio.h>
#include <setjmp.h>
static jmp_buf env;
static void dive(int n) { if (n == 0) longjmp(env, 7); dive(n - 1); }
int main(void) { volatile int i = 0; int r = setjmp(env); if (r == 0) dive(5); if (i++ < 3) dive(i); printf("%d %d\n", i, r); return 0; }
END
trap_ hidden_names <<'END'
#include <stdio.h>
typedef int T;
int twice(int a) { return 2 * a; }
static int f(int (*twice)(int), T T) { return twice(T) + (T)*2; }
int main(void) { struct { int (*twice)(int); } s = { twice }; printf("%d %d\n", f(s.twice, 3), (twice)(4)); return 0; }
END
wanted=1
trap_ nested <<'END'
#include <stdio.h>
int main(void) { int k = 2; int add(int a) { return a + k; } printf("%d\n", add(1)); return 0; }
END
wanted=0
# A file that uses bursty.h itself.
cat >own_bursty.c <<'END'
#define BURSTY_IMPLEMENTATION
#define BURSTY_STATIC
#include "bursty.h"
#include <stdio.h>
static int f(int a) { BURST_SCOPE("f"); return a + 1; }
int main(void) { bursty_start(NULL); printf("%d\n", f(1)); return 0; }
END
with -- $CC -O1 -I"$top" -o own own_bursty.c && [ "$(./own)" = 2 ] && pass || fail "a file that includes bursty.h"

# ---- debug information, parallel makes, leftovers ------------------------------------------------------------------------

if command -v readelf >/dev/null 2>&1; then
    $CC -g -c work.c -o plain.o; with -- $CC -g -c work.c -o own.o
    for o in plain own; do readelf --debug-dump=info $o.o 2>/dev/null | grep -m 2 -E 'DW_AT_(name|comp_dir)' | sed 's/.*: //' >$o.dw; done
    same "DW_AT_name and comp_dir" plain.dw own.dw
    for o in plain own; do readelf --debug-dump=decodedline $o.o 2>/dev/null | awk '$1 == "work.c" { print $2 }' | sort -un >$o.lines; done
    [ -s plain.lines ] && ! awk 'FILENAME == "own.lines" { seen[$1] = 1; next } !seen[$1]' own.lines plain.lines | grep -q . &&
        pass || fail "lines are missing"
else skip "no readelf"; fi
{ echo 'all: a/util.o b/util.o work.o'; printf '%%.o: %%.c\n\t$(CC) -c $< -o $@\n'; } >Makefile
rm -f a/util.o b/util.o work.o
make -s -j8 CC="$build/bursty cc -- $CC" >log 2>&1 && [ -f a/util.o ] && [ -f b/util.o ] && pass || { fail "make -j8"; cat log; }
# A wrapper that compiles and cannot preprocess: one line says so, and the object is the plain one.
cat >no-E <<END
#!/bin/sh
for word in "\$@"; do [ "\$word" != -E ] || exit 1; done
exec $CC "\$@"
END
chmod +x no-E
rm -f list
bursty cc --list=list -- ./no-E -c main.c -o unread.o 2>log && [ -f unread.o ] &&
    [ "$(cat log)" = "bursty: cc: main.c: compiled without checks: the compiler's command fails with -E" ] &&
    [ "$(cat list)" = "main.c:1: the file: left alone: the compiler's command fails with -E" ] && pass ||
    { fail "a wrapper without -E"; cat log list; }
bursty cc --cover -- ./no-E -c main.c -o unread.o 2>log
grep -q 'compiled without counters: ' log && pass || fail "a wrapper without -E, with --cover"
echo 'int f( {' >wrong.c
bursty cc -- ./no-E -c wrong.c -o unread.o 2>log && fail "an error passes a wrapper" || pass
lacks log 'error: ' 'compiled without' && pass || fail "an error is taken for a wrapper's: $(cat log)"
# A signal ends the compiler too, and nothing is left. The compiler says that it has begun and ends by that signal alone. (A shell's
# background programs ignore SIGINT, and so does bursty cc then; nohup makes all ignore SIGHUP.)
cat >slow <<'END'
#!/bin/sh
trap 'exit 1' INT TERM HUP
echo begun >>begun
while :; do sleep 0.05; done
END
chmod +x slow
for signal in TERM HUP; do
    sh -c "kill -s $signal \$\$" 2>/dev/null && continue # it is ignored here
    rm -f begun; mkfifo begun
    "$build/bursty" cc -- ./slow -c main.c -o slow.o 2>/dev/null &
    process=$!
    read -r line <begun
    kill -s $signal $process
    wait $process 2>/dev/null
    [ $? -gt 128 ] && [ "$line" = begun ] && pass || fail "SIG$signal does not end it"
done
[ -z "$(ls "$TMPDIR")" ] && pass || fail "something is left in TMPDIR"
finish
