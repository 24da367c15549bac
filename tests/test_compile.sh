#!/bin/sh
# test_compile.sh - compiles the headers with $CC and $CXX, together and apart, static, twice, off
# and without libc, with all warnings as errors; links and runs what can be linked. Objects go to
# $BUILD/compile. FULL=1, as the matrix has it: in every standard, the oldest with -O2, and every build
# of the forms as C++, one of them with -O2; otherwise C99 and C++11.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} CXX=${CXX:-c++}
out=${BUILD:-build}/compile
mkdir -p "$out" || exit 2
log=$out/log

has() { command -v "${1%% *}" >/dev/null 2>&1; }

headers=$(ls ./*.h | sed 's,^\./,,; s,\.h$,,')
. tests/compile/warnings.sh

# shellcheck disable=SC2086
c() { $CC $(warnings_of "$CC") -I. "$@"; }
cxx() { $CXX $(warnings_of "$CXX") -I. "$@"; }

# ---- every standard, every way of pulling the headers in ----

stds=c99 cxx_stds=c++11 best=-O0 unlinked=-fsyntax-only # of what is not linked
[ -z "${FULL-}" ] || { best=-O2 unlinked=-O1 stds='c99 c11 c17' cxx_stds='c++11 c++17 c++20'; }

for std in $stds; do
    case $std in c99) level=$best apart=$unlinked ;; *) level=-fsyntax-only apart=-fsyntax-only ;; esac
    check "all headers, implementations twice, $std" c -std=$std $level -c -o "$out/all.o" \
        tests/compile/all.c
    check "static, $std" c -std=$std $level -c -o "$out/static.o" tests/compile/static.c
    check "forms, $std" c -std=$std $level -c -o "$out/forms.o" tests/compile/forms.c
    check "forms, off, $std" c -std=$std $level -DBURSTY_OFF -c -o "$out/forms.o" \
        tests/compile/forms.c
    check "without libc, $std" c -std=$std $apart -ffreestanding -c -o "$out/bare.o" \
        tests/compile/bare.c
    for header in $headers; do
        echo "#include \"$header.h\"" >"$out/alone.c"
        check "$header.h alone, $std" c -std=$std -fsyntax-only "$out/alone.c"
        name=$(echo "$header" | tr 'a-z' 'A-Z')
        printf '#define %s_IMPLEMENTATION\n#include "%s.h"\n' "$name" "$header" >"$out/alone.c"
        check "$header.h alone, implementation, $std" \
            c -std=$std -Wno-unused-function -fsyntax-only "$out/alone.c"
    done
done
check "a user of what all.c implements, linked" c -std=c99 -pthread -o "$out/two" \
    tests/compile/part.c "$out/all.o" -lm
check "a user of what all.c implements, run" within 20 "$out/two"
check "static: the other unit" c -std=c99 -DSTATIC_OTHER -c -o "$out/static_other.o" \
    tests/compile/static.c
check "static, linked" c -std=c99 -pthread -o "$out/both" "$out/static.o" "$out/static_other.o" -lm
check "static, run" within 20 "$out/both"

if has "$CXX"; then
    for std in $cxx_stds; do
        case $std in c++11) level=$best apart=$unlinked ;; *) level=-fsyntax-only apart=-fsyntax-only ;; esac
        check "all headers, $std" cxx -std=$std $level -c -o "$out/all_cc.o" tests/compile/all.cc
        # A user of C++ may ask for -Wold-style-cast.
        check "forms, $std" cxx -std=$std -Wold-style-cast $level -x c++ -c -o "$out/forms_cc.o" \
            tests/compile/forms.c
        check "forms, off, $std" cxx -std=$std -Wold-style-cast $level -x c++ -DBURSTY_OFF -c \
            -o "$out/forms_cc.o" tests/compile/forms.c
        check "static, $std" cxx -std=$std $apart -x c++ -c -o "$out/static_cc.o" \
            tests/compile/static.c
    done
    check "C++ user of C++ implementations, linked" cxx -std=c++11 -pthread -o "$out/two_cc" \
        tests/compile/part.cc "$out/all_cc.o"
    check "C++ user of C++ implementations, run" within 20 "$out/two_cc"
    check "C++ user of C implementations, linked" cxx -std=c++11 -pthread -o "$out/mixed" \
        tests/compile/part.cc "$out/all.o"
    check "C++ user of C implementations, run" within 20 "$out/mixed"
else
    skip "C++: no $CXX"
fi

# ---- the forms mean the same in every build ----

for variant in ON BURSTY_OFF BURSTY_POLL BURSTY_NO_TLS BURSTY_STATIC BURSTY_TINY BURSTY_STACK=0 \
    FORMS_BY_HAND; do
    check "forms built with $variant" c -std=c99 $best -pthread -DFORMS_MAIN -D$variant -o \
        "$out/forms" tests/compile/forms.c -lm
    check "forms run with $variant" within 20 "$out/forms"
    case ${FULL-}$variant in ON | 1*) ;; *) continue ;; esac
    has "$CXX" || continue
    case $variant in ON) level=$best ;; *) level=-O0 ;; esac
    check "forms built as C++ with $variant" cxx -std=c++11 $level -pthread -DFORMS_MAIN -D$variant \
        -x c++ -o "$out/forms_cc" tests/compile/forms.c -lm
    check "forms run as C++ with $variant" within 20 "$out/forms_cc"
done

# ---- a user's own shared object ----

if [ "$(uname -s)" = Linux ] && [ -z "${RUN-}" ]; then
    {
        printf '#include "bursty.h"\nint f(void);\n'
        printf 'int f(void) { BURST_SCOPE("f"); BURST_LEAVE(); return 1; }\n'
    } >"$out/so.c"
    printf 'int f(void); int main(void) { return f() != 1; }\n' >"$out/so_main.c"
    lacks() { ! "$@" 2>"$out/lacks" && grep -q 'bursty_' "$out/lacks"; }
    check "a shared object without an implementation does not link, by name" \
        lacks $CC -std=c99 -O1 -fPIC -shared -I. -o "$out/so.so" "$out/so.c"
    check "a shared object with its own does" \
        c -std=c99 -O1 -fPIC -shared -DBURSTY_IMPLEMENTATION -DBURSTY_TLS_MODEL='"initial-exec"' \
        -o "$out/so.so" "$out/so.c"
    check "a program that uses it" c -std=c99 -Wno-missing-prototypes -o "$out/so_main" \
        "$out/so_main.c" "$out/so.so"
    check "and runs" within 20 "$out/so_main"
fi

for header in $headers; do
    for file in all bare static; do
        check "$file.c includes $header.h" grep -q "^#include \"$header.h\"" tests/compile/$file.c
    done
done

# ---- what goes wrong is said ----

refused() { # WORDS COMMAND...: it does not compile, and says so
    words=$1
    shift
    ! "$@" 2>"$out/said" && grep -q "$words" "$out/said"
}
printf '#include "hcct.h"\n#include "bursty.h"\n' >"$out/order.c"
check "a wrong order of headers is an error that says what to do" \
    refused 'include bursty.h before hcct.h' $CC -std=c99 -I. -fsyntax-only "$out/order.c"
for header in $headers; do
    echo "#include \"$header.h\"" >"$out/alone.c"
    check "$header.h says that -ansi is too old" \
        refused 'c99 or newer in place of -ansi' $CC -ansi -I. -fsyntax-only "$out/alone.c"
done
printf '#include "bursty.h"\nvoid f(const char *s);\nvoid f(const char *s) { BURST_SCOPE(s); }\n' \
    >"$out/name.c"
check "a name that is no literal is an error" \
    refused 'error' $CC -std=c99 -I. -fsyntax-only "$out/name.c"
sed 's/BURST_SCOPE(s)/BURST_SCOPE("f")/' "$out/name.c" >"$out/literal.c"
check "and a literal is none" $CC -std=c99 -I. -fsyntax-only "$out/literal.c"
if has "$CXX"; then
    check "a name that is no literal is an error in C++, too" \
        refused 'error' $CXX -std=c++11 -I. -x c++ -fsyntax-only "$out/name.c"
    check "and a literal is none in C++" \
        $CXX -std=c++11 -I. -x c++ -fsyntax-only "$out/literal.c"
    printf '#include "bursty.h"\nvoid f();\nvoid f() { BURST_SCOPE("a"); { BURST_SCOPE("b"); } }\n' \
        >"$out/line.cc"
    check "two scopes on one line do not shadow one another" \
        cxx -std=c++11 -fsyntax-only "$out/line.cc"
fi

# ---- off is nothing ----

# The macros that a user may write, and the functions, as the preprocessor sees them.
macros() { $CC -std=c99 "$@" -dM -E -include ./bursty.h -x c /dev/null |
    sed -n 's/^#define \(BURST_[A-Z0-9_]*\).*/\1/p' | sort -u; }
functions() {
    $CC -std=c99 "$@" -E -P -x c bursty.h | grep -o 'bursty_[a-z0-9_]*(' |
        grep -v -e bursty_p_ -e bursty_hit -e bursty_note | tr -d '(' | sort -u
}

macros >"$out/macros.on"
macros -DBURSTY_OFF >"$out/macros.off"
functions >"$out/functions.on"
functions -DBURSTY_OFF >"$out/functions.off"
check "there are forms to compare" grep -q BURST_POINT "$out/macros.on"
check "there are functions to compare" grep -q bursty_start "$out/functions.on"
check "every form has an off form" cmp "$out/macros.on" "$out/macros.off"
check "every function has an off form" cmp "$out/functions.on" "$out/functions.off"
grep -o 'BURST_[A-Z0-9_]*' tests/compile/forms.c | sort -u >"$out/macros.used"
check "forms.c uses every form" [ -z "$(comm -23 "$out/macros.on" "$out/macros.used")" ]

no_symbols() { ! nm "$1" 2>/dev/null | grep -q .; }
no_symbols_of_ours() { ! nm "$1" | grep -i 'burst[y_]'; }
none_global() { ! nm -g --defined-only "$1" | grep -iE "[ _]($(echo $headers | tr ' ' '|'))_"; }
if has nm && has objcopy; then
    check "off.c" c -std=c99 -O0 -c -o "$out/off.o" tests/compile/off.c
    check "off.c makes no symbol" no_symbols "$out/off.o"
    check "off.c makes no byte" [ "$(size "$out/off.o" | awk 'NR == 2 { print $1 + $2 + $3 }')" = \
        0 ]
    check "forms off" c -std=c99 -O2 -DBURSTY_OFF -c -o "$out/forms_off.o" tests/compile/forms.c
    check "forms by hand" c -std=c99 -O2 -DFORMS_BY_HAND -c -o "$out/forms_hand.o" \
        tests/compile/forms.c
    check "forms off leave no symbol" no_symbols_of_ours "$out/forms_off.o"
    for kind in off hand; do
        check "their code" objcopy -O binary -j .text "$out/forms_$kind.o" "$out/forms_$kind.text"
        size -A "$out/forms_$kind.o" |
            awk '/^\./ && $2 > 0 && !/comment|note/ { print $1, $2 }' >"$out/forms_$kind.sections"
    done
    check "off makes the code that is written by hand without the forms" cmp "$out/forms_off.text" \
        "$out/forms_hand.text"
    check "and the same sections of the same size" cmp "$out/forms_off.sections" \
        "$out/forms_hand.sections"
    check "static shows nothing outside" none_global "$out/static_other.o"
else
    skip "symbols: no nm and objcopy"
fi

# ---- the public part ----

for header in $headers; do
    upper=$(echo $header | tr a-z A-Z)
    sed "/^#endif \/\* ${upper}_H \*\//q" $header.h >"$out/public"
    check "$header.h includes stddef.h and stdint.h alone" \
        [ "$(grep '^# *include' "$out/public" | sed 's/.*<\(.*\)>.*/\1/' | sort -u | tr '\n' ' ')" \
        = "stddef.h stdint.h " ]
    check "$header.h, line 1" grep -q \
        "^/\* $header\.h - v[0-9]*\.[0-9]*\.[0-9]* - .* - MIT, text at end of file" "$out/public"
    check "$header.h ends with its licence" grep -q 'WITHOUT WARRANTY OF ANY KIND' $header.h
done

finish
