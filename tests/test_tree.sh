#!/bin/sh
# test_tree.sh - nothing that a compiler made is in the tree: no ELF file, no archive of objects.
# In a clone that is what git tracks; in an unpacked archive, each file outside of the build folder.
# What fuzz/corpus has is input. And each file of a wing that a page or a comment names is there.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
build=${BUILD:-build}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

compiled() { # reads names of files; prints those that are compiled
    grep -v '^fuzz/corpus/' | LC_ALL=C xargs grep -la "^$(printf '\177')ELF\\|^!<arch>" |
        while IFS= read -r file; do # which must stand at the file's beginning
            start=$(head -c 7 "$file" | od -An -c | tr -d ' \n')
            case $start in '177ELF'* | '!<arch>') echo "$file" ;; esac
        done
}

tracked() {
    if [ -e .git ]; then git ls-files
    else find . -name "${build##*/}*" -prune -o -type f -print
    fi
}

printf '\177ELF\002' >"$scratch/program"
printf '!<arch>\n' >"$scratch/library.a"
printf '\n\177ELF\n!<arch>\n' >"$scratch/text"
: >"$scratch/empty"
[ "$(ls -d "$scratch"/* | compiled | sed 's/.*\///' | tr '\n' ' ')" = 'library.a program ' ]
ok $? "an ELF file and an archive are found, and a text is not"
tracked >"$scratch/files"
[ "$(wc -l <"$scratch/files")" -gt 1000 ]
ok $? "the files of the tree are found"
found=$(compiled <"$scratch/files")
[ -z "$found" ]
ok $? "compiled: $found"

named() { # reads names of files; prints the files of wings that these name, each once
    LC_ALL=C xargs grep -ohE '(^|[^A-Za-z0-9_/.$"{}-])(record|cc|report|base|lab)/[a-z0-9_/-]+\.[a-z]+' |
        sed 's/^[^a-z]//' | grep -E '\.(c|h|cc|js|sh|md|awk)$' | LC_ALL=C sort -u
}

echo 'see base/text.c, (cc/no_such.h) and report/model/NAME.c' >"$scratch/page"
[ "$(echo "$scratch/page" | named | tr '\n' ' ')" = 'base/text.c cc/no_such.h ' ]
ok $? "files that a page names are found"
missing=$(grep -v '^tests/' "$scratch/files" | grep -E '\.(md|c|h|cc|sh|in|txt|js)$' | named |
    while IFS= read -r file; do [ -e "$file" ] || echo "$file"; done)
[ -z "$missing" ]
ok $? "named, and not there: $missing"
finish
