# bash.awk - behind help.awk: completion for bash.

function options_of(name,   i, o, list) {
    for (i = 1; i <= parts[name]; i++) {
        o = option[name, i]
        if (o !~ /^-/) continue
        list = list " " option_name(o) (option_joint(o) == "=" ? "=" : "")
    }
    return substr(list, 2) (list == "" ? "" : " ") "--help"
}
# Options whose next word is a value: of a file, or not.
function with_value(name, file,   i, o, list) {
    for (i = 1; i <= parts[name]; i++) {
        o = option[name, i]
        if (o ~ /^-/ && option_joint(o) == " " && is_file(option_value(o)) == file)
            list = list "|" name " " option_name(o)
    }
    return list
}
END {
    for (c = 1; c <= commands; c++) {
        if (c > 1) list = list " " names[c]
        files = files with_value(names[c], 1)
        others = others with_value(names[c], 0)
    }
    word = names[1]
    gsub(/-/, "_", word)
    gsub(/\|/, "' | '", files)
    gsub(/\|/, "' | '", others)
    print "# bash completion for " names[1] ", made from its help texts"
    print "_" word "() {"
    print "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= i"
    print "    local words="
    print "    COMPREPLY=()"
    print "    for ((i = 1; i < COMP_CWORD; i++)); do"
    print "        [[ $i == 1 ]] && command=${COMP_WORDS[1]}"
    print "        # behind -- stands somebody else's command line"
    print "        [[ ${COMP_WORDS[i]} == -- ]] && return"
    print "    done"
    print "    case \"$command $before\" in"
    if (files != "") print "    " substr(files, 5) "') return ;;"
    if (others != "") print "    " substr(others, 5) "') return ;;"
    print "    esac"
    print "    case $command in"
    print "    '') words='" substr(list, 2) " --help --version' ;;"
    for (c = 1; c <= commands; c++)
        if (c > 1) print "    " names[c] ") words='" options_of(names[c]) "' ;;"
    print "    esac"
    print "    if [[ $word == -* || -z $command ]]; then"
    print "        while IFS= read -r i; do COMPREPLY+=(\"$i\"); done < <(compgen -W \"$words\" -- \"$word\")"
    print "        if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi"
    print "    fi"
    print "}"
    print "complete -o default -F _" word " " names[1]
}
