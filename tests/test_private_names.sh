#!/bin/sh
# test_private_names.sh - no private name of one family of headers stands in the code of another
# family, of record/, the tools, lab/, the examples or the demo (tests/private_names.sh). What is
# not so yet stands in tests/private_names.txt. Helpers of tests (*.inc) are excepted.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
out=${BUILD:-build}/tests/private_names
rm -rf "$out"
mkdir -p "$out/src/hcct" "$out/record" "$out/tests" || exit 2
shown=$out/log
wanted=${SHRINK-}
SHRINK=
export SHRINK
names() { sh tests/private_names.sh "$@" >"$out/log" 2>&1; }
refuses() { # PATTERN LIST FILE...
    pattern=$1
    shift
    ! names "$@" && grep -q "$pattern" "$out/log"
    ok $? "to refuse $*"
}

# ---- what it finds in files of its own
echo 'static int hcct_p_a, CALLPATHS_P_B;' >"$out/src/hcct/own.c"
echo 'static int base_p_a;' >"$out/src/shared.c"
echo 'int x = hcct_p_a; /* bursty.h */' >"$out/src/hcct/reader.c"
echo 'int y = bursty_p_word + BURSTY_P_ONE + bursty_p.x + bursty_path;' >"$out/src/hcct/other.c"
echo 'int z = hcct_p_a, mine_p_a;' >"$out/record/patch.c"
echo 'int t = hcct_p_a;' >"$out/tests/test_hcct_x.c"
echo 'int base = base_p_a;' >"$out/src/hcct/shared.c"
printf '# a remark\npatch.c hcct_p_a\n' >"$out/list"
: >"$out/none"
names "$out/none" "$out/src/hcct/own.c" "$out/src/shared.c" "$out/src/hcct/reader.c" \
    "$out/tests/test_hcct_x.c"
ok $? "names of the own family"
refuses 'other.c:1: bursty_p_word is private to the family bursty' "$out/none" "$out/src/hcct/other.c"
refuses 'other.c:1: BURSTY_P_ONE is' "$out/none" "$out/src/hcct/other.c"
refuses 'other.c:1: bursty_p is' "$out/none" "$out/src/hcct/other.c"
[ "$(grep -c '' "$out/log")" = 3 ]
ok $? "three names"
refuses 'patch.c:1: hcct_p_a is private to the family hcct' "$out/none" "$out/record/patch.c"
refuses 'shared.c:1: base_p_a is' "$out/none" "$out/src/hcct/shared.c"
names "$out/list" "$out/record/patch.c"
ok $? "an exception"
refuses 'list: not needed any more: patch.c hcct_p_a' "$out/list" "$out/src/hcct/own.c"
SHRINK=1
names "$out/list" "$out/src/hcct/own.c" && [ "$(cat "$out/list")" = '# a remark' ]
ok $? "to take a line out"
SHRINK=$wanted

# ---- the project
# shellcheck disable=SC2046
names tests/private_names.txt $(find src record cc report base lab examples demo tests -name '*.[ch]' \
    -o -name '*.cc' -o -name '*.hpp' -o -name '*.in' | LC_ALL=C sort) $(ls ./*.h | sed 's/^..//')
ok $? "the project"

# ---- the guard of a header of the report is its name, with the folder where two may share one
for file in base/*.h report/kinds/*.h report/model/*.h report/write/*.h; do
    case $file in */kinds/* | */model/*) name=${file#report/} ;; *) name=${file##*/} ;; esac
    wanted=$(echo "$name" | tr a-z/. A-Z__)
    grep -n '^#ifndef' "$file" | head -n 1 >"$out/log"
    grep -q " $wanted$" "$out/log"
    ok $? "the guard of $file is not $wanted"
done

finish
