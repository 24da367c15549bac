# embed.awk - turns the page's style sheet and scripts into C: awk -f embed.awk style.css base.js others.js ...
# Each file becomes a list of lines: page_style the first, page_scripts all others one after the other.
function open(name) { printf "%sconst char *const %s[] = {\n", name == "page_style" ? "" : "NULL};\n", name }
BEGIN { print "/* Made from tools/write/page by embed.awk. */\n#include \"model/report.h\"\n" }
FNR == 1 { files++; if (files == 1) open("page_style"); if (files == 2) open("page_scripts") }
{
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    print "\"" $0 "\","
}
END { print "NULL};" }
