#!/bin/sh
# profiled.sh - a real program says the same when it is profiled: the host tool itself, some hundred
# files, is compiled in each form that `bursty cc` has, and must write byte for byte what the plain
# tool writes of the dumps of make_dumps.c. Each build must leave a dump that can be reported, the
# verdict on its checks must hold, and the plain tool must say the same under `bursty record`. A row of `make
# matrix`; `make bench` does it with other people's programs.
#   BUILD   folder of build/bursty (default build); what is made here goes to $BUILD/profiled
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
plain=$BUILD/bursty out=$BUILD/profiled
rm -rf "$out"
mkdir -p "$out/dumps" || exit 2

$CC -std=c99 -Itests -o "$out/make_dumps" tests/make_dumps.c && "$out/make_dumps" "$out/dumps" || exit 2

# Everything that is asked of a tool, in one file, with the status of each command.
ask() { # FILE TOOL...
    to=$1
    shift
    for dump in "$out"/dumps/*.brst; do
        for form in --text --json --html=- --collapsed --csv --dot --lcov; do
            echo "== $form $(basename "$dump")"
            "$@" report $form "$dump" 2>&1
            echo "status $?"
        done
    done >"$to"
    "$@" merge -o - "$out"/dumps/*.brst >>"$to" 2>&1
    echo "status $?" >>"$to"
}
ask "$out/plain.txt" "$plain"
[ "$(grep -c '^status 0' "$out/plain.txt")" -ge 20 ]
ok $? "the plain tool reports the dumps"

build() { # NAME OPTIONS...: the tool, compiled by bursty cc with these options; two are enough at -O1
    name=$1
    shift
    make -s BUILD="$out/$name" CFLAGS="${level:--O0}" WARN=-w CC="$plain cc $* -- $CC" "$out/$name/bursty" >"$out/$name.log" 2>&1
    ok $? "$name: compiled ($out/$name.log)"
}
same() { # NAME: what it says is what the plain tool says, and its dump has something in it
    rm -f "$out/$1.brst"
    BURSTY_FILE=$out/$1.brst BURSTY_COVERAGE=$out/$1.brst ask "$out/$1.txt" "$out/$1/bursty"
    cmp "$out/plain.txt" "$out/$1.txt"
    ok $? "$1: it does not say what the plain tool says"
    "$plain" report --text "$out/$1.brst" 2>&1 | grep -q 'dump_\|input_\|text_'
    ok $? "$1: its dump knows none of dump_, input_ and text_"
    rm -f "$out/$1.brst"
}
proved() { # NAME SET
    "$plain" place --built --set "$2" "$out/$1/bursty" >"$out/$1.proof" 2>&1
    grep -q '^holds' "$out/$1.proof"
    ok $? "$1: not proved with --set $2: $(tail -n 2 "$out/$1.proof")"
}

level=-O1
build all --entries=all --loops=all --every=99
same all
proved all all
"$plain" place --set Q -o "$out/Q.plan" "$out/all/bursty" >"$out/Q.log" 2>&1
ok $? "a plan by rule Q: $(tail -n 2 "$out/Q.log")"
build Q --plan="$out/Q.plan" --every=99
same Q
proved Q Q
level=
build scope --form=scope --entries=all --loops=all --every=99
same scope
build dual --form=dual --every=99
same dual
build cover --cover
same cover
build mcdc --cover=mcdc
same mcdc

if [ -f "$BUILD/bursty-record.so" ]; then
    ask "$out/recorded.txt" "$plain" record --quiet -o "$out/recorded.brst" -- "$plain"
    cmp "$out/plain.txt" "$out/recorded.txt"
    ok $? "record: the tool does not say what it says without"
    "$plain" report "$out/recorded.brst" >"$out/recorded.report" 2>&1
    ok $? "record: its dump: $(tail -n 1 "$out/recorded.report")"
fi
for name in all Q scope dual cover mcdc; do rm -rf "${out:?}/$name"; done
finish
