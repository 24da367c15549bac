/* checks.c - what `bursty cc` links into a program: bursty.h, started before
   main and saved at exit.

   The dump goes to the file that BURSTY_FILE names, or to the program's name
   with .brst. %p in the name becomes the process number; a child of fork adds
   its number if there is no %p. A program that made no check leaves no file.
   What one process writes to one file adds up there: a library that it opens and
   closes again and again, or several of them.
   BURSTY_EVERY sets the checks between bursts (0: no gaps), BURSTY_BURST those
   of a burst. BURSTY_SEED repeats the sample of a dump that has this seed.
   BURSTY_OFF=1 keeps sampling off. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#endif
#define BURSTY_STACK 64
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "file_name.h"

/* Made at link time: the name of the dump, and rates or 0. */
extern __attribute__((visibility("hidden"))) const char bursty_cc_file[];
extern __attribute__((visibility("hidden"))) const unsigned bursty_cc_rates[2];
extern __attribute__((visibility("hidden"))) const int bursty_cc_ticks;

#include "twins.c"

/* Rewritten files hold a copy of these (cc/put/points.c). */
#define MUST_HOLD(name, condition) typedef char name[(condition) ? 1 : -1]
MUST_HOLD(word_stands_first, offsetof(bursty_here, n) == 0);
MUST_HOLD(depth_stands_second, offsetof(bursty_here, depth) == 4);
MUST_HOLD(stack_of_64, sizeof(bursty_here) == 8 + 64 * sizeof(void *));
MUST_HOLD(site_of_four, offsetof(bursty_site, line) == 2 * sizeof(char *) &&
                            sizeof(bursty_site) == 2 * sizeof(char *) + 8);
MUST_HOLD(kinds, BURSTY_CALL == 1 && BURSTY_RETURN == 2 && BURSTY_BACKEDGE == 4 &&
                     BURSTY_FRAME == 256);

static pid_t parent;

/* Is there something that is no dump? It is not overwritten. */
static int is_foreign(const char *path) {
    char magic[4];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    (void)setvbuf(file, NULL, _IONBF, 0); /* no buffer of malloc: see bursty_save */
    got = fread(magic, 1, sizeof magic, file);
    fclose(file);
    return got > 0 && (got < sizeof magic || memcmp(magic, "BRST", sizeof magic) != 0);
}

/* ---- what this process has written before ----

   A library that was closed leaves nothing behind but its file. So the file's
   first page stays mapped, which nobody reads: a file that is mapped under its
   name has been written by this process. */
#ifdef __linux__
static int is_mapped(const char *path) {
    char real[PATH_MAX], buffer[4096];
    size_t size, at = 0, fields = 0;
    int maps, before = ' ', is_same = 1, found = 0;
    ssize_t got = 0, i;
    if (!realpath(path, real)) return 0;
    size = strlen(real);
    maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (maps >= 0 && !found && (got = read(maps, buffer, sizeof buffer)) > 0) {
        for (i = 0; i < got && !found; i++) {
            char c = buffer[i];
            if (c == '\n') {
                found = is_same && at == size;
                at = fields = 0;
                is_same = 1;
                before = ' ';
                continue;
            }
            if (c != ' ' && before == ' ' && at == 0) fields++;
            before = c;
            if (fields < 6) continue;
            is_same = is_same && at < size && real[at] == c;
            at++;
        }
    }
    if (maps >= 0) close(maps);
    return found;
}

static void map_first_page(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    (void)mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
}
#else
static int is_mapped(const char *path) { return (void)path, 0; }
static void map_first_page(const char *path) { (void)path; }
#endif

static int put(void *user, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)user) == size ? 0 : -1;
}

static int append(const char *path) {
    FILE *file = fopen(path, "ab");
    char buffer[4096];
    int failed;
    if (!file) return -1;
    (void)setvbuf(file, buffer, _IOFBF, sizeof buffer);
    failed = bursty_write(put, file) != 0;
    return fclose(file) != 0 || failed ? -1 : 0;
}

static void save(void) {
    char path[4200];
    bursty_stats stats;
    bursty_get_stats(&stats);
    if (stats.checks == 0) return;
    file_name(path, sizeof path, "BURSTY_FILE", bursty_cc_file, getpid() != parent);
    if (is_foreign(path)) {
        fprintf(stderr, "bursty: %s: is no .brst file and is not overwritten\n", path);
        return;
    }
    if ((is_mapped(path) ? append(path) : bursty_save(path)) != 0) {
        fprintf(stderr, "bursty: ");
        perror(path);
        return;
    }
    map_first_page(path);
}

static unsigned number(const char *name, unsigned otherwise) {
    const char *value = getenv(name);
    unsigned long result;
    char *end;
    if (!value || !*value) return otherwise;
    result = strtoul(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end && result > 0 && result <= 1ul << 30)
        return (unsigned)result;
    fprintf(stderr, "bursty: %s: '%s' is not valid: a number from 1 to 1073741824 is wanted\n",
            name, value);
    return otherwise;
}

static uint32_t seed(void) {
    const char *value = getenv("BURSTY_SEED");
    unsigned long result;
    char *end;
    if (!value || !*value) return 0;
    errno = 0;
    result = strtoul(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end && !errno && result <= UINT32_MAX)
        return (uint32_t)result;
    fprintf(stderr, "bursty: BURSTY_SEED: '%s' is not valid: a number from 0 to 4294967295 is "
                    "wanted\n", value);
    return 0;
}

static unsigned every(void) {
    const char *value = getenv("BURSTY_EVERY");
    return value && !strcmp(value, "0") ? BURSTY_ALWAYS : number("BURSTY_EVERY", bursty_cc_rates[0]);
}

/* In front of C++'s static initialisers, which are then seen; and what was
   registered first runs last, so the dump has the destructors, too. */
#ifdef __ELF__
__attribute__((constructor(101)))
#else
__attribute__((constructor))
#endif
static void start(void) {
    bursty_config config;
    const char *off = getenv("BURSTY_OFF");
    if (off && *off == '1') return;
    memset(&config, 0, sizeof config);
    config.program = bursty_cc_file;
    config.tick_hz = bursty_cc_ticks ? 0 : -1; /* time only for who asked for it */
    config.seed = seed();
    config.profile.every = every();
    config.profile.burst = number("BURSTY_BURST", bursty_cc_rates[1]);
    parent = getpid();
    sort_twins();
    if (bursty_start(&config) == 0) {
        fputs("bursty: BURSTY_EVERY or BURSTY_BURST is out of range\n", stderr);
        return;
    }
    atexit(save);
}
