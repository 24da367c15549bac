#!/bin/sh
# x86decode_objdump.sh [FILE...] - the decoder against objdump, over FILEs or the largest installed programs and libraries.
# `x86decode_objdump.sh sample FILE...` prints code with each opcode instead (tests/x86decode_code.inc).
# Needs objdump. Some hand-written libraries keep tables between their functions: objdump reads them as instructions, and
# what no compiler writes is listed as a mismatch there.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
mkdir -p "$build/bench" || exit 2
${CC:-cc} -std=c99 -O2 -I. -Itests -o "$build/bench/x86decode_objdump" bench/x86decode_objdump.c || exit 2
command -v objdump >/dev/null || { echo "x86decode_objdump.sh: there is no objdump"; exit 2; }
disassemble() { for file in "$@"; do objdump -d -w --insn-width=15 "$file" 2>/dev/null; done; }
if [ "${1-}" = sample ]; then shift; disassemble "$@" | "$build/bench/x86decode_objdump" sample; exit; fi
if [ $# = 0 ]; then
    # shellcheck disable=SC2046
    set -- $(ls -S $(ls -d /usr/bin/* /usr/lib/x86_64-linux-gnu/*.so* /usr/lib/gcc/x86_64-linux-gnu/*/cc1*) 2>/dev/null |
        while read -r file; do
            [ -f "$file" ] && [ ! -L "$file" ] && head -c 4 "$file" | grep -q ELF && echo "$file"
        done | head -n "${FILES:-60}")
fi
bad=0
for file in "$@"; do
    printf '%s: ' "$(basename "$file")"
    disassemble "$file" | "$build/bench/x86decode_objdump" >"$build/bench/log" || bad=1
    tail -n 1 "$build/bench/log"
    sed '$d' "$build/bench/log"
done
exit $bad
