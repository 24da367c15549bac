# zsh.awk - behind help.awk: completion for zsh.

function quoted(s) { gsub(/'/, "'\\''", s); gsub(/\[/, "\\[", s); gsub(/\]/, "\\]", s); gsub(/:/, "\\:", s); return s }
function short(s) { gsub(/\n/, " ", s); return length(s) > 70 ? substr(s, 1, 67) "..." : s }
END {
    word = names[1]
    gsub(/-/, "_", word)
    print "#compdef " names[1]
    print "# made from the tool's help texts"
    print "_" word "() {"
    print "    local -a commands"
    print "    commands=("
    for (c = 1; c <= commands; c++)
        if (c > 1) print "        '" names[c] ":" quoted(about[names[c]]) "'"
    print "    )"
    print "    if ((CURRENT == 2)); then"
    print "        _describe command commands"
    print "        compadd -- --help --version"
    print "        return"
    print "    fi"
    print "    # behind -- stands somebody else's command line"
    print "    local dashes=${words[(i)--]}"
    print "    if ((dashes < CURRENT)); then"
    print "        words=(\"${(@)words[dashes + 1,-1]}\")"
    print "        ((CURRENT -= dashes))"
    print "        _normal"
    print "        return"
    print "    fi"
    print "    local command=$words[2]"
    print "    shift words"
    print "    ((CURRENT--))"
    print "    case $command in"
    for (c = 1; c <= commands; c++) {
        name = names[c]
        if (c == 1) continue
        print "    " name ")"
        print "        _arguments -S \\"
        for (i = 1; i <= parts[name]; i++) {
            o = option[name, i]
            if (o !~ /^-/) continue
            joint = option_joint(o)
            value = option_value(o)
            printf "            '*%s%s[%s]", option_name(o), joint == "=" || joint == "[=" ? "=" : "",
                   quoted(short(words[name, i]))
            if (value != "") printf "%s:%s:%s", joint == "[=" ? ":" : "", quoted(value), is_file(value) ? "_files" : ""
            print "' \\"
        }
        print "            '--help[prints what there is]' '*:file:_files'"
        print "        ;;"
    }
    print "    esac"
    print "}"
    print "_" word " \"$@\""
}
