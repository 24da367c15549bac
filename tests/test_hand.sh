#!/bin/sh
# test_hand.sh - checks by hand and code in two copies, against a model of Figures 2 and 3: the
# events of random programs, none missing, none extra (tests/hand). With FULL=1 each form of the
# build, as C and as C++, with an optimizer and without.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} CXX=${CXX:-c++}
src=tests/hand out=${BUILD:-build}/hand
case $out in
/*) at=$out ;;
*) at=$PWD/$out ;;
esac
mkdir -p "$out" || exit 2
printf '#define BURSTY_IMPLEMENTATION\n#include "bursty.h"\n' >"$out/bursty.c"
cp "$out/bursty.c" "$out/bursty.cc"
cp $src/main.c "$out/main.cc"

# Compiles the implementation with the first compiler, and the programs of a seed with both optimizers.
ask() { # SEEDS OPTIMIZERS SUFFIX COMPILER OPTIONS...
    seeds=$1 optimizers=$2 suffix=$3
    shift 3
    main=$out/main.cc
    [ "$suffix" = c ] && main=$src/main.c
    if ! "$@" -O0 -I. -c -o "$out/bursty.o" "$out/bursty.$suffix"; then fail "$*: bursty.h"; return; fi
    for seed in $seeds; do
        awk -v seed="$seed" -v functions=50 -f $src/programs.awk >"$out/programs.inc"
        for optimizer in $optimizers; do
            if ! "$@" "$optimizer" -I. -Wall -Wextra -Werror -Wno-unused-function \
                    "-DPROGRAMS=\"$at/programs.inc\"" -o "$out/main" "$main" "$out/bursty.o" \
                    -lpthread; then
                fail "$* $optimizer, seed $seed: does not compile"
            elif ${RUN:-} "$out/main" >"$out/said" 2>&1; then
                pass
                echo "$* $optimizer, seed $seed: $(cat "$out/said")"
            else
                fail "$* $optimizer, seed $seed: $(tail -n 3 "$out/said")"
            fi
        done
    done
}

if [ "${FULL:-0}" = 0 ]; then
    ask 1 -O2 c "$CC" -std=gnu99
else
    ask "1 2 3 4" "-O0 -O1 -O2 -O3" c "$CC" -std=gnu99
    for options in -DBURSTY_PORTABLE -DBURSTY_NO_TLS -DBURSTY_BARE "-DBURSTY_BARE -DBURSTY_NO_TLS" \
            -DBURSTY_STACK=0 -fPIC; do
        # shellcheck disable=SC2086
        ask "5 6" "-O0 -O2" c "$CC" -std=gnu99 $options
        # shellcheck disable=SC2086
        ask 7 "-O0 -O2" cc "$CXX" -std=gnu++11 $options
    done
    ask 8 "-O0 -O2" cc "$CXX" -std=gnu++11
fi
finish
