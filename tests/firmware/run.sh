#!/bin/sh
# run.sh BOARD - builds the firmware programs for m0, m3, rv32 or avr, holds the sampling core
# against its budget, runs the programs in the emulator and reads their dumps back with the host's
# tool. Ends with "N passed, N failed".
#   BUILD   folder of build/bursty and of what is made here (default build)
set -u
cd "$(dirname "$0")/../.." || exit 2
board=${1:?run.sh m0, m3, rv32 or avr}
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/firmware/$board
rm -rf "$out"
mkdir -p "$out" || exit 2
passed=0 failed=0

check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "    $what"
    else
        failed=$((failed + 1))
        echo "    FAILED $what"
    fi
}

warn='-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic -Werror'
bare='-std=c99 -Os -ffreestanding -nostdlib -ffunction-sections -fdata-sections -Wl,--gc-sections'
qemu='-icount shift=0 -nographic -monitor none -serial none'
qemu="$qemu -semihosting-config enable=on,target=native -kernel"
programs='points tiny dump contexts edges'
case $board in
m0)
    prefix=arm-none-eabi- machine='-mcpu=cortex-m0 -mthumb' files=cortexm.c \
        link="-T tests/firmware/cortexm.ld"
    run="qemu-system-arm -M microbit $qemu"
    ;;
m3)
    prefix=arm-none-eabi- machine='-mcpu=cortex-m3 -mthumb' files=cortexm.c \
        link="-T tests/firmware/cortexm.ld"
    run="qemu-system-arm -M mps2-an385 $qemu"
    ;;
rv32)
    prefix=riscv64-unknown-elf- files=rv32.c
    # -misa-spec: csr instructions, and a libgcc that exists
    machine='-misa-spec=2.2 -march=rv32imac -mabi=ilp32 -mcmodel=medany'
    link="-T tests/firmware/rv32.ld -nostartfiles -Wl,--no-warn-rwx-segments"
    run="qemu-system-riscv32 -M virt -bios none $qemu"
    ;;
avr)
    prefix=avr- machine='-mmcu=atmega1284p -DF_CPU=8000000UL' files=avr.c link= \
        programs='points tiny'
    bare='-std=c99 -Os -fno-common -ffunction-sections -fdata-sections -Wl,--gc-sections'
    # avr-libc brings the vectors
    warn='-Wall -Wextra -Wshadow -Werror'
    # int is 16 bits: -Wconversion is noise
    run='simavr -m atmega1284p -f 8000000'
    ;;
*)
    echo "run.sh: no board $board"
    exit 2
    ;;
esac

# What a program brought of bursty.h, by the names of the symbols: code and constants, and what
# stands in RAM.
bytes_of() { # TYPES FILE
    "${prefix}nm" -S -t d "$2" | awk -v types="$1" \
        'NF == 4 && $4 ~ /^bursty_/ && $4 !~ /_site/ && index(types, tolower($3)) { n += $2 }
         END { print n + 0 }'
}
within() { # WHAT NUMBER BUDGET
    if [ "$3" = 0 ]; then
        echo "    $1: $2 bytes"
    else check "$1: $2 bytes, budget $3" [ "$2" -gt 0 -a "$2" -le "$3" ]; fi
}

for program in $programs; do
    sources="tests/firmware/$program.c tests/firmware/$files"
    case $program in tiny | dump) sources="$sources tests/firmware/isr.c" ;; esac
    # shellcheck disable=SC2086
    if ! "${prefix}gcc" $machine $bare $warn -I. -Itests/firmware -o "$out/$program.elf" $link \
        $sources -lgcc; then
        check "$program.c compiles" false
        continue
    fi
    "${prefix}size" "$out/$program.elf" |
        awk -v p="$program" 'NR == 2 { printf "    %s: text %d data %d bss %d\n", p, $1, $2, $3 }'
    if [ "$program" = points ]; then
        case $board in m0 | m3) flash=256 ram=24 ;; *) flash=0 ram=0 ;; esac
        within "sampling core, flash" "$(bytes_of tr "$out/points.elf")" $flash
        within "sampling core, RAM" "$(bytes_of bd "$out/points.elf")" $ram
    fi
    # shellcheck disable=SC2086
    (cd "$out" && timeout 120 $run "$program.elf" </dev/null >"$program.txt" 2>&1)
    status=$?
    # simavr colours what the UART says and ends its lines with a dot
    tr -d '\r' <"$out/$program.txt" |
        sed "s/$(printf '\033')\[[0-9;]*m//g; s/\.\$//; /^Loaded /d" >"$out/$program.log"
    cat "$out/$program.log"
    check "$program: exit status $status" [ $status = 0 ]
    if [ "$program" = points ]; then
        check "points: one in ten of thirty" grep -q '^xxx$' "$out/points.log"
        continue
    fi
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$out/$program.log" | tail -n 1)
    if [ -z "$line" ]; then
        check "$program: ran to its end" false
        continue
    fi
    f=${line#*, }
    passed=$((passed + ${line%% *})) failed=$((failed + ${f%% *}))
done

# What the board wrote over semihosting, read by the host.
read_back() { # FILE PATTERN
    "$build/bursty" report "$out/$1" >"$out/$1.txt" 2>&1 && grep -q "$2" "$out/$1.txt"
}
refused() { # FILE: exit status 2, one line that names it, no report
    "$build/bursty" report "$out/$1" >"$out/$1.out" 2>"$out/$1.err"
    [ $? = 2 ] && [ ! -s "$out/$1.out" ] && [ "$(wc -l <"$out/$1.err")" = 1 ] &&
        grep -q "$1" "$out/$1.err"
}
case $programs in *dump*)
    for file in middle.brst end.brst contexts-middle.brst contexts-end.brst; do
        check "$file: the host reads it and finds collide" read_back $file collide
        check "$file: and update" read_back $file update
    done
    check "cut.brst: refused" refused cut.brst
    check "contexts-cut.brst: refused" refused contexts-cut.brst
    ;;
esac
# The parser's coverage is the same here as on the host: same sources, same tests.
case $programs in *edges*)
    host=$out/host
    mkdir -p "$host"
    check "the host's parser" ${CC:-cc} -std=c99 -I. -o "$host/unit_tests" \
        examples/parser/parser.c examples/parser/unit_tests.c
    (cd "$host" && ./unit_tests) >/dev/null
    "$build/bursty" report --lcov "$host/parser.brst" >"$host/report.info"
    "$build/bursty" report --lcov "$out/edges.brst" >"$out/edges-report.info"
    sed 's|tests/firmware/../../||' "$out/edges.info" >"$out/edges-named.info"
    sed -i.bak 's|tests/firmware/../../||' "$out/edges-report.info"
    check "LCOV of the board is the host's" cmp "$out/edges-named.info" "$host/parser.info"
    check "the dump of the board tells what the host's tells" cmp "$out/edges-report.info" \
        "$host/report.info"
    ;;
esac
echo "$passed passed, $failed failed"
[ $failed = 0 ]
