/* places.c - names of functions (base/named.c), and file and line of those with
   ticks, and of instructions that have ticks, miss, share lines, or are in hot
   streams. The recorder names an ELF file, an address in it and the build id of
   what ran; here .debug_line of that file, or of its debug file, is read, once
   for each file. A file of another build has no lines. */
#include "base/dwarf.h"
#include "record/tool/places.h"
#include "base/debugfile.h"
#include "base/kind.h"
#include "base/named.h"
#include "base/tool.h"
#include "report/kinds/lines.h"
#include "report/kinds/misses.h"
#include "report/kinds/sampled.h"
#include "report/kinds/sharing.h"
#include "report/kinds/streams.h"
#include "record/places_format.h"
#include "report/kinds/timeline.h"
#include "report/kinds/ends.h"
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 300 };
/* Larger tables take seconds and a gigabyte: such a file has no lines. */
enum { TABLES_MOST = 32 << 20, INFO_MOST = 1 << 29 };

typedef struct read_file {
    char *path;                                   /* and, behind its zero, its build id */
    dwarf_file image;                             /* which stays mapped */
    dwarf_lines *lines;                           /* NULL: there are none */
    dwarf_inlines *inlines;                       /* NULL: not read yet */
} read_file;

typedef struct files {
    read_file *at[FILES_MOST];
    size_t count;
} files;

/* Is that the id, in hexadecimal, of the file? One that has none is taken for
   what it is called. */
static int is_build(const elf_file *e, const char *id) {
    char digits[3];
    size_t n, size;
    const unsigned char *own = debugfile_id(e, &size);
    if (!*id || !own) return 1;
    if (strlen(id) != 2 * size) return 0;
    for (n = 0; n < size; n++) {
        snprintf(digits, sizeof digits, "%02x", own[n]);
        if (memcmp(digits, id + 2 * n, 2) != 0) return 0;
    }
    return 1;
}

static void open_file(read_file *file, const char *id) {
    const unsigned char *data;
    elf_file debug;
    dump_fault fault;
    size_t size;
    data = debugfile_map(file->path, &size);      /* it may be gone: no message */
    if (!data || !elf_is(data, size) || elf_begin(&file->image.elf, data, size, &fault) != 0
        || elf_find_sections(&file->image.elf, &fault) != 0 || !is_build(&file->image.elf, id))
        return;
    memset(&debug, 0, sizeof debug);
    if (!dwarf_lines_bytes(&file->image)) {
        if (debugfile_find(&file->image.elf, file->path, "", &debug) != 0) return;
        file->image.elf = debug;
    }
    if (dwarf_lines_bytes(&file->image) <= TABLES_MOST)
        file->lines = dwarf_lines_read(&file->image);
}

/* The file in "file<tab>address", behind which a tab and a build id may stand. */
static read_file *file_of(files *f, const char *place, uint64_t *address) {
    const char *tab = strchr(place, '\t'), *id = tab ? strchr(tab + 1, '\t') : NULL;
    size_t length = tab ? (size_t)(tab - place) : 0, i;
    read_file *file;
    if (!tab) return NULL;
    *address = strtoull(tab + 1, NULL, 16);
    id = id ? id + 1 : "";
    for (i = 0; i < f->count; i++) {
        const char *path = f->at[i]->path;
        if (strlen(path) == length && memcmp(path, place, length) == 0
            && strcmp(path + length + 1, id) == 0)
            return f->at[i];
    }
    if (f->count == FILES_MOST) return NULL;
    file = f->at[f->count++] = (read_file *)tool_alloc(sizeof *file);
    memset(file, 0, sizeof *file);
    file->path = (char *)tool_alloc(length + strlen(id) + 2);
    memcpy(file->path, place, length);
    file->path[length] = 0;
    strcpy(file->path + length + 1, id);
    open_file(file, id);
    return file;
}

/* The functions that were inlined there. */
static void add_inlined(read_file *file, uint64_t address, text *names) {
    if (dwarf_section_of(&file->image, ".debug_info").size > INFO_MOST) return;
    if (!file->inlines) file->inlines = dwarf_inlines_read(&file->image);
    (void)dwarf_inlines_at(file->inlines, address, names);
}

/* Where a function stands that begins at an address: as it is declared, or else
   as its first instruction has it. */
static uint32_t find_function(read_file *file, uint64_t address, text *path) {
    uint64_t unit, number;
    uint32_t line = 0;
    if (dwarf_section_of(&file->image, ".debug_info").size <= INFO_MOST) {
        if (!file->inlines) file->inlines = dwarf_inlines_read(&file->image);
        line = dwarf_declared_at(file->inlines, address, &unit, &number);
        if (line) line = dwarf_path_in(file->lines, unit, number, line, path);
    }
    return line ? line : dwarf_path_of(file->lines, address, path);
}

static const dwarf_lines *lines_at(files *f, const char *place, uint64_t *address) {
    const read_file *file = file_of(f, place, address);
    return file ? file->lines : NULL;
}

static void name_place(files *f, char **at) {
    text place = {NULL, 0, 0};
    const dwarf_lines *lines;
    const char *name;
    uint64_t address = 0;
    uint32_t line = 0;
    if (!strchr(*at, '\t')) return;
    lines = lines_at(f, *at, &address);
    name = lines ? dwarf_line_of(lines, address, &line) : NULL;
    if (name) text_format(&place, "%.1000s:%u", name, (unsigned)line);
    free(*at);
    *at = text_clean(place.data ? place.data : "", place.size);
    text_free(&place);
}

static void name_misses(files *f, const dump *d, const dump_part *part, text *out) {
    missed_parts s;
    dump_fault fault;
    size_t i, k;
    memset(&s, 0, sizeof s);
    if (kind_misses.read(&s, d, part, &fault) == 0) {
        for (i = 0; i < s.count; i++) {
            for (k = 0; k < s.parts[i].row_count; k++) name_place(f, &s.parts[i].rows[k].place);
            missed_write(&s.parts[i], out);
        }
    } else text_bytes(out, d->data + part->offset, part->bytes);
    kind_misses.free(&s);
}

static void name_sharing(files *f, const dump *d, const dump_part *part, text *out) {
    shared_parts s;
    dump_fault fault;
    size_t i, k, n;
    memset(&s, 0, sizeof s);
    if (kind_sharing.read(&s, d, part, &fault) == 0) {
        for (i = 0; i < s.count; i++) {
            for (k = 0; k < s.parts[i].line_count; k++) {
                shared_line *line = &s.parts[i].lines[k];
                for (n = 0; n < line->side_count; n++) name_place(f, &line->sides[n].place);
            }
            shared_write(&s.parts[i], out);
        }
    } else text_bytes(out, d->data + part->offset, part->bytes);
    kind_sharing.free(&s);
}

/* "name<tab>file<tab>address" becomes "name<tab>file:line", or "name"; an object
   behind it stays. */
static void name_site(files *f, char **at) {
    char *tab = strchr(*at, '\t'), *place;
    const char *object = streams_object_of(*at);
    size_t end = object ? (size_t)(object - 2 - *at) : strlen(*at);
    text name = {NULL, 0, 0};
    if (!tab || (size_t)(tab - *at) >= end) return;
    place = text_clean(tab + 1, end - (size_t)(tab + 1 - *at));
    if (!strchr(place, '\t')) {
        free(place);
        return;
    }
    name_place(f, &place);
    text_bytes(&name, *at, (size_t)(tab - *at) + (*place != 0));
    text_add(&name, place);
    text_add(&name, *at + end);
    free(place);
    free(*at);
    *at = text_take(&name);
}

static void name_streams(files *f, const dump *d, const dump_part *part, text *out) {
    streams s;
    dump_fault fault;
    size_t i, k;
    memset(&s, 0, sizeof s);
    if (kind_streams.read(&s, d, part, &fault) == 0) {
        for (i = 0; i < s.count; i++) {
            for (k = 0; k < s.parts[i].site_count; k++) name_site(f, &s.parts[i].sites[k].name);
            streams_part_write(&s.parts[i], out);
        }
    } else text_bytes(out, d->data + part->offset, part->bytes);
    kind_streams.free(&s);
}

/* Of "libx.so.1+0x12a0" the part before the +; 0: this is a name. */
static size_t module_length(const char *name) {
    const char *plus = strrchr(name, '+');
    if (!plus || strncmp(plus, "+0x", 3) != 0) return 0;
    if (!plus[3] || strspn(plus + 3, "0123456789abcdef") != strlen(plus + 3)) return 0;
    return (size_t)(plus - name);
}

/* Ticks of functions that show as numbers, by module. */
static void count_unnamed(const tally *s, places_facts *facts) {
    enum { MOST = 16 };
    struct { char name[128]; uint64_t ticks; } at[MOST];
    size_t i, n, count = 0;
    for (i = 0; i < s->paths.count; i++) {
        const sampled_path *path = &s->paths.at[i];
        const char *name = s->sites.at[path->site].name;
        size_t length = module_length(name);
        facts->ticks += path->ticks;
        if (!path->ticks || !length || length >= sizeof at->name) continue;
        for (n = 0; n < count; n++) {
            if (!strncmp(at[n].name, name, length) && !at[n].name[length]) break;
        }
        if (n == MOST) continue;
        if (n == count) {
            memset(&at[count++], 0, sizeof *at);
            memcpy(at[n].name, name, length);
        }
        at[n].ticks += path->ticks;
        if (at[n].ticks <= facts->unnamed) continue;
        facts->unnamed = at[n].ticks;
        memcpy(facts->module, at[n].name, sizeof facts->module);
    }
}

/* May the part have places? */
static int has_places(const dump_part *part) {
    return part->size && memchr(part->payload, 1, part->size) != NULL;
}

/* A part without addresses stays as it is, byte for byte. */
static void name_sampled(files *f, const dump *d, const dump_part *part, places_facts *facts,
                         text *out) {
    tally s;
    char **paths;
    dump_fault fault;
    size_t i, addresses = 0, count;
    int is_read;
    memset(&s, 0, sizeof s);
    is_read = kind_sampled.read(&s, d, part, &fault) == 0;
    count = is_read ? s.sites.count : 0;
    if (is_read && facts) count_unnamed(&s, facts);
    paths = (char **)tool_alloc((count + 1) * sizeof *paths);
    for (i = 0; i < count; i++) {
        sampled_site *site = &s.sites.at[i];
        read_file *file;
        text path = {NULL, 0, 0};
        uint64_t address = 0;
        paths[i] = NULL;
        if (!strchr(site->file, '\t')) continue;
        addresses++;
        file = file_of(f, site->file, &address);
        site->line = file && file->lines ? find_function(file, address, &path) : 0;
        if (path.size) site->file = paths[i] = text_clean(path.data, path.size);
        text_free(&path);
    } /* without a line the file stays, for functions of one name in several files */
    if (is_read && (addresses || (d->names && has_places(part)))) {
        kind_sampled.settle(&s);
        kind_sampled.write(&s, out);
    } else text_bytes(out, d->data + part->offset, part->bytes);
    for (i = 0; i < count; i++) free(paths[i]);
    free(paths);
    kind_sampled.free(&s);
}

static void name_timed_line(files *f, timed_line *row) {
    uint64_t address = 0;
    read_file *file;
    text path = {NULL, 0, 0}, inlined = {NULL, 0, 0};
    if (!strchr(row->file, '\t')) return;
    file = file_of(f, row->file, &address);
    if (file && file->lines) {
        row->line = dwarf_path_at(file->lines, address, &path);
        add_inlined(file, address, &inlined);
    }
    free(row->file);
    free(row->inlined);
    row->file = text_clean(path.data ? path.data : "", row->line ? path.size : 0);
    row->inlined = text_clean(inlined.data ? inlined.data : "", inlined.size);
    text_free(&path);
    text_free(&inlined);
}

/* Places of one line become one row. */
static void name_lines(files *f, const dump *d, const dump_part *part, text *out) {
    timed_lines_parts s;
    dump_fault fault;
    size_t i, k;
    memset(&s, 0, sizeof s);
    if (kind_lines.read(&s, d, part, &fault) == 0) {
        for (i = 0; i < s.count; i++) {
            for (k = 0; k < s.parts[i].count; k++) name_timed_line(f, &s.parts[i].rows[k]);
            lines_fold(&s.parts[i]);
            lines_part_write(&s.parts[i], out);
        }
    } else text_bytes(out, d->data + part->offset, part->bytes);
    kind_lines.free(&s);
}

static void name_timeline(files *f, const dump *d, const dump_part *part, text *out) {
    timeline t;
    dump_fault fault;
    size_t i;
    if (timeline_read(&t, d, part, &fault) != 0) {
        text_bytes(out, d->data + part->offset, part->bytes);
        return;
    }
    for (i = 0; i < t.function_count; i++) {
        timeline_function *of = &t.functions[i];
        text path = {NULL, 0, 0};
        uint64_t address = 0;
        read_file *file;
        if (!strchr(of->file, '\t')) continue;
        file = file_of(f, of->file, &address);
        of->line = file && file->lines ? find_function(file, address, &path) : 0;
        free(of->file);
        of->file = text_clean(path.data ? path.data : "", path.size);
        text_free(&path);
    }
    timeline_write(&t, out);
    timeline_free(&t);
}

/* Reads a part and writes what it says. */
static void name_part(const dump *d, const dump_part *part, text *out) {
    const part_kind *kind = kind_of(part->kind);
    void *state = kind && d->names && has_places(part) ? tool_alloc(kind->state_bytes) : NULL;
    dump_fault fault;
    if (state) memset(state, 0, kind->state_bytes);
    if (state && kind->read(state, d, part, &fault) == 0) {
        kind->settle(state);
        kind->write(state, out);
    } else text_bytes(out, d->data + part->offset, part->bytes);
    if (state) kind->free(state);
    free(state);
}

/* The part of modules that counts for a part: the next one. */
static size_t modules_behind(const dump *d, size_t i) {
    while (i < d->part_count && d->parts[i].kind != PLACES_KIND) i++;
    return i;
}

/* What is not in the dynamic symbols of such a file has no name, and nothing of
   it has a line. */
static void say_lost(const named *names, text *out) {
    missing_end end;
    text path = {NULL, 0, 0};
    const char *lost;
    size_t at = 0;
    while ((lost = named_lost(names, &at)) != NULL) {
        path.size = 0;
        text_add(&path, lost);
        text_bytes(&path, "", 1);
        end.program = path.data;
        end.why = END_REPLACED;
        end.missing = end.of = 1;
        ends_write(&end, out);
    }
    text_free(&path);
}

static void forget(files *f) {
    size_t i;
    for (i = 0; i < f->count; i++) {
        if (f->at[i]->lines) dwarf_lines_free(f->at[i]->lines);
        if (f->at[i]->inlines) dwarf_inlines_free(f->at[i]->inlines);
        dwarf_free(&f->at[i]->image);
        free(f->at[i]->path);
        free(f->at[i]);
    }
    f->count = 0;
}

int places_name(const unsigned char *data, size_t size, const char *program, places_facts *facts,
                text *out) {
    static files all;               /* those of a program's children are the same */
    files *f = &all;
    named *names = NULL;
    dump d;
    dump_fault fault;
    size_t i, behind = 0;
    if (f->count > FILES_MOST / 2) forget(f);
    if (facts) memset(facts, 0, sizeof *facts);
    if (dump_read(&d, data, size, &fault) != 0) return -1;
    for (i = 0; i < d.part_count; i++) {
        const dump_part *part = &d.parts[i];
        if (i == 0 || i > behind) {
            behind = modules_behind(&d, i);
            named_free(names);
            names = behind < d.part_count ? named_open(&d, &d.parts[behind], program) : NULL;
            d.names = named_names(names);
        }
        if (part->kind == kind_sampled.number) name_sampled(f, &d, part, facts, out);
        else if (part->kind == kind_misses.number) name_misses(f, &d, part, out);
        else if (part->kind == kind_lines.number) name_lines(f, &d, part, out);
        else if (part->kind == kind_sharing.number) name_sharing(f, &d, part, out);
        else if (part->kind == kind_streams.number) name_streams(f, &d, part, out);
        else if (part->kind == kind_timeline.number) name_timeline(f, &d, part, out);
        else if (part->kind != PLACES_KIND) name_part(&d, part, out);
        else if (!names) text_bytes(out, data + part->offset, part->bytes);
        else {
            if (facts) facts->of = *named_say(names);
            say_lost(names, out);
        }
    }
    named_free(names);
    dump_free(&d);
    return 0;
}

int places_of_dump(const unsigned char *data, size_t size, text *out) {
    dump d;
    dump_fault fault;
    int has;
    if (dump_read(&d, data, size, &fault) != 0) return -1;
    has = modules_behind(&d, 0) < d.part_count;
    dump_free(&d);
    return has ? places_name(data, size, NULL, NULL, out) : -1;
}
