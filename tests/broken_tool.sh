#!/bin/sh
# broken_tool.sh [TEST.sh ...] - a test of the tests: in place of build/bursty
# stands one that prints nothing and ends with status 0, at first for every
# command and then for one command at a time. Each script that calls it has to
# fail. The same is asked with build/bursty-lab. A script ends at its first
# failure here (FIRST_FAILURE in tests/check.sh), so that most take a second.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
top=$PWD real=${BUILD:-build}
case $real in /*) ;; *) real=$top/$real ;; esac
broken=$real/broken commands='cc corun merge overlap place record report top'
[ $# != 0 ] || set -- tests/test_*.sh
rm -rf "$broken"
mkdir -p "$broken/tests" || exit 2
for file in "$real"/*; do
    case ${file##*/} in bursty | tests | broken | matrix) ;; *) ln -s "$file" "$broken/" ;; esac
done

# The tool leaves a file when it is called. With CALLS other than * all other
# commands are the real tool's.
breaks() { # TOOL CALLS
    rm -f "$broken/$1"
    printf '#!/bin/sh\ncase ${1-} in %s) : >"%s/called"; exit 0 ;; esac\nexec "%s/%s" "$@"\n' \
        "$2" "$broken" "$real" "$1" >"$broken/$1"
    chmod +x "$broken/$1"
}
fails() { # SCRIPT TOOL CALLS
    breaks "$2" "$3"
    rm -f "$broken/called"
    BUILD=$broken FIRST_FAILURE=1 JOBS=1 sh tests/run.sh "$1" >"$broken/log" 2>&1
    status=$?
    ln -sf "$real/$2" "$broken/$2"
    [ -e "$broken/called" ] || return 0             # it has only the word in it
    [ $status != 0 ]
    ok $? "$1 with $2 $3 that does nothing: $(tail -n 1 "$broken/log")"
}
# Behind the tool's name, or alone at the start of a line or a string, as in lists of arguments.
calls() { # SCRIPT COMMAND
    grep -qE "(bursty|tool)[\"'}]* +$2( |\$|\")|^$2 .*[|]|'$2 -" "$1"
}

ln -s "$real/bursty" "$broken/bursty"
for script in "$@"; do
    grep -q 'bursty' "$script" || continue
    fails "$script" bursty '*'
    ! grep -q 'bursty-lab' "$script" || fails "$script" bursty-lab '*'
    for command in $commands; do
        ! calls "$script" "$command" || fails "$script" bursty "$command"
    done
done
finish
