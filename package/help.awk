# help.awk - reads what help.sh writes; another file, behind this one, prints it (man.awk, bash.awk,
# zsh.awk, fish.awk).
#
# A help text has lines "usage: ...", paragraphs, and options: a line that begins with two spaces
# and a dash, the option, two spaces or more, and what it does; deeper lines go on. In the tool's
# own text commands stand in the place of options. A line that begins at the edge and ends with a
# colon is a heading. Examples, which begin with "  bursty", are read as options are.
#
#     names[1..commands]; of each NAME:
#     about[NAME]; usage[NAME], lines; parts[NAME], and of part I:
#     option[NAME, I]   "--every N", or "" for a paragraph
#     words[NAME, I]    what it does, or the paragraph's text; rows that stand two columns deeper
#                       are lines of their own

function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }

# "--every" of "--every N" and "--cover[=FORM]".
function option_name(s) { sub(/[ =[].*/, "", s); return s }
# "N" and "FORM" of the same; "" if the option takes no value.
function option_value(s) { return match(s, /[ =]/) ? substr(s, RSTART + 1, length(s) - RSTART - (s ~ /\]$/)) : "" }
# How the value is joined: " ", "=", or "[=" if it may be left out.
function option_joint(s) { return match(s, /\[=|[ =]/) ? substr(s, RSTART, RLENGTH) : "" }
function is_file(value) { return value ~ /^(FILE|OUT|PLAN|OLD|DIR)$/ }

/^@ / {
    name = $2
    sub(/^@ [^ ]+ ?/, "")
    names[++commands] = name
    about[name] = $0
    next
}
/^usage: / { sub(/^usage: /, ""); usage[name] = usage[name] trim($0) "\n"; next }
/^ *$/ { fresh = 1; next }
/^[^ ].*:$/ { option[name, n = ++parts[name]] = ""; words[name, n] = $0; fresh = 1; column = 0; next }
(/^  -/ || /^  bursty [a-z-]+ .*   / || (name == names[1] && /^  [a-z]+  +[^ ]/)) && (fresh || option[name, n] != "") {
    line = trim($0)
    at = match(line, /  +/)
    many = split(at ? substr(line, 1, at - 1) : line, alike, /, -/)    # "--only NAME, --not NAME"
    for (i = 1; i <= many; i++) {
        n = ++parts[name]
        option[name, n] = (i > 1 ? "-" : "") alike[i]
        words[name, n] = at ? trim(substr(line, at)) : ""
    }
    column = index($0, words[name, n]) - 1
    fresh = 0
    next
}
function indent(s) { match(s, /^ */); return RLENGTH }

fresh || !parts[name] { column = indent($0) }
fresh || !parts[name] { n = ++parts[name]; option[name, n] = ""; words[name, n] = trim($0); fresh = 0; next }
{ words[name, n] = words[name, n] (indent($0) == column + 2 ? "\n" : " ") trim($0) }
