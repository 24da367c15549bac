/* test_cc_notes.c - gcc's notes of a program that counts: what tables they
   become, of both ways of writing them, and what is refused. */
#include "test.h"
#include "base/tool.h"
#include "cc/cxx/notes.h"
#include "report/kinds/edges.h"
#include "report/kinds/sources.h"

/* ---- notes as gcc writes them ---- */

typedef struct maker {
    text out;
    int is_big, old;            /* old: gcc 11, which counts in words */
    size_t record;
} maker;

static void put_at(const maker *m, unsigned char *at, uint32_t value) {
    int i;
    for (i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * (m->is_big ? 3 - i : i));
}

static void word(maker *m, uint32_t value) {
    unsigned char bytes[4];
    put_at(m, bytes, value);
    text_bytes(&m->out, bytes, 4);
}

static void string(maker *m, const char *s) {
    static const char zero[4];
    size_t size = strlen(s) + 1, all = m->old ? (size + 3) / 4 * 4 : size;
    word(m, (uint32_t)(m->old ? all / 4 : all));
    text_bytes(&m->out, s, size);
    text_bytes(&m->out, zero, all - size);
}

static void begin(maker *m, uint32_t tag) {
    word(m, tag);
    m->record = m->out.size;
    word(m, 0);
}

static void end(maker *m) {
    size_t size = m->out.size - m->record - 4;
    put_at(m, (unsigned char *)m->out.data + m->record, (uint32_t)(m->old ? size / 4 : size));
}

static void head(maker *m) {
    text_bytes(&m->out, m->is_big ? "gcno" : "oncg", 4);
    word(m, m->old ? 0x4231332A : 0x4232322A);
    word(m, 77);
    if (!m->old) word(m, 0);
    string(m, "/src");
    word(m, 1);
}

static void function(maker *m, uint32_t ident, const char *name, const char *file, uint32_t line,
                     uint32_t blocks) {
    begin(m, 0x01000000);
    word(m, ident);
    word(m, 1);
    word(m, 2);
    string(m, name);
    word(m, 0);
    string(m, file);
    word(m, line);
    word(m, 1);
    word(m, line + 3);
    word(m, 1);
    end(m);
    begin(m, 0x01410000);
    word(m, blocks);
    end(m);
}

/* count pairs of target and flags. */
static void arcs(maker *m, uint32_t from, int count, const uint32_t *pairs) {
    int i;
    begin(m, 0x01430000);
    word(m, from);
    for (i = 0; i < 2 * count; i++) word(m, pairs[i]);
    end(m);
}

static void line(maker *m, uint32_t block, const char *file, uint32_t first, uint32_t second) {
    begin(m, 0x01450000);
    word(m, block);
    word(m, 0);
    string(m, file);
    word(m, first);
    if (second) word(m, second);
    word(m, 0);
    word(m, 0);
    end(m);
}

/* void f(int a) { if (a) g(); }, where g may throw, and a line of x.h in its
   last block; and a function of a header that nobody wants. */
static void make(maker *m) {
    static const uint32_t entry[] = {2, 4}, branch[] = {3, 4, 4, 1}, call[] = {4, 4, 5, 1, 1, 3};
    static const uint32_t back[] = {1, 1};
    head(m);
    function(m, 11, "_Z1fi", "a.cc", 3, 6);
    arcs(m, 0, 1, entry);
    arcs(m, 2, 2, branch);
    arcs(m, 3, 3, call);
    arcs(m, 4, 1, back);
    arcs(m, 5, 1, back);
    line(m, 2, "a.cc", 3, 4);
    line(m, 3, "a.cc", 5, 0);
    line(m, 4, "x.h", 20, 0);
    line(m, 5, "a.cc", 6, 0);
    function(m, 12, "sys", "/usr/include/s.h", 1, 3);
    arcs(m, 0, 1, entry);
    arcs(m, 2, 1, back);
    line(m, 2, "/usr/include/s.h", 1, 0);
}

/* ---- reading ---- */

static char *name_file(void *user, const char *file) {
    (void)user;
    return strncmp(file, "/usr/", 5) == 0 ? NULL : text_clean(file, strlen(file));
}

static int hash_file(void *user, const char *file, uint64_t *hash) {
    (void)user;
    *hash = strlen(file);
    return 0;
}

static char *name_function(void *choice, const char *name) {
    if (choice && strcmp((const char *)choice, name) != 0) return NULL;
    return text_clean(name, strlen(name));
}

static dump_fault fault;

static int reads(const void *data, size_t size, char *only, text *out) {
    cc_notes_files files = {name_file, hash_file, NULL, name_function, NULL};
    uint64_t hash;
    files.choice = only;
    memset(&fault, 0, sizeof fault);
    if (cc_notes_hash((const unsigned char *)data, size, &hash, &fault) != 0) return 0;
    return cc_notes_read((const unsigned char *)data, size, "bursty-1", &files, out, &fault) == 0;
}

/* What the tables say, as a reader of dumps sees it. Returns 0 if it refuses
   them. */
static int take(edges_all *all, sourced_all *sources, const text *out) {
    dump d;
    size_t i;
    int bad = 0;
    memset(all, 0, sizeof *all);
    memset(sources, 0, sizeof *sources);
    if (dump_read(&d, (const unsigned char *)out->data, out->size, &fault) != 0) return 0;
    for (i = 0; i < d.part_count && !bad; i++) {
        if (d.parts[i].kind == 4) bad = kind_edges.read(all, &d, &d.parts[i], &fault);
        if (d.parts[i].kind == 12) bad = kind_sources.read(sources, &d, &d.parts[i], &fault);
    }
    dump_free(&d);
    kind_edges.settle(all);
    kind_sources.settle(sources);
    return !bad;
}

static void look_at_tables(int is_big, int old) {
    maker m = {{NULL, 0, 0}, 0, 0, 0};
    text out = {NULL, 0, 0};
    edges_all all;
    sourced_all sources;
    m.is_big = is_big;
    m.old = old;
    make(&m);
    CHECK(reads(m.out.data, m.out.size, NULL, &out));
    CHECK(take(&all, &sources, &out));
    CHECK_EQ(all.function_count, 2);
    if (all.function_count == 2) {
        const edges_function *f = &all.functions[0], *in = &all.functions[1];
        CHECK_STR(f->file, "a.cc");
        CHECK_STR(f->name, "_Z1fi");
        CHECK_EQ(f->vertices, 6);
        CHECK_EQ(f->edges, 8);
        CHECK_EQ(f->stays, 1);
        CHECK_EQ(f->slots, 3);
        CHECK_EQ(f->unit, in->unit);
        CHECK(f->unit != f->key && f->unit);
        CHECK_EQ(f->line_at[6], 5);            /* 3 4, 5 and no branches, 6 */
        CHECK_EQ(f->line[0], 3);
        CHECK_EQ(f->line[3], 0);
        CHECK_STR(in->file, "x.h");
        CHECK_STR(in->name, "");
        CHECK_EQ(in->key, f->key);
        CHECK_EQ(in->line_at[6], 1);
    }
    CHECK_EQ(all.left_out_count, 1);
    CHECK_EQ(sources.count, 2);
    kind_edges.free(&all);
    kind_sources.free(&sources);
    out.size = 0;
    CHECK(reads(m.out.data, m.out.size, (char *)(uintptr_t) "nothing", &out));
    CHECK(take(&all, &sources, &out));
    CHECK_EQ(all.function_count, 0);
    CHECK_EQ(all.left_out_count, 2);
    kind_edges.free(&all);
    kind_sources.free(&sources);
    text_free(&out);
    text_free(&m.out);
}

TEST(tables) {
    look_at_tables(0, 0);
    look_at_tables(1, 0);
    look_at_tables(0, 1);
}

/* What is refused is refused with a reason, and what is not can be read by
   others. In memory of just its size, for a sanitizer. */
static void stays_sane(const char *data, size_t size) {
    unsigned char *copy = (unsigned char *)tool_alloc(size + !size);
    text out = {NULL, 0, 0};
    edges_all all;
    sourced_all sources;
    memcpy(copy, data, size);
    if (reads(copy, size, NULL, &out)) {
        CHECK(take(&all, &sources, &out));
        kind_edges.free(&all);
        kind_sources.free(&sources);
    } else {
        CHECK(fault.reason[0]);
        CHECK(fault.offset <= size);
        CHECK_EQ(out.size, 0);
    }
    text_free(&out);
    free(copy);
}

TEST(hostile) {
    maker m = {{NULL, 0, 0}, 0, 0, 0};
    size_t i;
    make(&m);
    for (i = 0; i < m.out.size; i++) stays_sane(m.out.data, i);
    for (i = 0; i < 8 * m.out.size; i++) {
        m.out.data[i / 8] = (char)(m.out.data[i / 8] ^ 1 << i % 8);
        stays_sane(m.out.data, m.out.size);
        m.out.data[i / 8] = (char)(m.out.data[i / 8] ^ 1 << i % 8);
    }
    for (i = 0; i + 4 <= m.out.size; i++) {
        char before[4];
        memcpy(before, m.out.data + i, 4);
        memset(m.out.data + i, 0xFF, 4);
        stays_sane(m.out.data, m.out.size);
        memcpy(m.out.data + i, before, 4);
    }
    text_free(&m.out);
}

static void refused(const text *t, const char *why) {
    text out = {NULL, 0, 0};
    CHECK(!reads(t->data, t->size, NULL, &out));
    CHECK(strstr(fault.reason, why) != NULL);
    text_free(&out);
}

TEST(reasons) {
    static const uint32_t entry[] = {2, 4}, wrong[] = {9, 4};
    maker m = {{NULL, 0, 0}, 0, 0, 0};
    char name[24];
    uint32_t i;
    text_add(&m.out, "ELF?");
    refused(&m.out, "is no file of notes");
    m.out.size = 0;
    text_bytes(&m.out, "oncg", 4);
    word(&m, 0x4139332A);
    refused(&m.out, "not known here");
    m.out.size = 0;
    head(&m);
    function(&m, 1, "f", "a.cc", 1, 3);
    arcs(&m, 0, 1, wrong);
    refused(&m.out, "leads nowhere");
    m.out.size = 0;
    head(&m);
    function(&m, 1, "f", "a.cc", 1, 4000000000u);
    arcs(&m, 0, 1, entry);
    refused(&m.out, "more blocks");
    m.out.size = 0;
    head(&m);
    function(&m, 1, "f", "a.cc", 1, 3);
    arcs(&m, 0, 1, entry);
    line(&m, 7, "a.cc", 1, 0);
    refused(&m.out, "a block that is not there");
    m.out.size = 0;
    head(&m);
    function(&m, 1, "f", "a.cc", 1, 1000); /* each file would cost a table of all blocks */
    for (i = 0; i < 1000; i++) {
        uint32_t on[2];
        if (i == 1) continue;
        on[0] = i + 1 < 1000 ? i + 1 : 1;
        on[1] = 4;
        arcs(&m, i, 1, i == 0 ? entry : on);
        snprintf(name, sizeof name, "%u.h", (unsigned)i);
        line(&m, i, name, 1, 0);
    }
    refused(&m.out, "too many files");
    text_free(&m.out);
}
