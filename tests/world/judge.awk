# judge.awk - compares what the tool says with the answer in a shape's first
# line, and prints one line for each fault.
#
#     awk -v question=calls -v source=busy.c -v debug=1 -f judge.awk
#         kind=answer FILE kind=source FILE kind=csv FILE kind=json FILE kind=text FILE ...
#
# A number that was sampled is a fault if the answer lies outside of its
# interval, made 4 times as wide. For ticks it is the exact bound of Chernoff:
# of n ticks, q n are in a function whose share is p with a chance below 2
# exp(-n KL(q, p)), which must not be below one in 10^9. Both let a share be off
# by .03 for what the processor does.

function fault(what) { print what; faults++ }
function bare(name) { # "f" for "int f(int)"; "(deep)" stays
    if (name ~ /^\(/) return name
    sub(/\(.*/, "", name)
    sub(/^.* /, "", name)
    return name
}
function base(path) { sub(/^.*\//, "", path); return path }

# ---- the answer: its sections, "time spin 1 spun 2 | calls ..." ----

function read_answer(line,    sections, n, i, words, m, k, section) {
    n = split(line, sections, / *\| */)
    for (i = 1; i <= n; i++) {
        m = split(sections[i], words, " ")
        section = words[1]
        has[section] = 1
        if (section == "also") for (k = 2; k <= m; k++) ours[words[k]] = 1
        if (section ~ /^(refs|misses|lines)$/)
            for (k = 2; k <= m; k++) if (words[k] !~ /^[0-9]/) ours[words[k]] = 1
        if (section !~ /^(time|total|calls|pairs|streams)$/) continue
        for (k = 2; k < m; k += 2) {
            want[section, words[k]] = words[k + 1] * (section ~ /calls|pairs/ ? times : 1)
            name_of[section, ++names[section]] = words[k]
            sum[section] += want[section, words[k]]
            if (section == "calls" || section == "time") ours[words[k]] = 1
        }
    }
}

# ---- rows of --csv: the field NAME of table KEY is row[KEY, number, NAME] ----

function fields(line, out,    n, at, quoted, c, i, field) {
    n = 0
    field = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) { out[++n] = field; field = "" }
        else field = field c
    }
    out[++n] = field
    return n
}
function read_csv(    n, i, f) {
    if (/^# /) {
        table = substr($0, 3)
        title = table
        sub(/:.*/, "", table)
        if (title ~ /loop trips|at [0-9]+ KiB \(L[23]|at [0-9]+ MiB/) table = "others"
        heading = 1
        return
    }
    if ($0 == "") { table = ""; return }
    n = fields($0, f)
    if (heading) {
        heading = 0
        columns = n
        for (i = 1; i <= n; i++) column[i] = f[i]
        return
    }
    rows[table]++
    for (i = 1; i <= columns; i++) row[table, rows[table], column[i]] = f[i]
}

# ---- numbers ----

function exact(what, got, wanted) {
    if (got == wanted) return
    if (got < wanted && excuse) return
    fault(what ": " got " for " wanted)
}
function within(what, got, low, high, wanted) {
    if (low == "" || high == "") return
    if (wanted >= got - 4 * (got - low) - 1e-9 && wanted <= got + 4 * (high - got) + 1e-9) return
    if (excuse && got < wanted) return
    fault(sprintf("%s: %.4g (%.4g to %.4g) for %.4g", what, got, low, high, wanted))
}
function kl(q, p,    r) {
    if (p < 1e-6) p = 1e-6
    if (p > 1 - 1e-6) p = 1 - 1e-6
    if (q > 0) r += q * log(q / p)
    if (q < 1) r += (1 - q) * log((1 - q) / (1 - p))
    return r
}
# How many ticks alone would have the interval of that row. Ticks need not be
# independent, and the report knows how much they are worth.
function worth(i, n,    p, width) {
    p = row["time", i, "self_share"]
    width = (row["time", i, "self_high"] - row["time", i, "self_low"]) / 2
    if (row["time", i, "self_low"] == "") return n
    if (width <= 0 || p <= 0 || p >= 1) return n
    return 3.85 * p * (1 - p) / width ^ 2
}
# Beside its own share q a function may have any part of what stands in rows
# such as (deep). The report gives q of what was seen, and says which part is missing:
# all of that may have been this function, or nothing of it.
function share_of_ticks(what, q, n, p,    near, low, high) {
    if (missing >= 1) return
    if (q < p) q = q + unknown > p ? p : q + unknown
    low = (p - missing) / (1 - missing) - .03
    high = p / (1 - missing) + .03
    near = q > high ? high : q < low ? low : q
    if (n * kl(q, near) > 21.4 && !excuse_time)
        fault(sprintf("%s: %.0f %% of %d ticks for %.0f %%", what, 100 * q, n, 100 * p))
}

# ---- questions ----

function in_function(name, line) { return line >= defined[name] && line <= ends[name] }
function place_is_right(name, place,    line) {
    if (!debug || !(name in defined)) return
    if (place == "") {
        if (question !~ /^(calls|sampled|merged|edges)$/ && !excuse_place) fault(name " has no place")
        return
    }
    # The place of a check by hand is where the check stands.
    line = place
    sub(/.*:/, "", line)
    line += 0
    if (question == "hand" && base(place) == source ":" line && in_function(name, line)) return
    if (base(place) != source ":" defined[name])
        fault(name " is at " place " for " source ":" defined[name])
}
function ask_time(    i, n, name, ticks, total, seen, k, t, alone) {
    if (!rows["time"]) { if (!excuse_time && !missing) fault("no ticks, and no reason is said"); return }
    for (i = 1; i <= rows["time"]; i++) n += row["time", i, "self_ticks"]
    for (i = 1; i <= rows["time"]; i++) {
        name = bare(row["time", i, "function"])
        t = row["time", i, "self_ticks"] + 0
        ticks[name] += t
        if (!(name in alone) || worth(i, n) < alone[name]) alone[name] = worth(i, n)
        if (alone[name] > n) alone[name] = n
        if (name ~ /^\((deep|outer|threads that)/) { unknown += t / n; continue }
        total[name] += row["time", i, "total_share"]
        if (name in ours) place_is_right(name, row["time", i, "place"])
        else if (t > 5 && t > .2 * n)
            fault("a name that is none of the program's has " t " of " n " ticks: " row["time", i, "function"])
    }
    for (k = 1; k <= names["time"]; k++) {
        name = name_of["time", k]
        share_of_ticks("time of " name, ticks[name] / n, name in alone ? alone[name] : n,
            want["time", name] / sum["time"])
        if (want["time", name] > most) { most = want["time", name]; largest = name }
    }
    # For the sum of all situations: its share must not be all there is.
    if (most < sum["time"] && !unknown && !faults)
        print ticks[largest], n, most / sum["time"],
            largest in alone ? n / alone[largest] : 1 >pool
    for (k = 1; k <= names["total"]; k++) {
        name = name_of["total", k]
        t = total[name] > 1 ? 1 : total[name]
        share_of_ticks("total of " name, t, n, want["total", name] / sum["time"])
    }
    if (cpu && n * period < .6 * cpu - .02 && !excuse_time && !excuse_total)
        fault(sprintf("%d ticks stand for %.2f of %.2f s, and nothing is said", n, n * period, cpu))
}
function ask_lines(    i, name, line, right, all, nobody) {
    if (!rows["lines"]) { fault("no table of lines"); return }
    for (i = 1; i <= rows["lines"]; i++) {
        name = bare(row["lines", i, "function"])
        line = row["lines", i, "line"] + 0
        all += row["lines", i, "ticks"]
        if (!(name in ours)) {
            nobody = base(row["lines", i, "file"]) == source && row["lines", i, "share"] > .2
            for (name in ours) if (in_function(name, line)) nobody = 0
            if (nobody) fault("time at " row["lines", i, "place"] ", where nothing ran")
            continue
        }
        if (base(row["lines", i, "file"]) == source && in_function(name, line))
            right += row["lines", i, "ticks"]
        else if (row["lines", i, "share"] > .2 && !(excuse_place && line == 0))
            fault(name " has time at " row["lines", i, "place"] ", which is not its line")
    }
    if (all > 9 && right < .5 * all && !excuse_time)
        fault(right + 0 " of " all " ticks are at lines of the program")
}
# Adds row i of a table to what is known of `name`: a compiler may have made
# several functions of one. A row without an interval claims nothing.
function add(table, i, value, name,    got, low, high, share) {
    got = row[table, i, value] + 0
    low = row[table, i, value "_low"]
    high = row[table, i, value "_high"]
    share = row[table, i, "share"]
    # Where shares alone have an interval, that of how many there were in all
    # comes to it.
    if (low == "" && row[table, i, "share_low"] != "" && share > 0) {
        low = got * row[table, i, "share_low"] / share - .05 * got
        high = got * row[table, i, "share_high"] / share + .05 * got
    }
    if (low == "") no_claim[name] = 1
    count[name] += got
    at_least[name] += low
    at_most[name] += high
}
function compare(what, name, wanted) {
    if (is_exact) exact(what, count[name], wanted)
    else if (!(name in no_claim)) within(what, count[name], at_least[name], at_most[name], wanted)
}
# A table of counts: functions of bursty.h, or contexts by function.
function ask_calls(table, value,    i, name, k, wanted) {
    if (!rows[table]) {
        if (!excuse) fault("no table of calls")
        return
    }
    for (i = 1; i <= rows[table]; i++) {
        name = bare(row[table, i, "function"])
        if (name in ours) place_is_right(name, row[table, i, "place"])
        else if (question ~ /entries|scope|dual|hand/ && row[table, i, "share"] > .05)
            fault("a name that is none of the program's was called: " row[table, i, "function"])
        add(table, i, value, name)
    }
    for (k = 1; k <= names["calls"]; k++) {
        name = name_of["calls", k]
        wanted = want["calls", name]
        if (name in count) compare("calls of " name, name, wanted)
        else if (wanted > .01 * sum["calls"] && !excuse) fault("calls of " name ": none for " wanted)
    }
}
function ask_pairs(table, value, callee,    i, k, from, to, name, pair, has_caller) {
    if (!rows[table]) return
    for (k = 1; k <= names["pairs"]; k++) {
        split(name_of["pairs", k], pair, ">")
        has_caller[pair[2]] = pair[1]
    }
    for (i = 1; i <= rows[table]; i++) {
        from = bare(row[table, i, "caller"])
        to = bare(row[table, i, callee])
        if (!(to in has_caller)) continue
        if (has_caller[to] == from) add(table, i, value, from ">" to)
        else if (row[table, i, value] > .05 * want["pairs", has_caller[to] ">" to])
            fault(from " calls " to ", and never did")
    }
    for (k = 1; k <= names["pairs"]; k++) {
        name = name_of["pairs", k]
        split(name, pair, ">")
        if (name in count) compare(pair[1] " calls " pair[2], name, want["pairs", name])
        else if (!excuse) fault(pair[1] " calls " pair[2] ": not seen")
    }
}
function marked(n) { return question == "bits" && n > 1 ? 1 : n }
function ask_coverage(    k, name, l) {
    if (!covered) { fault("no coverage"); return }
    for (k = 1; k <= names["calls"]; k++) {
        name = name_of["calls", k]
        exact("calls of " name, entered[name] + 0, marked(want["calls", name]))
        if (at[name] != defined[name]) fault(name " is at line " at[name] " for " defined[name])
    }
    # An optimizer may leave nothing of a line for the compiler's own counters,
    # which count C++.
    for (l in runs)
        if ((l in ran) || !by_compiler) exact("runs of line " l, ran[l] + 0, marked(runs[l] * times))
}
function ask_misses(    i, name, share) {
    if (!rows["miss_functions"]) { fault("no misses by function"); return }
    for (i = 1; i <= rows["miss_functions"]; i++)
        share[bare(row["miss_functions", i, "name"])] += row["miss_functions", i, "share"]
    if (share["far"] < .95) fault("misses of far: " share["far"] " for 1")
    if (share["near"] > .05) fault("misses of near: " share["near"] " for 0")
}
function ask_refs(    i, share) {
    for (i = 1; i <= rows["streams"]; i++)
        if (row["streams", i, "sites"] ~ /^\(*(_Z4)?walk[v()]*\+/)
            share += row["streams", i, "share"]
    if (share < .9) fault("streams of walk: " share + 0 " of all references for nearly all")
}

BEGIN {
    if (!times) times = 1
    ours["main"] = ours["end_frame"] = ours["in_thread"] = ours["in_threads"] = 1 # of world.h
}
kind == "answer" { read_answer($0) }
kind == "source" {
    if ($0 ~ /^(KEEP|static)? ?.*[a-z_]+\(.*\) \{$/ && $0 !~ /^ /) {
        name = $0
        sub(/^static BURST_DUAL\([^,]*, /, "", name)
        sub(/[(,].*/, "", name)
        sub(/.*[ *]/, "", name)
        defined[name] = FNR
        inside = name
    }
    if ($0 == "}") ends[inside] = FNR
    if (match($0, /\/\* runs [0-9]+ /)) runs[FNR] = substr($0, RSTART + 8, RLENGTH - 9) + 0
}
kind == "csv" { read_csv() }
# A loss of time: how much of all it is stands beside it, or is not known.
kind == "json" && /^{"what":.*"of_time":true/ {
    lost = $0
    sub(/.*"part":/, "", lost)
    missing = lost ~ /^null/ ? 1 : 1 - (1 - missing) * (1 - lost)
}
kind == "text" && /^MISSING/ {
    if (/lost|later|threads/ && !/CPU time|tick|below 0.1 %/) excuse = 1
    if (/were replaced or removed/) excuse_place = 1
    if (/CPU time/ && !/other programs/) excuse_total = 1
    if (/no ticks|tick that|before|deleted|replaced/ && !/CPU time|other programs/)
        excuse_time = 1
}
kind == "text" && /^ticks .* one in [0-9]+ us of CPU time/ {
    period = $0
    sub(/.* one in /, "", period)
    period = period / 1e6
}
kind == "text" && / of [0-9.]+ s of CPU time/ {
    cpu = $0
    sub(/ s of CPU time.*/, "", cpu)
    sub(/.* /, "", cpu)
}
kind == "lcov" && /^FN:/ { split(substr($0, 4), part, ","); at[bare(part[2])] = part[1] }
kind == "lcov" && /^FNDA:/ {
    split(substr($0, 6), part, ",")
    entered[bare(part[2])] += part[1]
    covered = 1
}
kind == "lcov" && /^DA:/ { split(substr($0, 4), part, ","); ran[part[1]] += part[2] }
kind == "errors" && /^answer: / { want["calls", $2] = $3; sum["calls"] += $3 }
kind == "errors" && /^streams: / { heat = $3 + 0; wrong = $5 + 0; told = 1 }
END {
    if (!pool) pool = "/dev/null"
    is_exact = question ~ /^(calls|edges|merged|cover|bits|trace)$/
    if (question ~ /^(time|lines|ticks)$/ || question == "hand" && has["time"]) ask_time()
    if (question == "lines") ask_lines()
    if (question ~ /^(calls|sampled|merged)$/) {
        ask_calls("context_functions", "calls")
        ask_pairs("context_pairs", "calls", "callee")
    }
    if (question ~ /^(edges|entries|scope|dual)$/ || question == "hand" && has["calls"]) {
        ask_calls("functions", "estimated")
        ask_pairs("pairs", "estimated", "function")
    }
    if (question ~ /^(cover|bits|trace)$/) ask_coverage()
    if (question == "refs") ask_refs()
    if (question == "misses") ask_misses()
    if (has["streams"]) {
        if (!heat) fault("no streams")
        else if (wrong > .01 * heat) fault("streams that never were: " wrong " of a heat of " heat)
        if (!rows["profiles"]) fault("the tool shows nothing")
    }
}
