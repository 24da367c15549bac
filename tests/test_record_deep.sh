#!/bin/sh
# test_record_deep.sh - time by whole stacks, where these are hard to walk: recursion as deep as the
# stack allows, stacks that do not fit, and assembly without unwind tables. main's total is 100 %, or
# the report says how much of it is not known.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_deep
needs_recorder
unset COLUMNS
shown=err

cat >deep.c <<'P'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define CALLED __attribute__((noinline, noclone))
static volatile unsigned sink;
CALLED unsigned leaf(unsigned n) { unsigned x = n; int i; for (i = 0; i < 1500; i++) x = x * 1664525 + 1013904223; return x; }
CALLED unsigned down(int n, unsigned s) { if (n == 0) return s; s += leaf(s); return down(n - 1, s) + leaf(n); }
CALLED unsigned one(int n, unsigned s);
CALLED unsigned two(int n, unsigned s);
CALLED unsigned three(int n, unsigned s) { if (n == 0) return s; s += leaf(s); return one(n - 1, s) + leaf(n); }
CALLED unsigned two(int n, unsigned s) { if (n == 0) return s; s += leaf(s); return three(n - 1, s) + 1; }
CALLED unsigned one(int n, unsigned s) { if (n == 0) return s; s += leaf(s); return two(n - 1, s) * 3; }
/* An order that never repeats: both call one another as the bits of a random number say. */
CALLED unsigned odd(int n, unsigned s);
CALLED unsigned even(int n, unsigned s) {
    if (n == 0) return s;
    s = s * 1664525 + leaf(s) % 2 + 1013904223;
    return (s >> 16 & 1 ? odd(n - 1, s) : even(n - 1, s)) + leaf(n);
}
CALLED unsigned odd(int n, unsigned s) {
    if (n == 0) return s;
    s = s * 22695477 + leaf(s) % 2 + 1;
    return (s >> 16 & 1 ? odd(n - 1, s) : even(n - 1, s)) * 3 + leaf(n);
}
/* What is deep is read from memory a little later than a look comes. So its end waits, and does so
   above the room below which the stack was: nothing is written over that. */
int main(int count, char **word) {
    int depth = atoi(word[2]), i, size = 4096 + count;
    unsigned s = (unsigned)count;
    for (i = 0; i < 100000 / depth; i++) {
        volatile char room[size];
        room[0] = room[size - 1] = 1;
        if (count > 3 && (i + 1) * depth == 100000) kill(getppid(), SIGSTOP);
        s += *word[1] == 'd' ? down(depth, s) : *word[1] == 'o' ? one(depth, s) : even(depth, s);
    }
    sink = s;
    if (count > 3) _exit(0);
    usleep(300000);
    return 0;
}
P
$CC -O1 -g deep.c -o deep || exit 2

# total FUNCTION: its total share and where its interval ends, in whole percent
total() { awk -v f="$1" '/^rank/ { reads = 1 } reads && $9 == f { print int($5), int($7); exit }' text; }
for of in 'down 200' 'down 20000' 'down 50000' 'one 20001'; do
    # shellcheck disable=SC2086
    "$bursty" record -o x.brst ./deep $of >got 2>err
    "$bursty" report --min 0 x.brst >text
    check "$of: main's total" [ "$(total main | cut -d ' ' -f 1)" -ge 95 ]
    check "$of: nothing is cut" [ "$(grep -c 'outer callers' text)" = 0 ]
    check "$of: who calls whom" grep -q "% .* main  *${of% *}\$" text
done
# The last round is read when the program has ended: of its memory there is what was read before.
"$bursty" record -o x.brst ./deep down 20000 late >got 2>err &
tool=$!
state() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null; }
is_late() {
    [ "$(state $tool)" = T ] || return
    read -r program _ <"/proc/$tool/task/$tool/children" # no line ends there
    [ "$(state "$program")" = Z ]
}
wait_for is_late
kill -CONT $tool
wait $tool
"$bursty" report --min 0 x.brst >text
check "late: main's total" [ "$(total main | cut -d ' ' -f 1)" -ge 95 ]
check "late: nothing is cut" [ "$(grep -c 'outer callers' text)" = 0 ]
"$bursty" record -o x.brst ./deep even 3000 >got 2>err
"$bursty" report --min 0 x.brst >text
check "not foldable: it is said first" grep -q '^MISSING: ticks whose outer callers are not known: .*%' text
check "not foldable: the bound of main's total" [ "$(total main | cut -d ' ' -f 2)" -ge 99 ]
check "not foldable: main is not all" [ "$(total main | cut -d ' ' -f 1)" -lt 60 ]
check "not foldable: the rest has a row" grep -q '(outer callers not known)' text

# Calls in contexts: a burst begins with up to 2048 callers, and those around them have a row.
of_calls() { "$bursty" report --min 0 x.brst | awk '/by function/ { reads = 1 } /by caller/ { reads = 0 } reads && / (main|.outer callers not known.)$/ { print int($5), $NF }' | tr '\n' ' '; }
"$bursty" record --calls -o x.brst ./deep down 1000 >got 2>err
check "calls: main's total is all: $(of_calls)" [ "$(of_calls)" = '99 main ' -o "$(of_calls)" = '100 main ' ]
"$bursty" record --calls -o x.brst ./deep down 30000 >got 2>err
check "calls: what is not known has a row: $(of_calls)" [ "$(of_calls | sed 's/ .*//')" -ge 50 ]
"$bursty" report x.brst >text
check "calls: it is said first" grep -q '^MISSING: calls whose outer callers are not known: .* %' text

# ---- assembly without unwind tables -------------------------------------------------------------
cat >s.S <<'A'
    .globl hot_asm
    .type hot_asm,@function
    nop
hot_asm:
    push %rbx
    push %rbp
    mov %edi,%ecx
    xor %eax,%eax
1:  imul $1664525,%eax,%eax
    add $1013904223,%eax
    dec %ecx
    jnz 1b
    pop %rbp
    pop %rbx
    ret
    .ifndef WITHOUT
    .size hot_asm,.-hot_asm
    .endif
    .globl plain
plain:
    mov %edi,%ecx
    xor %eax,%eax
1:  imul $1664525,%eax,%eax
    add $1013904223,%eax
    dec %ecx
    jnz 1b
    ret
    .section .note.GNU-stack,"",@progbits
A
cat >m.c <<'P'
#include <stdlib.h>
unsigned hot_asm(unsigned), plain(unsigned);
__attribute__((noinline)) unsigned c_fun(unsigned n) { unsigned x = 0; while (n--) x = x * 1664525 + 1013904223; return x; }
__attribute__((noinline)) unsigned around(unsigned n) { return hot_asm(n) + plain(n) + 1; }
int main(void) { return around(40000000) + c_fun(40000000) == 7; }
P
# A third each. Of more than 90 looks fewer than 12 % are not by chance.
self() { awk -v f="$1" '/^rank/ { reads = 1 } reads && $9 == f { print int($2); exit }' text | grep . || echo 0; }
for of in '' '-Wa,--defsym,WITHOUT=1' '-fuse-ld=lld'; do
    # shellcheck disable=SC2086
    $CC -O1 -g $of s.S m.c -o m 2>log || continue
    "$bursty" record -o x.brst ./m >got 2>err
    "$bursty" report --min 0 x.brst >text
    for f in hot_asm plain c_fun; do check "assembly $of: $f" [ "$(self $f)" -ge 12 ]; done
    check "assembly $of: its caller" grep -q '% .* around  *hot_asm$' text
    check "assembly $of: main's total" [ "$(total main | cut -d ' ' -f 1)" -ge 95 ]
    check "assembly $of: around is not at work" [ "$(self around)" -le 5 ]
done
# In a program without pie its neighbour in the table of unwind rules is one that has a caller.
$CC -O1 -g -fno-pie -no-pie s.S m.c -o n && "$bursty" record --inside -o x.brst ./n >got 2>err
"$bursty" report --min 0 x.brst >text
for f in hot_asm plain c_fun; do check "assembly inside, no pie: $f" [ "$(self $f)" -ge 12 ]; done
check "assembly inside, no pie: its caller" grep -q '% .* around  *hot_asm$' text
strip m && "$bursty" record -o x.brst ./m >got 2>err
"$bursty" report --min 0 x.brst >text
check "assembly without symbols is one row" [ "$(grep -c '(m: code without unwind tables)$' text)" -ge 1 ]
check "assembly without symbols: not its caller's" \
    [ "$(awk '/^rank/ { reads = 1 } reads && /code without unwind/ { print int($2); exit }' text)" -ge 30 ]

# ---- the same in a library -----------------------------------------------------------------------
# Half of the time is in the assembly, as in OpenBLAS: below its frame are words that earlier calls left
# there, and its caller calls it through a stub (name@plt). Of more than 90 looks fewer than 24 % are
# not by chance. The library is the program's, or comes by dlopen.
cat >kernel.S <<'A'
    .globl kernel
    .type kernel,@function
kernel:
    sub $ROOM,%rsp
    mov %rbx,(%rsp)
    mov %edi,%ecx
    xor %eax,%eax
1:  imul $1664525,%eax,%eax
    add $1013904223,%eax
    dec %ecx
    jnz 1b
    mov (%rsp),%rbx
    add $ROOM,%rsp
    ret
    .size kernel,.-kernel
    .section .note.GNU-stack,"",@progbits
A
cat >driver.c <<'P'
unsigned kernel(unsigned), driver(unsigned);
__attribute__((noinline)) unsigned driver(unsigned n) { return kernel(n) + 1; }
P
cat >user.c <<'P'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
unsigned driver(unsigned);
#define CALLED __attribute__((noinline))
CALLED unsigned c_fun(unsigned n) { unsigned x = 0; while (n--) x = x * 1664525 + 1013904223; return x; }
CALLED unsigned deepest(unsigned n) { volatile unsigned room[9]; room[n & 7] = n; return c_fun(room[n & 7]); }
CALLED unsigned stale(unsigned n) { volatile unsigned room[9]; room[n & 7] = n; return deepest(room[n & 7]) + 1; }
int main(int count, char **word) {
    unsigned i, s = 0;
#ifdef LATER
    void *library = dlopen("./libkernel.so", RTLD_NOW);
    unsigned (*driver)(unsigned) = library ? (unsigned (*)(unsigned))dlsym(library, "driver") : 0;
    if (!driver) return 9;
#endif
    if (count > 2) puts("ready"), fflush(stdout);
    for (i = 0; i < (unsigned)atoi(word[1]); i++) s += stale(500000) + driver(500000);
    return s == 7;
}
P
library_is_right() { # WHAT: the report of x.brst
    "$bursty" report --min 0 x.brst >text
    for f in kernel c_fun; do check "$1: $f has $(self $f) %" [ "$(self $f)" -ge 24 ]; done
    check "$1: the caller" grep -q '% .* driver  *kernel$' text
    check "$1: no other caller" [ "$(grep -c '% .*  [^ ]*  *kernel$' text)" = 1 ]
    check "$1: main's total" [ "$(total main | cut -d ' ' -f 1)" -ge 95 ]
    check "$1: nothing is outside" [ "$(grep -c '(outside)' text)" = 0 ]
}
$CC -O1 -g -fno-optimize-sibling-calls -shared -fPIC -DROOM=0x80 kernel.S driver.c -o libkernel.so &&
    $CC -O1 -g -fno-optimize-sibling-calls user.c -L. -lkernel -Wl,-rpath,. -o linked &&
    $CC -O1 -g -fno-optimize-sibling-calls -DLATER user.c -o later -ldl || exit 2
for program in linked later; do
    for way in outside inside; do
        "$bursty" record --$way -o x.brst ./$program 1000 >got 2>err
        library_is_right "a library, $program, $way"
    done
done
. "$top/tests/attached.sh"
if may_look .; then
    for program in linked later; do
        : >ready
        ./$program 1000000 wait >ready &
        pid=$!
        wait_for [ -s ready ]
        "$bursty" record -p $pid --seconds 600 -o x.brst 2>err &
        tool=$!
        is_seen $tool $pid 50
        kill $pid
        wait $pid 2>log
        wait $tool
        library_is_right "a library, $program, -p"
    done
else skip "this system does not allow -p"; fi
# Where the caller is too far away to be found, that is said.
$CC -O1 -g -shared -fPIC -DROOM=0x800 kernel.S driver.c -o libkernel.so || exit 2
for way in outside inside; do
    "$bursty" record --$way -o x.brst ./linked 1000 >got 2>err
    "$bursty" report --min 0 x.brst >text
    check "a far caller, $way: kernel has $(self kernel) %" [ "$(self kernel)" -ge 24 ]
    check "a far caller, $way: it is said first" \
        grep -q '^MISSING: ticks whose outer callers are not known: .* %' text
    check "a far caller, $way: main's bound" [ "$(total main | cut -d ' ' -f 2)" -ge 95 ]
done
finish
