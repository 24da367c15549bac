/* dwarf_inlined.c - which functions were inlined at an address, from .debug_info
   (DWARF 2 to 5).

   A unit is a tree of entries. Those of inlined functions say which addresses
   are theirs, and point at the entry that has the name:

       unit 0x400..0x900
         function g, at ----.             no address: only its name is wanted
         function main      |
           inlined -> g ----'  0x420..0x440, 0x460..0x470
             inlined -> h      0x428..0x430

   At first only the ranges of units are read. A unit's tree is read when an
   address of it is asked for; its inlined ranges are then a list, sorted by
   where they begin, each with the largest end up to there, so that a search goes
   back no further than it must.

   A function that begins somewhere is kept, too, for where it is declared. Where
   debugging information is damaged, or in another file (.dwo, .gnu_debugaltlink),
   there are no inlined functions, or they have no names. */
#include "base/dwarf.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { TAG_INLINED = 0x1D, TAG_FUNCTION = 0x2E };
enum { AT_NAME = 0x03, AT_LOW = 0x11, AT_HIGH = 0x12, AT_ORIGIN = 0x31, AT_SPECIFICATION = 0x47,
       AT_RANGES = 0x55, AT_LINKAGE_NAME = 0x6E, AT_STRINGS_BASE = 0x72, AT_ADDRESSES_BASE = 0x73,
       AT_RANGES_BASE = 0x74, AT_LINES = 0x10, AT_FILE = 0x3A, AT_LINE = 0x3B, AT_OLD_LINKAGE_NAME = 0x2007 };
enum { DEPTH_MOST = 1000, RANGES_MOST = 1 << 24, ORIGINS_MOST = 8, INLINED_MOST = 64 };

/* What the value of an attribute is. */
typedef enum what { NOTHING, ADDRESS, ADDRESS_NUMBER, NUMBER, WORD, WORD_NUMBER, ENTRY, PLACE,
                    RANGES_NUMBER } what;
typedef struct value {
    what what;
    uint64_t number;
    const char *word;
} value;

typedef struct shape {                          /* of entries: what attributes they have */
    uint64_t code, tag;
    int has_children;
    size_t at;                                  /* in .debug_abbrev: of the attributes */
} shape;

typedef struct range { uint64_t lo, hi; } range;

typedef struct inlined {
    uint64_t lo, hi, reach;                     /* reach: the largest hi up to here */
    uint64_t origin;
    uint32_t depth;
} inlined;

/* A function, by where it begins. */
typedef struct begun {
    uint64_t address;
    size_t entry;                               /* its place in .debug_info */
} begun;

typedef struct unit {
    size_t start, first, end;                   /* of the unit, of its root, in .debug_info */
    unsigned version, address_bytes, offset_bytes;
    uint64_t lines;                             /* its place in .debug_line */
    begun *functions;
    size_t function_count, function_room;
    uint64_t shapes_at, strings_base, addresses_base, ranges_base, low;
    size_t first_range, range_count;
    shape *shapes;                              /* sorted by code; NULL: not read */
    size_t shape_count, shape_room;
    inlined *list;
    size_t count, room;
    int is_read;
} unit;

struct dwarf_inlines {
    dwarf_section info, abbreviations, strings, line_strings, string_offsets, addresses, ranges,
        range_lists;
    unit *units;
    size_t unit_count, unit_room;
    range *all;                                 /* of units */
    size_t range_count, range_room;
};

/* What is wanted of an entry. */
typedef struct entry {
    value lines, file, line, low, high, ranges, origin, specification, name, linkage, strings_base, addresses_base,
        ranges_base;
} entry;

/* ---- values ---- */

static void set(value *v, what kind, uint64_t number) {
    v->what = kind;
    v->number = number;
}

static void set_word(value *v, const char *word) {
    v->what = word ? WORD : NOTHING;
    v->word = word;
}

static void get_value(const dwarf_inlines *l, const unit *u, dwarf_reader *r, uint64_t form,
                      int64_t constant, value *v) {
    int turns;
    v->what = NOTHING;
    v->number = 0;
    v->word = NULL;
    for (turns = 0; form == 0x16 && turns < 8; turns++) form = dwarf_varint(r);
    switch (form) {
    case 0x01: set(v, ADDRESS, dwarf_get(r, u->address_bytes)); break;
    case 0x03: dwarf_skip(r, dwarf_get(r, 2)); break;
    case 0x04: dwarf_skip(r, dwarf_get(r, 4)); break;
    case 0x05: set(v, NUMBER, dwarf_get(r, 2)); break;
    case 0x06: set(v, NUMBER, dwarf_get(r, 4)); break;
    case 0x07: set(v, NUMBER, dwarf_get(r, 8)); break;
    case 0x08: set_word(v, dwarf_string(r)); break;
    case 0x09: case 0x18: dwarf_skip(r, dwarf_varint(r)); break;
    case 0x0A: dwarf_skip(r, dwarf_get(r, 1)); break;
    case 0x0B: set(v, NUMBER, dwarf_get(r, 1)); break;
    case 0x0C: dwarf_skip(r, 1); break;
    case 0x0D: set(v, NUMBER, (uint64_t)dwarf_signed(r)); break;
    case 0x0E: set_word(v, dwarf_string_in(&l->strings, dwarf_get(r, u->offset_bytes))); break;
    case 0x0F: set(v, NUMBER, dwarf_varint(r)); break;
    case 0x10: set(v, ENTRY, 
        dwarf_get(r, u->version == 2 ? u->address_bytes : u->offset_bytes)); break;
    case 0x11: set(v, ENTRY, u->start + dwarf_get(r, 1)); break;
    case 0x12: set(v, ENTRY, u->start + dwarf_get(r, 2)); break;
    case 0x13: set(v, ENTRY, u->start + dwarf_get(r, 4)); break;
    case 0x14: set(v, ENTRY, u->start + dwarf_get(r, 8)); break;
    case 0x15: set(v, ENTRY, u->start + dwarf_varint(r)); break;
    case 0x17: set(v, PLACE, dwarf_get(r, u->offset_bytes)); break;
    case 0x19: break;
    case 0x1A: case 0x1F02: set(v, WORD_NUMBER, dwarf_varint(r)); break;
    case 0x1B: case 0x1F01: set(v, ADDRESS_NUMBER, dwarf_varint(r)); break;
    case 0x1C: dwarf_skip(r, 4); break;         /* this and these are in another file */
    case 0x1D: case 0x1F20: case 0x1F21: dwarf_skip(r, u->offset_bytes); break;
    case 0x1E: dwarf_skip(r, 16); break;
    case 0x1F: 
        set_word(v, dwarf_string_in(&l->line_strings, dwarf_get(r, u->offset_bytes)));
        break;
    case 0x20: case 0x24: dwarf_skip(r, 8); break;
    case 0x21: set(v, NUMBER, (uint64_t)constant); break;
    case 0x22: (void)dwarf_varint(r); break;
    case 0x23: set(v, RANGES_NUMBER, dwarf_varint(r)); break;
    case 0x25: set(v, WORD_NUMBER, dwarf_get(r, 1)); break;
    case 0x26: set(v, WORD_NUMBER, dwarf_get(r, 2)); break;
    case 0x27: set(v, WORD_NUMBER, dwarf_get(r, 1) | dwarf_get(r, 2) << 8); break;
    case 0x28: set(v, WORD_NUMBER, dwarf_get(r, 4)); break;
    case 0x29: set(v, ADDRESS_NUMBER, dwarf_get(r, 1)); break;
    case 0x2A: set(v, ADDRESS_NUMBER, dwarf_get(r, 2)); break;
    case 0x2B: set(v, ADDRESS_NUMBER, dwarf_get(r, 1) | dwarf_get(r, 2) << 8); break;
    case 0x2C: set(v, ADDRESS_NUMBER, dwarf_get(r, 4)); break;
    default: r->bad = 1;
    }
}

/* A number of so many bytes at a place of a section, or 0 and *ok cleared. */
static uint64_t number_at(const dwarf_section *s, uint64_t at, unsigned bytes, int *ok) {
    if (at > s->size || s->size - at < bytes) {
        *ok = 0;
        return 0;
    }
    return dwarf_number(s->data + at, bytes);
}

static uint64_t address_of(const dwarf_inlines *l, const unit *u, const value *v, int *ok) {
    if (v->what == ADDRESS) return v->number;
    if (v->what != ADDRESS_NUMBER || v->number > l->addresses.size) *ok = 0;
    if (!*ok) return 0;
    return number_at(&l->addresses, u->addresses_base + v->number * u->address_bytes,
                     u->address_bytes, ok);
}

static const char *word_of(const dwarf_inlines *l, const unit *u, const value *v) {
    int ok = 1;
    uint64_t at;
    if (v->what == WORD) return v->word;
    if (v->what != WORD_NUMBER || v->number > l->string_offsets.size) return NULL;
    at = number_at(&l->string_offsets, u->strings_base + v->number * u->offset_bytes,
                   u->offset_bytes, &ok);
    return ok ? dwarf_string_in(&l->strings, at) : NULL;
}

/* ---- entries ---- */

static int compare_shapes(const void *left, const void *right) {
    return tool_order(((const shape *)left)->code, ((const shape *)right)->code);
}

static void read_shapes(const dwarf_inlines *l, unit *u) {
    dwarf_reader r;
    memset(&r, 0, sizeof r);
    r.data = l->abbreviations.data;
    r.end = l->abbreviations.size;
    TOOL_ROOM(shape, u->shapes, 0, u->shape_room);
    if (u->shapes_at > r.end) return;
    r.at = (size_t)u->shapes_at;
    while (!r.bad) {
        shape s;
        uint64_t attribute, form;
        s.code = dwarf_varint(&r);
        if (!s.code) break;
        s.tag = dwarf_varint(&r);
        s.has_children = dwarf_get(&r, 1) != 0;
        s.at = r.at;
        do {
            attribute = dwarf_varint(&r);
            form = dwarf_varint(&r);
            if (form == 0x21) (void)dwarf_signed(&r);
        } while (!r.bad && (attribute || form));
        if (r.bad) break;
        TOOL_ROOM(shape, u->shapes, u->shape_count, u->shape_room);
        u->shapes[u->shape_count++] = s;
    }
    if (u->shape_count) qsort(u->shapes, u->shape_count, sizeof *u->shapes, compare_shapes);
}

static const shape *shape_of(const unit *u, uint64_t code) {
    shape wanted;
    if (code && code <= u->shape_count && u->shapes[code - 1].code == code)
        return &u->shapes[code - 1];
    memset(&wanted, 0, sizeof wanted);
    wanted.code = code;
    if (!u->shape_count) return NULL;
    return (const shape *)bsearch(&wanted, u->shapes, u->shape_count, sizeof *u->shapes,
                                  compare_shapes);
}

static value *wanted_of(entry *e, uint64_t attribute) {
    switch (attribute) {
    case AT_NAME: return &e->name;
    case AT_LINES: return &e->lines;
    case AT_FILE: return &e->file;
    case AT_LINE: return &e->line;
    case AT_LOW: return &e->low;
    case AT_HIGH: return &e->high;
    case AT_RANGES: return &e->ranges;
    case AT_ORIGIN: return &e->origin;
    case AT_SPECIFICATION: return &e->specification;
    case AT_LINKAGE_NAME:
    case AT_OLD_LINKAGE_NAME: return &e->linkage;
    case AT_STRINGS_BASE: return &e->strings_base;
    case AT_ADDRESSES_BASE: return &e->addresses_base;
    case AT_RANGES_BASE: return &e->ranges_base;
    default: return NULL;
    }
}

/* Reads the attributes of an entry, behind its code. */
static void get_entry(const dwarf_inlines *l, const unit *u, dwarf_reader *r, const shape *s,
                      entry *e) {
    dwarf_reader of;
    memset(e, 0, sizeof *e);
    memset(&of, 0, sizeof of);
    of.data = l->abbreviations.data;
    of.at = s->at;
    of.end = l->abbreviations.size;
    while (!r->bad) {
        uint64_t attribute = dwarf_varint(&of), form = dwarf_varint(&of);
        int64_t constant = form == 0x21 ? dwarf_signed(&of) : 0;
        value unused, *v = wanted_of(e, attribute);
        if (of.bad || (!attribute && !form)) break;
        get_value(l, u, r, form, constant, v ? v : &unused);
    }
}

static dwarf_reader reader_at(const dwarf_inlines *l, const unit *u, size_t at) {
    dwarf_reader r;
    memset(&r, 0, sizeof r);
    r.data = l->info.data;
    r.at = at;
    r.end = u->end;
    return r;
}

/* ---- ranges ---- */

typedef struct ranges { range *list; size_t count, room; } ranges;

static void add_range(ranges *out, uint64_t lo, uint64_t hi) {
    if (lo >= hi || out->count >= RANGES_MOST) return;
    TOOL_ROOM(range, out->list, out->count, out->room);
    out->list[out->count].lo = lo;
    out->list[out->count++].hi = hi;
}

/* Pairs of versions 2 to 4. */
static void get_pairs(const dwarf_inlines *l, const unit *u, uint64_t at, ranges *out) {
    uint64_t base = u->low, all = u->address_bytes == 8 ? ~UINT64_C(0) : 0xFFFFFFFF;
    int ok = 1;
    for (;; at += 2 * (uint64_t)u->address_bytes) {
        uint64_t lo = number_at(&l->ranges, at, u->address_bytes, &ok);
        uint64_t hi = number_at(&l->ranges, at + u->address_bytes, u->address_bytes, &ok);
        if (!ok || (!lo && !hi)) return;
        if (lo == all) base = hi;
        else add_range(out, base + lo, base + hi);
    }
}

static uint64_t indexed(const dwarf_inlines *l, const unit *u, dwarf_reader *r) {
    value v;
    int ok = 1;
    uint64_t address;
    set(&v, ADDRESS_NUMBER, dwarf_varint(r));
    address = address_of(l, u, &v, &ok);
    if (!ok) r->bad = 1;
    return address;
}

/* The list of version 5. */
static void get_list(const dwarf_inlines *l, const unit *u, uint64_t at, ranges *out) {
    uint64_t base = u->low, lo, hi;
    dwarf_reader r;
    memset(&r, 0, sizeof r);
    if (at > l->range_lists.size) return;
    r.data = l->range_lists.data;
    r.at = (size_t)at;
    r.end = l->range_lists.size;
    while (!r.bad) {
        lo = hi = 0;
        switch (dwarf_get(&r, 1)) {
        case 1: base = indexed(l, u, &r); break;
        case 2:
            lo = indexed(l, u, &r);
            hi = indexed(l, u, &r);
            break;
        case 3:
            lo = indexed(l, u, &r);
            hi = lo + dwarf_varint(&r);
            break;
        case 4:
            lo = base + dwarf_varint(&r);
            hi = base + dwarf_varint(&r);
            break;
        case 5: base = dwarf_get(&r, u->address_bytes); break;
        case 6:
            lo = dwarf_get(&r, u->address_bytes);
            hi = dwarf_get(&r, u->address_bytes);
            break;
        case 7:
            lo = dwarf_get(&r, u->address_bytes);
            hi = lo + dwarf_varint(&r);
            break;
        default: return;
        }
        if (!r.bad) add_range(out, lo, hi);
    }
}

static void get_ranges(const dwarf_inlines *l, const unit *u, const entry *e, ranges *out) {
    int ok = 1;
    out->count = 0;
    if (e->ranges.what == RANGES_NUMBER && e->ranges.number <= l->range_lists.size) {
        uint64_t at = u->ranges_base + u->offset_bytes * e->ranges.number;
        at = u->ranges_base + number_at(&l->range_lists, at, u->offset_bytes, &ok);
        if (ok) get_list(l, u, at, out);
    } else if (e->ranges.what == PLACE || e->ranges.what == NUMBER) {
        if (u->version >= 5) get_list(l, u, e->ranges.number, out);
        else get_pairs(l, u, e->ranges.number, out);
    } else {
        uint64_t lo = address_of(l, u, &e->low, &ok), hi;
        if (!ok || e->high.what == NOTHING) return;
        hi = e->high.what == NUMBER ? lo + e->high.number : address_of(l, u, &e->high, &ok);
        if (ok) add_range(out, lo, hi);
    }
}

/* ---- units ---- */

/* Behind its length. Returns 0: it is none that has code here. */
static int get_unit(unit *u, dwarf_reader *r) {
    enum { COMPILE = 1, PARTIAL = 3 };
    uint64_t kind = COMPILE;
    u->version = (unsigned)dwarf_get(r, 2);
    if (u->version < 2 || u->version > 5) return 0;
    if (u->version == 5) {
        kind = dwarf_get(r, 1);
        u->address_bytes = (unsigned)dwarf_get(r, 1);
        u->shapes_at = dwarf_get(r, u->offset_bytes);
    } else {
        u->shapes_at = dwarf_get(r, u->offset_bytes);
        u->address_bytes = (unsigned)dwarf_get(r, 1);
    }
    u->first = r->at;
    return !r->bad && (kind == COMPILE || kind == PARTIAL)
           && (u->address_bytes == 4 || u->address_bytes == 8);
}

/* Reads the root of a unit: where its code is, and where its tables begin. */
static void get_root(const dwarf_inlines *l, unit *u, ranges *out) {
    dwarf_reader r = reader_at(l, u, u->first);
    const shape *s;
    entry root;
    int ok = 1;
    read_shapes(l, u);
    s = shape_of(u, dwarf_varint(&r));
    if (!s) return;
    get_entry(l, u, &r, s, &root);
    u->strings_base = root.strings_base.number;
    u->addresses_base = root.addresses_base.number;
    u->ranges_base = root.ranges_base.number;
    u->lines = root.lines.what == NOTHING ? UINT64_MAX : root.lines.number;
    if (root.low.what != NOTHING) u->low = address_of(l, u, &root.low, &ok);
    if (!ok) u->low = 0;
    get_ranges(l, u, &root, out);
}

dwarf_inlines *dwarf_inlines_read(dwarf_file *f) {
    dwarf_inlines *l = (dwarf_inlines *)tool_alloc(sizeof *l);
    ranges of = {NULL, 0, 0};
    size_t at = 0, i;
    memset(l, 0, sizeof *l);
    l->info = dwarf_section_of(f, ".debug_info");
    l->abbreviations = dwarf_section_of(f, ".debug_abbrev");
    l->strings = dwarf_section_of(f, ".debug_str");
    l->line_strings = dwarf_section_of(f, ".debug_line_str");
    l->string_offsets = dwarf_section_of(f, ".debug_str_offsets");
    l->addresses = dwarf_section_of(f, ".debug_addr");
    l->ranges = dwarf_section_of(f, ".debug_ranges");
    l->range_lists = dwarf_section_of(f, ".debug_rnglists");
    while (at < l->info.size) {
        size_t bytes;
        dwarf_reader r;
        unit u;
        memset(&u, 0, sizeof u);
        u.start = at;
        u.end = l->info.size;
        r = reader_at(l, &u, at);
        bytes = dwarf_length(&r, &u.offset_bytes);
        if (!bytes) break;
        at = u.end = r.end = r.at + bytes;
        if (!get_unit(&u, &r)) continue;
        of.count = 0;
        get_root(l, &u, &of);
        u.first_range = l->range_count;
        u.range_count = of.count;
        for (i = 0; i < of.count; i++) {
            TOOL_ROOM(range, l->all, l->range_count, l->range_room);
            l->all[l->range_count++] = of.list[i];
        }
        free(u.shapes);                         /* read again if it is asked for */
        u.shapes = NULL;
        u.shape_count = u.shape_room = 0;
        TOOL_ROOM(unit, l->units, l->unit_count, l->unit_room);
        l->units[l->unit_count++] = u;
    }
    free(of.list);
    return l;
}

static int compare_inlined(const void *left, const void *right) {
    const inlined *a = (const inlined *)left, *b = (const inlined *)right;
    int order = tool_order(a->lo, b->lo);
    return order ? order : tool_order(a->depth, b->depth);
}

/* A function begins where its address says, or its first range. */
static void add_function(const dwarf_inlines *l, unit *u, const entry *e, size_t place,
                         ranges *of) {
    begun *f;
    get_ranges(l, u, e, of);
    if (!of->count || u->function_count >= RANGES_MOST) return;
    TOOL_ROOM(begun, u->functions, u->function_count, u->function_room);
    f = &u->functions[u->function_count++];
    f->address = of->list[0].lo;
    f->entry = place;
}

static int compare_begun(const void *left, const void *right) {
    const begun *a = (const begun *)left, *b = (const begun *)right;
    int order = tool_order(a->address, b->address);
    return order ? order : tool_order(a->entry, b->entry);
}

/* Walks the tree. depths: how many inlined functions are around the entries of a
   level. */
static void read_tree(const dwarf_inlines *l, unit *u) {
    dwarf_reader r = reader_at(l, u, u->first);
    ranges of = {NULL, 0, 0};
    uint32_t depths[DEPTH_MOST], level = 0;
    size_t i;
    u->is_read = 1;
    if (!u->shapes) read_shapes(l, u);
    depths[0] = 0;
    while (!r.bad && r.at < r.end) {
        size_t place = r.at;
        uint64_t code = dwarf_varint(&r);
        const shape *s;
        entry e;
        uint32_t depth = depths[level];
        if (!code) {
            if (level-- == 0) break;
            continue;
        }
        s = shape_of(u, code);
        if (!s) break;
        get_entry(l, u, &r, s, &e);
        if (r.bad) break;
        if (s->tag == TAG_FUNCTION) add_function(l, u, &e, place, &of);
        if (s->tag == TAG_INLINED) {
            get_ranges(l, u, &e, &of);
            for (i = 0; i < of.count && u->count < RANGES_MOST; i++) {
                inlined *one;
                TOOL_ROOM(inlined, u->list, u->count, u->room);
                one = &u->list[u->count++];
                one->lo = of.list[i].lo;
                one->hi = of.list[i].hi;
                one->depth = depth;
                one->origin = e.origin.what == ENTRY ? e.origin.number : UINT64_MAX;
            }
            depth++;
        }
        if (!s->has_children) continue;
        if (++level == DEPTH_MOST) break;
        depths[level] = depth;
    }
    if (u->count) qsort(u->list, u->count, sizeof *u->list, compare_inlined);
    if (u->function_count)
        qsort(u->functions, u->function_count, sizeof *u->functions, compare_begun);
    for (i = 0; i < u->count; i++) {
        u->list[i].reach = u->list[i].hi;
        if (i && u->list[i - 1].reach > u->list[i].reach) u->list[i].reach = u->list[i - 1].reach;
    }
    free(of.list);
}

/* ---- an address ---- */

static unit *unit_at(const dwarf_inlines *l, uint64_t address) {
    size_t i, k;
    for (i = 0; i < l->unit_count; i++) {
        unit *u = &l->units[i];
        for (k = u->first_range; k < u->first_range + u->range_count; k++) {
            if (address >= l->all[k].lo && address < l->all[k].hi) return u;
        }
    }
    return NULL;
}

/* The unit that has a place of .debug_info. */
static unit *unit_with(const dwarf_inlines *l, uint64_t place) {
    size_t low = 0, high = l->unit_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->units[middle].start <= place) low = middle + 1;
        else high = middle;
    }
    return low && place >= l->units[low - 1].first && place < l->units[low - 1].end
               ? &l->units[low - 1] : NULL;
}

/* Reads the entry at *place, and makes *place the one that it points at, or 0.
   Returns its unit, or NULL: there is none. */
static const unit *entry_at(const dwarf_inlines *l, uint64_t *place, entry *e) {
    unit *u = unit_with(l, *place);
    dwarf_reader r;
    const shape *s;
    if (!u) return NULL;
    if (!u->shapes) read_shapes(l, u);
    r = reader_at(l, u, (size_t)*place);
    s = shape_of(u, dwarf_varint(&r));
    if (!s) return NULL;
    get_entry(l, u, &r, s, e);
    *place = e->origin.what == ENTRY          ? e->origin.number
             : e->specification.what == ENTRY ? e->specification.number
                                              : 0;
    return r.bad ? NULL : u;
}

/* The name of the entry there, or of the one that it points at: the linker's, or
   else the source's. */
static const char *name_at(const dwarf_inlines *l, uint64_t place) {
    const char *name = NULL, *word;
    const unit *u;
    entry e;
    int turns;
    for (turns = 0; turns < ORIGINS_MOST && place && (u = entry_at(l, &place, &e)); turns++) {
        word = word_of(l, u, &e.linkage);
        if (word) return word;
        if (!name) name = word_of(l, u, &e.name);
    }
    return name;
}

/* The file and the line each stand in the first entry that has them. A file is a
   number of the entry's own unit. */
uint32_t dwarf_declared_at(dwarf_inlines *l, uint64_t address, uint64_t *unit_place,
                           uint64_t *file) {
    unit *in = unit_at(l, address);
    const unit *u;
    size_t low = 0, high;
    uint64_t place, line = 0;
    entry e;
    int turns;
    if (!in) return 0;
    if (!in->is_read) read_tree(l, in);
    high = in->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in->functions[middle].address < address) low = middle + 1;
        else high = middle;
    }
    if (low == in->function_count || in->functions[low].address != address) return 0;
    place = in->functions[low].entry;
    *unit_place = UINT64_MAX;
    for (turns = 0; turns < ORIGINS_MOST && place && (u = entry_at(l, &place, &e)); turns++) {
        if (!line && e.line.what == NUMBER) line = e.line.number;
        if (*unit_place == UINT64_MAX && e.file.what == NUMBER && e.file.number) {
            *unit_place = u->lines;
            *file = e.file.number;
        }
    }
    return *unit_place == UINT64_MAX || line > UINT32_MAX ? 0 : (uint32_t)line;
}

size_t dwarf_inlines_at(dwarf_inlines *l, uint64_t address, text *names) {
    const inlined *found[INLINED_MOST];
    unit *u = unit_at(l, address);
    size_t low = 0, high, count = 0, i, k;
    if (!u) return 0;
    if (!u->is_read) read_tree(l, u);
    high = u->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->list[middle].lo <= address) low = middle + 1;
        else high = middle;
    }
    for (i = low; i-- > 0 && u->list[i].reach > address && count < INLINED_MOST;) {
        if (u->list[i].hi > address) found[count++] = &u->list[i];
    }
    for (i = 1; i < count; i++) {               /* the innermost first */
        const inlined *one = found[i];
        for (k = i; k && found[k - 1]->depth < one->depth; k--) found[k] = found[k - 1];
        found[k] = one;
    }
    for (i = 0; i < count; i++) {
        const char *name = name_at(l, found[i]->origin);
        text_format(names, "%s%.1000s", i ? "\t" : "", name && *name ? name : "?");
    }
    return count;
}

void dwarf_inlines_free(dwarf_inlines *l) {
    size_t i;
    for (i = 0; i < l->unit_count; i++) {
        free(l->units[i].shapes);
        free(l->units[i].list);
        free(l->units[i].functions);
    }
    free(l->units);
    free(l->all);
    free(l);
}
