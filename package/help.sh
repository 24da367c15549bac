#!/bin/sh
# help.sh NAME TOOL... - the help texts of a program and of its commands in one stream, the one source
# of manual pages and completions. A line "@ NAME ABOUT" stands before each; the program's, which is
# the first, has no ABOUT.
set -e
echo "@ $1"
shift
"$@" --help
"$@" --help | sed -n '/^  bursty[a-z-]* [A-Z]/q; s/^  \([a-z][a-z]*\)  *\([^ ].*\)$/\1 \2/p' |
    while read -r name about; do
        echo "@ $name $about"
        "$@" "$name" --help
    done
