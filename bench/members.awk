# members.awk - how alike two profiles are by the members with 90 % of the calls: the sum of the
# least of both shares, as "Hybrid Profiling Support" has it. table is how its heading begins;
# the files are `bursty report --csv --min 0` of all calls and of the sample.
function chosen(of, share,    rest, name, best, all) { # the heaviest, up to 90 %
    for (name in of) { rest[name] = of[name]; all += of[name] }
    for (sum = 0; sum < .9 * all;) {
        best = ""
        for (name in rest) if (best == "" || rest[name] > rest[best]) best = name
        if (best == "") break
        sum += rest[best]
        share[best] = rest[best]
        delete rest[best]
    }
    for (name in share) share[name] /= sum
}
/^# / { here = index($0, "# " table) == 1; header = here; next }
header {
    for (i = 1; i <= NF; i++) at[$i] = i
    header = 0
    next
}
here && NF > 3 {
    name = $at["function"] (table ~ /^pairs/ ? " " $at["caller"] : "")
    if (FNR == NR) full[name] += $at["estimated"]
    else sampled[name] += $at["estimated"]
}
END {
    chosen(full, a)
    chosen(sampled, b)
    for (name in a) if (name in b) both += a[name] < b[name] ? a[name] : b[name]
    printf "%.1f %%", 100 * both
}
