#!/bin/sh
# The products at the root are what `make headers` joins from src/: nobody has edited one by hand,
# and no part was forgotten. A part with a bad title, or one that is missing, is refused.
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
check() { # TEXT STATUS
    if [ "$2" = 0 ]; then pass; else fail "$1"; fi
}

for skeleton in src/*/*.in; do
    product=$(basename "$skeleton" .in)
    LC_ALL=C awk -f src/join.awk "$skeleton" >"$scratch/joined.h"
    cmp -s "$scratch/joined.h" "$product.h"
    check "$product.h is not what its parts join to: run make headers" $?
    for part in "$(dirname "$skeleton")"/*.[hc]; do
        grep -qx "@$(basename "$part")" "$skeleton"
        check "$skeleton leaves out $part" $?
    done
done
for part in src/*.[hc]; do
    grep -qx "@../$(basename "$part")" src/*/*.in
    check "no family takes $part" $?
done

# A small family: shared prefixes are renamed, titles are listed, faults have a reason.
mkdir -p "$scratch/src/tiny"
printf '/* ---- shared ---- */\nint base_p_x, BASE_P_Y;\n' >"$scratch/src/s.c"
printf '/* ---- own ---- */\nint tiny_z;\n' >"$scratch/src/tiny/own.h"
printf 'first\n@contents\n@own.h\n@../s.c\nlast\n' >"$scratch/src/tiny/tiny.in"
join() { (cd "$scratch" && LC_ALL=C awk -f "$OLDPWD/src/join.awk" src/tiny/tiny.in) 2>"$scratch/said"; }
join >"$scratch/out"
check "a small family is joined" $?
grep -qx 'int tiny_p_x, TINY_P_Y;' "$scratch/out"
check "shared prefixes become the family's" $?
[ "$(sed -n 2,3p "$scratch/out" | tr -d ' \n')" = ownshared ]
check "the contents list the titles in order" $?
grep -q '^/\* ---- own -* src/tiny/own.h ---- \*/$' "$scratch/out"
check "a title names its file" $?
lacks "$scratch/out" ^last 'base_p_\|^@'
check "nothing is left of the skeleton" $?
echo 'int untitled;' >"$scratch/src/tiny/own.h"
! join >"$scratch/out"
check "a part without a title is refused" $?
grep -q 'own.h does not begin with its title' "$scratch/said"
check "and the reason names it" $?
rm "$scratch/src/tiny/own.h"
! join >"$scratch/out"
check "a part that is missing is refused" $?
grep -q 'cannot read src/tiny/own.h' "$scratch/said"
check "and the reason names it, too" $?
finish
