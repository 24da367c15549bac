#!/bin/sh
# test_options.sh - one line and status 2 for options that stand twice, want a value, have junk
# behind a number, take no value, contradict another or change nothing; --help names every option.
BUILD=${BUILD:-build}
dir=$BUILD/tests/options
. tests/check.sh
rm -rf "$dir"
mkdir -p "$dir"
bursty() { # COMMAND ...; `lab COMMAND ...` is bursty-lab
    if [ "$1" = lab ]; then
        shift
        $RUN "$BUILD/bursty-lab" "$@"
    else $RUN "$BUILD/bursty" "$@"; fi
}

# ARGUMENTS | PATTERN of the one line. No file of these is ever opened.
while IFS='|' read -r arguments wanted; do
    # shellcheck disable=SC2086
    bursty $arguments >"$dir/out" 2>"$dir/err" </dev/null
    [ $? = 2 ] && [ "$(grep -c '' "$dir/err")" = 1 ] && [ ! -s "$dir/out" ] &&
        tr -d '\r' <"$dir/err" | grep -q -e "^bursty[-lab]*: .*${wanted# }"
    ok $? "$arguments: $(cat "$dir/out" "$dir/err" | head -c 300)"
done <<'END'
merge -o x -o y none | '-o' stands twice
merge -o | -o wants a value
merge none | no output
merge -o x | no input
merge --json -o x none | no option '--json'
corun --json none | no option '--json'
corun | no input
corun --size 3x none | '3x' is not valid
top --what -p 1 | no option '--what'
corun --rate 0 none | '0' is not valid
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
lab nothing none | no command 'nothing'
lab footprint --c .9 --c .8 none | '--c' stands twice
lab footprint --average --average none | '--average' stands twice
lab footprint --average=1 none | '--average' takes no value
lab footprint --c 0.9x none | '0.9x' is not valid
lab footprint --blocks-max 12k none | '12k' is not valid
lab footprint --from 9 --to 3 none | --to must be greater than --from
lab footprint --check --average none | --check compares all windows
lab footprint --thread 1 --interleave 0,1 none | --thread
lab footprint --json --csv none | one form at a time
lab footprint --html x -o y none | one place to write to
lab footprint none --title | --title wants a value
lab footprint one two | one trace, not both
lab streams --min 2 --min 3 none | '--min' stands twice
lab streams --min 3x none | '3x' is not valid
lab streams --eager=1 none | '--eager' takes no value
lab streams none --dump | --dump wants a value
lab streams --bogus none | no option '--bogus'
lab pairs --seed 1 --seed 1 none | '--seed' stands twice
lab pairs --every 10x none | '10x' is not valid
lab methods --json=x none | '--json' takes no value
lab lackey --block-bytes 64x none | '64x' is no power of two
lab lackey --block-bytes 64 --block-bytes 32 none | '--block-bytes' stands twice
lab lackey --instructions=1 none | '--instructions' takes no value
lab lackey one two | 'two' is a second one
lab calls none | needs --raw16
lab edges --bogus none | no option '--bogus'
lab hcct --bogus none | no option '--bogus'
END

# A note is the one option that may stand several times.
bursty report --note a=1 --note b=2 none >"$dir/out" 2>"$dir/err"
grep -q 'none: No such file' "$dir/err"; ok $? "two notes: $(cat "$dir/err")"

# --help says a line for each option that the source of a command asks for.
help() { # COMMAND FILE
    bursty $1 --help >"$dir/help"
    ok $? "$1 --help"
    for option in $(sed -n 's/.*tool_is(&*option, "--", "\([a-z0-9-]*\)").*/\1/p' "$2"); do
        grep -q -e "--$option[^a-z-]" "$dir/help"
        ok $? "$1 --help does not name --$option"
    done
}
help report report/report.c
help overlap report/overlap.c
help merge report/merge.c
help corun report/corun.c
help top record/tool/top.c
help 'lab footprint' lab/footprint.c
help 'lab streams' lab/streams.c
help 'lab lackey' lab/lackey.c
help 'lab pairs' lab/pairs.c

finish
