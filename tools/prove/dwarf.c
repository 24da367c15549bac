/* dwarf.c - numbers and strings of debug information. */
#include "prove/dwarf.h"
#include <string.h>

uint64_t prove_number(const unsigned char *p, unsigned bytes) {
    uint64_t value = 0;
    unsigned i;
    for (i = 0; i < bytes; i++) value |= (uint64_t)p[i] << (8 * i);
    return value;
}

dwarf_section dwarf_section_of(const prove_image *im, const char *name) {
    const elf_file *e = &im->elf;
    elf_section s, strings;
    dump_fault fault;
    dwarf_section p = {NULL, 0};
    uint64_t i;
    if (!e->sections || elf_get_section(e, e->names_index, &strings, &fault) != 0) return p;
    for (i = 1; i < e->section_count; i++) {
        if (elf_get_section(e, i, &s, &fault) != 0) continue;
        if (s.type == ELF_NO_BYTES || s.flags & ELF_COMPRESSED) continue;
        if (!elf_name_is(e, &strings, s.name, name)) continue;
        p.data = e->data + s.offset;
        p.size = (size_t)s.size;
        return p;
    }
    return p;
}

uint64_t dwarf_get(dwarf_reader *r, unsigned bytes) {
    uint64_t value;
    if (r->bad || r->end - r->at < bytes) {
        r->bad = 1;
        return 0;
    }
    value = prove_number(r->data + r->at, bytes);
    r->at += bytes;
    return value;
}

uint64_t dwarf_varint(dwarf_reader *r) {
    uint64_t value = 0, byte = 0x80;
    unsigned shift;
    for (shift = 0; byte & 0x80 && !r->bad; shift += 7) {
        byte = dwarf_get(r, 1);
        if (shift < 63) value |= (byte & 0x7F) << shift;
    }
    return value;
}

int64_t dwarf_signed(dwarf_reader *r) {
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    while (byte & 0x80 && !r->bad) {
        byte = dwarf_get(r, 1);
        if (shift < 63) value |= (byte & 0x7F) << shift;
        shift += 7;
    }
    if (shift < 64 && byte & 0x40) value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

const char *dwarf_string_in(const dwarf_section *s, uint64_t at) {
    if (at >= s->size || !memchr(s->data + at, 0, s->size - (size_t)at)) return NULL;
    return (const char *)s->data + at;
}

const char *dwarf_string(dwarf_reader *r) {
    const char *start = (const char *)r->data + r->at;
    const void *end = r->bad || r->at >= r->end ? NULL : memchr(start, 0, r->end - r->at);
    if (!end) {
        r->bad = 1;
        return "";
    }
    r->at += (size_t)((const char *)end - start) + 1;
    return start;
}

void dwarf_skip(dwarf_reader *r, uint64_t bytes) {
    if (r->bad || bytes > r->end - r->at) r->bad = 1;
    else r->at += (size_t)bytes;
}
