/* edges_file.c - at exit, appends all units to a file (append.h). A child of fork writes what its
   parent did before the fork, too.

   Options, where this file is compiled:
     EDGEPROF_UNIT_EXITS   exits.c is linked and has more to do at the end */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "append.h"
#include "edges.h"

#ifdef EDGEPROF_UNIT_EXITS
EDGEPROF_UNIT_API void edgeprof_exits_end(void);
#endif

int edgeprof_units_append(void) {
    append_file to;
    int failed;
    if (edgeprof_units_count() == 0) return 0;
    if (append_open(&to) != 0) return -1;
    failed = edgeprof_units_write(append_bytes, &to);
    append_close(&to, failed);
    return failed ? -1 : 0;
}

__attribute__((destructor)) static void write_units(void) {
#ifdef EDGEPROF_UNIT_EXITS
    edgeprof_exits_end();
#else
    edgeprof_units_append();
#endif
}
