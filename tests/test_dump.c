/* test_dump.c - the reader of dumps: what it accepts, what it refuses and
   where, and that adding up has no order. */
#include "test.h"
#include "base/tool.h"
#include "brst.inc"
#include "report/kinds/sampled.h"

static dump_fault fault;

/* Everything a file goes through. 0, or -1 with fault filled. */
static int load(tally *s, const unsigned char *data, size_t size) {
    dump d;
    size_t i;
    int bad;
    memset(&fault, 0, sizeof fault);
    if (dump_read(&d, data, size, &fault) != 0) return -1;
    for (i = 0, bad = 0; i < d.part_count && !bad; i++)
        if (d.parts[i].kind == DUMP_SAMPLED) bad = kind_sampled.read(s, &d, &d.parts[i], &fault);
    dump_free(&d);
    return bad;
}

static int loads(const unsigned char *data, size_t size) {
    tally s;
    int bad;
    memset(&s, 0, sizeof s);
    bad = load(&s, data, size);
    kind_sampled.free(&s);
    return bad == 0;
}

/* Exact memory, so that a sanitizer sees one byte too many. */
static int loads_copy(const unsigned char *data, size_t size) {
    unsigned char *copy = (unsigned char *)tool_alloc(size);
    int loaded;
    memcpy(copy, data, size);
    loaded = loads(copy, size);
    free(copy);
    return loaded;
}

static text written(const unsigned char *data, size_t size) {
    tally s;
    text out = {NULL, 0, 0};
    memset(&s, 0, sizeof s);
    CHECK_EQ(load(&s, data, size), 0);
    kind_sampled.settle(&s);
    kind_sampled.write(&s, &out);
    kind_sampled.free(&s);
    return out;
}

static void small_part(brst *b, size_t chunk_bytes) {
    unsigned sum;
    brst_begin(b, 1, chunk_bytes);
    brst_info(b, 1000, "prog", 12345, 67, 8);
    brst_profile(b, 0, 990, 10, 6, 60);
    brst_thread(b, 3, 1, "jobs", 12345, 123, 67, 8);
    brst_number(b, 4);
    brst_site(b, "f", "a.c", 10, 1);
    brst_site(b, "g", "b.c", 300, 257);
    brst_counts(b, 40, 40 * 25600, 777);
    BRST(b, 4, 2, 0);
    brst_counts(b, 27, 27 * 25600, 0);
    BRST(b, 7, 1, 9, 900, 8, 2, 3);
    brst_counts(b, 5, 5 * 25600, 6);
    for (sum = 31; sum < 36; sum++) brst_number(b, sum);
    brst_end(b);
}

TEST(reads_every_field_at_every_chunk_size) {
    size_t chunk;
    for (chunk = 1; chunk < 200; chunk++) {
        brst b;
        tally s;
        memset(&b, 0, sizeof b);
        memset(&s, 0, sizeof s);
        small_part(&b, chunk);
        CHECK_EQ(load(&s, b.data, b.size), 0);
        CHECK_EQ(s.programs.count, 1);
        CHECK_EQ(s.profiles.count, 1);
        CHECK_EQ(s.threads.count, 1);
        CHECK_EQ(s.sites.count, 2);
        CHECK_EQ(s.rows.count, 3);
        CHECK_EQ(s.classes.count, 1);
        if (!test_broken) {
            CHECK_EQ(s.classes.at[0].class_bit, 1);
            CHECK_EQ(s.classes.at[0].bursts, 9);
            CHECK_EQ(s.classes.at[0].xx, 900);
            CHECK(s.rows.at[1].sums == NULL);
            CHECK_EQ(s.rows.at[2].sums->bursts, 31);
            CHECK_EQ(s.rows.at[2].sums->firsts, 32);
            CHECK_EQ(s.rows.at[2].sums->yy, 33);
            CHECK_EQ(s.rows.at[2].sums->ys, 34);
            CHECK_EQ(s.rows.at[2].sums->xy, 35);
            CHECK_STR(s.programs.at[0].name, "prog");
            CHECK_EQ(s.programs.at[0].clock_hz, 1000);
            CHECK_EQ(s.programs.at[0].checks, 12345);
            CHECK_EQ(s.programs.at[0].events, 67);
            CHECK_EQ(s.programs.at[0].lost, 8);
            CHECK_EQ(s.profiles.at[0].check_count, 990);
            CHECK_EQ(s.profiles.at[0].burst_count, 10);
            CHECK_EQ(s.profiles.at[0].jitter_percent, 12);
            CHECK_EQ(s.profiles.at[0].classes, 63);
            CHECK_EQ(s.profiles.at[0].flags, PROFILE_TABLE);
            CHECK_EQ(s.profiles.at[0].bursts, 6);
            CHECK_EQ(s.profiles.at[0].events, 60);
            CHECK_EQ(s.threads.at[0].number, 3);
            CHECK_EQ(s.threads.at[0].flags, THREAD_ENDED);
            CHECK_STR(s.threads.at[0].name, "jobs");
            CHECK_EQ(s.threads.at[0].burst_checks, 123);
            CHECK_EQ(s.threads.at[0].events, 67);
            CHECK_EQ(s.threads.at[0].lost, 8);
            CHECK_STR(s.sites.at[0].name, "f");
            CHECK_STR(s.sites.at[1].file, "b.c");
            CHECK_EQ(s.sites.at[1].line, 300);
            CHECK_EQ(s.sites.at[1].kind, 257);
            CHECK_EQ(s.rows.at[0].site, 0);
            CHECK_EQ(s.rows.at[0].caller, 1);
            CHECK_EQ(s.rows.at[0].count, 40);
            CHECK_EQ(s.rows.at[0].weight_256, 40 * 25600);
            CHECK_EQ(s.rows.at[0].ticks, 777);
            CHECK_EQ(s.rows.at[1].site, 1);
            CHECK_EQ(s.rows.at[1].caller, TALLY_NO_SITE);
        }
        kind_sampled.free(&s);
        free(b.data);
    }
}

/* Two parts behind each other: the only good prefix is the first part. */
TEST(refuses_every_truncation) {
    brst b;
    size_t size, first;
    memset(&b, 0, sizeof b);
    small_part(&b, 13);
    first = b.size;
    small_part(&b, 256);
    CHECK(loads(b.data, b.size));
    for (size = 0; size < b.size; size++) {
        CHECK_EQ(loads_copy(b.data, size), size == first);
        CHECK(size == first || (fault.reason[0] && fault.offset <= size));
    }
    free(b.data);
}

TEST(refuses_every_flipped_bit) {
    brst b;
    size_t bit;
    memset(&b, 0, sizeof b);
    small_part(&b, 13);
    for (bit = 0; bit < 8 * b.size; bit++) {
        b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        CHECK(!loads_copy(b.data, b.size));
        CHECK(fault.reason[0] && fault.offset <= b.size);
        b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    CHECK(loads(b.data, b.size));
    free(b.data);
}

/* Chunks of 5 payload bytes take 11: leave one out, repeat one, swap two. */
TEST(refuses_chunks_missing_repeated_or_moved) {
    enum { FIRST = 16, CHUNK = 2 + 5 + 4 };
    brst b;
    unsigned char *copy, swap[CHUNK];
    memset(&b, 0, sizeof b);
    small_part(&b, 5);
    copy = (unsigned char *)tool_alloc(b.size + CHUNK);
    memcpy(copy, b.data, FIRST);
    memcpy(copy + FIRST, b.data + FIRST + CHUNK, b.size - FIRST - CHUNK);
    CHECK(!loads(copy, b.size - CHUNK));
    CHECK(strstr(fault.reason, "checksum error") != NULL);
    memcpy(copy + FIRST, b.data + FIRST, CHUNK);
    memcpy(copy + FIRST + CHUNK, b.data + FIRST, b.size - FIRST);
    CHECK(!loads(copy, b.size + CHUNK));
    memcpy(copy, b.data, b.size);
    memcpy(swap, copy + FIRST, CHUNK);
    memcpy(copy + FIRST, copy + FIRST + CHUNK, CHUNK);
    memcpy(copy + FIRST + CHUNK, swap, CHUNK);
    CHECK(!loads(copy, b.size));
    free(copy);
    free(b.data);
}

static void refused(brst *b, size_t offset, const char *reason) {
    CHECK(!loads_copy(b->data, b->size));
    CHECK_STR(fault.reason, reason);
    CHECK_EQ(fault.offset, offset);
    b->size = 0;
}

TEST(says_what_is_wrong_with_the_container) {
    brst b;
    memset(&b, 0, sizeof b);
    CHECK(!loads((const unsigned char *)"", 0));
    CHECK_STR(fault.reason, "empty file");
    CHECK(!loads((const unsigned char *)"BRS", 3));
    CHECK_STR(fault.reason, "cut short in the header of a part");
    CHECK(!loads((const unsigned char *)"GIF89a", 6));
    CHECK_STR(fault.reason, "not a .brst file");
    brst_header(&b, 2, 1, 0, 256);
    brst_end(&b);
    refused(&b, 4, "unsupported version 2");
    brst_header(&b, 0, 1, 0, 256);
    brst_end(&b);
    refused(&b, 4, "unsupported version 0");
    brst_header(&b, 1, 1, 5, 256);
    brst_end(&b);
    refused(&b, 8, "unsupported flags");
    brst_begin(&b, 9, 256);
    brst_byte(&b, 1);
    brst_end_saying(&b, 2);
    refused(&b, 16 + 7 + 2, "the part's recorded size does not match its data");
    brst_begin(&b, 9, 256);
    brst_end(&b);
    CHECK(loads(b.data, b.size));
    brst_raw(&b, 'x', 1);
    refused(&b, 30, "not a .brst part");
    small_part(&b, 256);
    b.data[16] = 0xFF, b.data[17] = 0xFF;
    refused(&b, b.size, "cut short in a chunk of 65535 bytes");
    free(b.data);
}

/* Payload byte 0 of a part in one chunk stands at offset 18. */
TEST(says_what_is_wrong_with_the_records) {
    static const unsigned char long_number[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                                0xFF, 0xFF, 0xFF, 0xFF, 2};
    brst b;
    size_t at, i;
    memset(&b, 0, sizeof b);
    brst_begin(&b, 1, 256);
    brst_end(&b);
    refused(&b, 16, "a part of sampled events without info");
    brst_begin(&b, 1, 256);
    brst_thread(&b, 0, 0, "t", 1, 1, 1, 0);
    brst_end(&b);
    refused(&b, 18, "the first record is not info");
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 1, 1, 1);
    brst_info(&b, 0, "", 1, 1, 1);
    brst_end(&b);
    refused(&b, 18 + 6, "a second info record in one part");
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 1, 1, 1);
    brst_number(&b, 99);
    brst_end(&b);
    refused(&b, 18 + 6, "a record of unknown tag");
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 1, 1, 1);
    brst_number(&b, 4);
    brst_end(&b);
    refused(&b, 18 + 6, "a row before the first thread");
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 1, 1, 1);
    brst_number(&b, 7);
    brst_end(&b);
    refused(&b, 18 + 6, "a class before the first thread");
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 1, 1, 1);
    brst_thread(&b, 0, 0, "", 1, 1, 1, 0);
    at = b.size;
    BRST(&b, 7, 64, 1, 1);
    brst_end(&b);
    refused(&b, at, "a class that is none");
    brst_begin(&b, 1, 256);
    BRST(&b, 1, 0);
    brst_number(&b, 100);                         /* program of 100 bytes; 3 come */
    brst_byte(&b, 'a');
    brst_byte(&b, 'b');
    brst_byte(&b, 'c');
    brst_end(&b);
    refused(&b, 18 + 2, "a string longer than what is left of its part");
    brst_begin(&b, 1, 256);
    brst_number(&b, 1);
    for (i = 0; i < sizeof long_number; i++) brst_byte(&b, long_number[i]);
    brst_end(&b);
    refused(&b, 18 + 1, "a number of more than 64 bits");
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 1, 1, 1);
    BRST(&b, 3, UINT64_C(1) << 32);
    brst_end(&b);
    refused(&b, 18 + 6 + 1, "a number of more than 32 bits");
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 1, 1, 1);
    brst_thread(&b, 0, 0, "", 1, 1, 1, 0);
    at = b.size;
    BRST(&b, 4, 0);
    brst_end(&b);
    refused(&b, at, "a row without a site");
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 1, 1, 1);
    brst_thread(&b, 0, 0, "", 1, 1, 1, 0);
    brst_number(&b, 4);
    brst_site(&b, "f", "", 0, 1);
    at = b.size;
    brst_number(&b, 3);
    brst_end(&b);
    refused(&b, at, "a site number that points at no site");
    free(b.data);
}

/* A record's place is told in the file, also when chunks lie between. */
TEST(finds_the_place_behind_any_chunks) {
    size_t chunk;
    for (chunk = 1; chunk < 60; chunk++) {
        brst b;
        size_t bad;
        memset(&b, 0, sizeof b);
        brst_begin(&b, 7, 3);
        brst_string(&b, "a part in front");
        brst_end(&b);
        brst_begin(&b, 1, chunk);
        brst_info(&b, 0, "program", 1, 1, 1);
        brst_profile(&b, 0, 990, 10, 6, 60);
        brst_byte(&b, 99);
        bad = b.size - 1;
        brst_byte(&b, 0);
        brst_end(&b);
        refused(&b, bad, "a record of unknown tag");
        free(b.data);
    }
}

TEST(sites_reach_back_sixty_four) {
    unsigned last, i;
    for (last = 65; last <= 66; last++) {
        brst b;
        memset(&b, 0, sizeof b);
        brst_begin(&b, 1, 100);
        brst_info(&b, 0, "", 1, 1, 1);
        brst_thread(&b, 0, 0, "", 1, 1, 1, 0);
        for (i = 0; i < 70; i++) {
            brst_number(&b, 4);
            brst_site(&b, "f", "a.c", i, 1);
            brst_number(&b, 0);
            brst_counts(&b, 1, 256, 0);
        }
        brst_number(&b, 4);
        brst_number(&b, last);                    /* 65: the 64th from the end, line 6 */
        brst_number(&b, 2);                       /* the latest, line 69 */
        brst_counts(&b, 1, 256, 0);
        brst_end(&b);
        if (last == 65) {
            tally s;
            memset(&s, 0, sizeof s);
            CHECK_EQ(load(&s, b.data, b.size), 0);
            CHECK_EQ(s.sites.at[s.rows.at[70].site].line, 6);
            CHECK_EQ(s.sites.at[s.rows.at[70].caller].line, 69);
            kind_sampled.free(&s);
        } else CHECK(!loads(b.data, b.size));
        free(b.data);
    }
}

/* With a right crc only the records can be wrong: every prefix and a few
   thousand changed bytes must be survived. */
TEST(survives_any_payload) {
    brst good;
    unsigned char payload[256];
    size_t size, cut, accepted = 0, tries;
    uint64_t seed = 1;
    dump d;
    memset(&good, 0, sizeof good);
    small_part(&good, 256);
    CHECK_EQ(dump_read(&d, good.data, good.size, &fault), 0);
    size = d.parts[0].size;
    CHECK(size <= sizeof payload);
    memcpy(payload, d.parts[0].payload, size);
    dump_free(&d);
    free(good.data);
    for (cut = 0; cut <= size; cut++) {
        brst b;
        size_t i;
        memset(&b, 0, sizeof b);
        brst_begin(&b, 1, 256);
        for (i = 0; i < cut; i++) brst_byte(&b, payload[i]);
        brst_end(&b);
        accepted += (size_t)loads_copy(b.data, b.size);
        free(b.data);
    }
    CHECK_EQ(accepted, 7);                        /* behind each of its records */
    for (tries = 0; tries < 3000; tries++) {
        brst b;
        size_t i, at = (size_t)(test_random(&seed) % size);
        unsigned char byte = (unsigned char)test_random(&seed);
        memset(&b, 0, sizeof b);
        brst_begin(&b, 1, 256);
        for (i = 0; i < size; i++) brst_byte(&b, i == at ? byte : payload[i]);
        brst_end(&b);
        if (loads_copy(b.data, b.size)) {
            text once = written(b.data, b.size),
                 twice = written((unsigned char *)once.data, once.size);
            CHECK_EQ(once.size, twice.size);
            CHECK(memcmp(once.data, twice.data, once.size) == 0);
            text_free(&once);
            text_free(&twice);
            accepted++;
        }
        free(b.data);
    }
    CHECK(accepted > 100);
}

/* ---- adding up -------------------------------------------------------------------------- */

/* A part of a few threads and rows with little to choose from, so that many are
   equal. */
static void random_part(brst *b, uint64_t *seed) {
    static const char *const names[] = {"a", "b", "c", "d"};
    unsigned thread, threads = 1 + (unsigned)(test_random(seed) % 3), row, rows;
    brst_begin(b, 1, 1 + (size_t)(test_random(seed) % 40));
    brst_info(b, test_random(seed) % 2, names[test_random(seed) % 2], test_random(seed),
              test_random(seed) % 100, test_random(seed) % 3);
    brst_profile(b, 0, 990 + (unsigned)(test_random(seed) % 2), 10, test_random(seed) % 100,
                 test_random(seed));
    for (thread = 0; thread < threads; thread++) {
        brst_thread(b, (unsigned)(test_random(seed) % 3), (int)(test_random(seed) % 2),
                    names[test_random(seed) % 2], test_random(seed), 5, 6, 7);
        for (rows = (unsigned)(test_random(seed) % 3); rows > 0; rows--) {
            BRST(b, 7, 1u << test_random(seed) % 3, test_random(seed) % 9, test_random(seed));
        }
        rows = (unsigned)(test_random(seed) % 6);
        for (row = 0; row < rows; row++) {
            unsigned has_sums = (unsigned)(test_random(seed) % 2), sum;
            brst_number(b, has_sums ? 8 : 4);
            brst_site(b, names[test_random(seed) % 4], names[test_random(seed) % 2],
                      (unsigned)(test_random(seed) % 2), 1);
            if (test_random(seed) % 2) brst_number(b, 2);
            else brst_site(b, names[test_random(seed) % 4], "", 0, 1);
            brst_counts(b, test_random(seed) >> 1, test_random(seed), test_random(seed) % 50);
            for (sum = 0; has_sums && sum < 5; sum++) brst_number(b, 1 + test_random(seed) / 3);
        }
    }
    brst_end(b);
}

static text merged(const text *a, const text *b) {
    text both = {NULL, 0, 0}, out;
    text_bytes(&both, a->data, a->size);
    text_bytes(&both, b->data, b->size);
    out = written((unsigned char *)both.data, both.size);
    text_free(&both);
    return out;
}

static int same(const text *a, const text *b) {
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

TEST(merging_has_no_order_and_no_grouping) {
    uint64_t seed = 2;
    int round;
    for (round = 0; round < 200; round++) {
        text part[3], ab, bc, ab_c, a_bc, cb, cb_a, again;
        int i;
        for (i = 0; i < 3; i++) {
            brst b;
            memset(&b, 0, sizeof b);
            random_part(&b, &seed);
            memset(&part[i], 0, sizeof part[i]);
            text_bytes(&part[i], b.data, b.size);
            free(b.data);
        }
        ab = merged(&part[0], &part[1]);
        ab_c = merged(&ab, &part[2]);
        bc = merged(&part[1], &part[2]);
        a_bc = merged(&part[0], &bc);
        cb = merged(&part[2], &part[1]);
        cb_a = merged(&cb, &part[0]);
        again = written((unsigned char *)ab_c.data, ab_c.size);
        CHECK(same(&ab_c, &a_bc));
        CHECK(same(&ab_c, &cb_a));
        CHECK(same(&ab_c, &again));
        for (i = 0; i < 3; i++) text_free(&part[i]);
        text_free(&ab);
        text_free(&bc);
        text_free(&cb);
        text_free(&ab_c);
        text_free(&a_bc);
        text_free(&cb_a);
        text_free(&again);
    }
}

TEST(sums_are_right_and_saturate) {
    brst b;
    tally s;
    memset(&b, 0, sizeof b);
    memset(&s, 0, sizeof s);
    small_part(&b, 256);
    small_part(&b, 9);
    CHECK_EQ(load(&s, b.data, b.size), 0);
    kind_sampled.settle(&s);
    CHECK_EQ(s.programs.count, 1);
    CHECK_EQ(s.profiles.count, 1);
    CHECK_EQ(s.threads.count, 1);
    CHECK_EQ(s.sites.count, 2);
    CHECK_EQ(s.rows.count, 3);
    CHECK_EQ(s.classes.count, 1);
    CHECK_EQ(s.classes.at[0].bursts, 18);
    CHECK_EQ(s.classes.at[0].xx, 1800);
    CHECK(s.rows.at[1].sums != NULL);
    if (!s.rows.at[1].sums) return;
    CHECK_EQ(s.rows.at[1].sums->bursts, 62);
    CHECK_EQ(s.rows.at[1].sums->firsts, 64);
    CHECK_EQ(s.rows.at[1].sums->yy, 66);
    CHECK_EQ(s.rows.at[1].sums->ys, 68);
    CHECK_EQ(s.rows.at[1].sums->xy, 70);
    CHECK_EQ(s.programs.at[0].checks, 2 * 12345);
    CHECK_EQ(s.profiles.at[0].bursts, 12);
    CHECK_EQ(s.threads.at[0].burst_checks, 246);
    CHECK_EQ(s.rows.at[0].count, 80);
    CHECK_EQ(s.rows.at[0].weight_256, 80 * 25600);
    CHECK_EQ(s.rows.at[0].ticks, 2 * 777);
    kind_sampled.free(&s);
    b.size = 0;
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", UINT64_MAX - 5, 3, 0);
    brst_end(&b);
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 6, 4, 0);
    brst_end(&b);
    CHECK_EQ(load(&s, b.data, b.size), 0);
    kind_sampled.settle(&s);
    CHECK(s.programs.at[0].checks == UINT64_MAX);
    CHECK_EQ(s.programs.at[0].events, 7);
    kind_sampled.free(&s);
    free(b.data);
}

/* The reader's crc and the one above were written apart; both are the one of
   gzip. */
TEST(crc_is_that_of_gzip) {
    CHECK(dump_crc(0, (const unsigned char *)"123456789", 9) == 0xCBF43926u);
    CHECK(dump_crc(dump_crc(0, (const unsigned char *)"1234", 4), (const unsigned char *)"56789",
                   5) == 0xCBF43926u);
}
