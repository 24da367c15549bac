#!/bin/sh
# check_leaf.sh - instructions that a check adds to a leaf with six live arguments: the mean of 200
# random ones, and the share of those with two. The last row is a branch with the same two
# instructions and nothing of bursty.h, so what it has above two is the compiler's. Prints the
# table of docs/by-hand.md; x86-64.
set -u
cd "$(dirname "$0")/.." || exit 2
out=${BUILD:-build}/check_leaf
mkdir -p "$out" || exit 2

awk '
function term(deep, r) {
    if (deep == 0 || rand() < .15) return substr("abcdeg", 1 + int(rand() * 6), 1)
    r = rand()
    return "(" term(deep - 1) (r < .4 ? " + " : r < .65 ? " - " : r < .85 ? " * " : " ^ ") \
        term(deep - 1) ")"
}
BEGIN {
    srand(7)
    print "#include \"bursty.h\"\nextern __attribute__((visibility(\"hidden\"))) int word;"
    for (i = 0; i < 200; i++)
        printf "int f%d(int a, int b, int c, int d, int e, int g) { " \
            "CHECK return %s + (a + b * c - d * e + g); }\n", i, term(3)
}' >"$out/leaf.c"

# Counts to the first return: the plain way falls through.
count() { # COMPILER CHECK
    "$1" -O2 -I. "-DCHECK=$2" -c -o "$out/leaf.o" "$out/leaf.c" || exit 2
    objdump -d --no-show-raw-insn "$out/leaf.o" | awk '
        /^[0-9a-f]+ <f[0-9]+>:/ { name = $2; n = 0; inside = 1 }
        inside && /^ / { n++ }
        inside && /\tret/ { print name, n; inside = 0 }'
}
row() { # NAME CHECK
    printf '| %s |' "$1"
    for compiler in gcc clang-14 clang-19; do
        count "$compiler" '' >"$out/plain"
        count "$compiler" "$2" >"$out/checked"
        awk 'FNR == NR { plain[$1] = $2; next }
            { sum += $2 - plain[$1]; two += $2 - plain[$1] == 2 }
            END { printf " %.2f (%d %%) |", sum / FNR, 100 * two / FNR }' "$out/plain" "$out/checked"
    done
    echo
}
printf '| check | gcc | clang 14 | clang 19 |\n|---|---:|---:|---:|\n'
row '`BURST_ENTRY();`' 'BURST_ENTRY();'
row '`BURST_CHECK();`' 'BURST_CHECK();'
row '`BURST_CHECK();` and a `BURST_REF`' 'BURST_CHECK(); BURST_REF(BURSTY_LOAD, &word);'
row '`BURST_ENTRY();` and a `BURST_REF`' 'BURST_ENTRY(); BURST_REF(BURSTY_LOAD, &word);'
row '`if (BURST_CHECK()) g += b;`' 'if (BURST_CHECK()) g += b;'
cold='if (0) { cold: __asm__ volatile("nop"); }'
row 'a branch by `asm goto` alone' \
    "__asm__ volatile goto(\"decl word(%%rip); js %l[cold]\" : : : \"cc\", \"memory\" : cold); $cold"
