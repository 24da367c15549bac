#!/bin/sh
# test_options.sh - one line and status 2 for options that stand twice, want a value, have junk
# behind a number, take no value, contradict another or change nothing; --help names every option.
BUILD=${BUILD:-build}
dir=$BUILD/tests/options
passed=0 failed=0 skipped=0
rm -rf "$dir"
mkdir -p "$dir"
bursty() { $RUN "$BUILD/bursty" "$@"; }
ok() {
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED $2"
    fi
}

# ARGUMENTS | PATTERN of the one line. No file of these is ever opened.
while IFS='|' read -r arguments wanted; do
    # shellcheck disable=SC2086
    bursty $arguments >"$dir/out" 2>"$dir/err" </dev/null
    [ $? = 2 ] && [ "$(grep -c '' "$dir/err")" = 1 ] && [ ! -s "$dir/out" ] &&
        tr -d '\r' <"$dir/err" | grep -q -e "^bursty: .*${wanted# }"
    ok $? "$arguments: $(cat "$dir/out" "$dir/err" | head -c 300)"
done <<'END'
merge -o x -o y none | '-o' stands twice
merge -o | -o wants a value
merge none | no output
merge -o x | no input
merge --json -o x none | no option '--json'
corun --json none | no option '--json'
corun | no input
overlap --json --json none none | '--json' stands twice
overlap --title a --title b none none | '--title' stands twice
overlap --json=3 none none | '--json' takes no value
overlap none none --json=3 | '--json' takes no value
overlap none none --title | --title wants a value
overlap none | no input
overlap none none third | 'third' is a third one
report --min 1 --min 2 none | '--min' stands twice
report --title a --title a none | '--title' stands twice
report --no-demangle=3 none | '--no-demangle' takes no value
report --json --text none | one form at a time
report --json --json none | '--json' stands twice
report --html x -o y none | one place to write to
report --min 3x none | --min 3x: a percentage is wanted
report --note x none | NAME=VALUE is wanted
report none --sort | --sort wants a value
replay nothing none | no replay 'nothing'
replay footprint --c .9 --c .8 none | '--c' stands twice
replay footprint --average --average none | '--average' stands twice
replay footprint --average=1 none | '--average' takes no value
replay footprint --c 0.9x none | '0.9x' is not valid
replay footprint --blocks-max 12k none | '12k' is not valid
replay footprint --from 9 --to 3 none | --to must be greater than --from
replay footprint --check --average none | --check compares all windows
replay footprint --thread 1 --interleave 0,1 none | --thread
replay footprint --json --csv none | one form at a time
replay footprint --html x -o y none | one place to write to
replay footprint none --title | --title wants a value
replay footprint one two | one trace, not both
replay streams --min 2 --min 3 none | '--min' stands twice
replay streams --min 3x none | '3x' is not valid
replay streams --eager=1 none | '--eager' takes no value
replay streams none --dump | --dump wants a value
replay streams --bogus none | no option '--bogus'
replay pairs --seed 1 --seed 1 none | '--seed' stands twice
replay pairs --period 10x none | '10x' is not valid
replay methods --json=x none | '--json' takes no value
replay lackey --block-bytes 64x none | '64x' is no power of two
replay lackey --block-bytes 64 --block-bytes 32 none | '--block-bytes' stands twice
replay lackey --instructions=1 none | '--instructions' takes no value
replay lackey one two | 'two' is a second one
replay calls none | needs --raw16
replay edges --bogus none | no option '--bogus'
replay hcct --bogus none | no option '--bogus'
END

# A note is the one option that may stand several times.
bursty report --note a=1 --note b=2 none >"$dir/out" 2>"$dir/err"
grep -q 'none: No such file' "$dir/err"; ok $? "two notes: $(cat "$dir/err")"

# --help says a line for each option that the source of a command asks for.
help() { # COMMAND FILE
    bursty $1 --help >"$dir/help"
    ok $? "$1 --help"
    for option in $(sed -n 's/.*tool_is(&*option, "--", "\([a-z0-9-]*\)").*/\1/p' "tools/$2"); do
        grep -q -e "--$option[^a-z-]" "$dir/help"
        ok $? "$1 --help does not name --$option"
    done
}
help report report.c
help overlap overlap.c
help merge merge.c
help corun corun.c
help 'replay footprint' replay/footprint.c
help 'replay streams' replay/streams.c
help 'replay lackey' replay/lackey.c
help 'replay pairs' replay/pairs.c

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
