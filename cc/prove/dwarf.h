/* dwarf.h - reading sections with debug information: numbers and strings in a
   row, never beyond the end. */
#ifndef PROVE_DWARF_H
#define PROVE_DWARF_H
#include "cc/prove/prove.h"

typedef struct dwarf_section { const unsigned char *data; size_t size; } dwarf_section;

/* After a fault, which stays, every number is 0 and every string empty. */
typedef struct dwarf_reader {
    const unsigned char *data;
    size_t at, end;
    int bad;
} dwarf_reader;

/* The section of that name (".debug_..."); empty if there is none. One that zlib
   has compressed (-gz) is made whole, and stays until dwarf_free; one of zstd is
   as if there were none. */
dwarf_section dwarf_section_of(prove_image *im, const char *name);
void dwarf_free(prove_image *im);
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
#endif
