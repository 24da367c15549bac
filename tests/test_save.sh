#!/bin/sh
# test_save.sh - what a command writes with -o replaces a file when it is whole, or leaves it as it
# was: a full disk, a bad input, a folder that is not there, links, rights.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/save
. tests/check.sh
rm -rf "$dir"
mkdir -p "$dir"
bursty() { $RUN "$BUILD/bursty" "$@"; }
# Is the old file as it was, and alone? One line on standard error, and that status.
intact() { # WHAT WANTED GOT PATTERN
    [ "$3" = "$2" ] && [ "$(grep -c '' "$dir/err")" = 1 ] && grep -q "^bursty: .*$4" "$dir/err"
    ok $? "$1: status $3: $(cat "$dir/err")"
    [ "$(cat "$dir/out/old")" = BRST-old ] && [ "$(ls "$dir/out")" = old ]
    ok $? "$1: $(ls "$dir/out"): $(head -c 100 "$dir/out/old")"
}
again() {
    rm -rf "$dir/out"
    mkdir "$dir/out"
    printf 'BRST-old\n' >"$dir/out/old"
}
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c &&
    $RUN "$dir/make_dumps" "$dir" || echo "make_dumps failed"
# ---- a replaced file, what stays with it, what is written to directly
again
bursty merge -o "$dir/out/old" "$dir/game.brst" 2>"$dir/err"
ok $? "merge over a dump: $(cat "$dir/err")"
bursty report "$dir/out/old" | grep -q collide_pair; ok $? "what merge wrote"
[ "$(ls "$dir/out")" = old ]; ok $? "merge leaves $(ls "$dir/out")"
[ "$RUN" ] || case $(uname -s) in Linux) on_linux=1 ;; esac
[ "$on_linux" ] || finish # links, rights and limits as below
chmod 640 "$dir/out/old"
bursty merge -o "$dir/out/old" "$dir/game.brst"
[ "$(ls -l "$dir/out/old" | cut -c 1-10)" = -rw-r----- ]; ok $? "rights: $(ls -l "$dir/out/old")"
ln -s old "$dir/out/link"
bursty merge -o "$dir/out/link" "$dir/game3.brst"
[ -L "$dir/out/link" ] && [ ! -L "$dir/out/old" ]; ok $? "a link was replaced"
bursty report "$dir/out/old" | grep -q 'events lost: '; ok $? "the file behind a link"
ln -s nowhere "$dir/out/dangling"
bursty merge -o "$dir/out/dangling" "$dir/game.brst"
[ -L "$dir/out/dangling" ] && [ -s "$dir/out/nowhere" ]; ok $? "a link that led nowhere"
printf 'mine\n' >"$dir/out/old.new"
bursty merge -o "$dir/out/old" "$dir/game.brst"
[ "$(cat "$dir/out/old.new")" = mine ] && [ ! -e "$dir/out/old.new1" ]; ok $? "a file that was there"

# ---- a full disk: a limit on the size of files, at which writing fails
again
full() { # WHAT COMMAND...
    what=$1
    shift
    again
    (trap '' XFSZ; ulimit -f 1; bursty "$@") >"$dir/stdout" 2>"$dir/errors"
    got=$?
    grep -v '^bursty: note: \|^overhead\|frames repaired' "$dir/errors" >"$dir/err"
    intact "$what, full" 1 $got 'out/old'
}
full merge merge -o "$dir/out/old" "$dir/game.brst" "$dir/all.brst"
for form in text csv json; do
    again
    printf 'old\n' >"$dir/out/old"
    (trap '' XFSZ; ulimit -f 1; bursty report --$form -o "$dir/out/old" "$dir/all.brst") 2>"$dir/err"
    [ $? = 1 ] && [ "$(cat "$dir/out/old")" = old ] && [ "$(ls "$dir/out")" = old ] &&
        [ "$(grep -c '' "$dir/err")" = 1 ]
    ok $? "--$form, full: $(cat "$dir/err")"
done

# A recording that ends in the middle of an event.
again
printf 'old\n' >"$dir/out/old"
printf 'abcde' >"$dir/raw"
$RUN "$BUILD/bursty-lab" calls --raw16 "$dir/raw" -o "$dir/out/old" 2>"$dir/err"
[ $? = 2 ] && [ "$(cat "$dir/out/old")" = old ] && [ "$(ls "$dir/out")" = old ]
ok $? "calls: $(cat "$dir/err")"

# ---- a bad input, no folder, a device
again
bursty merge -o "$dir/out/old" "$dir/game.brst" "$dir/newer.brst" 2>"$dir/err"
intact "merge of a bad file" 2 $? 'unsupported version'
again
bursty merge -o "$dir/nowhere/old" "$dir/game.brst" 2>"$dir/err"
intact "no folder" 1 $? 'nowhere/old.*: No such file'
again
bursty merge -o "$dir/out/old" "$dir/out/old" 2>"$dir/err"
intact "an input" 2 $? 'old: .*'
if [ -c /dev/full ]; then
    bursty merge -o /dev/full "$dir/game.brst" 2>"$dir/err"
    intact "/dev/full" 1 $? '/dev/full: '
    [ -c /dev/full ]; ok $? "/dev/full is gone"
fi
long=$(printf '%0253d' 0)
bursty merge -o "$dir/out/$long" "$dir/game.brst" && bursty report "$dir/out/$long" >/dev/null
ok $? "a name of 253 bytes"
again
ln "$dir/out/old" "$dir/twin" && bursty merge -o "$dir/out/old" "$dir/game.brst" && cmp -s "$dir/out/old" "$dir/twin"
ok $? "both names of a file"
rm -f "$dir/twin"
# A file with two names on a full disk keeps what was in it.
again
printf 'old\n' >"$dir/out/old"
ln "$dir/out/old" "$dir/twin"
(trap '' XFSZ; ulimit -f 1; bursty report --json -o "$dir/out/old" "$dir/all.brst") 2>"$dir/err"
[ $? = 1 ] && [ "$(cat "$dir/twin")" = old ] && [ "$(ls "$dir/out")" = old ]
ok $? "two names, full: $(cat "$dir/twin"): $(cat "$dir/err")"
rm -f "$dir/twin"
again
if [ "$(id -u)" != 0 ]; then
    chmod a-w "$dir/out"
    bursty merge -o "$dir/out/none" "$dir/game.brst" 2>"$dir/err"
    intact "a folder that nobody may write" 1 $? 'Permission denied'
    bursty merge -o "$dir/out/old" "$dir/game.brst" && bursty report "$dir/out/old" >/dev/null
    ok $? "a file that may be written, but not replaced"
    chmod u+w "$dir/out"
    again
    chmod a-w "$dir/out/old"
    bursty merge -o "$dir/out/old" "$dir/game.brst" 2>"$dir/err"
    intact "a file that nobody may write" 1 $? 'Permission denied'
else skip "root may write everywhere"; fi
finish
