/* edges_file.c - at exit, appends all units to a file (append.h). A child of fork writes what its
   parent did before the fork, too: that stands in the file twice then. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "append.h"
#include "edges.h"

__attribute__((destructor)) static void write_units(void) {
    off_t before = 0;
    FILE *file;
    if (edgeprof_units_count() == 0) return;
    file = append_open(&before);
    if (file) append_close(file, before, edgeprof_units_write(append_bytes, file));
}
