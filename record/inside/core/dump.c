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
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define BASE_P_SLOW RECORDER_HOOK __attribute__((unused)) static
#define BASE_P_DRAWS_SEED
#define BASE_P_ASKS_LINUX
#include "../../../src/part.c" /* what the headers have, too */
#include "../../../src/chance.c"
#include "../../../src/seed.c"
#include "../../../src/sample.c"
#define FILE_NAME_HOOK RECORDER_HOOK
#include "../../../cc/inside/file_name.h"

/* A number of the environment; `otherwise` if there is none. */
RECORDER_HOOK static uint64_t number_of(const char *variable, uint64_t least, uint64_t most,
                                        uint64_t otherwise) {
    const char *words = getenv(variable);
    uint64_t number = 0;
    const char *at = words;
    if (!words || !*words) return otherwise;
    for (; *at >= '0' && *at <= '9' && number <= most; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
    }
    if (!*at && number >= least && number <= most) return number;
    fprintf(stderr, "hcct: %s: '%s' is not valid: a number from %lu to %lu is wanted\n", variable,
            words, (unsigned long)least, (unsigned long)most);
    return otherwise;
}

uint32_t recorder_ticks, recorder_seed;
static uint32_t seed_is;

RECORDER_HOOK void recorder_take_seed(uint32_t seed) {
    seed_is = seed ? BASE_P_SEED_GIVEN : BASE_P_SEED_DRAWN;
    recorder_seed = seed ? seed : base_p_draw_seed();
}

RECORDER_HOOK void recorder_seed_child(void) {
    recorder_seed = base_p_mix(recorder_seed, base_p_process());
    seed_is = BASE_P_SEED_DRAWN;
}

/* The image is that of the program: its program headers stand behind the ELF
   header. */
RECORDER_HOOK int recorder_write_sample(hcct_write_fn write, void *user) {
    const uint32_t sample[3] = {recorder_seed, seed_is, 0};
    uintptr_t image = (uintptr_t)getauxval(AT_PHDR) & ~(uintptr_t)4095;
    return base_p_write_sample(sample, base_p_build_of((const unsigned char *)image),
                               program_invocation_short_name, write, user);
}

RECORDER_HOOK void recorder_options(void) {
    uint64_t every;
    recorder_take_seed((uint32_t)number_of("BURSTY_SEED", 0, UINT32_MAX, 0));
    recorder_burst = number_of("BURSTY_CONTEXTS_BURST", 1, 1 << 30, 100);
    recorder_ticks = (uint32_t)number_of("BURSTY_CONTEXTS_TICKS", 1, 10000, 0);
    every = number_of("BURSTY_CONTEXTS_EVERY", 0, 1 << 30, recorder_ticks ? RECORDER_NEVER : 0);
    recorder_reenable = (uint32_t)number_of("BURSTY_CONTEXTS_REENABLE", 0, 1 << 20, RECORDER_STATIC);
    recorder_period = every == 0 || every == RECORDER_NEVER ? every : every + recorder_burst;
    if (!recorder_period) recorder_reenable = RECORDER_STATIC;
}

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
