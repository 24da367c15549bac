/* elf.h - ELF files of both sizes and byte orders, from strangers.

   Every number of the file is looked at before it is used: a section is given
   out only if it lies inside the file, and all sections that are read together
   (elf_take) may not be larger than the file, so that a file whose tables point
   at one place again and again costs no more than another. */
#ifndef ELF_H
#define ELF_H
#include "base/fault.h"
#include <stdint.h>

/* Values of the fields below that the tools ask for. */
enum {
    ELF_OBJECT = 1, ELF_PROGRAM = 2, ELF_SHARED = 3,                          /* elf_file.type */
    ELF_X86_64 = 62,                                                          /* .machine */
    ELF_LOAD = 1, ELF_INTERPRETER = 3,                                        /* elf_segment.type */
    ELF_SYMBOLS = 2, ELF_NO_BYTES = 8, ELF_DYNAMIC_SYMBOLS = 11,              /* elf_section.type */
    ELF_LOADED = 2, ELF_COMPRESSED = 0x800                                    /* .flags */
};

typedef struct elf_file {
    const unsigned char *data;
    size_t size;
    int is_64, is_big;
    uint64_t type, machine;
    uint64_t segments, segment_bytes, segment_count;
    uint64_t sections, section_bytes, names_index; /* sections: 0 if it has none */
    uint64_t section_count;                     /* 0 until elf_find_sections has found them */
    size_t taken;                               /* bytes of all sections taken so far */
} elf_file;

typedef struct elf_section {
    uint64_t name, type, flags, offset, size, link;
} elf_section;

typedef struct elf_segment {
    uint64_t type, offset, size;                /* size: in the file */
} elf_segment;

/* Does the file begin as one? */
int elf_is(const unsigned char *data, size_t size);
/* Reads the header. Returns 0, or -1 with *fault filled. The data is kept by
   pointer. */
int elf_begin(elf_file *e, const unsigned char *data, size_t size, dump_fault *fault);
/* Finds the table of sections, of which a stripped file may have none. The same
   return values. */
int elf_find_sections(elf_file *e, dump_fault *fault);
int elf_get_section(const elf_file *e, uint64_t index, elf_section *s, dump_fault *fault);
/* The section's bytes are about to be read. */
int elf_take(elf_file *e, const elf_section *s, dump_fault *fault);
/* Is that the name at a place of the section of names? */
int elf_name_is(const elf_file *e, const elf_section *names, uint64_t at, const char *word);
/* Returns 0, or -1 if the file's header says less or the file ends before it.
   The segment's own bytes may lie outside of the file: elf_holds tells. */
int elf_get_segment(const elf_file *e, uint64_t index, elf_segment *s);
int elf_holds(const elf_file *e, uint64_t at, uint64_t bytes);
/* A number of the file, in its byte order. */
uint64_t elf_number(const elf_file *e, size_t at, size_t bytes);
#endif
