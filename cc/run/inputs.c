/* inputs.c - what the inputs of a link have.

   An object that bursty cc has made carries its call graph, or calls the
   runtime by names that begin with bursty_. Whoever has neither, and has code,
   has no checks. It is C++ if the compiler named such a file, or if a function
   has a mangled name. Nothing here is an error: what cannot be read, the linker
   will speak of. */
#include "cc/run/inputs.h"
#include "base/archive.h"
#include "base/elf.h"
#include "base/text.h"
#include "base/tool.h"
#include "cc/read/graph.h"
#include <stdlib.h>
#include <string.h>

enum { HAS_CODE = 4, PROGRAM_BYTES = 1 };       /* of a section: flag, type */
enum { IS_FUNCTION = 2, IS_FILE = 4 };          /* of a symbol */

typedef struct search {
    const char *path;                           /* the object or archive */
    int in_archive, makes_later;
    cc_input_found *found;
    void *user;
} search;

typedef struct evidence {
    int code, graph, runtime, cxx, later;
    text units;                                 /* "/name/" of each that the graph names */
    text strangers;                             /* the same of C++ files, each ended by a zero */
} evidence;

static int begins(const elf_file *e, const elf_section *names, uint64_t at, const char *with) {
    size_t size = strlen(with);
    return at <= names->size && size <= names->size - at &&
           memcmp(e->data + names->offset + at, with, size) == 0;
}

static int holds(const unsigned char *data, size_t size, const char *word) {
    size_t length = strlen(word), i;
    for (i = 0; i + length <= size; i++) {
        if (data[i] == (unsigned char)*word && memcmp(data + i, word, length) == 0) return 1;
    }
    return 0;
}

/* "/name/", without folders and as a graph spells it. */
static void add_base(text *list, const char *name, int is_spelled) {
    const char *slash = strrchr(name, '/');
    text_add(list, "/");
    if (is_spelled) text_add(list, slash ? slash + 1 : name);
    else cc_graph_file(list, slash ? slash + 1 : name);
    text_add(list, "/");
}

/* Names of units: the fifth word of lines "U 2 hash hash name". */
static void read_units(evidence *v, const unsigned char *data, size_t size) {
    size_t at = 0, start, k;
    char *name;
    while (at < size) {
        const unsigned char *end = (const unsigned char *)memchr(data + at, '\n', size - at);
        size_t stop = end ? (size_t)(end - data) : size;
        while (at < stop && !data[at]) at++;    /* between the parts of objects */
        if (stop - at > 2 && data[at] == 'U' && data[at + 1] == ' ') {
            for (start = at, k = 0; start < stop && k < 4; start++) k += data[start] == ' ';
            name = text_clean(data + start, stop - start);
            add_base(&v->units, name, 1);
            free(name);
        }
        at = stop + 1;
    }
}

static void read_symbols(evidence *v, elf_file *e, const elf_section *table) {
    dump_fault fault;
    elf_section strings;
    size_t entry = e->is_64 ? 24 : 16, i, count = (size_t)table->size / entry;
    if (elf_get_section(e, table->link, &strings, &fault) != 0 || strings.type == ELF_NO_BYTES ||
        elf_take(e, table, &fault) != 0 || elf_take(e, &strings, &fault) != 0) return;
    for (i = 1; i < count; i++) {
        size_t at = (size_t)table->offset + i * entry, most;
        uint64_t name = elf_number(e, at, 4), home = elf_number(e, at + (e->is_64 ? 6 : 14), 2);
        unsigned type = e->data[at + (e->is_64 ? 4 : 12)] & 15u;
        if (name >= strings.size) continue;
        most = strings.size - name < 4096 ? (size_t)(strings.size - name) : 4096;
        if (home == 0) {
            v->runtime |= begins(e, &strings, name, "bursty_");
        } else if (type == IS_FUNCTION) {
            v->cxx |= begins(e, &strings, name, "_Z");
        } else if (type == IS_FILE && memchr(e->data + strings.offset + name, 0, most)) {
            const char *file = (const char *)e->data + strings.offset + name;
            if (!cc_is_cxx(file)) continue;
            v->cxx = 1;
            add_base(&v->strangers, file, 0);
            text_bytes(&v->strangers, "", 1);
        }
    }
}

static void read_section(evidence *v, elf_file *e, const elf_section *names,
                         const elf_section *s) {
    dump_fault fault;
    if (s->type == ELF_NO_BYTES) return;
    if (s->type == PROGRAM_BYTES && s->flags & HAS_CODE && s->size > 0) v->code = 1;
    if (s->type == ELF_SYMBOLS) read_symbols(v, e, s);
    if (begins(e, names, s->name, ".gnu.lto_")) {
        v->later = 1;
        if (begins(e, names, s->name, ".gnu.lto_.symtab") && elf_take(e, s, &fault) == 0)
            v->runtime |= holds(e->data + s->offset, (size_t)s->size, "bursty_");
    }
    if (elf_name_is(e, names, s->name, ".bursty.cg")) {
        v->graph = 1;
        if (!(s->flags & ELF_COMPRESSED) && elf_take(e, s, &fault) == 0)
            read_units(v, e->data + s->offset, (size_t)s->size);
    }
}

/* Is there a C++ file that the graph does not name? Objects of `ld -r` hold
   several files. */
static int has_stranger(const evidence *v) {
    size_t i;
    for (i = 0; i < v->strangers.size; i += strlen(v->strangers.data + i) + 1) {
        if (!strstr(v->units.data, v->strangers.data + i)) return 1;
    }
    return 0;
}

static void judge(const search *s, const char *member, evidence *v) {
    text name = {NULL, 0, 0};
    const char *reason = NULL;
    text_bytes(&v->units, "", 1);
    if (v->graph || v->runtime) {
        if (v->graph && has_stranger(v)) reason = "C++, compiled without the plugin";
    } else if (v->later && v->cxx) {
        if (!s->makes_later) reason = "C++, the linker's step makes its code without the plugin";
    } else if (v->code) {
        reason = v->cxx ? "C++, compiled without the plugin" : "was not compiled by bursty cc";
    }
    if (reason) {
        text_add(&name, s->path);
        if (s->in_archive) {
            text_add(&name, "(");
            text_add(&name, member);
            text_add(&name, ")");
        }
        text_bytes(&name, "", 1);
        s->found(s->user, name.data,
                 (v->cxx ? CC_INPUT_IS_CXX : 0u) | (v->later && v->cxx ? CC_INPUT_FOR_LINK : 0u), reason);
    }
    text_free(&name);
}

static int look_at_object(void *user, const char *name, const unsigned char *data, size_t size,
                          dump_fault *fault) {
    const search *s = (const search *)user;
    elf_section names, section;
    elf_file e;
    evidence v;
    uint64_t i;
    memset(&v, 0, sizeof v);
    if (elf_begin(&e, data, size, fault) != 0 || e.type != ELF_OBJECT ||
        elf_find_sections(&e, fault) != 0 || !e.sections ||
        elf_get_section(&e, e.names_index, &names, fault) != 0) return 0;
    for (i = 0; i < e.section_count; i++) {
        if (elf_get_section(&e, i, &section, fault) == 0) read_section(&v, &e, &names, &section);
    }
    judge(s, name, &v);
    text_free(&v.units);
    text_free(&v.strangers);
    return 0;
}

static int is_file(const char *path) {
    size_t size;
    return cc_regular_size(path, &size) == 0;
}

/* Is it an object or an archive, by its first bytes? */
static int is_input(const char *path) {
    unsigned char head[8];
    FILE *file = is_file(path) ? fopen(path, "rb") : NULL;
    size_t size = file ? fread(head, 1, sizeof head, file) : 0;
    if (file) fclose(file);
    return elf_is(head, size) || archive_is(head, size);
}

static void look_at(search *s, const char *path) {
    size_t size = 0;
    dump_fault fault;
    int status = TOOL_OK;
    unsigned char *data = is_input(path) ? tool_read_file(path, NULL, &size) : NULL;
    if (!data) return;
    s->path = path;
    s->in_archive = archive_is(data, size);
    if (s->in_archive) archive_each(path, data, size, look_at_object, s, &fault, &status);
    else if (elf_is(data, size)) look_at_object(s, "", data, size, &fault);
    free(data);
}

/* ---- -l ---- */

static char *in_folder(const char *folder, const char *before, const char *name,
                       const char *behind) {
    text t = {NULL, 0, 0};
    text_add(&t, folder);
    text_add(&t, before);
    text_add(&t, name);
    text_add(&t, behind);
    return text_take(&t);
}

/* The value of -L or -l at word i, or NULL. */
static const char *value_of(const cc_line *line, size_t i, const char *option) {
    const char *word = line->words.words[i];
    if (line->role[i] != CC_LINKER || strncmp(word, option, 2) != 0) return NULL;
    if (word[2]) return word + 2;
    return i + 1 < line->words.count ? line->words.words[i + 1] : NULL;
}

/* Shared objects have checks of their own, or none. */
static void look_at_library(search *s, const cc_line *line, const char *name, int is_static) {
    size_t i;
    for (i = 0; i < line->words.count; i++) {
        const char *folder = value_of(line, i, "-L");
        char *shared, *archive;
        int found;
        if (!folder) continue;
        if (*name == ':') {
            shared = cc_join("", "");
            archive = in_folder(folder, "/", name + 1, "");
        } else {
            shared = in_folder(folder, "/lib", name, ".so");
            archive = in_folder(folder, "/lib", name, ".a");
        }
        found = !is_static && is_file(shared);
        if (!found && is_file(archive)) {
            found = 1;
            look_at(s, archive);
        }
        free(shared);
        free(archive);
        if (found) return;
    }
}

void cc_inputs(const cc_line *line, int makes_later, cc_input_found *found, void *user) {
    search s;
    size_t i;
    int is_static = 0;
    memset(&s, 0, sizeof s);
    s.makes_later = makes_later;
    s.found = found;
    s.user = user;
    for (i = 0; i < line->words.count; i++) is_static |= strcmp(line->words.words[i], "-static") == 0;
    for (i = 0; i < line->words.count; i++) {
        const char *library = value_of(line, i, "-l");
        if (line->role[i] == CC_OBJECT) look_at(&s, line->words.words[i]);
        else if (library) look_at_library(&s, line, library, is_static);
    }
}
