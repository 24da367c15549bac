# check.sh - what a test script counts and how it ends. A script reads it from the project's root,
# `. tests/check.sh`, and ends with `finish`, which prints the closing line that run.sh reads.
#
#     log=FILE      what a command that `check` runs prints goes there, and is shown when it fails
#     shown=FILE    what is shown at every failure, for instance what the tool said last
passed=0 failed=0 skipped=0 log='' shown=''

pass() { passed=$((passed + 1)); }
fail() { # WHAT
    failed=$((failed + 1))
    echo "FAILED $*"
    [ ! -s "$shown" ] || head -n 20 "$shown" | sed 's/^/    /'
}
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; } # WHY

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

# A test that stands in a folder of its own, which is empty at first: $out. $top is the project.
in_folder() { # NAME
    top=$PWD build=${BUILD:-build} CC=${CC:-cc} CXX=${CXX:-c++}
    case $build in /*) ;; *) build=$top/$build ;; esac
    out=$build/tests/$1 bursty=$build/bursty
    rm -rf "$out"
    mkdir -p "$out" && cd "$out" || exit 2
}

needs_recorder() {
    [ -f "$build/bursty-record.so" ] && [ -z "${RUN-}" ] || leave "no recorder for this target"
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
