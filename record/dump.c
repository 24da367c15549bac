/* dump.c - at exit, all trees go into the file that $BURSTY_CONTEXTS names, by default hcct.brst.
   %p in the name becomes the process number. A child of fork adds its number if there is no %p, for
   the file without it is its parent's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

RECORDER_HOOK static void make_path(char *path, size_t room) {
    const char *wanted = getenv("BURSTY_CONTEXTS");
    size_t n = 0;
    int numbered = 0;
    if (!wanted || !*wanted) wanted = "hcct.brst";
    for (; *wanted && n < room - 64; wanted++) {
        if (wanted[0] == '%' && wanted[1] == 'p') {
            n += (size_t)snprintf(path + n, 32, "%ld", (long)getpid());
            numbered = 1;
            wanted++;
        } else {
            path[n++] = *wanted;
        }
    }
    path[n] = 0;
    if (recorder_is_child() && !numbered) snprintf(path + n, 32, ".%ld", (long)getpid());
}

RECORDER_HOOK static int to_file(void *file, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)file) != size;
}

RECORDER_HOOK static int write_all(const recorder_thread *r, const char *path) {
    FILE *file = fopen(path, "wb");
    int failed = 0;
    if (!file) return -1;
    for (; r && !failed; r = r->next)
        failed = hcct_write(&r->tree, recorder_name, NULL, to_file, file);
    if (fclose(file) != 0) failed = -1;
    return failed;
}

RECORDER_HOOK void recorder_dump(void) {
    char path[4200];
    uint32_t threads, functions;
    uint64_t deep = 0;
    const recorder_thread *all = recorder_stop(&threads), *r;
    make_path(path, sizeof path);
    functions = recorder_find_names();
    errno = 0;
    if (all && write_all(all, path) != 0) {
        fprintf(stderr, "hcct: cannot write %s: %s\n", path, strerror(errno));
    }
    for (r = all; r; r = r->next) deep += r->frames_full;
    if (threads)
        fprintf(stderr, "hcct: %lu threads are missing, for lack of memory\n",
                (unsigned long)threads);
    if (functions)
        fprintf(stderr, "hcct: %lu functions have no name, for lack of memory\n",
                (unsigned long)functions);
    if (deep) {
        fprintf(stderr,
                "hcct: %lu calls were deeper than RECORDER_DEPTH (%d); after longjmp their callers "
                "may be wrong\n",
                (unsigned long)deep, RECORDER_DEPTH);
    }
}
