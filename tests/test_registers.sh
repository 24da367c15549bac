#!/bin/sh
# test_registers.sh - counts what a check costs a whole function: the instructions that it executes
# with a check less those without, so registers that are saved and values that are moved for the
# check's sake are in it. test_disasm.sh beside it counts the check alone. The limits are what was
# reached so far; a function may get cheaper, never dearer.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc}
src=tests/registers out=${BUILD:-build}/registers
mkdir -p "$out" || exit 2

"$CC" -dM -E -x c /dev/null >"$out/macros" 2>/dev/null
[ -z "${RUN:-}" ] && grep -q '__x86_64__ 1' "$out/macros" && grep -q '__linux__ 1' "$out/macros" ||
    leave "$CC: programs are traced on x86-64 Linux alone"
grep -q '__TINYC__' "$out/macros" && leave "$CC: does not keep values in registers"
family=gcc
grep -q '__clang__ 1' "$out/macros" && family=clang

compile() { "$CC" -std=gnu99 -O2 -I. "$@"; }
# The checks in C, and those in assembly where the compiler has them.
count() { # COLUMN OPTIONS...
    column=$1
    shift
    if ! compile "$@" -DBURSTY_OFF '-DNAME(f)=plain_##f' -c -o "$out/plain.o" $src/forms.c ||
            ! compile "$@" '-DNAME(f)=checked_##f' -c -o "$out/checked.o" $src/forms.c ||
            ! compile "$@" -o "$out/count" $src/count.c "$out/plain.o" "$out/checked.o"; then
        fail "$CC $*: does not compile"; return
    fi
    "$out/count" >"$out/counts"
    case $? in
    0) ;;
    3) leave "$CC: no process may be traced here" ;;
    *) fail "$CC $*: count ended with an error"; return ;;
    esac
    awk -F '\t' -v cc="$(basename "$CC") $*" -v column="$column" '
        FNR == NR { limit[$1] = $column; next }
        {
            more = $3 - $2
            known = $1 in limit
            word = known && more <= limit[$1] ? "" : "FAILED "
            if (word == "") passed++; else failed++
            most = known ? limit[$1] : "none"
            printf "%s%s: %s: %s instructions, %g more with a check, limit %s\n", word, cc, $1, $2,
                more, most
            delete limit[$1]
        }
        END {
            for (name in limit) { failed++; print "FAILED " cc ": " name ": was not counted" }
            print passed + 0, failed + 0 >"'"$out/result"'"
        }' $src/limits.tsv "$out/counts"
    read -r more_passed more_failed <"$out/result"
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
}

# limits.tsv: function; gcc, clang in C; gcc, clang in assembly; the same at a fixed address. A number
# of gcc is what gcc 12 does, one of clang the worse of clang 14 and 19.
count $([ $family = gcc ] && echo 2 || echo 3) -DBURSTY_PORTABLE
printf '#include "bursty.h"\n' >"$out/ask.c"
if compile -dM -E "$out/ask.c" | grep -q 'define BURSTY_CHECKS_ARE_ASSEMBLY'; then
    count $([ $family = gcc ] && echo 4 || echo 5)
    count $([ $family = gcc ] && echo 6 || echo 7) -fno-pie -no-pie
fi
finish
