#!/bin/sh
# firmware_page.sh - a row of the matrix: the commands of docs/firmware.md, as they stand there, in a
# clean clone with an empty HOME and a plain PATH; what the page says of the report and of sizes.
set -u
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/bursty-firmware.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/home"
git clone -q . "$work/clone" || exit 2
cd "$work/clone" || exit 2
passed=0 failed=0
check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@" >"$work/said" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED $what: $*"
        tail -n 20 "$work/said" | sed 's/^/    /'
    fi
}
plain() { env -i PATH=/usr/bin:/bin HOME="$work/home" TERM=dumb LANG=C.UTF-8 "$@"; }

sed -n '/^```sh$/,/^```$/p' docs/firmware.md | sed '/^```/d' >"$work/page"
check "ten commands" [ "$(wc -l <"$work/page")" = 10 ]
# The row of the matrix has installed the packages of the first one.
check "the first installs" grep -q '^sudo apt-get install gcc-arm-none-eabi qemu-system-arm$' "$work/page"
{ echo 'set -e'; sed 's/^sudo .*/:/; s|^build/bursty report board.brst$|& >board.txt|' "$work/page"; } >"$work/run"
check "the others run" plain timeout 300 sh "$work/run"

# What it says: 70, 20 and 10 of 100, and each share in its interval.
share() { # FUNCTION TRUTH
    awk -v f="$1" -v t="$2" '$9 == f { if ($3 + 0 <= t && t <= $4 + 0) ok = 1; exit } END { exit !ok }' board.txt
}
for pair in filter:70 read_sensors:20 control:10; do
    check "$pair % is in the interval" share ${pair%:*} ${pair#*:}
done
sed -n '/^rank /,/^$/p' docs/firmware.md | grep -E '^[123] ' >"$work/shown"
check "the page shows three rows" [ "$(wc -l <"$work/shown")" = 3 ]
while read -r row; do check "the report has the row: $row" grep -qF "$row" board.txt; done <"$work/shown"
check "HTML from the serial line" grep -q read_sensors board.html
build/bursty report --csv uart.brst >uart.csv
check "the serial line's dump has the three, too" grep -q ',filter,' uart.csv
size_of() { arm-none-eabi-size "$1" | awk 'NR == 2 { print $1, $2 + $3 }'; }
plain arm-none-eabi-gcc $(sed -n 's/^FLAGS="\(.*\)"/\1/p' "$work/page") -DBURSTY_OFF -I. \
    -T examples/board/mps2.ld -o off.elf examples/board/main.c -lgcc
grouped() { echo "$1" | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\( \|$\)/\1_\2\3/; ta' | sed 's/ / | /; s/_/ /g'; }
check "sizes" grep -qF "with everything | $(grouped "$(size_of board.elf)") |" docs/firmware.md
check "sizes, off: $(size_of off.elf)" grep -qF -- "-DBURSTY_OFF\` | $(grouped "$(size_of off.elf)") |" docs/firmware.md
check "the dump's size" grep -q "this program is $(wc -c <board.brst) bytes" docs/firmware.md
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
