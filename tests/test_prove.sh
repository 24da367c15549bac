#!/bin/sh
# test_prove.sh - bursty place --prove: programs whose machine code has one cycle each, with a check
# and without; what excuses a loop; what is named; what is refused. The corpus and random programs
# are tests/test_place_cycles.sh and tests/test_place_random.sh.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-cc}
bursty=$BUILD/bursty
dir=$BUILD/tests/prove
rm -rf "$dir"
mkdir -p "$dir/tmp" || exit 2
export TMPDIR=$dir/tmp BURSTY_CACHE=$dir/../cc_runtime

printf 'int main(void) { return 0; }\n' >"$dir/empty.c"
if ! $CC -o "$dir/empty" "$dir/empty.c" 2>"$dir/log" || [ "$($CC -dumpmachine | cut -d- -f1)" != x86_64 ] ||
    [ "$(head -c 4 "$dir/empty" | tail -c 3)" != ELF ] || ! "$dir/empty"; then
    leave "machine code of x86-64 ELF files is read"
fi

# Writes program NAME from standard input, once as it is and once by bursty cc.
make_both() { # NAME OPTIONS...
    name=$1
    shift
    cat >"$dir/$name.c"
    $CC -g -w "$@" -o "$dir/$name.plain" "$dir/$name.c" >"$dir/log" 2>&1 || fail "$name: $(cat "$dir/log")"
    "$bursty" cc -- $CC -g -w "$@" -o "$dir/$name" "$dir/$name.c" >"$dir/log" 2>&1 ||
        fail "$name: $(cat "$dir/log")"
}
says() { # STATUS PATTERN FILE OPTIONS...
    wanted=$1 pattern=$2 file=$3
    shift 3
    "$bursty" place --prove "$@" "$dir/$file" >"$dir/out" 2>&1
    status=$?
    if [ $status = "$wanted" ] && grep -qE "$pattern" "$dir/out"; then pass
    else fail "$file $*: status $status, not $wanted with '$pattern': $(cat "$dir/out")"; fi
}
holds() { # NAME: proved with checks, not proved without
    says 0 '^proved on the machine code: ' "$1"
    says 1 '^NOT proved on the machine code: ' "$1.plain"
}

for level in -O0 -O2; do
    # ---- what compilers write in many ways
    make_both direct$level $level <<'E1'
int f(int n) { return n ? f(n - 1) + n * f(n - 2) : 1; }
int main(int n, char **v) { return f(n); }
E1
    holds direct$level
    says 1 '^  recursion: f 0x[0-9a-f]+ \(.*direct-O[02]\.c:1\)' direct$level.plain
    make_both switches$level $level <<'E1'
#include <stdio.h>
int main(int n, char **v) {
    for (const char *p = v[0];; p++) {
        switch (*p) {
        case 'a': puts("1"); break;
        case 'b': puts("2"); n++; break;
        case 'c': puts("3"); n += 2; break;
        case 'd': puts("4"); n += 3; break;
        case 'e': puts("5"); n *= 3; break;
        case 'f': return n;
        default: p -= n; break;
        }
    }
}
E1
    holds switches$level
    make_both boring$level $level <<'E1'
int main(int n, char **v) { char *p = v[0]; while (*p) n += *p++; return n; }
E1
    says 0 'except 1 boring, 0 counted' boring$level
    says 1 '^NOT proved' boring$level --set EC+L0
    make_both counted$level $level -fno-unroll-loops -fno-tree-vectorize <<'E1'
#include <stdio.h>
int main(int n, char **v) { for (int i = 0; i < 9; i++) puts(v[0]); return n; }
E1
    says 0 'except 0 boring, 1 counted' counted$level.plain
    says 0 'at most [89] rounds' counted$level.plain
    # what has its address taken below the counter is not reached by a variable's name
    make_both named$level $level -fno-unroll-loops -fno-tree-vectorize <<'E1'
#include <stdio.h>
long sum, rest;
int main(int n, char **v) {
    int two[2] = {n, n};
    fread(two, sizeof two, 1, stdin);
    for (int i = 0; i < 9; i++) { sum += rest++ * two[i & 1]; if (sum == 77) rest = i; }
    return (int)sum;
}
E1
    says 0 '^proved on the machine code: ' named$level.plain --set EC+L0+bounded
    make_both reset$level $level <<'E1'
#include <stdio.h>
int main(int n, char **v) { for (int i = 0; i < 9; i++) if (puts(v[0])) i = n; return n; }
E1
    holds reset$level
    [ $level = -O2 ] || continue

    # ---- recursion: direct, mutual, by pointers, by the library, by a tail
    make_both pointers$level $level <<'E1'
static int a(int n), b(int n), c(int n);
static int (*volatile step[3])(int) = {a, b, c};
static int a(int n) { return n ? step[n % 3](n - 1) + 1 : 0; }
static int b(int n) { return n ? step[n % 2](n - 1) + 2 : 0; }
static int c(int n) { return n; }
int main(int n, char **v) { return step[n % 3](n); }
E1
    holds pointers$level
    says 1 'through a pointer' pointers$level.plain
    make_both library$level $level <<'E1'
#include <stdlib.h>
static int depth;
static int order(const void *a, const void *b) {
    int two[2] = {2, 1};
    if (depth++ < 9) qsort(two, 2, sizeof *two, order);
    return 0;
}
int main(void) { return order(0, 0); }
E1
    holds library$level
    says 1 'by code outside' library$level.plain
    make_both threads$level $level -pthread <<'E1'
#include <pthread.h>
static void *next(void *p) {
    pthread_t thread;
    if (pthread_create(&thread, 0, next, p) == 0) pthread_join(thread, 0);
    return p;
}
int main(void) { return next(0) != 0; }
E1
    holds threads$level
    make_both ends$level $level <<'E1'
#include <stdlib.h>
static void again(void) { atexit(again); exit(0); }
int main(void) { again(); return 0; }
E1
    holds ends$level
    # operator new calls a function of the program, if it was given one
    cat >"$dir/new.c" <<'E1'
void set(void (*)(void)) __asm__("_ZSt15set_new_handlerPFvvE");
void *take(unsigned long) __asm__("_Znwm");
void *volatile kept; /* or clang leaves the call out */
static void again(void) { kept = take(~0ul / 4); }
int main(void) { SET; again(); return 0; }
E1
    if $CC -w $level '-DSET=set(again)' -o "$dir/new" "$dir/new.c" -lstdc++ 2>"$dir/log"; then
        says 1 '^NOT proved' new
        $CC -w $level -DSET= -o "$dir/new" "$dir/new.c" -lstdc++
        says 0 '^proved on the machine code: ' new
    else skip "no C++ library"; fi
    make_both tails$level $level <<'E1'
int odd(unsigned n);
__attribute__((noinline)) int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int main(int n, char **v) { return even((unsigned)n); }
E1
    holds tails$level

    # ---- loops: with calls, by a table of a switch, by computed gotos, sure by what they call
    make_both loops$level $level <<'E1'
#include <stdio.h>
__attribute__((noinline)) static int work(int n) { return putchar(n); }
int main(int n, char **v) { while (n < 1000000) n += work(n) ? 1 : 2; return 0; }
E1
    holds loops$level
    says 1 '^  loop: main 0x[0-9a-f]+ \(.*loops-O[02]\.c:3\), [0-9]+ instructions' loops$level.plain
    make_both gotos$level $level <<'E1'
#include <stdio.h>
int main(int n, char **v) {
    static void *const to[] = {&&one, &&two, &&end};
    const char *p = v[0];
    goto *to[*p++ % 3];
one: puts("1"); goto *to[*p++ % 3];
two: puts("2"); goto *to[*p++ % 3];
end: return n;
}
E1
    holds gotos$level
    make_both sure$level $level <<'E1'
#include <stdio.h>
__attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) putchar(i); }
int main(int n, char **v) { do work(n); while (n++ < 100000); return 0; }
E1
    holds sure$level

    # ---- a copy that gcc made is ours by its whole name, as the plugin writes it
    cat >"$dir/copy.c" <<'E1'
int copy(int n) __asm__("copy.isra.0");
__asm__(".pushsection .bursty.cg, \"\", @progbits\n"
        ".ascii \"U 3 0000000000000000 0000000000000000 copy.c\\n\"\n"
        ".ascii \"F copy.isra.0 g 2 0000000000000001 - 0 copy.c\\nB r\\n\"\n"
        ".popsection\n");
__attribute__((noinline, noclone)) int copy(int n) { for (;;) { __asm__ volatile (""); } }
int main(int n, char **v) { return copy(n); }
E1
    $CC -w $level -o "$dir/copy" "$dir/copy.c" 2>"$dir/log"
    says 1 '^NOT proved' copy
    says 1 '^  loop: copy.isra.0 ' copy

    # ---- tables of switches: the end of one is known once the code behind it is; code behind a
    # call that never comes back leads nowhere, and into the loop
    cat >"$dir/nest.c" <<'E1'
#include <stdio.h>
int end(int n);
int main(int n, char **v) {
    const char *p = v[0];
    for (;;) {
        switch (*p++) {
        case 'a': n += 1; if (n > 90) n = end(n); break;
        case 'b': n *= 3; if (n > 91) n = end(n) + 2; break;
        case 'c':
            switch (*p++) {
            case '1': n <<= 3; break;
            case '2': n -= 77; break;
            case '3': n /= 3; break;
            case '4': n = -n; break;
            case '5': n %= 1000; break;
            case '6': n *= n; break;
            case '7': return n + 1;
            }
            break;
        case 'd': n ^= 5; if (n > 92) n = end(n) + 3; break;
        case 'e': n |= 9; break;
        case 'f': return n;
        default: MORE; break;
        }
    }
}
E1
    printf '#include <stdio.h>\n#include <stdlib.h>\nint end(int n) { puts("end"); END; }\n' >"$dir/end.c"
    nest() { # WHAT THE LAST CASE DOES, WHAT end() DOES
        $CC -g -w $level "-DMORE=$1" "-DEND=$2" -c -o "$dir/nest.o" "$dir/nest.c" &&
            $CC -w $level "-DEND=$2" -o "$dir/nest" "$dir/end.c" "$dir/nest.o"
    }
    nest 'n += 8' 'abort()'
    says 0 '^proved on the machine code: every cycle passes a check, except 1 boring' nest
    nest 'n += 8' 'return n'
    says 1 '^  loop: main' nest
    nest 'n += puts(v[0])' 'abort()'
    says 1 '^  loop: main' nest

    # ---- plans of rule Q: what types of pointers alone exclude has a check, for machine code has no
    # types; and a check in a loop stands for that of an entry, if all ways back are behind it
    by_plan() { # NAME: built again by the plan of its first build
        "$bursty" place --set Q -o "$dir/plan" "$dir/$1" >"$dir/log" 2>&1 &&
            "$bursty" cc --plan="$dir/plan" -- $CC -g -w $level -o "$dir/$1" "$dir/$1.c" >>"$dir/log" 2>&1 ||
            fail "$1: $(cat "$dir/log")"
    }
    make_both types$level $level <<'E1'
#include <stdlib.h>
static void *grow(void *p, unsigned long n) { return realloc(p, n); }
static void *(*volatile how)(void *, unsigned long) = grow;
__attribute__((noinline)) static void *resize(void *p, unsigned long n) { return how(p, n); }
static int make(int n) { return resize(0, (unsigned long)n) != 0; }
static int (*volatile what)(int) = make;
int main(int n, char **v) { return what(n); }
E1
    says 1 '^  recursion: .*through a pointer' types$level.plain --set Q
    by_plan types$level
    says 0 '^proved on the machine code: ' types$level --set Q
    "$bursty" place --list --set Q "$dir/types$level" >"$dir/out" 2>&1
    grep -q '^resize .* check   *a cycle that types of pointers alone exclude' "$dir/out" && pass || fail "$(cat "$dir/out")"
    for way in 0 'l->other ? count(l->other) : 0'; do
        make_both inside$level $level "-DWAY=$way" <<'E1'
#include <stdlib.h>
struct list { struct list *first, *next, *other; };
__attribute__((noinline)) static int count(struct list *l) {
    struct list *p;
    int n = WAY;
    for (p = l->first; p; p = p->next) n += count(p) + 1;
    return n;
}
int main(int n, char **v) {
    struct list *l = calloc(9, sizeof *l);
    l->first = l + n;
    return count(l) + count(l + 1);
}
E1
        says 1 '^  recursion: count' inside$level.plain --set Q
        sed -i "s/WAY;/$way;/" "$dir/inside$level.c"
        by_plan inside$level
        says 0 '^proved on the machine code: ' inside$level --set Q
        "$bursty" place --list --built --set Q "$dir/inside$level" >"$dir/out" 2>&1
        if [ "$way" = 0 ]; then kind=none; else kind=check; fi
        grep -q "^count .* $kind " "$dir/out" && pass || fail "inside, $way: $(cat "$dir/out")"
    done

    # ---- a static function that has the name of one of the runtime, and one in a file that has
    # private names of the runtime, too
    make_both named_save$level $level <<'E1'
#include <stdlib.h>
__attribute__((noinline)) static int save(int n) { return n > 1 ? save(n - 1) * save(n - 2) + 1 : n; }
int main(int n, char **v) { return save(n); }
E1
    holds named_save$level
    (cat "$dir/named_save$level.c" && echo 'int bursty_p_mine(int n) { return save(n) + 1; }' | sed 's/^int/__attribute__((used)) static int/') >"$dir/beside.c"
    "$bursty" cc --not=save -- $CC -w $level -o "$dir/beside" "$dir/beside.c" >"$dir/log" 2>&1 || fail "$(cat "$dir/log")"
    says 1 '^  recursion: save' beside

    # ---- of a library that bursty cc has not compiled, and of two files that it has, one of them
    # without checks; a part of a file that was compiled twice
    printf '%s\n' '__attribute__((noinline)) static int walk(int n) { return n > 1 ? walk(n - 1) * walk(n - 2) + 1 : n; }' \
        'int NAME(int n) { return walk(n); }' >"$dir/walk.h"
    for part in one two; do echo '#include "walk.h"' >"$dir/$part.c"; done
    mkdir -p "$dir/other"
    cp "$dir/one.c" "$dir/other/one.c"
    echo 'int one(int n), two(int n); int main(int n, char **v) { return one(n) + two(n); }' >"$dir/main.c"
    walks() { # NAME, then OPTIONS and FILE of `two`
        name=$1
        shift
        "$bursty" cc -- $CC -w $level -DNAME=one -c -o "$dir/one.o" "$dir/one.c" >"$dir/log" 2>&1 &&
            "$@" -w $level -I"$dir" -DNAME=two -c -o "$dir/two.o" $second >>"$dir/log" 2>&1 &&
            "$bursty" cc -- $CC -w $level -o "$dir/$name" "$dir/main.c" "$dir/one.o" "$dir/two.o" >>"$dir/log" 2>&1 ||
            fail "$name: $(cat "$dir/log")"
    }
    second=$dir/two.c
    walks library$level $CC
    says 0 '^proved on the machine code, but for what is named below: ' library$level
    says 0 '^  1 cycle in code that bursty cc did not make' library$level
    walks both_own$level "$bursty" cc -- $CC
    says 0 '^proved on the machine code: ' both_own$level
    walks unchecked$level "$bursty" cc --not=walk -- $CC
    says 1 '^  recursion: walk' unchecked$level
    second=$dir/other/one.c # the same file, to all that an object says of it
    walks twice$level $CC
    says 1 '^  recursion: walk' twice$level

    # ---- what has no check on purpose
    make_both quiet$level $level <<'E1'
#include <stdio.h>
int main(int n, char **v) { while (puts(v[0]) > 0) n++; return n; }
E1
    says 0 'and 1 quiet loop' quiet$level.plain --set Q
    says 1 '^NOT proved' quiet$level.plain --set EC+L4
    # what stands behind a call that never comes back is not called; the same, if it may come back
    cat >"$dir/ends.c" <<'E1'
#include <stdio.h>
#include <stdlib.h>
static int less(int n) { return n - 1; }
static int (*volatile step)(int) = less;
__attribute__((noinline)) static void end(int n) { puts("end"); if (ENDS) abort(); }
__attribute__((noinline)) static int one(int n) {
    if (puts("one") >= 0) return n + 1;
    end(n);
    return step(n);
}
int main(int n, char **v) { while (n < 99) n = one(n); return n; }
E1
    $CC -w $level -DENDS=1 -o "$dir/ends" "$dir/ends.c"
    says 0 'and 1 quiet loop' ends --set Q
    $CC -w $level -DENDS=n==7 -o "$dir/ends" "$dir/ends.c"
    says 1 '^NOT proved' ends --set Q
    make_both endless$level $level <<'E1'
int main(void) { for (;;) { } }
E1
    says 1 '^  loop: main' endless$level --set LN

    # ---- other forms of a check: two copies; the thread's word by a call, in a shared object
    for form in dual point; do
        "$bursty" cc --form=$form -- $CC -w $level -o "$dir/form" "$dir/pointers$level.c" >"$dir/log" 2>&1
        says 0 '^proved on the machine code: ' form
    done
    "$bursty" cc -- $CC -w $level -fPIC -shared -o "$dir/lib.so" "$dir/direct$level.c" >"$dir/log" 2>&1
    says 0 '^proved on the machine code: ' lib.so
    $CC -w $level -fPIC -shared -o "$dir/lib.so" "$dir/direct$level.c"
    says 1 '^NOT proved' lib.so
    "$bursty" cc -- $CC -w $level -no-pie -fno-pic -o "$dir/fixed" "$dir/gotos$level.c" >"$dir/log" 2>&1
    says 0 '^proved on the machine code: ' fixed
    $CC -w $level -no-pie -fno-pic -o "$dir/fixed" "$dir/switches$level.c"
    says 1 '^NOT proved' fixed

    # ---- an exception leads back
    make_both cleanup$level $level -fexceptions <<'E1'
void leave(void);
static int n;
static void again(int *p) { if (n++ < 9) leave(); }
__attribute__((noinline)) void middle(void) { __attribute__((cleanup(again))) int x = 0; leave(); }
void leave(void) { if (n < 5) middle(); }
int main(void) { middle(); return 0; }
E1
    holds cleanup$level

    # ---- what is named: longjmp; code that bursty cc did not make
    make_both jumps$level $level <<'E1'
#include <setjmp.h>
static jmp_buf back;
int main(int n, char **v) { if (setjmp(back) < 3) longjmp(back, n++); return n; }
E1
    says 0 '^proved on the machine code, but for what is named' jumps$level
    says 0 'may come back: main' jumps$level
    echo 'int other(int n) { return n ? other(n - 1) * other(n - 2) : 1; }' >"$dir/other.c"
    echo 'int other(int); int main(int n, char **v) { return other(n); }' >"$dir/calls.c"
    $CC $level -c -o "$dir/other.o" "$dir/other.c"
    "$bursty" cc -- $CC -w $level -o "$dir/mixed" "$dir/calls.c" "$dir/other.o" >"$dir/log" 2>&1
    says 0 '1 cycle in code that bursty cc did not make' mixed
    says 0 '^  recursion: other' mixed
done

# ---- a check whose decrement is gone is none, nor is one that leads elsewhere
cat >"$dir/fake.c" <<'E1'
unsigned bursty_hit(const void *site, unsigned long value) { __asm__ volatile(""); return 0; }
__thread unsigned bursty_here_tls_64;
int putchar(int);
int main(int n, char **v) {
    for (;; n++) {
        if ((int)LOOK bursty_here_tls_64 < 0) bursty_hit(0, 0);
        if (putchar(n) < 0) return 0;
    }
}
E1
$CC -O1 -w -fno-builtin -fno-inline -DLOOK=-- -o "$dir/fake" "$dir/fake.c"
says 0 '^proved' fake
$CC -O1 -w -fno-builtin -fno-inline -DLOOK= -o "$dir/fake" "$dir/fake.c"
says 1 '^NOT proved' fake

# ---- what is refused, and what is not read
strip -o "$dir/stripped" "$dir/empty" 2>"$dir/log" || cp "$dir/empty" "$dir/stripped"
says 2 'stripped: offset 0: has no symbols: prove it before it is stripped' stripped
head -c 3000 "$dir/empty" >"$dir/cut"
says 2 'cut: offset [0-9]+: ' cut
$CC -c -o "$dir/object.o" "$dir/empty.c"
says 2 'object.o: is not linked: its machine code is not read, only the graph' object.o
"$bursty" cc -- $CC -c -o "$dir/object.o" "$dir/empty.c" >"$dir/log" 2>&1
says 0 '^holds on the graph that was read' object.o
says 2 "Not a directory" object.o/none
"$bursty" place --prove "$dir/empty" "$dir/direct-O2" >"$dir/out" 2>&1
[ $? = 2 ] && grep -q 'place: --prove takes one FILE' "$dir/out" && pass || fail "two files: $(cat "$dir/out")"
says 2 'place: --prove goes with --set and --within alone' direct-O2 --list
says 2 'place: --prove goes with --set and --within alone' direct-O2 -o "$dir/plan"

finish
