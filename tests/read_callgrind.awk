# read_callgrind.awk - reads callgrind.out and writes, for each function, "file:function self total"
# and for each call "file:function > file:function calls total", as the format is documented. It fails
# where the sum of all is not what "summary:" and "totals:" say.
function named(word, table,   number, rest) {
    number = substr(word, 1, index(word, ")"))
    rest = substr(word, length(number) + 2)
    if (rest != "") table[number] = rest
    if (!(number in table)) { print "no name: " word; bad = 1 }
    return table[number]
}
/^#/ || /^$/ { next }
/^events: / { events = $2; next }
/^summary: / { summary = $2; next }
/^totals: / { totals = $2; next }
/^(version|creator|cmd|positions): ?/ { next }
/^fl=/ { file = named(substr($0, 4), files); next }
/^fn=/ { fn = file ":" named(substr($0, 4), names); next }
/^cfi=/ { to_file = named(substr($0, 5), files); next }
/^cfn=/ { to = to_file ":" named(substr($0, 5), names); next }
/^calls=/ { calls = substr($1, 7); if (calls == 0) { print "calls=0"; bad = 1 }; next }
/^[0-9]+ [0-9]+$/ {
    if (calls) {
        print fn " > " to, calls, $2
        out[fn] += fn == to ? 0 : $2
    } else { self[fn] += $2; all += $2 }
    calls = 0
    next
}
{ print "what is this: " $0; bad = 1 }
END {
    for (fn in self) print fn, self[fn], self[fn] + out[fn]
    if (all != summary || all != totals) { print "sum " all " summary " summary " totals " totals; bad = 1 }
    exit bad
}
