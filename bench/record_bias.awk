# record_bias.awk - a row of record_bias.sh from the stacks of three recordings; the functions that differ
# go into the file differences.
FNR == 1 { file++ }
{
    ticks = $NF
    sub(/ [0-9]+$/, "")
    sub(/.*;/, "")
    n[file, $0] += ticks
    all[file] += ticks
    names[$0]
}
function least(a, b) { return a < b ? a : b }
END {
    for (f in names) {
        for (k = 1; k <= 3; k++) p[k] = n[k, f] / all[k]
        same += least(p[1], p[2])
        other += least(p[1], p[3])
        off = (n[1, f] + n[2, f]) / (all[1] + all[2])
        if (off < .01 && p[3] < .01) continue
        rows++
        se = sqrt(off * (1 - off) * (1 / all[1] + 1 / all[2]))
        if (p[1] - p[2] > 1.96 * se || p[2] - p[1] > 1.96 * se) noise++
        mean = (n[1, f] + n[2, f] + n[3, f]) / (all[1] + all[2] + all[3])
        se = sqrt(mean * (1 - mean) * (1 / (all[1] + all[2]) + 1 / all[3]))
        d = p[3] - off
        if (d <= 1.96 * se && d >= -1.96 * se) continue
        differ++
        printf "%9.6f | %s | %s | %.1f | %.1f | %.1f | %+.1f (%+.1f to %+.1f) |\n", \
            -(d < 0 ? -d : d), program, f, 100 * p[1], 100 * p[2], 100 * p[3], \
            100 * d, 100 * (d - 1.96 * se), 100 * (d + 1.96 * se) | "sort -n | cut -c 11- >>differences"
    }
    printf "| %s | %d | %d | %d | %.1f | %.1f | %d | %d | %d |\n", program, all[1], all[2], all[3], \
        100 * same, 100 * other, rows, noise, differ
}
