#!/bin/sh
# run.sh BOARD - builds the firmware programs for m0, m3, rv32 or avr, holds the sampling core against its budget, runs
# the programs in the emulator and reads their dumps back with the host's tool. Ends with "N passed, N failed".
#   BUILD   folder of build/bursty and of what is made here (default build)
#   NOTE    further compiler options
set -u
cd "$(dirname "$0")/../.." || exit 2
board=${1:?run.sh m0, m3, rv32 or avr}
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/firmware/$board
mkdir -p "$out" || exit 2
passed=0 failed=0

check() { # WHAT COMMAND...
    what=$1; shift
    if "$@"; then passed=$((passed + 1)); echo "    $what"
    else failed=$((failed + 1)); echo "    FAILED $what"; fi
}

warn='-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic -Werror'
bare='-std=c99 -Os -ffreestanding -nostdlib -ffunction-sections -fdata-sections -Wl,--gc-sections'
qemu='-icount shift=0 -nographic -monitor none -serial none -semihosting-config enable=on,target=native -kernel'
programs='tiny dump'
case $board in
m0)   prefix=arm-none-eabi- machine='-mcpu=cortex-m0 -mthumb' files=cortexm.c link="-T tests/firmware/cortexm.ld"
      run="qemu-system-arm -M microbit $qemu" ;;
m3)   prefix=arm-none-eabi- machine='-mcpu=cortex-m3 -mthumb' files=cortexm.c link="-T tests/firmware/cortexm.ld"
      run="qemu-system-arm -M mps2-an385 $qemu" ;;
rv32) prefix=riscv64-unknown-elf- machine='-march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany' files=rv32.c
      link="-T tests/firmware/rv32.ld -nostartfiles -Wl,--no-warn-rwx-segments"
      run="qemu-system-riscv32 -M virt -bios none $qemu" ;;
avr)  prefix=avr- machine='-mmcu=atmega1284p -DF_CPU=8000000UL' files=avr.c link= programs=tiny
      bare='-std=c99 -Os -ffunction-sections -fdata-sections -Wl,--gc-sections' # avr-libc brings the vectors
      warn='-Wall -Wextra -Wshadow -Werror'                                     # gcc 5: int is 16 bits, -Wconversion is noise
      run='simavr -m atmega1284p -f 8000000' ;;
*)    echo "run.sh: no board $board"; exit 2 ;;
esac

cc() { # OUTPUT SOURCE...
    output=$1; shift
    # shellcheck disable=SC2086
    "${prefix}gcc" $machine $bare $warn ${NOTE-} -I. -Itests/firmware -o "$out/$output" "$@"
}

# Flash is text and constants, RAM is data and zeroes, of the one file that holds the core.
within_budget() { # WHAT NUMBER BUDGET
    check "$1 $2 bytes, budget $3" [ "$2" -le "$3" ]
}
if cc core.o -c tests/firmware/core.c; then
    # shellcheck disable=SC2046
    set -- $("${prefix}size" "$out/core.o" | tail -n 1)
    case $board in
    m0|m3) within_budget "sampling core: flash" $(($1 + $2)) 256; within_budget "sampling core: RAM" $(($2 + $3)) 24 ;;
    *)     echo "    sampling core: flash $(($1 + $2)) bytes, RAM $(($2 + $3)) bytes" ;;
    esac
    check "the core needs nothing from a libc" [ -z "$("${prefix}nm" -u "$out/core.o" | grep -v '__gnu_thumb1_case\|__do_\|__aeabi' )" ]
else check "core.c compiles" false; fi

for program in $programs; do
    sources="tests/firmware/$program.c tests/firmware/isr.c tests/firmware/$files"
    [ "$program" = tiny ] && sources="$sources tests/firmware/core.c"
    # shellcheck disable=SC2086
    cc "$program.elf" $link $sources -lgcc || { check "$program.c compiles" false; continue; }
    "${prefix}size" "$out/$program.elf" | awk -v p="$program" 'NR == 2 { printf "    %s: text %d data %d bss %d\n", p, $1, $2, $3 }'
    # shellcheck disable=SC2086
    (cd "$out" && timeout 120 $run "$program.elf" </dev/null >"$program.txt" 2>&1)
    status=$?
    # simavr colours what the UART says and ends its lines with a dot
    tr -d '\r' <"$out/$program.txt" | sed "s/$(printf '\033')\[[0-9;]*m//g; s/\.\$//" >"$out/$program.log"
    cat "$out/$program.log"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$out/$program.log" | tail -n 1)
    check "$program: exit status $status" [ $status = 0 ]
    if [ -z "$line" ]; then check "$program: ran to its end" false; continue; fi
    f=${line#*, }
    passed=$((passed + ${line%% *})) failed=$((failed + ${f%% *}))
done

# What the board wrote over semihosting, read by the host.
read_back() { # FILE PATTERN
    "$build/bursty" report "$out/$1" >"$out/$1.txt" 2>&1 && grep -q "$2" "$out/$1.txt"
}
refused() { # FILE: exit status 2 and one line that names it
    "$build/bursty" report "$out/$1" >"$out/$1.out" 2>"$out/$1.err"
    [ $? = 2 ] && [ ! -s "$out/$1.out" ] && [ "$(wc -l <"$out/$1.err")" = 1 ] && grep -q "$1" "$out/$1.err"
}
case $programs in *dump*)
    for file in middle.brst end.brst; do
        check "$file: the host reads it and finds collide" read_back $file collide
        check "$file: and update" read_back $file update
    done
    check "cut.brst: refused" refused cut.brst
esac
echo "$passed passed, $failed failed"
[ $failed = 0 ]
