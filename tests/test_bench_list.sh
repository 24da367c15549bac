#!/bin/sh
# test_bench_list.sh - what nothing runs is deleted: each file of bench/ is reached by name from
# `make bench` (bench/run.sh), from a bench of bench/list.txt or from a test. Each bench of the list
# is named by the page that shows its figures, and each file of bench/ that is named somewhere is
# there.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
out=${BUILD:-build}/tests/bench_list
mkdir -p "$out" || exit 2

# From the files named as arguments: every file of the folder that one of them names, and so on. A
# module of Python is named without its .py.
reach() { # FOLDER FILE...
    folder=$1
    shift
    find "$folder" -type f | grep -v '__pycache__' | sort >"$out/left"
    printf '%s\n' "$@" >"$out/todo"
    while [ -s "$out/todo" ]; do
        # shellcheck disable=SC2046
        cat $(cat "$out/todo") >"$out/text"
        : >"$out/next"
        : >"$out/still"
        while read -r file; do
            name=$(basename "$file")
            if grep -qF "$name" "$out/text" || { [ "$name" != "${name%.py}" ] &&
                grep -qE "^ *(from|import) (.*, )?${name%.py}\\b" "$out/text"; }; then
                echo "$file" >>"$out/next"
            else echo "$file" >>"$out/still"; fi
        done <"$out/left"
        mv "$out/next" "$out/todo"
        mv "$out/still" "$out/left"
    done
    cat "$out/left"
}

# ---- the search itself, on a folder of four files
rm -rf "$out/sample"
mkdir -p "$out/sample"
echo 'sh a.sh' >"$out/start"
echo 'python3 b.py' >"$out/sample/a.sh"
echo 'import os, c' >"$out/sample/b.py"
: >"$out/sample/c.py"
: >"$out/sample/lost.c"
[ "$(reach "$out/sample" "$out/start")" = "$out/sample/lost.c" ] && pass || fail "the search"

# ---- bench/
grep -v '^#' bench/list.txt | awk -F ' *[|] *' '{ print $2 }' >"$out/scripts"
# shellcheck disable=SC2046
reach bench bench/run.sh tests/*.sh tests/*.c $(grep -v '^bench/' "$out/scripts") "$out/scripts" >"$out/lost"
while read -r file; do
    case $file in bench/run.sh | bench/list.txt | bench/results.md) ;; *) fail "nothing runs $file" ;; esac
done <"$out/lost"
pass

while IFS='|' read -r name script page shows; do
    case $name in '#'*) continue ;; esac
    # shellcheck disable=SC2086
    set -- $name $script $page
    if [ -f "$2" ] && [ -n "$shows" ] && grep -qe "$2" -e "bench/run.sh $1\b" "$3"; then pass
    else fail "bench/list.txt: $3 does not name $2"; fi
done <bench/list.txt
twice=$(grep -v '^#' bench/list.txt | sed 's/ .*//' | sort | uniq -d)
[ -z "$twice" ] && pass || fail "bench/list.txt names twice: $twice"

# What a bench compiles with the tool's own sources links as the bench links it.
for name in hcct footprint; do
    if ${CC:-cc} -std=c99 -w -I. -pthread -o "$out/linked" bench/bench_$name.c -lm 2>"$out/log"; then pass
    else fail "bench_$name.c does not link: $(head -n 3 "$out/log")"; fi
done

grep -ohE '\bbench/[a-z0-9_/]+\.[a-z0-9]+' README.md docs/*.md lab/*.[ch] lab/*/* tests/*.sh tests/*.c \
    base/*.c report/*.c report/*/*.c cc/*/*.c record/tool/*.c record/inside/*/*.c *.h src/*/* examples/*.c 2>/dev/null | sort -u >"$out/named"
while read -r file; do
    case $file in bench/results.md | */bench/src/*) continue ;; esac
    [ -e "$file" ] && pass || fail "$file is named somewhere, and is not there"
done <"$out/named"

finish
