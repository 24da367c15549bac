/* source.c - the door to sources. */
#ifndef _WIN32
#define _XOPEN_SOURCE 700
#endif
#include "base/source.h"
#include "base/text.h"
#include "base/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#ifndef _WIN32
#include <fcntl.h>
#include <unistd.h>
#endif

static char *behind_links(const char *path) {
#ifdef _WIN32
    return _fullpath(NULL, path, 0);
#else
    return realpath(path, NULL);
#endif
}

static int is_slash(char c) {
#ifdef _WIN32
    if (c == '\\') return 1;
#endif
    return c == '/';
}

static int is_absolute(const char *name) {
#ifdef _WIN32
    if (name[0] && name[1] == ':') return 1;
#endif
    return is_slash(name[0]);
}

int sources_begin(sources *s, const char *root) {
    struct stat status;
    memset(s, 0, sizeof *s);
    s->root = behind_links(root ? root : ".");
    if (!s->root || stat(s->root, &status) != 0) {
        if (!root) return TOOL_OK; /* then nothing is let in */
        return tool_error("--source-root %s: %s", root, strerror(errno));
    }
    if (!S_ISDIR(status.st_mode)) return tool_error("--source-root %s: is no folder", root);
    return TOOL_OK;
}

void sources_end(sources *s) {
    free(s->root);
    memset(s, 0, sizeof *s);
}

int sources_is_named(const char *name) {
    static const char *const endings[] = {".c",   ".h",   ".cc",  ".cpp", ".cxx", ".hpp",
                                          ".hh",  ".hxx", ".inl", ".ipp", ".tpp", ".tcc",
                                          ".inc", ".l",   ".y",   NULL};
    const char *dot = strrchr(name, '.');
    size_t i;
    for (i = 0; dot && endings[i]; i++) {
        if (strcmp(dot, endings[i]) == 0) return 1;
    }
    return 0;
}

char *sources_path(const sources *s, const char *name) {
    text path = {NULL, 0, 0};
    char *real;
    if (!s->root) return NULL;
    if (!is_absolute(name)) {
        text_add(&path, s->root);
        text_add(&path, "/");
    }
    text_add(&path, name);
    text_bytes(&path, "", 1);
    real = behind_links(path.data);
    text_free(&path);
    return real;
}

static int is_inside(const sources *s, const char *path) {
    size_t size = strlen(s->root);
    if (strncmp(path, s->root, size) != 0) return 0;
    return is_slash(path[size]) || (size && is_slash(s->root[size - 1]));
}

const char *sources_check(sources *s, const char *name) {
    struct stat status;
    const char *why = NULL;
    char *path;
    if (!sources_is_named(name)) return "does not have the name of a source";
    path = sources_path(s, name);
    if (!path) return "is not here";
    if (!is_inside(s, path) || !sources_is_named(path))
        why = "lies outside of the folder of sources; --source-root FOLDER sets another one";
    else if (stat(path, &status) != 0) why = "is not here";
    else if (!S_ISREG(status.st_mode)) why = "is no regular file";
    else if (status.st_size > SOURCE_MOST) why = "is larger than 16 MiB";
    else if (s->taken + (uint64_t)status.st_size > SOURCES_MOST)
        why = "comes after 32 MiB of others";
    else s->taken += (uint64_t)status.st_size;
    free(path);
    return why;
}

/* Between the check and this, another file may have taken the name. */
FILE *sources_open(const sources *s, const char *name) {
    char *path = sources_path(s, name);
    FILE *file = NULL;
    if (path && is_inside(s, path)) {
#ifdef _WIN32
        file = fopen(path, "rb");
#else
        int number = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        struct stat status;
        if (number >= 0 && (fstat(number, &status) != 0 || !S_ISREG(status.st_mode))) {
            close(number);
            number = -1;
        }
        if (number >= 0) file = fdopen(number, "rb");
#endif
    }
    free(path);
    return file;
}
