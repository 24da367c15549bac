/* elf.c - headers, sections and segments of ELF files. */
#include "base/elf.h"
#include <string.h>

enum { ESCAPE = 0xFFFF };                       /* the number stands in section 0 */

uint64_t elf_number(const elf_file *e, size_t at, size_t bytes) {
    uint64_t value = 0;
    size_t i;
    for (i = 0; i < bytes; i++) {
        size_t shift = 8 * (e->is_big ? bytes - 1 - i : i);
        value |= (uint64_t)e->data[at + i] << shift;
    }
    return value;
}

int elf_holds(const elf_file *e, uint64_t at, uint64_t bytes) {
    return at <= e->size && bytes <= e->size - at;
}

int elf_is(const unsigned char *data, size_t size) {
    return size >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

int elf_begin(elf_file *e, const unsigned char *data, size_t size, dump_fault *fault) {
    size_t word, at;
    memset(e, 0, sizeof *e);
    e->data = data;
    e->size = size;
    if (size < 6) return dump_refuse(fault, size, "the ELF header is cut off");
    if (data[4] < 1 || data[4] > 2) return dump_refuse(fault, 4, "is no class of ELF");
    if (data[5] < 1 || data[5] > 2) return dump_refuse(fault, 5, "is no byte order of ELF");
    e->is_64 = data[4] == 2;
    e->is_big = data[5] == 2;
    word = e->is_64 ? 8 : 4;
    if (size < (e->is_64 ? 64 : 52)) return dump_refuse(fault, size, "the ELF header is cut off");
    e->type = elf_number(e, 16, 2);
    e->machine = elf_number(e, 18, 2);
    e->segments = elf_number(e, 24 + word, word);
    e->sections = elf_number(e, 24 + 2 * word, word);
    at = e->is_64 ? 54 : 42;
    e->segment_bytes = elf_number(e, at, 2);
    e->segment_count = elf_number(e, at + 2, 2);
    e->section_bytes = elf_number(e, at + 4, 2);
    e->names_index = elf_number(e, at + 8, 2);
    return 0;
}

/* What the header says of their number is taken when the table has been found
   and lies inside of the file: until then a file has no sections. */
int elf_find_sections(elf_file *e, dump_fault *fault) {
    size_t at, least = e->is_64 ? 64 : 40;
    uint64_t count = elf_number(e, e->is_64 ? 60 : 48, 2);
    e->section_count = 0;
    if (e->sections == 0) return 0;             /* stripped of all sections */
    if (e->section_bytes < least)
        return dump_refuse(fault, e->is_64 ? 58 : 46,
                           "the ELF file has too small section headers");
    if (!elf_holds(e, e->sections, e->section_bytes))
        return dump_refuse(fault, 0, "the section headers lie outside the file");
    at = (size_t)e->sections;                   /* more than 65279: section 0 has the numbers */
    if (count == 0) count = elf_number(e, at + (e->is_64 ? 32 : 20), e->is_64 ? 8 : 4);
    if (e->names_index == ESCAPE) e->names_index = elf_number(e, at + (e->is_64 ? 40 : 24), 4);
    if (count > e->size / e->section_bytes ||
        !elf_holds(e, e->sections, count * e->section_bytes))
        return dump_refuse(fault, 0, "the section headers lie outside the file");
    e->section_count = count;
    return 0;
}

int elf_get_section(const elf_file *e, uint64_t index, elf_section *s, dump_fault *fault) {
    size_t at, word = e->is_64 ? 8 : 4;
    if (index >= e->section_count)
        return dump_refuse(fault, 0, "the ELF file has no section %lu", (unsigned long)index);
    at = (size_t)(e->sections + index * e->section_bytes);
    s->name = elf_number(e, at, 4);
    s->type = elf_number(e, at + 4, 4);
    s->flags = elf_number(e, at + 8, word);
    s->offset = elf_number(e, at + 8 + 2 * word, word);
    s->size = elf_number(e, at + 8 + 3 * word, word);
    s->link = elf_number(e, at + 8 + 4 * word, 4);
    if (s->type != ELF_NO_BYTES && !elf_holds(e, s->offset, s->size))
        return dump_refuse(fault, at, "the section lies outside the file");
    return 0;
}

int elf_take(elf_file *e, const elf_section *s, dump_fault *fault) {
    if (s->size > e->size - e->taken)
        return dump_refuse(fault, (size_t)s->offset, "the sections overlap");
    e->taken += (size_t)s->size;
    return 0;
}

int elf_name_is(const elf_file *e, const elf_section *names, uint64_t at, const char *word) {
    size_t size = strlen(word) + 1;
    return names->type != ELF_NO_BYTES && at <= names->size && size <= names->size - at &&
           memcmp(e->data + names->offset + at, word, size) == 0;
}

int elf_get_segment(const elf_file *e, uint64_t index, elf_segment *s) {
    size_t at, word = e->is_64 ? 8 : 4;
    if (index >= e->segment_count || e->segment_bytes < (e->is_64 ? 56u : 32u) ||
        e->segments > e->size ||
        !elf_holds(e, e->segments + index * e->segment_bytes, e->segment_bytes))
        return -1;
    at = (size_t)(e->segments + index * e->segment_bytes);
    s->type = elf_number(e, at, 4);
    s->offset = elf_number(e, at + word, word);
    s->size = elf_number(e, at + 4 * word, word);
    return 0;
}
