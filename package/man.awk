# man.awk - behind help.awk: a manual page for the program and one for each command, as FOLDER/NAME.1.
# -v folder=FOLDER -v version=VERSION

function plain(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/`/, "\\(ga", s)
    gsub(/\n/, "\n.br\n", s)
    if (s ~ /^[.']/) s = "\\&" s
    return s
}
# A name of the page in bold, arguments as they are.
function shown(s,   head) {
    head = option_name(s)
    return "\\fB" plain(head) "\\fR" plain(substr(s, length(head) + 1))
}
function title_of(name) { return name == names[1] ? name : names[1] "-" name }
function page(name,   file, title, i, n, lines, k, was_option) {
    title = title_of(name)
    file = folder "/" title ".1"
    printf ".TH %s 1 \"\" \"bursty %s\" \"bursty\"\n", plain(toupper(title)), version >file
    print ".SH NAME" >file
    print plain(title) " \\- " (name != names[1] ? plain(about[name]) : name == "bursty" ? \
        "profiles programs, and reads what programs with bursty.h wrote" : \
        "algorithms over recorded traces, measured against exact answers") >file
    print ".SH SYNOPSIS" >file
    n = split(usage[name], lines, "\n")
    for (i = 1; i < n; i++) {
        if (i > 1) print ".br" >file
        sub(/   +/, "\n.br\n", lines[i])
        k = index(lines[i], "\n")
        print plain(k ? substr(lines[i], 1, k - 1) : lines[i]) (k ? "\n.br\n" plain(substr(lines[i], k + 5)) : "") >file
    }
    if (name != names[1]) print ".SH DESCRIPTION" >file
    was_option = 0
    for (i = 1; i <= parts[name]; i++) {
        if (option[name, i] == "") {
            if (words[name, i] ~ /:$/ && !was_option++) print ".SH OPTIONS" >file
            if (i > 1) print ".PP" >file
            print plain(words[name, i]) >file
            continue
        }
        if (option[name, i] !~ /^bursty / && !was_option++) print ".SH " (name == names[1] ? "COMMANDS" : "OPTIONS") >file
        print ".TP" >file
        print shown(option[name, i]) >file
        print plain(words[name, i]) >file
    }
    if (name != names[1]) {
        print ".SH EXIT STATUS" >file
        print "0 done, 1 failed, 2 bad usage or bad input" (name == "record" ? "; otherwise the program's own." : name == "cc" ? "; otherwise the compiler's own." : ".") >file
    }
    print ".SH SEE ALSO" >file
    for (i = 1; i <= commands; i++) {
        if (names[i] == name) continue
        printf ".BR %s (1)", plain(title_of(names[i])) >file
        print i == commands || (i == commands - 1 && names[commands] == name) ? "" : "," >file
    }
    close(file)
}
END { for (c = 1; c <= commands; c++) page(names[c]) }
