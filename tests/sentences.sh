#!/bin/sh
# sentences.sh SEED N [FILE...] - prints N sentences of pages, manuals and comments (or of
# these files), each with its place, for somebody who reads them as a stranger would. The
# same seed draws the same ones.
set -u
[ $# -ge 2 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
cd "$(dirname "$0")/.." || exit 2
seed=$1 wanted=$2
shift 2
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- README.md CONTRIBUTING.md docs/*.md src/*/manual.txt \
    $(git ls-files '*.[ch]' | grep -E '^(base|cc|record|report|src|lab)/')
LC_ALL=C awk -v seed="$seed" -v wanted="$wanted" '
    # 31 bits, the same in every awk
    function draw(below) {
        state = (state * 69069 + 1) % 2147483648
        return int(state / 2147483648 * below)
    }
    function end_of_paragraph(  at) {
        gsub(/[ \t]+/, " ", text)
        while (match(text, /[.?!]\)?( |$)/)) {
            at = RSTART + RLENGTH
            # "e.g. that", "docs/x.md is": no end
            if (at <= length(text) && substr(text, at, 1) !~ /[A-Z`"(*\[0-9]/) {
                held = held substr(text, 1, at - 1)
                text = substr(text, at)
                continue
            }
            keep(held substr(text, 1, at - 1))
            text = substr(text, at)
            held = ""
        }
        held = text = ""
    }
    function keep(s) {
        sub(/^[ *#>-]+/, "", s)
        sub(/ $/, "", s)
        if (s ~ /^[A-Z`"*\[(]/ && s ~ /[a-z] [a-z].* / && length(s) < 500)
            sentence[++count] = place ": " s
    }
    FNR == 1 { end_of_paragraph(); is_code = is_comment = 0 }
    FILENAME ~ /\.md$/ && /^ *```/ { is_code = !is_code; end_of_paragraph(); next }
    is_code { next }
    FILENAME ~ /\.[ch]$/ {
        line = $0
        if (!is_comment) {
            if (!match(line, /\/\*/)) next
            line = substr(line, RSTART + 2)
            is_comment = 1
        }
        if (match(line, /\*\//)) { line = substr(line, 1, RSTART - 1); is_comment = 2 }
        if (line ~ /^ *$/ || line ~ /^      / || line ~ /----/) end_of_paragraph()
        else { if (text == "") place = FILENAME ":" FNR; text = text " " line }
        if (is_comment == 2) { end_of_paragraph(); is_comment = 0 }
        next
    }
    /^ *$/ || /^(    |#|\|)/ || /^ *[-*] / { end_of_paragraph() }
    /^(    |#|\|)/ && FILENAME ~ /md$/ { next }
    /^      / { next }
    { if (text == "") place = FILENAME ":" FNR; text = text " " $0 }
    END {
        end_of_paragraph()
        state = seed % 2147483648
        for (i = 0; i < 3; i++) draw(2)
        for (i = 0; i < wanted && count > 0; i++) {
            at = 1 + draw(count)
            print sentence[at]
            sentence[at] = sentence[count--]
        }
    }' "$@"
