/* alloc.c - memory that is there or ends the program. */
#include "base/tool.h"
#include <stdlib.h>

const char *tool_program = "bursty";

static void out_of_memory(size_t bytes) {
    fprintf(stderr, "%s: out of memory (%lu bytes wanted)\n", tool_program, (unsigned long)bytes);
    exit(TOOL_FAILED);
}

void *tool_grow(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes ? bytes : 1);
    if (!grown) out_of_memory(bytes);
    return grown;
}

void *tool_alloc(size_t bytes) {
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory) out_of_memory(bytes);
    return memory;
}
