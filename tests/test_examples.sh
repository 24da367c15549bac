#!/bin/sh
# test_examples.sh - every program of examples/ is compiled with all warnings as errors, as C99, and
# run: each checks what it shows and says so by its exit status. FULL=1, as the matrix has it: with
# -O2; and with BURSTY_OFF and as C++11, where $CXX exists, both with -O0, for what they ask of the
# compiler is not its optimizer: test_compile.sh and test_bursty_cpp.sh have off and C++ with -O2.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} CXX=${CXX:-c++}
top=$PWD
out=${BUILD:-build}/examples-tested
mkdir -p "$out" || exit 2
. tests/compile/warnings.sh
log=$out/log

run() { (cd "$out" && within 120 "./$1" </dev/null); }
# An example is a program of one file: what nothing else calls needs no prototype.
lenient() {
    case $(warnings_of "$1") in *-Weverything*) echo \
        '-Wno-missing-prototypes -Wno-double-promotion' ;; esac
}

for source in examples/*.c; do
    name=$(basename "$source" .c)
    for off in ${FULL:+-DBURSTY_OFF} ''; do
        level=-O0 # compiles in a third of the time
        [ -z "${FULL-}" ] || [ -n "$off" ] || level=-O2
        # shellcheck disable=SC2046,SC2086
        check "$name, C99 $off" $CC -std=c99 $(warnings_of "$CC") $(lenient "$CC") $level $off \
            -I"$top" -pthread -o "$out/$name" "$source" -lm
        check "$name, C99 $off, run" run "$name"
    done
    [ -n "${FULL-}" ] || continue
    if command -v "$CXX" >/dev/null 2>&1; then
        # shellcheck disable=SC2046,SC2086
        check "$name, C++11" $CXX -std=c++11 $(warnings_of "$CXX") $(lenient "$CXX") \
            -Wno-missing-field-initializers -Wno-missing-braces -O0 -I"$top" -pthread -x c++ -o \
            "$out/${name}_cc" "$source" -lm
        check "$name, C++11, run" run "${name}_cc"
    else
        skip "$name as C++: no $CXX"
    fi
done

# What the examples print is what their comments promise.
says() {
    run "$1" >"$out/$1.txt" 2>&1
    grep -q -e "$2" "$out/$1.txt"
}
check "conditional: the third attempt is the first reported" says conditional \
    'reported send *counter 0:  0'
check "poll: ten frames of six hundred" says poll '^10 frames seen of 600: 30 calls'
check "hibernate: one check in a thousand" says hibernate '^0\.1[0-9]* % of 40000000 checks'
check "reenable: three contexts at which bursts begin" says reenable ': 3 in new contexts'
check "hooked_function: each call is told, or the reason why not" says hooked_function \
    '^300 calls (sum 312175470), \|^not '

finish
