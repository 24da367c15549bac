/* read_pprof.c - reads a profile.proto as its definition says and writes what
   one type of sample has as lines `outer;inner N`: read_pprof FILE TYPE
   [LABEL]. With a LABEL, only samples that have it. A file that is none ends it
   with status 1 and a line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece { const unsigned char *at; size_t size; } piece;
enum { MOST = 400000 };
static piece strings[MOST], samples[MOST], types[16];
static uint64_t function_name[MOST], location_function[MOST];
static size_t string_count, sample_count, type_count;

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static uint64_t varint(piece *p) {
    uint64_t value = 0;
    unsigned shift;
    for (shift = 0; shift < 64; shift += 7) {
        unsigned char byte;
        if (!p->size) fail("a number that is cut");
        byte = *p->at++;
        p->size--;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    fail("a number of more than 64 bits");
    return 0;
}

/* The next field: its number, and its value or bytes. 0: there is none. */
static unsigned field(piece *p, uint64_t *value, piece *bytes) {
    uint64_t tag;
    if (!p->size) return 0;
    tag = varint(p);
    bytes->size = 0;
    bytes->at = NULL;
    if ((tag & 7) == 0) *value = varint(p);
    else if ((tag & 7) == 2) {
        *value = varint(p);
        if (*value > p->size) fail("a field that is cut");
        bytes->at = p->at;
        bytes->size = (size_t)*value;
        p->at += *value;
        p->size -= (size_t)*value;
    } else fail("a field of another type");
    return (unsigned)(tag >> 3);
}

static piece string_at(uint64_t i) {
    if (i >= string_count) fail("a string that is not there");
    return strings[i];
}

static int is_string(uint64_t i, const char *words) {
    piece s = string_at(i);
    return s.size == strlen(words) && memcmp(s.at, words, s.size) == 0;
}

/* Fields 1 and one more of a message. */
static uint64_t two(piece p, unsigned second, uint64_t *other) {
    uint64_t first = 0, value = 0;
    piece bytes;
    unsigned n;
    *other = 0;
    while ((n = field(&p, &value, &bytes)) != 0) {
        if (n == 1) first = value;
        if (n == second) *other = value;
    }
    return first;
}

static void put_sample(piece p, size_t type, const char *label) {
    static uint64_t stack[MOST];
    uint64_t value = 0, key, words, count = 0;
    size_t depth = 0, values = 0;
    int has_label = label == NULL;
    piece bytes;
    unsigned n;
    while ((n = field(&p, &value, &bytes)) != 0) {
        while (n == 1 && bytes.size && depth < MOST) stack[depth++] = varint(&bytes);
        for (; n == 2 && bytes.size; values++) {
            uint64_t v = varint(&bytes);
            if (v >> 63) fail("a negative value");
            if (values == type) count = v;
        }
        if (n == 3) {
            key = two(bytes, 2, &words);
            if (!is_string(key, "thread")) fail("a label that is no thread");
            if (label && is_string(words, label)) has_label = 1;
        }
    }
    if (values != type_count) fail("a sample without a value for each type");
    if (!count || !has_label) return;
    while (depth--) {
        piece name;
        if (stack[depth] >= MOST || !location_function[stack[depth]]) fail("no such location");
        name = string_at(function_name[location_function[stack[depth]]]);
        fwrite(name.at, 1, name.size, stdout);
        putchar(depth ? ';' : ' ');
    }
    printf("%llu\n", (unsigned long long)count);
}

int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[1], "rb") : NULL;
    unsigned char *data;
    uint64_t value = 0, other;
    size_t size, i, type;
    piece all, bytes;
    unsigned n;
    if (!file) fail("no file");
    data = (unsigned char *)malloc(1 << 28);
    if (!data) fail("no memory");
    size = fread(data, 1, 1 << 28, file);
    all.at = data;
    all.size = size;
    if (!size) fail("an empty file");
    while ((n = field(&all, &value, &bytes)) != 0) {
        if (n == 1 && type_count < 16) types[type_count++] = bytes;
        if (n == 2 && sample_count < MOST) samples[sample_count++] = bytes;
        if (n == 6 && string_count < MOST) strings[string_count++] = bytes;
        if (n == 5) {
            uint64_t id = two(bytes, 2, &other);
            if (id == 0 || id >= MOST || function_name[id]) fail("a function's number");
            function_name[id] = other;
        }
        if (n == 4) {
            uint64_t id = two(bytes, 0, &other), line = 0;
            piece at = bytes, inner;
            if (id == 0 || id >= MOST || location_function[id]) fail("a location's number");
            while ((n = field(&at, &line, &inner)) != 0)
                if (n == 4) location_function[id] = two(inner, 0, &other);
        }
    }
    if (!string_count || strings[0].size) fail("the first string is not empty");
    for (type = 0; type < type_count; type++)
        if (is_string(two(types[type], 2, &other), argv[2])) break;
    if (type == type_count) fail("no such type of sample");
    for (i = 0; i < sample_count; i++) put_sample(samples[i], type, argc > 3 ? argv[3] : NULL);
    return 0;
}
