#!/bin/sh
# private_names.sh LIST FILE... - a name such as hcct_p_node, HCCT_P_NODE or hcct_p is private to the family
# of hcct.h: the headers of one family are parts of one product, and other code goes through public
# doors. This prints each private name that stands in a file of another family or of none, and fails,
# unless LIST has a line "FILE NAME" for it (the file without its folder). It fails, too, if a line
# of LIST is not needed any more: the list only shrinks.
#
# The family of a file is that of the first word of its path that is one: src/hcct/sweep.c,
# hcct.h and tests/test_hcct_files.c belong to hcct. Code that all products share (src/x.c) is
# written with the prefix base_p_. Where SHRINK is set, lines that are not needed are taken out of
# LIST instead.
list=$1
shift
LC_ALL=C awk -v list="$list" -v shrink="${SHRINK-}" '
    BEGIN {
        families = "bursty: bursty keep keepregs ticks hottest burstclock control dualpath bursttiny;" \
                   "hcct: hcct callpaths;footprint: footprint;" \
                   "edgeprof: edgeprof edgeplan edgetrace ep;hotstream: hotstream;" \
                   "binpatch: binpatch x86decode;x86: x86 x86flow x86copy x86patch;base: base"
        n = split(families, line, ";")
        for (i = 1; i <= n; i++) {
            split(line[i], half, ": ")
            m = split(half[2], word, " ")
            for (k = 1; k <= m; k++) family[word[k]] = half[1]
        }
        while ((getline text <list) > 0) {
            if (text !~ /^(#|$)/) allowed[text] = 1
            lines[++count] = text
        }
    }
    FNR == 1 {
        mine = ""
        n = split(FILENAME, word, /[\/_.]/)
        if (FILENAME ~ /(^|\/)src\/[^\/]*$/) mine = "base"
        else if (FILENAME ~ /(^|\/)(src|tests|record\/x86)\// || FILENAME !~ /\//)
            for (i = 1; i <= n && mine == ""; i++) if (word[i] in family) mine = family[word[i]]
        file = FILENAME
        sub(/.*\//, "", file)
    }
    {
        text = $0
        while (match(text, /[A-Za-z0-9_]+/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            if (name !~ /^[A-Za-z0-9]+_[pP](_|$)/) continue
            prefix = tolower(name)
            sub(/_p(_.*)?$/, "", prefix)
            if (!(prefix in family) || family[prefix] == mine) continue
            if (prefix == "base" && (mine == "x86" || FILENAME ~ /(^|\/)record\//)) continue # src/part.c
            if (file " " name in allowed) used[file " " name] = 1
            else {
                print FILENAME ":" FNR ": " name " is private to the family " family[prefix]
                bad = 1
            }
        }
    }
    END {
        for (i = 1; i <= count; i++) {
            if (!(lines[i] in allowed) || lines[i] in used) kept[++left] = lines[i]
            else if (shrink == "") {
                print list ": not needed any more: " lines[i] " (SHRINK=1 sh tests/test_private_names.sh takes it out)"
                bad = 1
            }
        }
        if (shrink != "") {
            printf "" >list
            for (i = 1; i <= left; i++) print kept[i] >list
        }
        exit bad
    }' "$@"
