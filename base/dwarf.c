/* dwarf.c - numbers and strings of debug information. */
#include "base/dwarf.h"
#include "base/inflate.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* A section that was compressed, by its place in the file. */
typedef struct dwarf_whole {
    struct dwarf_whole *next;
    uint64_t offset;
    size_t size;
    unsigned char bytes[1];
} dwarf_whole;

uint64_t dwarf_number(const unsigned char *p, unsigned bytes) {
    uint64_t value = 0;
    unsigned i;
    for (i = 0; i < bytes; i++) value |= (uint64_t)p[i] << (8 * i);
    return value;
}

/* The whole of a zlib stream that stands `behind` so many bytes of a section. No
   stream becomes more than 1032 times as long. */
static dwarf_section make_whole(dwarf_file *f, const elf_section *s, uint64_t behind,
                                uint64_t size) {
    const unsigned char *stream = f->elf.data + s->offset + behind;
    dwarf_section p = {NULL, 0};
    dwarf_whole *w;
    for (w = f->whole; w && w->offset != s->offset; w = w->next) { }
    if (!w) {
        if (size / 1032 > s->size) return p;
        w = (dwarf_whole *)tool_alloc(sizeof *w + (size_t)size);
        w->offset = s->offset;
        w->size = (size_t)size;
        if (inflate_zlib(stream, (size_t)(s->size - behind), w->bytes, w->size) != 0) w->size = 0;
        w->next = f->whole;
        f->whole = w;
    }
    p.data = w->bytes;
    p.size = w->size;
    return p;
}

void dwarf_free(dwarf_file *f) {
    dwarf_whole *w = f->whole, *next;
    for (; w; w = next) {
        next = w->next;
        free(w);
    }
    f->whole = NULL;
}

/* The old way to compress: .zdebug_..., "ZLIB", a number of eight bytes, the
   highest first. */
static dwarf_section old_whole(dwarf_file *f, const elf_section *s) {
    const unsigned char *at = f->elf.data + s->offset;
    dwarf_section none = {NULL, 0};
    uint64_t size = 0;
    unsigned i;
    if (s->size < 12 || memcmp(at, "ZLIB", 4) != 0) return none;
    for (i = 4; i < 12; i++) size = size << 8 | at[i];
    return make_whole(f, s, 12, size);
}

dwarf_section dwarf_section_of(dwarf_file *f, const char *name) {
    enum { ZLIB = 1 };
    const elf_file *e = &f->elf;
    elf_section s, strings;
    dump_fault fault;
    dwarf_section p = {NULL, 0};
    char old[64];
    uint64_t i, header = e->is_64 ? 24 : 12;
    snprintf(old, sizeof old, ".z%.60s", name + 1);
    if (!e->sections || elf_get_section(e, e->names_index, &strings, &fault) != 0) return p;
    for (i = 1; i < e->section_count; i++) {
        if (elf_get_section(e, i, &s, &fault) != 0 || s.type == ELF_NO_BYTES) continue;
        if (elf_name_is(e, &strings, s.name, old)) return old_whole(f, &s);
        if (!elf_name_is(e, &strings, s.name, name)) continue;
        p.data = e->data + s.offset;
        p.size = (size_t)s.size;
        if (!(s.flags & ELF_COMPRESSED)) return p;
        if (s.size < header || elf_number(e, (size_t)s.offset, 4) != ZLIB) p.size = 0;
        else p = make_whole(f, &s, header, elf_number(e, (size_t)s.offset + (e->is_64 ? 8 : 4),
                                                       e->is_64 ? 8 : 4));
        return p;
    }
    return p;
}

size_t dwarf_length(dwarf_reader *r, unsigned *offset_bytes) {
    uint64_t bytes = dwarf_get(r, 4);
    *offset_bytes = 4;
    if (bytes == 0xFFFFFFFF) {
        bytes = dwarf_get(r, 8);
        *offset_bytes = 8;
    }
    return r->bad || bytes > r->end - r->at ? 0 : (size_t)bytes;
}

uint64_t dwarf_get(dwarf_reader *r, unsigned bytes) {
    uint64_t value;
    if (r->bad || r->end - r->at < bytes) {
        r->bad = 1;
        return 0;
    }
    value = dwarf_number(r->data + r->at, bytes);
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
