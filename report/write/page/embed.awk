# embed.awk - turns the page's style sheets and scripts into C:
#
#     awk -f embed.awk style.css others.css ... base.js others.js ...
#
# page_style becomes the lines of all .css files, page_scripts those of all .js files. The .css
# files come first.
function open(name) {
    if (name != "page_style") print "NULL};"
    print "const char *const " name "[] = {"
}
BEGIN { print "/* Made from report/write/page by embed.awk. */\n#include \"report/model/report.h\"\n" }
FNR == 1 && ++files == 1 { open("page_style") }
FNR == 1 && FILENAME ~ /\.js$/ && !scripts++ { open("page_scripts") }
{
    gsub(/\\/, "&&")
    gsub(/"/, "\\\"")
    print "\"" $0 "\","
}
END { print "NULL};" }
