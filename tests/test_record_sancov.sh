#!/bin/sh
# test_record_sancov.sh - record/inside/hooks/sancov.c: what clang's tables say of control flow becomes a plan,
# and the planned counts are those of a build that counts every block.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
out=$BUILD/tests/record_sancov
rm -rf "$out"
mkdir -p "$out" || exit 2
log=$out/log
. tests/compile/warnings.sh

[ -z "${RUN-}" ] || leave "the programs are not for this machine"
clang=
for name in "$CC" clang clang-22 clang-21 clang-20 clang-19 clang-18 clang-17 clang-16; do
    version=$($name --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\)\..*/\1/p')
    if [ "${version:-0}" -ge 16 ]; then
        clang=$name
        break
    fi
done
[ -n "$clang" ] || leave "no clang 16 or later"
command -v addr2line >/dev/null 2>&1 || leave "no addr2line"

cat >"$out/app.c" <<'END'
#include "examples/parser/parser.h"
int kinds(int n);
int twist(int n);
int twin_a(int n);
int twin_b(int n);
int kinds(int n) {
    switch (n % 7) {
    case 0:
    case 1: return 1;
    case 2: n++; /* falls through */
    case 3: n += 2; break;
    default:
        while (n > 3 && n % 5) n--;
    }
    return n;
}
int twist(int n) { /* two ways into a loop */
    if (n & 1) goto middle;
    do {
        n -= 3;
    middle:
        n--;
    } while (n > 0);
    return n;
}
int twin_a(int n) { return n ? 1 : 2; }
int twin_b(int n) { return n ? 1 : 2; }
int line(int n);
int line(int n) { /* a loop that is not reached, and behind it on its line what is */
    if (n < 0)
        while (n < -3) n++; n--;
    return n;
}
int never(int n);
int never(int n) {
    switch (n & 1) {
    case 0: return 2;
    case 1: return 3;
    }
    __builtin_unreachable();
}
int main(void) {
    long value;
    int i, sum = 0;
    for (i = 0; i < 1000; i++) {
        parser_evaluate(i % 3 ? "1+2*(3-4)" : "8/(2-2)", &value);
        sum += kinds(i) + twist(i) + twin_a(i) + never(i) + line(i);
    }
    return twin_b(sum) + twin_b(0) == 0;
}
END
cat >"$out/slots.c" <<'END'
/* Prints functions, counters, and how many a spanning tree needs; before main returns. */
#include "record/inside/hooks/sancov.h"
#include <stdio.h>
__attribute__((destructor)) static void show(void) {
    uint32_t count, i;
    unsigned long slots = 0, wanted = 0;
    const edgeprof_function *const *list = sancov_functions(NULL, NULL, &count);
    for (i = 0; i < count; i++) slots += list[i]->slots;
    for (i = 0; i < count; i++) wanted += list[i]->edges - list[i]->vertices + 2;
    printf("%lu %lu %lu %lu\n", (unsigned long)count, slots, wanted, (unsigned long)sancov_lost());
}
END
pruned='-g -fsanitize-coverage=trace-pc-guard,pc-table,control-flow'
covered='-g -fsanitize-coverage=trace-pc-guard,no-prune,pc-table,control-flow'
# The names that clang's code calls are reserved.
warnings="$(warnings_of "$clang") -Wno-reserved-identifier -Wno-missing-noreturn"
for form in planned check atomic small; do
    case $form in
    planned) option= ;;
    check) option=-DSANCOV_CHECK ;;
    atomic) option=-DSANCOV_ATOMIC ;;
    small) option=-DSANCOV_BYTES=4096 ;;
    esac
    # shellcheck disable=SC2086
    check "$form: sancov.c" \
        $clang -std=c99 $warnings $option -I. -c -o "$out/$form.o" record/inside/hooks/sancov.c
done
# shellcheck disable=SC2086
check "sancov_file.c" $clang -std=c99 $warnings -I. -c -o "$out/file.o" record/inside/hooks/sancov_file.c
check "slots.c" $clang -std=c99 -I. -c -o "$out/slots.o" "$out/slots.c"
run() { BURSTY_COVERAGE="$out/$1.brst" "$out/$1"; }
lcov() { "$BUILD/bursty" report --lcov -o "$out/$1.info" "$out/$1.brst"; }
build() { # NAME OBJECTS..., covered objects of $level
    name=$1
    shift
    $clang -o "$out/$name" "$out/app$level.o" "$out/parser$level.o" "$@"
}
for level in -O0 -O2; do
    # shellcheck disable=SC2086
    for source in "$out/app.c" examples/parser/parser.c; do
        object=$out/$(basename "$source" .c)$level.o
        check "$level $source" $clang $level $covered -DEDGEPROF_OFF -I. -c -o "$object" "$source"
    done
    for form in planned check atomic; do
        check "$level $form: linked" build $form$level "$out/$form.o" "$out/file.o"
        check "$level $form: run" run $form$level
        check "$level $form: LCOV" lcov $form$level
    done
    check "$level: planned counts are those of all blocks" \
        cmp "$out/planned$level.info" "$out/check$level.info"
    check "$level: so are atomic ones" cmp "$out/atomic$level.info" "$out/check$level.info"
    check "$level: linked" build slots$level "$out/planned.o" "$out/slots.o"
    "$out/slots$level" >"$out/slots$level.txt"
    check "$level: as many counters as a spanning tree leaves" \
        awk '$1 == 0 || $2 != $3 || $4 != 0 { exit 1 }' "$out/slots$level.txt"
done
info=$out/planned-O0.info
check "the LCOV does not contradict itself" awk -f tests/edgeprof/lcov_rules.awk "$info"
line_of() { grep -n "$1" "$2" | head -n 1 | sed 's/:.*//'; }
check "kinds ran 1000 times" grep -qx 'FNDA:1000,kinds' "$info"
check "twin_a ran 1000 times" grep -qx 'FNDA:1000,twin_a' "$info"
check "never ran 1000 times" grep -qx 'FNDA:1000,never' "$info"
check "twin_b ran twice: it is not taken for its twin" grep -qx 'FNDA:2,twin_b' "$info"
check "143 rounds fell through" grep -qx "DA:$(line_of 'case 2' "$out/app.c"),143" "$info"
line=$(line_of 'open = 1\|failed = 1' examples/parser/parser.c)
check "a line of the parser is there" grep -q "^DA:$line," "$info"

# A shared library and its program, both linked with the runtime: each function is there once, with
# its name, wherever the library is loaded.
check "shared: sancov.c" $clang -O1 -fPIC -I. -c -o "$out/pic.o" record/inside/hooks/sancov.c
check "shared: sancov_file.c" $clang -O1 -fPIC -I. -c -o "$out/pic_file.o" record/inside/hooks/sancov_file.c
# shellcheck disable=SC2086
check "shared: library" $clang -O0 -fPIC -shared $covered -fno-sanitize-link-runtime \
    -DEDGEPROF_OFF -I. -o "$out/libparser.so" examples/parser/parser.c "$out/pic.o" \
    "$out/pic_file.o"
check "shared: linked" $clang -o "$out/shared" "$out/app-O0.o" "$out/pic.o" "$out/pic_file.o" \
    -L"$out" -lparser -Wl,-rpath,"$out"
check "shared: run" run shared
check "shared: run again" run shared
check "shared: LCOV" lcov shared
check "shared: parser.c, twice" grep -qx 'FNDA:2000,parser_evaluate' "$out/shared.info"
check "shared: app.c, twice" grep -qx 'FNDA:2000,kinds' "$out/shared.info"

# Too little memory: functions are left out, and it says so.
level=-O0
check "little memory: linked" build small "$out/small.o" "$out/file.o"
run small >"$out/small.txt" 2>&1
check "little memory: says what is left out" \
    grep -q 'small.brst: [1-9][0-9]* functions are left out' "$out/small.txt"
# Without no-prune, blocks lack guards: what cannot be counted is left out, the rest is right.
for source in "$out/app.c" examples/parser/parser.c; do
    # shellcheck disable=SC2086
    check "pruned: $source" $clang -O0 $pruned -DEDGEPROF_OFF -I. -c \
        -o "$out/$(basename "$source" .c)-pruned.o" "$source"
done
level=-pruned
check "pruned: linked" build pruned "$out/planned.o" "$out/file.o"
check "pruned: run" run pruned
check "pruned: LCOV" lcov pruned
grep '^FNDA' "$out/pruned.info" | sort >"$out/a"
grep '^FNDA' "$info" | sort >"$out/b"
check "pruned: there are counts" [ -s "$out/a" ]
check "and others to compare with" [ -s "$out/b" ]
check "pruned: all of them right" sh -c "comm -23 '$out/a' '$out/b' >'$out/c' && ! grep . '$out/c'"
finish
