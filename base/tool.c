/* tool.c - messages, memory and whole files, for every subcommand. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200112L
#endif
#include "base/tool.h"
#include "base/text.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

/* Names in messages come from files and command lines: what a terminal would
   obey is an escape. */
int tool_error(const char *format, ...) {
    text line = {NULL, 0, 0};
    va_list arguments;
    int size;
    va_start(arguments, format);
    size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size >= 0) {
        char *words = (char *)tool_alloc((size_t)size + 1);
        va_start(arguments, format);
        vsnprintf(words, (size_t)size + 1, format, arguments);
        va_end(arguments);
        text_plain(&line, words);
        free(words);
    }
    fprintf(stderr, "%s: %.*s\n", tool_program, (int)line.size, line.data ? line.data : "");
    text_free(&line);
    return TOOL_BAD_INPUT;
}

int tool_system_error(const char *path) {
    const char *reason = strerror(errno);
    return tool_error("%s: %s", *path ? path : "'' (an empty path)", reason);
}

uint64_t tool_sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }
uint64_t tool_product(uint64_t a, uint64_t b) {
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}
uint64_t tool_divisor(uint64_t a, uint64_t b) { return b ? tool_divisor(b, a % b) : a; }
int tool_order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

int tool_by_string(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *tool_last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *tool_here(void) {
    static char here[4096];
    if (!*here && !getcwd(here, sizeof here)) return ".";
    return here;
}

const char *tool_seen_from_here(const char *path) {
    const char *here = tool_here();
    size_t size = strlen(here);
    return size > 1 && strncmp(path, here, size) == 0 && path[size] == '/' ? path + size + 1 : path;
}

uint64_t tool_file_time(const char *path) {
    struct stat status;
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || status.st_mtime < 0) return 0;
    return (uint64_t)status.st_mtime;
}

int tool_file_date(const char *path, char *date, size_t size) {
    struct stat status;
    const struct tm *utc;
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0) return 0;
    utc = gmtime(&status.st_mtime);
    return utc && strftime(date, size, "%Y-%m-%d %H:%M UTC", utc) != 0;
}

FILE *tool_binary(FILE *file) {
#ifdef _WIN32
    _setmode(_fileno(file), _O_BINARY);
#endif
    return file;
}

unsigned char *tool_read_file(const char *path, const char *magic, size_t *size) {
    FILE *file = strcmp(path, "-") == 0 ? tool_binary(stdin) : fopen(path, "rb");
    unsigned char *data = NULL;
    size_t have = 0, room = 0;
    if (!file) {
        tool_system_error(path);
        return NULL;
    }
    errno = 0;
    for (;;) {
        size_t got;
        if (have == room) {
            room = room ? 2 * room : 65536;
            data = (unsigned char *)tool_grow(data, room);
        }
        got = fread(data + have, 1, room - have, file);
        if (got == 0) break;
        have += got;
        if (magic && have >= strlen(magic) && memcmp(data, magic, strlen(magic)) != 0) break;
    }
    if (ferror(file)) {
        const char *reason = errno ? strerror(errno) : "cannot be read"; /* such as a folder */
        tool_error("%s: offset %lu: %s", path, (unsigned long)have, reason);
        free(data);
        data = NULL;
    }
    if (file != stdin) fclose(file);
    *size = have;
    return data;
}

int tool_run(const tool_command *const *list, int argc, char **argv) {
    for (; *list; list++) {
        if (strcmp(argv[0], (*list)->name) == 0) return (*list)->run(argc, argv);
    }
    return tool_error("no command '%s'; %s --help lists them", argv[0], tool_program);
}

int tool_end(int status) {
    int failed;
    errno = 0;
    failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && status == TOOL_OK) {
        if (errno) tool_system_error("standard output");
        else tool_error("standard output: cannot be written");
        status = TOOL_FAILED;
    }
    return status;
}
