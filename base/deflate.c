/* deflate.c - an encoder for raw deflate.

   Bytes become literals and matches: "as the `length` bytes that stand
   `distance` before". Places are found by a hash of three bytes; those of one
   hash are a chain, the latest first, and the longest of the first CHAIN
   matches is taken. Every SYMBOLS literals and matches become one block with
   Huffman codes of its own:

       head    last?, 2 (dynamic codes), lengths of the codes, themselves coded
       body    literal 0..255 | 257 + length's class, extra bits, distance's class, extra bits
       256     end of the block */
#include "base/deflate.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 32768,
    SHORTEST = 3,
    LONGEST = 258,
    HASH_BITS = 15,
    CHAIN = 24,
    SYMBOLS = 32768,
    LITERALS = 286,
    DISTANCES = 30,
    CODES = 19,
    END = 256
};

typedef struct symbol {
    uint16_t length, distance; /* distance 0: length is a literal */
} symbol;

typedef struct encoder {
    text *out;
    uint32_t bits; /* waiting for a whole byte */
    int bit_count;
    uint32_t head[1 << HASH_BITS]; /* the latest place of a hash + 1 */
    uint32_t before[WINDOW];       /* of each place, the one before it with this hash + 1 */
    symbol symbols[SYMBOLS];
    size_t symbol_count;
} encoder;

static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,
                                         15, 17, 19, 23, 27, 31, 35, 43, 51,  59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[DISTANCES] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extra[DISTANCES] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                  6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

static void put_bits(encoder *e, uint32_t bits, int count) {
    e->bits |= bits << e->bit_count;
    e->bit_count += count;
    while (e->bit_count >= 8) {
        char byte = (char)(unsigned char)(e->bits & 255);
        text_bytes(e->out, &byte, 1);
        e->bits >>= 8;
        e->bit_count -= 8;
    }
}

/* ---- Huffman codes ---- */

typedef struct code {
    uint16_t bits[LITERALS]; /* the first bit lowest */
    uint8_t length[LITERALS];
} code;

typedef struct weighed {
    uint32_t weight;
    uint16_t which; /* a symbol, or a node of the tree */
} weighed;

static int compare_weights(const void *left, const void *right) {
    const weighed *a = (const weighed *)left, *b = (const weighed *)right;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    return (a->which > b->which) - (a->which < b->which);
}

/* How many symbols have a code of each length. Leaves come in the order of
   their weight, and so do the nodes that are made of them: the two lightest of
   both stand at their heads. */
static void count_lengths(const weighed *leaf, size_t count, uint32_t *of_length) {
    uint32_t weight[LITERALS];
    uint16_t up[2 * LITERALS], depth[2 * LITERALS];
    size_t next_leaf = 0, next_node = 0, made = 0, i;
    int k;
    while (made + 1 < count) {
        uint32_t sum = 0;
        for (k = 0; k < 2; k++) {
            int is_leaf = next_leaf < count &&
                          (next_node >= made || leaf[next_leaf].weight <= weight[next_node]);
            size_t item = is_leaf ? next_leaf : count + next_node;
            sum += is_leaf ? leaf[next_leaf].weight : weight[next_node];
            if (is_leaf) next_leaf++;
            else next_node++;
            up[item] = (uint16_t)(count + made);
        }
        weight[made++] = sum;
    }
    depth[count + made - 1] = 0;
    for (i = count + made - 1; i-- > 0;) {
        depth[i] = (uint16_t)(depth[up[i]] + 1);
        if (i < count) of_length[depth[i] > 31 ? 31 : depth[i]]++;
    }
}

/* Codes above `most` bits become shorter: each that is moved up takes its place
   from a shorter one, which becomes two of one bit more. */
static void limit_lengths(uint32_t *of_length, int most) {
    uint32_t room = (uint32_t)1 << most, taken = 0;
    int i;
    for (i = most + 1; i < 32; i++) {
        of_length[most] += of_length[i];
        of_length[i] = 0;
    }
    for (i = 1; i <= most; i++) taken += of_length[i] << (most - i);
    for (; taken > room; taken--) {
        of_length[most]--;
        for (i = most - 1; i > 0 && !of_length[i]; i--) {
        }
        of_length[i]--;
        of_length[i + 1] += 2;
    }
}

static void make_code(code *to, const uint32_t *weight, size_t symbols, int most) {
    weighed leaf[LITERALS];
    uint32_t of_length[32] = {0}, next[32] = {0}, value = 0;
    size_t count = 0, i, k;
    int bits;
    memset(to, 0, sizeof *to);
    for (i = 0; i < symbols; i++) {
        if (!weight[i]) continue;
        leaf[count].weight = weight[i];
        leaf[count++].which = (uint16_t)i;
    }
    if (count < 2) { /* a code of one bit, half of which is not used */
        to->length[count ? leaf[0].which : 0] = 1;
        return;
    }
    qsort(leaf, count, sizeof *leaf, compare_weights);
    count_lengths(leaf, count, of_length);
    limit_lengths(of_length, most);
    for (bits = most, k = 0; bits > 0; bits--)
        for (i = 0; i < of_length[bits]; i++) to->length[leaf[k++].which] = (uint8_t)bits;
    for (bits = 1; bits <= most; bits++) {
        next[bits] = value = (value + of_length[bits - 1]) << 1;
    }
    for (i = 0; i < symbols; i++) {
        uint32_t from, turned = 0;
        if (!to->length[i]) continue;
        from = next[to->length[i]]++;
        for (bits = 0; bits < to->length[i]; bits++) turned |= (from >> bits & 1) << (to->length[i] - 1 - bits);
        to->bits[i] = (uint16_t)turned;
    }
}

static void put_code(encoder *e, const code *c, size_t which) {
    put_bits(e, c->bits[which], c->length[which]);
}

/* ---- blocks ---- */

static size_t class_of(const uint16_t *base, size_t count, uint32_t value) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (base[middle] <= value) low = middle;
        else high = middle;
    }
    return low;
}

/* Lengths of codes, of both kinds in one row: 16 repeats the last one, 17 and
   18 are zeros. Calls put_code if there is a code, and else only counts. */
static void walk_lengths(encoder *e, const uint8_t *row, size_t count, const code *how, uint32_t *weight) {
    size_t i, run;
    for (i = 0; i < count; i += run) {
        size_t which = row[i], extra = 0;
        int bits = 0;
        for (run = 1; i + run < count && row[i + run] == row[i] && run < 138; run++) {
        }
        if (row[i] == 0 && run >= 3) {
            which = run < 11 ? 17 : 18;
            bits = run < 11 ? 3 : 7;
            extra = run - (run < 11 ? 3 : 11);
        } else if (i > 0 && row[i] == row[i - 1] && run >= 3) {
            if (run > 6) run = 6;
            which = 16;
            bits = 2;
            extra = run - 3;
        } else {
            run = 1;
        }
        if (!how) {
            weight[which]++;
            continue;
        }
        put_code(e, how, which);
        if (bits) put_bits(e, (uint32_t)extra, bits);
    }
}

static void put_block(encoder *e, int is_last) {
    static const uint8_t order[CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                         11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint32_t literals[LITERALS] = {0}, distances[DISTANCES] = {0}, lengths[CODES] = {0};
    uint8_t row[LITERALS + DISTANCES];
    code of_literals, of_distances, of_lengths;
    size_t i, codes = CODES;
    literals[END] = 1;
    for (i = 0; i < e->symbol_count; i++) {
        const symbol *s = &e->symbols[i];
        if (!s->distance) {
            literals[s->length]++;
            continue;
        }
        literals[END + 1 + class_of(length_base, 29, s->length)]++;
        distances[class_of(distance_base, DISTANCES, s->distance)]++;
    }
    make_code(&of_literals, literals, LITERALS, 15);
    make_code(&of_distances, distances, DISTANCES, 15);
    memcpy(row, of_literals.length, LITERALS);
    memcpy(row + LITERALS, of_distances.length, DISTANCES);
    walk_lengths(e, row, sizeof row, NULL, lengths);
    make_code(&of_lengths, lengths, CODES, 7);
    while (codes > 4 && !of_lengths.length[order[codes - 1]]) codes--;
    put_bits(e, (uint32_t)is_last, 1);
    put_bits(e, 2, 2);
    put_bits(e, LITERALS - 257, 5);
    put_bits(e, DISTANCES - 1, 5);
    put_bits(e, (uint32_t)codes - 4, 4);
    for (i = 0; i < codes; i++) put_bits(e, of_lengths.length[order[i]], 3);
    walk_lengths(e, row, sizeof row, &of_lengths, NULL);
    for (i = 0; i < e->symbol_count; i++) {
        const symbol *s = &e->symbols[i];
        size_t which;
        if (!s->distance) {
            put_code(e, &of_literals, s->length);
            continue;
        }
        which = class_of(length_base, 29, s->length);
        put_code(e, &of_literals, END + 1 + which);
        put_bits(e, (uint32_t)s->length - length_base[which], length_extra[which]);
        which = class_of(distance_base, DISTANCES, s->distance);
        put_code(e, &of_distances, which);
        put_bits(e, (uint32_t)s->distance - distance_base[which], distance_extra[which]);
    }
    put_code(e, &of_literals, END);
    e->symbol_count = 0;
}

/* ---- matches ---- */

static uint32_t hash_of(const unsigned char *at) {
    uint32_t three = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    return (three * 0x9E3779B1u) >> (32 - HASH_BITS);
}

static void remember(encoder *e, const unsigned char *bytes, size_t at, size_t size) {
    uint32_t hash;
    if (size - at < SHORTEST) return;
    hash = hash_of(bytes + at);
    e->before[at % WINDOW] = e->head[hash];
    e->head[hash] = (uint32_t)at + 1;
}

static symbol best_match(const encoder *e, const unsigned char *bytes, size_t at, size_t size) {
    symbol best = {0, 0};
    size_t most = size - at < LONGEST ? size - at : LONGEST, length;
    uint32_t place;
    int tries;
    if (most < SHORTEST) return best;
    place = e->head[hash_of(bytes + at)];
    for (tries = CHAIN; place && tries; tries--) {
        size_t from = place - 1;
        if (at - from >= WINDOW) break;
        if (bytes[from + best.length] == bytes[at + best.length]) {
            for (length = 0; length < most && bytes[from + length] == bytes[at + length]; length++) {
            }
            if (length > best.length) {
                best.length = (uint16_t)length;
                best.distance = (uint16_t)(at - from);
                if (length == most) break;
            }
        }
        place = e->before[from % WINDOW];
    }
    /* A short match from far away takes more bits than its literals. */
    if (best.length < SHORTEST || (best.length == SHORTEST && best.distance > 4096)) best.distance = 0;
    return best;
}

/* In pieces of which the places fit 32 bits. A match does not reach beyond its
   piece. */
void deflate_bytes(text *out, const unsigned char *bytes, size_t size) {
    const size_t piece = (size_t)1 << 30;
    encoder *e = (encoder *)tool_alloc(sizeof *e);
    size_t begin = 0;
    e->out = out;
    do {
        size_t end = size - begin > piece ? piece : size - begin, at = 0, k;
        memset(e->head, 0, sizeof e->head);
        while (at < end) {
            symbol s = best_match(e, bytes + begin, at, end);
            if (!s.distance) s.length = bytes[begin + at];
            e->symbols[e->symbol_count++] = s;
            for (k = s.distance ? s.length : 1; k; k--) remember(e, bytes + begin, at++, end);
            if (e->symbol_count == SYMBOLS) put_block(e, 0);
        }
        begin += end;
    } while (begin < size);
    put_block(e, 1);
    put_bits(e, 0, 7); /* to a whole byte */
    free(e);
}

void deflate_base64(text *out, const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t i;
    for (i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        char four[4];
        four[0] = digits[three >> 18];
        four[1] = digits[three >> 12 & 63];
        four[2] = left > 1 ? digits[three >> 6 & 63] : '=';
        four[3] = left > 2 ? digits[three & 63] : '=';
        text_bytes(out, four, 4);
    }
}
