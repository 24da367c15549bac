/* dump.c - at exit, trees and ticks go into the file that $BURSTY_CONTEXTS
   names, by default hcct.brst. %p in the name becomes the process number. A
   child of fork adds its number if there is no %p, for the file without it is
   its parent's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#define FILE_NAME_HOOK RECORDER_HOOK
#include "../../../cc/inside/file_name.h"

/* A file that is written a block at a time. */
typedef struct output {
    int file;
    uint64_t most;                          /* bytes that it may have still */
    size_t used;
    char block[1 << 14];
} output;

/* A file that grows more than it may would end the process by SIGXFSZ. */
RECORDER_HOOK static uint64_t most_of(int file) {
    struct rlimit limit;
    struct stat s;
    if (fstat(file, &s) != 0 || !S_ISREG(s.st_mode)) return UINT64_MAX;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? (uint64_t)limit.rlim_cur : UINT64_MAX;
}

RECORDER_HOOK static int flush(output *o) {
    size_t done = 0;
    if (o->used > o->most) {
        errno = EFBIG;
        return -1;
    }
    if (o->most != UINT64_MAX) o->most -= o->used;
    while (done < o->used) {
        ssize_t put = write(o->file, o->block + done, o->used - done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return -1;
        done += (size_t)put;
    }
    o->used = 0;
    return 0;
}

RECORDER_HOOK static int to_file(void *user, const void *data, size_t size) {
    output *o = (output *)user;
    const char *from = (const char *)data;
    while (size) {
        size_t part = sizeof o->block - o->used;
        if (part > size) part = size;
        memcpy(o->block + o->used, from, part);
        o->used += part;
        from += part;
        size -= part;
        if (o->used == sizeof o->block && flush(o) != 0) return -1;
    }
    return 0;
}

/* Without a FILE: the process may end in a signal handler that has interrupted
   malloc. */
RECORDER_HOOK int recorder_write(const recorder_thread *all, const char *path,
                                 int (*more)(hcct_write_fn write, void *user)) {
    static output o;
    const recorder_thread *r;
    int failed = 0;
    o.used = 0;
    o.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o.file < 0) return -1;
    o.most = most_of(o.file);
    for (r = all; r && !failed; r = r->next) {
        failed = hcct_write(&r->tree, recorder_name, NULL, to_file, &o);
    }
    if (more && !failed) failed = more(to_file, &o);
    if (all && !failed) failed = recorder_write_sample(to_file, &o);
    if (!failed) failed = recorder_write_modules(to_file, &o);
    if (!failed) failed = flush(&o);
    if (failed) {
        int why = errno;
        close(o.file);
        errno = why;
    } else failed = close(o.file);
    return failed ? -1 : 0;
}

RECORDER_HOOK void recorder_dump(int (*more)(hcct_write_fn write, void *user)) {
    char path[4200];
    uint32_t threads, functions;
    uint64_t deep = 0;
    const recorder_thread *all = recorder_stop(&threads), *r;
    const recorder_thread *trees = recorder_period == RECORDER_NEVER ? NULL : all;
    file_name(path, sizeof path, "BURSTY_CONTEXTS", "hcct.brst", recorder_is_child());
    functions = recorder_find_places();
    errno = 0;
    if ((trees || (all && more)) && recorder_write(trees, path, more) != 0) {
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
