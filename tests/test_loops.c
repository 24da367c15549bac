/* test_loops.c - streams that are slices of one loop, and groups that come
   again. */
#include "test.h"
#include "report/model/loops.h"
#include <stdlib.h>
#include <string.h>

static streams_part part;
static loops_row rows[40];

/* Each word is a stream of sites that are letters. */
static void add(const char *word, uint64_t frequency) {
    streams_item items[64];
    uint32_t i, length = (uint32_t)strlen(word);
    memset(items, 0, sizeof items);
    for (i = 0; i < length; i++) {
        char name[2] = {word[i], 0};
        items[i].site = streams_site_number(&part, (unsigned char)word[i], name);
    }
    streams_add(&part, items, length, frequency);
}

static size_t fold(void) {
    streams_part_sort(&part);
    return loops_fold(&part, part.stream_count, rows);
}

static void end(void) {
    streams_part_free(&part);
    memset(&part, 0, sizeof part);
}

/* The first sites of a row's stream, a round of them. */
static const char *round_of(size_t row) {
    static char word[65];
    const streams_stream *s = &part.streams[rows[row].stream];
    uint32_t i;
    for (i = 0; i < rows[row].period; i++)
        word[i] = part.sites[part.items[s->first + i].site].name[0];
    word[i] = 0;
    return word;
}

TEST(turns_of_a_loop_are_one_row) {
    add("abcabcabca", 50);
    add("bcabcabcab", 30);
    add("cabcabcabcabc", 10);
    add("abcabdabca", 60);                        /* no loop of abc */
    CHECK_EQ(fold(), 2);
    CHECK(rows[0].streams == 3 && rows[0].period == 3 && rows[0].heat == 930);
    CHECK_STR(round_of(0), "abc");
    CHECK(rows[1].streams == 1 && rows[1].period == 10 && rows[1].heat == 600);
    CHECK_STR(round_of(1), "abcabdabca");
    end();
}

TEST(two_streams_that_go_round_once_tell_a_loop) {
    add("abcdefghij", 9);
    add("efghijabcd", 8);
    add("fghijab", 7);                            /* a slice of it */
    add("jihgfedcba", 6);                         /* the other way round */
    CHECK_EQ(fold(), 2);
    CHECK(rows[0].streams == 3 && rows[0].period == 10 && rows[0].heat == 90 + 80 + 49);
    CHECK_STR(round_of(0), "abcdefghij");
    CHECK(rows[1].streams == 1 && rows[1].heat == 60);
    end();
}

TEST(a_hotter_slice_joins_and_the_round_is_shown) {
    add("bcda", 1000);
    add("bcd", 3000);
    add("abcdabcdabcd", 10);
    CHECK_EQ(fold(), 1);
    CHECK(rows[0].streams == 3 && rows[0].period == 4 && rows[0].heat == 4000 + 9000 + 120);
    CHECK_STR(round_of(0), "bcda");
    end();
    add("bcd", 3000);
    add("abcdabcdabcd", 10);
    CHECK_EQ(fold(), 1);
    CHECK(rows[0].streams == 2 && rows[0].period == 4);
    CHECK_STR(round_of(0), "abcd");
    end();
}

TEST(streams_that_are_no_loops_stay) {
    add("abcdefghij", 5);
    add("bcdefg", 5);                             /* in the other, which goes round never */
    add("abcdabcda", 5);                          /* two rounds: a loop */
    add("abcdab", 5);                             /* in it, over its end */
    add("dcbadc", 5);                             /* not in it */
    CHECK_EQ(fold(), 4);
    CHECK(rows[0].heat == 75 && rows[0].streams == 2 && rows[0].period == 4);
    CHECK(rows[1].heat == 50 && rows[2].heat == 30 && rows[3].heat == 30);
    end();
    CHECK_EQ(fold(), 0);
}

TEST(a_border_is_no_round_and_a_slice_is_all_of_a_stream) {
    add("abcdea", 5);                             /* goes round once, and a site more */
    add("bcd", 5);
    CHECK_EQ(fold(), 2);
    end();
    add("abcdabcd", 5);
    add("bcdx", 5);
    CHECK_EQ(fold(), 2);
    end();
}

TEST(sums_stay_below_the_most_that_a_number_holds) {
    add("aaaa", UINT64_MAX);
    add("aaaaaa", UINT64_MAX);
    CHECK_EQ(fold(), 1);
    CHECK(rows[0].heat == UINT64_MAX && rows[0].period == 1 && rows[0].streams == 2);
    end();
}

static uint64_t seed = 1;
static uint32_t below(uint32_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* Two slices of a random loop, each two rounds or longer, are one row, whatever
   their phases; and heat is never lost. */
TEST(random_loops_are_found_at_any_phase) {
    uint32_t round, i, k;
    for (round = 0; round < 2000; round++) {
        char loop[9], words[2][40];
        uint32_t n = 1 + below(8);
        size_t count;
        for (i = 0; i < n; i++) loop[i] = (char)('a' + below(3));
        for (k = 0; k < 2; k++) {
            uint32_t at = below(n), length = 2 * n + below(20);
            for (i = 0; i < length; i++) words[k][i] = loop[(at + i) % n];
            words[k][length] = 0;
            add(words[k], 1 + below(9));
        }
        count = fold();
        CHECK_EQ(count, 1);
        CHECK(rows[0].streams == part.stream_count);
        CHECK(rows[0].streams == 1 || n % rows[0].period == 0);
        end();
        for (k = 0; k < 6; k++) {                 /* anything */
            uint32_t length = 1 + below(9);
            for (i = 0; i < length; i++) words[0][i] = (char)('a' + below(2));
            words[0][length] = 0;
            add(words[0], 1 + below(9));
        }
        count = fold();
        for (i = 0; i < count; i++) {
            CHECK(rows[i].streams > 0 && rows[i].period <= part.streams[rows[i].stream].length);
            CHECK(i == 0 || rows[i - 1].heat >= rows[i].heat);
        }
        {
            uint64_t before = 0, after = 0, folded = 0;
            for (i = 0; i < part.stream_count; i++) before += part.streams[i].heat;
            for (i = 0; i < count; i++) after += rows[i].heat;
            for (i = 0; i < count; i++) folded += rows[i].streams;
            CHECK_EQ(after, before);
            CHECK_EQ(folded, part.stream_count);
        }
        end();
    }
}

static uint32_t repeats(const char *word, uint32_t *group) {
    uint32_t sites[64], i, n = (uint32_t)strlen(word);
    for (i = 0; i < n; i++) sites[i] = (uint32_t)word[i];
    return loops_repeats(sites, n, group);
}

TEST(groups_that_come_again) {
    uint32_t group;
    CHECK(repeats("abc", &group) == 1 && group == 1);
    CHECK(repeats("aaab", &group) == 3 && group == 1);
    CHECK(repeats("ababc", &group) == 2 && group == 2);
    CHECK(repeats("ababab", &group) == 3 && group == 2);   /* not one of 4 and 2 more */
    CHECK(repeats("aabaab", &group) == 2 && group == 3);   /* more than a twice */
    CHECK(repeats("a", &group) == 1 && group == 1);
    CHECK(repeats("abba", &group) == 1 && group == 1);
}
