/* test_deflate.c - what base/deflate.c makes is read back by a slow and obvious
   reader of RFC 1951, and is small where it can be. */
#include "test.h"
#include "base/deflate.h"
#include "base/inflate.h"
#include <stdlib.h>
#include <string.h>

/* ---- the reader: one bit at a time ---- */

typedef struct reader {
    const unsigned char *bytes;
    size_t size, bit;
    int is_bad;
} reader;

static unsigned bit_of(reader *r) {
    unsigned bit;
    if (r->bit >= 8 * r->size) {
        r->is_bad = 1;
        return 0;
    }
    bit = (unsigned)r->bytes[r->bit / 8] >> r->bit % 8 & 1u;
    r->bit++;
    return bit;
}
static unsigned bits_of(reader *r, unsigned count) {
    unsigned value = 0, i;
    for (i = 0; i < count; i++) value |= bit_of(r) << i;
    return value;
}
/* The symbol whose canonical code comes next. */
static unsigned symbol_of(reader *r, const unsigned *length, unsigned symbols) {
    unsigned code = 0, first = 0, bits, i;
    for (bits = 1; bits <= 15 && !r->is_bad; bits++) {
        unsigned count = 0, seen = 0;
        for (i = 0; i < symbols; i++) count += length[i] == bits;
        code |= bit_of(r);
        if (code < first + count) {
            for (i = 0; i < symbols; i++)
                if (length[i] == bits && seen++ == code - first) return i;
        }
        first = (first + count) << 1;
        code <<= 1;
    }
    r->is_bad = 1;
    return 0;
}
static unsigned length_base(unsigned k) {
    return k < 8 ? k + 3 : k == 28 ? 258 : ((4 + (k & 3)) << ((k >> 2) - 1)) + 3;
}
static unsigned length_extra(unsigned k) { return k < 8 || k == 28 ? 0 : (k >> 2) - 1; }
static unsigned distance_extra(unsigned k) { return k < 4 ? 0 : (k >> 1) - 1; }
static unsigned distance_base(unsigned k) {
    return k < 4 ? k + 1 : ((2 + (k & 1)) << ((k >> 1) - 1)) + 1;
}

static size_t inflate_bytes(reader *r, unsigned char *out, size_t room) {
    static const unsigned order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
    size_t made = 0;
    unsigned is_last = 0;
    while (!is_last && !r->is_bad) {
        unsigned lengths[19] = {0}, of[320] = {0}, literals, distances, codes, i;
        is_last = bit_of(r);
        if (bits_of(r, 2) != 2) r->is_bad = 1;
        literals = bits_of(r, 5) + 257;
        distances = bits_of(r, 5) + 1;
        codes = bits_of(r, 4) + 4;
        for (i = 0; i < codes; i++) lengths[order[i]] = bits_of(r, 3);
        for (i = 0; i < literals + distances && !r->is_bad;) {
            unsigned symbol = symbol_of(r, lengths, 19), times = 1, value = symbol;
            if (symbol == 16) {
                value = i ? of[i - 1] : 0;
                times = 3 + bits_of(r, 2);
            } else if (symbol > 16) {
                value = 0;
                times = symbol == 17 ? 3 + bits_of(r, 3) : 11 + bits_of(r, 7);
            }
            for (; times && i < literals + distances; times--) of[i++] = value;
            if (times) r->is_bad = 1;
        }
        for (;;) {
            unsigned symbol = symbol_of(r, of, literals), length, distance, k;
            if (r->is_bad || symbol == 256) break;
            if (symbol < 256) {
                if (made == room) return room + 1;
                out[made++] = (unsigned char)symbol;
                continue;
            }
            length = length_base(symbol - 257) + bits_of(r, length_extra(symbol - 257));
            k = symbol_of(r, of + literals, distances);
            distance = distance_base(k) + bits_of(r, distance_extra(k));
            if (distance > made || made + length > room) {
                r->is_bad = 1;
                break;
            }
            for (; length; length--, made++) out[made] = out[made - distance];
        }
    }
    return made;
}

/* The tool's own reader, which wants the two bytes of zlib before it. */
static void tool_reads_it(const unsigned char *bytes, size_t size, const text *small) {
    unsigned char *stream = (unsigned char *)malloc(small->size + 2);
    unsigned char *back = (unsigned char *)malloc(size + 1);
    size_t n;
    stream[0] = 0x78;
    stream[1] = 0x9C;
    memcpy(stream + 2, small->data, small->size);
    CHECK_EQ(inflate_zlib(stream, small->size + 2, back, size), 0);
    CHECK(size == 0 || memcmp(bytes, back, size) == 0);
    CHECK_EQ(inflate_zlib(stream, small->size + 2, back, size + 1), -1);
    if (size) CHECK_EQ(inflate_zlib(stream, small->size + 2, back, size - 1), -1);
    for (n = 0; n < small->size && n < 300; n++)          /* a cut; the last byte may be empty */
        CHECK_EQ(inflate_zlib(stream, n, back, size), -1);
    free(stream);
    free(back);
}

static size_t round_trip(const unsigned char *bytes, size_t size) {
    text out = {NULL, 0, 0};
    unsigned char *back = (unsigned char *)malloc(size + 1);
    reader r = {NULL, 0, 0, 0};
    size_t small;
    deflate_bytes(&out, bytes, size);
    r.bytes = (const unsigned char *)out.data;
    r.size = small = out.size;
    CHECK(inflate_bytes(&r, back, size) == size);
    CHECK(!r.is_bad);
    CHECK(size == 0 || memcmp(bytes, back, size) == 0);
    CHECK((r.bit + 7) / 8 <= r.size && r.size - (r.bit + 7) / 8 <= 1);
    tool_reads_it(bytes, size, &out);
    free(back);
    text_free(&out);
    return small;
}

TEST(empty_and_short) {
    unsigned char bytes[600];
    size_t size;
    memset(bytes, 'a', sizeof bytes);
    for (size = 0; size < 300; size++) round_trip(bytes, size);
    for (size = 0; size < 300; size++) bytes[size] = (unsigned char)size;
    for (size = 0; size < 300; size += 7) round_trip(bytes, size);
    CHECK(round_trip(bytes, 1) < 80);
}

TEST(repeats_become_small) {
    enum { SIZE = 200000 };
    unsigned char *bytes = (unsigned char *)malloc(SIZE);
    size_t i;
    memset(bytes, 0, SIZE);
    CHECK(round_trip(bytes, SIZE) < 700);
    for (i = 0; i < SIZE; i++) bytes[i] = (unsigned char)"to be or not to be, "[i % 20];
    CHECK(round_trip(bytes, SIZE) < 900);
    free(bytes);
}

/* Bytes of all kinds of weights: codes of up to 15 bits, matches near and as
   far as the window reaches, and more symbols than one block takes. */
TEST(random_bytes) {
    enum { SIZE = 120000 };
    unsigned char *bytes = (unsigned char *)malloc(SIZE);
    uint32_t random = 1;
    size_t i;
    int kind;
    for (kind = 0; kind < 4; kind++) {
        for (i = 0; i < SIZE; i++) {
            unsigned byte;
            random = random * 1664525u + 1013904223u;
            byte = random >> 24;
            if (kind == 1) byte = random >> 28; /* few */
            if (kind == 2) { /* each half as often as the one before: the longest codes */
                for (byte = 0; byte < 30 && (random >> byte & 1); byte++) {
                }
                byte *= 7;
            }
            bytes[i] = (unsigned char)byte;
            if (kind == 3 && i >= 32767 && random % 5 == 0) { /* the farthest match */
                size_t k;
                for (k = 0; k < 40 && i < SIZE; k++, i++) bytes[i] = bytes[i - 32767];
                i--;
            }
        }
        i = round_trip(bytes, SIZE);
        CHECK(i * 100 < SIZE * (size_t)(kind == 0 ? 102 : kind == 1 ? 60 : kind == 2 ? 28 : 101));
    }
    /* Weights of Fibonacci's numbers want codes longer than 15 bits. */
    {
        size_t at = 0, a = 1, b = 1, k;
        for (k = 0; k < 23; k++) {
            size_t next = a + b, n;
            for (n = 0; n < a && at < SIZE; n++) bytes[at++] = (unsigned char)(k * 5);
            a = b;
            b = next;
        }
        for (k = at; k > 1; k--) { /* shuffled, so that there are no matches to speak of */
            size_t other = (random = random * 1664525u + 1013904223u) % k;
            unsigned char c = bytes[k - 1];
            bytes[k - 1] = bytes[other];
            bytes[other] = c;
        }
        round_trip(bytes, at);
    }
    free(bytes);
}

TEST(base64) {
    static const char *const wanted[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    size_t i;
    for (i = 0; i < 7; i++) {
        text out = {NULL, 0, 0};
        deflate_base64(&out, (const unsigned char *)"foobar", i);
        CHECK(out.size == strlen(wanted[i]) && (!i || memcmp(out.data, wanted[i], out.size) == 0));
        text_free(&out);
    }
}


/* A block of each kind, as another program has made them, and what may not be. */
TEST(inflated_by_hand) {
    static const unsigned char stored[] = {0x78, 0x01, 1, 3, 0, 0xFC, 0xFF, 'a', 'b', 'c'};
    static const unsigned char fixed[] = {0x78, 0x9C, 0x4B, 0x4C, 0x4A, 0x4E, 0x4C, 0x4A, 0x06, 0};
    unsigned char out[8], bad[16];
    size_t at;
    CHECK_EQ(inflate_zlib(stored, sizeof stored, out, 3), 0);
    CHECK(memcmp(out, "abc", 3) == 0);
    CHECK_EQ(inflate_zlib(fixed, sizeof fixed, out, 6), 0);
    CHECK(memcmp(out, "abcabc", 6) == 0);
    for (at = 0; at < 7; at++) {                          /* the header and lengths */
        memcpy(bad, stored, sizeof stored);
        bad[at] ^= 0x10;
        CHECK_EQ(inflate_zlib(bad, sizeof stored, out, 3), at == 2 ? 0 : -1);
    }
    memcpy(bad, fixed, sizeof fixed);
    bad[2] = 0x07;                                        /* the kind that there is not */
    CHECK_EQ(inflate_zlib(bad, sizeof fixed, out, 6), -1);
}

/* Any bytes end, inside of both ends. */
TEST(inflated_from_nonsense) {
    static unsigned char bytes[400], out[5000];
    text small = {NULL, 0, 0};
    uint64_t z = 7;
    size_t n, i, good = 0;
    for (n = 0; n < sizeof bytes; n++) bytes[n] = (unsigned char)(n * n % 97);
    deflate_bytes(&small, bytes, sizeof bytes);
    for (n = 0; n < 3000; n++) {
        size_t size = small.size + 2;
        unsigned char *copy = (unsigned char *)malloc(size);
        copy[0] = 0x78;
        copy[1] = 0x9C;
        memcpy(copy + 2, small.data, small.size);
        for (i = 0; i < 1 + n % 5; i++) {
            z = z * UINT64_C(6364136223846793005) + 1442695040888963407u;
            copy[2 + (z >> 33) % small.size] = (unsigned char)(z >> 20);
        }
        good += inflate_zlib(copy, size, out, sizeof bytes) == 0;
        free(copy);
    }
    CHECK(good < 3000);
    text_free(&small);
}
