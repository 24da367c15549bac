/* archive.c - the members of an archive. */
#include "base/archive.h"
#include "base/elf.h"
#include "base/text.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct archive {
    archive_take *take;
    void *user;
    const char *path;
    const unsigned char *data;
    size_t size, names_at, names_size;          /* of the member "//" */
    int is_thin;
} archive;

static int decimal(const unsigned char *at, size_t most, size_t *value) {
    size_t i;
    *value = 0;
    for (i = 0; i < most && at[i] >= '0' && at[i] <= '9'; i++) {
        if (*value > (SIZE_MAX - 9) / 10) return -1;
        *value = 10 * *value + (size_t)(at[i] - '0');
    }
    return i == 0 ? -1 : 0;
}

/* "/123" stands for the name at byte 123 of the member "//", which ends with
   "/\n". */
static int member_name(const archive *a, const unsigned char *head, text *name) {
    const unsigned char *start = head;
    size_t size = 16, at;
    if (head[0] == '/' && decimal(head + 1, 15, &at) == 0) {
        if (at >= a->names_size) return -1;
        start = a->data + a->names_at + at;
        size = a->names_size - at;
        if (size > 4096) size = 4096;
    }
    for (at = 0; at < size && start[at] != '\n' && start[at]; at++) text_bytes(name, start + at, 1);
    while (name->size && name->data[name->size - 1] == ' ') name->size--;
    if (name->size > 1 && name->data[name->size - 1] == '/') name->size--;
    text_bytes(name, "", 1);
    return 0;
}

/* A member of a thin archive is a file of its own, beside the archive. */
static int open_beside(const archive *a, const char *name) {
    const char *slash = strrchr(a->path, '/');
    text path = {NULL, 0, 0};
    unsigned char *data;
    dump_fault fault;
    size_t size;
    int status = TOOL_BAD_INPUT;
    if (name[0] != '/' && slash) text_bytes(&path, a->path, (size_t)(slash + 1 - a->path));
    text_add(&path, name);
    text_bytes(&path, "", 1);
    data = tool_read_file(path.data, "\177ELF", &size);
    if (data) {
        status = TOOL_OK;
        if (elf_is(data, size) && a->take(a->user, name, data, size, &fault) != 0)
            status = dump_blame(path.data, &fault);
    }
    free(data);
    text_free(&path);
    return status;
}

static int read_member(const archive *a, size_t at, size_t size, const char *name,
                       dump_fault *fault) {
    char *own = NULL;
    size_t skip = 0;
    int bad;
    if (strncmp(name, "#1/", 3) == 0) {         /* of BSD: the name stands before the bytes */
        if (decimal((const unsigned char *)name + 3, strlen(name + 3), &skip) != 0 || skip > size)
            return dump_refuse(fault, at, "the member's name is cut off");
        own = text_clean(a->data + at, skip);
    }
    bad = elf_is(a->data + at + skip, size - skip) &&
          a->take(a->user, own ? own : name, a->data + at + skip, size - skip, fault) != 0;
    free(own);
    if (bad) fault->offset += at + skip;
    return bad ? -1 : 0;
}

static int read_archive(archive *a, dump_fault *fault, int *status) {
    size_t at = 8;
    while (at < a->size) {
        const unsigned char *head = a->data + at;
        text name = {NULL, 0, 0};
        size_t size;
        int bad = 0, is_table, is_inside;
        if (a->size - at < 60) return dump_refuse(fault, at, "the member's header is cut off");
        if (head[58] != '`' || head[59] != '\n' || decimal(head + 48, 10, &size) != 0)
            return dump_refuse(fault, at, "the member's header is damaged");
        is_table = head[0] == '/' && (head[1] == ' ' || head[1] == '/' ||
                                      memcmp(head, "/SYM64/", 7) == 0);
        is_inside = is_table || !a->is_thin;
        if (is_inside && size > a->size - at - 60)
            return dump_refuse(fault, at, "the member is longer than the archive");
        if (is_table) {
            if (head[1] == '/') {
                a->names_at = at + 60;
                a->names_size = size;
            }
        } else if (member_name(a, head, &name) != 0) {
            bad = dump_refuse(fault, at, "the member has no name");
        } else if (a->is_thin) {
            *status = open_beside(a, name.data);
        } else {
            bad = read_member(a, at + 60, size, name.data, fault);
        }
        text_free(&name);
        if (bad || *status != TOOL_OK) return bad;
        at += 60 + (is_inside ? size : 0);
        if (at & 1) at++;
    }
    return 0;
}

int archive_is(const unsigned char *data, size_t size) {
    return size >= 8 &&
           (memcmp(data, "!<arch>\n", 8) == 0 || memcmp(data, "!<thin>\n", 8) == 0);
}

int archive_each(const char *path, const unsigned char *data, size_t size, archive_take *take,
                 void *user, dump_fault *fault, int *status) {
    archive a;
    memset(&a, 0, sizeof a);
    a.take = take;
    a.user = user;
    a.path = path;
    a.data = data;
    a.size = size;
    a.is_thin = data[2] == 't';
    return read_archive(&a, fault, status);
}
