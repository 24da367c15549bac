#!/bin/sh
# cc_m3.sh - cJSON and its test on a Cortex-M3 in qemu, built by `bursty cc --cover -- arm-none-eabi-gcc` with newlib: it prints what the plain
# program prints, and the coverage that it writes over semihosting is the host's, line by line and branch by branch. Prints a table for
# docs/cc.md. genhtml and xmllint, where they are installed, must accept what the reports say. Needs arm-none-eabi-gcc, newlib,
# qemu-system-arm; the sources come from bench/setup.sh.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
bursty=$BUILD/bursty
[ -f "$src/cjson/cJSON.c" ] || sh bench/setup.sh || exit 2
out=$BUILD/bench/cc/m3
rm -rf "$out" && mkdir -p "$out" && cd "$out" && cp "$src"/cjson/*.[ch] . || exit 2
failed=0
# newlib's start-up code knows nothing of vectors: a stack and its entry are enough for qemu's board, which has RAM at 0.
cat >vectors.c <<'E'
extern void _start(void);
__attribute__((section(".vectors"), used)) void *const vectors[2] = {(void *)0x3ffff0, (void *)_start};
E
# The macros of both C libraries decide something, each in its own way: for the comparison they are calls.
printf '#include <ctype.h>\n#undef tolower\n#undef toupper\n' >calls.h
board="-mcpu=cortex-m3 -mthumb --specs=rdimon.specs -Wl,--section-start=.vectors=0 vectors.c"
run() { # PROGRAM: under qemu if it is the board's
    case $1 in
    *.elf) timeout 60 qemu-system-arm -M mps2-an385 -nographic -monitor none -serial none \
               -semihosting-config enable=on,target=native -kernel "$1" </dev/null ;;
    *) "./$1" ;;
    esac
}
same() { if cmp -s "$1" "$2"; then echo same; else echo DIFFERS; failed=1; fi; }
sizes() { arm-none-eabi-size -A "$1" | awk '/^.text/ { t += $2 } /^.rodata|^bursty_units/ { c += $2 } /^.data|^.bss/ { r += $2 } END { print t, c, r }'; }

echo '| form | what it prints | coverage beside the host'"'"'s | code of cJSON.c | constants | RAM |'
echo '|---|---|---|---:|---:|---:|'
# shellcheck disable=SC2086
arm-none-eabi-gcc $board -Os -w -o plain.elf cJSON.c test.c -lm && run plain.elf >plain.txt || exit 1
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -w -c cJSON.c -o plain.o || exit 1
# shellcheck disable=SC2046
set -- $(sizes plain.o)
text=$1 constants=$2 ram=$3
echo "| plain | | | $text | $constants | $ram |"
for form in count count16 bytes bits; do
    "$bursty" cc --cover=$form -- gcc -include calls.h -Os -w -o host cJSON.c test.c -lm || exit 1
    # shellcheck disable=SC2086
    "$bursty" cc --cover=$form -- arm-none-eabi-gcc -include calls.h $board -Os -w -o board.elf cJSON.c test.c -lm || exit 1
    "$bursty" cc --cover=$form -- arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -w -c cJSON.c -o own.o || exit 1
    for one in host board.elf; do
        rm -f "$one.brst"
        BURSTY_COVERAGE=$one.brst
        export BURSTY_COVERAGE
        rm -f coverage.brst
        run $one >$one.txt
        [ -f $one.brst ] || mv coverage.brst $one.brst          # a board has no environment
        tables=
        [ $one = host ] || tables=board.elf                     # in the program's file, not in the dump
        "$bursty" report --lcov $one.brst $tables |
            sed 's/^\(BRDA:[0-9]*\),[0-9]*,/\1,/' >$one.info     # a block's number is a name, and newlib's macros have more blocks
    done
    # shellcheck disable=SC2046
    set -- $(sizes own.o)
    awk -v form=$form -v out="$(same plain.txt board.elf.txt)" -v info="$(same host.info board.elf.info)" -v t="$1" -v c="$2" -v r="$3" -v p="$text" \
        -v lines="$(grep -c ^DA: host.info)" -v branches="$(grep -c ^BRDA: host.info)" \
        'BEGIN { printf "| %s | %s | %s: %d lines, %d branches | %d, %.2f of plain | %d | %d |\n", form, out, info, lines, branches, t, t / p, c, r }'
    cmp -s plain.txt board.elf.txt && cmp -s host.info board.elf.info || failed=1
done
if command -v genhtml >/dev/null; then
    "$bursty" report --lcov -o cjson.info host.brst
    if genhtml -q --branch-coverage -o html cjson.info >genhtml.log 2>&1 && [ ! -s genhtml.log ]; then echo; echo "$(genhtml --version | sed 's/.*LCOV/LCOV/') accepts it"
    else echo "genhtml does not accept it:"; cat genhtml.log; failed=1; fi
fi
if command -v xmllint >/dev/null; then
    "$bursty" report --cobertura -o cjson.xml host.brst
    if xmllint --noout --nonet --dtdvalid "$top/tests/edgeprof/coverage-04.dtd" cjson.xml 2>xmllint.log; then echo "xmllint accepts it by coverage-04.dtd"; else cat xmllint.log; failed=1; fi
fi
exit $failed
