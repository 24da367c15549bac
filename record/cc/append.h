/* append.h - what edges_file.c and sancov_file.c do at exit: append a dump to coverage.brst, or to
   the file that the environment names BURSTY_COVERAGE. A lock keeps programs that end at the same
   time apart. What could not be written whole is taken back, so that the file stays readable. */
#ifndef BURSTY_RECORD_APPEND_H
#define BURSTY_RECORD_APPEND_H
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int append_bytes(void *file, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)file) != size;
}

static const char *append_path(void) {
    const char *path = getenv("BURSTY_COVERAGE");
    return path && *path ? path : "coverage.brst";
}

/* Opens the file behind its end and waits for its lock. Returns NULL after a message; so it does
   for a file that is something else than a dump. */
static FILE *append_open(off_t *before) {
    FILE *file = fopen(append_path(), "a+b");
    struct flock lock;
    char magic[4];
    size_t got;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (!file) {
        fprintf(stderr, "%s: %s\n", append_path(), strerror(errno));
        return NULL;
    }
    while (fcntl(fileno(file), F_SETLKW, &lock) != 0 && errno == EINTR) {
    }
    *before = lseek(fileno(file), 0, SEEK_END);
    rewind(file);
    got = *before > 0 ? fread(magic, 1, sizeof magic, file) : 0;
    if (*before > 0 && (got < sizeof magic || memcmp(magic, "BRST", sizeof magic) != 0)) {
        fprintf(stderr, "%s: is no .brst file; nothing is appended\n", append_path());
        fclose(file);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    return file;
}

/* Closes the file, which gives the lock back. */
static void append_close(FILE *file, off_t before, int failed) {
    errno = failed ? errno : 0;
    if (fflush(file) != 0) failed = 1;
    if (failed) {
        fprintf(stderr, "%s: cannot be written: %s\n", append_path(), strerror(errno));
        if (before >= 0 && ftruncate(fileno(file), before) != 0)
            fprintf(stderr, "%s: is damaged now; delete it\n", append_path());
    }
    fclose(file);
}
#endif
