/* landings.c - where exceptions land: .eh_frame, and for each function the table
   of its calls.

   A call inside of [begin, end) may go on at the landing pad. Whatever is
   damaged or unusual ends the reading of that record; the code behind a pad
   that is not known then counts as never reached, and says so, for such a file
   is refused by everybody who unwinds. */
#include "base/tool.h"
#include "cc/prove/prove.h"
#include <stdlib.h>
#include <string.h>

enum { ENCODED_NOT = 0xFF, RELATIVE_TO_ITSELF = 0x10 };

typedef struct reader {
    const prove_image *im;
    uint64_t at, end;
    int bad;
} reader;

static uint64_t get(reader *r, unsigned bytes) {
    const unsigned char *p = r->end - r->at >= bytes && r->at <= r->end
                                 ? prove_at(r->im, r->at, bytes) : NULL;
    if (!p) {
        r->bad = 1;
        return 0;
    }
    r->at += bytes;
    return dwarf_number(p, bytes);
}

static uint64_t get_varint(reader *r) {
    uint64_t value = 0, byte = 0x80;
    unsigned shift;
    for (shift = 0; shift < 63 && byte & 0x80 && !r->bad; shift += 7) {
        byte = get(r, 1);
        value |= (byte & 0x7F) << shift;
    }
    return value;
}

static uint64_t get_signed(reader *r, unsigned bytes) {
    uint64_t value = get(r, bytes), sign = (uint64_t)1 << (8 * bytes - 1);
    return bytes == 8 ? value : (value ^ sign) - sign;
}

static uint64_t get_encoded(reader *r, unsigned encoding, int is_distance) {
    uint64_t place = r->at, value = 0;
    switch (encoding & 15) {
    case 0: case 4: case 12: value = get(r, 8); break;
    case 1: value = get_varint(r); break;
    case 2: value = get(r, 2); break;
    case 3: value = get(r, 4); break;
    case 10: value = get_signed(r, 2); break;
    case 11: value = get_signed(r, 4); break;
    default: r->bad = 1;
    }
    if (is_distance || !value) return value;
    if ((encoding & 0x70) == RELATIVE_TO_ITSELF) return value + place;
    if (encoding & 0x70) r->bad = 1;
    return value;
}

static void read_calls(prove_image *im, uint64_t table, uint64_t function) {
    reader r;
    unsigned encoding;
    uint64_t base = function, end;
    memset(&r, 0, sizeof r);
    r.im = im;
    r.at = table;
    r.end = UINT64_MAX;
    encoding = (unsigned)get(&r, 1);
    if (encoding != ENCODED_NOT) base = get_encoded(&r, encoding, 0);
    encoding = (unsigned)get(&r, 1);
    if (encoding != ENCODED_NOT) (void)get_varint(&r);
    encoding = (unsigned)get(&r, 1);
    end = get_varint(&r);
    end += r.at;
    while (!r.bad && r.at < end) {
        prove_pad p;
        p.begin = function + get_encoded(&r, encoding, 1);
        p.end = p.begin + get_encoded(&r, encoding, 1);
        p.pad = get_encoded(&r, encoding, 1);
        (void)get_varint(&r);
        if (r.bad || !p.pad) continue;
        p.pad += base;
        TOOL_ROOM(prove_pad, im->pads, im->pad_count, im->pad_room);
        im->pads[im->pad_count++] = p;
    }
}

typedef struct common { unsigned pointers, table; int has_size, bad; } common;

static common read_common(const prove_image *im, uint64_t at, uint64_t end) {
    common c = {0, ENCODED_NOT, 0, 0};
    reader r;
    char letters[16];
    unsigned count = 0, version, i;
    memset(&r, 0, sizeof r);
    r.im = im;
    r.at = at;
    r.end = end;
    version = (unsigned)get(&r, 1);
    while (count < sizeof letters - 1 && (letters[count] = (char)get(&r, 1)) != 0) count++;
    letters[count] = 0;
    (void)get_varint(&r);
    (void)get_varint(&r);
    if (version == 1) (void)get(&r, 1);
    else (void)get_varint(&r);
    for (i = 0; i < count; i++) {
        if (letters[i] == 'z') {
            c.has_size = 1;
            (void)get_varint(&r);
        } else if (letters[i] == 'L') c.table = (unsigned)get(&r, 1);
        else if (letters[i] == 'R') c.pointers = (unsigned)get(&r, 1);
        else if (letters[i] == 'P') {
            unsigned encoding = (unsigned)get(&r, 1) & 0x7F;
            (void)get_encoded(&r, encoding, 1);
        } else if (letters[i] != 'S' && letters[i] != 'B') c.bad = 1;
    }
    c.bad |= r.bad;
    return c;
}

static int compare_pads(const void *a, const void *b) {
    uint64_t x = ((const prove_pad *)a)->begin, y = ((const prove_pad *)b)->begin;
    return x < y ? -1 : x > y;
}

void prove_read_unwind(prove_image *im, uint64_t address, uint64_t size) {
    reader r;
    memset(&r, 0, sizeof r);
    r.im = im;
    r.at = address;
    r.end = address + size;
    while (r.at < r.end && !r.bad) {
        uint64_t bytes = get(&r, 4), next = r.at + bytes, place = r.at, id, function, table;
        common c;
        reader f;
        if (bytes == 0 || bytes == 0xFFFFFFFFu || next > r.end) break;
        id = get(&r, 4);
        f = r;
        r.at = next;
        if (id == 0 || id > place - address) continue;
        f.end = next;
        c = read_common(im, place - id + 8, r.end);
        if (c.bad || !c.has_size || c.table == ENCODED_NOT) continue;
        function = get_encoded(&f, c.pointers, 0);
        (void)get_encoded(&f, c.pointers, 1);
        (void)get_varint(&f);
        table = get_encoded(&f, c.table & 0x7F, 0);
        if (!f.bad && table) read_calls(im, table, function);
    }
    if (im->pad_count) qsort(im->pads, im->pad_count, sizeof *im->pads, compare_pads);
}
