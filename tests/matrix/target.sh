#!/bin/sh
# target.sh NAME - runs one row of tests/matrix/targets; its output goes to build/matrix/NAME.log,
# and one line with passed, failed and seconds to standard output. build/matrix/NAME.result keeps
# "passed failed skipped".
set -u
cd "$(dirname "$0")/../.." || exit 2
name=$1
build=build/matrix/$name
log=build/matrix/$name.log
mkdir -p "$build"
warn='-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic -Werror'

field() { awk -F '|' -v n="$name" -v f="$1" '{ k = $1; gsub(/ /, "", k) } k == n { print $f }' tests/matrix/targets; }

# Scripts that run the host tool as a target made it; the others look at sources or at compilers,
# once on the host.
tool_scripts() {
    for script in tests/test_*.sh; do
        case $script in *_compile.sh|*_disasm.sh|*_comments.sh|*_shared.sh|*_cpp.sh|*_demo.sh) ;; *) echo "$script" ;; esac
    done
}

# What asks for the same of the tool whatever compiled it, and takes minutes: `make test`, clang-19 and 32 bits have it.
without_hostile() { grep -v '^tests/test_hostile\.sh$'; }

host()       { FULL=1 tests "$(ls tests/test_*.sh)" "$@"; }               # everything
host_short() { FULL=1 tests "$(ls tests/test_*.sh | without_hostile)" "$@"; }
tool_tests() { tests "$(tool_scripts)" "$@"; }                           # the C programs, the host tool and its scripts
tool_short() { tests "$(tool_scripts | without_hostile)" "$@"; }
programs()   { tests '' "$@"; }                                          # the C programs alone, or some: $only
firmware()   { BUILD=build/matrix/tool sh tests/firmware/run.sh "$1"; }

# As `make test`, but what does not compile fails by itself.
tests() { # SCRIPTS MAKE'S VARIABLES...
    scripts=$1 programs=
    shift
    for variable in "$@"; do
        case $variable in CC=*|CXX=*|CFLAGS=*|RUN=*) export "${variable?}" ;; esac
    done
    for source in ${only:-tests/test_*.c}; do programs="$programs $build/tests/$(basename "$source" .c)"; done
    # shellcheck disable=SC2086
    make -s -k BUILD="$build" WARN="$warn" "$@" $programs ${scripts:+all}
    # shellcheck disable=SC2086
    JOBS=1 BUILD=$build sh tests/run.sh $programs $scripts
}

# ThreadSanitizer of gcc 12 wants the address layout of older kernels: setarch -R.
tsan() {
    only=$(echo tests/test_*thread*.c tests/test_callpaths.c tests/test_ticks_traps.c)
    programs CC=gcc-12 RUN='setarch -R' CFLAGS='-O1 -g -fsanitize=thread -DTEST_SCALE=4'
}

# The prefix is 700 MB of Windows folders: made for this run, removed behind it.
windows() {
    WINEPREFIX=$(mktemp -d "${TMPDIR:-/tmp}/bursty-wine.XXXXXX") || return 1
    export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=' LC_ALL=C
    wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
    /usr/lib/wine/wineserver -p >/dev/null 2>&1 # stays until -k: none ends while a program begins
    timeout 300 "$wine" cmd /c exit >/dev/null 2>&1
    programs CC=x86_64-w64-mingw32-gcc LDFLAGS=-static RUN="sh tests/matrix/wine.sh $wine" \
        CFLAGS='-O2 -D__USE_MINGW_ANSI_STDIO=1 -DTEST_SCALE=4'
    code=$?
    /usr/lib/wine/wineserver -k >/dev/null 2>&1
    /usr/lib/wine/wineserver -w >/dev/null 2>&1
    rm -rf "$WINEPREFIX"
    return $code
}

# As Microsoft's compiler sees it: no GNU attributes. clang stands in for it; nothing is linked or
# run.
msvc() {
    passed=0 failed=0
    for language in 'c -std=c99' 'c++ -std=c++14'; do
        for source in 'tests/compile/all.c' 'tests/compile/forms.c' 'tests/compile/forms.c -DBURSTY_OFF' 'tests/compile/forms.c -DBURSTY_POLL' \
                      'tests/compile/forms.c -DBURSTY_NO_TLS' 'tests/compile/forms.c -DBURSTY_STATIC' 'tests/compile/forms.c -DBURSTY_TINY'; do
            # shellcheck disable=SC2086
            if clang-19 --target=x86_64-pc-windows-msvc -fms-compatibility-version=19.30 -ffreestanding -DBURSTY_STACK=64 \
                   -O1 -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror -I. -c -o "$build/x.obj" -x $language $source
            then
                passed=$((passed + 1))
            else
                failed=$((failed + 1))
                echo "FAILED $language $source"
            fi
        done
    done
    echo "$passed passed, $failed failed"
}

# 25 seconds for each fuzzer, linked with everything of the host tool but its main.
fuzz() {
    passed=0 failed=0
    corpus=$build/corpus
    mkdir -p "$corpus" "$build/tool"
    CC=clang-19 sh fuzz/seeds.sh "$corpus"
    flags='-std=c99 -g -O1 -fno-sanitize-recover=undefined -I. -Itools'
    made=build/matrix/tool/tools
    for source in $(ls tools/*.c tools/*/*.c lab/*.c | grep -v -e '^tools/bursty.c' -e '^lab/lab.c') $made/page.c $made/lists.c $made/runtime.c; do
        # shellcheck disable=SC2086
        clang-19 $flags -fsanitize=fuzzer-no-link,address,undefined -c "$source" \
            -o "$build/tool/$(echo "$source" | tr / _).o" || failed=$((failed + 1))
    done
    for source in fuzz/fuzz_*.c; do
        fuzzer=$build/$(basename "$source" .c)
        # shellcheck disable=SC2086
        if clang-19 $flags -fsanitize=fuzzer,address,undefined -o "$fuzzer" "$source" "$build"/tool/*.o -lm &&
           "$fuzzer" -max_len=4096 -max_total_time="${FUZZ_SECONDS:-25}" -timeout=10 -artifact_prefix="$build/" \
               -print_final_stats=1 "$corpus" >"$fuzzer.log" 2>&1
        then
            passed=$((passed + 1))
            echo "$source: $(sed -n 's/^stat::number_of_executed_units: *//p' "$fuzzer.log") inputs"
        else
            failed=$((failed + 1))
            echo "FAILED $source"
            tail -n 30 "$fuzzer.log"
        fi
    done
    echo "$passed passed, $failed failed"
}

# Report pages in a browser.
page() { BUILD=build/matrix/tool sh tests/page.sh; }

start=$(date +%s)
eval "$(field 3)" >"$log" 2>&1
code=$?
line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1)
passed=0 failed=1 skipped=0
if [ -n "$line" ]; then
    passed=${line%% *} failed=${line#*, } failed=${failed%% *}
    case $line in *skipped) skipped=${line##*, } skipped=${skipped%% *} ;; esac
    [ "$failed" = 0 ] && [ $code != 0 ] && failed=1
fi
echo "$passed $failed $skipped" >"build/matrix/$name.result"
printf '%-10s %5s passed, %s failed%s  %ss\n' "$name" "$passed" "$failed" \
    "$([ "$skipped" = 0 ] || echo ", $skipped skipped")" $(($(date +%s) - start))
