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
programs='points tiny dump contexts edges ticks frames'
case $board in
m0)
    prefix=arm-none-eabi- machine='-mcpu=cortex-m0 -mthumb' files=cortexm.c \
        link="-T tests/firmware/cortexm.ld"
    run="qemu-system-arm -M microbit $qemu"
    ;;
m3)
    prefix=arm-none-eabi- machine='-mcpu=cortex-m3 -mthumb' files=cortexm.c \
        link="-T tests/firmware/cortexm.ld" programs="$programs tasks"
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

# What a program brought of a header, by the names of the symbols: code and constants, and what
# stands in RAM.
bytes_of() { # TYPES FILE [NAMES [BUT]]
    "${prefix}nm" -S -t d "$2" | awk -v types="$1" -v names="^${3:-bursty_}" -v but="${4:-_site}" \
        'NF == 4 && $4 ~ names && $4 !~ but && index(types, tolower($3)) { n += $2 }
         END { print n + 0 }'
}
within() { # WHAT NUMBER BUDGET
    check "$1: $2 bytes, budget $3" [ "$2" -gt 0 -a "$2" -le "$3" ]
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
        case $board in
        m0) flash=252 ram=24 ;;
        m3) flash=236 ram=24 ;;
        rv32) flash=288 ram=24 ;;
        avr) flash=922 ram=20 ;;
        esac
        within "sampling core, flash" "$(bytes_of tr "$out/points.elf")" $flash
        within "sampling core, RAM" "$(bytes_of bd "$out/points.elf")" $ram
    fi
    if [ "$program" = ticks ]; then
        case $board in
        m3) isr=552 flash=2060 ram=72 ;;
        m0) isr=580 flash=2132 ram=72 ;;
        *) isr=600 flash=2256 ram=72 ;;
        esac
        names='bursty_(tick$|p_tick_|p_outside|p_deep_site)'
        within "ticks: the interrupt, flash" "$(bytes_of tr "$out/ticks.elf" "$names" none)" $isr
        # What ticks bring is in functions that others have, too: the program without them.
        # shellcheck disable=SC2086
        "${prefix}gcc" $machine $bare $warn -DWITHOUT_TICKS -I. -Itests/firmware \
            -o "$out/without.elf" $link $sources -lgcc
        all=$("${prefix}size" "$out/ticks.elf" "$out/without.elf" | awk '
            NR == 2 { text = $1; ram = $2 + $3 }
            NR == 3 { print text - $1, ram - $2 - $3 }')
        within "ticks: all, flash" "${all% *}" $flash
        within "ticks: RAM besides BURSTY_MEMORY" "${all#* }" $ram
    fi
    if [ "$program" = frames ]; then
        case $board in
        m3) flash=3650 ram=6500 ;;
        m0) flash=4000 ram=6500 ;;
        *) flash=4400 ram=6500 ;;
        esac
        # shellcheck disable=SC2086
        "${prefix}gcc" $machine $bare $warn -DWITHOUT_FRAMES -I. -Itests/firmware \
            -o "$out/without.elf" $link $sources -lgcc
        all=$("${prefix}size" "$out/frames.elf" "$out/without.elf" | awk '
            NR == 2 { text = $1; ram = $2 + $3 }
            NR == 3 { print text - $1, ram - $2 - $3 }')
        within "frames: all, flash" "${all% *}" $flash
        within "frames: RAM" "${all#* }" $ram
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
case $programs in *ticks*)
    check "ticks.brst: the host reads it" read_back ticks.brst 'where does it run'
    check "forty to sixty, by ticks" awk '
        $NF ~ /^ticks\.c:/ && !($(NF - 1) in share) { share[$(NF - 1)] = $2 + 0 } # time stands first
        END {
            exit !(share["forty"] > 35 && share["forty"] < 45 &&
                   share["sixty"] > 55 && share["sixty"] < 65)
        }' "$out/ticks.brst.txt"
    grep 'ticks\.c:' "$out/ticks.brst.txt" | sed 's/^/    /'
    ;;
esac
# Each share of calls lies within twice its interval of what the tasks did: four standard errors.
# All estimates with what the report says is missing lie within a tenth of the truth.
case $programs in *tasks*)
    "$build/bursty" report "$out/tasks.brst" >"$out/tasks.brst.txt"
    "$build/bursty" report --csv --min 0 "$out/tasks.brst" >"$out/tasks.csv"
    grep -o 'checks of tasks that met no burst.*: .* % of' "$out/tasks.brst.txt" |
        sed 's/.*, \([0-9.]*\) % of/unmet: \1/' >>"$out/tasks.log"
    check "calls of two tasks that are switched at any instruction" awk -F'[ ,;]+' '
        NR == FNR && $1 == "unmet:" { kept = 1 - $2 / 100 }
        NR == FNR { if ($2 == "turns:") { drive = $4; send = $6 } next }
        /^# / { is_calls = /^# functions: functions: calls/; next }
        is_calls && $1 == "rank" { for (i = 1; i <= NF; i++) column[$i] = i; next }
        is_calls && (name = $column["function"]) != "" {
            calls = name == "drive" ? drive : name == "send" ? send : drive + 2 * send
            true = calls / (2 * drive + 3 * send)
            all += $column["estimated"]
            rows += ($3 < $2 && true > $2 - 2 * ($2 - $3) && true < $2 + 2 * ($4 - $2)) }
        END {
            near = all / kept / (2 * drive + 3 * send)
            exit rows != 3 || kept > .9 || near < .9 || near > 1.1 }' "$out/tasks.log" "$out/tasks.csv"
    check "and who called whom" awk -F, '
        /^# / { is_pairs = /^# pairs/; next }
        is_pairs && $1 == "rank" { for (i = 1; i <= NF; i++) column[$i] = i; next }
        is_pairs && $column["function"] != "" {
            pairs = pairs $column["caller"] ">" $column["function"] " " }
        END { exit !(pairs ~ /send>leaf/ && pairs ~ /drive>leaf/ && pairs ~ /motor>drive/ &&
                     pairs ~ /radio>send/ && split(pairs, each, " ") == 4) }' "$out/tasks.csv"
    grep -E 'turns:|unmet:' "$out/tasks.log"
    ;;
esac
# 16 of 400 periods miss their deadline, and the report says by which function.
case $programs in *frames*)
    check "frames.brst: the host reads it" read_back frames.brst 'how long do frames take'
    check "16 of 400 periods are late" grep -q '^16 of 400 frames (4 %) are slow' \
        "$out/frames.brst.txt"
    check "calibrate is what late periods do more" awk '
        /^what slow frames do more/ { on = 1 }
        /^the slowest/ { on = 0 }
        on && $NF ~ /^frames\.c:/ && !first { first = $(NF - 1); low = $2 + 0 }
        END { exit !(first == "calibrate" && low > .3) }' "$out/frames.brst.txt"
    sed -n '/^16 of 400/p; /calibrate  *frames/p' "$out/frames.brst.txt" | sed 's/^/    /'
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
