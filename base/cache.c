/* cache.c - a folder for what may be forgotten. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "cache.h"

#if defined(__linux__)
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One part of the way is made if it is missing. */
static void make_folder(const char *path, size_t size) {
    char part[4096];
    if (size >= sizeof part) return;
    memcpy(part, path, size);
    part[size] = 0;
    (void)mkdir(part, 0700);
}

int cache_folder(char *path, size_t size) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct stat s;
    int n = -1;
    if (cache && cache[0] == '/') n = snprintf(path, size, "%s/bursty", cache);
    else if (home && home[0] == '/') n = snprintf(path, size, "%s/.cache/bursty", home);
    if (n < 0 || (size_t)n >= size) return -1;
    make_folder(path, (size_t)(strrchr(path, '/') - path));
    make_folder(path, (size_t)n);
    if (lstat(path, &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != geteuid()) return -1;
    return s.st_mode & (S_IWGRP | S_IWOTH) || access(path, W_OK | X_OK) != 0 ? -1 : 0;
}

/* The names that record/inside/preload/cache.c gives: 16 digits, and while it writes a
   dot and a number. */
static int is_ours(const char *name) {
    size_t n = strspn(name, "0123456789abcdef");
    if (n != 16) return 0;
    return !name[n] || (name[n] == '.' && strspn(name + n + 1, "0123456789") == strlen(name + n + 1));
}

/* What all files have, and the oldest of them. */
static unsigned long look(const char *path, char *oldest, size_t size) {
    unsigned long sum = 0;
    struct dirent *e;
    struct stat s;
    time_t least = 0, now = time(NULL);
    DIR *folder = opendir(path);
    oldest[0] = 0;
    while (folder && (e = readdir(folder)) != NULL) {
        char name[4400];
        if (!is_ours(e->d_name)) continue;
        snprintf(name, sizeof name, "%.4090s/%s", path, e->d_name);
        if (lstat(name, &s) != 0 || !S_ISREG(s.st_mode)) continue;
        if (strchr(e->d_name, '.') && now - s.st_mtime > 600 && unlink(name) == 0) continue;
        sum += (unsigned long)s.st_size;
        if (oldest[0] && s.st_mtime >= least) continue;
        least = s.st_mtime;
        snprintf(oldest, size, "%s", name);
    }
    if (folder) closedir(folder);
    return sum;
}

void cache_trim(const char *path, unsigned long bytes) {
    char oldest[4400];
    while (look(path, oldest, sizeof oldest) > bytes && oldest[0]) {
        if (unlink(oldest) != 0) return;
    }
}
#else
typedef int cache_is_empty;
#endif
