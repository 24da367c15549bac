/* json.c - pieces of JSON. */
#include "base/json.h"
#include <float.h>

void json_count(text *out, uint64_t count) {
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    text_number(out, count < most ? count : most);
}

void json_real(text *out, double number) {
    if (number >= -DBL_MAX && number <= DBL_MAX) text_real(out, number);
    else text_add(out, "null");
}

void json_name(text *out, size_t *fields, const char *name) {
    text_format(out, "%s\"%s\":", *fields ? "," : "", name);
    ++*fields;
}

void json_field(text *out, size_t *fields, const char *name, uint64_t count) {
    json_name(out, fields, name);
    json_count(out, count);
}

void json_field_real(text *out, size_t *fields, const char *name, double number) {
    json_name(out, fields, name);
    json_real(out, number);
}

void json_field_string(text *out, size_t *fields, const char *name, const char *string) {
    json_name(out, fields, name);
    text_json(out, string);
}

void json_plain(text *out, const char *string) {
    text plain = {NULL, 0, 0};
    text_plain(&plain, string);
    text_bytes(&plain, "", 1);
    text_json(out, plain.data);
    text_free(&plain);
}

void json_comma(text *out, size_t item) { text_add(out, item ? ",\n" : "\n"); }

#define LIST(put) \
    size_t i; \
    for (i = 0; i < count; i++) { \
        text_add(out, i ? "," : "["); \
        put(out, list[i]); \
    } \
    text_add(out, count ? "]" : "[]")

void json_list32(text *out, const uint32_t *list, size_t count) { LIST(text_number); }
void json_list64(text *out, const uint64_t *list, size_t count) { LIST(json_count); }
void json_list_real(text *out, const double *list, size_t count) { LIST(json_real); }
void json_list_strings(text *out, char *const *list, size_t count) { LIST(text_json); }
