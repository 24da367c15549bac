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

/* A number of the environment; 0 if there is none. */
RECORDER_HOOK static uint64_t number_of(const char *variable) {
    const char *words = getenv(variable);
    uint64_t number = 0;
    const char *at = words;
    if (!words || !*words) return 0;
    for (; *at >= '0' && *at <= '9' && number < UINT32_MAX; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
    }
    if (!*at && number && number <= UINT32_MAX) return number;
    fprintf(stderr, "hcct: %s: '%s' is not valid: a number from 1 to 4294967295 is wanted\n",
            variable, words);
    return 0;
}

RECORDER_HOOK void recorder_options(void) {
    recorder_every = number_of("BURSTY_CONTEXTS_EVERY");
    recorder_burst = number_of("BURSTY_CONTEXTS_BURST");
    if (!recorder_burst) recorder_burst = 100;
    if (recorder_every && recorder_every <= recorder_burst) {
        fprintf(stderr, "hcct: bursts of %lu calls, one in %lu: every call is recorded\n",
                (unsigned long)recorder_burst, (unsigned long)recorder_every);
        recorder_every = 0;
    }
}

/* Counts of bursts stand for all calls. */
RECORDER_HOOK static int write_tree(recorder_thread *r, FILE *file) {
    if (recorder_every) hcct_scale_to(&r->tree, r->seen);
    return hcct_write(&r->tree, recorder_name, NULL, to_file, file);
}

RECORDER_HOOK static int write_all(recorder_thread *r, const char *path) {
    FILE *file = fopen(path, "wb");
    int failed = 0;
    if (!file) return -1;
    for (; r && !failed; r = r->next) failed = write_tree(r, file);
    if (fclose(file) != 0) failed = -1;
    return failed;
}

RECORDER_HOOK void recorder_dump(void) {
    char path[4200];
    uint32_t threads, functions;
    uint64_t deep = 0;
    recorder_thread *all = recorder_stop(&threads), *r;
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
