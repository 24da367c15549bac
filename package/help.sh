#!/bin/sh
# help.sh TOOL... - the help texts of the tool and of its commands in one stream, the one source of
# manual pages and completions. A line "@ NAME ABOUT" stands before each; the tool's has no ABOUT.
set -e
echo "@ bursty"
"$@" --help
"$@" --help | sed -n '/^  bursty COMMAND/q; s/^  \([a-z][a-z]*\)  *\([^ ].*\)$/\1 \2/p' |
    while read -r name about; do
        echo "@ $name $about"
        "$@" "$name" --help
    done
