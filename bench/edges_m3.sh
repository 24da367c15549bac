#!/bin/sh
# edges_m3.sh - what counting costs on a Cortex-M3: the parser of examples/parser in every mode,
# gcc's --coverage of the same source beside it, and what the functions that write bring along.
# Prints the tables of docs/edgeprof.md. Needs arm-none-eabi-gcc.
set -eu
cd "$(dirname "$0")/.."
out=${BUILD:-build}/bench/edges_m3
mkdir -p "$out"
gcc="arm-none-eabi-gcc -std=c99 -Os -mcpu=cortex-m3 -mthumb -ffreestanding -ffunction-sections"

# Bytes of code, constants and RAM of an object. Tables of gcov that a constructor reads are data.
sizes() {
    arm-none-eabi-size -A "$1" | awk '
        /^\.text/ { code += $2; next }
        /^\.(rodata|data\.rel\.ro|init_array|fini_array)/ { constants += $2; next }
        /^\.(data|bss)/ { ram += $2 }
        END { print code + 0, constants + 0, ram + 0 }'
}
row() { # NAME OPTIONS...
    name=$1
    shift
    # shellcheck disable=SC2086
    $gcc -I. "$@" -c -o "$out/parser.o" examples/parser/parser.c
    # shellcheck disable=SC2046
    set -- $(sizes "$out/parser.o")
    [ "$name" != off ] || plain=$1
    awk -v n="$name" -v c="$1" -v k="$2" -v r="$3" -v p="$plain" \
        'BEGIN { printf "| %s | %d | %.2f | %d | %d |\n", n, c, c / p, k, r }'
}
echo '| build | code | of off | constants | RAM |'
echo '|---|---:|---:|---:|---:|'
row off -DEDGEPROF_OFF
for bits in 32 16; do row "$bits-bit counters" -DEDGEPROF_BITS=$bits; done
row 'marks in bytes' -DEDGEPROF_COVER=8
row 'marks in bits' -DEDGEPROF_COVER=1
row 'gcc --coverage, without its library' -DEDGEPROF_OFF --coverage

# The linker keeps what main needs; main and its calls are taken off.
linked() { # BODY DEFINITION...
    body=$1
    shift
    printf '%s\n' '#define EDGEPROF_STATIC' '#define EDGEPROF_IMPLEMENTATION' '#include "edgeprof.h"' \
        'int main(void);' 'int put(void *, const void *, size_t);' \
        'int put(void *u, const void *d, size_t n) { (void)u; (void)d; return n == 0; }' \
        'const edgeprof_function *const *volatile list; uint64_t memory[100];' \
        "int main(void) { $body }" >"$out/main.c"
    # shellcheck disable=SC2086
    $gcc -nostdlib -Wl,--gc-sections -Wl,-e,main -I. "$@" -o "$out/main.elf" "$out/main.c" -lgcc
    arm-none-eabi-size "$out/main.elf" | awk 'NR == 2 { print $1 }'
}
base=$(linked 'return put(NULL, list, 4);')
echo
echo '| function, with all that it needs | code and constants |'
echo '|---|---:|'
for call in 'edgeprof_write(list, 4, put, NULL)' \
    'edgeprof_write_lcov(list, 4, memory, sizeof memory, put, NULL)' \
    'edgeprof_write_csv(list, 4, memory, sizeof memory, put, NULL)'; do
    echo "| ${call%%(*} | $(($(linked "return $call;") - base)) |"
done
