#!/bin/sh
# test_place.sh - bursty place on the command line: the paper's figure, plans that are replaced and
# compared, objects, archives and programs of the machine's compiler, and what is refused.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-cc}
bursty=$BUILD/bursty
dir=$BUILD/tests/place
rm -rf "$dir"
mkdir -p "$dir" || exit 2
place() { "$bursty" place "$@" >"$dir/out" 2>"$dir/err"; }
runs() { if place "$@"; then pass; else fail "$*: $(cat "$dir/err")"; fi; }
says() { # PATTERN ARGUMENT...
    pattern=$1; shift
    if place "$@" && grep -q -e "$pattern" "$dir/out"; then pass
    else fail "no '$pattern': $*: $(cat "$dir/out" "$dir/err")"; fi
}
refuses() { # PATTERN ARGUMENT...: status 2, one line, nothing printed
    pattern=$1; shift
    place "$@"
    if [ $? = 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] &&
        grep -q -e "$pattern" "$dir/err"; then pass
    else fail "not refused with '$pattern': $*: $(cat "$dir/err")"; fi
}
graph() { printf 'U 1 0000000000000000 0000000000000000 x.c\n%b' "$1" >"$dir/bad.burstycg"; }
same() { if cmp -s "$1" "$2"; then pass; else fail "$1, $2 differ: $(diff "$1" "$2" | head -n 5)"; fi; }

# ---- the paper's Figure 5 ----

figure=tests/place/figure5.burstycg
runs --set EC --dot $figure
sed -n 's/.*label="\([^"]*\)", style=filled.*/\1/p' "$dir/out" | sort >"$dir/checked"
printf 'check\nmain\n' >"$dir/wanted"
same "$dir/checked" "$dir/wanted"
cp "$dir/out" "$dir/figure5.dot"
same "$dir/figure5.dot" tests/place/figure5.dot
says '^9 functions: 2 with a check: root 1, recursion 1; 7 without: leaf 1, covered 6$' --set EC $figure
says '^9 functions: 8 with a check: calls 8; 1 without: leaf 1$' --set EL $figure
says '^holds on the graph that was read: every cycle' $figure
says 'recursion from below: substitute, component [0-9]* (3 functions), distance 3 >= 1$' --list $figure
says '  the cycle that needs it: check -> match -> substitute -> check$' --why check $figure
says '  each cycle of calls through it has a check, or there is none$' --why join $figure
says ': --set Q may leave this check out$' --why main $figure
says '^  called by no function of the program by name$' --why main $figure
says '"entry_checks":2,"loops":0' --json $figure
says '^9 functions: 9 with a check: every 9; 0 without: -$' --set all $figure

# No entry at all is what was asked for: that is said, and is no failure.
says '^NOT proved' --set EN $figure
says '3 functions that call one another: check, match, substitute$' --set EN $figure
says '3 functions cannot have a check: main, check, match$' --not 'm*' --not ch?ck $figure

# C++ that a plugin has compiled: its checks are counted, and no plan speaks of it. Names are
# demangled where the machine has a library for that.
unit='U 2 0000000000000000 0000000000000000 x.cc'
printf '%s\n' "$unit" 'F _Z4walki g 3 0000000000000000 cn * x.cc' 'C _Z4leafi -' 'L w 4 - 2 0 c' 'L w 5 - 1 0 -' \
    'N checked-behind-the-optimizer' 'F _Z4leafi w 9 0000000000000000 cn * x.cc' \
    'N checked-behind-the-optimizer' "$unit" 'F _Z4leafi w 9 0000000000000000 n * x.cc' \
    'N checked-behind-the-optimizer' >"$dir/late.burstycg"
{
    cat "$dir/late.burstycg"
    printf '%s\n' 'U 2 0000000000000000 0000000000000000 m.c' 'F main g 1 00000000000000aa - 0 m.c' 'C _Z4walki -' 'B c0'
} >"$dir/both.burstycg"
says '^2 functions: 1 with a check: plugin 1; 1 without: plugin-none 1$' "$dir/late.burstycg"
says '^2 loops: 1 with a check: plugin 1; 1 without: plugin-none 1$' "$dir/late.burstycg"
says '^  2 functions that the compiler.s plugin has compiled, 1 with a check: no plan' "$dir/late.burstycg"
if lacks "$dir/out" 'functions that the compiler' 'holds\|skeleton\|weak\|outside\|build again\|for ever'; then pass
else fail "C++ alone: $(cat "$dir/out")"; fi
says '^3 functions: 2 with a check: root 1, plugin 1; 1 without: plugin-none 1$' "$dir/both.burstycg"
says '^holds on the graph that was read, but for what is named below' "$dir/both.burstycg"
says '^1 of 1 units built without a plan' "$dir/both.burstycg"
says '^  2 functions that the compiler.s plugin has compiled, 1 with' "$dir/both.burstycg"
says '^\(walk(int)\|_Z4walki\)  *x.cc:3  *check  the compiler.s plugin put it there, behind' --list "$dir/both.burstycg"
says '^\(leaf(int)\|_Z4leafi\)  *x.cc:9  *none   the compiler.s plugin put none there, behind the optimizer$' --list "$dir/both.burstycg"
says '^  loop 1, line 5: none  the' --list "$dir/both.burstycg"
says '"by_plugin":2,"by_plugin_checked":1' --json "$dir/both.burstycg"
says '^  calls \(leaf(int)\|_Z4leafi\)' --why _Z4walki "$dir/both.burstycg"
if reads_cxx_names "$dir"; then says '^walk(int)' --why 'walk(int)' "$dir/both.burstycg"; else skip "names of C++: no library"; fi
runs -o "$dir/both.plan" "$dir/both.burstycg"
if [ "$(cut -c1-10 "$dir/both.plan" | tr '\n' ' ')" = 'bursty pla P m.c main ' ]; then pass; else fail "a plan of C++: $(cat "$dir/both.plan")"; fi
says '^1 function and 1 loop with a check$' --built "$dir/both.burstycg"

# ---- plans ----

runs -o "$dir/plan" $figure
if [ "$(head -n 1 "$dir/plan")" = 'bursty plan 1' ]; then pass; else fail "the plan's first line"; fi
sed 1d "$dir/plan" | LC_ALL=C sort -u >"$dir/sorted"
sed 1d "$dir/plan" >"$dir/lines"
same "$dir/lines" "$dir/sorted"
if grep -q '^P sequitur.cc check 0000000000000002 1 - recursion$' "$dir/plan"; then pass
else fail "a line of the plan"; fi
cp "$dir/plan" "$dir/first"
touch -t 200001010000 "$dir/plan"
runs -o "$dir/plan" $figure
if [ "$dir/first" -nt "$dir/plan" ]; then pass; else fail "an unchanged plan is written anew"; fi
says '^no difference$' --diff "$dir/plan" $figure
cp "$dir/plan" "$dir/both"
says '^sequitur.cc main: entry 1 -> 0, reason root -> dropped$' --set Q --diff "$dir/both" -o "$dir/both" $figure
says '^sequitur.cc main: entry 1 -> 0, reason root -> dropped$' --set Q --diff "$dir/plan" $figure
runs -o "$dir/plan" --set Q $figure
if [ ! -e "$dir/plan.new" ] && unlike "$dir/plan" "$dir/first"; then pass
else fail "a changed plan is not written"; fi
ln -sf /dev/null "$dir/sink"
runs -o "$dir/sink" --set Q $figure
if [ -L "$dir/sink" ]; then pass; else fail "a plan replaces a device"; fi
"$bursty" place -o - --set Q $figure >"$dir/piped" 2>&1
same "$dir/piped" "$dir/plan"
sed '/ check /d; s/0000000000000008/0000000000000009/' "$dir/first" >"$dir/older"
says '^sequitur.cc check: new; entry 1, loops -$' --diff "$dir/older" $figure
says '^sequitur.cc join: changed text, same checks$' --diff "$dir/older" $figure

# ---- what the compiler and ar make ----

# A file whose section .bursty.cg holds one unit with one function.
source_of() { # NAME CALLEE
    printf '__asm__(".pushsection .bursty.cg,\\"\\"\\n'
    printf '.ascii \\"U 1 0000000000000000 0000000000000000 %s.c\\\\n\\"\\n' "$1"
    printf '.ascii \\"F %s g 1 0000000000000001 - 0 %s.c\\\\nC %s -\\\\nB c0\\\\n\\"\\n' "$1" "$1" "$2"
    printf '.popsection");\nint %s(void);\nint %s(void);\nint %s(void) { return %s(); }\n' "$1" "$2" "$1" "$2"
}
mkdir -p "$dir/one" "$dir/two"
source_of main first >"$dir/one/main.c"
source_of first second >"$dir/one/first.c"
source_of second first >"$dir/two/second.c"
source_of unused main >"$dir/two/unused.c"
made=1
for file in one/main one/first two/second two/unused; do
    $CC -c -o "$dir/$file.o" "$dir/$file.c" >"$dir/log" 2>&1 || made=0
done
magic=$(head -c 4 "$dir/one/main.o" 2>/dev/null | tail -c 3)
if [ $made = 0 ] || [ "$magic" != ELF ]; then skip "objects: the compiler makes no ELF objects"
else
    says '^4 functions: 3 with a check: root 2, recursion 1;' "$dir"/*/*.o
    three="$dir/one/main.o $dir/one/first.o $dir/two/second.o"
    # shellcheck disable=SC2086
    says '^3 functions: 2 with a check: root 1, recursion 1;' $three
    # shellcheck disable=SC2086
    if $CC -o "$dir/program" $three >"$dir/log" 2>&1; then
        says '^3 functions: 2 with a check: root 1, recursion 1;' "$dir/program"
        cp "$dir/program" "$dir/stripped"
        if strip "$dir/stripped" 2>/dev/null; then
            says '^3 functions: 2 with a check: root 1, recursion 1;' "$dir/stripped"
        else skip "a stripped program: no strip for it"; fi
    else skip "a linked program: $(head -n 1 "$dir/log")"; fi
    if command -v ar >/dev/null 2>&1 && ar rcs "$dir/all.a" "$dir"/*/*.o 2>/dev/null; then
        says '^4 functions: 3 with a check' "$dir/all.a"
    else skip "an archive: no ar"; fi
    # Thin archives hold paths: relative ones lead from the archive's folder.
    (cd "$dir" && ar rcsT thin.a one/main.o one/first.o two/second.o) 2>/dev/null
    if [ "$(head -c 7 "$dir/thin.a" 2>/dev/null)" = '!<thin>' ]; then
        says '^3 functions: 2 with a check' "$dir/thin.a"
        rm "$dir/two/second.o"
        refuses 'two/second.o: No such file' "$dir/thin.a"
    else skip "a thin archive: ar makes none"; fi
    printf 'int silent(void);\nint silent(void) { return 0; }\n' >"$dir/silent.c"
    $CC -c -o "$dir/silent.o" "$dir/silent.c"
    refuses 'silent.o: no call graph: was it built with bursty cc?' "$dir/silent.o"
    says '  1 object without a call graph' "$dir/silent.o" "$dir/one/main.o"
    # A cycle through a file of C++ (for the linker it may as well be C).
    printf 'int first(void);\nint second(void);\nint second(void) { return first(); }\n' >"$dir/two/x.cpp"
    if $CC -x c -c -o "$dir/two/x.o" "$dir/two/x.cpp" &&
        $CC -o "$dir/mixed" "$dir/one/main.o" "$dir/one/first.o" "$dir/two/x.o" >"$dir/log" 2>&1; then
        says '^2 functions: 2 with a check: root 1, repair 1;' "$dir/mixed"
        says '^  1 file of C++ without checks: x.cpp$' "$dir/mixed"
        says '^  code without a call graph is believed to call all that is not static$' "$dir/mixed"
        says '"silent_objects":0,"cxx_files":1}' --json "$dir/mixed"
        says '^  1 file of C++ without checks: x.cpp$' "$dir/one/main.o" "$dir/two/x.o"
        refuses 'x.o: no call graph: bursty cc leaves C++ as it is' "$dir/two/x.o"
        mv "$dir/two/x.cpp" "$dir/two/other.c"
        $CC -c -o "$dir/two/other.o" "$dir/two/other.c"
        $CC -o "$dir/mixed" "$dir/one/main.o" "$dir/one/first.o" "$dir/two/other.o"
        says '^2 functions: 2 with a check: root 1, repair 1;' "$dir/mixed"
    else skip "a program with C++: $(head -n 1 "$dir/log")"; fi
    # A program of a file of C++ that has the one unit of a plugin in it: the graph has its functions.
    mkdir -p "$dir/three"
    for named in x.cc folder/x.cc y.cc; do
        printf 'U 3 0000000000000000 0000000000000000 %s\nF main g 1 0000000000000001 - 0 %s\nB r\n' $named $named \
            >"$dir/three/graph"
        cat >"$dir/three/x.cc" <<END
__asm__(".section .bursty.cg,\"\"\n.incbin \"$dir/three/graph\"\n.text");
int main(void) { return 0; }
END
        $CC -x c -c -o "$dir/three/x.o" "$dir/three/x.cc" && $CC -o "$dir/three/x" "$dir/three/x.o"
        case $named in y.cc) cxx=1 ;; *) cxx=0 ;; esac
        says "\"cxx_files\":$cxx}" --json "$dir/three/x"
    done
    cp "$dir/silent.o" "$dir/kept.o"
    refuses 'silent.o: is no plan, and would be overwritten' -o "$dir/silent.o" "$dir/one/main.o"
    same "$dir/silent.o" "$dir/kept.o"
    head -c 300 "$dir/one/main.o" >"$dir/cut.o"
    refuses 'cut.o: offset [0-9]*: the section headers lie outside the file' "$dir/cut.o"
fi

# ---- a round: bursty cc, bursty place, bursty cc by the plan ----

round=$(cd "$dir" && pwd)/round
mkdir -p "$round/tmp"
cat >"$round/a.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int depth(int n);
int apply(int (*f)(int), int n);
static int twice(int n) { return 2 * n; }
static int deep(int n) { return n > 0 ? apply(deep, n - 1) + 1 : 0; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    int list[100], i, sum = 0;
    for (i = 0; i < 100; i++) list[i] = i * 37 % 101;
    qsort(list, 100, sizeof *list, compare);
    for (i = 0; i < 100; i++) sum += apply(twice, list[i]) + depth(i % 9) + deep(i % 5);
again:
    sum = twice(sum) % 1000003;
    if (i++ < 5000) goto again;
    do sum += depth(3); while (sum < 900000);
    printf("%d %d %d\n", sum, list[0], list[99]);
    return 0;
}
END
cat >"$round/b.c" <<'END'
int depth(int n);
int apply(int (*f)(int), int n);
static int odd(int n) { return n < 1 ? 0 : depth(n - 1); }
int depth(int n) { return n < 1 ? 1 : odd(n - 1) + 1; }
int apply(int (*f)(int), int n) {
    int i, s = 0;
    for (i = 0; i < 3; i++) s += f(n);
    while (s > 1000) s -= 7;
    return s;
}
END
case $bursty in /*) whole=$bursty ;; *) whole=$PWD/$bursty ;; esac
with() { # PLAN-OPTION OUT
    (cd "$round" && BURSTY_CACHE=$round/../../cc_runtime TMPDIR=$round/tmp "$whole" cc $1 -- $CC -O1 -o "$2" a.c b.c) >"$dir/log" 2>&1
}
answer=$(cd "$round" && $CC -O1 -o plain a.c b.c 2>/dev/null && ./plain 2>/dev/null)
if [ -z "$answer" ] || [ "$magic" != ELF ]; then skip "a round with bursty cc: no programs that run here"
else
    with '' first; ok $? "a round with bursty cc: $(head -n 1 "$dir/log")"
    place --built "$round/first"
    if [ $? = 0 ] && grep -q '^holds' "$dir/out"; then pass
    else fail "the safe checks of each file are not enough: $(cat "$dir/out" "$dir/err")"; fi
    says '^2 of 2 units built without a plan: build again with this one$' "$round/first"
    for set in all EC+L4+bounded+always Q LN; do
        runs --set $set -o "$round/plan" "$round/first"
        if with --plan=plan next; then pass; else fail "$set: $(cat "$dir/log")"; fi
        if [ "$(cd "$round" && ./next)" = "$answer" ]; then pass; else fail "$set: another output"; fi
        place --built --set $set "$round/next"
        status=$?
        case $set in
        LN) if [ $status = 1 ] && grep -q '^NOT proved' "$dir/out"; then pass; else fail "$set is proved"; fi ;;
        *) if [ $status = 0 ] && grep -q '^holds' "$dir/out"; then pass
           else fail "$set is not proved: $(cat "$dir/out" "$dir/err")"; fi ;;
        esac
        place --set $set "$round/next"
        if grep -q 'build again' "$dir/out"; then fail "$set: built by another plan"; else pass; fi
    done
    says '^2 of 2 units built with another plan: build again$' --set all "$round/next"
fi

# ---- first builds: no plan, and still no cycle without a check ----

# A function of a system header that calls something is a call in a loop, and one that calls nothing
# is none; labels of computed gotos have checks; a loop of few rounds needs none.
mkdir -p "$round/system"
cat >"$round/system/inside.h" <<'END'
static __inline int same(int n) { return (n + 1) - 1; }
static __inline int back(int (*f)(int), int n) { return f(n); }
END
cat >"$round/first.c" <<'END'
#include <stdio.h>
#include "inside.h"
static int left = 300;
static int less(int n) { return n > 0 ? n - 1 : 0; }
static int machine(const char *code) {
    static const void *const to[] = {&&up, &&stop, &&again};
    int sum = 0, at = 0;
    if (!code[0]) goto none;
    goto *to[code[0] - 'a'];
up:
    sum += same(1);
    goto *to[code[++at] - 'a'];
again:
    at = left-- > 0 ? -1 : at;
    goto *to[code[++at] - 'a'];
stop:
    return sum;
none:
    return -1;
}
int main(void) {
    int i, n = 500, sum = 0;
    while (n > 0) n = back(less, n);
    while (sum < 90) sum += same(7);
    for (i = 0; i < 4; i++) sum += machine("aacb");
    printf("%d %d\n", n, sum);
    return 0;
}
END
first() { # OPTION...
    (cd "$round" && BURSTY_CACHE=$round/../../cc_runtime TMPDIR=$round/tmp "$whole" cc "$@" -- $CC -isystem system -o first first.c) >"$dir/log" 2>&1
}
answer=$(cd "$round" && $CC -isystem system -o plain first.c 2>/dev/null && ./plain 2>/dev/null)
if [ -z "$answer" ] || [ "$magic" != ELF ]; then skip "first builds: no programs that run here"
else
    first; ok $? "first builds: $(head -n 1 "$dir/log")"
    for form in point scope dual; do
        first --form=$form
        says '^holds' --built "$round/first"
        says '^holds' --built --set EC+L4 "$round/first"       # a bounded loop ends
        if [ "$(cd "$round" && BURSTY_OFF=1 ./first)" = "$answer" ]; then pass; else fail "$form: another output"; fi
    done
    says 'loop 0, line 23: check' --why main "$round/first"
    says 'loop 1, line 24: none  boring' --why main "$round/first"
    first --loops=all
    says '^1 function and 5 loops with a check$' --built "$round/first"
    for set in EC+L4 Q EC+L4+bounded+always; do
        runs --set $set -o "$round/plan" "$round/first"
        first --plan=plan
        says '^holds' --built --set $set "$round/first"
    done
    graph 'F main g 1 0000000000000000 c 0 x.c\nL w 2 - 7 0 -\nB W0{;;}\n'
    place --built "$dir/bad.burstycg"
    if [ $? = 1 ] && grep -q '  1 of these loops calls nothing and holds at most 7 back-edges: boring if the set has L7$' "$dir/out"
    then pass; else fail "a loop that is boring for another set: $(cat "$dir/out")"; fi
    says '^holds' --built --set EC+L7 "$dir/bad.burstycg"
fi

# ---- what is refused ----

bad() { graph "$2"; refuses "bad.burstycg: offset [0-9]*: $1" "$dir/bad.burstycg"; }
F='F f g 1 0000000000000000 - 0 x.c\n'
bad 'is none of gsiw' 'F f q 1 0000000000000000 - 0 x.c\n'
bad 'is no number' 'F f g x 0000000000000000 - 0 x.c\n'
bad 'is no hash of 16 digits' 'F f g 1 000000000000000G - 0 x.c\n'
bad 'is an unknown flag' 'F f g 1 0000000000000000 z 0 x.c\n'
bad 'the line lacks a word' 'F f g 1 0000000000000000 - 0\n'
bad 'is no number' 'F f g 1 0000000000000000 - 0 x.c y\n'
bad 'the line has a word too many' 'F f g 1 0000000000000000 - 0 x.c 7 y\n'
bad 'the line begins with no letter' 'Z f\n'
bad 'the line belongs to no function' 'C f -\n'
bad 'the last line is cut off' "${F}B"
bad 'the function before this line has no skeleton' "$F"
bad 'the line comes after a skeleton' "${F}B\nC g -\n"
bad 'the skeleton has a call without a C line' "${F}B c0\n"
bad 'the skeleton has a loop without an L line' "${F}B W0{;;}\n"
bad 'the skeleton lacks a loop of an L line' "${F}L w 1 - 1 0 -\nB\n"
bad 'the skeleton has a loop twice' "${F}L w 1 - 1 0 -\nB W0{;;}W0{;;}\n"
bad 'the loop is of another kind' "${F}L w 1 - 1 0 -\nB D0{;}\n"
bad 'the loop around a loop comes before it' "${F}L w 1 0 1 0 -\nB W0{;;}\n"
bad 'the skeleton lacks a ; of a loop' "${F}L w 1 - 1 0 -\nB W0{}\n"
bad 'the skeleton has a ; too many' "${F}B ;\n"
bad 'the skeleton has a } too many' "${F}B }\n"
bad 'the skeleton has a ) too many' "${F}B )\n"
bad 'the skeleton has a | too many' "${F}B |\n"
bad 'the skeleton lacks a |' "${F}B ()\n"
bad 'the skeleton lacks a bracket' "${F}B {\n"
bad 'the skeleton lacks a {' "${F}B S\n"
bad 'the skeleton lacks a number' "${F}B c\n"
bad 'the skeleton has too large a number' "${F}B i99999999999\n"
bad 'the skeleton has a b outside' "${F}B b\n"
bad 'the skeleton has a k outside' "${F}B S{k}\n"
bad 'the skeleton goes to a label that it has not' "${F}B g0\n"
bad 'the skeleton has a label twice' "${F}B l0l0\n"
bad 'the skeleton has too large a label' "${F}B l9\n"
bad 'the skeleton has a G that follows no label' "${F}L g 1 - 1 0 -\nB G0\n"
bad 'the skeleton has an unknown item' "${F}B q\n"
bad 'the skeleton has a type without an end' "${F}B i1<v,i\n"
bad 'is a type without an end' 'U 2 0000000000000000 0000000000000000 x.c\nF f g 1 0000000000000001 - 1<v x.c\n'
bad 'is no number' 'U 2 0000000000000000 0000000000000000 x.c\nA f d\n'
bad 'the skeleton is not one word' "${F}B r r\n"
printf 'U 4 0000000000000000 0000000000000000 x.c\n' >"$dir/bad.burstycg"
refuses 'offset 2: the call graph has version 4, this tool reads 1 to 3' "$dir/bad.burstycg"
printf '# only this\n' >"$dir/bad.burstycg"
refuses 'no call graph' "$dir/bad.burstycg"
printf 'hello' >"$dir/bad.burstycg"
refuses 'bad.burstycg: offset 0: is no ELF file, archive or call graph' "$dir/bad.burstycg"
printf '!<arch>\nshort' >"$dir/bad.burstycg"
refuses "offset 8: the member's header is cut off" "$dir/bad.burstycg"
refuses 'place: no input: give FILE'
refuses "'L' is not valid" --set L $figure
refuses 'place: no function is called nobody' --why nobody $figure
refuses "no option '--colour'" --colour $figure
refuses '--set wants a value' $figure --set
refuses 'one of --list' --list --json $figure
refuses 'is no plan' --diff $figure $figure
cp $figure "$dir/input.burstycg"
refuses 'is an input, and would be overwritten' -o "$dir/input.burstycg" "$dir/input.burstycg"
same "$dir/input.burstycg" $figure
refuses 'no-such-file: No such file' "$dir/no-such-file"
printf 'precious\n' >"$dir/precious"
refuses 'precious: is no plan, and would be overwritten' -o "$dir/precious" $figure
if [ "$(cat "$dir/precious")" = precious ]; then pass; else fail "a file that is no plan was overwritten"; fi
printf 'bursty plan' >"$dir/precious"
refuses 'precious: is no plan, and would be overwritten' -o "$dir/precious" $figure
: >"$dir/precious"
runs -o "$dir/precious" $figure
same "$dir/precious" "$dir/first"
if [ -c /dev/zero ]; then           # has no end: the first bytes are enough
    refuses 'zero: offset 0: is no ELF file, archive or call graph' /dev/zero
    refuses 'zero: offset 0: is no plan' --diff /dev/zero $figure
else skip "no /dev/zero"; fi

# ---- types of pointers ----

typed='F main g 1 0000000000000001 - 0<i> x.c\nC f -\nB c0\nF f s 2 0000000000000002 - 1<i,p:S> x.c\nB (i1<i,p:S>|)i2\nA f\n'
graph "$typed"
says '^  1 call through a pointer: .* of a type that fits' "$dir/bad.burstycg"
says '^  1 call through a pointer of unknown type: ' "$dir/bad.burstycg"
says '"pointer_calls":2,"typed_calls":1,' --json "$dir/bad.burstycg"
says 'the cycle that needs it: f -> (a pointer, type i,p:S) -> f$' --set Q --why f "$dir/bad.burstycg"
graph "$(printf '%s' "$typed" | sed 's/(i1<i,p:S>/(i1<i,p:T>/')"
says 'each cycle of calls through it has' --set Q --why f "$dir/bad.burstycg"

# ---- graphs of the compiler's plugins: version 3 ----

plugins() { printf 'U 3 0000000000000000 0000000000000000 x.cc\n%b' "$1" >"$dir/plugin.burstycg"; }
# A forward goto over a call leads to the loop, and the loop is boring all the same; one with a call
# behind its last goto back is not.
plugins 'F main g 1 0000000000000001 - 0 x.cc\nC f -\nL g 3 - 1 0 -\nB m0(g2|)m1c0m2G0(g2|)m3r\n'
says '^1 loop: 0 with a check: -; 1 without: boring 1$' "$dir/plugin.burstycg"
plugins 'F main g 1 0000000000000001 - 0 x.cc\nC f -\nL g 3 - 1 0 -\nB m0G0(g0|)(g2|)m1c0g0g0m2r\n'
says '^1 loop: 1 with a check: loop 1; 0 without: -$' "$dir/plugin.burstycg"
# Of two loops of the optimizer, one behind the other, one check is enough; of the source's both stay.
two='F main g 1 0000000000000001 - 0 x.cc\nC f -\nL g 3 - 2 0 -\nL g 4 0 1 0 -\nB m0G0m1G1c0(g1|)g0m2r\n'
plugins "$two"
says '^2 loops: 1 with a check: loop 1; 1 without: always 1$' --set EC+L4 "$dir/plugin.burstycg"
says '^2 loops: 2 with a check: loop 2; 0 without: -$' --set all "$dir/plugin.burstycg"
graph "$two"
says '^2 loops: 2 with a check: loop 2; 0 without: -$' --set EC+L4 "$dir/bad.burstycg"
# A second name can have no check: a cycle through it gets one where the function is, and no plan
# speaks of the name.
plugins 'F _Z1av g 1 00000000000000aa - 0 x.cc\nC _Z1bv -\nB (c0|)\nF _Z1bv g 0 0000000000000000 n * -\nC _Z1av -\nB c0\nN other-name\n'
says '^2 functions: 1 with a check: .*; 1 without: other-name 1$' -o "$dir/plugin.plan" "$dir/plugin.burstycg"
if grep -q 'cannot have a check' "$dir/out"; then fail "a second name is left alone"; else pass; fi
same "$dir/plugin.plan" - <<'END'
bursty plan 1
O x.cc _Z1av 00000000000000aa 1 - root
END
says '^  functions that the compiler has inlined, and their calls: 1 of 1 units have checks behind the optimizer$' "$dir/plugin.burstycg"
says '^no difference$' --diff "$dir/plugin.plan" "$dir/plugin.burstycg"
# A call that may throw leaves a way out of f before its check.
for leaves in '(r|)' ''; do
    plugins "F main g 1 0000000000000001 - 0 x.cc\nC f -\nL g 3 - 1 0 -\nB m0G0c0(g0|)r\nF f s 2 0000000000000002 - 0 x.cc\nC g -\nC read -\nB c1${leaves}c0\nF g s 2 0000000000000003 - 0 x.cc\nC g -\nB (c0|)\n"
    if [ -n "$leaves" ]; then says '^1 loop: 1 with a check: loop 1; 0 without: -$' "$dir/plugin.burstycg"
    else says '^1 loop: 0 with a check: -; 1 without: always 1$' "$dir/plugin.burstycg"; fi
done
# A function of the C++ library that calls nothing back.
plugins 'F main g 1 0000000000000001 - 0 x.cc\nC _Znwm -\nC _ZSt9terminatev -\nB c0c1\n'
says '^  1 call of an outside function not of the C library' "$dir/plugin.burstycg"

# ---- what was built: a missing check is found and fails ----

graph "F main g 1 0000000000000000 c 0 x.c\nC main -\nL w 2 - 9 0 c\nB W0{;c0;}\n"
says '^1 function and 1 loop with a check$' --built "$dir/bad.burstycg"
graph "F main g 1 0000000000000000 - 0 x.c\nC main -\nL w 2 - 9 0 -\nB W0{;c0;}\n"
place --built "$dir/bad.burstycg"
if [ $? = 1 ] && grep -q '^NOT proved' "$dir/out" && grep -q 'run for ever without' "$dir/err"; then pass
else fail "--built: $(cat "$dir/out" "$dir/err")"; fi
# What it names is what there is: a cycle of calls, one of gotos, or both.
named_by() { # BODY WANTED: how many lines speak of calls, and of gotos
    graph "F main g 1 0000000000000000 - 0 x.c\nC main -\nB $1\n"
    place --built "$dir/bad.burstycg"
    got=$(awk '/^NOT proved/ { on = 1 } on && /^  1 function that calls itself: main$/ { calls++ }
        on && / with gotos on which no check lies/ { gotos++ } END { print calls + 0, gotos + 0 }' "$dir/out")
    [ "$got" = "$2" ]
    ok $? "--built of $1: $(cat "$dir/out")"
}
named_by m0c0g0r '1 0'
named_by m0g0r '0 1'
named_by 'm0c0(g0|)r' '1 1'

finish
