# coverage_contexts.awk - reads a report (--csv) of a run in which every call was counted, and then
# those of sampled runs. Prints a row of a table: the part of all contexts, functions, functions
# with callees, and pairs whose 95 % interval of the share holds the truth. The table of contexts
# has the 30 hottest: what only the sampled run lists is left out.
FNR == 1 { file++ }
/^# / {
    table = $0
    sub(/^# /, "", table)
    sub(/:.*/, "", table)
    getline
    split("", column)
    for (i = 1; i <= NF; i++) column[$i] = i
    next
}
function field(name) { return name in column ? $column[name] : "" }
function row(kind, name) {
    key = table kind "," field("context") "," field("function") "," \
        field("caller") "," field("callee")
    if (file == 1) true[key] = $column[name "share"]
    else if (kind == "" && table == "contexts" && !(key in true)) return
    else if (field((name == "" ? "share_" : name) "low") != "") {
        rows[table kind]++
        low = field((name == "" ? "share_" : name) "low")
        high = field((name == "" ? "share_" : name) "high")
        inside[table kind] += low + 0 <= true[key] + 0 && true[key] + 0 <= high + 0
    }
}
table !~ /^context/ || NF < 3 { next }
{ row("", "") }
table == "context_functions" { row("+", "total_") }
function cell(k) {
    if (!rows[k]) return "none"
    return sprintf("%.1f %% of %d", 100 * inside[k] / rows[k], rows[k])
}
END {
    print title " | " cell("contexts") " | " cell("context_functions") " | " \
        cell("context_functions+") " | " cell("context_pairs") " |"
}
