/* dwarf_lines.c - file and line of an address, from .debug_line (DWARF 2 to 5).

   Each unit is a small program that writes rows: from this address on, this
   file and line. All rows are kept, sorted, and the last one at or before an
   address is its line. What is damaged or of another version has no lines: a
   proof does without. */
#include "base/dwarf.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 100000 };
enum { FORM_BLOCK = 9, FORM_STRING = 8, FORM_DATA1 = 11, FORM_DATA2 = 5, FORM_DATA4 = 6,
       FORM_DATA8 = 7, FORM_VARINT = 15, FORM_DATA16 = 30, FORM_LINE_STRING = 31,
       FORM_STRINGS = 14 };

/* A file of a unit: its name, and the folders that stand in front of it unless
   they, or it, begin at the root. NULL: not known, or none. */
typedef struct entry {
    const char *name, *folder, *base;
} entry;

typedef struct row {
    uint64_t address;
    uint32_t entry, line;                         /* line 0: an end */
    uint32_t order;                               /* of rows at one address */
} row;

/* The files of the unit at a place of .debug_line are those from `first` on. */
typedef struct line_unit { size_t place, first; } line_unit;

struct dwarf_lines {
    row *rows;
    size_t count, room;
    line_unit *units;
    size_t unit_count, unit_room;
    entry *entries;                               /* of all units, one unit behind the other */
    size_t entry_count, entry_room;
};

/* The folders of a unit. */
typedef struct names {
    const char **list;
    size_t count, room;
} names;

/* Where a unit's strings are, and how wide its offsets. */
typedef struct tables {
    dwarf_section lines, strings;
    unsigned offset_bytes;
} tables;

/* One field of an entry of version 5. Returns the name that it is, or NULL; a
   number goes into *number. */
static const char *get_form(dwarf_reader *r, uint64_t form, const tables *t, uint64_t *number) {
    uint64_t size;
    switch (form) {
    case FORM_STRING: return dwarf_string(r);
    case FORM_LINE_STRING: return dwarf_string_in(&t->lines, dwarf_get(r, t->offset_bytes));
    case FORM_STRINGS: return dwarf_string_in(&t->strings, dwarf_get(r, t->offset_bytes));
    case FORM_DATA1: *number = dwarf_get(r, 1); return NULL;
    case FORM_DATA2: *number = dwarf_get(r, 2); return NULL;
    case FORM_DATA4: *number = dwarf_get(r, 4); return NULL;
    case FORM_DATA8: (void)dwarf_get(r, 8); return NULL;
    case FORM_DATA16: (void)dwarf_get(r, 8); (void)dwarf_get(r, 8); return NULL;
    case FORM_VARINT: *number = dwarf_varint(r); return NULL;
    case FORM_BLOCK:
        size = dwarf_varint(r);
        if (size > r->end - r->at) r->bad = 1;
        else r->at += (size_t)size;
        return NULL;
    default: r->bad = 1; return NULL;
    }
}

static void add_name(names *n, const char *name) {
    TOOL_ROOM(const char *, n->list, n->count, n->room);
    n->list[n->count++] = name;
}

static void add_entry(dwarf_lines *l, const char *name, const names *folders, uint64_t folder) {
    entry *e;
    TOOL_ROOM(entry, l->entries, l->entry_count, l->entry_room);
    e = &l->entries[l->entry_count++];
    e->name = name;
    e->folder = folder < folders->count ? folders->list[folder] : NULL;
    e->base = folder && folders->count ? folders->list[0] : NULL;
}

/* A list of version 5: of folders if l is NULL, else of files. */
static void get_entries(dwarf_reader *r, dwarf_lines *l, names *folders, const tables *t) {
    enum { PATH = 1, FOLDER = 2 };
    uint64_t formats = dwarf_get(r, 1), kind[16], form[16], count, i, k;
    if (formats > 16) r->bad = 1;
    for (i = 0; i < formats && !r->bad; i++) {
        kind[i] = dwarf_varint(r);
        form[i] = dwarf_varint(r);
    }
    count = dwarf_varint(r);
    if (count > FILES_MOST || (formats == 0 && count)) r->bad = 1;
    for (i = 0; i < count && !r->bad; i++) {
        const char *name = NULL;
        uint64_t folder = 0;
        for (k = 0; k < formats; k++) {
            uint64_t number = 0;
            const char *word = get_form(r, form[k], t, &number);
            if (kind[k] == PATH) name = word;
            else if (kind[k] == FOLDER) folder = number;
        }
        if (l) add_entry(l, name, folders, folder);
        else add_name(folders, name);
    }
}

/* The lists of versions 2 to 4, which do not tell the folder of the compiler. */
static void get_old_entries(dwarf_reader *r, dwarf_lines *l, names *folders) {
    size_t first = l->entry_count;
    add_name(folders, NULL);
    while (!r->bad) {
        const char *name = dwarf_string(r);
        if (!*name) break;
        if (folders->count > FILES_MOST) r->bad = 1;
        add_name(folders, name);
    }
    add_entry(l, NULL, folders, 0);
    while (!r->bad) {
        const char *name = dwarf_string(r);
        uint64_t folder;
        if (!*name) break;
        folder = dwarf_varint(r);
        (void)dwarf_varint(r);
        (void)dwarf_varint(r);
        if (l->entry_count - first > FILES_MOST) r->bad = 1;
        add_entry(l, name, folders, folder);
    }
}

typedef struct machine {
    uint64_t address, file, line;
    uint64_t step, range, first;
    int64_t base;
    size_t began;                                 /* the first row of this sequence */
} machine;

/* The files of the unit are those from `files` on. */
static void add_row(dwarf_lines *l, const machine *m, size_t files, int is_end) {
    row *r;
    int is_known = m->file < l->entry_count - files;
    TOOL_ROOM(row, l->rows, l->count, l->room);
    r = &l->rows[l->count];
    r->order = (uint32_t)l->count++;
    r->address = m->address;
    r->entry = is_known ? (uint32_t)(files + m->file) : 0;
    r->line = is_end || !is_known ? 0 : (uint32_t)m->line;
}

static void start_again(machine *m, size_t rows) {
    m->began = rows;
    m->address = 0;
    m->file = m->line = 1;
}

static void extended(dwarf_lines *l, dwarf_reader *r, machine *m, size_t files) {
    uint64_t size = dwarf_varint(r), code;
    size_t end;
    if (!size || size > r->end - r->at) {
        r->bad = 1;
        return;
    }
    end = r->at + (size_t)size;
    code = dwarf_get(r, 1);
    if (code == 1) {
        /* Rows where it ends are of no instruction: behind it another one's begin. */
        while (l->count > m->began && l->rows[l->count - 1].address == m->address) l->count--;
        add_row(l, m, files, 1);
        start_again(m, l->count);
    } else if (code == 2) m->address = dwarf_get(r, size == 9 ? 8 : 4);
    r->at = end;
}

static void run(dwarf_lines *l, dwarf_reader *r, machine *m, size_t files,
                const unsigned char *lengths) {
    start_again(m, l->count);
    while (!r->bad && r->at < r->end) {
        uint64_t code = dwarf_get(r, 1), k;
        if (code >= m->first) {
            code -= m->first;
            m->address += code / m->range * m->step;
            m->line += (uint64_t)(m->base + (int64_t)(code % m->range));
            add_row(l, m, files, 0);
            continue;
        }
        switch (code) {
        case 0: extended(l, r, m, files); break;
        case 1: add_row(l, m, files, 0); break;
        case 2: m->address += dwarf_varint(r) * m->step; break;
        case 3: m->line += (uint64_t)dwarf_signed(r); break;
        case 4: m->file = dwarf_varint(r); break;
        case 8: m->address += (255 - m->first) / m->range * m->step; break;
        case 9: m->address += dwarf_get(r, 2); break;
        default:
            for (k = 0; k < lengths[code - 1]; k++) (void)dwarf_varint(r);
        }
    }
}

static void read_unit(dwarf_lines *l, dwarf_reader *r, const tables *t) {
    const unsigned char *lengths;
    names folders = {NULL, 0, 0};
    size_t files = l->entry_count;
    machine m;
    uint64_t version = dwarf_get(r, 2), header, start;
    memset(&m, 0, sizeof m);
    if (version < 2 || version > 5) return;
    if (version == 5) (void)dwarf_get(r, 2);
    header = dwarf_get(r, t->offset_bytes);
    if (r->bad || header > r->end - r->at) return;
    start = r->at + header;
    m.step = dwarf_get(r, 1);
    if (version >= 4) (void)dwarf_get(r, 1);
    (void)dwarf_get(r, 1);
    m.base = (int64_t)(int8_t)dwarf_get(r, 1);
    m.range = dwarf_get(r, 1);
    m.first = dwarf_get(r, 1);
    if (r->bad || !m.range || !m.first || m.first - 1 > r->end - r->at) return;
    lengths = r->data + r->at;
    r->at += (size_t)m.first - 1;
    if (version == 5) {
        get_entries(r, NULL, &folders, t);
        get_entries(r, l, &folders, t);
    } else get_old_entries(r, l, &folders);
    if (!r->bad) {
        r->at = (size_t)start;
        run(l, r, &m, files, lengths);
    }
    free(folders.list);
}

static int compare_rows(const void *a, const void *b) {
    const row *x = (const row *)a, *y = (const row *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if ((x->line == 0) != (y->line == 0)) return x->line == 0 ? -1 : 1; /* an end stands first */
    return x->order < y->order ? -1 : x->order > y->order;
}

dwarf_lines *dwarf_lines_read(dwarf_file *f) {
    dwarf_lines *l = (dwarf_lines *)tool_alloc(sizeof *l);
    dwarf_section all = dwarf_section_of(f, ".debug_line");
    dwarf_reader r;
    tables t;
    memset(l, 0, sizeof *l);
    memset(&r, 0, sizeof r);
    t.lines = dwarf_section_of(f, ".debug_line_str");
    t.strings = dwarf_section_of(f, ".debug_str");
    r.data = all.data;
    while (r.at < all.size) {
        size_t bytes, place = r.at;
        r.end = all.size;
        bytes = dwarf_length(&r, &t.offset_bytes);
        if (!bytes) break;
        r.end = r.at + bytes;
        TOOL_ROOM(line_unit, l->units, l->unit_count, l->unit_room);
        l->units[l->unit_count].place = place;
        l->units[l->unit_count++].first = l->entry_count;
        read_unit(l, &r, &t);
        r.at = r.end;
        r.bad = 0;
    }
    if (l->count) qsort(l->rows, l->count, sizeof *l->rows, compare_rows);
    return l;
}

size_t dwarf_lines_bytes(dwarf_file *f) { return dwarf_section_of(f, ".debug_line").size; }

static const row *row_at(const dwarf_lines *l, uint64_t address) {
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->rows[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    if (low == 0 || !l->rows[low - 1].line || !l->entries[l->rows[low - 1].entry].name) return NULL;
    return &l->rows[low - 1];
}

const char *dwarf_line_of(const dwarf_lines *l, uint64_t address, uint32_t *line) {
    const row *r = row_at(l, address);
    const char *name = r ? l->entries[r->entry].name : NULL, *slash = name ? strrchr(name, '/') : NULL;
    if (r) *line = r->line;
    return slash ? slash + 1 : name;
}

static uint32_t path_of_entry(const dwarf_lines *l, size_t number, uint32_t line, text *path) {
    const entry *e = &l->entries[number];
    if (!e->name) return 0;
    if (*e->name != '/' && e->folder) {
        if (*e->folder != '/' && e->base) text_format(path, "%.1000s/", e->base);
        text_format(path, "%.1000s/", e->folder);
    }
    text_format(path, "%.1000s", e->name);
    return line;
}

static uint32_t path_of_row(const dwarf_lines *l, const row *r, text *path) {
    return path_of_entry(l, r->entry, r->line, path);
}

uint32_t dwarf_path_in(const dwarf_lines *l, uint64_t unit, uint64_t file, uint32_t line,
                       text *path) {
    size_t i;
    for (i = 0; i < l->unit_count && l->units[i].place != unit; i++) { }
    if (i == l->unit_count) return 0;
    file += l->units[i].first;
    if (file >= (i + 1 < l->unit_count ? l->units[i + 1].first : l->entry_count)) return 0;
    return path_of_entry(l, (size_t)file, line, path);
}

uint32_t dwarf_path_of(const dwarf_lines *l, uint64_t address, text *path) {
    const row *r = row_at(l, address);
    if (!r) return 0;
    while (r > l->rows && r[-1].address == address && r[-1].line) r--;
    return path_of_row(l, r, path);
}

uint32_t dwarf_path_at(const dwarf_lines *l, uint64_t address, text *path) {
    const row *r = row_at(l, address);
    return r ? path_of_row(l, r, path) : 0;
}

void dwarf_lines_free(dwarf_lines *l) {
    free(l->rows);
    free(l->entries);
    free(l->units);
    free(l);
}
