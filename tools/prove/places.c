/* places.c - file and line of instructions that miss, share lines, or are in hot
   streams. The recorder names an ELF file and an address in it; here the file's
   .debug_line is read, once for each file. */
#include "prove/prove.h"
#include "prove/places.h"
#include "base/tool.h"
#include "kinds/misses.h"
#include "kinds/sharing.h"
#include "kinds/streams.h"
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 300 };

typedef struct read_file {
    char *path;
    unsigned char *data;
    prove_image image;                            /* its ELF file alone */
    prove_lines *lines;                           /* NULL: there are none */
} read_file;

typedef struct files {
    read_file *at[FILES_MOST];
    size_t count;
} files;

static read_file *file_of(files *f, const char *path, size_t length) {
    read_file *file;
    dump_fault fault;
    size_t i, size;
    for (i = 0; i < f->count; i++) {
        if (strlen(f->at[i]->path) == length && memcmp(f->at[i]->path, path, length) == 0)
            return f->at[i];
    }
    if (f->count == FILES_MOST) return NULL;
    file = f->at[f->count++] = (read_file *)tool_alloc(sizeof *file);
    memset(file, 0, sizeof *file);
    file->path = (char *)tool_alloc(length + 1);
    memcpy(file->path, path, length);
    file->path[length] = 0;
    if (!tool_file_time(file->path)) return file; /* it is gone: no message */
    file->data = tool_read_file(file->path, NULL, &size);
    if (!file->data || !elf_is(file->data, size)
        || elf_begin(&file->image.elf, file->data, size, &fault) != 0
        || elf_find_sections(&file->image.elf, &fault) != 0)
        return file;
    file->lines = prove_lines_read(&file->image);
    return file;
}

static void name_place(files *f, char **at) {
    char *tab = strchr(*at, '\t');
    text place = {NULL, 0, 0};
    const char *name = NULL;
    read_file *file;
    uint32_t line = 0;
    if (!tab) return;
    file = file_of(f, *at, (size_t)(tab - *at));
    if (file && file->lines) name = prove_line_of(file->lines, strtoull(tab + 1, NULL, 16), &line);
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

int places_name(const unsigned char *data, size_t size, text *out) {
    files *f = (files *)tool_alloc(sizeof *f);
    dump d;
    dump_fault fault;
    size_t i;
    memset(f, 0, sizeof *f);
    if (dump_read(&d, data, size, &fault) != 0) {
        free(f);
        return -1;
    }
    for (i = 0; i < d.part_count; i++) {
        if (d.parts[i].kind == kind_misses.number) name_misses(f, &d, &d.parts[i], out);
        else if (d.parts[i].kind == kind_sharing.number) name_sharing(f, &d, &d.parts[i], out);
        else if (d.parts[i].kind == kind_streams.number) name_streams(f, &d, &d.parts[i], out);
        else text_bytes(out, data + d.parts[i].offset, d.parts[i].bytes);
    }
    dump_free(&d);
    for (i = 0; i < f->count; i++) {
        if (f->at[i]->lines) prove_lines_free(f->at[i]->lines);
        free(f->at[i]->data);
        free(f->at[i]->path);
        free(f->at[i]);
    }
    free(f);
    return 0;
}
