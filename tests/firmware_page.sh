#!/bin/sh
# firmware_page.sh - a row of the matrix: the commands of docs/firmware.md, as they stand there, in a
# clean clone with an empty HOME and a plain PATH; what the page says of the report and of sizes. The
# second block, of a debug probe, is run by gdb; and a reader that knows no symbols finds the same.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/bursty-firmware.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/home"
git clone -q . "$work/clone" || exit 2
cd "$work/clone" || exit 2
log=$work/said
plain() { env -i PATH=/usr/bin:/bin HOME="$work/home" TERM=dumb LANG=C.UTF-8 "$@"; }

block() { awk -v n="$1" '/^```sh$/ { b++; on = b == n; next } /^```$/ { on = 0 } on' docs/firmware.md; }
block 1 >"$work/page"
check "ten commands" [ "$(wc -l <"$work/page")" = 10 ]
# The row of the matrix has installed the packages of the first one.
check "the first installs" grep -q '^sudo apt-get install gcc-arm-none-eabi qemu-system-arm$' "$work/page"
# The host tool is compiled as it comes by make test; here it need not be fast.
{
    echo 'set -e'
    sed 's/^sudo .*/:/; s|^make build/bursty$|& CFLAGS=-O0|
        s|^build/bursty report board.brst$|& >board.txt|' "$work/page"
} >"$work/run"
check "the others run" plain timeout 300 sh "$work/run"

# What it says: 70, 20 and 10 of 100, and each share in its interval.
share() { # FUNCTION TRUTH REPORT
    awk -v f="$1" -v t="$2" '
        $9 == f { if ($3 + 0 <= t && t <= $4 + 0) ok = 1; exit } END { exit !ok }' "$3"
}
for pair in filter:70 read_sensors:20 control:10; do
    check "$pair % is in the interval" share ${pair%:*} ${pair#*:} board.txt
done
sed -n '/^rank /,/^$/p' docs/firmware.md | grep -E '^[123] ' >"$work/shown"
check "the page shows three rows" [ "$(wc -l <"$work/shown")" = 3 ]
# A change of bursty.h moves a few ticks and bytes: the page's figures are those of today but for 1.5
# points, and 5 % of the sizes.
has_row() { # RANK SHARE FUNCTION PLACE
    awk -v rank="$1" -v share="$2" -v name="$3" -v place="$4" '
        $1 == rank && $9 == name && $10 == place { d = $2 - share; ok = d <= 1.5 && d >= -1.5 }
        END { exit !ok }' board.txt
}
while read -r rank share _ _ _ _ _ _ name place; do
    check "the report has the row: $rank $share $name $place" has_row "$rank" "$share" "$name" "$place"
done <"$work/shown"
is_near() { # WORDS TEXT DATA: the page has both but for 5 %
    grep -F -- "$1" docs/firmware.md | tr -d ' ' | awk -F '|' -v text="$2" -v data="$3" '
        function near(a, b) { return a <= b * 1.05 && b <= a * 1.05 }
        { ok = near($(NF - 2), text) && (data == $(NF - 1) || near($(NF - 1), data)) } END { exit !ok }'
}
check "HTML from the serial line" grep -q read_sensors board.html
build/bursty report --csv uart.brst >uart.csv
check "the serial line's dump has the three, too" grep -q ',filter,' uart.csv

# ---- a program that waits for SysTick, and the timer of its own that the page gives bursty
awk '/^enum { PROFILE_PERIOD/ { on = 1 } /^```$/ { on = 0 } on' docs/firmware.md >profile.c
cat >board.c <<'END'
#define PROFILE_RELOAD WORD(0x40000008u)
#define PROFILE_CLEAR WORD(0x4000000Cu)
static volatile uint32_t beats;
static void wait_for_beat(void) {
    uint32_t now = beats;
    BURST_SCOPE("idle");
    while (beats == now) { }
    BURST_LEAVE();
}
#ifdef OWN_TIMER
#include "profile.c"
static void beat(void) { beats++; }
static void begin(void) {
    PROFILE_RELOAD = PROFILE_PERIOD;
    WORD(0x40000000u) = 9;       /* it runs, and interrupts */
    WORD(0xE000E100u) = 1u << 8; /* interrupt 8 is on */
}
#else
static void beat(void) { beats++; bursty_tick(1); }
static void profile_timer(void) { }
static void begin(void) { }
#endif
END
sed 's/for (i = 0; i < 5000; i++) control();/begin(); for (i = 0; i < 5000; i++) { wait_for_beat(); control(); }/
    s/^static int main_loop/#include "board.c"\n&/; s/^static void tick(void).*//
    s/vectors\[16\]/vectors[32]/; s/\[15\] = {.handler = tick}/[15] = {.handler = beat}, [24] = {.handler = profile_timer}/' \
    examples/board/main.c >beats.c
board=$(sed -n 's/^BOARD="\(.*\)"/\1/p' "$work/page") flags=$(sed -n 's/^FLAGS="\(.*\)"/\1/p' "$work/page")
beats() { # OPTION: the ticks in idle, in control with all that it calls, and in filter
    # shellcheck disable=SC2086
    plain arm-none-eabi-gcc $flags $1 -I. -T examples/board/mps2.ld -o beats.elf beats.c -lgcc &&
        plain timeout 300 $board -serial none -kernel beats.elf || return
    build/bursty report --csv board.brst | awk -F, '
        /^# / { on = index($0, "# time:") == 1 }
        on && $9 == "idle" { idle = $8 }
        on && $9 == "filter" { filter = $8; of_filter = $2 }
        on && $9 == "control" { control = $5 }
        END { print idle + 0, filter + 0, filter ? of_filter / control : 0 }'
}
cp board.brst page.brst
beats "" >in_step 2>"$work/said"
check "in step: all of $(cat in_step) is idle" awk '{ exit !($1 > 4000 && $2 < 40) }' in_step
beats -DOWN_TIMER >own 2>"$work/said"
# Of n ticks in control 70 % are in filter, but for five standard deviations.
check "by its own timer filter has 70 % of control: $(cat own)" awk '{
    n = $2 / .7; apart = $3 - .7; if (apart < 0) apart = -apart
    exit !(n > 500 && $1 > 500 && apart < 5 * sqrt(.21 / n)) }' own
cp page.brst board.brst

# ---- by a debug probe
block 2 >"$work/probe"
check "four commands" [ "$(wc -l <"$work/probe")" = 4 ]
check "the first of them installs" grep -q '^sudo apt-get install gdb-multiarch$' "$work/probe"
{
    echo 'set -e'
    sed -n '/^FLAGS=/p' "$work/page"
    sed 's/^sudo .*/:/; s|^build/bursty report rtt.brst$|& >rtt.txt|' "$work/probe"
} >"$work/run"
check "the others run" plain timeout 300 sh "$work/run"
cp "$work/said" "$work/gdb"
check "the program had a reader" grep -q 'leave (status=0)' "$work/gdb"
check "the dump is larger than the ring" [ "$(wc -c <rtt.brst)" -gt 256 ]
for pair in filter:70 read_sensors:20 control:10; do
    check "the probe: $pair % is in the interval" share ${pair%:*} ${pair#*:} rtt.txt
done
# A ring that holds all of the dump, and nobody to read it: the program gives up waiting, and what it
# wrote is found in the memory.
flags=$(sed -n 's/^FLAGS="\(.*\)"/\1/p' "$work/page")
# shellcheck disable=SC2086
check "a larger ring" plain arm-none-eabi-gcc $flags -g -DTO_RTT -DRTT_BYTES=1024 -DRTT_PATIENCE=1000 \
    -I. -T examples/board/mps2.ld -o rtt.elf examples/board/main.c -lgcc
cat >"$work/memory.gdb" <<'END'
set pagination off
set confirm off
break leave
continue
dump binary memory memory.bin 0x20000000 0x20004000
END
{ sed -n '/^target /p' examples/board/rtt.gdb; cat "$work/memory.gdb"; } >"$work/all.gdb"
check "its memory" plain timeout 300 gdb-multiarch -batch -x "$work/all.gdb" rtt.elf
cp "$work/said" "$work/gdb"
check "the program says that nobody read" grep -q 'leave (status=1)' "$work/gdb"
check "read_rtt.c" cc -std=c99 -o "$work/read_rtt" tests/firmware/read_rtt.c
"$work/read_rtt" 0x20000000 <memory.bin >found.brst 2>"$work/said"
check "the block is found: $(cat "$work/said")" [ -s found.brst ]
build/bursty report --csv found.brst >found.csv
check "the report of what was found" grep -q ',filter,' found.csv

size_of() { arm-none-eabi-size "$1" | awk 'NR == 2 { print $1, $2 + $3 }'; }
plain arm-none-eabi-gcc $(sed -n 's/^FLAGS="\(.*\)"/\1/p' "$work/page") -DBURSTY_OFF -I. \
    -T examples/board/mps2.ld -o off.elf examples/board/main.c -lgcc
# shellcheck disable=SC2046
check "sizes: $(size_of board.elf)" is_near 'with everything |' $(size_of board.elf)
# shellcheck disable=SC2046
check "sizes, off: $(size_of off.elf)" is_near '-DBURSTY_OFF` |' $(size_of off.elf)
# One task of an RTOS: what a switch takes of flash and RAM, and the task itself.
sed 's/^#include "bursty.h"/&\
static bursty_fiber motor = {"motor"};/; s/^ *if (bursty_start(.*/&\
    (void)bursty_fiber_switch(\&motor);/' examples/board/main.c >tasks.c
# shellcheck disable=SC2046,SC2086
plain arm-none-eabi-gcc $flags -I. -T examples/board/mps2.ld -o tasks.elf tasks.c -lgcc
# shellcheck disable=SC2046
set -- $(size_of tasks.elf) $(size_of board.elf) \
    $(tr '\n' ' ' <docs/firmware.md | sed 's/.*a Cortex-M3 it takes \([0-9]*\) bytes of flash and \([0-9]*\) of RAM.*/\1 \2/')
task=$((8 + 4 * $(sed -n 's/^#define BURSTY_STACK \([0-9]*\).*/\1/p' examples/board/main.c)))
check "a switch's flash: $(($1 - $3)), not $5" \
    [ $((($1 - $3) * 10)) -le $(($5 * 11)) -a $((($1 - $3) * 10)) -ge $(($5 * 9)) ]
check "a switch's RAM: $(($2 - $4 - task)), not $6" \
    [ $((($2 - $4 - task) * 10)) -le $(($6 * 11)) -a $((($2 - $4 - task) * 10)) -ge $(($6 * 9)) ]
said=$(sed -n 's/.*this program is \([0-9]*\) bytes.*/\1/p' docs/firmware.md) got=$(wc -c <board.brst)
check "the dump's size: $got, not $said" [ $((said * 95)) -le $((got * 100)) -a $((got * 95)) -le $((said * 100)) ]
finish
