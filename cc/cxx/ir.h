/* ir.h - C++ that counts under clang: its intermediate representation as text
   (LLVM's assembly, before any optimization) gets the counters. */
#ifndef CC_IR_H
#define CC_IR_H
#include "cc/cxx/notes.h"
#include "cc/put/rewrite.h"

typedef struct cc_ir_result {
    text out;                 /* the text with counters; empty if there is nothing to count */
    cc_left *left;            /* functions that were left alone */
    uint32_t left_count;
    uint32_t functions;       /* that count */
} cc_ir_result;

/* request: file, where, unit, cover, atomic; files: which sources and functions
   are wanted. Returns 0, or -1 with *reason: the text is none that is known
   here. */
int cc_ir(const char *data, size_t size, const cc_request *request, const cc_notes_files *files,
          cc_ir_result *result, const char **reason);
void cc_ir_free(cc_ir_result *result);
#endif
