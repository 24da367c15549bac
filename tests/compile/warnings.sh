# warnings.sh - to be sourced: warnings_of COMPILER prints the warnings under which our code is
# silent, as errors.

# clang's -Weverything less what contradicts the house style or C itself:
everything='-Weverything
    -Wno-padded                         layout is chosen, holes included
    -Wno-unsafe-buffer-usage            every pointer that is indexed
    -Wno-declaration-after-statement    C99 allows it
    -Wno-old-style-cast                 the code is C as well
    -Wno-c++98-compat-pedantic          C++11 is the least we ask for
    -Wno-zero-as-null-pointer-constant  NULL in C++ that is C as well
    -Wno-unused-macros                  forms that a file does not use
    -Wno-disabled-macro-expansion       stdin and the like of some C libraries
    -Wno-switch-default                 contradicts -Wcovered-switch-default
    -Wno-used-but-marked-unused         that mark silences gcc where a form is not used
    -Wno-exit-time-destructors          in C++ a thread_local object tells that a thread ends
    -Wno-pre-c11-compat                 so that -std=c11 may be asked for
    -Wno-unknown-warning-option         clang 14 does not know all of these'
everything=$(echo "$everything" | grep -o -e '-W[^ ]*' | tr '\n' ' ')

warnings_of() {
    # shellcheck disable=SC2086
    case $($1 --version 2>/dev/null || $1 -v 2>&1) in
    *clang*) echo "-Wall -Wextra -pedantic $everything -Werror" ;;
    *tcc*) echo "-Wall -Werror" ;;
    *) echo "-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic -Werror" ;;
    esac
}
