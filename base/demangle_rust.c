/* demangle_rust.c - both manglings of Rust.

   The old one is that of C++ with a hash as the last name: _ZN3foo3bar17h<hash>E,
   and signs in a code of their own: $LT$ is <. The new one (v0, RFC 2603) is a
   language: a path or a type begins with a letter that says what it is.

       _RNvNtCs1_5alpha4beta5gamma          alpha::beta::gamma
       N v             5gamma               in the namespace of values, of what stands before
         N t    4beta                       in that of types
           C s1_ 5alpha                     a crate, with what tells it from others

   Hashes and what tells crates apart are left out. A name may point back at its
   own parts, each of which may do so again: the result has an end, and so has the
   depth. */
#include "base/demangle.h"
#include "base/text.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 128, LARGEST = 4000, HASH = 17 };

typedef struct reader {
    const char *name, *at;          /* name: behind _R; places are counted from there */
    text *out;
    unsigned depth, lifetimes;      /* lifetimes: that binders around here have named */
    int bad, is_quiet;              /* is_quiet: nothing is written */
} reader;

static void put_bytes(reader *r, const char *words, size_t size) {
    if (r->out->size + size > LARGEST) r->bad = 1;
    if (!r->bad && !r->is_quiet) text_bytes(r->out, words, size);
}

static void put(reader *r, const char *words) { put_bytes(r, words, strlen(words)); }

static void put_number(reader *r, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    put(r, digits);
}

static int take(reader *r, char c) {
    if (r->bad || *r->at != c) return 0;
    r->at++;
    return 1;
}

/* ---- numbers and identifiers ---- */

/* Digits and letters up to _; nothing before it is 0, and 0 is 1. */
static uint64_t base62(reader *r) {
    uint64_t value = 0;
    if (take(r, '_')) return 0;
    while (!r->bad && !take(r, '_')) {
        char c = *r->at;
        unsigned digit = 0;
        if (c) r->at++;
        if (c >= '0' && c <= '9') digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'z') digit = 10 + (unsigned)(c - 'a');
        else if (c >= 'A' && c <= 'Z') digit = 36 + (unsigned)(c - 'A');
        else r->bad = 1;
        if (value > (UINT64_MAX - 62) / 62) r->bad = 1;
        else value = value * 62 + digit;
    }
    return value + 1;
}

static uint64_t optional62(reader *r, char before) {
    return take(r, before) ? base62(r) + 1 : 0;
}

/* An identifier without what tells it from others. Of one in Punycode the plain
   letters are shown. */
static void identifier(reader *r, const char **words, size_t *size) {
    int is_coded = take(r, 'u');
    size_t length = 0, left = strlen(r->at);
    if (*r->at < '0' || *r->at > '9') r->bad = 1;
    while (!r->bad && *r->at >= '0' && *r->at <= '9') {
        length = length * 10 + (size_t)(*r->at++ - '0');
        if (length > left) r->bad = 1;
        if (length == 0) break;
    }
    (void)take(r, '_');
    if (length > strlen(r->at)) r->bad = 1;
    *words = r->at;
    *size = r->bad ? 0 : length;
    if (!r->bad) r->at += length;
    for (left = 0; is_coded && left < *size; left++) {
        if ((*words)[*size - 1 - left] == '_') {
            *size -= left + 1;
            break;
        }
    }
}

/* ---- paths, types, constants ---- */

static void path(reader *r, int in_value);
static void type(reader *r);
static void constant(reader *r);

/* Reads what an earlier place says, and goes on here. */
static void again(reader *r, void (*read)(reader *r, int in_value), int in_value) {
    size_t here = (size_t)(r->at - r->name) - 1;
    uint64_t place = base62(r);
    const char *back = r->at;
    if (place >= here) r->bad = 1;
    if (r->bad || r->is_quiet) return;
    r->at = r->name + place;
    read(r, in_value);
    r->at = back;
}

static void type_again(reader *r, int unused) {
    (void)unused;
    type(r);
}

static void constant_again(reader *r, int unused) {
    (void)unused;
    constant(r);
}

/* Counted from the innermost binder. */
static void lifetime(reader *r, uint64_t number) {
    char word[4] = "'_";
    if (number > r->lifetimes) r->bad = 1;
    else if (number && r->lifetimes - number < 26)
        word[1] = (char)('a' + (int)(r->lifetimes - number));
    put(r, word);
}

/* Lifetimes that a type names for itself. Returns how many. */
static unsigned binder(reader *r) {
    uint64_t count = optional62(r, 'G'), n;
    if (count > 26) r->bad = 1;
    if (!count || r->bad) return 0;
    put(r, "for<");
    for (n = 0; n < count; n++) {
        r->lifetimes++;
        put(r, n ? ", " : "");
        lifetime(r, 1);
    }
    put(r, "> ");
    return (unsigned)count;
}

static void arguments(reader *r) {
    int n;
    for (n = 0; !r->bad && !take(r, 'E'); n++) {
        if (n) put(r, ", ");
        if (take(r, 'L')) lifetime(r, base62(r));
        else if (take(r, 'K')) constant(r);
        else type(r);
    }
}

/* Where an implementation stands is not shown. */
static void skip_path(reader *r) {
    int was = r->is_quiet;
    (void)optional62(r, 's');
    r->is_quiet = 1;
    path(r, 0);
    r->is_quiet = was;
}

static void nested(reader *r, int in_value) {
    char space = *r->at;
    const char *words;
    size_t size;
    uint64_t number;
    if (!((space >= 'a' && space <= 'z') || (space >= 'A' && space <= 'Z'))) r->bad = 1;
    if (r->bad) return;
    r->at++;
    path(r, in_value);
    number = optional62(r, 's');
    identifier(r, &words, &size);
    if (space >= 'a' && !size) return;
    put(r, "::");
    if (space < 'a') {
        put(r, space == 'C' ? "{closure" : space == 'S' ? "{shim" : "{");
        if (space != 'C' && space != 'S') put_bytes(r, &space, 1);
        if (size) put(r, ":");
    }
    put_bytes(r, words, size);
    if (space >= 'a') return;
    put(r, "#");
    put_number(r, number);
    put(r, "}");
}

static void path(reader *r, int in_value) {
    const char *words;
    size_t size;
    char c = *r->at;
    if (++r->depth > DEEPEST) r->bad = 1;
    if (!r->bad) r->at += c != 0;
    if (r->bad) c = 0;
    switch (c) {
    case 'C':
        (void)optional62(r, 's');
        identifier(r, &words, &size);
        put_bytes(r, words, size);
        break;
    case 'N': nested(r, in_value); break;
    case 'M':
    case 'X':
    case 'Y':
        if (c != 'Y') skip_path(r);
        put(r, "<");
        type(r);
        if (c != 'M') {
            put(r, " as ");
            path(r, 0);
        }
        put(r, ">");
        break;
    case 'I':
        path(r, in_value);
        put(r, in_value ? "::<" : "<");
        arguments(r);
        put(r, ">");
        break;
    case 'B': again(r, path, in_value); break;
    default: r->bad = 1;
    }
    r->depth--;
}

static const char *basic(char c) {
    static const char *const names[26]
        = {"i8",  "bool", "char",  "f64", "str", "f32", NULL, "u8",  "isize", "usize", NULL, "i32", "u32",
           "i128", "u128", "_",     NULL,  NULL,  "i16", "u16", "()",  "...",   NULL,    "i64", "u64", "!"};
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void function_type(reader *r) {
    unsigned bound = binder(r);
    const char *words;
    size_t size, n;
    if (take(r, 'U')) put(r, "unsafe ");
    if (take(r, 'K')) {
        put(r, "extern \"");
        if (take(r, 'C')) put(r, "C");
        else {
            identifier(r, &words, &size);
            for (n = 0; n < size; n++) put_bytes(r, words[n] == '_' ? "-" : words + n, 1);
        }
        put(r, "\" ");
    }
    put(r, "fn(");
    arguments(r);
    put(r, ")");
    if (!take(r, 'u')) {
        put(r, " -> ");
        type(r);
    }
    r->lifetimes -= bound;
}

/* The traits of a dyn, each a path, perhaps with types that it is tied to, which
   stand in the path's own brackets. */
static void traits(reader *r) {
    unsigned bound = binder(r);
    uint64_t number;
    int n;
    for (n = 0; !r->bad && !take(r, 'E'); n++) {
        int ties = 0;
        if (n) put(r, " + ");
        path(r, 0);
        while (take(r, 'p')) {
            const char *words;
            size_t size;
            identifier(r, &words, &size);
            if (!ties && r->out->size && r->out->data[r->out->size - 1] == '>' && !r->is_quiet) {
                r->out->size--;
                put(r, ", ");
            } else put(r, ties ? ", " : "<");
            ties++;
            put_bytes(r, words, size);
            put(r, " = ");
            type(r);
        }
        if (ties) put(r, ">");
    }
    r->lifetimes -= bound;
    if (!take(r, 'L')) r->bad = 1;
    number = base62(r);
    if (!number) return;
    put(r, " + ");
    lifetime(r, number);
}

static void type(reader *r) {
    char c = *r->at;
    const char *word = basic(c);
    uint64_t number;
    int n;
    if (++r->depth > DEEPEST) r->bad = 1;
    if (r->bad) c = 0;
    switch (c) {
    case 'A':
    case 'S':
        r->at++;
        put(r, "[");
        type(r);
        if (c == 'A') {
            put(r, "; ");
            constant(r);
        }
        put(r, "]");
        break;
    case 'T':
        r->at++;
        put(r, "(");
        for (n = 0; !r->bad && !take(r, 'E'); n++) {
            if (n) put(r, ", ");
            type(r);
        }
        put(r, n == 1 ? ",)" : ")");
        break;
    case 'R':
    case 'Q':
        r->at++;
        put(r, "&");
        number = take(r, 'L') ? base62(r) : 0;
        if (number) {
            lifetime(r, number);
            put(r, " ");
        }
        if (c == 'Q') put(r, "mut ");
        type(r);
        break;
    case 'P':
    case 'O':
        r->at++;
        put(r, c == 'P' ? "*const " : "*mut ");
        type(r);
        break;
    case 'F':
        r->at++;
        function_type(r);
        break;
    case 'D':
        r->at++;
        put(r, "dyn ");
        traits(r);
        break;
    case 'B':
        r->at++;
        again(r, type_again, 0);
        break;
    default:
        if (c && word) {
            r->at++;
            put(r, word);
        } else path(r, 0);
    }
    r->depth--;
}

/* A number in hexadecimal up to _; wider ones than 64 bits stay so. */
static void constant_number(reader *r, char of) {
    const char *first;
    uint64_t value = 0;
    size_t size;
    if (take(r, 'n')) put(r, "-");
    first = r->at;
    size = strspn(first, "0123456789abcdef");
    r->at += size;
    if (!take(r, '_')) r->bad = 1;
    if (size > 16) {
        put(r, "0x");
        put_bytes(r, first, size);
        return;
    }
    for (; size; size--, first++)
        value = value << 4 | (uint64_t)(*first <= '9' ? *first - '0' : *first - 'a' + 10);
    if (of == 'b' && value < 2) put(r, value ? "true" : "false");
    else if (of == 'c' && value >= ' ' && value < 127) {
        char words[4] = {'\'', (char)value, '\'', 0};
        put(r, words);
    } else put_number(r, value);
}

static void constant(reader *r) {
    char c = *r->at;
    if (++r->depth > DEEPEST) r->bad = 1;
    if (r->bad) c = 0;
    else if (c) r->at++;
    if (c == 'B') again(r, constant_again, 0);
    else if (c == 'p') put(r, "_");
    else if (c && strchr("ahsltmxynoijbc", c)) constant_number(r, c);
    else r->bad = 1;                /* a text or a structure: rarely used, and not read here */
    r->depth--;
}

/* ---- the old way ---- */

static int is_hash(const char *at, size_t size) {
    return size == HASH && *at == 'h' && strspn(at + 1, "0123456789abcdef") >= HASH - 1;
}

/* A sign in its code, from $ on. Returns how many bytes it takes, or 0. */
static size_t sign(const char *at, size_t size, text *out) {
    static const char *const codes[] = {"$SP$", "$BP$", "$RF$", "$LT$", "$GT$", "$LP$", "$RP$", "$C$"};
    static const char signs[] = "@*&<>(),";
    char *end;
    unsigned long number;
    size_t n;
    for (n = 0; n < sizeof codes / sizeof *codes; n++) {
        size_t length = strlen(codes[n]);
        if (size < length || memcmp(at, codes[n], length) != 0) continue;
        text_bytes(out, signs + n, 1);
        return length;
    }
    if (size < 4 || at[1] != 'u') return 0;
    number = strtoul(at + 2, &end, 16);
    if (*end != '$' || (size_t)(end - at) >= size || number < ' ' || number > 126) return 0;
    text_format(out, "%c", (int)number);
    return (size_t)(end - at) + 1;
}

static void add_old(text *out, const char *at, size_t size) {
    const char *end = at + size;
    if (size > 1 && at[0] == '_' && at[1] == '$') at++;
    while (at < end) {
        size_t taken = *at == '$' ? sign(at, (size_t)(end - at), out) : 0;
        if (!taken && *at == '.' && end - at > 1 && at[1] == '.') {
            text_add(out, "::");
            taken = 2;
        }
        if (!taken) {
            text_bytes(out, at, 1);
            taken = 1;
        }
        at += taken;
    }
}

/* Names up to E, the last one a hash. */
static int old(const char *at, text *out) {
    const char *words = NULL;
    size_t size = 0, count = 0;
    while (*at >= '1' && *at <= '9') {
        if (words) {
            if (count++) text_add(out, "::");
            add_old(out, words, size);
        }
        for (size = 0; *at >= '0' && *at <= '9' && size < LARGEST; at++)
            size = size * 10 + (size_t)(*at - '0');
        if (size > strlen(at)) return -1;
        words = at;
        at += size;
    }
    if (!words || !count || *at != 'E' || !is_hash(words, size)) return -1;
    if (at[1] && strncmp(at + 1, ".llvm.", 6) != 0) text_add(out, at + 1);
    return 0;
}

char *demangle_rust(const char *name) {
    text out = {NULL, 0, 0};
    reader r = {NULL, NULL, NULL, 0, 0, 0, 0};
    char *clean = NULL;
    int status = -1;
    if (!strncmp(name, "_ZN", 3)) status = old(name + 3, &out);
    else if (!strncmp(name, "_R", 2) && name[2] >= 'A' && name[2] <= 'Z') {
        r.name = r.at = name + 2;
        r.out = &out;
        path(&r, 1);
        if (!r.bad && *r.at >= 'A' && *r.at <= 'Z') skip_path(&r); /* whose crate made it */
        status = r.bad || (*r.at && *r.at != '.' && *r.at != '$') ? -1 : 0;
        if (!status && *r.at && strncmp(r.at, ".llvm.", 6) != 0) put(&r, r.at);
    }
    if (status == 0) clean = text_name(out.data ? out.data : "", out.size);
    text_free(&out);
    return clean;
}
