/* cache.c - a folder of what need not be made twice. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#endif
#include "cc/run/cache.h"
#include "base/tool.h"
#include "cc/run/process.h"
#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
char *cc_cache_folder(void) { return NULL; }
void cc_cache_warn(void) {}
int cc_cache_has(const char *path) {
    (void)path;
    return 0;
}
char *cc_cache_part(const char *path) {
    (void)path;
    return NULL;
}
int cc_cache_settle(char *part, const char *path) {
    (void)part;
    (void)path;
    return -1;
}
int cc_cache_keep(const char *path, const void *data, size_t size) {
    (void)path;
    (void)data;
    (void)size;
    return -1;
}
#else
#include <sys/stat.h>
#include <unistd.h>

enum { OTHERS_WRITE = S_IWGRP | S_IWOTH };

static int is_mine(const struct stat *s) { return s->st_uid == geteuid() || s->st_uid == 0; }

/* In a folder with the sticky bit others can make files, but replace none. */
static int is_safe(const char *folder) {
    struct stat s;
    return stat(folder, &s) == 0 && S_ISDIR(s.st_mode) && is_mine(&s) &&
           (!(s.st_mode & OTHERS_WRITE) || (s.st_mode & S_ISVTX));
}

/* Its name and a '/', or NULL. It may be there, or not. */
static char *folder_name(void) {
    const char *own = getenv("BURSTY_CACHE"), *shared = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *folder, *cache;
    if (own && *own) {
        mkdir(own, 0755);               /* root may make one for all */
        return cc_join(own, "/");
    }
    if (shared && *shared) {
        folder = cc_join(shared, "/bursty/");
    } else {
        if (!home || !*home) return NULL;
        cache = cc_join(home, "/.cache");
        mkdir(cache, 0700);
        folder = cc_join(cache, "/bursty/");
        free(cache);
    }
    mkdir(folder, 0700);
    return folder;
}

char *cc_cache_folder(void) {
    char *folder = folder_name();
    if (folder && is_safe(folder)) return folder;
    free(folder);
    return NULL;
}

void cc_cache_warn(void) {
    char *folder = folder_name();
    struct stat s;
    if (folder && !is_safe(folder) && stat(folder, &s) == 0 && S_ISDIR(s.st_mode)) {
        fprintf(stderr, "bursty: cc: the cache %s is not used, for others can write there ",
                folder);
        if (is_mine(&s)) fprintf(stderr, "(chmod go-w %s)\n", folder);
        else fprintf(stderr, "(it is another user's: set BURSTY_CACHE)\n");
    }
    free(folder);
}

int cc_cache_has(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && is_mine(&s) &&
           !(s.st_mode & OTHERS_WRITE) && access(path, R_OK) == 0;
}

char *cc_cache_part(const char *path) {
    char *part = cc_join(path, ".XXXXXX");
    int file = mkstemp(part);
    if (file >= 0) {
        close(file);
        return part;
    }
    free(part);
    return NULL;
}

/* Whoever the user's mask lets read may read; a linker may have set more. */
int cc_cache_settle(char *part, const char *path) {
    mode_t mask = umask(0);
    int failed;
    umask(mask);
    failed = chmod(part, 0644 & ~mask) != 0 || rename(part, path) != 0;
    if (failed) remove(part);
    free(part);
    return failed ? -1 : 0;
}

int cc_cache_keep(const char *path, const void *data, size_t size) {
    char *part = cc_cache_part(path);
    if (!part) return -1;
    if (cc_write_file(part, data, size) == TOOL_OK) return cc_cache_settle(part, path);
    remove(part);
    free(part);
    return -1;
}
#endif
