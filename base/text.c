/* text.c - growing output, escapes, UTF-8. */
#include "base/text.h"
#include "base/tool.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void text_bytes(text *t, const void *data, size_t size) {
    if (size > t->room - t->size) {
        size_t room = t->room ? t->room : 64;
        while (size > room - t->size) room *= 2;
        t->data = (char *)tool_grow(t->data, room);
        t->room = room;
    }
    if (size) memcpy(t->data + t->size, data, size);
    t->size += size;
}

char *text_take(text *t) {
    char *string;
    text_bytes(t, "", 1);
    string = (char *)tool_grow(t->data, t->size);
    memset(t, 0, sizeof *t);
    return string;
}

void text_add(text *t, const char *words) { text_bytes(t, words, strlen(words)); }

/* printf's width for 64 bits is not the same everywhere. */
void text_number(text *t, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    text_bytes(t, digits + at, sizeof digits - at);
}

void text_count(text *t, uint64_t number) {
    char digits[26];
    size_t at = sizeof digits, written = 0;
    do {
        if (written && written % 3 == 0) digits[--at] = ' ';
        digits[--at] = (char)('0' + number % 10);
        written++;
    } while (number /= 10);
    text_bytes(t, digits + at, sizeof digits - at);
}

/* Large counts keep all digits before the point, so that all forms of a report
   have one number. */
void text_real(text *t, double number) {
    text_format(t, number < 1e9 || number > 9007199254740992.0 ? "%.9g" : "%.0f", number);
}

void text_counted(text *t, uint64_t number, const char *noun) {
    size_t size = strlen(noun);
    text_number(t, number);
    text_add(t, " ");
    text_add(t, noun);
    if (number != 1) text_add(t, size && noun[size - 1] == 's' ? "es" : "s");
}

void text_format(text *t, const char *format, ...) {
    char line[512];
    int length;
    va_list arguments;
    va_start(arguments, format);
    length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0)
        text_bytes(t, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void text_pad(text *t, size_t from, size_t width, int right) {
    size_t columns = 0, more, i, size;
    for (i = from; i < t->size; i++) columns += ((unsigned char)t->data[i] & 0xC0) != 0x80;
    more = columns < width ? width - columns : 0;
    size = t->size - from;
    for (i = 0; i < more; i++) text_bytes(t, " ", 1);
    if (right && more) {
        memmove(t->data + from + more, t->data + from, size);
        memset(t->data + from, ' ', more);
    }
}

int text_write(void *t, const void *data, size_t size) {
    text_bytes((text *)t, data, size);
    return 0;
}

void text_free(text *t) {
    free(t->data);
    memset(t, 0, sizeof *t);
}

/* ---- escapes ---------------------------------------------------------------------------- */

/* Bytes of a character that is not shown but does something to what is: C0,
   DEL, C1, marks that turn the direction of writing, ends of lines and the mark
   of the byte order. 0: it is none of them. */
static size_t control_size(const unsigned char *at, uint32_t *code) {
    *code = at[0];
    if (at[0] < 0x20 || at[0] == 0x7F) return 1;
    if (at[0] < 0x80 || !at[1]) return 0;
    *code = (at[0] & 0x1Fu) << 6 | (at[1] & 0x3Fu);
    if (at[0] == 0xC2 && *code < 0xA0) return 2;
    if (*code == 0x61C && at[0] == 0xD8) return 2;
    if ((at[0] & 0xF0) != 0xE0 || !at[2]) return 0;
    *code = (at[0] & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
    if (*code == 0x200E || *code == 0x200F || *code == 0xFEFF) return 3;
    return (*code >= 0x2028 && *code <= 0x202E) || (*code >= 0x2066 && *code <= 0x2069) ? 3 : 0;
}

void text_json(text *t, const char *name) {
    const unsigned char *at = (const unsigned char *)name;
    text_add(t, "\"");
    for (; *at; at++) {
        uint32_t code;
        size_t size = control_size(at, &code);
        if (*at == '"' || *at == '\\') {
            text_add(t, "\\");
            text_bytes(t, at, 1);
        } else if (size || *at == '<' || *at == '>' || *at == '&') {
            text_format(t, "\\u%04lx", (unsigned long)code);
            at += size ? size - 1 : 0;
        } else
            text_bytes(t, at, 1);
    }
    text_add(t, "\"");
}

/* "\x1b" or "\u202e" for such a character, of which *at becomes the last byte.
   0: it is none. */
static int add_escape(text *t, const unsigned char **at) {
    uint32_t code;
    size_t size = control_size(*at, &code);
    if (!size) return 0;
    text_format(t, size == 1 ? "\\x%02lx" : "\\u%04lx", (unsigned long)code);
    *at += size - 1;
    return 1;
}

void text_html(text *t, const char *name) {
    const unsigned char *at = (const unsigned char *)name;
    for (; *at; at++) {
        if (*at == '&') text_add(t, "&amp;");
        else if (*at == '<') text_add(t, "&lt;");
        else if (*at == '>') text_add(t, "&gt;");
        else if (*at == '"')
            text_add(t, "&quot;");
        else if (*at == '\'') text_add(t, "&#39;");
        else if (add_escape(t, &at)) continue;
        else text_bytes(t, at, 1);
    }
}

void text_plain(text *t, const char *name) {
    const unsigned char *at = (const unsigned char *)name;
    for (; *at; at++) {
        if (!add_escape(t, &at)) text_bytes(t, at, 1);
    }
}

void text_shell(text *out, const char *word) {
    text plain = {NULL, 0, 0};
    size_t i;
    text_plain(&plain, word);
    text_bytes(&plain, "", 1);
    if (*plain.data && !plain.data[strspn(plain.data, "abcdefghijklmnopqrstuvwxyz0123456789_-.,:+/@%"
                                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ")]) {
        text_add(out, plain.data);
    } else {
        text_add(out, "'");
        for (i = 0; i + 1 < plain.size; i++) {
            if (plain.data[i] == '\'') text_add(out, "'\\''");
            else text_bytes(out, plain.data + i, 1);
        }
        text_add(out, "'");
    }
    text_free(&plain);
}

void text_csv(text *out, const char *field) {
    text plain = {NULL, 0, 0};
    size_t i;
    if (strchr("=+-@", *field) && *field && field[1]) text_add(&plain, "'");
    text_plain(&plain, field);
    text_bytes(&plain, "", 1);
    if (!strpbrk(plain.data, ",\"")) {
        text_add(out, plain.data);
    } else {
        text_add(out, "\"");
        for (i = 0; i + 1 < plain.size; i++) {
            if (plain.data[i] == '"') text_add(out, "\"");
            text_bytes(out, plain.data + i, 1);
        }
        text_add(out, "\"");
    }
    text_free(&plain);
}

/* Both ends tell C++ names apart: namespace and class, function and
   arguments. */
void text_short(text *t, const char *name, size_t most) {
    const unsigned char *at = (const unsigned char *)name, *end = at + strlen(name), *head = at,
                        *tail = end;
    size_t characters = 0, i, kept = most - 3;
    for (; at < end; at++) characters += (*at & 0xC0) != 0x80;
    if (characters <= most) {
        text_add(t, name);
        return;
    }
    for (i = 0; i < kept / 2; i++) {
        do head++;
        while ((*head & 0xC0) == 0x80);
    }
    for (i = 0; i < kept - kept / 2; i++) {
        do tail--;
        while ((*tail & 0xC0) == 0x80);
    }
    text_bytes(t, name, (size_t)(head - (const unsigned char *)name));
    text_add(t, "...");
    text_bytes(t, tail, (size_t)(end - tail));
}

void text_plain_short(text *t, const char *name, size_t most) {
    text plain = {NULL, 0, 0};
    text_plain(&plain, name);
    text_bytes(&plain, "", 1);
    text_short(t, plain.data, most);
    text_free(&plain);
}

void text_frame(text *t, const char *name) {
    size_t start = t->size, i;
    text_plain(t, *name ? name : "(no name)");
    for (i = start; i < t->size; i++) if (t->data[i] == ';') t->data[i] = ':';
}

/* ---- UTF-8 ------------------------------------------------------------------------------ */

/* Length of the character at the front, 0 if there is none: too long a form, a
   surrogate or above U+10FFFF. */
static size_t utf8_length(const unsigned char *at, size_t left) {
    uint32_t code;
    size_t length, i;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (at[0] == 0) return 0;
    if (at[0] < 0x80) return 1;
    if (at[0] >= 0xC2 && at[0] < 0xE0) {
        length = 2;
        code = at[0] & 0x1Fu;
    } else if (at[0] >= 0xE0 && at[0] < 0xF0) {
        length = 3;
        code = at[0] & 0x0Fu;
    } else if (at[0] >= 0xF0 && at[0] < 0xF5) {
        length = 4;
        code = at[0] & 0x07u;
    } else
        return 0;
    if (length > left) return 0;
    for (i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3Fu);
    }
    return code < least[length] || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF ? 0
                                                                                        : length;
}

char *text_clean(const void *bytes, size_t size) {
    const unsigned char *at = (const unsigned char *)bytes;
    text clean = {NULL, 0, 0};
    while (size) {
        size_t length = utf8_length(at, size);
        if (length) text_bytes(&clean, at, length);
        else {
            text_add(&clean, "\xEF\xBF\xBD");
            length = 1;
        }
        at += length;
        size -= length;
    }
    return text_take(&clean);
}

char *text_name(const void *bytes, size_t size) {
    enum { HALF = TEXT_NAME_MOST / 2 - 16 };
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t hash = UINT64_C(14695981039346656037);
    text name = {NULL, 0, 0};
    char *clean;
    size_t i;
    if (size <= TEXT_NAME_MOST) return text_clean(bytes, size);
    for (i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    text_bytes(&name, at, HALF);
    text_format(&name, "...%08lx%08lx...", (unsigned long)(hash >> 32),
                (unsigned long)(hash & 0xFFFFFFFFu));
    text_bytes(&name, at + size - HALF, HALF);
    clean = text_clean(name.data, name.size);
    text_free(&name);
    return clean;
}
