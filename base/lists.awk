# lists.awk - finds what the wings define and makes the lists of it:
#
#     awk -f base/lists.awk FILE... >lists.c
#
# A definition stands at the start of a line, `const part_kind kind_sampled = ...`, and its name is
#
#     kind_NAME     a part_kind: how a kind of part is read, added up and written      (kinds/)
#     section_NAME  a report_section: what a report says about it                      (model/)
#     writer_NAME   a report_writer: a form of `bursty report`                         (write/)
#     command_NAME  a tool_command: `bursty NAME`                                      (the first folder of a wing)
#     lab_NAME      a tool_command: `bursty-lab NAME`                                  (lab/)
BEGIN {
    type["kind"] = "part_kind"
    type["section"] = "report_section"
    type["writer"] = "report_writer"
    type["command"] = "tool_command"
    type["lab"] = "tool_command"
    print "/* Made by base/lists.awk. */"
    print "#include \"base/kind.h\""
    print "#include \"base/tool.h\""
    print "#include \"report/model/report.h\"\n"
}
/^const [a-z_]+ (kind|section|writer|command|lab)_/ {
    split($3, part, "_")
    if (type[part[1]] != $2) next
    print "extern const " $2 " " $3 ";"
    list[part[1]] = list[part[1]] "    &" $3 ",\n"
}
END {
    for (word in type) {
        print "\nconst " type[word] " *const " word "_list[] = {"
        print list[word] "    NULL,\n};"
    }
}
