# known.awk - holds the faults of one situation against tests/world/known, and
# prints one line for each; the last line is passed, failed or known. If one
# line of the list alone is about the situation, its number goes to the file
# `lines`, and whether a fault has its text: where there are two, one fault may
# hide the other.
#
#     awk -v situation='shape=busy ...' -v known=FILE -v lines=FILE -f known.awk
#         kind=table AXES-WITHOUT-COMMENTS kind=fault FAULTS

function matches(where,    words, n, i, part, values, k, j, any) {
    n = split(where, words, " ")
    for (i = 1; i <= n; i++) {
        split(words[i], part, "=")
        k = split(part[2], values, ",")
        any = 0
        for (j = 1; j <= k; j++) if (value[part[1]] == values[j]) any = 1
        if (!any) return 0
    }
    return n > 0
}
function begin(    line, part, number) {
    n = split(situation, words, " ")
    for (i = 1; i <= n; i++) {
        split(words[i], part, "=")
        value[part[1]] = part[2]
    }
    while ((getline line <known) > 0) {
        number++
        if (line ~ /^#|^ *$/) continue
        split(line, part, /[ \t]*\|[ \t]*/)
        if (!matches(part[1])) continue
        listed++
        number_of[listed] = number
        entry[listed] = part[1]
        finding[listed] = part[2]
        text[listed] = part[3]
    }
    begun = 1
}
# The usual value of each axis, which a situation does not name.
kind == "table" {
    split($0, part, "|")
    if (!(part[1] in value)) value[part[1]] = part[2]
}
kind == "fault" {
    if (!begun) begin()
    why = ""
    for (i = 1; i <= listed; i++)
        if (text[i] == "" || index($0, text[i])) {
            seen[i] = 1
            if (why == "") why = finding[i]
        }
    if (why == "") bad = 1
    print (why == "" ? "FAULT " : "known (" why "): ") $0 ": sh tests/world.sh one" situation
    faults++
}
END {
    if (!begun) begin()
    for (i = 1; i <= listed; i++) {
        if (listed == 1) print number_of[i], seen[i] + 0 >lines
        if (!faults) {
            print "FAULT it passes, and tests/world/known says that it does not: strike out " \
                entry[i] ": sh tests/world.sh one" situation
            bad = 1
        }
    }
    print bad ? "failed" : faults ? "known" : "passed"
}
