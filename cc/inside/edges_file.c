/* edges_file.c - at exit, adds all units to a file: on Linux what earlier runs
   left is added up in place (merge.h), elsewhere each run is appended
   (append.h). A child of fork writes what its parent did before the fork, too.

   Options, where this file is compiled:
     EDGEPROF_UNIT_EXITS   exits.c is linked and has more to do at the end */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "append.h"
#include "edges.h"
#ifdef __linux__
#include "merge.h"
#endif

#ifdef EDGEPROF_UNIT_EXITS
EDGEPROF_UNIT_API void edgeprof_exits_end(void);
EDGEPROF_UNIT_API int edgeprof_exits_cut(void);
#endif

int edgeprof_units_append(void) {
    append_file to;
    if (edgeprof_units_count() == 0) return 0;
    if (edgeprof_units_settle) edgeprof_units_settle();
    if (append_open(&to) != 0) return -1;
#ifdef __linux__
#ifdef EDGEPROF_UNIT_EXITS
    return merge_run(&to, edgeprof_exits_cut());
#else
    return merge_run(&to, 0);
#endif
#else
    {
        const char *test = getenv("BURSTY_TEST");
        const edgeprof_unit *unit;
        uint32_t i;
        int failed = 0;
        edgeprof_units_running(1);
        for (i = 0; !failed && (unit = edgeprof_units_at(i)) != NULL; i++)
            failed = edgeprof_unit_write(unit, 1, test, append_bytes, &to);
        edgeprof_units_running(-1);
        append_close(&to, failed);
        return failed ? -1 : 0;
    }
#endif
}

/* Behind destructors of the program itself, as those of static objects of C++
   in a shared library. */
#ifdef __TINYC__
__attribute__((destructor))
#else
__attribute__((destructor(101)))
#endif
static void write_units(void) {
#ifdef EDGEPROF_UNIT_EXITS
    edgeprof_exits_end();
#else
    edgeprof_units_append();
#endif
}
