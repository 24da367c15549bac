/* unwind.c - rules out of .eh_frame. .eh_frame_hdr has a sorted table: where a
   function starts, and where its record (FDE) is. The record names a common one
   (CIE); the small programs of both, run up to a place, say where the CFA is
   there and where the caller's rbp is saved. Static programs may have no table:
   then their records are read one after the other, and a table is made. */
#include "base/unwind.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { HEADER_SEGMENT = 0x6474E550, USUAL_FORM = 0x3B031B01, KEPT = 8 };

typedef struct reader {
    const unsigned char *at, *end;
    int bad;
} reader;

/* The bytes at an address, and how many there are in its segment. */
static const unsigned char *bytes_at(const unwind_file *u, uint64_t address, uint64_t *left) {
    unsigned n;
    for (n = 0; n < u->load_count; n++) {
        const unwind_load *l = &u->loads[n];
        if (address - l->address >= l->size) continue;
        *left = l->size - (address - l->address);
        return u->data + l->offset + (address - l->address);
    }
    return NULL;
}

static reader read_at(const unwind_file *u, uint64_t address) {
    reader r = {NULL, NULL, 0};
    uint64_t left = 0;
    r.at = bytes_at(u, address, &left);
    r.bad = !r.at;
    r.end = r.at ? r.at + left : NULL;
    return r;
}

static uint64_t get(reader *r, unsigned bytes) {
    uint64_t value = 0;
    unsigned n;
    if (r->bad || (size_t)(r->end - r->at) < bytes) {
        r->bad = 1;
        return 0;
    }
    for (n = 0; n < bytes; n++) value |= (uint64_t)r->at[n] << (8 * n);
    r->at += bytes;
    return value;
}

static int64_t get_signed(reader *r) { return (int64_t)(int32_t)(uint32_t)get(r, 4); }

static uint64_t get_digits(reader *r, int is_signed) {
    uint64_t value = 0, byte = 0x80;
    unsigned shift;
    for (shift = 0; shift < 63 && byte & 0x80 && !r->bad; shift += 7) {
        byte = get(r, 1);
        value |= (byte & 0x7F) << shift;
    }
    if (byte & 0x80) r->bad = 1;
    if (is_signed && byte & 0x40 && shift < 63) value |= ~(uint64_t)0 << shift;
    return value;
}

static uint64_t get_varint(reader *r) { return get_digits(r, 0); }

static void skip(reader *r, uint64_t bytes) {
    if (r->bad || (uint64_t)(r->end - r->at) < bytes) r->bad = 1;
    else r->at += bytes;
}

/* A pointer that is not encoded as a distance loses nothing here: only its size
   and its value are asked for. */
static uint64_t get_encoded(reader *r, unsigned encoding, uint64_t here) {
    uint64_t value;
    switch (encoding & 15) {
    case 0: case 4: case 12: value = get(r, 8); break;
    case 3: value = get(r, 4); break;
    case 11: value = (uint64_t)get_signed(r); break;
    default: r->bad = 1; return 0;
    }
    if ((encoding & 0x70) == 0x10) value += here;
    else if (encoding & 0x70) r->bad = 1;
    return value;
}

void unwind_begin(unwind_file *u, const elf_file *e) {
    uint64_t n, header = 0, bytes = 0;
    reader r;
    memset(u, 0, sizeof *u);
    u->data = e->data;
    for (n = 0; n < e->segment_count; n++) {
        uint64_t at = e->segments + n * e->segment_bytes, type;
        unwind_load l;
        if (!e->is_64 || e->is_big || !elf_holds(e, at, 56)) return;
        type = elf_number(e, (size_t)at, 4);
        l.offset = elf_number(e, (size_t)at + 8, 8);
        l.address = elf_number(e, (size_t)at + 16, 8);
        l.size = elf_number(e, (size_t)at + 32, 8);
        if (!elf_holds(e, l.offset, l.size)) continue;
        if (type == ELF_LOAD && u->load_count < sizeof u->loads / sizeof *u->loads)
            u->loads[u->load_count++] = l;
        if (type != HEADER_SEGMENT) continue;
        header = l.address;
        bytes = l.size;
    }
    if (!header) return;
    r = read_at(u, header);
    if (get(&r, 4) != USUAL_FORM) return;
    (void)get(&r, 4);                             /* where .eh_frame is */
    n = get(&r, 4);
    if (r.bad || bytes < 12 || n > (bytes - 12) / 8 || n > (uint64_t)(r.end - r.at) / 8) return;
    u->base = header;
    u->header = header + 12;
    u->count = n;
}

/* ---- programs ---- */

typedef struct state {
    uint64_t reg;
    int64_t offset, rbp;
    int rbp_saved, cfa_saved;
} state;

/* An expression of rbp alone, as gcc has it in frames that it aligns itself:
   rbp + *offset, or the word there if `deref`. Returns 1, or 0: it is another. */
static int of_frame(reader r, int deref, int64_t *offset) {
    enum { RBP_PLUS = 0x76, DEREF = 0x06 };
    uint64_t size = get_varint(&r);
    if (r.bad || size > (uint64_t)(r.end - r.at)) return 0;
    r.end = r.at + size;
    if (get(&r, 1) != RBP_PLUS) return 0;
    *offset = (int64_t)get_digits(&r, 1);
    if (deref && get(&r, 1) != DEREF) return 0;
    return !r.bad && r.at == r.end;
}

/* The one expression that every linker writes, for the stubs of its .plt: a
   stub pushes once, behind so many of its 16 bytes. */
static int stub(reader *r, uint64_t address, state *now) {
    static const unsigned char form[] = {0x77, 8, 0x80, 0, 0x3F, 0x1A, 0, 0x2A, 0x33, 0x24, 0x22};
    enum { LITERAL = 6, LITERAL_0 = 0x30 };
    uint64_t size = get_varint(r), behind;
    const unsigned char *at = r->at;
    size_t n;
    skip(r, size);
    if (r->bad || size != sizeof form) return UNWIND_UNKNOWN;
    for (n = 0; n < sizeof form; n++) {
        if (n != LITERAL && at[n] != form[n]) return UNWIND_UNKNOWN;
    }
    if (at[LITERAL] < LITERAL_0 || at[LITERAL] > LITERAL_0 + 15) return UNWIND_UNKNOWN;
    behind = (uint64_t)at[LITERAL] - LITERAL_0;
    now->reg = 7;
    now->cfa_saved = 0;
    now->offset = (address & 15) >= behind ? 16 : 8;
    return UNWIND_FOUND;
}

/* An operation that does not advance. Returns UNWIND_FOUND to go on. */
static int operate(reader *r, unsigned op, uint64_t address, state *now) {
    uint64_t reg;
    switch (op) {
    case 0x00: return UNWIND_FOUND;
    case 0x2E: (void)get_varint(r); return UNWIND_FOUND;     /* bytes of arguments */
    case 0x0C:
        now->reg = get_varint(r);
        now->offset = (int64_t)get_varint(r);
        now->cfa_saved = 0;
        return UNWIND_FOUND;
    case 0x0D: now->reg = get_varint(r); return UNWIND_FOUND;
    case 0x0E: now->offset = (int64_t)get_varint(r); return UNWIND_FOUND;
    case 0x08:
        if (get_varint(r) == 6) now->rbp_saved = 0;
        return UNWIND_FOUND;
    case 0x0F:
        if (!of_frame(*r, 1, &now->offset)) return stub(r, address, now);
        skip(r, get_varint(r));
        now->reg = 6;
        now->cfa_saved = 1;
        return UNWIND_FOUND;
    case 0x07: return get_varint(r) == 16 ? UNWIND_OUTERMOST : UNWIND_FOUND;
    case 0x10:
    case 0x16:
        reg = get_varint(r);
        if (op == 0x10 && reg == 6 && of_frame(*r, 0, &now->rbp)) {
            now->rbp_saved = 2;
            reg = 0;
        }
        skip(r, get_varint(r));
        return reg == 6 || reg == 7 || reg == 16 ? UNWIND_UNKNOWN : UNWIND_FOUND;
    default: return UNWIND_UNKNOWN;
    }
}

/* Up to a place, counted from the function's start; `address` is that place. */
static int run(reader *r, int64_t factor, uint64_t place, uint64_t address, state *now) {
    state kept[KEPT], initial = *now;
    unsigned depth = 0;
    uint64_t at = 0;
    int status = UNWIND_FOUND;
    while (status == UNWIND_FOUND && !r->bad && r->at < r->end && at <= place) {
        unsigned op = (unsigned)get(r, 1), low = op & 63;
        switch (op >> 6) {
        case 1: at += low; continue;
        case 2: {
            int64_t offset = (int64_t)((uint64_t)get_varint(r) * (uint64_t)factor);
            if (low == 6) {
                now->rbp = offset;
                now->rbp_saved = 1;
            } else if (low == 16 && offset != -8) status = UNWIND_UNKNOWN;
            continue;
        }
        case 3:
            if (low != 6) continue;
            now->rbp = initial.rbp;
            now->rbp_saved = initial.rbp_saved;
            continue;
        default: break;
        }
        if (op == 0x02) at += get(r, 1);
        else if (op == 0x03) at += get(r, 2);
        else if (op == 0x04) at += get(r, 4);
        else if (op == 0x0A) {
            if (depth == KEPT) return UNWIND_UNKNOWN;
            kept[depth++] = *now;
        } else if (op == 0x0B) {
            if (!depth) return UNWIND_UNKNOWN;
            *now = kept[--depth];
        } else status = operate(r, op, address, now);
    }
    return r->bad ? UNWIND_UNKNOWN : status;
}

/* ---- records ---- */

typedef struct common {
    int64_t factor;
    unsigned encoding;              /* of the addresses in its FDEs */
    reader program;
} common;

/* A length, and the reader ends where the record does. */
static void read_length(reader *r) {
    uint64_t length = get(r, 4);
    if (length < 4 || length == 0xFFFFFFFF || length > (uint64_t)(r->end - r->at)) r->bad = 1;
    else r->end = r->at + length;
}

static int read_common(const unwind_file *u, uint64_t address, common *c) {
    reader r = read_at(u, address);
    const char *word;
    size_t size;
    read_length(&r);
    if (get(&r, 4) != 0 || get(&r, 1) != 1 || r.bad) return -1;
    word = (const char *)r.at;
    if (!memchr(word, 0, (size_t)(r.end - r.at)) || *word != 'z') return -1;
    skip(&r, strlen(word) + 1);
    if (get_varint(&r) != 1) return -1;
    c->factor = (int64_t)get_digits(&r, 1);
    if (get(&r, 1) != 16) return -1;
    size = (size_t)get_varint(&r);
    c->program = r;
    skip(&c->program, size);
    c->encoding = 0;
    while (*++word) {
        if (*word == 'R') c->encoding = (unsigned)get(&r, 1);
        else if (*word == 'L') (void)get(&r, 1);
        else if (*word == 'P') {
            unsigned encoding = (unsigned)get(&r, 1);
            (void)get_encoded(&r, encoding & 15, 0);
        } else return -1;                         /* S: the frame of a signal */
    }
    return r.bad || c->program.bad ? -1 : 0;
}

static int find_in(const unwind_file *u, uint64_t record, uint64_t address, unwind_rule *rule) {
    reader r = read_at(u, record);
    state now = {7, 8, 0, 0, 0};
    common c;
    uint64_t place, start, size, back;
    int status;
    const unsigned char *begin = r.at;
    read_length(&r);
    place = record + 4;
    back = get(&r, 4);
    if (r.bad || !back || read_common(u, place - back, &c) != 0) return UNWIND_UNKNOWN;
    start = get_encoded(&r, c.encoding, record + (uint64_t)(r.at - begin));
    size = get_encoded(&r, c.encoding & 15, 0);
    skip(&r, get_varint(&r));
    if (r.bad || address - start >= size) return UNWIND_UNKNOWN;
    rule->start = start;
    rule->end = start + size;
    status = run(&c.program, c.factor, UINT64_MAX, address, &now);
    if (status == UNWIND_FOUND) status = run(&r, c.factor, address - start, address, &now);
    if (status != UNWIND_FOUND) return status;
    if ((now.reg != 6 && now.reg != 7) || now.offset != (int32_t)now.offset
        || now.rbp != (int32_t)now.rbp)
        return UNWIND_UNKNOWN;
    rule->offset = (int32_t)now.offset;
    rule->rbp = (int32_t)now.rbp;
    rule->reg = (unsigned char)now.reg;
    rule->rbp_saved = (unsigned char)now.rbp_saved;
    rule->cfa_saved = (unsigned char)now.cfa_saved;
    return UNWIND_FOUND;
}

static int by_start(const void *a, const void *b) {
    const unwind_row *x = (const unwind_row *)a, *y = (const unwind_row *)b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The record at an address: its function's start goes into a row if it has one.
   Returns where the next record is, or 0: this is no record. */
static uint64_t read_row(const unwind_file *u, uint64_t record, unwind_row *row) {
    reader r = read_at(u, record);
    const unsigned char *begin = r.at;
    common c;
    uint64_t back, next;
    row->record = 0;
    read_length(&r);
    if (r.bad) return 0;
    next = record + (uint64_t)(r.end - begin);
    back = get(&r, 4);
    if (!back || read_common(u, record + 4 - back, &c) != 0) return next;
    row->start = get_encoded(&r, c.encoding, record + (uint64_t)(r.at - begin));
    if (!r.bad) row->record = record;
    return next;
}

void unwind_index(unwind_file *u, elf_file *e) {
    elf_section s, names;
    dump_fault fault;
    uint64_t n, at, begin;
    size_t room = 0;
    unsigned k;
    if (u->count || u->rows || !u->load_count || elf_find_sections(e, &fault) != 0) return;
    if (elf_get_section(e, e->names_index, &names, &fault) != 0) return;
    for (n = 0; n < e->section_count; n++) {
        if (elf_get_section(e, n, &s, &fault) == 0 && elf_name_is(e, &names, s.name, ".eh_frame"))
            break;
    }
    if (n == e->section_count) return;
    for (k = 0; k < u->load_count && s.offset - u->loads[k].offset >= u->loads[k].size; k++) { }
    if (k == u->load_count) return;
    begin = u->loads[k].address + (s.offset - u->loads[k].offset);
    for (at = begin; at && at - begin < s.size;) {
        unwind_row row;
        at = read_row(u, at, &row);
        if (!row.record) continue;
        TOOL_ROOM(unwind_row, u->rows, u->row_count, room);
        u->rows[u->row_count++] = row;
    }
    if (u->row_count) qsort(u->rows, u->row_count, sizeof *u->rows, by_start);
}

static int find_in_rows(const unwind_file *u, uint64_t address, unwind_rule *rule) {
    size_t lo = 0, hi = u->row_count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (u->rows[mid].start <= address) lo = mid + 1;
        else hi = mid;
    }
    return lo ? find_in(u, u->rows[lo - 1].record, address, rule) : UNWIND_UNKNOWN;
}

int unwind_find(const unwind_file *u, uint64_t address, unwind_rule *rule) {
    uint64_t lo = 0, hi = u->count;
    reader r;
    rule->end = 0;
    if (u->row_count) return find_in_rows(u, address, rule);
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        r = read_at(u, u->header + 8 * mid);
        if (u->base + (uint64_t)get_signed(&r) <= address) lo = mid + 1;
        else hi = mid;
        if (r.bad) return UNWIND_UNKNOWN;
    }
    if (!lo) return UNWIND_UNKNOWN;
    r = read_at(u, u->header + 8 * (lo - 1) + 4);
    return find_in(u, u->base + (uint64_t)get_signed(&r), address, rule);
}
