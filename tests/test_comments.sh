#!/bin/sh
# test_comments.sh - every program that stands in a header's comment, in README.md or in docs/ is
# compiled as C99 and as C++11 with all warnings as errors, and run as C99. FULL=1, as the matrix has
# it: as C99 with -O2, with everything off, too, and as C++ it runs, too; these two with -O0, as in
# test_examples.sh. In a header a program stands between a line "example:" and a line "end of
# example."; in a page it is a block of ```c with a main.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} CXX=${CXX:-c++}
top=$PWD
out=${BUILD:-build}/comments
rm -rf "$out"
mkdir -p "$out/build" || exit 2
. tests/compile/warnings.sh
log=$out/log

run() { (cd "$out" && within 60 "./$1" </dev/null); } # what a program writes stays here

# A page's program is a user's, of one file, in which a field left out is a zero and so a default.
warnings_for() { # COMPILER PROGRAM
    warnings_of "$1"
    [ -f "${2%_*}.h" ] && return
    echo '-Wno-missing-field-initializers'
    case $(warnings_of "$1") in *-Weverything*) echo '-Wno-missing-prototypes' ;; esac
}

for header in *.h; do
    awk -v out="$out/${header%.h}" '
        /^ *example: *$/ { if (file) exit 1; file = out "_" ++n ".c"; next }
        /^ *end of example\. *$/ { if (!file) exit 1; close(file); file = ""; next }
        file { print > file }
        END { if (file != "") exit 1 }' "$header" || {
        fail "$header: example: and end of example. do not match"
    }
    check "$header has an example" [ -s "$out/${header%.h}_1.c" ]
done
for page in README.md docs/*.md; do
    [ -f "$page" ] || continue
    awk -v out="$out/$(basename "$page" .md)" '
        /^```c *$/ { on = 1; text = ""; main = 0; next }
        /^``` *$/ {
            if (on && main) {
                file = out "_" ++n ".c"
                printf "%s", text > file
                close(file)
            }
            on = 0
            next
        }
        on { text = text $0 "\n"; if (/int main/) main = 1 }' "$page"
done

# Off: a program of headers that do not know it is the same program.
can_be_off() { # SOURCE
    for header in $(grep -lE 'BURSTY_OFF' *.h); do
        ! grep -q "^#include \"$header\"" "$1" || return 0
    done
    return 1
}

for source in "$out"/*.c; do
    name=$(basename "$source" .c)
    for off in '' ${FULL:+-DBURSTY_OFF}; do
        [ -z "$off" ] || can_be_off "$source" || continue
        level=-O0 # compiles in a third of the time
        [ -z "${FULL-}" ] || [ -n "$off" ] || level=-O2
        # shellcheck disable=SC2046,SC2086
        check "$name, C99 $off" $CC -std=c99 $(warnings_for "$CC" "$name") $level $off -I"$top" \
            -pthread -o "$out/$name" "$source" -lm
        check "$name, C99 $off, run" run "$name"
        if command -v "$CXX" >/dev/null 2>&1; then
            form=-fsyntax-only libs=
            [ -z "${FULL-}" ] || form="-pthread -o $out/${name}_cc" libs=-lm
            # shellcheck disable=SC2046,SC2086
            check "$name, C++11 $off" $CXX -std=c++11 $(warnings_for "$CXX" "$name") -O0 $off \
                -I"$top" -x c++ $form "$source" $libs
            [ -z "${FULL-}" ] || check "$name, C++11 $off, run" run "${name}_cc"
        else
            skip "$name as C++: no $CXX"
        fi
    done
done
finish
