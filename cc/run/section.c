/* section.c - see section.h. All that stands in the object stays where it is.
   Behind it come the new section's bytes, the names of sections anew with one
   more, and the table of sections anew with one more:

       | header | ... as it was ... | .bursty.cover | names, name | table, entry |

   and the header, and the entry of the names, say where they are now. */
#include "cc/run/section.h"
#include "base/elf.h"
#include <string.h>

enum { MOST_SECTIONS = 0xFF00 };  /* from there on numbers stand elsewhere */

/* The sections, of an object of our own making. */
static int open_object(elf_file *e, const unsigned char *object, size_t size) {
    dump_fault fault;
    if (!elf_is(object, size) || elf_begin(e, object, size, &fault) != 0) return -1;
    if (e->type != ELF_OBJECT || elf_find_sections(e, &fault) != 0) return -1;
    return e->sections ? 0 : -1;
}

/* Counts in *count the strings of the section that begin so; *found: where the
   last one of them is. */
static void find_in(const unsigned char *object, const elf_section *s, const char *begin,
                    size_t *found, size_t *count) {
    size_t length = strlen(begin), i = (size_t)s->offset, end = i + (size_t)s->size;
    for (; i + length < end; i++) {
        const unsigned char *at = (const unsigned char *)memchr(object + i, begin[0], end - i);
        if (!at) return;
        i = (size_t)(at - object);
        if (i + length >= end || memcmp(at, begin, length) != 0) continue;
        *found = i;
        ++*count;
    }
}

/* Debug information and lists of options have the string, too: they say how the
   compiler was called. What the program reads is loaded. */
int cc_section_rename(unsigned char *object, size_t size, const char *begin, const char *name) {
    size_t found = 0, count = 0, end, i;
    elf_file e;
    if (open_object(&e, object, size) != 0) return -1;
    for (i = 0; i < e.section_count; i++) {
        elf_section s;
        dump_fault fault;
        if (elf_get_section(&e, i, &s, &fault) != 0) return -1;
        if ((s.flags & ELF_LOADED) && s.type != ELF_NO_BYTES)
            find_in(object, &s, begin, &found, &count);
    }
    if (count != 1) return -1;
    for (end = found; end < size && object[end]; end++) {
    }
    if (end == size || strlen(name) > end - found) return -1;
    memset(object + found, 0, end - found);
    memcpy(object + found, name, strlen(name));
    return 0;
}

static void put_number(const elf_file *e, unsigned char *at, uint64_t value, size_t bytes) {
    size_t i;
    for (i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * (e->is_big ? bytes - 1 - i : i));
}

static void align(text *out) {
    static const unsigned char zero[8] = {0};
    text_bytes(out, zero, (8 - out->size % 8) % 8);
}

/* The entry of a section at `at`: where its bytes are. */
static void put_place(const elf_file *e, unsigned char *at, uint64_t offset, uint64_t size) {
    size_t width = e->is_64 ? 8 : 4;
    put_number(e, at + 8 + 2 * width, offset, width);
    put_number(e, at + 8 + 3 * width, size, width);
}

int cc_section_add(const unsigned char *object, size_t size, const text *section, text *out) {
    static const char name[] = ".bursty.cover";
    elf_file e;
    elf_section names;
    dump_fault fault;
    unsigned char entry[64];
    size_t width, bytes, bytes_at, names_at, table, i;
    if (open_object(&e, object, size) != 0 || e.section_count + 1 >= MOST_SECTIONS) return -1;
    if (elf_get_section(&e, e.names_index, &names, &fault) != 0) return -1;
    if (names.type == ELF_NO_BYTES) return -1;
    width = e.is_64 ? 8 : 4;
    bytes = e.is_64 ? 64 : 40;
    if (e.section_bytes != bytes) return -1;
    for (i = 0; i < e.section_count; i++) {
        elf_section s;
        if (elf_get_section(&e, i, &s, &fault) != 0) return -1;
        if (elf_name_is(&e, &names, s.name, name)) return -1;
    }
    out->size = 0;
    text_bytes(out, object, size);
    bytes_at = out->size;
    text_bytes(out, section->data, section->size);
    names_at = out->size;
    text_bytes(out, object + names.offset, (size_t)names.size);
    text_bytes(out, name, sizeof name);
    align(out);
    table = out->size;
    text_bytes(out, object + e.sections, (size_t)e.section_count * bytes);
    memset(entry, 0, sizeof entry);
    put_number(&e, entry, names.size, 4);
    put_number(&e, entry + 4, 1, 4); /* bytes of the program's own */
    put_place(&e, entry, bytes_at, section->size);
    put_number(&e, entry + 8 + 4 * width + 8, 1, width); /* no alignment */
    text_bytes(out, entry, bytes);
    put_place(&e, (unsigned char *)out->data + table + (size_t)e.names_index * bytes, names_at,
              names.size + sizeof name);
    put_number(&e, (unsigned char *)out->data + 24 + 2 * width, table, width);
    put_number(&e, (unsigned char *)out->data + (e.is_64 ? 60 : 48), e.section_count + 1, 2);
    return 0;
}
