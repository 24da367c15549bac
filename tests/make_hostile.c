/* make_hostile.c - writes .brst files whose contents ask for more than their
   size: make_hostile FOLDER BYTES writes one file of about BYTES bytes for each
   shape, and prints their names. test_hostile.sh measures what the tool makes
   of them. A shape for a new kind: one function, one line in the list. */
#include "brst.inc"
#include <stdio.h>

enum { CHUNK = 60000 };

static char long_name[60001];

static void begin_sampled(brst *b, const char *program) {
    brst_begin(b, 1, CHUNK);
    brst_info(b, 1000, program, 1, 1, 0);
}

static void thread_and_tag(brst *b) { brst_thread(b, 0, 0, "", 1, 1, 1, 0); }

/* Every row is another pair of sites: 64 new ones, then all pairs of them, and
   so on. */
static void rows(brst *b, size_t bytes) {
    unsigned site = 0, i, k;
    char name[16];
    begin_sampled(b, "rows");
    thread_and_tag(b);
    while (b->size < bytes) {
        for (i = 0; i < 64; i++) {
            snprintf(name, sizeof name, "%x", site++ * 2654435761u);
            brst_number(b, 4);
            brst_site(b, name, "", 0, 1);
            brst_number(b, 0);
            brst_counts(b, 1, 256, 0);
        }
        for (i = 0; i < 64; i++) {
            for (k = 0; k < 64; k++) {
                BRST(b, 4, 2 + i, 2 + k);
                brst_counts(b, 1, 256, 0);
            }
        }
    }
    brst_end(b);
}

/* The same with names that are long, each written once and pointed at 4000
   times. */
static void long_names(brst *b, size_t bytes) {
    unsigned site = 0, i, k;
    begin_sampled(b, "names");
    thread_and_tag(b);
    while (b->size < bytes) {
        for (i = 0; i < 64; i++) {
            snprintf(long_name, 20, "%x", site++ * 2654435761u);
            long_name[strlen(long_name)] = 'W';
            long_name[4000] = 0;
            brst_number(b, 4);
            brst_site(b, long_name, "", 0, 1);
            brst_number(b, 0);
            brst_counts(b, 1, 256, 0);
            long_name[4000] = 'W';
        }
        for (i = 0; i < 64 && b->size < bytes; i++) {
            for (k = 0; k < 64; k++) {
                BRST(b, 4, 2 + i, 2 + k);
                brst_counts(b, 1, 256, 0);
            }
        }
    }
    brst_end(b);
}

/* A name as long as half the file, and rows that point at it. */
static void huge_name(brst *b, size_t bytes) {
    size_t i;
    unsigned site = 0;
    char name[16];
    begin_sampled(b, "huge");
    thread_and_tag(b);
    while (b->size < bytes) {
        brst_number(b, 4);
        brst_site(b, "a", "", 0, 1);
        BRST(b, 1, bytes / 2);
        for (i = 0; i < bytes / 2; i++) brst_byte(b, 'W');
        brst_string(b, "");
        BRST(b, 0, 1);
        brst_counts(b, 1, 256, 0);
        for (i = 0; i < 60; i++) {
            snprintf(name, sizeof name, "%x", site++);
            brst_number(b, 4);
            brst_site(b, name, "", 0, 1);
            brst_number(b, 3 + i);
            brst_counts(b, 1, 256, 0);
        }
    }
    brst_end(b);
}

static void sites(brst *b, size_t bytes) {
    unsigned site = 0;
    begin_sampled(b, "sites");
    thread_and_tag(b);
    while (b->size < bytes) {
        brst_number(b, 4);
        brst_site(b, "\xFF", "\xFF", site++, 1);
        brst_number(b, 0);
        brst_counts(b, 1, 256, 0);
    }
    brst_end(b);
}

/* Outermost scopes that ran equally long: nobody can tell one from another. */
static void equal_scopes(brst *b, size_t bytes) {
    unsigned number = 0, i;
    char name[16];
    begin_sampled(b, "scopes");
    BRST(b, 5, 10000);
    for (i = 0; i < 3; i++) brst_number(b, 0);
    thread_and_tag(b);
    while (b->size < bytes) {
        snprintf(name, sizeof name, "%x", number++);
        brst_number(b, 6);
        brst_site(b, name, "", 0, 257);
        brst_number(b, 0);
        brst_counts(b, 5, 0, 5);
    }
    brst_end(b);
}

/* None of them fills the table; all wait for a burst. */
static void profiles(brst *b, size_t bytes) {
    unsigned number = 0, i;
    begin_sampled(b, "profiles");
    while (b->size < bytes) {
        brst_number(b, 2);
        brst_number(b, number++);
        brst_number(b, number);
        for (i = 0; i < 6; i++) brst_number(b, 0);
    }
    brst_end(b);
}

static void threads(brst *b, size_t bytes) {
    unsigned number = 0;
    begin_sampled(b, "threads");
    while (b->size < bytes) brst_thread(b, number++, 0, "", 0, 0, 0, 0);
    brst_end(b);
}

static void programs(brst *b, size_t bytes) {
    unsigned number = 0;
    char name[16];
    while (b->size < bytes) {
        snprintf(name, sizeof name, "%u", number++);
        begin_sampled(b, name);
        brst_end(b);
    }
}

static void unknown_parts(brst *b, size_t bytes) {
    while (b->size < bytes) {
        brst_begin(b, 999, CHUNK);
        brst_end(b);
    }
}

/* ---- kind 2 ------------------------------------------------------------------------------- */

static void begin_tree(brst *b, uint64_t total, uint64_t monitored, uint64_t nodes) {
    const uint64_t fields[] = {1, 5, monitored, 100, 20, 100, 0, 0, total, 0, 0,    0,
                               0, 0, 0,         1,   0,  0,   0, 0, 0,     0, nodes};
    size_t i;
    brst_begin(b, 2, CHUNK);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
}

static void node(brst *b, unsigned climb, uint64_t key) {
    BRST(b, climb, key, 2, 1);
}

/* A chain of calls, each of a function with a name of 200 bytes. */
static void deep_tree(brst *b, size_t bytes) {
    size_t i, nodes = bytes / 4;
    begin_tree(b, nodes, nodes, nodes);
    brst_number(b, 1);
    brst_bytes(b, long_name, 200);
    brst_number(b, 0);
    for (i = 0; i < nodes; i++) node(b, 0, 1);
    brst_end(b);
}

static void wide_tree(brst *b, size_t bytes) {
    size_t i, nodes = bytes / 6;
    begin_tree(b, nodes, nodes, nodes);
    brst_number(b, 0);
    for (i = 0; i < nodes; i++) node(b, i > 0, i + 1);
    brst_end(b);
}

/* The number that makes 1 of an odd factor. */
static uint64_t inverse(uint64_t factor) {
    uint64_t found = factor;
    int i;
    for (i = 0; i < 6; i++) found *= 2 - factor * found;
    return found;
}

/* Siblings whose keys crowd in a table that takes bits 7 to 25 of a product
   with a well-known factor: only 35 values of these bits occur. */
static void alike_keys(brst *b, size_t bytes) {
    uint64_t back = inverse(2654435761u);
    size_t i, nodes = bytes / 8;
    begin_tree(b, nodes, nodes, nodes);
    brst_number(b, 0);
    for (i = 0; i < nodes; i++) {
        uint64_t wanted = (i & 63) << 26 | (i >> 13) << 7 | (i >> 6 & 127);
        node(b, i > 0, (uint32_t)((wanted | 1u << 25) * back));
    }
    brst_end(b);
}

/* A large tree, and then as many small ones as the other half of the file
   holds. */
static void many_trees(brst *b, size_t bytes) {
    wide_tree(b, bytes / 2);
    while (b->size < bytes) {
        begin_tree(b, 1, 1, 0);
        brst_number(b, 0);
        brst_end(b);
    }
}

static void tree_names(brst *b, size_t bytes) {
    uint64_t key = 1;
    begin_tree(b, 1, 1, 0);
    for (; b->size < bytes; key++) {
        brst_number(b, key);
        brst_string(b, "\xFF");
    }
    brst_number(b, 0);
    brst_end(b);
}

/* ---- kind 3 ------------------------------------------------------------------------------- */

/* Profiles of as many rows and columns as there may be, all of them empty, each
   with a name of its own. */
static void grids(brst *b, size_t bytes) {
    unsigned number = 0, i;
    char name[16];
    while (b->size < bytes) {
        const unsigned fields[] = {0, 0, 6, 1000000000, 10, 5, 0, 0, 0, 496, 496};
        snprintf(name, sizeof name, "%u", number++);
        brst_begin(b, 3, CHUNK);
        brst_string(b, name);
        for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
        for (i = 0; i < 496 * 6; i++) brst_byte(b, 0);
        brst_end(b);
    }
}

/* Windows of every length, so that every column has points to draw. */
static void full_grids(brst *b, size_t bytes) {
    unsigned number = 0, i;
    char name[16];
    while (b->size < bytes) {
        const uint64_t fields[] = {0, 0, 6, 1000000000, UINT64_MAX, 1000, 0, 0, 0, 8, 496};
        snprintf(name, sizeof name, "%u", number++);
        brst_begin(b, 3, CHUNK);
        brst_string(b, name);
        for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
        for (i = 0; i < 8; i++) brst_byte(b, 0);
        for (i = 0; i < 496; i++) {
            const unsigned column[] = {1, 1, 0, 7, 1, 1};
            unsigned k;
            for (k = 0; k < sizeof column / sizeof *column; k++) brst_number(b, column[k]);
        }
        brst_end(b);
    }
}

static void small_footprints(brst *b, size_t bytes) {
    unsigned number = 0, i;
    char name[16];
    while (b->size < bytes) {
        const unsigned fields[] = {0, 0, 6, 1000000000, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0};
        snprintf(name, sizeof name, "%u", number++);
        brst_begin(b, 3, CHUNK);
        brst_string(b, name);
        for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
        brst_end(b);
    }
}

/* ---- kind 4 ------------------------------------------------------------------------------- */

static void key(brst *b, uint64_t number) {
    int i;
    for (i = 0; i < 8; i++) brst_byte(b, (unsigned)(number >> 8 * i) & 255);
}

/* An entry and EXIT, an edge between them without a counter, and X with one. */
static void function(brst *b, uint64_t number, const char *file) {
    const unsigned fields[] = {64, 0, 0, 2, 1, 0, 1, 1, 1, 0, 0, 1};
    size_t i;
    brst_number(b, 1);
    key(b, number);
    brst_string(b, "f");
    brst_string(b, file);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
}

static void counts(brst *b, uint64_t number, unsigned slots) {
    brst_number(b, 2);
    key(b, number);
    BRST(b, 64, slots);
    while (slots--) brst_number(b, 1);
}

static void exits(brst *b, unsigned count) {
    unsigned i;
    brst_number(b, count);
    for (i = 0; i < count; i++) {
        BRST(b, i, 1, 0);
    }
}

static void begin_unmeasured(brst *b) {
    brst_begin(b, 4, CHUNK);
    function(b, 1, "a.c");
    counts(b, 1, 1);
    exits(b, 0);
    brst_end(b);
    brst_begin(b, 21, CHUNK);
    brst_number(b, 1);
}

/* Functions that are not measured, all of one file, with a line each; and one
   that has a line for each byte. */
static void unmeasured(brst *b, size_t bytes) {
    unsigned line = 0;
    begin_unmeasured(b);
    while (b->size < bytes) {
        brst_number(b, 1);
        brst_string(b, "a.c");
        brst_string(b, "f");
        brst_string(b, "");
        brst_number(b, 1);
        brst_number(b, ++line);
    }
    brst_end(b);
}

static void unmeasured_lines(brst *b, size_t bytes) {
    size_t i;
    begin_unmeasured(b);
    brst_number(b, 1);
    brst_string(b, "a.c");
    brst_string(b, "f");
    brst_string(b, "");
    brst_number(b, bytes);
    for (i = 0; i < bytes; i++) brst_number(b, 1);
    brst_end(b);
}

static void edge_functions(brst *b, size_t bytes) {
    uint64_t number = 0;
    brst_begin(b, 4, CHUNK);
    for (; b->size < bytes; number++) {
        function(b, number, "f.c");
        counts(b, number, 1);
        exits(b, 0);
    }
    brst_end(b);
}

static void edge_files(brst *b, size_t bytes) {
    uint64_t number = 0;
    char file[16];
    brst_begin(b, 4, CHUNK);
    counts(b, 1, 1);
    exits(b, 0);
    while (b->size < bytes) {
        snprintf(file, sizeof file, "%x", (unsigned)number++);
        function(b, 1, file);
    }
    brst_end(b);
}

/* Functions that share one record of counts, which has as many exits as there
   are functions. */
static void edge_exits(brst *b, size_t bytes) {
    uint64_t i;
    brst_begin(b, 4, CHUNK);
    counts(b, 1, 1);
    exits(b, (unsigned)(bytes / 10));
    for (i = 0; b->size < bytes; i++) {
        char file[16];
        snprintf(file, sizeof file, "%x", (unsigned)i);
        function(b, 1, file);
    }
    brst_end(b);
}

/* Records that are added up, of which one has many exits. */
static void edge_counts(brst *b, size_t bytes) {
    brst_begin(b, 4, CHUNK);
    counts(b, 1, 0);
    exits(b, (unsigned)(bytes / 10));
    while (b->size < bytes) {
        counts(b, 1, 0);
        exits(b, 1);
    }
    brst_end(b);
}

/* One source under as many names: the page shows its lines. */
static void edge_sources(brst *b, size_t bytes) {
    unsigned number = 0;
    brst_begin(b, 4, CHUNK);
    counts(b, 1, 1);
    exits(b, 0);
    while (b->size < bytes) {
        char file[80] = "tests/";
        unsigned i;
        for (i = 0; i < 16; i++) strcat(file, number >> i & 1 ? "./" : "/");
        strcat(file, "make_hostile.c");
        function(b, 1, file);
        number++;
    }
    brst_end(b);
}

/* ---- kind 6, with the kind 4 that it belongs to ------------------------------------------- */

/* Functions with one decision each: so many conditions, joined by &&, of which
   each has all of the text as its own. Every other run has a mark. */
static void decided(brst *b, size_t count, unsigned conditions, const char *words) {
    const unsigned slots = 2 * conditions;
    size_t i;
    unsigned k;
    brst_begin(b, 4, CHUNK);
    for (i = 0; i < count; i++) {
        const size_t fields[] = {8, slots * i, 0, 3, slots, 0, 0, 0, 0, 0};
        char name[20];
        snprintf(name, sizeof name, "%lx", (unsigned long)i);
        brst_number(b, 1);
        key(b, 1);
        brst_string(b, name);
        brst_string(b, "f.c");
        for (k = 0; k < sizeof fields / sizeof *fields; k++) brst_number(b, fields[k]);
        for (k = 0; k < slots; k++) {
            BRST(b, 1, 1);
        }
    }
    brst_number(b, 2);
    key(b, 1);
    BRST(b, 8, (conditions + 1) * count);
    for (i = 0; i < (conditions + 1) * count; i++) brst_number(b, i & 1);
    exits(b, 0);
    brst_end(b);
    brst_begin(b, 6, CHUNK);
    key(b, 1);
    brst_number(b, count);
    for (i = 0; i < count; i++) {
        const size_t fields[] = {slots, 1, 1, 0};
        for (k = 0; k < sizeof fields / sizeof *fields; k++) brst_number(b, fields[k]);
        brst_string(b, words);
        brst_number(b, conditions);
        for (k = 0; k < conditions; k++) {
            BRST(b, 0, strlen(words), k + 1 < conditions ? 4 : 2, 0, 0);
        }
    }
    brst_end(b);
}

static void decisions_small(brst *b, size_t bytes) { decided(b, bytes / 56, 2, "a"); }

static void decisions_wide(brst *b, size_t bytes) {
    decided(b, bytes / 720, 63, "a condition that has as many characters as the writer leaves it");
}

/* ---- kind 5 ------------------------------------------------------------------------------- */

static void begin_streams(brst *b, const char *title, uint64_t streams) {
    const uint64_t fields[] = {1, 1, 1024, 1000000, UINT64_MAX, 0, 0, 0, 0, 0, streams};
    size_t i;
    brst_begin(b, 5, CHUNK);
    brst_number(b, 1);
    brst_string(b, title);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
}

static void new_item(brst *b, uint64_t value, const char *name) {
    BRST(b, 0, value);
    brst_string(b, name);
    brst_number(b, 0);
}

static void stream_parts(brst *b, size_t bytes) {
    unsigned number = 0;
    char title[16];
    while (b->size < bytes) {
        snprintf(title, sizeof title, "%x", number++);
        begin_streams(b, title, 1);
        BRST(b, 1, 1);
        new_item(b, 1, "");
        brst_end(b);
    }
}

/* Different streams of three items each out of `sites` sites. */
static void triples(brst *b, size_t count, unsigned sites) {
    size_t i;
    for (i = 0; i < count; i++) {
        BRST(b, 3, 1, 1 + i % sites, 0, 1 + i / sites % sites, 64 * (i % 65536),
             1 + i / sites / sites % sites, 0);
    }
}

static void stream_items(brst *b, size_t bytes) {
    size_t count = bytes / 10;
    unsigned i;
    begin_streams(b, "items", count + 1);
    BRST(b, 127, 1);
    for (i = 0; i < 127; i++) new_item(b, i, "");
    triples(b, count, 127);
    brst_end(b);
}

/* The same with a long name on each site. */
static void stream_names(brst *b, size_t bytes) {
    size_t count = bytes / 20;
    unsigned i, sites = (unsigned)(bytes / 2 / 4000);
    if (sites > 15) sites = 15; /* as many in a small file as in a large one */
    begin_streams(b, "names", count + 1);
    BRST(b, sites, 1);
    long_name[4000] = 0;
    for (i = 0; i < sites; i++) {
        long_name[0] = (char)(' ' + i % 90);
        long_name[1] = (char)(' ' + i / 90);
        new_item(b, i, long_name);
    }
    memset(long_name, 'W', 4001);
    triples(b, count, sites);
    brst_end(b);
}

static void stream_sites(brst *b, size_t bytes) {
    size_t i, count = bytes / 11;
    begin_streams(b, "sites", count);
    for (i = 0; i < count; i++) {
        BRST(b, 1, 1);
        new_item(b, i + 100000, "\xFF");
    }
    brst_end(b);
}

static void stream_values(brst *b, size_t bytes) {
    size_t i, count = bytes / 9;
    begin_streams(b, "values", count);
    for (i = 0; i < count; i++) {
        BRST(b, 1, 1);
        new_item(b, i + 100000, "");
    }
    brst_end(b);
}

/* Sites without names, whose values crowd in a table that takes the low bits of
   h ^ h >> 29, where h is the product with a well-known factor. */
static void stream_alike(brst *b, size_t bytes) {
    uint64_t back = inverse(UINT64_C(0x9E3779B97F4A7C15));
    size_t i, count = bytes / 15;
    begin_streams(b, "alike", count);
    for (i = 0; i < count; i++) {
        uint64_t h = (uint64_t)(i + 1) << 32;
        h ^= h >> 29 ^ h >> 58;
        BRST(b, 1, 1);
        new_item(b, (h * back) ^ 2, "");
    }
    brst_end(b);
}

/* ---- kind 7 ------------------------------------------------------------------------------- */

static void ends(brst *b, size_t bytes) {
    unsigned number = 0;
    while (b->size < bytes) {
        brst_begin(b, 7, CHUNK);
        BRST(b, 1, 1);
        brst_number(b, number++);
        brst_string(b, "");
        brst_end(b);
    }
}

/* ---- kind 8 ------------------------------------------------------------------------------- */

static void zeros(brst *b, int count) {
    while (count--) brst_number(b, 0);
}

/* A part whose kinds are as many as it takes: the number in front is larger. */
static void begin_frames(brst *b, const char *program, unsigned kinds) {
    brst_begin(b, 8, CHUNK);
    brst_number(b, 1);
    brst_string(b, program);
    brst_number(b, 10000);
    zeros(b, 3);
    brst_number(b, kinds);
}

/* Up to the buckets: two classes of 1000 frames each. */
static void begin_kind(brst *b, const char *name) {
    int i;
    brst_string(b, name);
    zeros(b, 9);
    brst_number(b, 1);
    for (i = 0; i < 2; i++) {
        brst_number(b, 1000);
        zeros(b, 4);
    }
}

/* Kinds of a few bytes, in a program with a long name. */
static void frame_kinds(brst *b, size_t bytes) {
    unsigned kinds = (unsigned)(bytes / 36), i;
    char name[16];
    begin_frames(b, long_name, kinds);
    for (i = 0; i < kinds; i++) {
        snprintf(name, sizeof name, "%x", i * 2654435761u);
        begin_kind(b, name);
        brst_number(b, 1);
        zeros(b, 1);
        zeros(b, 3);
    }
    brst_end(b);
}

static void frame_buckets(brst *b, size_t bytes) {
    unsigned kinds = (unsigned)(bytes / 1200), i, k;
    char name[16];
    begin_frames(b, "", kinds);
    for (i = 0; i < kinds; i++) {
        snprintf(name, sizeof name, "%x", i * 2654435761u);
        begin_kind(b, name);
        for (k = 0; k < 528; k++) {
            BRST(b, 1, 0);
        }
        zeros(b, 3);
    }
    brst_end(b);
}

/* Functions that are told apart, all of one long name: from many kinds, each of
   them again. */
static void frame_functions(brst *b, size_t bytes) {
    unsigned kinds = (unsigned)(bytes / 800), i, k;
    char name[16];
    begin_frames(b, "", kinds + 1);
    for (i = 0; i <= kinds; i++) {
        snprintf(name, sizeof name, "%x", i * 2654435761u);
        begin_kind(b, name);
        zeros(b, 2);
        for (k = 0; k < 64; k++) {
            snprintf(long_name, 20, "%x", k * 2654435761u);
            long_name[strlen(long_name)] = 'W';
            long_name[4000] = 0;
            if (i == 0) brst_site(b, long_name, long_name, k, 1);
            else brst_number(b, 65); /* the one that was new 64 ago */
            long_name[4000] = 'W';
            BRST(b, 100, 10);
            zeros(b, 6);
        }
        zeros(b, 1);
    }
    brst_end(b);
}

/* Frames with deep stacks, all of them alike. */
static void frame_stacks(brst *b, size_t bytes) {
    unsigned frames = (unsigned)(bytes / 520), i, k, p;
    begin_frames(b, "", 1);
    begin_kind(b, "frame");
    zeros(b, 1);
    brst_number(b, frames);
    for (i = 0; i < frames; i++) {
        brst_number(b, 1);
        zeros(b, 4);
        brst_number(b, 4);
        for (p = 0; p < 4; p++) {
            BRST(b, 1, 127);
            for (k = 0; k < 127; k++) {
                if (i + p + k == 0) brst_site(b, "function", "", 1, 1);
                else brst_number(b, 2);
            }
        }
    }
    zeros(b, 1);
    brst_end(b);
}

/* ---- kind 13 ------------------------------------------------------------------------------ */

static void begin_misses(brst *b, const char *program, unsigned sizes) {
    unsigned i;
    brst_begin(b, 13, CHUNK);
    brst_number(b, 1);
    zeros(b, 1);
    brst_string(b, program);
    zeros(b, 2);
    BRST(b, 1000000, 9000000, 9000000);
    zeros(b, 3);
    brst_number(b, sizes);
    for (i = 0; i < sizes; i++) {
        brst_number(b, (i + 1) * 64);
        brst_string(b, "");
        brst_number(b, 1000000);
        zeros(b, 1);
        BRST(b, 1000, 100000000, 100000000);
    }
}

static void missed_sums(brst *b, unsigned sizes) {
    while (sizes--) {
        brst_number(b, 1);
        zeros(b, 1);
        BRST(b, 1, 1, 1);
    }
}

/* Pairs and their functions, all told apart. */
static void misses_pairs(brst *b, size_t bytes) {
    unsigned i, count = (unsigned)(bytes / 46);
    char name[16];
    begin_misses(b, "pairs", 1);
    for (i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%x", i * 2654435761u);
        brst_number(b, 1);
        brst_string(b, name);
        missed_sums(b, 1);
        brst_number(b, 3);
        brst_string(b, name);
        brst_string(b, name);
        missed_sums(b, 1);
    }
    brst_end(b);
}

/* As many sizes as there may be. */
static void misses_sizes(brst *b, size_t bytes) {
    unsigned i, count = (unsigned)(bytes / 90);
    char name[16];
    begin_misses(b, "sizes", 16);
    for (i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%x", i * 2654435761u);
        brst_number(b, 2);
        brst_string(b, name);
        missed_sums(b, 16);
    }
    brst_end(b);
}

/* Many parts of one program, and rows of no name. */
static void misses_parts(brst *b, size_t bytes) {
    while (b->size < bytes) {
        begin_misses(b, "", 1);
        brst_number(b, 4);
        zeros(b, 3);
        missed_sums(b, 1);
        brst_end(b);
    }
}

static void misses_programs(brst *b, size_t bytes) {
    unsigned number = 0;
    char name[16];
    while (b->size < bytes) {
        snprintf(name, sizeof name, "%x", number++ * 2654435761u);
        begin_misses(b, name, 2);
        brst_end(b);
    }
}

/* ---- kind 14 ------------------------------------------------------------------------------ */

static void begin_sharing_of(brst *b, const char *program, uint64_t accesses) {
    brst_begin(b, 14, CHUNK);
    brst_number(b, 1);
    zeros(b, 1);
    brst_string(b, program);
    zeros(b, 2);
    BRST(b, 100, 1000000, accesses, 90000000);
    zeros(b, 5);
}

static void begin_sharing(brst *b, const char *program) { begin_sharing_of(b, program, 90000000000u); }

static void shared_line(brst *b, unsigned sides) {
    BRST(b, 3, 1, 2, 100000, 100, 50, 10, 9, 100000, 100000, sides);
}

static void shared_side(brst *b, const char *object, unsigned thread, unsigned offset) {
    BRST(b, 1, thread);
    brst_string(b, "");
    brst_string(b, object);
    zeros(b, 1);
    BRST(b, offset, 1, 1);
    zeros(b, 1);
}

/* Lines of one object each, all told apart. */
static void sharing_lines(brst *b, size_t bytes) {
    unsigned i, count = (unsigned)(bytes / 48);
    char name[16];
    begin_sharing(b, "lines");
    for (i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%x", i * 2654435761u);
        shared_line(b, 2);
        shared_side(b, name, 1, 0);
        shared_side(b, name, 2, 8);
    }
    brst_end(b);
}

/* One line with very many objects. */
static void sharing_sides(brst *b, size_t bytes) {
    unsigned i, count = (unsigned)(bytes / 18);
    char name[16];
    begin_sharing(b, "sides");
    shared_line(b, count);
    for (i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%x", i * 2654435761u);
        shared_side(b, name, i, 0);
    }
    brst_end(b);
}

/* Many lines that are one. */
static void sharing_alike(brst *b, size_t bytes) {
    unsigned i, count = (unsigned)(bytes / 40);
    begin_sharing(b, "alike");
    for (i = 0; i < count; i++) {
        shared_line(b, 2);
        shared_side(b, "o", i, i);
        shared_side(b, "o", i + 1, i);
    }
    brst_end(b);
}

/* The same, and together they have more accesses than there are. */
static void sharing_over(brst *b, size_t bytes) {
    unsigned i, count = (unsigned)(bytes / 40);
    begin_sharing_of(b, "over", 100000);
    for (i = 0; i < count; i++) {
        shared_line(b, 1);
        shared_side(b, "o", 1, 0);
    }
    brst_end(b);
}

static void sharing_parts(brst *b, size_t bytes) {
    while (b->size < bytes) {
        begin_sharing(b, "");
        shared_line(b, 0);
        brst_end(b);
    }
}

/* ---- kind 18 ------------------------------------------------------------------------------ */

static void begin_lines(brst *b, const char *program, uint64_t period) {
    brst_begin(b, 18, CHUNK);
    brst_number(b, 1);
    brst_string(b, program);
    brst_number(b, period);
    zeros(b, 2);
}

/* Each line another one, within as many inlined functions as a byte can be. */
static void lines_apart(brst *b, size_t bytes) {
    unsigned number = 0;
    begin_lines(b, "apart", 1000);
    while (b->size < bytes) {
        brst_string(b, "f");
        brst_string(b, "a");
        brst_number(b, 1 + number++);
        brst_string(b, number % 2 ? "" : "g\t\t\t\t\t\t\t");
        BRST(b, 1, 1);
    }
    brst_end(b);
}

/* Rows of nothing but a tick. */
static void lines_small(brst *b, size_t bytes) {
    begin_lines(b, "small", 1000);
    while (b->size < bytes) {
        zeros(b, 4);
        BRST(b, 1, 1);
    }
    brst_end(b);
}

/* Many parts of one program, whose periods have no common divisor but 1. */
static void lines_parts(brst *b, size_t bytes) {
    unsigned number = 0;
    while (b->size < bytes) {
        begin_lines(b, "", UINT64_MAX - number++);
        brst_string(b, "f");
        brst_string(b, "a.c");
        brst_number(b, 1);
        brst_string(b, "");
        BRST(b, UINT64_MAX / 2, UINT64_MAX);
        brst_end(b);
    }
}

/* ---- kind 26 ------------------------------------------------------------------------------ */

static void begin_log(brst *b, unsigned version, unsigned period, unsigned threads,
                      unsigned paths) {
    unsigned i;
    brst_begin(b, 26, CHUNK);
    brst_number(b, version);
    brst_string(b, "timeline");
    zeros(b, 2);
    BRST(b, UINT64_MAX, period, 1, 0, threads);
    zeros(b, 2 * (size_t)threads);
    brst_number(b, 1);
    brst_string(b, "f");
    brst_string(b, "a.c");
    BRST(b, 1, paths);
    for (i = 0; i < paths; i++) {
        BRST(b, 0, i != 0);
    }
}

static void begin_timeline(brst *b, unsigned period, unsigned threads, unsigned paths) {
    begin_log(b, 1, period, threads, paths);
}

/* As many waits as fit, each as long as all of it, of many threads and paths. */
static void timeline_waits(brst *b, size_t bytes) {
    unsigned many = (unsigned)(bytes / 32), i;
    begin_log(b, 2, 1, many, many);
    zeros(b, 3);
    for (i = 0; b->size + 64 < bytes; i++) {
        BRST(b, 1 + i % many, 0, UINT64_MAX, i * 7 % (many + 1));
    }
    zeros(b, 5);                        /* no more waits; no frames */
    brst_end(b);
}

/* Slow frames of many kinds. */
static void timeline_frames(brst *b, size_t bytes) {
    unsigned many = (unsigned)(bytes / 32), i;
    begin_log(b, 2, 1, 1, 1);
    zeros(b, 4);
    brst_number(b, many);
    zeros(b, 2 * (size_t)many);
    zeros(b, 2);
    for (i = 0; b->size + 64 < bytes; i++) {
        brst_number(b, 1);
        zeros(b, 2);
        brst_number(b, i % many);
    }
    zeros(b, 1);
    brst_end(b);
}

/* Ticks of two bytes, but for the first. */
static void timeline_ticks(brst *b, size_t bytes) {
    begin_timeline(b, 1, 1, 1);
    BRST(b, UINT64_MAX / 2, 1, 0);
    while (b->size < bytes) zeros(b, 2);
    brst_end(b);
}

/* Each thread deep in one chain of paths. */
static void timeline_deep(brst *b, size_t bytes) {
    unsigned threads = (unsigned)(bytes / 12), i;
    begin_timeline(b, 1, threads, threads);
    for (i = 0; i < threads; i++) {
        BRST(b, 0, 2 * i + 1, threads - 1);
    }
    brst_end(b);
}

/* Many logs behind a long one, each with as much time. */
static void timeline_parts(brst *b, size_t bytes) {
    unsigned first = (unsigned)(bytes / 8), i;
    begin_timeline(b, 1, 1, 1);
    BRST(b, 1, 1, 0);
    for (i = 1; i < first; i++) zeros(b, 2);
    brst_end(b);
    while (b->size < bytes) {
        begin_timeline(b, first, 1, 1);
        BRST(b, 1, 1, 0);
        brst_end(b);
    }
}

static const struct {
    const char *name;
    void (*write)(brst *b, size_t bytes);
} shapes[] = {
    {"timeline_ticks", timeline_ticks},
    {"timeline_waits", timeline_waits},
    {"timeline_frames", timeline_frames},
    {"timeline_deep", timeline_deep},
    {"timeline_parts", timeline_parts},
    {"lines_apart", lines_apart},
    {"lines_small", lines_small},
    {"lines_parts", lines_parts},
    {"sharing_lines", sharing_lines},
    {"sharing_sides", sharing_sides},
    {"sharing_alike", sharing_alike},
    {"sharing_over", sharing_over},
    {"sharing_parts", sharing_parts},
    {"misses_pairs", misses_pairs},
    {"misses_sizes", misses_sizes},
    {"misses_parts", misses_parts},
    {"misses_programs", misses_programs},
    {"frame_kinds", frame_kinds},
    {"frame_buckets", frame_buckets},
    {"frame_functions", frame_functions},
    {"frame_stacks", frame_stacks},
    {"ends", ends},
    {"rows", rows},
    {"long_names", long_names},
    {"huge_name", huge_name},
    {"sites", sites},
    {"equal_scopes", equal_scopes},
    {"profiles", profiles},
    {"threads", threads},
    {"programs", programs},
    {"unknown_parts", unknown_parts},
    {"deep_tree", deep_tree},
    {"wide_tree", wide_tree},
    {"alike_keys", alike_keys},
    {"many_trees", many_trees},
    {"tree_names", tree_names},
    {"grids", grids},
    {"full_grids", full_grids},
    {"small_footprints", small_footprints},
    {"unmeasured", unmeasured},
    {"unmeasured_lines", unmeasured_lines},
    {"edge_functions", edge_functions},
    {"edge_files", edge_files},
    {"edge_exits", edge_exits},
    {"edge_counts", edge_counts},
    {"edge_sources", edge_sources},
    {"decisions_small", decisions_small},
    {"decisions_wide", decisions_wide},
    {"stream_parts", stream_parts},
    {"stream_items", stream_items},
    {"stream_names", stream_names},
    {"stream_sites", stream_sites},
    {"stream_values", stream_values},
    {"stream_alike", stream_alike},
};

int main(int argc, char **argv) {
    size_t i, bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    brst b;
    if (bytes == 0) return 1;
    memset(&b, 0, sizeof b);
    memset(long_name, 'W', sizeof long_name - 1);
    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char path[512];
        FILE *file;
        snprintf(path, sizeof path, "%s/%s.brst", argv[1], shapes[i].name);
        b.size = 0;
        shapes[i].write(&b, bytes);
        file = fopen(path, "wb");
        if (!file || fwrite(b.data, 1, b.size, file) != b.size || fclose(file) != 0) {
            perror(path);
            return 1;
        }
        puts(shapes[i].name);
    }
    free(b.data);
    return 0;
}
