/* read_object.c - where a file keeps its call graph: ELF objects and programs
   of both sizes and byte orders (base/elf.h), archives (also thin ones), and
   plain text. */
#include "place/graph.h"
#include "base/elf.h"
#include "base/tool.h"
#include "cc/arguments.h"
#include <stdlib.h>
#include <string.h>

enum { ELF_FUNCTION = 2, ELF_FILE_NAME = 4 };  /* kinds of symbols */

/* A longer name is not worth a scan for each symbol that points there. */
static size_t longest_name(uint64_t left) { return left < 4096 ? (size_t)left : 4096; }

static void mark(graph *g, const unsigned char *start, size_t size, int mark) {
    uint32_t name = graph_find_name(g, start, size);
    if (name == GRAPH_NONE) return;
    while (name >= g->symbol_room) {
        size_t old = g->symbol_room;
        g->symbols = (char *)graph_room(g->symbols, old, &g->symbol_room, 1);
        memset(g->symbols + old, 0, g->symbol_room - old);
    }
    g->symbols[name] = (char)(g->symbols[name] | mark);
}

/* A file that gcc's plugin has compiled has its functions in the graph. The
   symbol has no folder. */
static int has_unit(const graph *g, const char *file) {
    size_t i;
    for (i = 0; i < g->unit_count; i++) {
        const char *name = g->names[g->units[i].name], *slash = strrchr(name, '/');
        if (strcmp(slash ? slash + 1 : name, file) == 0) return 1;
    }
    return 0;
}

/* The compiler names the file that it has read. Only the first names are shown,
   and kept. */
static void note_file(graph *g, const unsigned char *start, size_t size) {
    char *name = (char *)tool_alloc(size + 1);
    memcpy(name, start, size);
    name[size] = 0;
    if (cc_is_cxx(name) && !has_unit(g, name)) {
        if (g->cxx_count < GRAPH_CXX_NAMES) g->cxx[g->cxx_count] = graph_name(g, start, size);
        g->cxx_count++;
    }
    free(name);
}

/* Of the dynamic symbols, names that outside code can bind to: defined, global
   or weak. Of all symbols, the files of C++, and functions that other objects
   of the program can call. */
static int read_symbols(graph *g, elf_file *e, const elf_section *table, dump_fault *fault) {
    elf_section strings;
    size_t entry = e->is_64 ? 24 : 16, i, count = (size_t)table->size / entry;
    if (elf_get_section(e, table->link, &strings, fault) != 0 || elf_take(e, table, fault) != 0 ||
        elf_take(e, &strings, fault) != 0)
        return -1;
    if (strings.type == ELF_NO_BYTES) return 0;
    for (i = 1; i < count; i++) {
        size_t at = (size_t)table->offset + i * entry;
        uint64_t string = elf_number(e, at, 4), home = elf_number(e, at + (e->is_64 ? 6 : 14), 2);
        unsigned info = e->data[at + (e->is_64 ? 4 : 12)], type = info & 15;
        const unsigned char *start, *end;
        int is_file = table->type == ELF_SYMBOLS && type == ELF_FILE_NAME;
        if (home == 0 || (info >> 4 == 0 && !is_file)) continue;
        if (table->type == ELF_SYMBOLS && !is_file && type != ELF_FUNCTION) continue;
        if (string >= strings.size) return dump_refuse(fault, at, "the symbol has no name");
        start = e->data + strings.offset + string;
        end = (const unsigned char *)memchr(start, 0, longest_name(strings.size - string));
        if (!end) continue;
        if (is_file) note_file(g, start, (size_t)(end - start));
        else mark(g, start, (size_t)(end - start),
                  table->type == ELF_SYMBOLS ? GRAPH_IS_DEFINED : GRAPH_IS_EXPORTED);
    }
    return 0;
}

static int read_elf(graph *g, const unsigned char *data, size_t size, uint32_t input,
                    dump_fault *fault) {
    elf_section s, names;
    elf_file e;
    uint64_t i;
    size_t found = 0;
    if (elf_begin(&e, data, size, fault) != 0 || elf_find_sections(&e, fault) != 0) return -1;
    if (e.sections && elf_get_section(&e, e.names_index, &names, fault) != 0) return -1;
    for (i = 0; e.sections && i < e.section_count; i++) {
        if (elf_get_section(&e, i, &s, fault) != 0) return -1;
        if (s.type == ELF_NO_BYTES || !elf_name_is(&e, &names, s.name, ".bursty.cg")) continue;
        if (s.flags & ELF_COMPRESSED)
            return dump_refuse(fault, (size_t)s.offset, "the call graph is compressed");
        if (elf_take(&e, &s, fault) != 0) return -1;
        found++;
        if (graph_read_text(g, (const char *)data + s.offset, (size_t)s.size, input, fault) != 0) {
            fault->offset += (size_t)s.offset;
            return -1;
        }
    }
    for (i = 0; e.sections && (e.type != ELF_OBJECT || !found) && i < e.section_count; i++) {
        if (elf_get_section(&e, i, &s, fault) != 0) return -1;
        if (s.type != ELF_DYNAMIC_SYMBOLS && s.type != ELF_SYMBOLS) continue;
        if (read_symbols(g, &e, &s, fault) != 0) return -1;
    }
    if (e.type == ELF_PROGRAM || e.type == ELF_SHARED) g->is_linked = 1;
    g->silent += found == 0;
    return 0;
}

/* ---- archives ------------------------------------------------------------------------------ */

typedef struct archive {
    graph *g;
    const char *path;
    const unsigned char *data;
    size_t size, names_at, names_size;          /* of the member "//" */
    uint32_t input;
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
        if (elf_is(data, size) && read_elf(a->g, data, size, a->input, &fault) != 0)
            status = dump_blame(path.data, &fault);
    }
    free(data);
    text_free(&path);
    return status;
}

static int read_member(const archive *a, size_t at, size_t size, const char *name,
                       dump_fault *fault) {
    int bsd = strncmp(name, "#1/", 3) == 0;     /* the name stands before the bytes */
    size_t skip = 0;
    if (bsd && (decimal((const unsigned char *)name + 3, strlen(name + 3), &skip) != 0 ||
                skip > size))
        return dump_refuse(fault, at, "the member's name is cut off");
    if (!elf_is(a->data + at + skip, size - skip)) return 0;
    if (read_elf(a->g, a->data + at + skip, size - skip, a->input, fault) != 0) {
        fault->offset += at + skip;
        return -1;
    }
    return 0;
}

/* 0, or -1 with *fault filled; *status is set after a message about another
   file. */
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

/* ---- files --------------------------------------------------------------------------------- */

static int is_archive(const unsigned char *data, size_t size) {
    return size >= 8 &&
           (memcmp(data, "!<arch>\n", 8) == 0 || memcmp(data, "!<thin>\n", 8) == 0);
}

/* Lines begin with a letter and a blank; those of # are comments. */
static int is_text(const unsigned char *data, size_t size) {
    return size == 0 || (size >= 2 && (data[0] == '#' || (data[0] == 'U' && data[1] == ' ')));
}

static int is_known(const unsigned char *data, size_t size) {
    return elf_is(data, size) || is_archive(data, size) || is_text(data, size);
}

int graph_take(graph *g, const char *path, const unsigned char *data, size_t size,
               uint32_t input) {
    dump_fault fault;
    int bad, status = TOOL_OK;
    if (elf_is(data, size)) {
        bad = read_elf(g, data, size, input, &fault);
    } else if (is_archive(data, size)) {
        archive a;
        memset(&a, 0, sizeof a);
        a.g = g;
        a.path = path;
        a.data = data;
        a.size = size;
        a.input = input;
        a.is_thin = data[2] == 't';
        bad = read_archive(&a, &fault, &status);
    } else if (is_text(data, size)) {
        bad = graph_read_text(g, (const char *)data, size, input, &fault);
    } else {
        bad = dump_refuse(&fault, 0, "is no ELF file, archive or call graph");
    }
    return bad ? dump_blame(path, &fault) : status;
}

/* The first bytes decide whether the rest is read: a device may have no end.
   NULL after a message. */
static unsigned char *read_whole(const char *path, size_t *size) {
    FILE *file = strcmp(path, "-") == 0 ? tool_binary(stdin) : fopen(path, "rb");
    unsigned char *data = NULL;
    size_t room = 0, got = 1;
    *size = 0;
    if (!file) {
        tool_system_error(path);
        return NULL;
    }
    while (got > 0 && (*size < 8 || is_known(data, *size))) {
        if (*size + 8 > room) {
            room = room ? 2 * room : 65536;
            data = (unsigned char *)tool_grow(data, room);
        }
        got = fread(data + *size, 1, *size < 8 ? 8 - *size : room - *size, file);
        *size += got;
    }
    if (ferror(file)) {
        tool_error("%s: offset %lu: cannot be read", path, (unsigned long)*size);
        free(data);
        data = NULL;
    }
    if (file != stdin) fclose(file);
    return data;
}

int graph_open(graph *g, const char *path, uint32_t input) {
    size_t size;
    unsigned char *data = read_whole(path, &size);
    int status;
    if (!data) return TOOL_BAD_INPUT;
    status = graph_take(g, path, data, size, input);
    free(data);
    return status;
}
