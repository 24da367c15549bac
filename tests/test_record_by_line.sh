#!/bin/sh
# test_record_by_line.sh - `bursty record --lines`: what each source line costs, and what was inlined
# there: gcc and clang, DWARF 4 and 5, PIE and not, a library that is linked and one that is loaded,
# a program that is killed; and what .debug_info says, held against another reader of it. FULL=1: both
# compilers, each with both forms of both versions, and that other reader.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_by_line
needs_recorder
unset COLUMNS
shown=err

# Most of the time is at line 6, within two functions that are inlined; the rest at line 17. Line 12
# calls what takes all. Rounds differ in length: ticks come in step with the kernel's clock, and may
# meet the same place of rounds that are alike. The division and what stands behind it are one line: a
# tick comes when the division has ended.
cat >costs.c <<'P'
#include <time.h>
extern int rounds;
static inline __attribute__((always_inline)) int inner(int x) {
    int i;
    int s = 0;
    for (i = 0; i < 40; i++) s += (s ^ x) / (i + 7);
    return s;
}
static inline __attribute__((always_inline)) int outer(int x) { return inner(x) + 1; }
__attribute__((noinline)) int work(int n) {
    int k, s = 0;
    for (k = 0; k < n; k++) s += outer(k);
    return s;
}
__attribute__((noinline)) double divide(int n) {
    double d = 3;
    while (n--) d = 1 / d + .1;
    return d;
}
P
cat >main.c <<'P'
#include <time.h>
int work(int n);
double divide(int n);
int rounds;
int main(void) {
    double sum = 0;
    unsigned seed = 1;
    while (clock() < CLOCKS_PER_SEC / 4) {
        seed = seed * 1103515245 + 12345;
        sum += work(1000 + (int)(seed >> 16) % 4000) + divide(50000);
    }
    return sum == 12345;
}
P

record() { # PROGRAM ARGUMENTS: `lines` gets "ticks function into file line", the most first
    rm -f x.brst
    "$bursty" record --lines -o x.brst "$@" >got 2>err || return 1
    lines_of x.brst
}
lines_of() { # FILE
    "$bursty" report --min 0 --csv --only lines "$1" >csv
    awk -F, -v OFS=' ' '
        function bare(name) { gsub(/ < /, "<", name); gsub(/ /, "_", name); return name }
        /^# losses/ { exit }
        /share_low/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        NF > 5 { print $at["ticks"], bare($at["function"]), $at["inlined_into"] ? bare($at["inlined_into"]) : "-",
                       $at["file"] ? $at["file"] : "-", $at["line"], $at["share"],
                       $at["share_low"], $at["share_high"] }' csv | tr -d '"' | sed 's/ < /</g' >lines
}
# The share that the function with most of the ticks has in the table of functions is the sum of
# its lines: they are the same ticks.
same_ticks() {
    "$bursty" report --min 0 --csv --only time x.brst | tr -d '"' | awk -F, '
        /^# losses/ { exit }
        /self_ticks/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        NF > 5 && $at["self_ticks"] > 0 {
            gsub(/ /, "_", $at["function"])
            print $at["function"], $at["self_ticks"] + 0
        }' | sort >functions
    awk '{ f = $2; if ($3 != "-") { n = split($3, a, "<"); f = a[n] } sum[f] += $1 }
        END { for (f in sum) print f, sum[f] }' lines | sort >sums
    [ -s sums ] && cmp functions sums
}

compilers=$CC
case $CC in *clang*) other=gcc ;; *) other=clang ;; esac
[ -z "${FULL-}" ] || ! command -v $other >/dev/null || compilers="$CC $other"
for compiler in $compilers; do
    for dwarf in 4 5; do
        for kind in '-fPIE -pie' '-no-pie'; do
            [ -n "${FULL-}" ] || [ "$dwarf$kind" = '4-no-pie' ] || [ "$dwarf$kind" = '5-fPIE -pie' ] || continue
            what="$compiler, DWARF $dwarf, $kind"
            # shellcheck disable=SC2086
            $compiler -O2 -g -gdwarf-$dwarf $kind -o costs main.c costs.c 2>log || { cat log; exit 2; }
            record ./costs || fail "$what: it is not recorded"
            check "$what: the line that costs most, and what was inlined there" \
                grep -qE "^[0-9]+ inner outer<work (.*/)?costs\.c 6 " lines
            sort -c -s -n -r -k 1,1 lines
            ok $? "$what: the most stands first"
            check "$what: the line of a function that is not inlined" \
                grep -qE "^[0-9]+ divide - (.*/)?costs\.c 17 " lines
            # Where other programs cut the turns short there are none, and the report says so.
            grep -q 'turns on the processor' err && cut=1 || cut=0
            awk -v cut=$cut '{ n++; bad += NF < 8 ? !cut : !($7 <= $6 && $6 <= $8 && $8 > 0) }
                END { exit !(n > 1 && !bad) }' lines
            ok $? "$what: an interval around every share"
            check "$what: lines and functions have the same ticks" same_ticks
        done
    done
done
cp x.brst whole.brst
record ./costs && cp x.brst again.brst
"$bursty" report --min 0 whole.brst >text
check "the text has a table" grep -q '^time by source line' text
check "a line of it" grep -qE '^ *[0-9.]+%  *[0-9.]+%  *[0-9.]+% +[0-9]+  costs\.c:6 +inner +outer < work$' text

# Without -g there is no line, and the report says so; from a debug file there is.
cp costs plain && objcopy --only-keep-debug plain plain.debug && objcopy --strip-debug plain \
    && objcopy --add-gnu-debuglink=plain.debug plain || exit 2
record ./plain
check "lines from the debug file" grep -qE "^[0-9]+ inner outer<work (.*/)?costs\.c 6 " lines
mv plain.debug gone
record ./plain
check "without it: no line" grep -q '^[0-9]* work - - 0 ' lines
"$bursty" report --min 0 x.brst >text
tr '\n' ' ' <text | grep -q ' % of the time is of code whose line is not known: it needs -g, or its debug file'
ok $? "and the report says why"

# A library, linked, and one that is loaded later.
$CC -O2 -g -fPIC -shared -o libcosts.so costs.c -Wl,--unresolved-symbols=ignore-all 2>log \
    && $CC -O2 -g -o linked main.c ./libcosts.so 2>log || { cat log; exit 2; }
record ./linked
check "a shared library" grep -qE "^[0-9]+ inner outer<work (.*/)?costs\.c 6 " lines
check "a shared library: the same ticks" same_ticks
cat >later.c <<'P'
#include <dlfcn.h>
#include <time.h>
typedef int (*work_fn)(int);
typedef double (*divide_fn)(int);
int rounds;
int main(void) {
    void *library = dlopen("./libcosts.so", RTLD_NOW);
    work_fn work = (work_fn)dlsym(library, "work");
    divide_fn divide = (divide_fn)dlsym(library, "divide");
    double sum = 0;
    unsigned seed = 1;
    while (clock() < CLOCKS_PER_SEC / 4) {
        seed = seed * 1103515245 + 12345;
        sum += work(1000 + (int)(seed >> 16) % 4000) + divide(50000);
    }
    return sum == 12345;
}
P
$CC -O2 -g -rdynamic -o later later.c -ldl 2>log || { cat log; exit 2; }
record ./later
check "a library that is loaded later" grep -qE "^[0-9]+ inner outer<work (.*/)?costs\.c 6 " lines

# Threads together, and a child under --follow by itself.
cat >many.c <<'P'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int work(int n);
int rounds;
static void *run(void *n) { volatile int sum = 0, i;
    for (i = 0; i < 400; i++) sum += work(*(int *)n); return NULL; }
int main(int argc, char **argv) {
    pthread_t t[3];
    int n = 3000, i;
    (void)argv;
    for (i = 0; i < 3; i++) pthread_create(&t[i], NULL, run, &n);
    for (i = 0; i < 3; i++) pthread_join(t[i], NULL);
    if (argc > 1 && fork() == 0) { run(&n); return 0; }
    while (argc > 1 && wait(NULL) > 0) { }
    return 0;
}
P
$CC -O2 -g -o many many.c costs.c -lpthread 2>log || { cat log; exit 2; }
record ./many
check "threads" grep -qE "^[0-9]+ inner outer<work (.*/)?costs\.c 6 " lines
check "threads: the same ticks" same_ticks
rm -f x.brst*
"$bursty" record --lines --follow -o x.brst -- ./many child >got 2>err
for file in x.brst.*; do lines_of "$file"; done
check "a child" grep -qE "^[0-9]+ inner outer<work (.*/)?costs\.c 6 " lines

# Killed: what was kept has lines.
cat >killed.c <<'P'
#include <signal.h>
#include <time.h>
#include <unistd.h>
int work(int n);
int rounds;
int main(void) {
    volatile int sum = 0, said = 0;
    while (access("go", F_OK) != 0) {
        sum += work(3000);
        if (!said && clock() > CLOCKS_PER_SEC / 4) said = (int)write(1, "x", 1);
    }
    raise(SIGKILL);
    return 0;
}
P
$CC -O2 -g -o killed killed.c costs.c 2>log || { cat log; exit 2; }
. "$top/tests/kept.sh"
rm -f x.brst go got
TMPDIR=$out/keep "$bursty" record --inside --lines -o x.brst ./killed >got 2>err &
job=$!
wait_for [ -s got ] && wait_for_half && wait_for_half
: >go
{ wait $job; } 2>/dev/null
lines_of x.brst 2>log
if [ $keeps = no ]; then skip "this kernel cannot keep what is recorded"
else check "a program that is killed" grep -qE "^[0-9]+ inner outer<work (.*/)?costs\.c 6 " lines; fi

# Two runs are added up, and the page has the costs beside the source.
"$bursty" merge -o two.brst whole.brst again.brst
lines_of again.brst
cp lines more
lines_of whole.brst
cat lines more | awk '{ k = $2 " " $3 " " $4 " " $5; n[k] += $1 } END { for (k in n) print n[k], k }' | sort >wanted
lines_of two.brst
awk '{ print $1, $2, $3, $4, $5 }' lines | sort | cmp -s - wanted
ok $? "merge adds lines up"
"$bursty" report --html page.html whole.brst
check "the page has the table" grep -q '"key":"lines"' page.html
"$bursty" report --json whole.brst >json
check "JSON has it" grep -q '"inlined_into":\[' json

# What cannot be: one line, status 2, and the program does not run.
refuses() { # WORDS OPTIONS...
    words=$1
    shift
    "$bursty" record "$@" -o none.brst ./costs >got 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q -e "$words" err && [ ! -e none.brst ]
}
for option in --calls --edges --refs --misses '--only=work' '--not=work' '--every=100'; do
    check "--lines $option" refuses '--lines goes with' --lines $option
done
check "--lines --ticks 0" refuses 'leaves no time to --lines' --lines --ticks 0
rm -f x.brst
"$bursty" record --time -o x.brst ./costs >got 2>err
lines_of x.brst 2>log
[ ! -s lines ]
ok $? "without --lines there are none"

# ---- .debug_line and .debug_info, of each instruction, beside another reader ----
cat >many.cc <<'P'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
int main(int argc, char **argv) {
    std::map<std::string, int> m;
    std::vector<std::string> v;
    for (int i = 0; i < 100 * argc; i++) { v.push_back(std::string(argv[0]) + char('a' + i % 26)); m[v.back()] += i; }
    std::sort(v.begin(), v.end());
    return (int)m.size() == 12345;
}
P
t=$top
$CC -O1 -I"$t" -o at "$top/tests/lines_at.c" "$t/base/dwarf_lines.c" "$t/base/dwarf_inlined.c" "$t/base/dwarf.c" "$t/base/inflate.c" \
    "$t/base/elf.c" "$t/base/tool.c" "$t/base/text.c" "$t/base/dump.c" \
    "$t/base/alloc.c" "$t/base/fault.c" \
    "$t/base/debugfile.c" "$t/base/demangle.c" "$t/base/demangle_rust.c" "$t/base/demangle_d.c" \
    -lm 2>log || { cat log; exit 2; }
symbolizer=
for name in llvm-symbolizer llvm-symbolizer-14 llvm-symbolizer-19; do
    command -v $name >/dev/null && symbolizer=$name
done
plain() { # line 0 is no line; names of files without folders
    awk '{ n = split($2, a, "/"); $2 = a[n]; if ($2 ~ /:0$/) $2 = "?:0" } 1'
}
addresses() { # FILE: of instructions, without what fills gaps
    objdump -d --no-show-raw-insn "$1" | awk '/^ +[0-9a-f]+:/ && !/nop|xchg +%ax,%ax|hlt|int3/ { sub(":", "", $1); print "0x" $1 }'
}
for dwarf in ${FULL:+4 5}; do
    if ! command -v "$CXX" >/dev/null || ! $CXX -O2 -g -gdwarf-$dwarf -o many_cc many.cc 2>log; then
        skip "no compiler of C++"
        break
    fi
    addresses many_cc >addresses
    ./at many_cc <addresses | plain >ours
    awk 'NF > 3 { n++ } END { exit !(n > 100) }' ours
    ok $? "DWARF $dwarf: functions inlined into inlined ones"
    if [ -z "$symbolizer" ]; then skip "no llvm-symbolizer to compare with"
    else
        $symbolizer -a -i -f --no-demangle --output-style=GNU --obj=many_cc <addresses 2>log | awk '
            function out(l, i) { if (a == "") return; l = a " " file; for (i = 1; i < n; i++) l = l " " name[i]; print l }
            /^0x[0-9a-f]+$/ { out(); a = $1; sub("0x0*", "0x", a); n = want = 0; next }
            want { if (n == 1) file = $1; want = 0; next }
            { name[++n] = $1; want = 1 }
            END { out() }' | sed 's/ ??:[0?]/ ?:0/; s/:?/:0/' | plain >theirs
        check "DWARF $dwarf: $(wc -l <ours) instructions as $symbolizer has them" cmp ours theirs
    fi
done

# Damaged sections: no crash, no endless search.
[ -s many_cc ] || cp costs many_cc
addresses many_cc | head -n 60 >few
objcopy --compress-debug-sections many_cc pressed || cp many_cc pressed
damage() { # FILE SECTION...
    whole=$1
    shift
    for section; do
        set -- $(readelf -SW $whole | sed 's/^ *\[ *[0-9]*\] *//' | awk -v s=$section '$1 == s { print $4, $5 }')
        [ $# = 2 ] || continue
        n=0
        while [ $n -lt 6 ]; do
            cp $whole broken
            at=$((0x$1 + (0x$2 * n / 6) + n * 7 % 11))
            printf '\377\200\001\000\377' | dd of=broken bs=1 seek=$at conv=notrunc 2>log
            within 20 ./at broken <few >got 2>err || { fail "$section is damaged at $at"; break; }
            n=$((n + 1))
        done
        [ $n = 6 ]
        ok $? "$section of $whole damaged in 6 ways"
    done
}
if [ -s few ]; then
    damage many_cc .debug_info .debug_abbrev .debug_rnglists .debug_str .debug_line
    damage pressed .debug_info .debug_line
fi
finish
