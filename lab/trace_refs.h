/* trace_refs.h - reads recorded references (docs/formats.md, "refs") and what
   valgrind's lackey prints (--trace-mem=yes). */
#ifndef TRACE_REFS_H
#define TRACE_REFS_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TRACE_REFERENCE, TRACE_CALL, TRACE_BACKEDGE, TRACE_RETURN, TRACE_END };

typedef struct trace_refs_row {
    uint64_t pc, address;
} trace_refs_row;

typedef struct trace_refs {
    const char *name;
    FILE *file;
    int is_lackey;
    uint64_t offset, line; /* of what comes next */
    trace_refs_row *rows; /* the table: of a file, or made while lackey's lines are read */
    size_t row_count, row_room;
    uint32_t *row_slots;
    size_t row_slot_count;
    uint64_t pc, pc_end; /* lackey: the last instruction and where it ends */
    unsigned char *buffer;
    size_t filled, used;
} trace_refs;

/* "-" is standard input. table may be NULL. Returns a TOOL_ status, after a
   message. */
int trace_refs_open(trace_refs *t, const char *path, const char *table, int is_lackey);
/* The next event: *kind and, for a reference its row, for a call the number of
   its pair, for a back-edge that of its loop. Returns a TOOL_ status. */
int trace_refs_next(trace_refs *t, int *kind, uint32_t *number);
/* Reads a table of call pairs, rows of caller and callee, in place of that of
   references: a pair's pc is its callee. */
int trace_refs_pairs(trace_refs *t, const char *table);
void trace_refs_close(trace_refs *t);

/* What one line of lackey says: 'I', 'L', 'S' or 'M' with *address and *size;
   0: a line of valgrind's own or an empty one; -1: neither. */
int trace_refs_lackey_line(const char *line, uint64_t *address, uint64_t *size);
#endif
