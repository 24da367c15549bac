/* unwind.h - from a function to its caller, by the .eh_frame of an ELF file of
   x86-64. Files come from strangers: every number is looked at before it is
   used. */
#ifndef UNWIND_H
#define UNWIND_H
#include "base/elf.h"

typedef struct unwind_load { uint64_t offset, size, address; } unwind_load;

typedef struct unwind_row { uint64_t start, record; } unwind_row;

typedef struct unwind_file {
    const unsigned char *data;
    unwind_load loads[16];
    unsigned load_count;
    uint64_t header, count;         /* address of .eh_frame_hdr's table, its rows; 0: there is none */
    uint64_t base;                  /* what its numbers are relative to */
    unwind_row *rows;               /* of a file without that table, by start: unwind_index */
    size_t row_count;
} unwind_file;

/* cfa = register + offset, or the word there if cfa_saved: gcc's frames that are
   aligned to more than 16 bytes keep it at rbp + offset. The return address stands
   at cfa - 8, and the caller's rbp at cfa + rbp if rbp_saved is 1, at this frame's
   rbp + rbp if it is 2. */
typedef struct unwind_rule {
    int32_t offset, rbp;
    unsigned char reg, rbp_saved;   /* reg: 6 is rbp, 7 rsp */
    unsigned char cfa_saved;
    uint64_t start, end;            /* of the code that the record is about */
} unwind_rule;

/* The file stays where it is while `u` is in use. Without .eh_frame_hdr in the
   usual form no place of it has a rule. */
void unwind_begin(unwind_file *u, const elf_file *e);

/* Gives rules to a file without that table, if it has a section .eh_frame. The
   rows belong to the caller. */
void unwind_index(unwind_file *u, elf_file *e);

enum { UNWIND_FOUND = 0, UNWIND_OUTERMOST = 1, UNWIND_UNKNOWN = -1 };
/* The rule at an address, as the file counts addresses. UNWIND_OUTERMOST: nobody
   called this; then the rule has its start and end alone. UNWIND_UNKNOWN: the
   file says nothing, and the rule's end is 0, or more than a rule can hold. */
int unwind_find(const unwind_file *u, uint64_t address, unwind_rule *rule);
#endif
