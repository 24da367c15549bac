# held.awk EXACT.csv SAMPLED.csv - for each table of misses: its name, how many of the sampled
# intervals hold the exact share, how many there are, rows without an interval, the sum of relative
# widths. Rows with less than 1 % of the misses are left out.
/^# / { table = $2; sub(/:$/, "", table); header = 1; next }
$0 == "" { next }
header { header = 0; next }
table !~ /^(cache_misses|miss_)/ { next }
{
    count = split($0, field, ",")
    share = table == "cache_misses" ? 2 : 1
    key = table == "cache_misses" ? field[1] : table == "miss_pairs" ? field[6] "," field[7] : field[5]
    if (FILENAME == ARGV[1]) {
        if (field[share] >= .01) truth[table, key] = field[share]
        next
    }
    if (!((table, key) in truth)) next
    if (field[share + 2] == "") { none[table]++; next } # an upper bound alone begins at 0
    all[table]++
    held[table] += field[share + 1] <= truth[table, key] && truth[table, key] <= field[share + 2]
    width[table] += (field[share + 2] - field[share + 1]) / truth[table, key]
}
END {
    for (t in all) print t, held[t] + 0, all[t], none[t] + 0, width[t]
}
