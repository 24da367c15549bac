/* pprof.c - whole stacks as pprof's profile.proto, which `go tool pprof`,
   Parca, Pyroscope and Grafana read. It is written without compression, which
   all of them take.

   A sample is a stack, innermost function first, with one value for each type
   of sample:

       samples/count, cpu/nanoseconds            of the tree of ticks, by thread
       calls/count, calls_at_most/count          of trees of contexts

   A stack of one tree has zeros for the others. Functions of one name have
   their place beside it, for pprof adds up by names. */
#include "base/hash.h"
#include "base/tool.h"
#include "report/write/stacks.h"
#include <stdlib.h>
#include <string.h>

/* Fields of messages, by the numbers of profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_COMMENT = 13,
    PROFILE_DEFAULT = 14
};
enum { TICKS, NANOSECONDS, CALLS, CALLS_MOST, VALUES };

typedef struct strings {
    char **at; /* string i + 1 of the profile; 0 is the empty one */
    size_t count, room;
    hash_table places;
} strings;

/* ---- fields ------------------------------------------------------------------------------- */

static void put_varint(text *out, uint64_t number) {
    unsigned char byte;
    for (; number > 127; number >>= 7) {
        byte = (unsigned char)((number & 127) | 128);
        text_bytes(out, &byte, 1);
    }
    byte = (unsigned char)number;
    text_bytes(out, &byte, 1);
}

static void put_number(text *out, unsigned field, uint64_t number) {
    if (!number) return;
    put_varint(out, field << 3);
    put_varint(out, number);
}

static void put_bytes(text *out, unsigned field, const void *bytes, size_t size) {
    put_varint(out, field << 3 | 2);
    put_varint(out, size);
    text_bytes(out, bytes, size);
}

/* The message becomes empty. */
static void put_message(text *out, unsigned field, text *message) {
    put_bytes(out, field, message->data, message->size);
    message->size = 0;
}

static int is_string(const void *owner, uint32_t number, const void *key) {
    return strcmp(((const strings *)owner)->at[number - 1], (const char *)key) == 0;
}

static uint64_t string_number(strings *s, const char *string) {
    uint32_t *place;
    if (!*string) return 0;
    place = hash_place(&s->places, hash_string(string), is_string, s, string);
    if (*place) return *place;
    TOOL_ROOM(char *, s->at, s->count, s->room);
    s->at[s->count++] = text_clean(string, strlen(string));
    *place = (uint32_t)s->count;
    return *place;
}

/* What is shown must obey no terminal. */
static uint64_t plain_number(strings *s, const char *string) {
    text plain = {NULL, 0, 0};
    uint64_t number;
    text_plain(&plain, string);
    text_bytes(&plain, "", 1);
    number = string_number(s, plain.data);
    text_free(&plain);
    return number;
}

static void put_type(text *out, unsigned field, strings *s, const char *type, const char *unit) {
    text message = {NULL, 0, 0};
    put_number(&message, 1, string_number(s, type));
    put_number(&message, 2, string_number(s, unit));
    put_message(out, field, &message);
    text_free(&message);
}

/* ---- samples ------------------------------------------------------------------------------ */

/* Numbers are signed there. */
static uint64_t clamp(uint64_t number) {
    return number < (UINT64_C(1) << 63) ? number : (UINT64_C(1) << 63) - 1;
}

typedef struct profile {
    strings strings;
    int has[VALUES];
    uint64_t functions; /* of the trees before this one: numbers go on */
    text message, locations, values;
} profile;

static void add_sample(text *out, profile *p, const report_tree *tree, uint32_t node,
                       const uint64_t values[VALUES], const char *thread) {
    size_t i;
    for (; node; node = tree->parent[node])
        put_varint(&p->locations, p->functions + tree->name[node] + 1);
    for (i = 0; i < VALUES; i++)
        if (p->has[i]) put_varint(&p->values, clamp(values[i]));
    put_message(&p->message, 1, &p->locations);
    put_message(&p->message, 2, &p->values);
    if (thread && *thread) {
        put_number(&p->locations, 1, string_number(&p->strings, "thread"));
        put_number(&p->locations, 2, plain_number(&p->strings, thread));
        put_message(&p->message, 3, &p->locations);
    }
    put_message(out, PROFILE_SAMPLE, &p->message);
}

static int is_of_ticks(const report_tree *tree) { return strcmp(tree->unit, "ticks") == 0; }

static void add_samples(const report *r, text *out, profile *p, const report_tree *tree) {
    size_t i;
    for (i = 0; tree->samples && i < tree->sample_count; i++) {
        const report_sample *s = &tree->samples[i];
        uint64_t values[VALUES] = {0, 0, 0, 0};
        values[TICKS] = s->count;
        values[NANOSECONDS] = tool_product(tool_product(s->count, tree->period_us), 1000);
        add_sample(out, p, tree, s->node, values, tree->threads[s->thread]);
        save_some(r->out, out);
    }
    for (i = 1; !tree->samples && i < tree->count; i++) {
        uint64_t values[VALUES] = {0, 0, 0, 0};
        if (!tree->lower[i]) continue;
        values[CALLS] = tree->lower[i];
        values[CALLS_MOST] = tree->upper[i];
        add_sample(out, p, tree, (uint32_t)i, values, NULL);
        save_some(r->out, out);
    }
}

/* Each function is one location: dumps know functions, not addresses. */
static void add_functions(text *out, profile *p, const report_tree *tree) {
    char **names = stacks_names(tree);
    size_t i;
    for (i = 0; i < tree->name_count; i++) {
        uint64_t number = p->functions + i + 1;
        const char *file = tree->file ? tree->file[i] : "";
        put_number(&p->locations, 1, number); /* of Line: function, line */
        put_number(&p->locations, 2, tree->line ? tree->line[i] : 0);
        put_number(&p->message, 1, number);
        put_message(&p->message, 4, &p->locations);
        put_message(out, PROFILE_LOCATION, &p->message);
        put_number(&p->message, 1, number);
        put_number(&p->message, 2,
                   plain_number(&p->strings, *names[i] ? names[i] : "(no name)"));
        put_number(&p->message, 3, plain_number(&p->strings, tree->names[i]));
        put_number(&p->message, 4, plain_number(&p->strings, file));
        put_number(&p->message, 5, tree->line ? tree->line[i] : 0);
        put_message(out, PROFILE_FUNCTION, &p->message);
    }
    stacks_free_names(tree, names);
}

static void put_strings(const report *r, text *out, const strings *s) {
    size_t i;
    put_bytes(out, PROFILE_STRING, "", 0);
    for (i = 0; i < s->count; i++) {
        put_bytes(out, PROFILE_STRING, s->at[i], strlen(s->at[i]));
        save_some(r->out, out);
    }
}

static void write_pprof(const report *r, text *out) {
    static const char *const types[VALUES][2] = {
        {"samples", "count"}, {"cpu", "nanoseconds"}, {"calls", "count"}, {"calls_at_most", "count"}};
    stacks s = stacks_of(r, NULL);
    profile p;
    uint64_t period = 0;
    size_t i;
    memset(&p, 0, sizeof p);
    for (i = 0; i < s.count; i++) {
        if (is_of_ticks(s.trees[i])) p.has[TICKS] = 1;
        else p.has[CALLS] = p.has[CALLS_MOST] = 1;
        if (s.trees[i]->period_us) period = s.trees[i]->period_us;
    }
    p.has[NANOSECONDS] = period != 0;
    for (i = 0; i < VALUES; i++)
        if (p.has[i])
            put_type(out, PROFILE_SAMPLE_TYPE, &p.strings, types[i][0], types[i][1]);
    for (i = 0; i < s.count; i++) {
        add_samples(r, out, &p, s.trees[i]);
        add_functions(out, &p, s.trees[i]);
        p.functions += s.trees[i]->name_count;
    }
    if (period) {
        put_type(out, PROFILE_PERIOD_TYPE, &p.strings, "cpu", "nanoseconds");
        put_number(out, PROFILE_PERIOD, tool_product(period, 1000));
    }
    put_number(out, PROFILE_COMMENT, string_number(&p.strings, "made by bursty " TOOL_VERSION));
    put_number(out, PROFILE_DEFAULT,
               string_number(&p.strings, p.has[NANOSECONDS] ? "cpu" : p.has[TICKS] ? "samples" : "calls"));
    put_strings(r, out, &p.strings);
    for (i = 0; i < p.strings.count; i++) free(p.strings.at[i]);
    free(p.strings.at);
    hash_free(&p.strings.places);
    text_free(&p.message);
    text_free(&p.locations);
    text_free(&p.values);
    stacks_free(&s);
}

static int refuse(const report *r) {
    stacks s = stacks_of(r, NULL);
    int status = stacks_refuse(r, &s, "pprof", 2);
    stacks_free(&s);
    return status;
}

const report_writer writer_pprof = {
    "pprof",
    "whole stacks for `go tool pprof`, Parca, Pyroscope (profile.proto)",
    REPORT_USES_NAMES | REPORT_USES_WHOLE,
    1,
    write_pprof,
    stacks_are_there,
    refuse,
};
