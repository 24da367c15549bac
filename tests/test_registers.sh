#!/bin/sh
# test_registers.sh - counts what a check costs a whole function: the instructions that it executes
# with a check less those without, so registers that are saved and values that are moved for the
# check's sake are in it. test_disasm.sh beside it counts the check alone. With the compilers of
# registers/costs.tsv the numbers are those that stand there, no more and no less: registers/write.sh
# writes it anew. With others of a family none is dearer than with any of these, and a check
# costs something wherever it does with them.
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
case $(grep __VERSION__ "$out/macros") in
*'"12.2.0"') known=1 first=1 last=1 ;;
*'"Debian Clang 14.'*) known=1 first=2 last=2 ;;
*'"Debian Clang 19.'*) known=1 first=3 last=3 ;;
*[Cc]lang*) known=0 first=2 last=3 ;;
*) known=0 first=1 last=1 ;;
esac

compile() { "$CC" -std=gnu99 -O2 -I. "$@"; }
# The checks in C, and those in assembly where the compiler has them.
count() { # COLUMN OPTIONS...: the one of the form in front of the first compiler's
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
    awk -F '\t' -v cc="$(basename "$CC") $*" -v known=$known -v first=$((column + first)) \
        -v last=$((column + last)) '
        FNR == NR {
            least[$1] = most[$1] = $first
            for (i = first; i <= last; i++) {
                if ($i + 0 > most[$1] + 0) most[$1] = $i
                if ($i + 0 < least[$1] + 0) least[$1] = $i
            }
            if (!known) least[$1] = least[$1] > 0 ? 1e-9 : -1e9
            next
        }
        {
            more = $3 - $2
            right = $1 in most && more >= least[$1] + 0 && more <= most[$1] + 0
            if (right) passed++; else failed++
            printf "%s%s: %s: %s instructions, %g more with a check, %s %s\n",
                right ? "" : "FAILED ", cc, $1, $2, more, known ? "wanted" : "limit",
                $1 in most ? most[$1] : "none"
            delete most[$1]
        }
        END {
            for (name in most) { failed++; print "FAILED " cc ": " name ": was not counted" }
            print passed + 0, failed + 0 >"'"$out/result"'"
        }' $src/costs.tsv "$out/counts"
    read -r more_passed more_failed <"$out/result"
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
}

# costs.tsv: function; gcc 12, clang 14, clang 19 in C; the same in assembly; the
# same at a fixed address.
count 1 -DBURSTY_PORTABLE
printf '#include "bursty.h"\n' >"$out/ask.c"
if compile -dM -E "$out/ask.c" | grep -q 'define BURSTY_CHECKS_ARE_ASSEMBLY'; then
    count 4
    count 7 -fno-pie -no-pie
fi
finish
