#!/bin/sh
# test_bursty_cpp.sh - exceptions through live bursts, thread ends by destructor, the test programs
# as C++ - where $CXX exists. FULL=1, as the matrix has it: with -O2.
. tests/check.sh
CXX=${CXX:-c++} BUILD=${BUILD:-build}
command -v "${CXX%% *}" >/dev/null 2>&1 || {
    leave "no $CXX"
}
mkdir -p "$BUILD/tests"
for test in test_bursty_cpp.cc test_bursty.c test_bursty_forms.c test_bursty_table.c \
    test_bursty_poll.c test_bursty_tiny.c; do
    program=$BUILD/tests/cpp_${test%.*}
    case ${FULL-}$test in
    test_bursty.c) level=-O1 ;; # runs so long that it pays
    test_*) level=-O0 ;;
    *) level=-O2 ;;
    esac
    # shellcheck disable=SC2086
    if $CXX -x c++ -std=c++11 -Wall -Wextra $level -I. -Itests -pthread -o "$program" "tests/$test" &&
        line=$($RUN "$program" | tail -n 1); then
        passed=$((passed + ${line%% *}))
    else
        fail "$test as C++: ${line:-does not compile}"
    fi
done
finish
