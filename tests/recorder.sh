# recorder.sh - to be sourced by the tests of the recorder of -finstrument-functions, which say in
# $dir where they work: counts what passes, and leaves where the recorder cannot run.
mkdir -p "$dir"
passed=0 failed=0 skipped=0
ok() { # STATUS WHAT
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $2"
    fi
}
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $*"
}
finish() {
    if [ $skipped = 0 ]; then
        echo "$passed passed, $failed failed"
    else
        echo "$passed passed, $failed failed, $skipped skipped"
    fi
    [ "$failed" = 0 ]
    exit
}

bursty=$BUILD/bursty
unset BURSTY_CONTEXTS_EVERY BURSTY_CONTEXTS_BURST
[ -r /proc/self/maps ] && [ -z "$RUN" ] || {
    skip "needs /proc and native programs"
    finish
}
