/* json.h - pieces of JSON: numbers that every reader can keep, fields, columns.
   Strings: text_json. */
#ifndef JSON_H
#define JSON_H
#include "base/text.h"

/* At most 2^53 - 1: readers keep numbers in doubles, which cannot tell larger
   ones apart. */
void json_count(text *out, uint64_t count);
/* JSON has no infinity and no "not a number": these become null. */
void json_real(text *out, double number);
/* "name":, and before it a comma unless it is the first: *fields counts
   them. */
void json_name(text *out, size_t *fields, const char *name);
void json_field(text *out, size_t *fields, const char *name, uint64_t count);
void json_field_real(text *out, size_t *fields, const char *name, double number);
void json_field_string(text *out, size_t *fields, const char *name, const char *string);
/* A string without what a terminal would obey (text_plain). */
void json_plain(text *out, const char *string);
/* Before item number `item` of a list whose items have a line each. */
void json_comma(text *out, size_t item);
void json_list32(text *out, const uint32_t *list, size_t count);
void json_list64(text *out, const uint64_t *list, size_t count);
void json_list_real(text *out, const double *list, size_t count);
void json_list_strings(text *out, char *const *list, size_t count);
#endif
