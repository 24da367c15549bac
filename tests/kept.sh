# kept.sh - for tests of what the recorder keeps of a program that is killed: with TMPDIR=$out/keep it
# writes there, into one of two halves of a file. Byte 65536 says which of them is whole, 1 or 2; it is
# 0 before the first. The second that is awaited has what the program did before.
half=0
mkdir -p "$out/keep"
# Before Linux 5.14 nothing is kept.
case $(uname -r) in [1-4].* | 5.[0-9][.-]* | 5.1[0-3][.-]*) keeps=no ;; *) keeps=yes ;; esac

is_another_half() {
    half=$(od -A n -t u1 -j 65536 -N 1 "$out"/keep/bursty-* 2>/dev/null | tr -d ' ')
    [ "${half:-0}" != 0 ] && [ "$half" != "$before" ]
}
wait_for_half() {
    before=$half
    [ $keeps = yes ] && wait_for is_another_half
}
