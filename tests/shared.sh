#!/bin/sh
# shared.sh [HEADER...] - the headers stand alone, so the few idioms that several need stand in
# each, between the lines
#     /* [shared: NAME] */   and   /* [end shared] */
# This fails when two copies of one NAME differ in more than their prefix (bursty_p_ in bursty.h,
# BURSTY_P_, and so on).
[ $# -gt 0 ] || set -- *.h
awk '
    function stop(why) { print FILENAME ":" FNR ": " why; bad = 1 }
    FNR == 1 {
        if (name != "") print last ": [shared: " name "] is not ended"
        if (name != "") bad = 1
        name = ""; last = FILENAME
        prefix = FILENAME; sub(/.*\//, "", prefix); sub(/\.[^.]*$/, "", prefix)
    }
    match($0, /\/\* \[shared: [a-z0-9_]+\]/) {              # a remark may follow
        if (name != "") stop("[shared: " name "] is not ended")
        name = substr($0, RSTART + 12, RLENGTH - 13); text = ""; line = FNR
        next
    }
    index($0, "/* [end shared] */") {
        if (name == "") { stop("ends nothing"); next }
        if (!(name in first)) { first[name] = text; where[name] = FILENAME ":" line; names++ }
        else {
            copies++
            if (first[name] != text) {
                stop("[shared: " name "] differs from " where[name])
                n = split(first[name], a, "\n"); split(text, b, "\n")
                for (i = 1; i <= n; i++) {
                    if (a[i] == b[i]) continue
                    print "    " a[i] "\n    " b[i]
                    break
                }
            }
        }
        name = ""
        next
    }
    name != "" {
        gsub(prefix "_p_", "p_"); gsub(toupper(prefix) "_P_", "P_")
        gsub(/[ \t]+/, " ")                     # columns may be aligned to the length of a prefix
        text = text $0 "\n"
    }
    END {
        if (name != "") { print last ": [shared: " name "] is not ended"; bad = 1 }
        if (!bad) print names + 0 " shared pieces, " copies + 0 " further copies, all alike"
        exit bad
    }' "$@"
