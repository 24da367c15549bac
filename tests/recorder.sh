# recorder.sh - to be sourced by the tests of the recorder of -finstrument-functions, which say in
# $dir where they work: counts what passes, and leaves where the recorder cannot run.
mkdir -p "$dir"
. tests/check.sh

bursty=$BUILD/bursty
unset BURSTY_CONTEXTS_EVERY BURSTY_CONTEXTS_BURST
[ -r /proc/self/maps ] && [ -z "$RUN" ] || {
    leave "needs /proc and native programs"
}
