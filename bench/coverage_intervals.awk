# coverage_intervals.awk - reads the tables of bursty report --csv: first those of a run in which every
# event was counted, then those of sampled runs. Prints one row: rows with an interval, the part whose
# true share and true count lie in it, the part for Wilson's interval of independent events, and how
# much wider ours are. No name in these programs has a comma.

FNR == 1 { file++ }
/^# / {
    table = $0
    sub(/^# /, "", table)
    is_wanted = table ~ /^(functions|pairs): /
    getline
    split("", column)
    for (i = 1; i <= NF; i++) column[$i] = i
    next
}
!is_wanted || NF < 3 { next }
{
    class = table
    sub(/.*: /, "", class)
    key = table "," ("caller" in column ? $column["caller"] : "") "," $column["function"] "," \
        ("place" in column ? $column["place"] : "")
}
file == 1 {
    share[key] = $column["share"]
    count[key] = $column["estimated"]
    next
}
{
    if (table ~ /^functions/) events[file, class] += $column["sampled"]
    if ($column["share_low"] == "") next
    n = ++rows
    keys[n] = key
    files[n] = file
    classes[n] = class
    p[n] = $column["share"]
    low[n] = $column["share_low"]
    high[n] = $column["share_high"]
    count_low[n] = $column["estimated_low"]
    count_high[n] = $column["estimated_high"]
}
END {
    for (i = 1; i <= rows; i++) {
        n = events[files[i], classes[i]]
        middle = (p[i] + 2 / n) / (1 + 4 / n)
        half = 2 * sqrt(p[i] * (1 - p[i]) / n + 1 / (n * n)) / (1 + 4 / n)
        true = share[keys[i]]
        shares += low[i] <= true && true <= high[i]
        counts += count_low[i] <= count[keys[i]] && count[keys[i]] <= count_high[i]
        independent += middle - half <= true && true <= middle + half
        width += (high[i] - low[i]) / (2 * half)
    }
    printf "%s %d | %.1f %% | %.1f %% | %.1f %% | %.2f |\n", title, rows, 100 * shares / rows,
        100 * counts / rows, 100 * independent / rows, width / rows
}
