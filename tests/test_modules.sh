#!/bin/sh
# test_modules.sh - examples/engine: an executable, an engine and a game that is loaded three times
# share one state (BURSTY_MODULES). One thread stays one thread, with its name, its checks and its
# time; stacks go through all modules. Linux.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
[ "$(uname -s)" = Linux ] && [ -z "${RUN-}" ] || leave "not on this target"
case ${CC:-cc} in *tcc*|*mingw*) leave "no shared object of threads by $CC" ;; esac
case ${CFLAGS-} in *fsanitize*|*-static*) leave "one sanitizer for three modules is not linked here" ;; esac
in_folder modules
. "$top/tests/compile/warnings.sh"
log=$out/log
cp "$top"/examples/engine/* .

# The commands are those of the example's comment.
sed -n '/^       cc="cc/,/rpath/p' main.c >commands
[ "$(grep -c '' commands)" = 4 ]
ok $? "the comment of main.c has four commands"
build_it() { # FLAGS...
    # shellcheck disable=SC2046
    cc=$CC flags="-std=c99 -I$top $(warnings_of "$CC") -Wno-double-promotion $*" sh -ec "$(
        sed "s|cc=\"cc -I../..|cc=\"\$cc \$flags|" commands)"
}
check "it is built" build_it -Werror
( ./main && times >cpu.txt ) >"$log" 2>&1
ok $? "it runs: $(cat "$log")"
"$bursty" report engine.brst >report.txt 2>&1
shown=$out/report.txt

# 180 frames: main has three scopes in each, a worker two. No other thread, no thread twice.
sed -n '/^threads$/,/^$/p' report.txt | awk 'NR > 2 && NF { print $4, $1 }' | sort >threads
printf '%s\n' 'main 540' 'paths 360' 'physics 360' 'sound 360' | cmp -s - threads
ok $? "four threads, each with all of its checks: $(tr '\n' ',' <threads)"
grep -q 'engine_job > game_tick' report.txt && grep -q 'frame > engine_frame' report.txt
ok $? "stacks go from module to module"
[ "$(grep -c '^ *[0-9.]*%.* > game_tick$' report.txt)" = 1 ] && ! grep -q 'game_tick *#' report.txt
ok $? "the game of three loads is one game"

# Ticks are one in 1000 us of CPU time, and no time is counted twice: what the shell says of the
# process, which is more by what stands in front of the first tick.
ms=$(awk 'NR == 2 { split($0, t, /[ms ]+/); print int(1000 * (60 * (t[1] + t[3]) + t[2] + t[4])) }' cpu.txt)
ticks=$("$bursty" report --csv engine.brst | awk -F , '
    /^rank,self_share/ { for (i = 1; i <= NF; i++) if ($i == "self_ticks") at = i; next }
    !NF || /^$/ { at = 0 } at { sum += $at } END { print sum }')
[ "$ticks" -gt $((ms / 2)) ] && [ "$ticks" -lt $((ms + ms / 10 + 100)) ]
ok $? "$ticks ticks of 1 ms in $ms ms of CPU time"

# A module's own rate needs no asking: the state is the program's.
sed '/tick_hz/d' main.c >asks_nothing.c
mv asks_nothing.c main.c
check "it is built without a rate" build_it
./main && "$bursty" report engine.brst >report.txt && grep -q '^where does it run: time by ticks' report.txt
ok $? "time is on"

# What cannot be is said by the compiler or the linker.
refused() { # WORDS COMMAND...
    words=$1
    shift
    ! "$@" 2>"$out/said" && grep -q "$words" "$out/said"
}
check "a module that has not heard of it does not link" refused 'bursty_' \
    $CC -std=c99 -fPIC -shared -I"$top" -o alone.so game.c -L. -lengine
for other in BURSTY_STATIC BURSTY_NO_TLS BURSTY_TINY; do
    check "not with $other" refused 'BURSTY_MODULES: for ELF systems' \
        $CC -std=c99 -I"$top" -DBURSTY_MODULES -D$other -fsyntax-only game.c
done
check "off" $CC -std=c99 -I"$top" -DBURSTY_MODULES -DBURSTY_OFF -fPIC -c -o off.o game.c
! command -v nm >/dev/null 2>&1 || { ! nm off.o | grep -q 'bursty_'; }
ok $? "off leaves no name"
if command -v "$CXX" >/dev/null 2>&1; then
    check "C++" $CXX -std=c++11 -I"$top" -DBURSTY_MODULES -fPIC -Wall -Wextra -Werror -x c++ -c \
        -o game_cc.o game.c
fi
finish
