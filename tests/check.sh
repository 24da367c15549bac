# check.sh - what a test script counts and how it ends. A script reads it from the project's root,
# `. tests/check.sh`, and ends with `finish`, which prints the closing line that run.sh reads.
#
#     log=FILE      what a command that `check` runs prints goes there, and is shown when it fails
#     shown=FILE    what is shown at every failure, for instance what the tool said last
# Each run draws the same sample. A test of other samples sets another seed, or none.
export BURSTY_SEED=1

passed=0 failed=0 skipped=0 log='' shown=''

pass() { passed=$((passed + 1)); }
fail() { # WHAT
    failed=$((failed + 1))
    echo "FAILED $*"
    [ ! -s "$shown" ] || head -n 20 "$shown" | sed 's/^/    /'
    [ -z "${FIRST_FAILURE-}" ] || finish
}
# What a test may skip, how often and where stands in tests/skips. Whether it has to is asked of the
# compiler or the system, never of the tool: a broken tool would be left alone.
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; } # WHY
compiler_says() { # CONDITION: of the preprocessor
    echo "#if $(echo "$1" | tr '\n' ' ')
it_holds
#endif" | ${CC:-cc} -E - 2>/dev/null | grep -q it_holds
}

ok() { # STATUS WHAT
    if [ "$1" = 0 ]; then pass; else fail "$2"; fi
}

check() { # WHAT COMMAND...
    what=$1
    shift
    if [ -z "$log" ]; then
        if "$@"; then pass; else fail "$what"; fi
    elif "$@" </dev/null >"$log" 2>&1; then pass
    else
        fail "$what: $*"
        head -n 12 "$log" | sed 's/^/    /'
    fi
}

# Does no line of FILE match PATTERN? One that matches HEADING has to, for a file that is missing or
# empty is no answer.
lacks() { # FILE HEADING PATTERN
    grep -q -e "$2" "$1" && ! grep -q -e "$3" "$1"
}
# A file that was written, and nothing into it.
empty() { [ -f "$1" ] && [ ! -s "$1" ]; } # FILE
# Two files that were written, with something in each.
unlike() { [ -s "$1" ] && [ -s "$2" ] && ! cmp -s "$1" "$2"; } # FILE FILE

# A test that stands in a folder of its own, which is empty at first: $out. $top is the project.
in_folder() { # NAME
    top=$PWD build=${BUILD:-build} CC=${CC:-cc} CXX=${CXX:-c++}
    case $build in /*) ;; *) build=$top/$build ;; esac
    out=$build/tests/$1 bursty=$build/bursty
    rm -rf "$out"
    mkdir -p "$out" && cd "$out" || exit 2
}

# Does $CC make ELF programs that run here?
needs_programs() { # FOLDER
    echo 'int main(void) { return 0; }' >"$1/probe.c"
    # shellcheck disable=SC2086
    $CC -o "$1/probe" "$1/probe.c" 2>"$1/probe.log" && [ "$(head -c 4 "$1/probe" | tail -c 3)" = ELF ] &&
        "$1/probe" || leave "$CC makes no ELF programs that run here"
}
# Compilers with which --cover and --trace know which calls returned.
marks_calls() {
    compiler_says 'defined(__ELF__) && defined(__linux__) && !defined(__TINYC__) &&
        (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)) &&
        (defined(__clang__) ? __clang_major__ >= 13 : __GNUC__ >= 9)'
}
# Has the machine a C++ library that a tool, compiled as this probe is, can read names with?
reads_cxx_names() { # FOLDER
    cat >"$1/names.c" <<'END_OF'
#include <dlfcn.h>
int main(void) {
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    if (!library) library = dlopen("libc++abi.so.1", RTLD_LAZY);
    return !library || !dlsym(library, "__cxa_demangle");
}
END_OF
    # shellcheck disable=SC2086
    ${CC:-cc} -w ${CFLAGS-} ${LDFLAGS-} -o "$1/names" "$1/names.c" -ldl 2>"$1/names.log" &&
        ${RUN-} "$1/names" >/dev/null 2>&1
}
may_look() { # FOLDER [stacks]
    ${CC:-cc} -o "$1/may_look" "${top:-.}/tests/may_look.c" && "$1/may_look" ${2+"$2"}
}
has_recorder() { # as the Makefile asks
    # shellcheck disable=SC2086
    [ -z "${RUN-}" ] && ${CC:-cc} ${CFLAGS-} -E -x c "${top:-.}/record/inside/preload/supported.h" 2>/dev/null |
        grep -q recorder_is_supported
}
needs_recorder() {
    has_recorder || leave "no recorder for this target"
}

# Waits for an event: until COMMAND says yes. No machine needs the two minutes
# after which it gives up and says no.
wait_for() { # COMMAND...
    looks=0
    until "$@"; do
        looks=$((looks + 1))
        [ $looks -le 6000 ] || return 1
        sleep .02
    done
}

# Runs a command that may use so much processor time, however long that takes.
# What waits for ever ends after five minutes.
within() { # SECONDS COMMAND...
    seconds=$1
    shift
    (ulimit -t "$seconds" && exec timeout 300 "$@")
}

# What `bursty cc` compiles of its own for a compiler is compiled once for all tests, and what it
# forgets to delete is in $out/tmp.
shares_runtime() {
    mkdir -p "$out/tmp"
    export BURSTY_CACHE="$build/tests/cc_runtime" TMPDIR="$out/tmp"
    unset BURSTY_TEST BURSTY_COVERAGE BURSTY_COVERAGE_SIGNALS
}

finish() {
    if [ $skipped = 0 ]; then echo "$passed passed, $failed failed"
    else echo "$passed passed, $failed failed, $skipped skipped"; fi
    [ $failed = 0 ]
    exit
}

leave() { # WHY: the rest of it cannot run here
    skip "$@"
    finish
}
