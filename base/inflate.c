/* inflate.c - a stream of blocks: stored, or of codes that say either a byte or
   "so many bytes from so far behind".

   Codes are canonical: those of one length are numbers in a row, and those of
   the next length begin at twice the number behind the last one. So a code is
   read bit by bit, with a subtraction for each length. */
#include "base/inflate.h"
#include <stdint.h>
#include <string.h>

enum { LONGEST = 15, SYMBOLS = 288, DISTANCES = 30, END = 256 };

typedef struct stream {
    const unsigned char *at, *end;
    uint32_t held;                  /* bits, the next one lowest */
    unsigned held_count;
    unsigned char *out;
    size_t size, done;
    int bad;
} stream;

/* Symbols in the order of their codes, and how many codes there are of each
   length. */
typedef struct codes {
    uint16_t count[LONGEST + 1], symbols[SYMBOLS];
} codes;

static unsigned bits(stream *s, unsigned count) {
    unsigned value;
    while (s->held_count < count) {
        if (s->at == s->end) {
            s->bad = 1;
            return 0;
        }
        s->held |= (uint32_t)*s->at++ << s->held_count;
        s->held_count += 8;
    }
    value = s->held & ((UINT32_C(1) << count) - 1);
    s->held >>= count;
    s->held_count -= count;
    return value;
}

/* A code that leaves some bits without a meaning is refused where one is met. */
static void make_codes(stream *s, codes *c, const unsigned char *lengths, unsigned count) {
    uint16_t next[LONGEST + 1];
    unsigned i, left = 1;
    memset(c, 0, sizeof *c);
    for (i = 0; i < count; i++) c->count[lengths[i]]++;
    c->count[0] = 0;
    next[0] = next[1] = 0;
    for (i = 1; i <= LONGEST; i++) {
        left <<= 1;
        if (c->count[i] > left) {
            s->bad = 1;
            return;
        }
        left -= c->count[i];
        if (i < LONGEST) next[i + 1] = (uint16_t)(next[i] + c->count[i]);
    }
    for (i = 0; i < count; i++) {
        if (lengths[i]) c->symbols[next[lengths[i]]++] = (uint16_t)i;
    }
}

static unsigned symbol(stream *s, const codes *c) {
    unsigned code = 0, first = 0, before = 0, length;
    for (length = 1; length <= LONGEST && !s->bad; length++) {
        code |= bits(s, 1);
        if (code < first + c->count[length]) return c->symbols[before + code - first];
        before += c->count[length];
        first = (first + c->count[length]) << 1;
        code <<= 1;
    }
    s->bad = 1;
    return END;
}

/* What the numbers of lengths and distances stand for: a base, and so many bits
   more. */
static unsigned length_of(stream *s, unsigned number) {
    unsigned more;
    if (number < 8) return 3 + number;
    if (number == 28) return 258;
    more = (number - 4) / 4;
    return 3 + ((4 + (number & 3)) << more) + bits(s, more);
}

static unsigned distance_of(stream *s, unsigned number) {
    unsigned more;
    if (number < 2) return 1 + number;
    more = number / 2 - 1;
    return 1 + ((2 + (number & 1)) << more) + bits(s, more);
}

static void read_codes(stream *s, const codes *bytes, const codes *distances) {
    while (!s->bad) {
        unsigned what = symbol(s, bytes), length, back;
        if (s->bad || what == END) return;
        if (what < END) {
            if (s->done == s->size) s->bad = 1;
            else s->out[s->done++] = (unsigned char)what;
            continue;
        }
        if (what - END - 1 > 28) s->bad = 1;
        length = s->bad ? 0 : length_of(s, what - END - 1);
        what = symbol(s, distances);
        if (what >= DISTANCES) s->bad = 1;
        back = s->bad ? 0 : distance_of(s, what);
        if (back > s->done || length > s->size - s->done) s->bad = 1;
        for (; length && !s->bad; length--, s->done++) s->out[s->done] = s->out[s->done - back];
    }
}

static void read_fixed(stream *s) {
    unsigned char lengths[SYMBOLS];
    codes bytes, distances;
    unsigned i;
    for (i = 0; i < SYMBOLS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_codes(s, &bytes, lengths, SYMBOLS);
    memset(lengths, 5, DISTANCES);
    make_codes(s, &distances, lengths, DISTANCES);
    read_codes(s, &bytes, &distances);
}

/* The lengths of both codes are themselves in codes. */
static void read_dynamic(stream *s) {
    static const unsigned char order[19]
        = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[320] = {0}, of_lengths[19] = {0};
    codes bytes, distances;
    unsigned count = 257 + bits(s, 5), more = 1 + bits(s, 5), all = 4 + bits(s, 4), i;
    if (count > 286 || more > DISTANCES) s->bad = 1;
    for (i = 0; i < all; i++) of_lengths[order[i]] = (unsigned char)bits(s, 3);
    make_codes(s, &bytes, of_lengths, 19);
    for (i = 0; i < count + more && !s->bad;) {
        unsigned what = symbol(s, &bytes), times = 1, value = what;
        if (what == 16) {
            times = 3 + bits(s, 2);
            if (!i) s->bad = 1;
            else value = lengths[i - 1];
        } else if (what > 16) {
            times = what == 17 ? 3 + bits(s, 3) : 11 + bits(s, 7);
            value = 0;
        }
        if (s->bad || times > count + more - i) s->bad = 1;
        for (; times && !s->bad; times--) lengths[i++] = (unsigned char)value;
    }
    if (s->bad) return;
    make_codes(s, &bytes, lengths, count);
    make_codes(s, &distances, lengths + count, more);
    read_codes(s, &bytes, &distances);
}

static void read_stored(stream *s) {
    unsigned length, other;
    s->held = 0;                            /* of the byte that was begun */
    s->held_count = 0;
    length = bits(s, 16);
    other = bits(s, 16);
    if (s->bad || length != (~other & 0xFFFF) || length > (size_t)(s->end - s->at)
        || length > s->size - s->done) {
        s->bad = 1;
        return;
    }
    memcpy(s->out + s->done, s->at, length);
    s->at += length;
    s->done += length;
}

int inflate_zlib(const unsigned char *data, size_t data_size, unsigned char *out, size_t size) {
    stream s = {NULL, NULL, 0, 0, NULL, 0, 0, 0};
    unsigned is_last = 0;
    if (data_size < 2 || (data[0] & 15) != 8 || data[1] & 0x20) return -1;
    if (((unsigned)data[0] << 8 | data[1]) % 31) return -1;
    s.at = data + 2;
    s.end = data + data_size;
    s.out = out;
    s.size = size;
    while (!is_last && !s.bad) {
        unsigned kind;
        is_last = bits(&s, 1);
        kind = bits(&s, 2);
        if (kind == 0) read_stored(&s);
        else if (kind == 1) read_fixed(&s);
        else if (kind == 2) read_dynamic(&s);
        else s.bad = 1;
    }
    return s.bad || s.done != size ? -1 : 0;
}
