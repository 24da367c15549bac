# skips.awk - reads what a test printed, and prints a line for each skip that the
# list (tests/skips) does not allow the test `name` where it ran. `counted`: how
# many its closing line says; `here`: words for the compiler and the user, of
# run.sh.
function is_missing(program) {
    if (program == "CXX") program = ENVIRON["CXX"] == "" ? "c++" : ENVIRON["CXX"]
    sub(/ .*/, "", program)
    return system("command -v '" program "' >/dev/null 2>&1") != 0
}
function holds(where, i, n, word) {
    n = split(where, word, ",")
    for (i = 1; i <= n; i++) {
        if (word[i] == "any" || index(" " here " ", " " word[i] " ")) return 1
        if (word[i] ~ /^!/ && is_missing(substr(word[i], 2))) return 1
    }
    return 0
}
BEGIN {
    while ((getline line <list) > 0) {
        split(line, field, " ")
        if (field[1] != name) continue
        lines++
        most[lines] = field[2]
        where[lines] = field[3]
        sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "", line)
        words[lines] = line
    }
}
sub(/^skipped: /, "") {
    said++
    for (i = 1; i <= lines; i++)
        if (most[i] > 0 && $0 ~ words[i] && holds(where[i])) break
    if (i <= lines) most[i]--
    else print name ": tests/skips does not allow it to skip here: " $0
}
END {
    if (said + 0 != counted + 0) print name ": says " counted " skipped and names " said + 0
}
