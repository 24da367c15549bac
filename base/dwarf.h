/* dwarf.h - debug information of an ELF file: numbers and strings in a row, never
   beyond the end (dwarf.c), lines (dwarf_lines.c), functions that were inlined
   (dwarf_inlined.c). */
#ifndef DWARF_H
#define DWARF_H
#include "base/elf.h"
#include "base/text.h"

typedef struct dwarf_file {
    elf_file elf;
    struct dwarf_whole *whole; /* sections that were compressed; NULL at first */
} dwarf_file;
typedef struct dwarf_section { const unsigned char *data; size_t size; } dwarf_section;

/* After a fault, which stays, every number is 0 and every string empty. */
typedef struct dwarf_reader {
    const unsigned char *data;
    size_t at, end;
    int bad;
} dwarf_reader;

/* The section of that name (".debug_..."); empty if there is none. If zlib compressed
   it (-gz) it is decompressed, and stays until dwarf_free. If zstd did, it is empty. */
dwarf_section dwarf_section_of(dwarf_file *f, const char *name);
void dwarf_free(dwarf_file *f);
/* A number of at most 8 bytes. */
uint64_t dwarf_number(const unsigned char *p, unsigned bytes);
/* A length, behind which come that many bytes. *offset_bytes: 4, or 8 in 64-bit
   DWARF. Returns 0: they lie outside. */
size_t dwarf_length(dwarf_reader *r, unsigned *offset_bytes);
uint64_t dwarf_get(dwarf_reader *r, unsigned bytes);
uint64_t dwarf_varint(dwarf_reader *r);
int64_t dwarf_signed(dwarf_reader *r);
const char *dwarf_string(dwarf_reader *r);
void dwarf_skip(dwarf_reader *r, uint64_t bytes);
/* The string at a place of a section; NULL: none ends in it. */
const char *dwarf_string_in(const dwarf_section *s, uint64_t at);

typedef struct dwarf_lines dwarf_lines;
dwarf_lines *dwarf_lines_read(dwarf_file *f);
/* How large the tables are that dwarf_lines_read would read. */
size_t dwarf_lines_bytes(dwarf_file *f);
/* The name of the file of an address, without folders, and the line; or NULL. */
const char *dwarf_line_of(const dwarf_lines *l, uint64_t address, uint32_t *line);
/* Adds to *path the file of a function's first instruction, with its folders as the
   compiler wrote them. After optimization an instruction may belong to several lines;
   the first of them is the function's own. Returns that line, or 0. */
uint32_t dwarf_path_of(const dwarf_lines *l, uint64_t address, text *path);
/* The same of any instruction: the line that the debugger shows there. */
uint32_t dwarf_path_at(const dwarf_lines *l, uint64_t address, text *path);
/* The path of a file by its number in the unit at a place of .debug_line. Returns
   line, or 0: there is none. */
uint32_t dwarf_path_in(const dwarf_lines *l, uint64_t unit, uint64_t file, uint32_t line,
                       text *path);
void dwarf_lines_free(dwarf_lines *l);

/* Functions that were inlined, from .debug_info (DWARF 2 to 5). */
typedef struct dwarf_inlines dwarf_inlines;
dwarf_inlines *dwarf_inlines_read(dwarf_file *f);
/* The functions that were inlined at an address, as the linker would name them,
   the innermost first, tabs between. Returns how many. */
size_t dwarf_inlines_at(dwarf_inlines *l, uint64_t address, text *names);
/* Where the function that begins at an address is declared, as its unit says: the
   first row of lines may be of what was inlined there. *unit: its place in
   .debug_line. Returns the line, or 0: nobody says. */
uint32_t dwarf_declared_at(dwarf_inlines *l, uint64_t address, uint64_t *unit, uint64_t *file);
void dwarf_inlines_free(dwarf_inlines *l);
#endif
