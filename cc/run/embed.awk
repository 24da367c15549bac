# embed.awk - turns files that `bursty cc` gives to the user's compiler into C:
#
#     awk -f embed.awk bursty.h cc/inside/checks.c ...
#
# cc_runtime becomes a list of names and lines, ended by a name that is NULL.
BEGIN { print "/* Made by cc/run/embed.awk. */\n#include \"cc/run/runtime.h\"\n" }
FNR == 1 {
    if (files) print "NULL};"
    name[++files] = FILENAME
    sub(/.*\//, "", name[files])
    print "static const char *const lines" files "[] = {"
}
{
    gsub(/\\/, "&&")
    gsub(/"/, "\\\"")
    gsub(/\?/, "\\?")
    print "\"" $0 "\","
}
END {
    print "NULL};\n\nconst cc_embedded cc_runtime[] = {"
    for (i = 1; i <= files; i++) print "    {\"" name[i] "\", lines" i "},"
    print "    {NULL, NULL},\n};"
}
