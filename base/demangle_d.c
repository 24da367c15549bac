/* demangle_d.c - names of D, as the language's reference lays them down ("Name
   Mangling").

       _D1d1S4warmMxFkZk        d.S.warm(uint) const
         1d 1S 4warm            names, from the outside inwards; __T or __U: of a template
                    M x         a method, of a constant object
                       F k Z    a function of D's: its parameters
                            k   what it returns: not shown

   A letter Q and a number stand for a name or a type so many letters before it,
   which may do so, too. There are limits to the steps, the depth and what is
   written. */
#include "base/demangle.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 128, LARGEST = 4000, STEPS = 20000 };

typedef struct reader {
    const char *name, *at;
    text *out;
    unsigned depth, steps;
    int bad;
} reader;

static void type(reader *r);
static void qualified(reader *r, int with_object);
static void mangled(reader *r);
static void value(reader *r, char kind, const char *of);

static void put_bytes(reader *r, const char *words, size_t size) {
    if (r->out->size + size > LARGEST) r->bad = 1;
    if (!r->bad) text_bytes(r->out, words, size);
}

static void put(reader *r, const char *words) { put_bytes(r, words, strlen(words)); }

static int take(reader *r, char c) {
    if (r->bad || *r->at != c) return 0;
    r->at++;
    return 1;
}

static int starts(const reader *r, const char *words) {
    return !r->bad && !strncmp(r->at, words, strlen(words));
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int enter(reader *r) {
    if (++r->depth > DEEPEST || ++r->steps > STEPS) r->bad = 1;
    return !r->bad;
}

/* Writes what `each` writes into a text of its own, which the caller frees. */
static text aside(reader *r, void (*each)(reader *r)) {
    text apart = {NULL, 0, 0}, *out = r->out;
    r->out = &apart;
    each(r);
    r->out = out;
    return apart;
}

static void put_text(reader *r, text *t) {
    if (t->size) put_bytes(r, t->data, t->size);
    text_free(t);
}

static size_t number(reader *r) {
    size_t value = 0;
    if (!is_digit(*r->at)) r->bad = 1;
    while (!r->bad && is_digit(*r->at)) {
        value = value * 10 + (size_t)(*r->at++ - '0');
        if (value > 1 << 20) r->bad = 1;
    }
    return value;
}

/* Q and a number of letters, of which the last one is small. Returns what it points
   at, or NULL. */
static const char *back(reader *r) {
    const char *from = r->at++;
    size_t far = 0;
    while (*r->at >= 'A' && *r->at <= 'Z' && far < 1 << 20)
        far = far * 26 + (size_t)(*r->at++ - 'A');
    if (*r->at < 'a' || *r->at > 'z') r->bad = 1;
    else far = far * 26 + (size_t)(*r->at++ - 'a');
    if (!far || far > (size_t)(from - r->name)) r->bad = 1;
    return r->bad ? NULL : from - far;
}

/* ---- names ---- */

static int is_template(const char *at) {
    return at[0] == '_' && at[1] == '_' && (at[2] == 'T' || at[2] == 'U');
}

static int is_name(const reader *r) {
    reader look = *r;
    const char *to;
    if (r->bad) return 0;
    if (is_digit(*r->at) || is_template(r->at)) return 1;
    if (*r->at != 'Q') return 0;
    to = back(&look);
    return to && is_digit(*to);
}

static int is_convention(char c) { return c && strchr("FUVWRY", c) != NULL; }

static void arguments(reader *r) {
    int count = 0;
    while (!r->bad && !take(r, 'Z')) {
        if (count++) put(r, ", ");
        (void)take(r, 'H');
        if (take(r, 'T')) type(r);
        else if (take(r, 'V')) {
            reader look = *r;
            char kind = *r->at;
            text of;
            if (kind == 'Q') {
                const char *to = back(&look);
                kind = to ? *to : 0;
            }
            of = aside(r, type);
            text_bytes(&of, "", 1);
            value(r, kind, of.data);
            text_free(&of);
        } else if (take(r, 'S')) {
            const char *start = r->at;
            if (is_digit(*r->at)) {               /* older compilers say how long it is */
                (void)number(r);
                if (!starts(r, "_D")) r->at = start;
            }
            if (starts(r, "_D")) mangled(r);
            else qualified(r, 0);
        } else if (take(r, 'X')) {
            size_t size = number(r);
            if (r->bad || strlen(r->at) < size) r->bad = 1;
            else put_bytes(r, r->at, size);
            if (!r->bad) r->at += size;
        } else r->bad = 1;
    }
}

static void name_part(reader *r) {
    const char *start;
    size_t size;
    if (!enter(r)) return;
    if (*r->at == 'Q') {
        const char *behind, *to = back(r);
        behind = r->at;
        if (to && is_digit(*to)) {
            r->at = to;
            name_part(r);
        } else r->bad = 1;
        if (!r->bad) r->at = behind;
    } else {
        size = is_digit(*r->at) ? number(r) : 0;
        start = r->at;
        if (r->bad || strlen(start) < size) r->bad = 1;
        else if (is_template(start) && (!size || size >= 5)) {
            r->at += 3;
            if (*r->at == '0' || !is_name(r)) r->bad = 1;
            else name_part(r);
            put(r, "!(");
            arguments(r);
            put(r, ")");
            if (size && r->at != start + size) r->bad = 1;
        } else if (!size) r->bad = 1;
        else {
            size_t n = 3;
            while (n < size && is_digit(start[n])) n++;
            r->at += size;
            /* __S and a number: one of several of a name in a function. */
            if (size >= 4 && n == size && !strncmp(start, "__S", 3)) name_part(r);
            else if (size == 6 && !strncmp(start, "__ctor", 6)) put(r, "this");
            else if (size == 6 && !strncmp(start, "__dtor", 6)) put(r, "~this");
            else if (size == 10 && !strncmp(start, "__postblitMFZ", 13)) {
                put(r, "this(this)");
                r->at += 3;
            } else put_bytes(r, start, size);
        }
    }
    r->depth--;
}

/* ---- functions ---- */

/* What a method's object is. */
static void object(reader *r) {
    for (;;) {
        if (take(r, 'x')) put(r, " const");
        else if (take(r, 'y')) put(r, " immutable");
        else if (take(r, 'O')) put(r, " shared");
        else if (starts(r, "Ng")) {
            r->at += 2;
            put(r, " inout");
        } else return;
    }
}

static void convention(reader *r) {
    static const char letters[] = "FUWVRY";
    static const char *const words[] = {"", "extern(C) ", "extern(Windows) ", "extern(Pascal) ",
                                        "extern(C++) ", "extern(Objective-C) "};
    const char *which = *r->at ? strchr(letters, *r->at) : NULL;
    if (!which) r->bad = 1;
    else put(r, words[which - letters]);
    if (which) r->at++;
}

/* g, h, k and n begin a type or a parameter. */
static void attributes(reader *r) {
    static const char letters[] = "abcdefijlm";
    static const char *const words[] = {"pure ", "nothrow ", "ref ", "@property ", "@trusted ",
                                        "@safe ", "@nogc ", "return ", "scope ", "@live "};
    while (!r->bad && *r->at == 'N') {
        const char *which = r->at[1] ? strchr(letters, r->at[1]) : NULL;
        if (!which) return;
        put(r, words[which - letters]);
        r->at += 2;
    }
}

static void parameters(reader *r) {
    int count = 0;
    put(r, "(");
    while (!r->bad && !take(r, 'Z')) {
        if (take(r, 'X')) {
            put(r, "...");
            break;
        }
        if (count++) put(r, ", ");
        if (take(r, 'Y')) {
            put(r, "...");
            break;
        }
        if (take(r, 'M')) put(r, "scope ");
        if (starts(r, "Nk")) {
            r->at += 2;
            put(r, "return ");
        }
        if (take(r, 'I')) {
            put(r, "in ");
            if (take(r, 'K')) put(r, "ref ");
        } else if (take(r, 'J')) put(r, "out ");
        else if (take(r, 'K')) put(r, "ref ");
        else if (take(r, 'L')) put(r, "lazy ");
        type(r);
    }
    put(r, ")");
}

/* As in "int(char) pure function". */
static void function_type(reader *r) {
    text words, of, returns;
    convention(r);
    words = aside(r, attributes);
    of = aside(r, parameters);
    returns = aside(r, type);
    put_text(r, &returns);
    put_text(r, &of);
    put(r, " ");
    put_text(r, &words);
}

static void qualified(reader *r, int with_object) {
    size_t count = 0;
    if (!enter(r)) return;
    do {
        text modifiers = {NULL, 0, 0}, nothing;
        reader before;
        size_t size;
        while (take(r, '0')) { }                  /* without a name */
        if (count++) put(r, ".");
        name_part(r);
        if (r->bad || (*r->at != 'M' && !is_convention(*r->at))) continue;
        before = *r;
        size = r->out->size;
        if (take(r, 'M')) modifiers = aside(r, object);
        nothing = aside(r, convention);
        text_free(&nothing);
        nothing = aside(r, attributes);
        text_free(&nothing);
        parameters(r);
        if (with_object && modifiers.size) put_bytes(r, modifiers.data, modifiers.size);
        text_free(&modifiers);
        if (r->bad || !*r->at) {                  /* it is of what stands around the name */
            unsigned steps = r->steps;
            *r = before;
            r->steps = steps;
            r->out->size = size;
        }
    } while (is_name(r));
    r->depth--;
}

/* _D, a name, and a type or a Z. */
static void mangled(reader *r) {
    text of;
    if (!starts(r, "_D")) r->bad = 1;
    else r->at += 2;
    qualified(r, 1);
    if (r->bad || take(r, 'Z')) return;
    of = aside(r, type);
    text_free(&of);
}

/* ---- types ---- */

static void around(reader *r, const char *before) {
    put(r, before);
    type(r);
    put(r, ")");
}

static void back_type(reader *r, void (*each)(reader *r)) {
    const char *behind, *to = back(r);
    behind = r->at;
    if (!to) return;
    r->at = to;
    each(r);
    if (!r->bad) r->at = behind;
}

static void type_of_letters(reader *r) {
    static const char letters[] = "nvghstiklmfdeopjqrcbauw";
    static const char *const words[]
        = {"typeof(null)", "void", "byte", "ubyte", "short", "ushort", "int", "uint", "long",
           "ulong", "float", "double", "real", "ifloat", "idouble", "ireal", "cfloat", "cdouble",
           "creal", "bool", "char", "wchar", "dchar"};
    const char *which = *r->at ? strchr(letters, *r->at) : NULL;
    if (which) r->at++;
    if (which) put(r, words[which - letters]);
    else if (starts(r, "zi") || starts(r, "zk")) {
        put(r, r->at[1] == 'i' ? "cent" : "ucent");
        r->at += 2;
    } else r->bad = 1;
}

static void type(reader *r) {
    if (!enter(r)) return;
    if (take(r, 'O')) around(r, "shared(");
    else if (take(r, 'x')) around(r, "const(");
    else if (take(r, 'y')) around(r, "immutable(");
    else if (take(r, 'N')) {
        if (take(r, 'g')) around(r, "inout(");
        else if (take(r, 'h')) around(r, "__vector(");
        else if (take(r, 'n')) put(r, "typeof(*null)");
        else r->bad = 1;
    } else if (take(r, 'A')) {
        type(r);
        put(r, "[]");
    } else if (take(r, 'G')) {
        const char *start = r->at;
        size_t size;
        (void)number(r);
        size = (size_t)(r->at - start);
        type(r);
        put(r, "[");
        put_bytes(r, start, size);
        put(r, "]");
    } else if (take(r, 'H')) {
        text key = aside(r, type);
        type(r);
        put(r, "[");
        put_text(r, &key);
        put(r, "]");
    } else if (take(r, 'P')) {
        if (is_convention(*r->at)) {
            function_type(r);
            put(r, "function");
        } else {
            type(r);
            put(r, "*");
        }
    } else if (is_convention(*r->at)) {
        function_type(r);
        put(r, "function");
    } else if (take(r, 'D')) {
        text modifiers = aside(r, object);
        if (*r->at == 'Q') back_type(r, function_type);
        else function_type(r);
        put(r, "delegate");
        put_text(r, &modifiers);
    } else if (take(r, 'B')) {
        size_t count = number(r), n;
        put(r, "Tuple!(");
        for (n = 0; n < count && !r->bad; n++) {
            if (n) put(r, ", ");
            type(r);
        }
        put(r, ")");
    } else if (*r->at == 'Q') back_type(r, type);
    else if (*r->at && strchr("CSETI", *r->at)) {
        r->at++;
        qualified(r, 0);
    } else type_of_letters(r);
    r->depth--;
}

/* ---- values of templates ---- */

static int hexadecimal(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void put_letter(reader *r, unsigned long letter, char quote, char kind) {
    static const char controls[] = "\t\n\r\f\v", *which;
    char words[24];
    which = letter && letter < 127 ? strchr(controls, (int)letter) : NULL;
    if (which && quote == '"') snprintf(words, sizeof words, "\\%c", "tnrfv"[which - controls]);
    else if (letter >= 32 && letter < 127) snprintf(words, sizeof words, "%c", (int)letter);
    else if (kind == 'w') snprintf(words, sizeof words, "\\U%08lx", letter);
    else if (kind == 'u') snprintf(words, sizeof words, "\\u%04lx", letter);
    else snprintf(words, sizeof words, "\\x%02lx", letter);
    put(r, words);
}

static void integer(reader *r, char kind) {
    const char *start = r->at;
    if (!is_digit(*start)) r->bad = 1;
    while (is_digit(*r->at)) r->at++;
    if (kind && strchr("auw", kind)) {
        put(r, "'");
        put_letter(r, strtoul(start, NULL, 10), '\'', kind);
        put(r, "'");
    } else if (kind == 'b') put(r, strtoul(start, NULL, 10) ? "true" : "false");
    else {
        put_bytes(r, start, (size_t)(r->at - start));
        put(r, kind == 'l' ? "L" : kind == 'm' ? "uL" : kind && strchr("htk", kind) ? "u" : "");
    }
}

static void digits(reader *r, int (*is)(char c)) {
    const char *start = r->at;
    while (is(*r->at)) r->at++;
    put_bytes(r, start, (size_t)(r->at - start));
}

static int is_visible(char c) { return c > ' ' && c < 127; }

static int is_hexadecimal(char c) { return hexadecimal(c) >= 0; }

static void real(reader *r) {
    if (starts(r, "NAN")) put(r, "NaN");
    else if (starts(r, "INF")) put(r, "Inf");
    else if (starts(r, "NINF")) put(r, "-Inf");
    else {
        if (take(r, 'N')) put(r, "-");
        if (!is_hexadecimal(*r->at)) r->bad = 1;
        put(r, "0x");
        if (!r->bad) put_bytes(r, r->at++, 1);
        put(r, ".");
        digits(r, is_hexadecimal);
        if (!take(r, 'P')) r->bad = 1;
        put(r, "p");
        if (take(r, 'N')) put(r, "-");
        digits(r, is_digit);
        return;
    }
    r->at += 3 + (*r->at == 'N' && r->at[1] == 'I');
}

static void string(reader *r, char kind) {
    size_t count = number(r), n;
    if (!take(r, '_')) r->bad = 1;
    put(r, "\"");
    for (n = 0; n < count && !r->bad; n++) {
        int high = hexadecimal(*r->at), low = high < 0 ? -1 : hexadecimal(r->at[1]);
        if (low < 0) {
            r->bad = 1;
            return;
        }
        put_letter(r, (unsigned long)(16 * high + low), '"', 'a');
        r->at += 2;
    }
    put(r, "\"");
    if (kind != 'a') put_bytes(r, &kind, 1);
}

static void values(reader *r, const char *end, int in_pairs) {
    size_t count = number(r), n;
    for (n = 0; n < count && !r->bad; n++) {
        if (n) put(r, ", ");
        value(r, 0, NULL);
        if (in_pairs) put(r, ":");
        if (in_pairs) value(r, 0, NULL);
    }
    put(r, end);
}

/* kind: the first letter of its type, whose name is `of`. */
static void value(reader *r, char kind, const char *of) {
    char c = *r->at;
    if (!enter(r)) return;
    if (c == 'n') put(r, "null");
    if (c == 'N') put(r, "-");
    if (c && strchr("nNiecawdASf", c)) r->at++;
    if (c == 'n') { }
    else if (is_digit(c) || c == 'i' || c == 'N') integer(r, kind);
    else if (c == 'e') real(r);
    else if (c == 'c') {
        real(r);
        put(r, "+");
        if (!take(r, 'c')) r->bad = 1;
        real(r);
        put(r, "i");
    } else if (c == 'a' || c == 'w' || c == 'd') string(r, c);
    else if (c == 'A') {
        put(r, "[");
        values(r, "]", kind == 'H');
    } else if (c == 'S') {
        put(r, of ? of : "");
        put(r, "(");
        values(r, ")", 0);
    } else if (c == 'f') mangled(r);
    else r->bad = 1;
    r->depth--;
}

char *demangle_d(const char *name) {
    text out = {NULL, 0, 0};
    reader r = {NULL, NULL, NULL, 0, 0, 0};
    if (!strcmp(name, "_Dmain")) {
        text_add(&out, "D main");
        return text_take(&out);
    }
    r.name = r.at = name;
    r.out = &out;
    mangled(&r);
    if (!r.bad && *r.at == '.') digits(&r, is_visible);    /* .part.0, .cold */
    if (!r.bad && !*r.at) return text_take(&out);
    text_free(&out);
    return NULL;
}
