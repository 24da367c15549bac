/* lines_at.c - what the tool reads of an ELF file about addresses, which stand in
   hexadecimal on standard input: a line for each, "ADDRESS FILE:LINE NAME ...",
   ?:0 if nobody knows it, and the functions inlined there, the innermost
   first. */
#include "base/debugfile.h"
#include "base/tool.h"
#include "base/dwarf.h"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    static dwarf_file image;
    const unsigned char *data;
    dwarf_inlines *inlines;
    dwarf_lines *lines;
    dump_fault fault;
    char word[64];
    size_t size, i;
    data = argc == 2 ? debugfile_map(argv[1], &size) : NULL;
    if (!data || elf_begin(&image.elf, data, size, &fault) != 0) return 2;
    if (elf_find_sections(&image.elf, &fault) != 0) return 2;
    lines = dwarf_lines_read(&image);
    inlines = dwarf_inlines_read(&image);
    while (fgets(word, sizeof word, stdin)) {
        uint64_t address = strtoull(word, NULL, 16);
        text path = {NULL, 0, 0}, names = {NULL, 0, 0};
        uint32_t line = dwarf_path_at(lines, address, &path);
        uint64_t unit, file;
        uint32_t declared = dwarf_declared_at(inlines, address, &unit, &file);
        text where = {NULL, 0, 0};
        if (declared) (void)dwarf_path_in(lines, unit, file, declared, &where);
        text_free(&where);
        dwarf_inlines_at(inlines, address, &names);
        for (i = 0; i < names.size; i++) {
            if (names.data[i] == '\t') names.data[i] = ' ';
        }
        printf("0x%lx %.*s:%u%s%.*s\n", (unsigned long)address, line ? (int)path.size : 1,
               line ? path.data : "?", (unsigned)line, names.size ? " " : "", (int)names.size,
               names.size ? names.data : "");
        text_free(&path);
        text_free(&names);
    }
    dwarf_lines_free(lines);
    dwarf_inlines_free(inlines);
    return 0;
}
