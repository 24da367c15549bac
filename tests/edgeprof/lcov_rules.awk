# lcov_rules.awk - what version 2 of LCOV refuses in a tracefile that contradicts itself: counts for
# what was not declared, totals that are not the sums, a branch taken on a line that did not run, a
# line that ran and none of its branches taken, two functions of one name, a line that ran in a
# function that did not, a function that ran whose lines did not, groups of MC/DC that miss a condition
# or one of its senses.
# A function reaches to the line before the next one begins. Lambdas, {lambda(...)#1}, end none,
# and are not held to these rules; other forms of their names are.
function bad(why) {
    print FILENAME ":" FNR ": " why
    failed = 1
}
function total(key, sum) {
    if (!(key in said) || said[key] != sum) bad(key " is " said[key] ", not " sum)
}
function is_lambda(of) { return of ~ /[{]lambda[(].*[}]::operator[(][)]/ }
function end_of_file(    i, l, at, ran, lines, hit, taken, called, part) {
    for (i = 1; i <= functions; i++) {
        called += calls[name[i]] > 0
        if (!(name[i] in calls)) bad("no FNDA for " name[i])
        if (is_lambda(name[i])) continue
        ran = at = 0
        l = start[i] + 0
        if (begins[l] > 1) l = last + 1 # two begin there: no line is its alone
        for (; l <= last; l++) {
            if (l > start[i] && l in begins) break
            if (!(l in count)) continue
            at++
            ran += count[l] > 0
        }
        if (calls[name[i]] == 0 && ran) bad(name[i] " did not run, but " ran " of its lines did")
        if (calls[name[i]] > 0 && at && !ran) bad(name[i] " ran, but none of its lines did")
    }
    for (l in count) {
        lines++
        hit += count[l] > 0
    }
    for (i = 1; i <= branches; i++) {
        taken += way[i] + 0 > 0
        if (!(line[i] in count)) bad("a branch on line " line[i] ", which is none")
        else if (way[i] + 0 > 0 && count[line[i]] == 0) bad("a branch taken on line " line[i])
        if (way[i] + 0 > 0) reached[line[i]] = 1
    }
    for (i = 1; i <= branches; i++)
        if (count[line[i]] > 0 && !reached[line[i]]) bad("no branch taken on line " line[i])
    for (i = 1; i <= groups; i++) {
        split(group[i], part, ",")
        if (!(part[1] in count)) bad("MC/DC on line " part[1] ", which is none")
        for (l = 0; l < part[2]; l++)
            if (!((group[i] "," l ",t") in sense) || !((group[i] "," l ",f") in sense))
                bad("MC/DC of line " part[1] ": condition " l " of " part[2] " is missing")
    }
    if (senses || "MCF" in said) total("MCF", senses + 0)
    if (senses || "MCH" in said) total("MCH", senses_hit + 0)
    total("FNF", functions + 0)
    total("FNH", called + 0)
    total("BRF", branches + 0)
    total("BRH", taken + 0)
    total("LF", lines + 0)
    total("LH", hit + 0)
    functions = branches = groups = senses = senses_hit = 0
    split("", sense)
    split("", is_group)
    split("", said)
    split("", reached)
    split("", count)
    split("", begins)
    last = 0
    split("", calls)
    files++
}
{ value = substr($0, index($0, ":") + 1); n = split(value, field, ",") }
/^FN:/ {
    start[++functions] = field[1]
    name[functions] = substr(value, index(value, ",") + 1)
    if (!is_lambda(name[functions])) begins[field[1]]++
    if (known[files + 0, name[functions]]++) bad("two functions " name[functions])
}
/^FNDA:/ {
    called_name = substr(value, index(value, ",") + 1)
    if (!known[files + 0, called_name]) bad("FNDA without FN")
    calls[called_name] = field[1]
}
/^DA:/ {
    if (field[1] in count) bad("line " field[1] " twice")
    count[field[1]] = field[2]
    if (field[1] + 0 > last) last = field[1] + 0
}
/^BRDA:/ {
    line[++branches] = field[1]
    way[branches] = field[4]
}
/^MCDC:/ {
    key = field[1] "," field[2]
    if ($0 !~ /^MCDC:[0-9]+,[0-9]+,[tf],[01],[0-9]+,./) bad("no record of MC/DC")
    if (!is_group[key]++) group[++groups] = key
    if (field[5] + 0 >= field[2] + 0) bad("a condition beyond its group")
    if ((key "," field[5] "," field[3]) in sense) bad("a condition twice")
    sense[key "," field[5] "," field[3]] = field[4]
    senses++
    senses_hit += field[4]
}
/^(FNF|FNH|BRF|BRH|MCF|MCH|LF|LH):/ { said[substr($0, 1, index($0, ":") - 1)] = value }
/^end_of_record/ { end_of_file() }
END {
    if (!files) bad("no record")
    exit failed
}
