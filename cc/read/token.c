/* token.c - cutting preprocessed C into tokens. */
#include "cc/read/token.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct keyword {
    const char *name;
    uint32_t word;
} keyword;

/* Names with underscores in front and behind, __inline__ or __const, are found
   without them. */
static const keyword keywords[] = {
    {"if", CC_IF}, {"else", CC_ELSE}, {"while", CC_WHILE}, {"do", CC_DO}, {"for", CC_FOR},
    {"switch", CC_SWITCH}, {"case", CC_CASE}, {"default", CC_DEFAULT}, {"goto", CC_GOTO},
    {"break", CC_BREAK}, {"continue", CC_CONTINUE}, {"return", CC_RETURN},
    {"struct", CC_STRUCT}, {"union", CC_STRUCT}, {"enum", CC_ENUM}, {"typedef", CC_TYPEDEF},
    {"static", CC_STATIC}, {"extern", CC_EXTERN}, {"inline", CC_INLINE},
    {"sizeof", CC_SIZEOF}, {"asm", CC_ASM}, {"typeof", CC_TYPEOF}, {"typeof_unqual", CC_TYPEOF},
    {"int", CC_TYPE}, {"char", CC_TYPE}, {"void", CC_TYPE}, {"long", CC_TYPE},
    {"short", CC_TYPE}, {"unsigned", CC_TYPE}, {"signed", CC_TYPE}, {"float", CC_TYPE},
    {"double", CC_TYPE}, {"const", CC_TYPE}, {"volatile", CC_TYPE}, {"restrict", CC_TYPE},
    {"register", CC_TYPE}, {"auto", CC_TYPE},
};
static const keyword reserved[] = {
    {"_Bool", CC_TYPE}, {"_Complex", CC_TYPE}, {"__complex__", CC_TYPE}, {"_Atomic", CC_TYPE},
    {"_Noreturn", CC_TYPE}, {"_Thread_local", CC_TYPE}, {"__thread", CC_TYPE},
    {"_Imaginary", CC_TYPE}, {"__int128", CC_TYPE}, {"_Float16", CC_TYPE},
    {"_Float32", CC_TYPE}, {"_Float64", CC_TYPE}, {"_Float128", CC_TYPE},
    {"_Float32x", CC_TYPE}, {"_Float64x", CC_TYPE}, {"__float128", CC_TYPE},
    {"__float80", CC_TYPE}, {"_Decimal32", CC_TYPE}, {"_Decimal64", CC_TYPE},
    {"_Decimal128", CC_TYPE}, {"__builtin_va_list", CC_TYPE}, {"__auto_type", CC_AUTO_TYPE},
    {"__inline", CC_INLINE}, {"__inline__", CC_INLINE},
    {"__const", CC_TYPE}, {"__const__", CC_TYPE}, {"__volatile", CC_TYPE},
    {"__volatile__", CC_TYPE}, {"__restrict", CC_TYPE}, {"__restrict__", CC_TYPE},
    {"__signed", CC_TYPE}, {"__signed__", CC_TYPE},
    {"__asm", CC_ASM}, {"__asm__", CC_ASM},
    {"__typeof", CC_TYPEOF}, {"__typeof__", CC_TYPEOF},
    {"_Alignas", CC_ALIGNAS}, {"_Alignof", CC_SIZEOF}, {"__alignof", CC_SIZEOF},
    {"__alignof__", CC_SIZEOF}, {"__attribute", CC_ATTRIBUTE}, {"__attribute__", CC_ATTRIBUTE},
    {"__declspec", CC_DECLSPEC}, {"__extension__", CC_EXTENSION}, {"__label__", CC_LOCAL_LABEL},
    {"_Generic", CC_UNTOUCHED}, {"_Static_assert", CC_UNTOUCHED},
    {"__builtin_offsetof", CC_UNTOUCHED}, {"__builtin_choose_expr", CC_UNTOUCHED},
    {"__builtin_constant_p", CC_UNTOUCHED}, {"__builtin_types_compatible_p", CC_UNTOUCHED},
    {"__builtin_object_size", CC_UNTOUCHED}, {"__builtin_dynamic_object_size", CC_UNTOUCHED},
    {"__builtin_has_attribute", CC_UNTOUCHED}, {"__builtin_classify_type", CC_UNTOUCHED},
};

/* A hash table of all keywords, by length and three characters: nearly every
   name is none. It is filled when the first file is read. */
enum { PLACES = 512 };
static const keyword *places[PLACES];
static int filled;

static uint32_t place_of(const char *name, size_t size) {
    unsigned first = (unsigned char)name[size / 2], last = (unsigned char)name[size - 2];
    unsigned third = (unsigned char)name[size > 2 ? 2 : 0];
    return (first * 7 + last * 31 + third * 3 + (unsigned)size * 67) % PLACES;
}

static void fill(const keyword *list, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        uint32_t at = place_of(list[i].name, strlen(list[i].name));
        while (places[at]) at = (at + 1) % PLACES;
        places[at] = &list[i];
    }
}

static uint32_t keyword_of(const char *name, size_t size) {
    uint32_t at;
    if (size < 2 || size > 32) return 0;
    for (at = place_of(name, size); places[at]; at = (at + 1) % PLACES) {
        const char *key = places[at]->name;
        if (key[0] == name[0] && strncmp(key, name, size) == 0 && !key[size]) {
            return places[at]->word;
        }
    }
    return 0;
}

/* ---- the place in the text ---- */

typedef struct lexer {
    cc_tokens *t;
    const char *text;
    size_t at, size;
    uint32_t room, file_room, open_room, open_count;
    uint32_t *open;           /* numbers of the brackets that are open */
    uint32_t line;            /* of the source, as the markers say */
    uint32_t text_line;
    uint16_t file;
    int line_begins;          /* nothing but blanks has been in this line yet */
} lexer;

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 128;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static char peek(const lexer *x, size_t ahead) {
    return x->size - x->at > ahead ? x->text[x->at + ahead] : 0;
}

static int refuse(lexer *x, const char *reason) {
    x->t->reason = reason;
    x->t->reason_line = x->text_line;
    return -1;
}

static cc_token *add(lexer *x, cc_kind kind, size_t size) {
    cc_tokens *t = x->t;
    cc_token *token;
    TOOL_ROOM(cc_token, t->list, t->count, x->room);
    token = &t->list[t->count++];
    memset(token, 0, sizeof *token);
    token->at = (uint32_t)x->at;
    token->size = (uint32_t)size;
    token->line = x->line;
    token->file = x->file;
    token->kind = (uint8_t)kind;
    return token;
}

static void newline(lexer *x) {
    x->line++;
    x->text_line++;
    x->line_begins = 1;
}

/* ---- markers ---- */

static uint16_t file_number(lexer *x, const char *name, size_t size, int in_system) {
    cc_tokens *t = x->t;
    cc_file *file;
    uint32_t i;
    for (i = t->file_count; i > 0; i--) {
        file = &t->files[i - 1];
        if (strlen(file->name) == size && memcmp(file->name, name, size) == 0 &&
            file->in_system == in_system) {
            return (uint16_t)(i - 1);
        }
    }
    if (t->file_count == UINT16_MAX) return 0;
    TOOL_ROOM(cc_file, t->files, t->file_count, x->file_room);
    file = &t->files[t->file_count];
    file->name = (char *)tool_alloc(size + 1);
    memcpy(file->name, name, size);
    file->name[size] = 0;
    file->in_system = in_system;
    return (uint16_t)t->file_count++;
}

/* One character of a name in quotes, at *i: behind \ stand itself, or the digits
   with which clang writes what is not ASCII. *i is then at its last character. */
static char character_at(const char *line, size_t size, size_t *i) {
    unsigned code = 0, digits = 0;
    if (line[*i] != '\\' || *i + 1 >= size) return line[*i];
    while (digits < 3 && *i + 1 < size && line[*i + 1] >= '0' && line[*i + 1] <= '7') {
        code = code * 8 + (unsigned)(line[++*i] - '0');
        digits++;
    }
    return digits ? (char)(unsigned char)code : line[++*i];
}

/* A line `# 12 "dir/file.h" 1 3`, or `#line 12 "file"`. Other lines with # are
   pragmas. */
static void read_marker(lexer *x, const char *line, size_t size) {
    char *name = (char *)tool_alloc(size + 1);
    size_t i = 1, length = 0;
    uint32_t number = 0;
    int in_system = 0;
    while (i < size && (line[i] == ' ' || line[i] == '\t')) i++;
    if (size - i > 4 && memcmp(line + i, "line", 4) == 0) i += 4;
    while (i < size && (line[i] == ' ' || line[i] == '\t')) i++;
    if (i < size && is_digit(line[i])) {
        while (i < size && is_digit(line[i])) number = number * 10 + (uint32_t)(line[i++] - '0');
        while (i < size && line[i] != '"') i++;
        for (i++; i < size && line[i] != '"'; i++) name[length++] = character_at(line, size, &i);
        for (i++; i < size; i++) in_system |= line[i] == '3';
        if (length > 0) x->file = file_number(x, name, length, in_system);
        x->line = number - 1;      /* of the line that this marker ends */
    }
    free(name);
}

static size_t word_at(const char *line, size_t size, size_t *at) {
    size_t start;
    while (*at < size && !is_letter(line[*at]) && !is_digit(line[*at])) ++*at;
    for (start = *at; *at < size && (is_letter(line[*at]) || is_digit(line[*at])); ++*at) {
    }
    return start;
}

/* Both names of a pragma that makes two symbols one. */
static void read_pragma(lexer *x, const char *line, size_t size) {
    cc_tokens *t = x->t;
    size_t at = 0, start = word_at(line, size, &at), k;
    if (at - start != 6 || memcmp(line + start, "pragma", 6) != 0) return;
    start = word_at(line, size, &at);
    if (!(at - start == 4 && memcmp(line + start, "weak", 4) == 0) &&
        !(at - start == 16 && memcmp(line + start, "redefine_extname", 16) == 0)) return;
    for (k = 0; k < 2; k++) {
        start = word_at(line, size, &at);
        if (at == start) return;
        t->renamed = (cc_pragma_name *)tool_grow(t->renamed, (t->renamed_count + 1) *
                                                                 sizeof *t->renamed);
        t->renamed[t->renamed_count].at = (uint32_t)(line + start - x->text);
        t->renamed[t->renamed_count++].size = (uint32_t)(at - start);
    }
}

/* From the # to the end of the line; the line's end itself stays. */
static void skip_directive(lexer *x) {
    size_t end = x->at;
    while (end < x->size && x->text[end] != '\n') {
        if (x->text[end] == '\\' && end + 1 < x->size && x->text[end + 1] == '\n') {
            newline(x);
            end++;
        }
        end++;
    }
    read_marker(x, x->text + x->at, end - x->at);
    read_pragma(x, x->text + x->at, end - x->at);
    x->at = end;
}

/* ---- tokens ---- */

static void take(lexer *x, cc_kind kind, size_t size) {
    add(x, kind, size);
    x->at += size;
}

static int take_quoted(lexer *x, size_t prefix) {
    char quote = peek(x, prefix);
    size_t i = prefix + 1;
    for (;; i++) {
        char c = peek(x, i);
        if (c == '\n' || x->at + i >= x->size) return refuse(x, "a quote has no end");
        if (c == quote) break;
        if (c == '\\' && peek(x, i + 1) != '\n') i++;
    }
    take(x, quote == '"' ? CC_STRING : CC_CHARACTER, i + 1);
    return 0;
}

static void take_number(lexer *x) {
    size_t i = 1;
    for (;; i++) {
        char c = peek(x, i), before = peek(x, i - 1);
        int exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
        if (is_digit(c) || is_letter(c) || c == '.') continue;
        if ((c == '+' || c == '-') && exponent) continue;
        if (c == '\'' && (is_digit(peek(x, i + 1)) || is_letter(peek(x, i + 1))))
            continue;                               /* 1'000 of newer C */
        break;
    }
    take(x, CC_NUMBER, i);
}

/* gcc's preprocessor writes a letter that is not of ASCII as \U000000f6. */
static size_t universal_size(const lexer *x, size_t at) {
    size_t digits = peek(x, at + 1) == 'u' ? 4 : peek(x, at + 1) == 'U' ? 8 : 0, i;
    if (peek(x, at) != '\\' || !digits) return 0;
    for (i = 0; i < digits; i++) {
        char c = peek(x, at + 2 + i);
        if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return 0;
    }
    return 2 + digits;
}

static int take_word(lexer *x) {
    size_t size = universal_size(x, 0), more;
    cc_token *token;
    if (!size) size = 1;
    for (;; size += more) {
        more = universal_size(x, size);
        if (!more) more = is_letter(peek(x, size)) || is_digit(peek(x, size));
        if (!more) break;
    }
    if (size <= 2 && (peek(x, size) == '"' || peek(x, size) == '\'')) {
        const char *word = x->text + x->at;
        if (word[0] == 'L' || word[0] == 'u' || word[0] == 'U') return take_quoted(x, size);
    }
    token = add(x, CC_NAME, size);
    token->word = keyword_of(x->text + x->at, size);
    x->at += size;
    return 0;
}

static int open_bracket(lexer *x) {
    TOOL_ROOM(uint32_t, x->open, x->open_count, x->open_room);
    x->open[x->open_count++] = x->t->count - 1;
    return 0;
}

static int close_bracket(lexer *x, uint32_t word) {
    cc_token *list = x->t->list;
    uint32_t opener, self = x->t->count - 1;
    if (x->open_count == 0) return refuse(x, "a bracket closes that nothing has opened");
    opener = x->open[--x->open_count];
    if (list[opener].word != (word == ')' ? '(' : word == ']' ? '[' : '{')) {
        return refuse(x, "brackets of different kinds match");
    }
    list[opener].match = self;
    list[self].match = opener;
    return 0;
}

/* Characters that an operator of two or three characters begins with. */
static int may_be_longer(char c) {
    return c != '(' && c != ')' && c != ';' && c != ',' && c != '[' && c != ']' && c != '{' &&
           c != '}' && c != '?' && c != '~';
}

static int take_operator(lexer *x) {
    static const char *const longest[] = {"...", "<<=", ">>="};
    static const char *const two[] = {"&&", "||", "==", "!=", "<=", ">=", "->", "++", "--", "+=",
                                      "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>"};
    const char *at = x->text + x->at;
    size_t left = x->size - x->at, i, size = 1;
    uint32_t word = (unsigned char)at[0];
    cc_token *token;
    if (!may_be_longer(at[0])) left = 1;
    for (i = 0; i < sizeof two / sizeof *two && left > 1; i++) {
        if (at[0] == two[i][0] && at[1] == two[i][1]) size = 2;
    }
    for (i = 0; i < sizeof longest / sizeof *longest && left > 2; i++) {
        if (memcmp(at, longest[i], 3) == 0) size = 3;
    }
    if (size == 2) word = CC_OP2(at[0], at[1]);
    if (size == 3) word = CC_OP3(at[0], at[1], at[2]);
    if (size == 1 && left > 1) {          /* digraphs */
        char c = at[0], d = at[1];
        uint32_t digraph = c == '<' && d == '%' ? '{' : c == '%' && d == '>' ? '}'
                           : c == '<' && d == ':' ? '[' : c == ':' && d == '>' ? ']' : 0;
        if (digraph) {
            word = digraph;
            size = 2;
        }
    }
    token = add(x, CC_OPERATOR, size);
    token->word = word;
    x->at += size;
    if (word == '(' || word == '[' || word == '{') return open_bracket(x);
    if (word == ')' || word == ']' || word == '}') return close_bracket(x, word);
    return 0;
}

static int skip_comment(lexer *x) {
    if (peek(x, 1) == '/') {
        while (x->at < x->size && x->text[x->at] != '\n') x->at++;
        return 0;
    }
    x->at += 2;
    while (x->at < x->size && !(peek(x, 0) == '*' && peek(x, 1) == '/')) {
        if (x->text[x->at] == '\n') newline(x);
        x->at++;
    }
    if (x->at >= x->size) return refuse(x, "a comment has no end");
    x->at += 2;
    return 0;
}

static int take_next(lexer *x) {
    char c = x->text[x->at], next = peek(x, 1);
    if (c == '\n') {
        newline(x);
        x->at++;
        return 0;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
        x->at++;
        return 0;
    }
    if (c == '\\' && next == '\n') {
        newline(x);
        x->at += 2;
        return 0;
    }
    if (c == '/' && (next == '/' || next == '*')) return skip_comment(x);
    if (c == '#' && x->line_begins) {
        skip_directive(x);
        return 0;
    }
    x->line_begins = 0;
    if (is_letter(c) || universal_size(x, 0)) return take_word(x);
    if (c == '"' || c == '\'') return take_quoted(x, 0);
    if (is_digit(c) || (c == '.' && is_digit(next))) {
        take_number(x);
        return 0;
    }
    if (c == 0) return refuse(x, "a zero byte stands in the text");
    return take_operator(x);
}

int cc_tokenize(cc_tokens *t, const char *source, size_t size) {
    lexer x;
    int failed = 0;
    memset(t, 0, sizeof *t);
    memset(&x, 0, sizeof x);
    t->text = source;
    t->size = size;
    x.t = t;
    x.text = source;
    x.size = size;
    x.line = x.text_line = 1;
    x.line_begins = 1;
    x.file = file_number(&x, "", 0, 0);
    if (!filled) {
        fill(keywords, sizeof keywords / sizeof *keywords);
        fill(reserved, sizeof reserved / sizeof *reserved);
        filled = 1;
    }
    if (size > UINT32_MAX / 2) failed = refuse(&x, "the text is larger than 2 GB");
    while (!failed && x.at < size) failed = take_next(&x);
    if (!failed && x.open_count > 0) failed = refuse(&x, "a bracket is not closed");
    add(&x, CC_END, 0);
    t->count--;
    free(x.open);
    return failed;
}

void cc_tokens_free(cc_tokens *t) {
    uint32_t i;
    for (i = 0; i < t->file_count; i++) free(t->files[i].name);
    free(t->files);
    free(t->renamed);
    free(t->list);
    memset(t, 0, sizeof *t);
}

void cc_spell(const cc_tokens *t, uint32_t i, text *out) {
    const char *at = t->text + t->list[i].at, *end = at + t->list[i].size;
    while (at < end) {
        char digits[9] = "", utf8[4];
        size_t n = *at != '\\' || end - at < 6 ? 0 : at[1] == 'u' ? 4 : 8;
        unsigned long code;
        if (n == 0 || (size_t)(end - at) < 2 + n) {
            text_bytes(out, at++, 1);
            continue;
        }
        memcpy(digits, at + 2, n);
        code = strtoul(digits, NULL, 16);
        at += 2 + n;
        if (code < 0x800) {
            utf8[0] = (char)(0xC0 | code >> 6);
            n = 1;
        } else if (code < 0x10000) {
            utf8[0] = (char)(0xE0 | code >> 12);
            n = 2;
        } else {
            utf8[0] = (char)(0xF0 | (code >> 18 & 7));
            n = 3;
        }
        text_bytes(out, utf8, 1);
        while (n-- > 0) {
            utf8[0] = (char)(0x80 | (code >> 6 * n & 0x3F));
            text_bytes(out, utf8, 1);
        }
    }
}

int cc_begins(const cc_tokens *t, uint32_t i, const char *word) {
    const cc_token *token = &t->list[i];
    size_t size = strlen(word);
    return token->size >= size && memcmp(t->text + token->at, word, size) == 0;
}

int cc_spells_all(const cc_tokens *t, uint32_t i, const char *word) {
    const cc_token *token = &t->list[i];
    const char *own = t->text + token->at;
    return strncmp(own, word, token->size) == 0 && !word[token->size];
}

int cc_same_file(const cc_tokens *t, uint32_t a, uint32_t b) {
    uint16_t one = t->list[a].file, two = t->list[b].file;
    return one == two || strcmp(t->files[one].name, t->files[two].name) == 0;
}
