#!/bin/sh
# size.sh [COMMIT] - how large each folder is at a commit (HEAD): lines of text, files,
# and what a person may have to know: names of functions, types and macros that its
# headers give, options that its help texts list, and environment variables that its code
# names. The last line leaves the joined headers out, whose lines stand in src/, too.
set -u
cd "$(dirname "$0")/.." || exit 2
git grep -I '' "${1:-HEAD}" -- | LC_ALL=C awk -v commit="${1:-HEAD}" '
    function count(kind, word) {
        if ((folder, kind, word) in seen) return
        seen[folder, kind, word] = 1
        n[folder, kind]++
        if (!((kind, word) in known)) { known[kind, word] = 1; n["all", kind]++ }
    }
    {
        rest = substr($0, length(commit) + 2)
        at = index(rest, ":")
        file = substr(rest, 1, at - 1)
        line = substr(rest, at + 1)
        if (file != last) {
            last = file
            if (file ~ /^[a-z]*\.h$/) folder = "*.h"
            else if (file ~ /\//) { folder = file; sub(/\/.*/, "", folder) }
            else folder = "(root)"
            if (!((folder, "files") in n)) order[++folders] = folder
            n[folder, "files"]++
            n["all", "files"]++
            is_code = file ~ /\.(c|h|cc)$/ &&
                folder !~ /^(tests|bench|examples|demo|fuzz)$/
            is_header = is_code && file ~ /\.h$/
        }
        n[folder, "lines"]++
        n["all", "lines"]++
        if (!is_code) next
        if (match(line, /"BURSTY_[A-Z_]+"/))
            count("variables", substr(line, RSTART + 1, RLENGTH - 2))
        if (line ~ /^ *"  +-/ && match(line, /--?[a-z][-a-z]*/))
            count("options", file substr(line, RSTART, RLENGTH))
        if (!is_header || line ~ /_[pP]_|^(static|#define [A-Z_]*_H$)|__/) next
        if (line ~ /^(#define [A-Za-z]|} [a-z_0-9]+;)/) {
            split(line, word, /[ (;]/)
            count("names", word[2])
        } else if (line !~ /^typedef/ && line ~ /^[A-Za-z][A-Za-z0-9_ *]*[ *][a-z_0-9]+\(/) {
            sub(/\(.*/, "", line)
            sub(/.*[ *]/, "", line)
            count("names", line)
        }
    }
    function row(name) {
        printf "%-10s %8d %6d %6d %8d %10d\n", name, n[name, "lines"], n[name, "files"],
            n[name, "names"], n[name, "options"], n[name, "variables"]
    }
    END {
        print "folder        lines  files  names  options  variables"
        for (i = 1; i <= folders; i++) row(order[i])
        row("all")
        printf "%-10s %8d %6d\n", "without *.h", n["all", "lines"] - n["*.h", "lines"],
            n["all", "files"] - n["*.h", "files"]
    }'
