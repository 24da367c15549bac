#!/bin/sh
# test_formats.sh - docs/formats.md has the fields of each table of part_field
# (report/kinds/*.c) in the order in which they are read and written: side by side in one
# line of a layout, or in one column of a table. Words of the page that are not those of
# the code stand below.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
out=${BUILD:-build}/tests/formats
rm -rf "$out"
mkdir -p "$out" || exit 2
cat >"$out/words" <<'END_OF_WORDS'
13 counted judged
13 bursts bursts with a miss
14 contended at-most
8 us2 us^2
8 wait_us us of waiting
8 wait_us2 us of waiting^2
1 weight_256 weight
1 squares sum of squares
1 look_squares squares
1 looks_cut looks charged further out
1 unwatched threads that never checked
1 burst_checks checks in bursts
1 ticks_cut cut
1 ticks_late late
END_OF_WORDS

fields() { # FILE...: KIND TABLE FIELD, FIELD, ... of each table
    awk '
        FNR == 1 { kind = ""; table = "" }
        match($0, /kind [0-9]+/) && kind == "" { kind = substr($0, RSTART + 5, RLENGTH - 5) }
        /^static const part_field / { table = $4; sub(/\[.*/, "", table); list = "" }
        table != "" {
            line = $0
            sub(/.*= *{/, "", line)
            while (match(line, /(OF_[A-Z]+\(|PART_FIELD\([a-z_]+, )[a-z_0-9]+\)/)) {
                word = substr(line, RSTART, RLENGTH - 1)
                sub(/.*[( ]/, "", word)
                list = list (list == "" ? "" : ", ") word
                line = substr(line, RSTART + RLENGTH)
            }
            if (/};/) { print kind, table, list; table = "" }
        }' "$@"
}
layouts() { # PAGE: KIND FIELD, FIELD, ... of each line of a layout and column of a table
    awk '
        function tell(cells) { if (cells != "") print kind ", " cells ", "; return "" }
        function plain(s) {
            gsub(/ \([^)^]*\)|\*| \([^)]*\)$/, "", s)
            return s
        }
        /^## / { first = tell(first); kind = $2 == "Kind" ? $3 + 0 : 0 }
        /^\| / { n = split($0, cell, / *\| */)
            if (n == 4) first = first (first == "" ? "" : ", ") plain(cell[2])
            else { $0 = cell[4]; gsub(/ \([^)]*\)|\*/, ""); sub(/;.*/, ""); sub(/.*: /, ""); tell($0) }
            next }
        { first = tell(first) }
        # A line that begins further in goes on with the one before it.
        /^[^ ]|^$/ { line = tell(line) }
        /^    [a-z]/ { line = tell(line); sub(/^ +[a-z]+ +/, "    ") }
        /^    / {
            $0 = plain($0)
            sub(/^ +/, "")
            sub(/    +.*/, "")
            gsub(/  +/, ", ")
            line = line (line == "" ? "" : ", ") $0
        }
        END { tell(first); tell(line) }' "$1"
}
missing() { # FIELDS LAYOUTS: tables that no layout has
    awk -v words="$out/words" '
        BEGIN {
            while ((getline <words) > 0) {
                name = $1 " " $2
                sub(/^[0-9]+ [a-z_0-9]+ /, "")
                other[name] = $0
            }
        }
        FILENAME == ARGV[2] { line[++lines] = $0; next }
        { text[++tables] = $0 }
        # Each field by its own name, or by that of the page.
        function has(layout, kind, list,  n, field, i, name, at, rest) {
            n = split(list, field, /, /)
            rest = layout
            for (i = 1; i <= n; i++) {
                name = field[i]
                gsub(/_/, " ", name)
                at = index(rest, ", " name ", ")
                if ((i > 1 && at != 1) || !at) {
                    name = other[kind " " field[i]]
                    at = name == "" ? 0 : index(rest, ", " name ", ")
                }
                if (!at || (i > 1 && at != 1)) return 0
                rest = substr(rest, at + length(name) + 2)
            }
            return 1
        }
        END {
            for (t = 1; t <= tables; t++) {
                split(text[t], part, " ")
                list = text[t]
                sub(/^[^ ]+ [^ ]+ /, "", list)
                found = 0
                for (l = 1; l <= lines && !found; l++)
                    found = index(line[l], part[1] ",") == 1 && has(line[l], part[1], list)
                if (!found) print text[t]
            }
        }' "$1" "$2"
}

fields report/kinds/*.c >"$out/fields"
layouts docs/formats.md >"$out/layouts"
missing "$out/fields" "$out/layouts" >"$out/log"
[ "$(grep -c '' "$out/fields")" -ge 15 ] && [ ! -s "$out/log" ]
ok $? "docs/formats.md has the fields: $(cat "$out/log")"
# ---- one field in another place, and one that is new
for edit in 's/OF_PART(accesses), OF_PART(rr)/OF_PART(rr), OF_PART(accesses)/' \
    's/OF_LINE(together), /OF_LINE(together), OF_LINE(sides), /'; do
    sed "$edit" report/kinds/sharing.c >"$out/sharing.c"
    fields "$out/sharing.c" >"$out/changed"
    missing "$out/changed" "$out/layouts" >"$out/log"
    [ "$(grep -c '' "$out/log")" = 1 ]
    ok $? "$edit is noticed"
done
finish
