/* read_object.c - where a file keeps its call graph: ELF objects and programs
   of both sizes and byte orders (base/elf.h), archives (base/archive.h), and
   plain text. */
#include "cc/place/graph.h"
#include "base/archive.h"
#include "base/elf.h"
#include "base/tool.h"
#include "cc/run/arguments.h"
#include "cc/read/graph.h"
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
        TOOL_ROOM(char, g->symbols, old, g->symbol_room);
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
    text spelled = {NULL, 0, 0};
    memcpy(name, start, size);
    name[size] = 0;
    cc_graph_file(&spelled, name);
    text_bytes(&spelled, "", 1);
    if (cc_is_cxx(name) && !has_unit(g, spelled.data)) {
        if (g->cxx_count < GRAPH_CXX_NAMES) g->cxx[g->cxx_count] = graph_name(g, start, size);
        g->cxx_count++;
    }
    text_free(&spelled);
    free(name);
}

/* Reads a table of symbols. The dynamic table gives the names that outside code can
   bind to: they are defined, and global or weak. The whole table gives the files of
   C++, and the functions that other objects of the program can call. */
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

typedef struct members {
    graph *g;
    uint32_t input;
} members;

static int take_member(void *user, const char *name, const unsigned char *data, size_t size,
                       dump_fault *fault) {
    const members *m = (const members *)user;
    (void)name;
    return read_elf(m->g, data, size, m->input, fault);
}

/* ---- files --------------------------------------------------------------------------------- */

/* Lines begin with a letter and a blank; those of # are comments. */
static int is_text(const unsigned char *data, size_t size) {
    return size == 0 || (size >= 2 && (data[0] == '#' || (data[0] == 'U' && data[1] == ' ')));
}

static int is_known(const unsigned char *data, size_t size) {
    return elf_is(data, size) || archive_is(data, size) || is_text(data, size);
}

int graph_take(graph *g, const char *path, const unsigned char *data, size_t size,
               uint32_t input) {
    dump_fault fault;
    members m = {g, input};
    int bad, status = TOOL_OK;
    if (elf_is(data, size)) {
        bad = read_elf(g, data, size, input, &fault);
    } else if (archive_is(data, size)) {
        bad = archive_each(path, data, size, take_member, &m, &fault, &status);
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
