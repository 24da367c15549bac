/* test_hcct_files.c - what hcct.h writes, and what the tool reads of it: bounds
   that hold after reading and joining, names of any length, and damage of every
   kind. */
#include "test.h"
#include <time.h>
#define HCCT_IMPLEMENTATION
#define HCCT_STATIC
#include "hcct.h"
#include "hcct_reference.inc"
#include "report/kinds/contexts.h"
#include "report/model/report.h"

typedef struct blob {
    unsigned char *bytes;
    size_t size, room, stop;
} blob;
static int blob_write(void *user, const void *data, size_t size) {
    blob *b = (blob *)user;
    if (b->stop && b->size + size > b->stop) return 5;
    if (b->size + size > b->room)
        b->bytes = (unsigned char *)realloc(b->bytes, b->room = 2 * (b->size + size));
    memcpy(b->bytes + b->size, data, size);
    b->size += size;
    return 0;
}
static const char *key_name(void *user, uint32_t key) {
    static char name[32];
    (void)user;
    if (key % 5 == 0) return NULL;
    sprintf(name, "f%u;x", (unsigned)key);
    return name;
}

static int with_sums; /* the files have sums over bursts, too */
static const char *unit; /* and say what weights are */
static int is_adaptive;  /* and which bursts were left out */
static void some_sums(void *user, uint32_t node, uint64_t *numbers) {
    uint32_t k;
    (void)user;
    for (k = 4; k < HCCT_SUMS; k++) numbers[k] = (uint64_t)node << k;
    numbers[0] = node * 3 + 1;
    numbers[1] = node + 200;
    numbers[2] = (uint64_t)node * 1000003 << node % 30;
    numbers[3] = (uint64_t)node * 70001 << node % 21;
}

static void small_file(blob *b, uint32_t algorithm) {
    hcct_config c = config_of(algorithm, 12);
    stream s = stream_of(SKEWED, 4, 0);
    arena a;
    if (with_sums) c.sums = some_sums;
    c.unit = unit;
    if (is_adaptive) {
        c.history = 8;
        c.reenable = 300;
    }
    c.cache_slots = 16; /* so that the arena, and with it the file, does not depend on defaults */
    arena_open(&a, &c, algorithm == HCCT_FULL ? 400 : 30);
    feed(&a.t, NULL, &s, 400);
    if (is_adaptive) {
        a.t.stats.burst_points = 1000;
        a.t.stats.burst_skipped = 600;
    }
    CHECK_EQ(hcct_write(&a.t, key_name, NULL, blob_write, b), 0);
    arena_close(&a);
}

/* The same events give the same bytes on every machine: this number was taken
   on a little-endian 64-bit one. */
TEST(bytes_are_the_same_everywhere) {
    uint32_t algorithm, hash = 2166136261u;
    size_t i;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        blob b = {0};
        if (algorithm == HCCT_STICKY) continue; /* its coin tosses use floating point */
        small_file(&b, algorithm);
        for (i = 0; i < b.size; i++) hash = (hash ^ b.bytes[i]) * 16777619u;
        free(b.bytes);
    }
    CHECK_EQ(hash, 577748198u);
}

TEST(a_failing_write_stops_the_writer) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 100);
    stream s = stream_of(SKEWED, 8, 0);
    arena a;
    blob b = {0};
    arena_open(&a, &c, 500);
    feed(&a.t, NULL, &s, 8000);
    b.stop = 100;
    CHECK_EQ(hcct_write(&a.t, NULL, NULL, blob_write, &b), -1);
    CHECK(b.size <= 100);
    free(b.bytes);
    arena_close(&a);
}

/* What `bursty report --collapsed` writes of a tree. The caller frees it. */
static text collapsed_of(const hcct *t, hcct_name_fn name) {
    const report_writer *const *writer = writer_list;
    text file = {NULL, 0, 0}, lines = {NULL, 0, 0};
    input in;
    report r;
    memset(&in, 0, sizeof in);
    memset(&r, 0, sizeof r);
    CHECK_EQ(hcct_write(t, name, NULL, text_write, &file), 0);
    CHECK_EQ(input_take(&in, "test", &file), 0);
    input_settle(&in);
    r.title = text_clean("test", 4);
    report_make(&r, &in);
    while (strcmp((*writer)->name, "collapsed") != 0) writer++;
    (*writer)->write(&r, &lines);
    text_bytes(&lines, "", 1);
    report_free(&r);
    input_free(&in);
    text_free(&file);
    return lines;
}

TEST(collapsed_stacks) {
    hcct_config c = config_of(HCCT_SPACE_SAVING, 100);
    arena a;
    text lines;
    uint32_t i;
    arena_open(&a, &c, 500);
    hcct_enter(&a.t, 1, 1);
    hcct_enter(&a.t, 2, 3);
    hcct_leave(&a.t);
    hcct_enter(&a.t, 5, 0);
    hcct_enter(&a.t, HCCT_KEY_DEEP, 7);
    lines = collapsed_of(&a.t, key_name);
    CHECK_STR(lines.data, "f1:x 1\nf1:x;#5;(deep) 7\nf1:x;f2:x 3\n");
    text_free(&lines);
    lines = collapsed_of(&a.t, NULL);
    CHECK_STR(lines.data, "#1 1\n#1;#5;(deep) 7\n#1;#2 3\n");
    text_free(&lines);
    for (i = 0; i < 150; i++) hcct_enter(&a.t, 3, i == 149);
    lines = collapsed_of(&a.t, NULL);
    CHECK_EQ(strlen(strstr(lines.data, ";#3")), 150 * 3 + 3 + strlen("#1;#2 3\n"));
    text_free(&lines);
    arena_close(&a);
}

/* Names with everything that a line of stacks cannot hold, and keys without a
   name. */
static const char *const odd[][2] = {{NULL, "#0"},
                                     {"main", "main"},
                                     {"a;b", "a:b"},
                                     {"tab\there", "tab\\x09here"},
                                     {"line\nend", "line\\x0aend"},
                                     {"\x1B[31mred", "\\x1b[31mred"},
                                     {"del\x7F", "del\\x7f"},
                                     {"caf\xC3\xA9 x", "caf\xC3\xA9 x"},
                                     {"", "(no name)"},
                                     {"c1 \xC2\x85 c1", "c1 \\u0085 c1"},
                                     {"\xC2\x9F\xC2\xA0", "\\u009f\xC2\xA0"},
                                     {"\xE2\x82\x80", "\xE2\x82\x80"}};
enum { ODD = sizeof odd / sizeof *odd };

static const char *odd_name(void *user, uint32_t key) {
    (void)user;
    return key < ODD ? odd[key][0] : NULL;
}

/* The lines are the contexts with a lower bound, each with its path; odd[][1]
   stands for names. */
TEST(collapsed_stacks_of_odd_names) {
    uint32_t algorithm, i, k, depth, path[8];
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        hcct_config c = config_of(algorithm, 100);
        text wanted = {NULL, 0, 0}, got;
        uint64_t random = 5;
        arena a;
        arena_open(&a, &c, 500);
        for (i = 1; i < 14; i++) {
            for (k = 0; k < i % 5; k++) {
                hcct_enter(&a.t, i == 13 ? HCCT_KEY_DEEP : 1 + (i * 7 + k) % 13, 1 + k);
            }
            if (test_random(&random) & 1) hcct_burst_end(&a.t);
        }
        hcct_burst_end(&a.t);
        depth = 0;
        for (i = hcct_next(&a.t, 0, &depth); i; i = hcct_next(&a.t, i, &depth)) {
            hcct_context context;
            hcct_get_context(&a.t, i, &context);
            if (context.lower == 0) continue;
            CHECK(hcct_path(&a.t, i, path, 8) <= 8);
            for (k = 0; k < depth; k++) {
                char number[16];
                const char *name = number;
                snprintf(number, sizeof number, "#%lu", (unsigned long)path[k]);
                if (path[k] < ODD) name = odd[path[k]][1];
                if (path[k] == HCCT_KEY_DEEP) name = "(deep)";
                text_format(&wanted, "%s%s", k ? ";" : "", name);
            }
            text_format(&wanted, " %lu\n", (unsigned long)context.lower);
        }
        text_bytes(&wanted, "", 1);
        got = collapsed_of(&a.t, odd_name);
        CHECK(strlen(got.data) > 100);
        CHECK_STR(got.data, wanted.data);
        text_free(&wanted);
        text_free(&got);
        arena_close(&a);
    }
}

/* ---- reading ---- */

/* Reads a whole file. 0, or -1 with *fault filled. */
static int read_file(contexts *c, const unsigned char *bytes, size_t size, dump_fault *fault) {
    dump d;
    size_t i;
    int failed = dump_read(&d, bytes, size, fault);
    if (failed) return failed;
    for (i = 0; i < d.part_count && !failed; i++) failed = contexts_read(c, &d, &d.parts[i], fault);
    dump_free(&d);
    return failed;
}

static contexts read_good(const blob *b) {
    contexts c;
    dump_fault fault;
    memset(&c, 0, sizeof c);
    CHECK_EQ(read_file(&c, b->bytes, b->size, &fault), 0);
    contexts_settle(&c);
    return c;
}

/* The tool's tree against the reference; key_of says what a reference key is
   called. */
static void check_read(const contexts *c, const ref *r, uint32_t algorithm) {
    const contexts_tree *t = &c->trees[0];
    uint32_t *node = (uint32_t *)calloc(r->count, sizeof *node), i, k, wrong = 0, known = 0;
    CHECK_EQ(c->count, 1);
    CHECK(t->field[CONTEXTS_TOTAL] == r->total);
    for (i = 1; i < r->count; i++) {
        const char *name = key_name(NULL, r->nodes[i].key);
        char number[16];
        uint64_t lower = 0, upper = t->base, f = r->nodes[i].weight;
        uint32_t above = node[r->nodes[i].parent];
        sprintf(number, "#%u", (unsigned)r->nodes[i].key);
        for (k = above || r->nodes[i].depth == 1 ? t->nodes[above].first : 0; k;
             k = t->nodes[k].next) {
            if (strcmp(contexts_name(c, t->nodes[k].key), name ? name : number) == 0) break;
        }
        node[i] = k;
        known += k != 0;
        if (k) {
            lower = t->nodes[k].lower;
            upper = t->nodes[k].upper;
        }
        wrong += lower > f || (upper < f && algorithm != HCCT_STICKY);
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(known, t->count - 1);
    free(node);
}

TEST(reading_keeps_the_bounds) {
    uint32_t algorithm, kind;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        for (kind = 0; kind < DEEP; kind++) {
            hcct_config c = config_of(algorithm, 200);
            stream s = stream_of(kind, 41, (int)(kind & 1));
            arena a;
            blob b = {0};
            contexts read;
            ref r;
            ref_init(&r);
            arena_open(&a, &c, 12000);
            feed(&a.t, &r, &s, 20000);
            CHECK_EQ(hcct_write(&a.t, key_name, NULL, blob_write, &b), 0);
            read = read_good(&b);
            check_read(&read, &r, algorithm);
            CHECK(read.trees[0].base == stats_of(&a.t).bound_of_absent);
            contexts_free(&read);
            free(b.bytes);
            arena_close(&a);
            ref_free(&r);
        }
    }
}

/* ---- joining ---- */

/* Pieces of one run, each in a tree of its own, positioned where the one before
   ended. */
static void join_pieces(uint32_t algorithm, uint32_t kind, uint32_t pieces, uint32_t m,
                        uint32_t contexts_each) {
    hcct_config c = config_of(algorithm, m);
    stream s = stream_of(kind, 31, 0);
    uint32_t i, k, at;
    blob b = {0};
    contexts read;
    ref r;
    c.one_over_epsilon = m;
    ref_init(&r);
    for (i = 0; i < pieces; i++) {
        uint32_t path[512], depth = r.nodes[r.cursor].depth;
        arena a;
        for (k = depth, at = r.cursor; at; at = r.nodes[at].parent) path[--k] = r.nodes[at].key;
        c.seed = i;
        arena_open(&a, &c, contexts_each);
        hcct_burst_begin(&a.t, path, depth);
        feed(&a.t, &r, &s, 120000 / pieces);
        CHECK_EQ(hcct_write(&a.t, key_name, NULL, blob_write, &b), 0);
        arena_close(&a);
    }
    read = read_good(&b);
    check_read(&read, &r, algorithm);
    if (contexts_each > 2000 && algorithm == HCCT_SPACE_SAVING) {
        CHECK(read.trees[0].base <= r.total / m);
    }
    contexts_free(&read);
    free(b.bytes);
    ref_free(&r);
}

TEST(joining_keeps_the_bounds) {
    uint32_t algorithm, kind;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        for (kind = 0; kind < DEEP; kind++) {
            join_pieces(algorithm, kind, 4, 800, 8000);
            join_pieces(algorithm, kind, 32, 800, 8000);
            if (algorithm != HCCT_FULL) join_pieces(algorithm, kind, 7, 30, 40);
        }
    }
}

/* The same events in two small trees, joined: each truth is twice its
   weight. */
TEST(joining_equal_trees_keeps_lower_bounds) {
    uint32_t seed;
    for (seed = 1; seed < 300; seed++) {
        hcct_config c = config_of(HCCT_SPACE_SAVING, 1 + seed % 4);
        uint64_t memory[60];
        blob b = {0};
        contexts read;
        uint32_t k, twice;
        ref r;
        ref_init(&r);
        for (twice = 0; twice < 2; twice++) {
            uint64_t random = seed;
            hcct t;
            CHECK(hcct_init(&t, memory, 160 + seed % 300 / 8 * 8, &c) > 0);
            r.cursor = 0;
            for (k = 0; k < 8 + seed % 60; k++) {
                uint64_t x = test_random(&random);
                uint32_t key = 1 + (uint32_t)(x >> 20) % 3;
                if (r.cursor && x % 3 == 0) {
                    hcct_leave(&t);
                    ref_leave(&r);
                } else {
                    hcct_enter(&t, key, 1);
                    ref_enter(&r, key, 1);
                }
            }
            CHECK_EQ(hcct_write(&t, key_name, NULL, blob_write, &b), 0);
        }
        read = read_good(&b);
        check_read(&read, &r, HCCT_SPACE_SAVING);
        contexts_free(&read);
        free(b.bytes);
        ref_free(&r);
    }
}

/* Two functions whose names are alike for so many bytes before and behind stay
   two. */
static const char *long_name(void *user, uint32_t key) {
    static char name[20050];
    size_t alike = *(const size_t *)user;
    memset(name, 'a', sizeof name);
    memcpy(name + alike, key == 1 ? "::hot()::" : "::cold():", 9);
    name[2 * alike + 9] = 0;
    return name;
}
static void check_long_names(size_t alike) {
    uint64_t memory[200];
    blob b = {0};
    contexts c;
    hcct t;
    CHECK(hcct_init(&t, memory, sizeof memory, NULL) > 0);
    hcct_enter(&t, 1, 100);
    hcct_leave(&t);
    hcct_enter(&t, 2, 5);
    CHECK_EQ(hcct_write(&t, long_name, &alike, blob_write, &b), 0);
    CHECK(hcct_init(&t, memory, sizeof memory, NULL) > 0);
    hcct_enter(&t, 2, 7);
    CHECK_EQ(hcct_write(&t, long_name, &alike, blob_write, &b), 0);
    c = read_good(&b);
    CHECK_EQ(c.trees[0].count, 3);
    CHECK_EQ(c.trees[0].nodes[1].upper + c.trees[0].nodes[2].upper, 112);
    CHECK(c.trees[0].nodes[1].upper == 100 || c.trees[0].nodes[2].upper == 100);
    CHECK(strlen(contexts_name(&c, 1)) <= TEXT_NAME_MOST);
    CHECK(strlen(contexts_name(&c, 1)) >= (alike < 2000 ? 2 * alike : 4000));
    contexts_free(&c);
    free(b.bytes);
}
TEST(names_of_any_length_tell_functions_apart) {
    check_long_names(20);
    check_long_names(500);
    check_long_names(2044);
    check_long_names(10000);
}

/* Many small trees beside a large one: joining takes time in proportion to the
   file. */
TEST(joining_many_small_trees_is_linear) {
    static uint64_t memory[60000], little_memory[100];
    double seconds[2];
    uint32_t round, i;
    for (round = 0; round < 2; round++) {
        blob b = {0};
        contexts c;
        clock_t start;
        hcct t;
        hcct_init(&t, memory, sizeof memory, NULL);
        for (i = 0; i < 9000; i++) {
            hcct_enter(&t, 1 + i, 1);
            hcct_leave(&t);
        }
        hcct_write(&t, NULL, NULL, blob_write, &b);
        hcct_init(&t, little_memory, sizeof little_memory, NULL);
        for (i = 0; i < 200; i++) {
            hcct_enter(&t, 1 + i, 1);
            hcct_leave(&t);
        }
        for (i = 0; i < (round ? 8000u : 2000u); i++) hcct_write(&t, NULL, NULL, blob_write, &b);
        start = clock();
        c = read_good(&b);
        seconds[round] = (double)(clock() - start) / CLOCKS_PER_SEC;
        CHECK_EQ(c.count, 1);
        contexts_free(&c);
        free(b.bytes);
    }
    CHECK(seconds[1] < 10 * seconds[0] + 0.2); /* 4 is due; nodes times trees would take minutes */
}

/* ---- writing again ---- */

static void write_again(contexts *c, text *out) {
    memset(out, 0, sizeof *out);
    contexts_write(c, out);
}

/* What was joined and written stays as it is when it is read and written
   again. */
static void check_stable(const unsigned char *bytes, size_t size) {
    contexts c;
    dump_fault fault;
    text once, twice;
    blob b = {0};
    memset(&c, 0, sizeof c);
    if (read_file(&c, bytes, size, &fault) != 0) {
        contexts_free(&c);
        return;
    }
    contexts_settle(&c);
    write_again(&c, &once);
    contexts_free(&c);
    blob_write(&b, once.data, once.size);
    c = read_good(&b);
    write_again(&c, &twice);
    CHECK(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    contexts_free(&c);
    text_free(&once);
    text_free(&twice);
    free(b.bytes);
}

/* Trees of other weights are not those of calls, and adaptive bursts are told. */
TEST(units_and_adaptive_bursts) {
    static const char *const units[] = {"misses", NULL, "cpu-time_ns", "misses"};
    static const char *const wrong[] = {"a b", "name\t", "caf\303\251",
                                        "12345678901234567890123456789012"};
    blob b = {0};
    contexts c;
    dump_fault fault;
    size_t i;
    for (i = 0; i < 4; i++) {
        unit = units[i];
        with_sums = i & 1;
        small_file(&b, HCCT_SPACE_SAVING);
    }
    unit = NULL;
    with_sums = 0;
    check_stable(b.bytes, b.size);
    c = read_good(&b);
    if (CHECK_EQ(c.count, 3)) {
        for (i = 0; i < 3; i++) {
            const contexts_tree *t = &c.trees[i];
            int is_twice = t->unit && strcmp(t->unit, "misses") == 0;
            CHECK_EQ(t->field[CONTEXTS_TOTAL], (is_twice ? 2 : 1) * c.trees[1].field[CONTEXTS_TOTAL]);
        }
        CHECK(!c.trees[1].unit && c.trees[1].has_sums && !c.trees[2].has_sums);
        CHECK(c.trees[0].has_sums && c.trees[0].has_xy);
    }
    contexts_free(&c);
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        b.size = 0;
        unit = wrong[i];
        small_file(&b, HCCT_FULL);
        unit = NULL;
        memset(&c, 0, sizeof c);
        CHECK_EQ(read_file(&c, b.bytes, b.size, &fault), -1);
        contexts_free(&c);
    }
    for (i = 0; i < 3; i++) { /* 10 bursts were due; 12 of them were not left out */
        hcct_config config = config_of(HCCT_SPACE_SAVING, 12);
        arena a;
        config.history = 8;
        config.reenable = 5 + (uint32_t)i;
        arena_open(&a, &config, 30);
        a.t.stats.burst_points = 10;
        a.t.stats.burst_skipped = i < 2 ? 4 : 12;
        if (i != 1) b.size = 0;
        CHECK_EQ(hcct_write(&a.t, key_name, NULL, blob_write, &b), 0);
        arena_close(&a);
        memset(&c, 0, sizeof c);
        CHECK_EQ(read_file(&c, b.bytes, b.size, &fault), i < 2 ? 0 : -1);
        if (i < 2) contexts_settle(&c);
        if (i == 1 && CHECK_EQ(c.count, 1))
            CHECK(c.trees[0].points == 20 && c.trees[0].skipped == 8 && c.trees[0].reenable == 6);
        if (i == 1) { /* and so it is written */
            text out;
            write_again(&c, &out);
            contexts_free(&c);
            memset(&c, 0, sizeof c);
            CHECK_EQ(read_file(&c, (const unsigned char *)out.data, out.size, &fault), 0);
            CHECK(c.trees[0].points == 20 && c.trees[0].skipped == 8 && c.trees[0].reenable == 6);
            c.trees[0].reenable = UINT64_C(1) << 32; /* more than a number of bursts can be */
            text_free(&out);
            write_again(&c, &out);
            contexts_free(&c);
            memset(&c, 0, sizeof c);
            CHECK_EQ(read_file(&c, (const unsigned char *)out.data, out.size, &fault), -1);
            text_free(&out);
        }
        contexts_free(&c);
        if (i == 1) check_stable(b.bytes, b.size);
    }
    free(b.bytes);
}

TEST(what_was_written_stays) {
    uint32_t algorithm;
    blob all = {0};
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        blob b = {0};
        small_file(&b, algorithm);
        check_stable(b.bytes, b.size);
        blob_write(&all, b.bytes, b.size);
        free(b.bytes);
        with_sums = 1;
        small_file(&all, algorithm);
        with_sums = 0;
        check_stable(all.bytes, all.size);
    }
    free(all.bytes);
}

/* ---- sums over bursts ---- */

TEST(sums_are_read_and_joined) {
    hcct_config config = config_of(HCCT_SPACE_SAVING, 12);
    stream s = stream_of(SKEWED, 4, 0);
    uint32_t times, i, depth;
    arena a;
    config.sums = some_sums;
    arena_open(&a, &config, 30);
    feed(&a.t, NULL, &s, 400);
    for (times = 1; times < 4; times++) {
        blob b = {0};
        contexts c;
        uint64_t wanted[HCCT_SUMS];
        uint32_t node = 0, k;
        for (i = 0; i < times; i++)
            CHECK_EQ(hcct_write(&a.t, key_name, NULL, blob_write, &b), 0);
        c = read_good(&b);
        CHECK(c.trees[0].has_sums && c.trees[0].has_xy && c.trees[0].has_groups);
        CHECK(c.trees[0].count > 5);
        for (depth = i = 0; i < c.trees[0].count; i++) {
            const contexts_sums *n = contexts_sums_of(&c.trees[0], i);
            some_sums(NULL, node, wanted);
            CHECK_EQ(n->calls, wanted[0] * times);
            CHECK_EQ(n->bursts, wanted[1] * times);
            CHECK_EQ(n->yy, wanted[2] * times);
            CHECK_EQ(n->xy, wanted[3] * times);
            for (k = 4; k < HCCT_SUMS; k++) CHECK_EQ(n->group[k - 4], wanted[k] * times);
            node = hcct_next(&a.t, node, &depth);
        }
        CHECK_EQ(node, 0);
        contexts_free(&c);
        free(b.bytes);
    }
    arena_close(&a);
}

/* A tree whose groups are forgotten is written as versions 3 and 4 had it. */
TEST(older_versions_with_sums_are_read) {
    static const char *const units[] = {NULL, "misses"};
    uint32_t k, i, g;
    for (k = 0; k < 2; k++) {
        blob b = {0};
        contexts c, old;
        dump_fault fault;
        text out = {NULL, 0, 0};
        unit = units[k];
        with_sums = 1;
        small_file(&b, HCCT_SPACE_SAVING);
        unit = NULL;
        with_sums = 0;
        c = read_good(&b);
        c.trees[0].has_groups = 0;
        contexts_write(&c, &out);
        memset(&old, 0, sizeof old);
        CHECK_EQ(read_file(&old, (const unsigned char *)out.data, out.size, &fault), 0);
        CHECK_EQ(old.trees[0].field[CONTEXTS_VERSION], 3 + k);
        CHECK(old.trees[0].has_sums && old.trees[0].has_xy && !old.trees[0].has_groups);
        CHECK(old.trees[0].count > 5);
        for (i = 0; i < old.trees[0].count; i++) {
            const contexts_sums *n = contexts_sums_of(&old.trees[0], i);
            CHECK(n->calls > 0 && n->bursts >= 200);
            for (g = 0; g < CONTEXTS_GROUPS; g++) CHECK_EQ(n->group[g], 0);
        }
        contexts_free(&c);
        contexts_free(&old);
        text_free(&out);
        free(b.bytes);
    }
}

/* ---- damage ---- */

TEST(every_truncation_and_flip_is_refused) {
    uint32_t algorithm;
    with_sums = 1;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        blob b = {0};
        size_t i, bit;
        uint32_t taken = 0;
        dump_fault fault;
        contexts c;
        small_file(&b, algorithm);
        memset(&c, 0, sizeof c);
        for (i = 1; i < b.size; i++) {
            unsigned char *cut = (unsigned char *)malloc(i); /* its own block, for sanitizers */
            memcpy(cut, b.bytes, i);
            taken += read_file(&c, cut, i, &fault) == 0;
            CHECK(fault.offset <= i);
            free(cut);
        }
        for (bit = 0; bit < 8 * b.size; bit++) {
            b.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            taken += read_file(&c, b.bytes, b.size, &fault) == 0 && b.bytes[6] == DUMP_CONTEXTS;
            b.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        CHECK_EQ(taken, 0);
        contexts_free(&c);
        free(b.bytes);
    }
    with_sums = 0;
}

/* A part with this payload: the container is right. Returns whether it is taken;
   what is taken can be written, and stays. */
static int is_taken(const unsigned char *payload, size_t size) {
    text file = {NULL, 0, 0};
    dump_writer w;
    dump_fault fault;
    contexts c;
    int taken;
    dump_begin(&w, &file, DUMP_CONTEXTS);
    dump_put_bytes(&w, payload, size);
    dump_end(&w);
    memset(&c, 0, sizeof c);
    taken = read_file(&c, (const unsigned char *)file.data, file.size, &fault) == 0;
    contexts_free(&c);
    if (taken) check_stable((const unsigned char *)file.data, file.size);
    text_free(&file);
    return taken;
}

/* Version 4, contexts by misses: with sums, with adaptive bursts, with neither,
   with both. */
TEST(contexts_of_a_unit_that_are_cut_or_changed) {
    uint32_t form;
    for (form = 0; form < 4; form++) {
        blob b = {0};
        dump d;
        dump_fault fault;
        size_t n, bit, cut = 0, changed = 0, size;
        unsigned char *payload, *longer;
        unit = "misses";
        with_sums = form & 1;
        is_adaptive = form > 1;
        small_file(&b, HCCT_SPACE_SAVING);
        unit = NULL;
        with_sums = is_adaptive = 0;
        CHECK_EQ(dump_read(&d, b.bytes, b.size, &fault), 0);
        size = d.parts[0].size;
        payload = d.parts[0].payload;
        CHECK(is_taken(payload, size));
        longer = (unsigned char *)calloc(size + 1, 1); /* by a zero, which is a whole number */
        memcpy(longer, payload, size);
        CHECK(!is_taken(longer, size + 1));
        free(longer);
        for (n = 0; n < size; n++) cut += (size_t)is_taken(payload, n);
        CHECK_EQ(cut, 0);
        for (n = 0; n < 8 * size; n++) {
            bit = n % 8;
            payload[n / 8] ^= (unsigned char)(1u << bit);
            changed += (size_t)is_taken(payload, size);
            payload[n / 8] ^= (unsigned char)(1u << bit);
        }
        CHECK(changed > size && changed < 8 * size);
        for (n = 0; memcmp(payload + n, "misses", 6) != 0; n++) {}
        payload[n] = 0;                             /* no letter */
        CHECK(!is_taken(payload, size));
        payload[n] = 'm';
        payload[n + 6] = 2;                         /* sums follow: 0 or 1 */
        CHECK(!is_taken(payload, size));
        dump_free(&d);
        free(b.bytes);
    }
}

static void little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Sets the checksums of a part right again, so that what is behind them is
   tested too. */
static void mend(unsigned char *data, size_t size) {
    uint32_t crc = dump_crc(0, data, 12);
    size_t at = 16;
    little(data + 12, crc, 4);
    while (at + 2 <= size) {
        size_t length = (size_t)(data[at] | (unsigned)data[at + 1] << 8),
               end = length ? length + 2 : 10;
        if (at + end + 4 > size) return;
        crc = dump_crc(crc, data + at, end);
        little(data + at + end, crc, 4);
        at += end + 4;
    }
}

TEST(files_with_right_checksums_and_wrong_contents) {
    uint32_t algorithm, round, loaded = 0, refused = 0;
    uint64_t seed = 12;
    for (algorithm = 0; algorithm <= HCCT_FULL; algorithm = next_algorithm(algorithm)) {
        blob b = {0};
        unsigned char *copy;
        with_sums = algorithm == 0 || algorithm == HCCT_FULL;
        small_file(&b, algorithm);
        copy = (unsigned char *)malloc(b.size);
        for (round = 0; round < 3000; round++) {
            dump_fault fault;
            contexts c;
            uint32_t k, i;
            memcpy(copy, b.bytes, b.size);
            for (k = 0; k < 1 + round % 3; k++) {
                uint64_t x = test_random(&seed);
                size_t at = 18 + (size_t)(x >> 8) % (b.size - 36);
                copy[at] = (unsigned char)(x & 1 ? copy[at] ^ (1u << (x >> 1 & 7)) : x >> 56);
            }
            mend(copy, b.size);
            memset(&c, 0, sizeof c);
            if (read_file(&c, copy, b.size, &fault) != 0) {
                refused++;
            } else {
                loaded++;
                for (i = 1; i < c.trees[0].count; i++) {
                    CHECK(c.trees[0].nodes[i].lower <= c.trees[0].nodes[i].upper);
                }
            }
            contexts_free(&c);
            check_stable(copy, b.size);
        }
        free(copy);
        free(b.bytes);
    }
    with_sums = 0;
    CHECK(loaded > 500);
    CHECK(refused > 500);
}

/* ---- what is written is read, whatever the configuration ---- */

static uint64_t any(uint64_t *seed) { /* of every size, and the ends often */
    uint64_t r = test_random(seed);
    switch (r & 7) {
    case 0: return 0;
    case 1: return UINT64_MAX;
    case 2: return (UINT64_C(1) << 31) - 1 + (r >> 8 & 1);
    default: return test_random(seed) >> (r >> 8 & 63);
    }
}

static void any_sums(void *user, uint32_t node, uint64_t *numbers) {
    uint64_t seed = *(const uint64_t *)user + node;
    uint32_t i;
    for (i = 0; i < HCCT_SUMS; i++) numbers[i] = any(&seed);
}

static hcct_config any_config(uint64_t *seed, uint32_t *returns, uint32_t room) {
    hcct_config c;
    memset(&c, 0, sizeof c);
    c.algorithm = test_random(seed) % 16 ? (uint32_t)(test_random(seed) % 4) : (uint32_t)any(seed);
    if (c.algorithm == 1 || c.algorithm == 2) c.algorithm += 2;
    else if (c.algorithm == 3) c.algorithm = HCCT_FULL;
    c.monitored = (uint32_t)any(seed);
    c.one_over_epsilon = (uint32_t)any(seed);
    c.one_over_phi = (uint32_t)any(seed);
    c.one_over_delta = (uint32_t)any(seed);
    c.depth_limit = (uint32_t)any(seed);
    c.fold = (uint32_t)any(seed);
    if (test_random(seed) % 4) {
        c.returns = returns;
        c.return_count = (uint32_t)(test_random(seed) % room);
    }
    c.history = (uint32_t)(test_random(seed) % 2 ? test_random(seed) % 100 : any(seed));
    c.reenable = (uint32_t)any(seed);
    c.cache_slots = (uint32_t)(test_random(seed) % 2 ? test_random(seed) % 100 : any(seed));
    c.seed = any(seed);
    if (test_random(seed) % 3 == 0) c.sums = any_sums;
    c.sums_user = seed;
    return c;
}

static void any_events(hcct *t, uint64_t *seed) {
    uint64_t keys = 1 + test_random(seed) % 60, i, n = test_random(seed) % 3000;
    uint64_t most = any(seed);
    uint32_t stack[20], k;
    for (i = 0; i < n; i++) {
        uint64_t r = test_random(seed);
        uint32_t key = (uint32_t)(r % keys + 1);
        uint64_t weight = r >> 40 & 1 || most == 0 ? r >> 41 & 3 : test_random(seed) % most;
        switch (r >> 48 & 15) {
        case 0: case 1: case 2: case 3: case 4: hcct_leave(t); break;
        case 5: hcct_add(t, weight); break;
        case 6: (void)hcct_leave_key(t, key); break;
        case 7:
            if (r >> 52 & 15) break;
            for (k = 0; k < 20; k++) stack[k] = (uint32_t)(test_random(seed) % keys + 1);
            (void)hcct_burst_begin(t, stack, (uint32_t)(r >> 56) % 20);
            break;
        case 8: hcct_enter(t, r >> 52 & 7 ? key : (uint32_t)any(seed) | 1, weight); break;
        default: hcct_enter(t, key, weight); break;
        }
    }
}

/* Returns 1 if it was read. */
static int comes_back(const hcct *t, const hcct_config *config) {
    hcct_stats stats;
    blob b = {0};
    contexts c;
    dump_fault fault;
    int bad;
    memset(&fault, 0, sizeof fault);
    memset(&c, 0, sizeof c);
    hcct_get_stats(t, &stats);
    CHECK_EQ(hcct_write(t, key_name, NULL, blob_write, &b), 0);
    bad = read_file(&c, b.bytes, b.size, &fault);
    CHECK_EQ(bad, 0);
    if (bad) {
        printf("    algorithm %lu, monitored %lu: %s\n", (unsigned long)config->algorithm,
               (unsigned long)config->monitored, fault.reason);
    } else {
        contexts_settle(&c);
        CHECK(c.count == 1 && c.trees[0].field[CONTEXTS_TOTAL] == stats.total);
        CHECK(c.trees[0].field[CONTEXTS_LOST] == stats.lost);
        CHECK_EQ(c.trees[0].count, stats.nodes + 1);
    }
    contexts_free(&c);
    free(b.bytes);
    return !bad;
}

TEST(whatever_is_written_is_read) {
    static uint64_t room[6000];
    static uint32_t returns[200];
    uint64_t seed = 29;
    uint32_t round, rounds = 2000 / TEST_SCALE, k, fits = 0;
    for (round = 0; round < rounds; round++) {
        hcct_config config = any_config(&seed, returns, 200);
        size_t bytes = (size_t)(test_random(&seed) % sizeof room);
        hcct t;
        if (hcct_init(&t, room, bytes, &config) == 0) continue;
        fits++;
        (void)comes_back(&t, &config);
        for (k = 0; k < 3; k++) {
            any_events(&t, &seed);
            if (test_random(&seed) % 4 == 0) hcct_burst_end(&t);
            if (test_random(&seed) % 4 == 0) hcct_scale_to(&t, any(&seed));
            if (!comes_back(&t, &config)) break;
        }
    }
    CHECK(fits > rounds / 4 && fits < rounds / 20 * 19);
}
