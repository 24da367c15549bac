#!/bin/sh
# test_binpatch.sh - binpatch.h hooks functions as gcc and clang make them at every level, and
# exceptions go through them. tests/binpatch/ says what is true.
. tests/check.sh
out=${BUILD:-build}/binpatch
rm -rf "$out"
mkdir -p "$out"
echo '#include "binpatch.h"
#ifdef BINPATCH_SUPPORTED
it_holds
#endif' | ${CC:-cc} -I. -E -x c - 2>/dev/null | grep -q it_holds || leave "for x86-64 Linux only"
case ${CFLAGS-} in *sanitize*) leave "a sanitizer checks itself where code is not its own" ;; esac

# HOOKED: so many at least; what a compiler makes of the rest, such as a table, may be refused.
shapes() { # HOOKED COMPILER...
    least=$1
    shift
    "$@" -std=c99 -Wall -Wextra -I. -o "$out/shapes" tests/binpatch/shapes.c "$out/header.o" \
        >"$out/log" 2>&1 &&
        "$out/shapes" >>"$out/log" 2>&1 &&
        awk -v least="$least" '/ hooked$/ { n = $1 } END { exit !(n >= least) }' "$out/log" || {
        cat "$out/log"
        return 1
    }
}
for compiler in gcc clang; do
    command -v $compiler >/dev/null 2>&1 || continue
    $compiler -std=c99 -O1 -I. -c -o "$out/header.o" tests/binpatch/header.c || exit 2
    for level in -O0 -O1 -O2 -O3 -Os; do
        check "$compiler $level" shapes 10 $compiler $level
    done
    check "$compiler, not position-independent" shapes 10 $compiler -O2 -no-pie -fno-pic
    check "$compiler, with endbr64" shapes 10 $compiler -O2 -fcf-protection=full
    for static in -static "-static-pie -fPIE"; do
        set -- $compiler $static -Wl,--eh-frame-hdr
        if echo 'int main(void) { return 0; }' | "$@" -x c -o "$out/is_static" - 2>/dev/null
        then check "$*" shapes 10 "$@" -O2
        else skip "no $compiler $static"
        fi
    done
    check "$compiler, without frames" shapes 10 $compiler -O1 -fomit-frame-pointer -mno-red-zone
done

throws() { # COMPILER...
    "$@" -std=c++11 -Wall -Wextra -I. -pthread -o "$out/throws" tests/binpatch/throws.cc \
        "$out/header.o" >"$out/log" 2>&1 && "$out/throws" >>"$out/log" 2>&1 || {
        cat "$out/log"
        return 1
    }
}
for compiler in g++ clang++; do
    command -v $compiler >/dev/null 2>&1 || continue
    for level in -O0 -O2; do
        check "exceptions, $compiler $level" throws $compiler $level
    done
done

# A file that calls a function at each of its entries, and that function is hooked.
instrumented() { # COMPILER...
    "$@" -std=c99 -Wall -Wextra -I. -finstrument-functions -o "$out/instrumented" \
        tests/binpatch/instrumented.c >"$out/log" 2>&1 &&
        "$out/instrumented" >>"$out/log" 2>&1 || {
        cat "$out/log"
        return 1
    }
}
for compiler in gcc clang; do
    command -v $compiler >/dev/null 2>&1 || continue
    for level in -O0 -O2; do
        check "a hook of -finstrument-functions, $compiler $level" instrumented $compiler $level
    done
done

# Functions of the C library while it is used: each 16th, or all.
steps=16
[ -z "${FULL-}" ] || steps=1
library() { # FIRST
    "$out/library" $steps "$1" >"$out/log" 2>&1 || {
        cat "$out/log"
        return 1
    }
}
if echo '#include <features.h>
#ifdef __GLIBC__
it_is
#endif' | ${CC:-cc} -E -x c - 2>/dev/null | grep -q it_is; then
    ${CC:-cc} -O1 -I. -pthread -o "$out/library" tests/binpatch/library.c \
        tests/binpatch/header.c || exit 2
    check "functions of the C library, all at once" library 3
    [ -n "${FULL-}" ] || check "and other ones of them" library 11
else
    skip "the C library is not glibc"
fi

# Off: no hook, nothing of the header in the program.
cat >"$out/off.c" <<'END'
#define BINPATCH_OFF
#define BINPATCH_IMPLEMENTATION
#include "binpatch.h"
int main(void) {
    binpatch_watch w = {0, 0, 0, 0, 0};
    binpatch_stats s;
    binpatch_get_stats(&s);
    return binpatch_init(0, 0, 0) != 0 || binpatch_hook(&w) != -BINPATCH_UNSUPPORTED
           || binpatch_unhook(0) != -1 || binpatch_switch(1) != 0 || s.room;
}
END
off() {
    ${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror -I. -o "$out/off" "$out/off.c" &&
        "$out/off" &&
        ! nm "$out/off" 2>/dev/null | grep -q ' [bBdD] binpatch'
}
check "with BINPATCH_OFF nothing is hooked" off

# Twelve public functions at most.
few() {
    echo '#define BINPATCH_IMPLEMENTATION
#include "binpatch.h"' >"$out/all.c"
    ${CC:-cc} -std=c99 -I. -c -o "$out/all.o" "$out/all.c" &&
        [ "$(nm "$out/all.o" | grep -c ' T ')" -le 12 ] && [ "$(wc -l <binpatch.h)" -le 2500 ]
}
if command -v nm >/dev/null 2>&1; then check "the header is small" few; else skip "no nm"; fi
finish
