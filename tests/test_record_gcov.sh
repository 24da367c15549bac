#!/bin/sh
# test_record_gcov.sh - record/inside/hooks/gcov.c in the place of libgcov: gcov reads its .gcda files and says
# what it says of libgcov's.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
out=$BUILD/tests/record_gcov
rm -rf "$out"
mkdir -p "$out/ours" "$out/theirs" || exit 2
log=$out/log
case $($CC --version 2>/dev/null) in
*clang*) leave "$CC is no gcc" ;;
esac
case $($CC -dumpversion 2>/dev/null) in
12* | 13*) ;;
*) leave "$CC is not gcc 12 or 13" ;;
esac
command -v gcov >/dev/null 2>&1 || leave "no gcov"
[ -z "${RUN-}" ] || leave "the programs are not for this machine"

cat >"$out/main.c" <<'END'
/* Runs the parser and dumps twice. What counts is the second dump, after a reset and the same work
   again. */
#include "examples/parser/parser.h"
#include "record/inside/hooks/gcov.h"
#include <stdio.h>
#ifdef OURS
static FILE *file;
static int name(void *user, const char *path) {
    (void)user;
    if (file) fclose(file);
    file = fopen(path, "wb");
    return file == NULL;
}
static int put(void *user, const void *data, size_t size) {
    (void)user;
    return fwrite(data, 1, size, file) != size;
}
#endif
static void work(void) {
    long value;
    for (int i = 0; i < 1000; i++) parser_evaluate(i % 3 ? "1+2*(3-4)" : "8/(2-2)", &value);
}
int main(void) {
#ifdef SECTION
    extern void *__start_gcov_list[], *__stop_gcov_list[];
    for (void **info = __start_gcov_list; info < __stop_gcov_list; info++) gcov_add(*info);
#endif
    work();
#ifdef OURS
    if (gcov_dump(name, put, NULL) != 0) return 1;
    gcov_reset();
    work();
    if (gcov_dump(name, put, NULL) != 0) return 1;
    fclose(file);
#endif
    return 0;
}
END
mkdir -p "$out/section"
flags="-std=c99 -O0 -I. -DEDGEPROF_OFF"
# shellcheck disable=SC2086
for kind in ours theirs; do
    check "$kind: the covered object" $CC $flags --coverage -c -o "$out/$kind/parser.o" \
        examples/parser/parser.c
done
# shellcheck disable=SC2086
check "ours, linked without libgcov" $CC $flags -Wall -Wextra -Wconversion -Werror -DOURS -o \
    "$out/ours/run" "$out/main.c" record/inside/hooks/gcov.c "$out/ours/parser.o"
# shellcheck disable=SC2086
check "theirs, linked with libgcov" $CC $flags -o "$out/theirs/run" "$out/main.c" \
    "$out/theirs/parser.o" -lgcov
# shellcheck disable=SC2086
check "without constructors: the covered object" $CC $flags --coverage \
    -fprofile-info-section=gcov_list -c -o "$out/section/parser.o" examples/parser/parser.c
# shellcheck disable=SC2086
check "without constructors, linked" $CC $flags -DOURS -DSECTION -o "$out/section/run" \
    "$out/main.c" record/inside/hooks/gcov.c "$out/section/parser.o"
for kind in ours theirs section; do
    check "$kind, run" "$out/$kind/run"
    check "$kind: there are counts" [ -s "$out/$kind/parser.gcda" ]
    (gcov -b -c -t -o "$out/$kind" "$out/$kind/parser.o" | grep -v -e '-:    0:' \
        >"$out/$kind.txt") 2>"$out/$kind.err"
    check "$kind: gcov is silent" [ ! -s "$out/$kind.err" ]
done
check "a line that ran 1000 times is there" grep -q ' 1000:.*parse_sum(&p)' "$out/ours.txt"
check "gcov says the same of both" cmp "$out/ours.txt" "$out/theirs.txt"
check "and without constructors" cmp "$out/section.txt" "$out/theirs.txt"

# As for a project that is not to be touched: three runs add up, as those of libgcov do.
mkdir -p "$out/files"
# shellcheck disable=SC2086
check "files: the covered object" $CC $flags --coverage -c -o "$out/files/parser.o" \
    examples/parser/parser.c
# shellcheck disable=SC2086
check "files: linked" $CC $flags --coverage -Wall -Wextra -Wconversion -Werror -o "$out/files/run" \
    "$out/main.c" record/inside/hooks/gcov.c record/inside/hooks/gcov_file.c "$out/files/parser.o"
for run in 1 2 3; do check "files: run $run" "$out/files/run"; done
for run in 2 3; do check "theirs: run $run" "$out/theirs/run"; done
for kind in files theirs; do
    gcov -b -c -t -o "$out/$kind" "$out/$kind/parser.o" 2>"$out/$kind.err" |
        grep -v -e '-:    0:\(Graph\|Data\|Source\)' >"$out/$kind.txt"
done
check "files: 3000 times, and the number of runs" grep -q ' 3000:.*parse_sum(&p)' "$out/files.txt"
check "files: as libgcov's" cmp "$out/files.txt" "$out/theirs.txt"
# A program and its shared library, both linked with the runtime: nothing is written twice.
mkdir -p "$out/shared"
# shellcheck disable=SC2086
check "shared: library" $CC $flags -fPIC -shared --coverage -o "$out/shared/libparser.so" \
    examples/parser/parser.c record/inside/hooks/gcov.c record/inside/hooks/gcov_file.c
# shellcheck disable=SC2086
check "shared: linked" $CC $flags -o "$out/shared/run" "$out/main.c" record/inside/hooks/gcov.c \
    record/inside/hooks/gcov_file.c -L"$out/shared" -lparser -Wl,-rpath,"$out/shared"
check "shared: run" "$out/shared/run"
gcov -t "$out"/shared/*parser.gcda >"$out/shared.txt" 2>"$out/shared.err"
check "shared: counted once" grep -q ' 1000:.*parse_sum(&p)' "$out/shared.txt"
check "files: no folder to write to is said" sh -c "chmod 644 '$out/files/parser.gcda' &&
    mv '$out/files' '$out/moved' && '$out/moved/run' 2>&1 | grep -q 'parser.gcda: No such file'"
finish
