# fish.awk - behind help.awk: completion for fish.

function quoted(s) { gsub(/\\/, "\\\\", s); gsub(/'/, "\\'", s); return "'" s "'" }
function short(s) { gsub(/\n/, " ", s); return length(s) > 70 ? substr(s, 1, 67) "..." : s }
END {
    print "# completion for " names[1] ", made from its help texts"
    print "complete -c " names[1] " -n __fish_use_subcommand -l version -f -d 'prints the version'"
    for (c = 1; c <= commands; c++) {
        name = names[c]
        if (c == 1) continue
        print "complete -c " names[1] " -n __fish_use_subcommand -f -a " name " -d " quoted(about[name])
        when = " -n '__fish_seen_subcommand_from " name "' "
        for (i = 1; i <= parts[name]; i++) {
            o = option[name, i]
            if (o !~ /^-/) continue
            o = option_name(o)
            flag = o ~ /^--/ ? "-l " substr(o, 3) : "-s " substr(o, 2)
            joint = option_joint(option[name, i])
            value = option_value(option[name, i])
            kind = joint == "" || joint == "[=" ? "" : is_file(value) ? " -r -F" : " -x"
            print "complete -c " names[1] when flag kind " -d " quoted(short(words[name, i]))
        }
        print "complete -c " names[1] when "-l help -d 'prints what there is'"
    }
}
