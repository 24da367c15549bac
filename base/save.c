/* save.c - output to files.

   What is written goes into a new file, PATH.new, beside the one that is meant,
   and takes its place when it is whole. So a full disk, a fault or an interrupt
   leaves the old file as it was. A file with several names, or of another
   owner, gets the contents of the new one. A device such as /dev/null, a pipe,
   and a link that leads nowhere are written to directly. */
#ifndef _WIN32
#define _XOPEN_SOURCE 700
#endif
#include "base/save.h"
#include "base/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

enum { MUCH = 1 << 18 };

static int is_stdout(const char *path) { return !path || strcmp(path, "-") == 0; }

#ifndef _WIN32
static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Asks for the status of the folder that holds the path. */
static int stat_folder(const char *path, struct stat *status) {
    text folder = {NULL, 0, 0};
    int result;
    text_bytes(&folder, path, (size_t)(base_of(path) - path));
    text_add(&folder, ".");
    text_bytes(&folder, "", 1);
    result = stat(folder.data, status);
    text_free(&folder);
    return result;
}
#endif

/* Two files that do not exist yet are the same if they have one name in one
   folder. A device, such as /dev/null, may be used twice. */
static int is_same_file(const char *a, const char *b) {
#ifndef _WIN32
    struct stat left, right;
    int has_left = stat(a, &left) == 0, has_right = stat(b, &right) == 0;
    if (has_left != has_right) return 0;
    if (!has_left) {
        if (strcmp(base_of(a), base_of(b)) != 0) return 0;
        if (stat_folder(a, &left) != 0 || stat_folder(b, &right) != 0) return 0;
    } else if (!S_ISREG(left.st_mode)) {
        return 0;
    }
    return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
#else
    return strcmp(a, b) == 0;
#endif
}

static int is_input(const char *path, const char *const *inputs, int count) {
    int i;
    for (i = 0; i < count; i++) {
        if (is_stdout(inputs[i]) || !is_same_file(inputs[i], path)) continue;
        tool_error("%s: is an input, and would be overwritten", path);
        return 1;
    }
    return 0;
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

int save_check(const char *text_path, const char *dump_path, const char *const *inputs,
               int input_count) {
    if (!is_stdout(text_path) && is_input(text_path, inputs, input_count)) return TOOL_BAD_INPUT;
    if (!dump_path) return TOOL_OK;
    if (is_stdout(dump_path) && is_stdout(text_path))
        return tool_error("the report and the dump would both go to standard output");
    if (is_stdout(dump_path)) return TOOL_OK;
    if (is_input(dump_path, inputs, input_count)) return TOOL_BAD_INPUT;
    if (!is_stdout(text_path) && is_same_file(text_path, dump_path))
        return tool_error("%s: the report and the dump would both be written there", dump_path);
    return TOOL_OK;
}

int save_is_same(const char *a, const char *b) { return is_same_file(a, b); }

int save_check_dump(const char *path) {
    FILE *file;
    int first;
#ifndef _WIN32
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return TOOL_OK;
#endif
    file = fopen(path, "rb");
    if (!file) return TOOL_OK;
    first = fgetc(file);
    fclose(file);
    if (first == EOF || begins_as_dump(path)) return TOOL_OK;
    return tool_error("%s: is no .brst file, and would be overwritten", path);
}

/* The file that a path means, behind all links; NULL: it is to be written to
   directly. *stays: a new one in its place would be another file: of another
   owner, or without its other names. To be freed. */
static char *find_target(const char *path, int *stays) {
    text target = {NULL, 0, 0};
#ifndef _WIN32
    struct stat status;
    if (stat(path, &status) == 0) {
        if (!S_ISREG(status.st_mode)) return NULL;
        *stays = status.st_nlink > 1 || status.st_uid != geteuid();
        return realpath(path, NULL);
    }
    if (lstat(path, &status) == 0) return NULL;
#endif
    *stays = 0;
    text_add(&target, path);
    return text_take(&target);
}

/* Opens a file that is not there yet. */
static FILE *open_new(const char *path) {
#ifndef _WIN32
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    return file < 0 ? NULL : fdopen(file, "wb");
#else
    FILE *file = fopen(path, "rb");
    if (!file) return fopen(path, "wb");
    fclose(file);
    errno = EEXIST;
    return NULL;
#endif
}

/* A file that cannot be written is not replaced either. The new one has the old
   one's rights. */
static void keep_rights(save *s) {
#ifndef _WIN32
    struct stat status;
    if (stat(s->target, &status) != 0) return;
    if (access(s->target, W_OK) == 0 && fchmod(fileno(s->file), status.st_mode & 07777) == 0)
        return;
    tool_system_error(s->path);
    s->status = TOOL_FAILED;
#else
    (void)s;
#endif
}

/* The number of this process. */
static unsigned long own_number(void) {
#ifndef _WIN32
    return (unsigned long)getpid();
#else
    return 1;
#endif
}

/* PATH.new, or with the number of this process behind it where somebody has a
   file of that name. */
static void open_beside(save *s) {
    int i;
    for (i = 0; i < 2; i++) {
        text name = {NULL, 0, 0};
        int reason;
        text_add(&name, s->target);
        text_add(&name, ".new");
        if (i) text_format(&name, ".%lu", own_number());
        s->beside = text_take(&name);
        s->file = open_new(s->beside);
        if (s->file) break;
        reason = errno;
        free(s->beside);
        s->beside = NULL;
        errno = reason;
        if (reason != EEXIST) break;
    }
    if (s->file) {
        keep_rights(s);
        return;
    }
    s->file = fopen(s->target, "wb"); /* the folder is closed, or the name too long */
    if (!s->file) tool_system_error(s->path);
}

static void forget(save *s) {
    free(s->target);
    free(s->beside);
    s->target = s->beside = NULL;
}

int save_open(save *s, const char *path, const char *const *inputs, int input_count, int is_dump) {
    s->path = path;
    s->status = TOOL_OK;
    s->file = NULL;
    s->target = s->beside = NULL;
    s->stays = 0;
    if (is_stdout(path)) {
        s->file = tool_binary(stdout);
        return TOOL_OK;
    }
    if (is_input(path, inputs, input_count)) return TOOL_BAD_INPUT;
    if (!is_dump && begins_as_dump(path))
        return tool_error("%s: is a .brst file, and would be overwritten", path);
    s->target = find_target(path, &s->stays);
    if (s->target) {
        open_beside(s);
    } else {
        s->file = fopen(path, "wb");
        if (!s->file) tool_system_error(path);
    }
    if (s->file && s->status == TOOL_OK) return TOOL_OK;
    if (s->file) save_drop(s);
    forget(s);
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

void save_drop(save *s) {
    if (s->file && !is_stdout(s->path)) fclose(s->file);
    if (s->beside) remove(s->beside);
    s->file = NULL;
    forget(s);
}

/* Copies what stands from one place on to the same place of another file. */
static int copy_from(FILE *in, FILE *out, long place) {
    char bytes[4096];
    size_t got;
    if (fseek(in, place, SEEK_SET) != 0 || fseek(out, place, SEEK_SET) != 0) return -1;
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0) {
        if (fwrite(bytes, 1, got, out) != got) return -1;
    }
    return ferror(in) || fflush(out) != 0 ? -1 : 0;
}

static int cut(FILE *file, long size) {
#ifdef _WIN32
    return _chsize(_fileno(file), size);
#else
    return ftruncate(fileno(file), size);
#endif
}

/* A file that cannot be replaced, such as one that is mounted by itself, can be
   written. What goes beyond its end is written first, for that may find the
   disk full: then the file gets its old size again. The rest needs no more
   room. */
static int copy_over(const char *from, const char *to) {
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "r+b") : NULL;
    long before = -1, size = -1;
    int failed, reason;
    if (in && !out) out = fopen(to, "wb"); /* it has gone */
    if (!out) {
        if (in) fclose(in);
        return -1;
    }
    if (fseek(in, 0, SEEK_END) == 0) size = ftell(in);
    if (fseek(out, 0, SEEK_END) == 0) before = ftell(out);
    failed = size < 0 || before < 0;
    if (!failed && size > before && copy_from(in, out, before) != 0) {
        reason = errno;
        failed = 1;
        if (cut(out, before) == 0) errno = reason;
    }
    failed = failed || copy_from(in, out, 0) != 0 || cut(out, size) != 0;
    reason = errno;
    fclose(in);
    if (fclose(out) != 0 && !failed) return -1;
    errno = reason;
    return failed ? -1 : 0;
}

/* The new file takes the place of the old one. */
static void put_in_place(save *s) {
#ifdef _WIN32
    if (s->status == TOOL_OK) remove(s->target); /* there a rename replaces nothing */
#endif
    if (s->status == TOOL_OK && !s->stays && rename(s->beside, s->target) == 0) return;
    if (s->status == TOOL_OK && copy_over(s->beside, s->target) != 0) {
        tool_system_error(s->path);
        s->status = TOOL_FAILED;
    }
    remove(s->beside);
}

int save_close(save *s, text *t) {
    int closed;
    write_all(s, t);
    closed = is_stdout(s->path) ? fflush(s->file) : fclose(s->file);
    if (closed != 0 && s->status == TOOL_OK) {
        tool_system_error(is_stdout(s->path) ? "standard output" : s->path);
        s->status = TOOL_FAILED;
    }
    if (s->beside) put_in_place(s);
    forget(s);
    return s->status;
}

int text_save(text *t, const char *path, const char *const *inputs, int input_count, int is_dump) {
    save s;
    int status = save_open(&s, path, inputs, input_count, is_dump);
    return status == TOOL_OK ? save_close(&s, t) : status;
}
