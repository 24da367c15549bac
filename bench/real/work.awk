# work.awk - what awk is used for: words of a text counted, numbers added up, lines rewritten, sorted
# and measured. Prints counts and sums.
{
    for (i = 1; i <= NF; i++) words[$i]++
    if ($0 ~ /^#define[ \t]+[A-Z0-9_]+/) {
        names[$2] = NR
        value[$2] = $3 + 0
    }
    if (match($0, /[a-z_0-9]+\(/)) calls[substr($0, RSTART, RLENGTH - 1)]++
    n = split($0, part, /[^0-9]+/)
    for (i = 1; i <= n; i++) sum += part[i]
    line = $0
    changed += gsub(/[aeiou]+/, "<&>", line)
    long += length(line)
    if (NR % 50 == 0) tail = substr(tail sprintf("%s|%5d|%.3f;", toupper(substr(line, 1, 9)), NR, NR / 7), 1, 4000)
}

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }

function sorted(list, n,    i, k, held) { # by insertion: some hundred
    for (i = 2; i <= n; i++) {
        held = list[i]
        for (k = i - 1; k > 0 && list[k] > held; k--) list[k + 1] = list[k]
        list[k + 1] = held
    }
}

END {
    for (w in words) if (words[w] > 40) often[++count] = w
    sorted(often, count)
    for (i = 1; i <= count; i++) print often[i], words[often[i]]
    for (w in names) defined += value[w] % 1000
    for (w in calls) { most = calls[w] > most ? calls[w] : most; different++ }
    print sum, changed, long, defined, different, most, length(tail), fib(15)
}
