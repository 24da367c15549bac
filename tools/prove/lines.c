/* lines.c - file and line of an address, from .debug_line (DWARF 2 to 5).

   Each unit is a small program that writes rows: from this address on, this
   file and line. All rows are kept, sorted, and the last one at or before an
   address is its line. What is damaged, compressed or of another version has no
   lines: a proof does without. */
#include "prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 100000 };
enum { FORM_BLOCK = 9, FORM_STRING = 8, FORM_DATA1 = 11, FORM_DATA2 = 5, FORM_DATA4 = 6,
       FORM_DATA8 = 7, FORM_VARINT = 15, FORM_DATA16 = 30, FORM_LINE_STRING = 31,
       FORM_STRINGS = 14 };

typedef struct row { uint64_t address; const char *file; uint32_t line; } row;   /* 0: an end */

struct prove_lines {
    row *rows;
    size_t count, room;
};

typedef struct part { const unsigned char *data; size_t size; } part;

typedef struct reader {
    const unsigned char *data;
    size_t at, end;
    int bad;
} reader;

typedef struct names {
    const char **list;
    size_t count, room;
} names;

static uint64_t get(reader *r, unsigned bytes) {
    uint64_t value;
    if (r->bad || r->end - r->at < bytes) {
        r->bad = 1;
        return 0;
    }
    value = prove_number(r->data + r->at, bytes);
    r->at += bytes;
    return value;
}

static uint64_t get_varint(reader *r) {
    uint64_t value = 0, byte = 0x80;
    unsigned shift;
    for (shift = 0; byte & 0x80 && !r->bad; shift += 7) {
        byte = get(r, 1);
        if (shift < 63) value |= (byte & 0x7F) << shift;
    }
    return value;
}

static int64_t get_signed(reader *r) {
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    while (byte & 0x80 && !r->bad) {
        byte = get(r, 1);
        if (shift < 63) value |= (byte & 0x7F) << shift;
        shift += 7;
    }
    if (shift < 64 && byte & 0x40) value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

static const char *string_in(const part *p, uint64_t at) {
    if (at >= p->size || !memchr(p->data + at, 0, p->size - (size_t)at)) return NULL;
    return (const char *)p->data + at;
}

static const char *get_string(reader *r) {
    const char *start = (const char *)r->data + r->at;
    const void *end = r->bad || r->at >= r->end ? NULL : memchr(start, 0, r->end - r->at);
    if (!end) {
        r->bad = 1;
        return "";
    }
    r->at += (size_t)((const char *)end - start) + 1;
    return start;
}

/* One field of an entry of version 5. Returns the name that it is, or NULL. */
static const char *get_form(reader *r, uint64_t form, const part *lines, const part *strings) {
    uint64_t size;
    switch (form) {
    case FORM_STRING: return get_string(r);
    case FORM_LINE_STRING: return string_in(lines, get(r, 4));
    case FORM_STRINGS: return string_in(strings, get(r, 4));
    case FORM_DATA1: (void)get(r, 1); return NULL;
    case FORM_DATA2: (void)get(r, 2); return NULL;
    case FORM_DATA4: (void)get(r, 4); return NULL;
    case FORM_DATA8: (void)get(r, 8); return NULL;
    case FORM_DATA16: (void)get(r, 8); (void)get(r, 8); return NULL;
    case FORM_VARINT: (void)get_varint(r); return NULL;
    case FORM_BLOCK:
        size = get_varint(r);
        if (size > r->end - r->at) r->bad = 1;
        else r->at += (size_t)size;
        return NULL;
    default: r->bad = 1; return NULL;
    }
}

static void add_name(names *n, const char *name) {
    n->list = (const char **)graph_room(n->list, n->count, &n->room, sizeof *n->list);
    n->list[n->count++] = name;
}

/* A list of folders or files; only names of files are kept. */
static void get_entries(reader *r, names *files, const part *lines, const part *strings) {
    uint64_t formats = get(r, 1), kind[16], form[16], count, i, k;
    if (formats > 16) r->bad = 1;
    for (i = 0; i < formats && !r->bad; i++) {
        kind[i] = get_varint(r);
        form[i] = get_varint(r);
    }
    count = get_varint(r);
    if (count > FILES_MOST || (formats == 0 && count)) r->bad = 1;
    for (i = 0; i < count && !r->bad; i++) {
        const char *name = NULL;
        for (k = 0; k < formats; k++) {
            const char *word = get_form(r, form[k], lines, strings);
            if (kind[k] == 1) name = word;
        }
        if (files) add_name(files, name);
    }
}

static void get_old_entries(reader *r, names *files) {
    add_name(files, NULL);
    while (!r->bad && *get_string(r)) {
    }
    while (!r->bad) {
        const char *name = get_string(r);
        if (!*name) break;
        (void)get_varint(r);
        (void)get_varint(r);
        (void)get_varint(r);
        if (files->count > FILES_MOST) r->bad = 1;
        add_name(files, name);
    }
}

typedef struct machine {
    uint64_t address, file, line;
    uint64_t step, range, first;
    int64_t base;
} machine;

static void add_row(prove_lines *l, const machine *m, const names *files, int is_end) {
    row *r;
    l->rows = (row *)graph_room(l->rows, l->count, &l->room, sizeof *l->rows);
    r = &l->rows[l->count++];
    r->address = m->address;
    r->file = m->file < files->count ? files->list[m->file] : NULL;
    r->line = is_end ? 0 : (uint32_t)m->line;
}

static void start_again(machine *m) {
    m->address = 0;
    m->file = m->line = 1;
}

static void extended(prove_lines *l, reader *r, machine *m, const names *files) {
    uint64_t size = get_varint(r), code;
    size_t end;
    if (!size || size > r->end - r->at) {
        r->bad = 1;
        return;
    }
    end = r->at + (size_t)size;
    code = get(r, 1);
    if (code == 1) {
        add_row(l, m, files, 1);
        start_again(m);
    } else if (code == 2) m->address = get(r, size == 9 ? 8 : 4);
    r->at = end;
}

static void run(prove_lines *l, reader *r, machine *m, const names *files,
                const unsigned char *lengths) {
    start_again(m);
    while (!r->bad && r->at < r->end) {
        uint64_t code = get(r, 1), k;
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
        case 2: m->address += get_varint(r) * m->step; break;
        case 3: m->line += (uint64_t)get_signed(r); break;
        case 4: m->file = get_varint(r); break;
        case 8: m->address += (255 - m->first) / m->range * m->step; break;
        case 9: m->address += get(r, 2); break;
        default:
            for (k = 0; k < lengths[code - 1]; k++) (void)get_varint(r);
        }
    }
}

static void read_unit(prove_lines *l, reader *r, const part *lines, const part *strings) {
    const unsigned char *lengths;
    names files = {NULL, 0, 0};
    machine m;
    uint64_t version = get(r, 2), header, start;
    memset(&m, 0, sizeof m);
    if (version < 2 || version > 5) return;
    if (version == 5) (void)get(r, 2);
    header = get(r, 4);
    if (r->bad || header > r->end - r->at) return;
    start = r->at + header;
    m.step = get(r, 1);
    if (version >= 4) (void)get(r, 1);
    (void)get(r, 1);
    m.base = (int64_t)(int8_t)get(r, 1);
    m.range = get(r, 1);
    m.first = get(r, 1);
    if (r->bad || !m.range || !m.first || m.first - 1 > r->end - r->at) return;
    lengths = r->data + r->at;
    r->at += (size_t)m.first - 1;
    if (version == 5) {
        get_entries(r, NULL, lines, strings);
        get_entries(r, &files, lines, strings);
    } else get_old_entries(r, &files);
    if (!r->bad) {
        r->at = (size_t)start;
        run(l, r, &m, &files, lengths);
    }
    free(files.list);
}

static part section_of(const prove_image *im, const char *name) {
    const elf_file *e = &im->elf;
    elf_section s, strings;
    dump_fault fault;
    part p = {NULL, 0};
    uint64_t i;
    if (!e->sections || elf_get_section(e, e->names_index, &strings, &fault) != 0) return p;
    for (i = 1; i < e->section_count; i++) {
        if (elf_get_section(e, i, &s, &fault) != 0) continue;
        if (s.type == ELF_NO_BYTES || s.flags & ELF_COMPRESSED) continue;
        if (!elf_name_is(e, &strings, s.name, name)) continue;
        p.data = e->data + s.offset;
        p.size = (size_t)s.size;
        return p;
    }
    return p;
}

static int compare_rows(const void *a, const void *b) {
    const row *x = (const row *)a, *y = (const row *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (y->line == 0) - (x->line == 0);        /* an end stands first */
}

prove_lines *prove_lines_read(const prove_image *im) {
    prove_lines *l = (prove_lines *)tool_alloc(sizeof *l);
    part all = section_of(im, ".debug_line"), lines = section_of(im, ".debug_line_str");
    part strings = section_of(im, ".debug_str");
    size_t at = 0;
    memset(l, 0, sizeof *l);
    while (all.size - at >= 4) {
        uint64_t bytes = prove_number(all.data + at, 4);
        reader r;
        at += 4;
        if (bytes > all.size - at) break;
        memset(&r, 0, sizeof r);
        r.data = all.data;
        r.at = at;
        r.end = at + (size_t)bytes;
        read_unit(l, &r, &lines, &strings);
        at += (size_t)bytes;
    }
    if (l->count) qsort(l->rows, l->count, sizeof *l->rows, compare_rows);
    return l;
}

const char *prove_line_of(prove_lines *l, uint64_t address, uint32_t *line) {
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->rows[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    if (low == 0 || !l->rows[low - 1].line || !l->rows[low - 1].file) return NULL;
    *line = l->rows[low - 1].line;
    return l->rows[low - 1].file;
}

void prove_lines_free(prove_lines *l) {
    free(l->rows);
    free(l);
}
