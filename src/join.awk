# join.awk - joins the parts of one family into the product that users drop in.
#
#   awk -f src/join.awk src/hotstream/hotstream.in >hotstream.h
#
# FAMILY.in is the skeleton of the product. Its lines are copied, but for these:
#   @name       pastes src/FAMILY/name, or src/name for @../name
#   @contents   lists the titles of all pasted parts
# The first line of a pasted .h or .c file is its title, as a bar:  /* ---- the grammar ---- */
# The bar is drawn to the full width, with the file's name in it. In src/*.h and src/*.c, which
# several families share, base_p_ and BASE_ stand for the family's own prefix.

function stop(why) {
    print FILENAME ":" FNR ": " why >"/dev/stderr"
    failed = 1
    exit 1
}

function bar(title, file,    line, left) {
    line = "/* ---- " title " "
    left = 80 - length(line) - length(file) - 9
    while (left-- > 0) line = line "-"
    return line " " file " ---- */"
}

function paste(name,    file, shared, text, first, got, title) {
    file = folder name
    shared = sub(/^.*\/\.\.\//, folder "../", file)
    if (shared) sub(/[^\/]*\/\.\.\//, "", file)
    first = 1
    while ((got = (getline text <file)) > 0) {
        if (shared) {
            gsub(/base_p_/, family "_p_", text)
            gsub(/BASE_/, toupper(family) "_", text)
        }
        if (first && file ~ /\.[hc]$/) {
            if (text !~ /^\/\* ---- .* ---- \*\/$/) stop(file " does not begin with its title")
            title = substr(text, 9, length(text) - 16)
            titles = titles "     " title "\n"
            text = bar(title, file)
        }
        first = 0
        line[++lines] = text
    }
    if (got < 0 || first) stop("cannot read " file)
    close(file)
}

FNR == 1 {
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    family = folder
    sub(/\/$/, "", family)
    sub(/.*\//, "", family)
}
/^@contents$/ { line[++lines] = $0; next }
/^@/ { paste(substr($0, 2)); next }
{ line[++lines] = $0 }

END {
    if (failed) exit 1
    for (i = 1; i <= lines; i++) {
        if (line[i] == "@contents") printf "%s", titles
        else print line[i]
    }
}
