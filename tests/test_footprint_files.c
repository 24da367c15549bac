/* test_footprint_files.c - parts of kind 3: what footprint.h writes comes back,
   what is damaged is refused, names count in full, memory is linear in the
   file, and adding up has no order. */
#include "test.h"
#include "base/input.h"
#include "base/tool.h"
#include "report/kinds/footprints.h"

static uint64_t memory[300000], table[200000];
static dump_fault fault;

static int read_file(footprints *f, const text *file) {
    dump d;
    size_t i;
    int bad = 0;
    memset(f, 0, sizeof *f);
    memset(&fault, 0, sizeof fault);
    if (dump_read(&d, (const unsigned char *)file->data, file->size, &fault) != 0) return -1;
    for (i = 0; i < d.part_count && !bad; i++)
        bad = kind_footprints.read(f, &d, &d.parts[i], &fault);
    dump_free(&d);
    return bad;
}

static int refuses(const text *file) {
    footprints f;
    int bad = read_file(&f, file);
    kind_footprints.free(&f);
    return bad && fault.offset <= file->size && fault.reason[0];
}

static footprint_profile make_profile(uint32_t seed) {
    footprint fp;
    footprint_profile p;
    uint64_t state = seed;
    uint32_t i;
    CHECK(footprint_init(&fp, memory, sizeof memory, NULL) > 0);
    for (i = 0; i < 3000; i++) footprint_access(&fp, test_random(&state) % (i < 1500 ? 200 : 20));
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    return p;
}

static int same(const footprint_profile *a, const footprint_profile *b) {
    return a->rows == b->rows && a->columns == b->columns && a->accesses == b->accesses &&
           a->blocks == b->blocks && a->flags == b->flags && a->last_window == b->last_window &&
           a->last_blocks == b->last_blocks && a->block_log2 == b->block_log2 && !(a->c < b->c) &&
           !(a->c > b->c) &&
           memcmp(a->at_least, b->at_least, a->rows * (size_t)a->columns * sizeof(uint64_t)) == 0 &&
           memcmp(a->depth, b->depth, a->rows * sizeof(uint64_t)) == 0 &&
           memcmp(a->total, b->total, a->columns * sizeof *a->total) == 0;
}

TEST(what_is_written_comes_back) {
    footprint_profile p = make_profile(1), q;
    footprints f;
    text file = {NULL, 0, 0}, again = {NULL, 0, 0};
    void *tables;
    CHECK_EQ(footprint_write(&p, "some name", text_write, &file), 0);
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK(f.count == 1 && f.parts[0].name_size == 9);
    q = footprints_lay_out(&f.parts[0], &tables);
    CHECK(same(&p, &q));
    free(tables);
    kind_footprints.write(&f, &again);
    CHECK(again.size == file.size && memcmp(again.data, file.data, file.size) == 0);
    kind_footprints.free(&f);
    text_free(&file);
    text_free(&again);
}

/* A sample: 40 bursts, of which no two are alike. */
static footprint_profile make_sample(uint32_t seed) {
    footprint_config config = {0, 0, 0, FOOTPRINT_BURSTS, 0, 0, NULL, NULL, NULL};
    footprint fp;
    footprint_profile p;
    uint64_t state = seed;
    uint32_t i, k;
    CHECK(footprint_init(&fp, memory, sizeof memory, &config) > 0);
    for (i = 0; i < 40; i++) {
        for (k = 0; k < 200 + i; k++) footprint_access(&fp, test_random(&state) % 50);
        footprint_burst(&fp);
    }
    CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
    return p;
}

static int same_sample(const footprint_profile *a, const footprint_profile *b) {
    size_t rows = FOOTPRINT_GROUPS * (size_t)a->rows;
    size_t columns = FOOTPRINT_GROUPS * (size_t)a->columns;
    return same(a, b) && a->bursts == b->bursts && a->groups == b->groups &&
           memcmp(a->reuse, b->reuse, (a->columns + 1) * sizeof *a->reuse) == 0 &&
           memcmp(a->group_depth, b->group_depth, rows * sizeof *a->group_depth) == 0 &&
           memcmp(a->group_cut, b->group_cut, rows * sizeof *a->group_cut) == 0 &&
           memcmp(a->group_total, b->group_total, columns * sizeof *a->group_total) == 0;
}

TEST(samples_come_back_and_add_up) {
    static uint64_t sums[200000];
    footprint_profile p = make_sample(3), q, sum;
    footprints f;
    text file = {NULL, 0, 0}, again = {NULL, 0, 0};
    void *tables;
    CHECK_EQ(footprint_write(&p, "sample", text_write, &file), 0);
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK(f.count == 1 && f.parts[0].version == 2 && f.parts[0].profile.groups == 16);
    q = footprints_lay_out(&f.parts[0], &tables);
    CHECK(same_sample(&p, &q) && q.bursts == 40);
    free(tables);
    kind_footprints.write(&f, &again);
    CHECK(again.size == file.size && memcmp(again.data, file.data, file.size) == 0);
    kind_footprints.free(&f);
    CHECK_EQ(footprint_profile_init(&sum, p.rows + 9, p.columns, FOOTPRINT_BURSTS, sums,
                                    sizeof sums), 0);
    CHECK_EQ(footprint_add(&sum, &p), 0);
    p = make_sample(4);
    CHECK_EQ(footprint_add(&sum, &p), 0);
    CHECK_EQ(footprint_write(&p, "sample", text_write, &file), 0);
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK_EQ(f.count, 1);
    q = footprints_lay_out(&f.parts[0], &tables);
    sum.rows = q.rows;                            /* fewer than there was room for: */
    CHECK(q.bursts == 80 && q.accesses == sum.accesses && q.blocks == sum.blocks);
    CHECK(footprint_average_of(&q, 100) == footprint_average_of(&sum, 100));
    CHECK(memcmp(q.group_total, sum.group_total,
                 FOOTPRINT_GROUPS * (size_t)q.columns * sizeof *q.group_total) == 0);
    CHECK(memcmp(q.reuse, sum.reuse, (q.columns + 1) * sizeof *q.reuse) == 0);
    free(tables);
    kind_footprints.free(&f);
    text_free(&file);
    text_free(&again);
}

/* What 0.2.0 wrote before bursts were boundaries has no flag 256 and nothing
   behind its columns. It is read, and not added to what is known better. */
TEST(version_1_stays_readable) {
    footprint_profile p = make_profile(5), q;
    footprints f;
    text file = {NULL, 0, 0}, again = {NULL, 0, 0};
    void *tables;
    CHECK_EQ(footprint_write(&p, "old", text_write, &file), 0);
    CHECK_EQ(read_file(&f, &file), 0);
    f.parts[0].version = 1;
    kind_footprints.write(&f, &again);
    kind_footprints.free(&f);
    CHECK(again.size < file.size);
    CHECK_EQ(read_file(&f, &again), 0);
    CHECK(f.parts[0].version == 1 && f.parts[0].reuse == NULL);
    q = footprints_lay_out(&f.parts[0], &tables);
    CHECK(same(&p, &q) && q.reuse == NULL && q.groups == 0);
    CHECK(footprint_miss_ratio_by_average(&q, 50) == -1 && footprint_miss_ratio(&q, 50) >= 0);
    CHECK(footprint_fill_time(&q, 20) == footprint_fill_time(&p, 20));
    free(tables);
    kind_footprints.free(&f);
    text_bytes(&file, again.data, again.size);
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK(f.count == 2 && f.parts[0].version != f.parts[1].version);
    kind_footprints.free(&f);
    text_free(&file);
    text_free(&again);
}

TEST(averages_come_back) {
    footprint_average av;
    footprint_profile p, q;
    footprints f;
    text file = {NULL, 0, 0}, again = {NULL, 0, 0};
    void *tables;
    uint32_t i;
    CHECK(footprint_average_init(&av, memory, sizeof memory, NULL) > 0);
    for (i = 0; i < 3000; i++) footprint_average_access(&av, i * i % 211);
    CHECK_EQ(footprint_average_snapshot(&av, &p, table, sizeof table), 0);
    CHECK_EQ(footprint_write(&p, "averages", text_write, &file), 0);
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK_EQ(f.count, 1);
    q = footprints_lay_out(&f.parts[0], &tables);
    CHECK(q.flags == FOOTPRINT_AVERAGE && q.block_log2 == 6 && q.rows == 1);
    CHECK(same(&p, &q) && q.accesses == 3000);
    kind_footprints.write(&f, &again);
    CHECK(again.size == file.size && memcmp(again.data, file.data, file.size) == 0);
    free(tables);
    kind_footprints.free(&f);
    text_free(&file);
    text_free(&again);
}

static void refuses_damage(const footprint_profile *p) {
    text file = {NULL, 0, 0};
    size_t size, i;
    int bit;
    CHECK_EQ(footprint_write(p, "x", text_write, &file), 0);
    size = file.size;
    for (file.size = 1; file.size < size; file.size++) CHECK(refuses(&file));
    for (i = 0; i < size; i += i < 300 || i + 100 > size ? 1 : 31) {
        for (bit = 0; bit < 8; bit++) {
            int kind = i == 6 || i == 7; /* another kind is not for this reader */
            file.data[i] = (char)(file.data[i] ^ 1 << bit);
            CHECK(refuses(&file) || kind);
            file.data[i] = (char)(file.data[i] ^ 1 << bit);
        }
    }
    text_free(&file);
}

/* A payload that is cut short behind any of its numbers, with a right checksum,
   and numbers out of range. */
static void refuses_short_payload(const footprint_profile *p) {
    text file = {NULL, 0, 0}, part = {NULL, 0, 0};
    footprints f;
    dump d;
    size_t size;
    CHECK_EQ(footprint_write(p, "x", text_write, &file), 0);
    CHECK_EQ(dump_read(&d, (const unsigned char *)file.data, file.size, &fault), 0);
    for (size = 0; size <= d.parts[0].size; size += size < 200 ? 1 : 13) {
        dump_writer w;
        dump_begin(&w, &part, DUMP_FOOTPRINT);
        dump_put_bytes(&w, (const char *)d.parts[0].payload, size);
        dump_end(&w);
        CHECK(refuses(&part) || size == d.parts[0].size);
        part.size = 0;
    }
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.free(&f);
    dump_free(&d);
    text_free(&file);
    text_free(&part);
}

TEST(refuses_truncations_and_flipped_bits) {
    footprint_profile p = make_profile(2);
    refuses_damage(&p);
    refuses_short_payload(&p);
    p = make_sample(2);
    refuses_damage(&p);
    refuses_short_payload(&p);
    p.groups = 3;
    {
        text file = {NULL, 0, 0};
        CHECK_EQ(footprint_write(&p, "x", text_write, &file), 0);
        CHECK(refuses(&file) && strstr(fault.reason, "groups are not"));
        text_free(&file);
    }
}

/* A part with so many rows and columns; one cell in the column `marked`, in its
   last row. */
static void hostile(text *out, const char *name, size_t name_size, uint32_t bins, uint32_t marked,
                    uint64_t cell) {
    dump_writer w;
    uint32_t i, k;
    dump_begin(&w, out, DUMP_FOOTPRINT);
    dump_put(&w, name_size);
    dump_put_bytes(&w, name, name_size);
    for (i = 0; i < 3; i++) dump_put(&w, 0);
    dump_put(&w, 1000000000);
    for (i = 0; i < 5; i++) dump_put(&w, 7);
    dump_put(&w, bins);
    dump_put(&w, bins);
    for (i = 0; i < bins; i++) dump_put(&w, 0);
    for (i = 0; i < bins; i++) {
        for (k = 0; k < 3; k++) dump_put(&w, 0);
        dump_put(&w, i == marked ? bins - 1 : 0);
        dump_put(&w, i == marked);
        if (i == marked) dump_put(&w, cell);
    }
    dump_end(&w);
}

/* Names that differ in byte 1100 alone, and names with a zero byte, are
   different. */
TEST(names_count_in_full) {
    char name[1101];
    footprints f;
    text file = {NULL, 0, 0};
    memset(name, 'n', sizeof name);
    hostile(&file, name, sizeof name, 3, 1, 1);
    name[1100] = 'm';
    hostile(&file, name, sizeof name, 3, 1, 1);
    hostile(&file, "a\0b", 3, 3, 1, 1);
    hostile(&file, "a\0c", 3, 3, 1, 1);
    hostile(&file, "a\0c", 3, 3, 2, 5);
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK_EQ(f.count, 4);
    CHECK_EQ(f.parts[3].profile.accesses, 14);
    CHECK(f.parts[0].name[1100] == 'n' && f.parts[1].name[1100] == 'm');
    kind_footprints.free(&f);
    text_free(&file);
}

static size_t bytes_of(const footprints *f) {
    size_t i, bytes = 2 * f->count * sizeof *f->parts;
    for (i = 0; i < f->count; i++) {
        const footprints_part *p = &f->parts[i];
        bytes += p->name_size + 1 + 2 * p->cell_count * sizeof *p->cells;
        bytes += p->profile.rows * sizeof *p->depth + p->profile.columns * sizeof *p->total;
    }
    return bytes;
}

/* 300 parts of 496 x 496 cells, few of which are not 0: 1 MB of file. They took 600
   MB. */
TEST(memory_is_linear_in_the_file) {
    footprints f;
    text file = {NULL, 0, 0};
    char name[8];
    uint32_t i;
    for (i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "%u", (unsigned)i);
        hostile(&file, name, strlen(name), 496, i, i + 1);
    }
    CHECK_EQ(read_file(&f, &file), 0);
    CHECK(bytes_of(&f) < 40 * file.size);
    kind_footprints.settle(&f);
    CHECK_EQ(f.count, 300);
    CHECK(bytes_of(&f) < 40 * file.size);
    kind_footprints.free(&f);
    file.size = 0;
    for (i = 0; i < 300; i++) hostile(&file, "one", 3, 496, i, i + 1); /* added up to one */
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK(f.count == 1 && f.parts[0].cell_count == 300);
    kind_footprints.free(&f);
    file.size = 0;
    for (i = 0; i < 20000; i++) { /* small ones, all named: not every pair is compared */
        snprintf(name, sizeof name, "%u", (unsigned)i);
        hostile(&file, name, strlen(name), 1, 0, 1);
    }
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK(f.count == 20000 && strcmp(f.parts[19999].name, "19999") == 0);
    CHECK(bytes_of(&f) < 40 * file.size);
    kind_footprints.free(&f);
    text_free(&file);
}

/* A part that promises rows and columns which cannot be in it gets no memory
   for them. */
TEST(promises_are_not_believed) {
    dump_writer w;
    text file = {NULL, 0, 0};
    int i;
    dump_begin(&w, &file, DUMP_FOOTPRINT);
    for (i = 0; i < 4; i++) dump_put(&w, 0);
    dump_put(&w, 1000000000);
    for (i = 0; i < 5; i++) dump_put(&w, 7);
    dump_put(&w, 496);
    dump_put(&w, 496);
    dump_end(&w);
    CHECK(refuses(&file));
    CHECK_STR(fault.reason, "the part is too short for its rows and columns");
    text_free(&file);
}

TEST(sums_saturate_and_stay_readable) {
    footprints f, again;
    text file = {NULL, 0, 0}, sum = {NULL, 0, 0};
    footprint_profile p;
    void *tables;
    hostile(&file, "s", 1, 5, 1, UINT64_MAX - 1);
    hostile(&file, "s", 1, 4, 1, 7);
    CHECK_EQ(read_file(&f, &file), 0);
    kind_footprints.settle(&f);
    CHECK_EQ(f.count, 1);
    CHECK(f.parts[0].profile.flags & FOOTPRINT_SATURATED);
    p = footprints_lay_out(&f.parts[0], &tables);
    CHECK(footprint_windows(&p, 1) == UINT64_MAX && footprint_at_least(&p, 1, 4) == UINT64_MAX - 1);
    free(tables);
    kind_footprints.write(&f, &sum);
    CHECK_EQ(read_file(&again, &sum), 0);
    kind_footprints.free(&f);
    kind_footprints.free(&again);
    text_free(&file);
    text_free(&sum);
}

/* The sum is the same in any order of files, but for the order of names. */
TEST(order_does_not_matter) {
    footprint_profile p = make_profile(3);
    text a = {NULL, 0, 0}, b = {NULL, 0, 0}, ab = {NULL, 0, 0}, ba = {NULL, 0, 0};
    footprints f;
    hostile(&a, "t", 1, 496, 3, 9);
    CHECK_EQ(footprint_write(&p, "t", text_write, &b), 0);
    p = make_profile(4);
    CHECK_EQ(footprint_write(&p, "t", text_write, &b), 0);
    text_bytes(&ab, a.data, a.size);
    text_bytes(&ab, b.data, b.size);
    text_bytes(&ba, b.data, b.size);
    text_bytes(&ba, a.data, a.size);
    a.size = b.size = 0;
    CHECK_EQ(read_file(&f, &ab), 0);
    kind_footprints.settle(&f);
    CHECK_EQ(f.count, 2); /* c and the size of blocks differ */
    kind_footprints.write(&f, &a);
    kind_footprints.free(&f);
    CHECK_EQ(read_file(&f, &ba), 0);
    kind_footprints.settle(&f);
    kind_footprints.write(&f, &b);
    kind_footprints.free(&f);
    CHECK_EQ(a.size, b.size);
    text_free(&a);
    text_free(&b);
    text_free(&ab);
    text_free(&ba);
}

/* ---- what is written is read, whatever the configuration ---- */

static uint64_t any(uint64_t *seed) { /* of every size, and the ends often */
    uint64_t r = test_random(seed);
    switch (r & 7) {
    case 0: return 0;
    case 1: return UINT64_MAX;
    default: return test_random(seed) >> (r >> 8 & 63);
    }
}

static footprint_config any_config(uint64_t *seed) {
    static const double c[] = {0, 1, .9, .5, .001, -3, 7, 1e300};
    footprint_config config;
    memset(&config, 0, sizeof config);
    config.c = c[test_random(seed) & 7];
    config.window_max = any(seed);
    config.blocks_max = (uint32_t)any(seed);
    config.flags = (uint32_t)any(seed);
    config.sample_log2 = test_random(seed) % 2 ? 0 : (uint32_t)any(seed);
    config.block_log2 = (uint32_t)any(seed) & (test_random(seed) % 2 ? 127 : UINT32_MAX);
    return config;
}

static void any_events(footprint *fp, footprint_average *av, footprint_pair *pair,
                       uint64_t *seed) {
    uint64_t set = 1 + test_random(seed) % 500, i, n = test_random(seed) % 3000, block;
    for (i = 0; i < n; i++) {
        block = test_random(seed) % 9 ? test_random(seed) % set : any(seed);
        if (test_random(seed) % 400 == 0) block = any(seed);
        footprint_access(fp, block);
        footprint_average_access(av, block);
        footprint_pair_run(pair, (int)(block & 1), 1 + any(seed) % 50);
        if (test_random(seed) % 300) continue;
        block = any(seed);
        footprint_access_repeat(fp, block);
        footprint_average_access_repeat(av, block);
        footprint_pair_run(pair, 1, any(seed));
        footprint_reference(fp, (void *)(uintptr_t)block, (size_t)(any(seed) % 300));
        footprint_average_reference(av, (void *)(uintptr_t)block, (size_t)(any(seed) % 300));
    }
}

static void comes_back(const footprint_profile *p) {
    footprints f;
    footprint_profile q;
    text file = {NULL, 0, 0};
    void *tables = NULL;
    int bad;
    CHECK_EQ(footprint_write(p, "any", text_write, &file), 0);
    bad = read_file(&f, &file);
    CHECK_EQ(bad, 0);
    if (bad) printf("    %s\n", fault.reason);
    else {
        q = footprints_lay_out(&f.parts[0], &tables);
        CHECK(same(p, &q));
    }
    free(tables);
    kind_footprints.free(&f);
    text_free(&file);
}

TEST(whatever_is_written_is_read) {
    static uint64_t room[3][300000], place[4][500 * 520 + 2000];
    uint64_t seed = 29;
    uint32_t round, rounds = 400 / TEST_SCALE, fits = 0;
    for (round = 0; round < rounds; round++) {
        footprint fp;
        footprint_average av;
        footprint_pair pair;
        footprint_profile early[3], late[3], sum;
        footprint_config config = any_config(&seed);
        size_t bytes = sizeof room[0], size = sizeof place[0];
        uint32_t i;
        if (test_random(&seed) % 2) bytes = (size_t)(test_random(&seed) % sizeof room[0]);
        fits += footprint_init(&fp, room[0], bytes, &config) > 0;
        (void)footprint_average_init(&av, room[1], bytes / 8, &config);
        (void)footprint_pair_init(&pair, room[2], bytes, &config);
        any_events(&fp, &av, &pair, &seed);
        for (i = 0; i < 3; i++) {
            int status = i == 0   ? footprint_snapshot(&fp, &early[0], place[0], size)
                         : i == 1 ? footprint_average_snapshot(&av, &early[1], place[0], size)
                                  : footprint_pair_snapshot(&pair, &early[2], place[0], size);
            CHECK_EQ(status, 0);
            comes_back(&early[i]);
        }
        /* of the pair: a phase, and a sum of as many rows as somebody may ask
           for */
        any_events(&fp, &av, &pair, &seed);
        CHECK_EQ(footprint_pair_snapshot(&pair, &late[2], place[1], size), 0);
        CHECK_EQ(footprint_profile_init(&sum, early[2].rows + 40, (uint32_t)(any(&seed) % 600), 0,
                                        place[2], size), 0);
        comes_back(&sum);
        CHECK_EQ(footprint_profile_init(&sum, early[2].rows + 40, 496, 0, place[2], size), 0);
        if (late[2].rows <= sum.rows) CHECK_EQ(footprint_add(&sum, &late[2]), 0);
        CHECK_EQ(footprint_add(&sum, &early[2]), 0);
        comes_back(&sum);
        if (footprint_subtract(&late[2], &early[2]) == 0) comes_back(&late[2]);
        /* of the others */
        CHECK_EQ(footprint_snapshot(&fp, &early[0], place[0], size), 0);
        any_events(&fp, &av, &pair, &seed);
        CHECK_EQ(footprint_snapshot(&fp, &late[0], place[1], size), 0);
        CHECK_EQ(footprint_profile_init(&sum, 496, 496, 0, place[2], size), 0);
        CHECK_EQ(footprint_add(&sum, &early[0]), 0);
        CHECK_EQ(footprint_add(&sum, &late[0]), 0);
        comes_back(&sum);
        CHECK_EQ(footprint_subtract(&late[0], &early[0]), 0);
        comes_back(&late[0]);
        CHECK_EQ(footprint_average_snapshot(&av, &early[1], place[0], size), 0);
        any_events(&fp, &av, &pair, &seed);
        CHECK_EQ(footprint_average_snapshot(&av, &late[1], place[1], size), 0);
        CHECK_EQ(footprint_subtract(&late[1], &early[1]), 0);
        comes_back(&late[1]);
    }
    CHECK(fits > rounds / 4 && fits < rounds);
}
