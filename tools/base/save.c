/* save.c - output to files. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200112L
#endif
#include "base/save.h"
#include "base/tool.h"
#include <string.h>
#ifndef _WIN32
#include <sys/stat.h>
#endif

enum { MUCH = 1 << 18 };

static int is_stdout(const char *path) { return !path || strcmp(path, "-") == 0; }

static int is_same_file(const char *a, const char *b) {
#ifndef _WIN32
    struct stat left, right;
    if (stat(a, &left) == 0 && stat(b, &right) == 0)
        return S_ISREG(left.st_mode) && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
#endif
    return strcmp(a, b) == 0;
}

static int begins_as_dump(const char *path) {
    char magic[4] = {0, 0, 0, 0};
    FILE *file;
#ifndef _WIN32
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
#endif
    file = fopen(path, "rb");
    if (!file) return 0;
    if (fread(magic, 1, sizeof magic, file) != sizeof magic) magic[0] = 0;
    fclose(file);
    return memcmp(magic, "BRST", sizeof magic) == 0;
}

int save_open(save *s, const char *path, char *const *inputs, int input_count, int is_dump) {
    int i;
    s->path = path;
    s->status = TOOL_OK;
    s->file = NULL;
    if (is_stdout(path)) {
        s->file = tool_binary(stdout);
        return TOOL_OK;
    }
    for (i = 0; i < input_count; i++) {
        if (strcmp(inputs[i], "-") != 0 && is_same_file(inputs[i], path))
            return tool_error("%s: is an input, and would be overwritten", path);
    }
    if (!is_dump && begins_as_dump(path))
        return tool_error("%s: is a .brst file, and would be overwritten", path);
    s->file = fopen(path, "wb");
    if (s->file) return TOOL_OK;
    tool_system_error(path);
    return TOOL_FAILED;
}

static void write_all(save *s, text *t) {
    if (s->status == TOOL_OK && t->size && fwrite(t->data, 1, t->size, s->file) != t->size) {
        tool_system_error(is_stdout(s->path) ? "standard output" : s->path);
        s->status = TOOL_FAILED;
    }
    t->size = 0;
}

void save_some(save *s, text *t) {
    if (s && t->size >= MUCH) write_all(s, t);
}

int save_close(save *s, text *t) {
    int closed;
    write_all(s, t);
    closed = is_stdout(s->path) ? fflush(s->file) : fclose(s->file);
    if (closed != 0 && s->status == TOOL_OK) {
        tool_system_error(is_stdout(s->path) ? "standard output" : s->path);
        s->status = TOOL_FAILED;
    }
    return s->status;
}

int text_save(text *t, const char *path) {
    save s;
    int status = save_open(&s, path, NULL, 0, 1);
    return status == TOOL_OK ? save_close(&s, t) : status;
}
