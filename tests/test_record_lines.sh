#!/bin/sh
# test_record_lines.sh - where functions stand that `bursty record` has seen: file and line from the
# program's .debug_line, in both layouts of DWARF, or from its debug file; and nothing where nobody
# knows.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_lines
needs_recorder
unset COLUMNS
shown=err

mkdir -p sub
cat >sub/far.c <<'P'
int far(int n);

/* What runs at line 9 belongs to the function of line 5. */
int
far(int n) { volatile int sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += i ^ n;
    return sum;
}
P
cat >near.c <<'P'
#include <stdio.h>
#include <time.h>
int far(int n);
__attribute__((noinline)) static int near(int n) {
    int i, sum = 0;
    for (i = 0; i < 50; i++) sum ^= far(n + i);
    return sum;
}
int main(void) {
    int sum = 0;
    while (clock() < CLOCKS_PER_SEC / 10) sum ^= near(3000);
    return sum == 12345;
}
P

record() { # PROGRAM: its functions, a line each: name, file, line
    rm -f x.brst
    "$bursty" record -o x.brst "$@" >got 2>err || return 1
    "$bursty" report --min 0 --csv x.brst | awk -F, -v OFS=' ' '
        /^"?rank/ { for (i = 1; i <= NF; i++) at[$i] = i; reads = "function" in at && "file" in at; next }
        reads && NF > 4 { print $at["function"], $at["file"], $at["line"] }
        NF < 2 { reads = 0 }'
}

for dwarf in 4 5; do
    # shellcheck disable=SC2086
    $CC -O1 -gdwarf-$dwarf -o lines near.c sub/far.c 2>log || { cat log; exit 2; }
    record ./lines >seen
    check "DWARF $dwarf: a function of another folder" grep -qE '^far (.*/)?sub/far\.c 5$' seen
    check "DWARF $dwarf: a static function" grep -qE '^near (.*/)?near\.c 4$' seen
    check "DWARF $dwarf: the text says it" grep -q ' far\.c:5$' err
done
check "the whole name, where the compiler told its folder" grep -q "^far $PWD/sub/far.c 5\$" seen

# Compressed sections of both kinds, offsets of eight bytes, names that dwz has moved to another file.
try() { # WHAT
    record ./lines >seen
    check "$1" grep -qE '^far (.*/)?sub/far\.c 5$' seen
}
for of in -gz=zlib -gz=zlib-gnu '-gdwarf-5 -gdwarf64' '-gdwarf-4 -gdwarf64' -gsplit-dwarf; do
    # shellcheck disable=SC2086
    $CC -O1 -g $of -o lines near.c sub/far.c 2>log || clang -O1 -g $of -o lines near.c sub/far.c 2>log || continue
    try "$of"
done
$CC -O1 -g -o lines near.c sub/far.c || exit 2
if cp lines other && dwz -m shared.debug lines other 2>log; then try "dwz"; else skip "no dwz"; fi

# A function that begins with an instruction of what was inlined stands where it is declared: compilers
# of Rust leave out the row of its own line. Here that row is taken away.
cat >first.h <<'P'
static inline __attribute__((always_inline)) int first(int n) { return n * n; }
P
cat >inlines.c <<'P'
#include "first.h"
#include <time.h>
__attribute__((noinline)) int
begins(int n) {
    volatile int sum = first(n);
    int i;
    for (i = 0; i < n; i++) sum += i ^ n;
    return sum;
}
int main(void) {
    int sum = 0;
    while (clock() < CLOCKS_PER_SEC / 8) sum ^= begins(3000);
    return sum == 12345;
}
P
for dwarf in 4 5; do
    $CC -O1 -gdwarf-$dwarf -S -o inlines.s inlines.c || exit 2
    awk 'NR == FNR { if (/\.file.*first\.h/) { header = $0; number = $2 } next }
        /^begins:/ { print header; at = 1 }
        at && /\.loc/ { sub(/\.loc [0-9]+ [0-9]+/, ".loc " number " 1"); at = 0 }
        !/\.file.*first\.h/' inlines.s inlines.s >changed.s && $CC -o inlines changed.s || exit 2
    record ./inlines >seen
    check "DWARF $dwarf: where it is declared" grep -qE '^begins (.*/)?inlines\.c 4$' seen
done

$CC -O1 -gdwarf-5 -o lines near.c sub/far.c || exit 2
# It is found from its debug file, and from no other program's.
objcopy --only-keep-debug lines lines.debug && cp lines whole && objcopy --strip-debug whole \
    && objcopy --add-gnu-debuglink=lines.debug whole || exit 2
record ./whole >seen
check "by the debug file" grep -q "^far $PWD/sub/far.c 5\$" seen
mv lines.debug elsewhere
record ./whole >seen
check "no debug file, no line" grep -q '^far  0$' seen
mv elsewhere lines.debug

# The page shows the source; a sum keeps places; what was killed has them, too.
record ./lines >seen
cp x.brst one.brst
"$bursty" merge -o two.brst one.brst x.brst && "$bursty" report --min 0 two.brst >text
check "a sum keeps them" grep -q ' far  *far\.c:5$' text
"$bursty" report --html page.html one.brst
check "the page has the source" grep -q 'belongs to the function of line' page.html
"$bursty" report --min 0 --base one.brst x.brst >text
check "two runs are compared by function" [ "$(grep -c ' far  *far\.c:5' text)" -ge 1 ]

# What counts know by name alone is one function with what ticks know.
"$bursty" record --time --profile methods -o both.brst ./lines >got 2>err
"$bursty" report --min 0 both.brst >text
check "with counts there is one row a function" \
    [ "$(awk '/time by ticks$/ { on = 1 } on && NF == 0 { exit } on && / far( |$)/ { n++ } END { print n }' text)" = 1 ]

# A file that says nonsense has no lines, and harms nothing.
cp lines broken
offset=$(readelf -SW lines | awk '$2 == ".debug_line" { print $5 } $3 == ".debug_line" { print $6 }')
printf '\377\377\377\377\377\377\377\377' | dd of=broken bs=1 seek=$((0x$offset)) conv=notrunc 2>log
record ./broken >seen
check "a damaged table" grep -q '^far  0$' seen
finish
