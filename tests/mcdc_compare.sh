#!/bin/sh
# mcdc_compare.sh WANTED UNIQUE LCOV LCOV_UNIQUE - compares what make_mcdc.c wants with what `bursty report --lcov` says:
# branches of each line, and MCDC records without their texts. Prints the differences; status 1 if there are any.
awk '
FILENAME == ARGV[3] || FILENAME == ARGV[4] { sub(/\r$/, "") }
FILENAME == ARGV[1] && /^MCDC/ { wanted["masking " $0] = 1; next }
FILENAME == ARGV[1] { ways[$1] = $2; taken[$1] = $3; next }
FILENAME == ARGV[2] { wanted["unique " $0] = 1; next }
/^MCDC/ {
    split($0, f, ",")
    line = f[1] "," f[2] "," f[3] "," f[4] "," f[5]
    got[(FILENAME == ARGV[3] ? "masking " : "unique ") line] = 1
}
FILENAME == ARGV[3] && /^BRDA/ {
    split($0, f, /[:,]/)
    got_ways[f[2]]++
    got_taken[f[2]] += f[5] != "-" && f[5] > 0
}
END {
    for (k in wanted) if (!(k in got)) { print "wanted " k; bad++ }
    for (k in got) if (!(k in wanted)) { print "not wanted " k; bad++ }
    for (k in ways) if (got_ways[k] + 0 != ways[k] || got_taken[k] + 0 != taken[k]) {
        print "line " k ": branches " got_taken[k] + 0 " of " got_ways[k] + 0 ", wanted " taken[k] " of " ways[k]
        bad++
    }
    exit bad > 0
}' "$@" | sort | head -n 20 | grep .
[ $? != 0 ]
