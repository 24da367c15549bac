#!/bin/sh
# test_readme.sh - every relative link of README.md, docs/*.md and lab/ leads to a file, and README's
# table of headers has a row for each header. A table of figures, and a paragraph that says what was
# measured, stand in a section that names the command which makes them. README is one screen.
. tests/check.sh
for page in README.md docs/*.md lab/*/*.md; do
    dir=$(dirname "$page")
    for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//' | sort -u); do
        if [ -e "$dir/$link" ]; then pass; else fail "$page: no $link"; fi
    done
done
for header in *.h; do
    if grep -qF "| [$header]($header) |" README.md; then pass
    else fail "README.md: the table of headers has no row for $header"; fi
done

lines=$(wc -l <README.md)
[ "$lines" -le 100 ]
ok $? "README.md has $lines lines; a hundred are enough"

# What README says of instructions is what the bench wrote.
for figure in $(grep -oE '\b[0-9]\.[0-9]{3}\b' README.md); do
    if grep -qF "$figure" docs/costs.md; then pass
    else fail "README.md: $figure does not stand in docs/costs.md"; fi
done

# Tables where a quarter of the cells, and three of them, are numbers with or without a unit; in
# docs/formats.md such numbers are of the format, and nobody measured them.
without_command() { # PAGE...: prints page:line of each table whose section names no command
    awk '
        function end_table() {
            if (figures >= 3 && figures * 4 >= cells) { tables++; at[tables] = FILENAME ":" from }
            cells = figures = from = 0
        }
        function end_paragraph() {
            if (paragraph ~ measured) at[++tables] = FILENAME ":" first
            paragraph = ""
        }
        function end_section() {
            end_table()
            end_paragraph()
            for (i = 1; i <= tables; i++) if (!has_command) print at[i]
            tables = has_command = 0
        }
        BEGIN {
            units = "(%|ns|us|ms|s|kB|MB|seconds|minutes|instructions|times)([ ,.;:)]|$)"
            measured = "(took|measured) ([a-z]+ )?([a-z]+ )?[0-9.,]+ ?" units
        }
        FNR == 1 { end_section(); fenced = 0 }
        /^```/ { fenced = !fenced }
        /^#/ && !fenced { end_section() }
        /sh (bench|tests|demo|lab|fuzz)\/[a-z0-9_\/]+\.sh/ { has_command = 1 }
        /make (bench|demo|test|matrix)|build\/tests\/test_|git ls-tree/ { has_command = 1 }
        /^$/ || /^- / { end_paragraph() }
        !/^\|/ {
            end_table()
            if (!fenced && !/^(    |$)/) {
                if (paragraph == "") first = FNR
                paragraph = paragraph " " $0
            }
            next
        }
        !from { from = FNR; next }
        /^\|[-:| ]*$/ { next }
        {
            n = split($0, cell, "|")
            for (i = 2; i < n; i++) {
                gsub(/^ +| +$/, "", cell[i])
                cells++
                if (cell[i] ~ /^[-+*]*[0-9][0-9 .,]*( ?(%|[a-zA-Z]+))?\**$/) figures++
            }
        }
        END { end_section() }' "$@"
}
list=${BUILD:-build}/tests/readme.list
mkdir -p "${BUILD:-build}/tests"
{
    printf '# a\n\n| x | y |\n|---|---|\n| a | 1.5 ms |\n| b | 20 %% |\n| c | 3 000 |\n\n'
    printf '# c\n\nIt takes 3 ms by default.\n\nOf these\n64 took 3 ms.\n\n'
    printf '# b\n\nIt took 3 ms.\n`sh bench/run.sh`\n\n| x | y |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |\n'
} |
    without_command - >"$list"
[ "$(sed 's/.*://' "$list" | tr '\n' ' ')" = "3 13 " ]
ok $? "of two tables and three paragraphs those without a command are not found: $(cat "$list")"
for page in README.md docs/*.md; do
    [ "$page" = docs/formats.md ] && continue
    found=$(without_command "$page")
    if [ -z "$found" ]; then pass
    else fail "figures, and no command that makes them: $(echo $found)"; fi
done
finish
