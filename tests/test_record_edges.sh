#!/bin/sh
# test_record_edges.sh - cc/inside/edges.c: units of several objects find their way into one dump, by a
# section and by constructors; many runs add up; a unit whose tables are a ready part; early exits.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
out=$BUILD/tests/record_edges
rm -rf "$out"
mkdir -p "$out" || exit 2
log=$out/log
. tests/compile/warnings.sh
[ -z "${RUN-}" ] || leave "the programs are not for this machine"
case $(uname -s 2>/dev/null) in
Linux) ;;
*) leave "no Linux" ;;
esac
# The linker gives names to the ends of a section; they are reserved.
warnings="$(warnings_of "$CC") -Wno-unknown-warning-option -Wno-reserved-identifier"
case $warnings in *-Weverything*) ;; *) warnings=$(warnings_of "$CC") ;; esac
# shellcheck disable=SC2086
c() { $CC -std=c99 $warnings -I. -I"$out" "$@"; }

# A function each in two files, a third file with main, and one whose tables are made beforehand.
for name in one two; do
    cat >"$out/$name.c" <<END
#define EP_CFG_$name(V, E, F) V(F, a, 1) V(F, b, 2) V(F, c, 3) V(F, z, 0) \\
    E(F, 0, a, b) E(F, 1, a, c) E(F, 2, b, c) E(F, 3, c, z)
#define EDGEPROF_CHECK
#include "cc/inside/edges.h"
void $name(int n);
EP_FUNC($name);
EDGEPROF_UNIT(EP_REF($name));
void $name(int n) {
    EP_ENTRY($name);
    if (n) {
        EP_EDGE($name, 0);
        EP_EDGE($name, 2);
    } else {
        EP_EDGE($name, 1);
    }
    EP_EDGE($name, 3);
}
END
done
cat >"$out/main.c" <<'END'
#include "cc/inside/edges.h"
#include <stdlib.h>
void one(int n);
void two(int n);
int main(int argc, char **argv) {
    int i;
    (void)argv;
    one(0);
    edgeprof_units_reset();
    for (i = 0; i < 10; i++) one(i % 2);
    for (i = 0; i < 7; i++) two(i);
    return edgeprof_units_count() == (uint32_t)argc + 1 ? 0 : 1;
}
END
for form in section constructor; do
    option=
    [ $form = section ] || option=-U__ELF__
    for source in "$out/one.c" "$out/two.c" "$out/main.c" cc/inside/edges.c cc/inside/edges_file.c; do
        # shellcheck disable=SC2086
        check "$form: $source" c -O2 $option -ffunction-sections -fdata-sections -c \
            -o "$out/$(basename "$source" .c).o" "$source"
    done
    program=$out/$form
    check "$form: linked" $CC -Wl,--gc-sections -o "$program" "$out/one.o" "$out/two.o" \
        "$out/main.o" "$out/edges.o" "$out/edges_file.o"
    for run in 1 2 3; do
        check "$form: run $run" env BURSTY_COVERAGE="$program.brst" "$program"
    done
    check "$form: LCOV" "$BUILD/bursty" report --lcov -o "$program.info" "$program.brst"
    check "$form: three runs add up" grep -qx 'FNDA:30,one' "$program.info"
    check "$form: two is another unit" grep -qx 'FNDA:21,two' "$program.info"
    check "$form: branches add up" grep -qx 'BRDA:1,0,1,15' "$program.info"
done
check "both forms tell the same" cmp "$out/section.info" "$out/constructor.info"
# Programs that end at the same time wait for one another.
for run in 1 2 3 4 5 6 7 8; do
    BURSTY_COVERAGE=$out/many.brst "$out/section" &
done
wait
check "eight at a time" "$BUILD/bursty" report --lcov -o "$out/many.info" "$out/many.brst"
check "eight at a time add up" grep -qx 'FNDA:80,one' "$out/many.info"

# What cannot be written is said, and does not end the program otherwise.
check "no folder: the program's own status" \
    sh -c "BURSTY_COVERAGE=$out/none/x.brst '$out/section' 2>'$out/err'"
check "no folder: one line" grep -q 'none/x.brst: No such file' "$out/err"
if [ -c /dev/full ]; then
    check "full: the program's own status" \
        sh -c "BURSTY_COVERAGE=/dev/full '$out/section' 2>'$out/err'"
    check "full: said" grep -q '/dev/full: cannot be written' "$out/err"
fi

echo 'a text' >"$out/text"
check "a text: the program's own status" \
    sh -c "BURSTY_COVERAGE='$out/text' '$out/section' 2>'$out/err'"
check "a text: said" grep -q 'text: is no .brst file; nothing is appended' "$out/err"
check "a text: left alone" test "$(cat "$out/text")" = 'a text'

# No units: edges.c finds none, and no file is made.
echo 'int main(void) { return 0; }' >"$out/none.c"
check "no units: linked" c -o "$out/none" "$out/none.c" cc/inside/edges.c cc/inside/edges_file.c
check "no units: run" sh -c "cd '$out' && BURSTY_COVERAGE= ./none && [ ! -e coverage.brst ]"

# A unit as a rewriting compiler would make it: one array of counters, tables in a ready part. leaf
# is left by longjmp, then by exit; trunk lands the longjmp.
cat >"$out/tables.c" <<'END'
/* Prints the part with the tables of leaf and trunk as a list of bytes. */
#include "report/kinds/edges.h"
#include "edgeprof.h"
#include <stdio.h>
#include <string.h>
int main(void) {
    static uint32_t line_at[] = {0, 1, 2, 2}, line[] = {1, 2};
    static uint32_t leaf_ends[] = {0, 1, 1, 2, 2, 0};
    static uint32_t trunk_at[] = {0, 1, 2, 3, 3}, trunk_line[] = {5, 6, 7};
    static uint32_t trunk_ends[] = {0, 1, 0, 2, 1, 2, 2, 3, 3, 0};
    static uint8_t leaf_plan[] = {0, 1, 0}, trunk_plan[] = {1, 1, 0, 0, 0};
    edges_function leaf, trunk;
    edgeprof_function unit;
    text out = {NULL, 0, 0};
    dump_writer w;
    size_t i;
    memset(&leaf, 0, sizeof leaf);
    memset(&unit, 0, sizeof unit);
    unit.name = "unit";
    unit.bits = 32;
    unit.slots = 3;
    unit.hash = 77;
    leaf.key = edgeprof_key(&unit);
    leaf.bits = 32;
    trunk = leaf;
    leaf.name = strcpy((char[8]){0}, "leaf");
    leaf.file = trunk.file = strcpy((char[8]){0}, "unit.c");
    leaf.vertices = 3;
    leaf.edges = 2;
    leaf.line_at = line_at;
    leaf.line = line;
    leaf.ends = leaf_ends;
    leaf.plan = leaf_plan;
    leaf.slots = 1;
    trunk.name = strcpy((char[8]){0}, "trunk");
    trunk.first_slot = 1;
    trunk.first_vertex = 3;
    trunk.vertices = 4;
    trunk.edges = 4;
    trunk.line_at = trunk_at;
    trunk.line = trunk_line;
    trunk.ends = trunk_ends;
    trunk.plan = trunk_plan;
    trunk.slots = 2;
    dump_begin(&w, &out, 4);
    edges_put_function(&w, &leaf);
    edges_put_function(&w, &trunk);
    dump_end(&w);
    for (i = 0; i < out.size; i++) printf("%u,\n", (unsigned char)out.data[i]);
    return 0;
}
END
cat >"$out/rewritten.c" <<'END'
#include "cc/inside/edges.h"
#include <setjmp.h>
#include <stdlib.h>
static uint32_t counter[3], early[7], reentry[7];
static const unsigned char part[] = {
#include "tables.inc"
};
static const edgeprof_function unit = {
    "unit", NULL, NULL, NULL, NULL, NULL, counter, early, reentry, 7, 0, 0, 3, 77, 32, 0,
};
static const edgeprof_function *const functions[] = {&unit};
static const edgeprof_unit whole = {functions, 1, part, sizeof part};
static const edgeprof_unit *const place __attribute__((used, section("bursty_units"))) = &whole;
static jmp_buf landing;
static void leaf(int how) { /* vertex 0 calls what may not come back, 1 returns */
    uint32_t frame = edgeprof_unit_enter(&unit);
    edgeprof_unit_at(frame, 0);
    if (how == 1) longjmp(landing, 1);
    if (how == 2) exit(0);
    ++counter[0];
    edgeprof_unit_leave(frame);
}
static void trunk(int how) { /* 0: setjmp and what is behind it, 1: leaf returned, 2: the end */
    uint32_t frame = edgeprof_unit_enter(&unit);
    if (setjmp(landing) != 0) {
        edgeprof_unit_back(frame, 3);
        ++counter[2];
    } else {
        edgeprof_unit_at(frame, 3);
        leaf(how);
        ++counter[1];
    }
    edgeprof_unit_leave(frame);
}
int main(void) {
    int i;
    for (i = 0; i < 20; i++) trunk(i % 4 == 0);
    trunk(2);
    return 1;
}
END
objects=$(ls "$BUILD"/base/*.o "$BUILD"/report/*.o "$BUILD"/report/*/*.o "$BUILD"/cc/*.o "$BUILD"/cc/*/*.o \
    "$BUILD"/record/tool/*.o | grep -v '/bursty\.o$')
# shellcheck disable=SC2086
check "tables" $CC -std=c99 ${CFLAGS-} -I. -o "$out/tables" "$out/tables.c" $objects -lm
"$out/tables" >"$out/tables.inc"
check "rewritten" c -DEDGEPROF_UNIT_FRAMES=8 -o "$out/rewritten" "$out/rewritten.c" cc/inside/edges.c \
    cc/inside/edges_file.c
check "rewritten: run" env BURSTY_COVERAGE="$out/rewritten.brst" "$out/rewritten"
check "rewritten: LCOV" "$BUILD/bursty" report --lcov -o "$out/rewritten.info" "$out/rewritten.brst"
check "leaf was entered 21 times" grep -qx 'FNDA:21,leaf' "$out/rewritten.info"
check "it came to its end 15 times" grep -qx 'DA:2,15' "$out/rewritten.info"
check "trunk was entered 21 times" grep -qx 'FNDA:21,trunk' "$out/rewritten.info"
check "its setjmp returned 26 times" grep -qx 'DA:5,26' "$out/rewritten.info"
check "its end was reached 20 times" grep -qx 'DA:7,20' "$out/rewritten.info"
check "5 times from setjmp" grep -qx 'BRDA:5,3,1,5' "$out/rewritten.info"
finish
