#!/bin/sh
# test_mcdc_m3.sh - --cover=mcdc for a Cortex-M3: arm-none-eabi-gcc builds a source, qemu runs it,
# and the board's marks give the LCOV that the host's give.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} BUILD=${BUILD:-build} top=$PWD
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
dir=$BUILD/tests/mcdc_m3
command -v arm-none-eabi-gcc >/dev/null || leave "no arm-none-eabi-gcc"
command -v qemu-system-arm >/dev/null || leave "no qemu-system-arm"
rm -rf "$dir"
mkdir -p "$dir" || exit 2
cp tests/firmware/valve.c "$dir" && cd "$dir" || exit 2
printf '%s\n' '#include <stdio.h>' 'unsigned valve_all(void);' \
    'int main(void) { return printf("%u\n", valve_all()) < 0; }' >host.c
$CC -w -c -o plain.o valve.c && $CC -o plain plain.o host.c && ./plain >plain.out ||
    leave "$CC makes no programs that run here"

machine='-mcpu=cortex-m3 -mthumb'
bare='-std=c99 -g -Os -ffreestanding -nostdlib -ffunction-sections -fdata-sections -Wl,--gc-sections'
for form in mcdc mcdc-bits; do
    rm -f ./*.brst left
    "$BUILD/bursty" cc --cover=$form --list=left -- $CC -w -g -O2 -c -o own.o valve.c || fail "$form: host"
    $CC -w -I"$top" -o own own.o host.c "$top/cc/inside/edges.c" "$top/cc/inside/edges_file.c" &&
        BURSTY_COVERAGE=host.brst ./own >own.out
    cmp -s plain.out own.out && pass || fail "$form: the host's output"
    # shellcheck disable=SC2086
    "$BUILD/bursty" cc --cover=$form --list=left -- arm-none-eabi-gcc $machine $bare -Wall -Wextra \
        -c -o board.o valve.c || fail "$form: board"
    empty left || fail "$form: left alone: $(cat left)"
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $machine $bare -I"$top" -I"$top/tests/firmware" \
        -T "$top/tests/firmware/cortexm.ld" -o board.elf board.o "$top/tests/firmware/decisions.c" \
        "$top/tests/firmware/cortexm.c" "$top/cc/inside/edges.c" -lgcc || fail "$form: not linked"
    timeout 120 qemu-system-arm -M mps2-an385 -icount shift=0 -nographic -monitor none \
        -serial none -semihosting-config enable=on,target=native -kernel board.elf \
        </dev/null >board.out 2>&1
    head -n 1 board.out | cmp -s - plain.out && pass || fail "$form: the board's output"
    for side in host board; do
        # the board has counts alone: its tables stand in the program's file
        program=
        [ $side = board ] && program=board.elf
        "$BUILD/bursty" report --lcov $side.brst $program >$side.lcov || fail "$form: $side's dump"
    done
    grep -q '^MCDC:.*,13,t,1,' host.lcov && cmp -s host.lcov board.lcov && pass ||
        fail "$form: the board shows something else than the host"
done
finish
