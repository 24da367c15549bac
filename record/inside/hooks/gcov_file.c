/* gcov_file.c - at exit, on a machine with files: what gcov.c has counted goes
   into the .gcda files whose names gcc has put into the objects. A file of an
   earlier run is added to. One that another compilation has made is written
   anew. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "gcov.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { HEADER = 16 }; /* bytes: magic, version, stamp, checksum */
#define TAG_SUMMARY UINT32_C(0xA1000000)
#define TAG_ARCS UINT32_C(0x01A10000)

/* The file that is being made. */
typedef struct gcda {
    char *path;
    unsigned char *bytes;
    size_t size, room;
} gcda;

static uint32_t word_at(const unsigned char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Adds what an earlier run of the same object has left: both have the same
   records. */
static void add(unsigned char *into, const unsigned char *from, size_t size) {
    size_t at = HEADER, end, k;
    while (at + 8 <= size) {
        uint32_t tag = word_at(into + at), length = word_at(into + at + 4);
        if (tag != word_at(from + at) || length != word_at(from + at + 4)) return;
        at += 8;
        end = at + length;
        if (end > size) return;
        if (tag == TAG_SUMMARY && length >= 4) {
            uint32_t runs = word_at(into + at) + word_at(from + at);
            memcpy(into + at, &runs, sizeof runs);
        }
        for (k = at; tag == TAG_ARCS && k + 8 <= end; k += 8) {
            uint64_t sum, other;
            memcpy(&sum, into + k, 8);
            memcpy(&other, from + k, 8);
            sum += other;
            memcpy(into + k, &sum, 8);
        }
        at = end;
    }
}

static int write_all(int file, const unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0) return -1;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

/* Writes the file that is complete now, with a lock against other programs that
   end. */
static void close_file(gcda *g) {
    int file = g->path ? open(g->path, O_RDWR | O_CREAT, 0666) : -1, failed;
    unsigned char *old = NULL;
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (file >= 0) {
        while (fcntl(file, F_SETLKW, &lock) != 0 && errno == EINTR) {
        }
        old = (unsigned char *)malloc(g->size + 1);
        if (old && read(file, old, g->size + 1) == (ssize_t)g->size &&
            memcmp(old, g->bytes, HEADER) == 0)
            add(g->bytes, old, g->size);
        failed = lseek(file, 0, SEEK_SET) != 0 || ftruncate(file, 0) != 0;
        failed |= write_all(file, g->bytes, g->size);
        if (close(file) != 0 || failed) file = -1;
    }
    if (g->path && file < 0) fprintf(stderr, "%s: %s\n", g->path, strerror(errno));
    free(old);
    free(g->path);
    g->path = NULL;
    g->size = 0;
}

static int open_next(void *user, const char *path) {
    gcda *g = (gcda *)user;
    close_file(g);
    g->path = strdup(path);
    return g->path == NULL;
}

static int put(void *user, const void *data, size_t size) {
    gcda *g = (gcda *)user;
    unsigned char *bytes;
    if (g->room - g->size < size) {
        bytes = (unsigned char *)realloc(g->bytes, 2 * (g->room + size));
        if (!bytes) return 1;
        g->bytes = bytes;
        g->room = 2 * (g->room + size);
    }
    memcpy(g->bytes + g->size, data, size);
    g->size += size;
    return 0;
}

/* A program and its shared library may both be linked with these files. Then
   the dynamic linker makes all names of the library's copy those of the
   program's: there is one list of objects, and the second destructor has
   nothing to do. */
__attribute__((weak)) int gcov_file_is_first(void); /* weak: never taken for its own copy */
int gcov_file_is_first(void) {
    static int calls;
    return calls++ == 0;
}

__attribute__((destructor)) static void write_files(void) {
    gcda g = {NULL, NULL, 0, 0};
    if (!gcov_file_is_first()) return;
    if (gcov_dump(open_next, put, &g) != 0)
        fprintf(stderr, "gcov_file.c: objects of a gcc that gcov.c does not know, or no memory\n");
    else
        close_file(&g);
    free(g.path);
    free(g.bytes);
}
