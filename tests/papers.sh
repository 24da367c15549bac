#!/bin/sh
# papers.sh [list|fresh|WORDS] - a row of the matrix: each command of docs/papers.md is run, and
# what it prints is held against what the page says that it prints.
#
# A line "    $ COMMAND" of the page begins a part; the lines behind it are what the command prints,
# each of them, in this order, perhaps with others between them. Spaces count as one, and a line that
# ends with a backslash goes on in the next one. A word of the form 12.5+-0.5 stands for each number
# from 12.0 to 13.0, `*` for any word, and `...` at the end for the rest of the line. Commands in the
# lists of the page are parts too: a test has to end with status 0, and a bench must have a part of
# its own, which says what it gave.
#
# What has passed is kept in build/papers, until its lines of the page or a source change: a run that
# was broken off goes on where it stopped (`fresh` forgets all). WORDS runs the parts alone whose
# command has these words, whether they have passed or not: `papers.sh types`. After PAPERS_SECONDS
# (1500) no part is begun any more, and none may take longer than PAPERS_LIMIT (2400). `list` prints
# the parts. PAPERS_PAGE names another page, PAPERS_KEEP another folder.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-cc} CXX=${CXX:-c++} CFLAGS=${CFLAGS:--O2 -g}
page=${PAPERS_PAGE:-docs/papers.md} keep=${PAPERS_KEEP:-$BUILD/papers} last=${PAPERS_SECONDS:-1500}
limit=${PAPERS_LIMIT:-2400}
case ${1-} in list | fresh) words= ;; *) words=${1-} ;; esac
export BUILD CC CXX CFLAGS
unset BURSTY_SEED # a command is run as its reader would run it
case $BUILD in /*) made=$BUILD ;; *) made=$PWD/$BUILD ;; esac
[ "${1-}" != fresh ] || rm -rf "$keep"
mkdir -p "$keep/bin" || exit 2
# A folder of the two alone: in $BUILD there are folders with the names of compilers.
ln -sf "$made/bursty" "$made/bursty-lab" "$keep/bin"
PATH=$(cd "$keep/bin" && pwd):$PATH

# One file a part: its first line is the command, the others are what it has to print.
rm -f "$keep"/*.part
awk -v keep="$keep" '
    function begin(command) {
        file = sprintf("%s/%03d.part", keep, ++parts)
        print command >file
        first[command] = 1
    }
    function whole(line) { # with the lines that it goes on in
        while (line ~ /\\$/ && (getline more) > 0) {
            sub(/^ +/, "", more)
            line = substr(line, 1, length(line) - 1) more
        }
        return line
    }
    /^    \$ / { begin(whole(substr($0, 7))); open = 1; next }
    open && /^    / { print whole(substr($0, 5)) >file; next }
    { open = 0 }
    /^- / { listed = 1 }
    /^$/ { listed = 0 }
    listed {
        column = $0
        while (match(column, /`(sh |python3 |build\/|[A-Z]+=)[^`]*`/)) {
            command[++commands] = substr(column, RSTART + 1, RLENGTH - 2)
            column = substr(column, RSTART + RLENGTH)
        }
    }
    END {
        for (i = 1; i <= commands; i++) {
            if (command[i] in first) continue
            begin(command[i])
            if (command[i] !~ /^sh tests\/run\.sh |^build\//) print "?" >file
        }
    }' "$page"

# Is what was printed (second file) what the part wants (first file)?
cat >"$keep/compare.awk" <<'END'
function word_fits(want, got,    at, middle, width, unit) {
    if (want == got || want == "*") return 1
    at = index(want, "+-")
    if (!at) return 0
    middle = substr(want, 1, at - 1)
    width = substr(want, at + 2)
    unit = width
    sub(/^[0-9.]+/, "", unit)
    if (middle !~ /^-?[0-9.]+$/ || got !~ /^-?[0-9.]+/) return 0
    at = got
    sub(/^-?[0-9.]+/, "", at)
    return at == unit && got + 0 >= middle - width - 1e-9 && got + 0 <= middle + width + 1e-9
}
function line_fits(want, got,    w, g, n, m, i) {
    n = split(want, w, " ")
    m = split(got, g, " ")
    for (i = 1; i <= n; i++) {
        if (w[i] == "..." && i == n) return 1
        if (i > m || !word_fits(w[i], g[i])) return 0
    }
    return n == m
}
FNR == NR { if (FNR > 1 && $0 != "...") wanted[++lines] = $0; next }
found < lines && line_fits(wanted[found + 1], $0) { found++ }
END {
    if (found + 0 == lines + 0) exit 0
    print "does not print, behind line " found ": " wanted[found + 1]
    exit 1
}
END

# Whatever a figure may depend on, but for pages.
sources=$({ git ls-files 2>/dev/null || find . -name .git -prune -o -path ./build -prune -o -type f -print; } |
    grep -v -e '\.md$' -e '^docs/' -e '\.brst$' | tr '\n' '\0' | xargs -0 cat 2>/dev/null | cksum)

# What the commands of the page are made of. Another page has none of that.
if [ "${1-}" != list ] && [ -z "${PAPERS_PAGE-}" ]; then
    make -s BUILD="$BUILD" tools >"$keep/made" 2>&1 || { cat "$keep/made"; fail "make tools"; }
    for word in $(cat "$keep"/*.part | tr -c 'A-Za-z0-9_/.\n' ' '); do
        case $word in build/tests/test_* | build/examples/*) echo "$BUILD/${word#build/}" ;; esac
    done | sort -u | xargs -r make -s BUILD="$BUILD" >>"$keep/made" 2>&1
fi

began=$(date +%s) left=
for part in "$keep"/*.part; do
    command=$(head -n 1 "$part")
    if [ "${1-}" = list ]; then
        echo "$command"
        continue
    fi
    case $command in *"$words"*) ;; *) continue ;; esac
    if [ "$(sed -n 2p "$part")" = '?' ]; then
        fail "the page does not say what it gave: $command"
        continue
    fi
    name=$(cksum <"$part" | tr ' ' -)
    if [ -z "$words" ] && [ "$(cat "$keep/$name.passed" 2>/dev/null)" = "$sources" ]; then
        pass
        continue
    fi
    if [ $(($(date +%s) - began)) -ge "$last" ]; then
        left="$left
    $command"
        continue
    fi
    start=$(date +%s)
    timeout -k 10 "$limit" nice sh -c "$command" </dev/null >"$keep/said" 2>"$keep/errors"
    status=$?
    if [ $status = 124 ]; then why="took more than $limit s"
    elif [ $status != 0 ]; then why="ended with status $status: $(tail -n 2 "$keep/errors")"
    else why=$(awk -f "$keep/compare.awk" "$part" "$keep/said"); fi
    echo "$(($(date +%s) - start)) s: $command"
    cp "$keep/said" "$keep/$name.said"
    if [ "$why" ]; then fail "$command: $why"
    else
        pass
        echo "$sources" >"$keep/$name.passed"
    fi
done
[ "${1-}" != list ] || exit 0
[ -z "$words" ] || [ $((passed + failed)) != 0 ] || fail "no command of $page has the words: $words"
echo "$(($(date +%s) - began)) s: all of them"
[ -z "$left" ] || skip "$(echo "$left" | grep -c .) parts are left for the next run:$left"
finish
