/* json.h - reads JSON that a program of our own has written: a tree of values, in place, kept until
   the program ends */
#ifndef DEMO_JSON_H
#define DEMO_JSON_H
#include <stdlib.h>
#include <string.h>

/* kind: '{' '[' '"' '0' (a number), 't', 'f', 'n'. The items of an object or a list are first,
   first->next, ... */
typedef struct json { struct json *first, *next; const char *name, *text; double number; char kind; } json;

static json *json_read(char **at);

static inline void json_space(char **at) { *at += strspn(*at, " \t\r\n"); }

/* A string is unescaped where it stands. \u below 0x80 only: our writer has UTF-8 for all
   others. */
static char *json_string(char **at) {
    char *from = *at + 1, *to = from, *text = from;
    for (; *from && *from != '"'; from++) {
        static const char escapes[] = "n\nt\tr\rb\bf\f";
        const char *known;
        if (*from != '\\') { *to++ = *from; continue; }
        if (*++from == 0) return NULL;
        known = strchr(escapes, *from);
        if (*from == 'u') {
            char digits[5] = { 0 };
            memcpy(digits, from + 1, strnlen(from + 1, 4));
            *to++ = (char)strtol(digits, NULL, 16);
            from += strlen(digits);
        } else *to++ = known ? known[1] : *from;
    }
    if (*from != '"') return NULL;
    *at = from + 1;
    *to = 0;
    return text;
}

static json *json_items(char **at, json *value) {
    json **end = &value->first;
    char close = value->kind == '{' ? '}' : ']';
    for (++*at, json_space(at); **at != close; ) {
        char *name = NULL;
        if (close == '}') {
            if (**at != '"' || (name = json_string(at)) == NULL) return NULL;
            json_space(at);
            if (*(*at)++ != ':') return NULL;
        }
        if ((*end = json_read(at)) == NULL) return NULL;
        (*end)->name = name;
        end = &(*end)->next;
        json_space(at);
        if (**at == ',') { ++*at; json_space(at); }
        else if (**at != close) return NULL;
    }
    ++*at;
    return value;
}

/* The value at *at, which moves behind it; NULL if it is broken. */
static json *json_read(char **at) {
    json *value = (json *)calloc(1, sizeof *value);
    char *start;
    json_space(at);
    if (!value) return NULL;
    start = *at;
    value->kind = *start;
    switch (*start) {
    case '{': case '[': return json_items(at, value);
    case '"': return (value->text = json_string(at)) != NULL ? value : NULL;
    case 't': case 'f': case 'n':
        *at += strspn(start, "truefalsn");
        return value;
    default:
        value->kind = '0';
        value->number = strtod(start, at);
        return *at > start ? value : NULL;
    }
}

/* The item of that name, NULL if there is none or no object. */
static json *json_get(const json *object, const char *name) {
    json *item = object ? object->first : NULL;
    while (item && !(item->name && strcmp(item->name, name) == 0)) item = item->next;
    return item;
}

static inline double json_number(const json *object, const char *name) {
    const json *item = json_get(object, name);
    return item ? item->number : 0;
}
#endif
