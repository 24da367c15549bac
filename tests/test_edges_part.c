/* test_edges_part.c - parts of kind 4 from strangers: every flipped bit and
   every cut of a payload inside of a right container is refused or is read,
   added up, reported in every form and written again without harm. */
#include "test.h"
#include "base/input.h"
#include "report/kinds/edges.h"
#include "report/kinds/sources.h"
#include "report/model/coverage.h"

/* A function of four vertices, counted, left early twice; and marks of another,
   also of a test. */
static const unsigned char payload[] = {
    1, 1, 2,   3, 4,   5,   6,   7,   8, 1, 'f', 3, 'a', '.', 'c', 32,  0, 0, 4, 4, 0,
    0, 1, 10,  2, 11,  12,  0,   0,   1, 1, 1,   2, 2,   3,   4,   3,   2, 1, 2, 3, 4,
    5, 6, 7,   8, 32,  2,   7,   200, 1, 1, 2,   2, 0,   1,   8,   7,   6, 5, 4, 3, 2,
    1, 1, 'g', 3, 'b', '.', 'c', 8,   0, 0, 3,   2, 0,   1,   1,   5,   1, 6, 0, 1, 1,
    1, 2, 2,   8, 7,   6,   5,   4,   3, 2, 1,   8, 3,   1,   0,   255, 1, 0,
    /* and once more, by the test "t" */
    3, 1, 't', 2, 8,   7,   6,   5,   4, 3, 2,   1, 8,   3,   0,   1,   1, 0,
};

static text file_of(const unsigned char *bytes, size_t size) {
    text file = {NULL, 0, 0};
    dump_writer w;
    dump_begin(&w, &file, 4);
    dump_put_bytes(&w, bytes, size);
    dump_end(&w);
    return file;
}

static int load(input *in, const text *file) {
    dump d;
    dump_fault fault;
    int faulty;
    memset(in, 0, sizeof *in);
    if (dump_read(&d, (const unsigned char *)file->data, file->size, &fault) != 0) return -1;
    faulty = input_read(in, &d, &fault);
    if (faulty) CHECK(fault.offset <= file->size && fault.reason[0]);
    dump_free(&d);
    return faulty;
}

static void show(const input *in) {
    report r;
    size_t i;
    memset(&r, 0, sizeof r);
    report_make(&r, in);
    r.title = text_clean("test", 4);
    for (i = 0; writer_list[i]; i++) {
        text out = {NULL, 0, 0};
        /* as report_check has it: a form with nothing to show is not asked
           for */
        if (writer_list[i]->has && !writer_list[i]->has(&r)) continue;
        writer_list[i]->write(&r, &out);
        text_free(&out);
    }
    report_free(&r);
}

/* Returns 1 if it was accepted. */
static int try(const unsigned char *bytes, size_t size) {
    text file = file_of(bytes, size), written = {NULL, 0, 0};
    input in, again;
    int accepted = load(&in, &file) == 0;
    if (accepted) {
        input_settle(&in);
        show(&in);
        input_write(&in, &written);
        if (written.size) {
            CHECK_EQ(load(&again, &written), 0);
            input_free(&again);
        }
    }
    input_free(&in);
    text_free(&file);
    text_free(&written);
    return accepted;
}

TEST(the_part_is_read) {
    text file = file_of(payload, sizeof payload), out = {NULL, 0, 0};
    const edges_all *all;
    const coverage_all *covered;
    report r;
    input in;
    memset(&r, 0, sizeof r);
    CHECK_EQ(load(&in, &file), 0);
    input_settle(&in);
    all = (const edges_all *)input_find(&in, &kind_edges);
    if (CHECK(all != NULL)) {
        CHECK_EQ(all->count, 2);
        CHECK_EQ(all->function_count, 2);
        CHECK_EQ(all->unnamed.count, 2);
        CHECK_EQ(all->test_count, 1);
        CHECK_EQ(all->counts[0].value[1], 1);           /* of the test alone */
        CHECK_EQ(all->unnamed.list[0].value[1], 0);
    }
    report_make(&r, &in);
    covered = coverage_in(&r);
    if (CHECK(covered && covered->count == 2)) {
        CHECK_EQ(covered->files[0].line_count, 3);
        CHECK_EQ(covered->wrapping_bits, 32);
        CHECK_EQ(covered->has_marks, 1);
    }
    input_write(&in, &out);
    CHECK(out.size > sizeof payload);
    report_free(&r);
    input_free(&in);
    text_free(&file);
    text_free(&out);
}

/* The counts of a test are apart from those of other runs, and part of the
   whole. */
TEST(tests_are_apart) {
    text file = file_of(payload, sizeof payload);
    const coverage_all *covered;
    report r;
    input in;
    memset(&r, 0, sizeof r);
    CHECK_EQ(load(&in, &file), 0);
    input_settle(&in);
    report_make(&r, &in);
    covered = coverage_in(&r);
    if (CHECK(covered && covered->counts->test_count == 1)) {
        coverage_all *one = coverage_by_test(covered, 0), *rest = coverage_by_test(covered, 1);
        CHECK_EQ(one->count, 2);
        CHECK_EQ(coverage_sum(one).functions.hit, 1);
        CHECK_EQ(one->files[0].functions_hit, 0);
        CHECK_EQ(coverage_sum(rest).functions.hit, coverage_sum(covered).functions.hit);
        coverage_free(one);
        coverage_free(rest);
    }
    report_free(&r);
    input_free(&in);
    text_free(&file);
}

/* Each cut and each flipped bit of a part of sources is refused, or is read and
   written again. */
TEST(sources_are_read) {
    static const unsigned char records[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9,   9,   9,  9, 9,
                                            9, 9, 9, 3, 'a', '.', 'c', 1, 2, 3, 4, 5, 6, 7,
                                            8, 9, 9, 9, 9, 9, 9, 9, 0, 3, 'a', '.', 'c'};
    const uint64_t key = UINT64_C(0x0807060504030201);
    size_t size, bit;
    int whole = 0;
    for (size = 0; size <= sizeof records; size++) {
        for (bit = 0; bit <= 8 * size; bit++) {
            unsigned char bytes[sizeof records];
            text file = {NULL, 0, 0}, written = {NULL, 0, 0};
            dump_writer w;
            input in, again;
            memcpy(bytes, records, sizeof records);
            if (bit < 8 * size) bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            dump_begin(&w, &file, SOURCED_KIND);
            dump_put_bytes(&w, bytes, size);
            dump_end(&w);
            if (load(&in, &file) == 0) {
                const sourced_all *all;
                input_settle(&in);
                all = (const sourced_all *)input_find(&in, &kind_sources);
                if (size == sizeof records && bit == 8 * size) {
                    whole = 1;
                    CHECK_EQ(all->count, 2);
                    CHECK(sourced_has(all, "a.c", UINT64_C(0x0009090909090909)));
                    CHECK(!sourced_has(all, "b.c", UINT64_C(0x0009090909090909)));
                    CHECK(!sourced_differs(all, key, "a.c", UINT64_C(0x0909090909090909)));
                    CHECK(sourced_differs(all, key, "a.c", 7));
                    CHECK(!sourced_differs(all, 7, "a.c", 7));
                }
                input_write(&in, &written);
                CHECK_EQ(load(&again, &written), 0);
                input_free(&again);
            }
            input_free(&in);
            text_free(&file);
            text_free(&written);
        }
    }
    CHECK(whole);
}

/* Another object may have a copy of f: its counters have another key. In the
   report it is one. */
TEST(copies_of_a_function_are_one) {
    static const unsigned char key[] = {1, 2, 3, 4, 5, 6, 7, 8};
    unsigned char bytes[2 * sizeof payload];
    const coverage_all *covered;
    uint64_t entries = 0, line = 0;
    size_t i;
    int copies;
    for (copies = 1; copies <= 2; copies++) {
        text file;
        report r;
        input in;
        memcpy(bytes, payload, sizeof payload);
        memcpy(bytes + sizeof payload, payload, sizeof payload);
        for (i = sizeof payload; i + sizeof key <= sizeof bytes; i++)
            if (memcmp(bytes + i, key, sizeof key) == 0) bytes[i] = 99;
        file = file_of(bytes, (size_t)copies * sizeof payload);
        memset(&r, 0, sizeof r);
        CHECK_EQ(load(&in, &file), 0);
        input_settle(&in);
        report_make(&r, &in);
        covered = coverage_in(&r);
        if (CHECK(covered && covered->count == 2)) {
            const coverage_file *f = &covered->files[0];
            CHECK_EQ(f->function_count, 1);
            CHECK_EQ(f->branch_count, 2);
            CHECK_EQ(f->functions_hit, 1);
            if (copies == 1) entries = f->functions[0].entries;
            if (copies == 1) line = f->lines[0].count;
            CHECK(entries > 0 && line > 0);
            CHECK_EQ(f->functions[0].entries, (uint64_t)copies * entries);
            CHECK_EQ(f->lines[0].count, (uint64_t)copies * line);
        }
        report_free(&r);
        input_free(&in);
        text_free(&file);
    }
}

TEST(every_cut_and_flip) {
    unsigned char bytes[sizeof payload];
    size_t i, accepted = 0, refused = 0;
    int bit;
    for (i = 0; i < sizeof payload; i++) {
        if (try(payload, i))
            accepted++;
        else
            refused++;
        for (bit = 0; bit < 8; bit++) {
            memcpy(bytes, payload, sizeof payload);
            bytes[i] = (unsigned char)(bytes[i] ^ 1u << bit);
            if (try(bytes, sizeof bytes))
                accepted++;
            else
                refused++;
        }
    }
    CHECK(accepted > 50 && refused > 200);
}

TEST(random_bytes) {
    unsigned char bytes[100];
    uint64_t seed = 1;
    uint32_t i, k;
    for (i = 0; i < 3000; i++) {
        size_t size = 1 + (size_t)(test_random(&seed) % sizeof bytes);
        memcpy(bytes, payload, size < sizeof payload ? size : sizeof payload);
        for (k = 0; k < 4; k++)
            bytes[test_random(&seed) % size] = (unsigned char)test_random(&seed);
        try(bytes, size < sizeof payload ? size : sizeof payload);
    }
}
