/* test_lines.c - record/inside/core/lines.c against a plain count, and parts of kind 18:
   read, added up in any order, cut short, changed. */
#include "test.h"
#include "kind.inc"
#include "base/input.h"
#include "base/tool.h"
#include "report/kinds/lines.h"
#include <stdlib.h>

static uint64_t seed;
static uint32_t below(uint32_t bound) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % bound;
}

static void read_text(timed_lines_parts *s, const text *file) {
    dump_fault fault;
    dump d;
    size_t i;
    CHECK_EQ(dump_read(&d, (const unsigned char *)file->data, file->size, &fault), 0);
    for (i = 0; i < d.part_count; i++) CHECK_EQ(kind_lines.read(s, &d, &d.parts[i], &fault), 0);
    dump_free(&d);
}

static text settled(const text *files, const int *order, size_t count) {
    timed_lines_parts s;
    text out = {NULL, 0, 0};
    size_t i;
    memset(&s, 0, sizeof s);
    for (i = 0; i < count; i++) read_text(&s, &files[order[i]]);
    kind_lines.settle(&s);
    kind_lines.write(&s, &out);
    kind_lines.free(&s);
    return out;
}

/* ---- the table ---- */

#if defined(__GNUC__) && !defined(__TINYC__)
#include "record/inside/core/lines.h" /* record/tool/lines.c has its functions */
#include "record/inside/core/sampled.h"

static lines first_table, second_table;

static const lines *next_of_two(void *user, const lines *l) {
    (void)user;
    return !l ? &first_table : l == &first_table ? &second_table : NULL;
}

static int into_text(void *user, const void *data, size_t size) {
    text_bytes((text *)user, (const char *)data, size);
    return 0;
}

static const char *name_of(void *user, uint32_t key) {
    static char name[32];
    (void)user;
    sprintf(name, "f%u", (unsigned)key);
    return name;
}

static const char *place_of_pc(void *user, uint32_t key, uint64_t pc) {
    static char place[64];
    (void)user;
    (void)key;
    sprintf(place, "/a/program\t%lx", (unsigned long)pc);
    return place;
}

static text written(const char *program, uint32_t period) {
    lines_about about;
    text out = {NULL, 0, 0};
    memset(&about, 0, sizeof about);
    about.program = program;
    about.period_us = period;
    about.name = name_of;
    about.place = place_of_pc;
    CHECK_EQ(lines_write(&about, next_of_two, NULL, into_text, &out), 0);
    return out;
}

enum { PLACES = 3000 };

TEST(the_table_counts_as_a_plain_array) {
    static uint64_t ticks[PLACES], squares[PLACES];
    timed_lines_parts s;
    text file;
    size_t i, found = 0;
    uint32_t n;
    memset(&first_table, 0, sizeof first_table);
    memset(&second_table, 0, sizeof second_table);
    memset(&s, 0, sizeof s);
    seed = 1;
    for (n = 0; n < 40000; n++) {
        uint32_t place = below(below(PLACES) + 1), count = below(20) ? 1 : 1 + below(150);
        uint32_t counted = count < 100 ? count : 100;
        lines_tick(below(2) ? &first_table : &second_table, 0x400000 + place * 3, 1 + place / 10, count);
        ticks[place] += counted;
        squares[place] += counted * counted;
    }
    file = written("counts", 4000);
    read_text(&s, &file);
    CHECK_EQ(s.count, 1);
    CHECK_EQ(s.parts[0].lost, 0);
    CHECK_EQ(s.parts[0].tick_us, 4000);
    for (i = 0; i < s.parts[0].count; i++) {
        const timed_line *row = &s.parts[0].rows[i];
        uint32_t place = (uint32_t)(strtoul(strchr(row->file, '\t') + 1, NULL, 16) - 0x400000) / 3;
        CHECK_EQ(row->ticks, ticks[place]);
        CHECK_EQ(row->squares, squares[place]);
        CHECK_STR(row->function, name_of(NULL, 1 + place / 10));
        ticks[place] = 0;
        found++;
    }
    CHECK(found > 1000);
    for (n = 0; n < PLACES; n++) CHECK_EQ(ticks[n], 0);
    kind_lines.free(&s);
    text_free(&file);
}

/* Nothing is lost without a word: what finds no room is in its function's row
   without a place, and what is not even there is counted. */
TEST(a_full_table_counts_what_it_leaves_out) {
    timed_lines_parts s;
    text file;
    size_t i;
    uint64_t sum = 0, placeless = 0, squares = 0;
    uint32_t n, all = 2 * LINES_ROWS;
    memset(&first_table, 0, sizeof first_table);
    memset(&second_table, 0, sizeof second_table);
    memset(&s, 0, sizeof s);
    for (n = 0; n < all; n++) lines_tick(&first_table, 0x1000 + n, 1 + n % 50, 2);
    for (n = 0; n < LINES_ROWS; n++) lines_tick(&first_table, 7, 1000 + n, 2); /* other functions */
    file = written("full", 1000);
    read_text(&s, &file);
    for (i = 0; i < s.parts[0].count; i++) {
        sum += s.parts[0].rows[i].ticks;
        squares += s.parts[0].rows[i].squares;
        if (!*s.parts[0].rows[i].file) placeless += s.parts[0].rows[i].ticks;
    }
    CHECK_EQ(first_table.used, LINES_ROWS);
    CHECK(s.parts[0].lost > 0);
    CHECK(placeless >= 2 * (uint64_t)(all - LINES_ROWS));
    CHECK_EQ(sum + s.parts[0].lost, 2 * (uint64_t)(all + LINES_ROWS));
    CHECK_EQ(squares + s.parts[0].lost_squares, 4 * (uint64_t)(all + LINES_ROWS));
    kind_lines.free(&s);
    text_free(&file);
}

TEST(code_of_no_function_has_a_name) {
    timed_lines_parts s;
    text file;
    memset(&first_table, 0, sizeof first_table);
    memset(&second_table, 0, sizeof second_table);
    memset(&s, 0, sizeof s);
    lines_tick(&second_table, 0x99, SAMPLED_OUTSIDE, 1);
    file = written("outside", 1000);
    read_text(&s, &file);
    CHECK_EQ(s.parts[0].count, 1);
    CHECK_STR(s.parts[0].rows[0].function, "(outside)");
    CHECK_STR(s.parts[0].rows[0].file, "/a/program\t99");
    kind_lines.free(&s);
    text_free(&file);
}

TEST(an_address_without_a_line_leaves_no_trace_of_the_machine) {
    text file = {NULL, 0, 0}, out;
    int order = 0;
    memset(&first_table, 0, sizeof first_table);
    memset(&second_table, 0, sizeof second_table);
    lines_tick(&first_table, 0x10, 1, 1);
    lines_tick(&first_table, 0x20, 1, 1);
    file = written("p", 1000);
    out = settled(&file, &order, 1);
    {
        timed_lines_parts s;
        memset(&s, 0, sizeof s);
        read_text(&s, &out);
        CHECK_EQ(s.parts[0].count, 1);
        CHECK_STR(s.parts[0].rows[0].file, "");
        CHECK_EQ(s.parts[0].rows[0].ticks, 2);
        kind_lines.free(&s);
    }
    text_free(&file);
    text_free(&out);
}

#endif

/* ---- adding up ---- */

/* A part of some lines, in no order. */
static void add_lines(text *out, const char *program, uint64_t period, uint32_t rows) {
    static const char *const inlined[] = {"", "g", "g\th"};
    dump_writer w;
    char word[32];
    dump_begin(&w, out, kind_lines.number);
    dump_put(&w, 1);
    dump_put_string(&w, program);
    dump_put(&w, period);
    dump_put(&w, 3);
    dump_put(&w, 5);
    while (rows--) {
        uint64_t ticks = 1 + below(9);
        sprintf(word, "f%u", (unsigned)below(3));
        dump_put_string(&w, word);
        sprintf(word, "%u.c", (unsigned)below(2));
        dump_put_string(&w, word);
        dump_put(&w, 1 + below(4));
        dump_put_string(&w, inlined[below(3)]);
        dump_put(&w, ticks);
        dump_put(&w, ticks * ticks);
    }
    dump_end(&w);
}

TEST(any_order_gives_the_same_bytes_and_periods_become_one) {
    static const uint64_t periods[] = {4000, 1000, 6000, 10000};
    static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};
    text files[4], one, other;
    timed_lines_parts s;
    uint64_t ticks = 0, lost;
    size_t i, k;
    int alone;
    seed = 5;
    for (i = 0; i < 4; i++) {
        memset(&files[i], 0, sizeof files[i]);
        add_lines(&files[i], "p", periods[i], 60);
        if (i == 2) add_lines(&files[i], "q", 100, 10);
    }
    one = settled(files, orders[0], 4);
    for (k = 1; k < 4; k++) {
        other = settled(files, orders[k], 4);
        CHECK(one.size == other.size && memcmp(one.data, other.data, one.size) == 0);
        text_free(&other);
    }
    memset(&s, 0, sizeof s);
    read_text(&s, &one);
    CHECK_EQ(s.count, 2);
    CHECK_EQ(s.parts[0].tick_us, 1000);
    CHECK_EQ(s.parts[1].tick_us, 100);
    CHECK_EQ(s.parts[0].lost, 3 * (4 + 1 + 6 + 10));
    CHECK_EQ(s.parts[0].lost_squares, 5 * (16 + 1 + 36 + 100));
    CHECK(s.parts[0].count <= 3 * 2 * 4 * 3);
    for (i = 0; i < s.parts[0].count; i++) ticks += s.parts[0].rows[i].ticks;
    lost = ticks;
    kind_lines.free(&s);
    for (alone = 0, ticks = 0; alone < 4; alone++) { /* each counted by itself */
        memset(&s, 0, sizeof s);
        read_text(&s, &files[alone]);
        for (i = 0; i < s.parts[0].count; i++)
            ticks += s.parts[0].rows[i].ticks * (periods[alone] / 1000);
        kind_lines.free(&s);
    }
    CHECK_EQ(ticks, lost);
    other = settled(&one, orders[0], 1);
    CHECK(one.size == other.size && memcmp(one.data, other.data, one.size) == 0);
    text_free(&other);
    text_free(&one);
    for (i = 0; i < 4; i++) text_free(&files[i]);
}

/* ---- parts that are cut short or changed ---- */

TEST(cut_and_changed_parts_are_refused_or_read) {
    text part = {NULL, 0, 0};
    dump_fault fault;
    kind_trial t;
    size_t i;
    seed = 9;
    add_lines(&part, "cut", 4000, 12);
    t = kind_try(&kind_lines, &part);
    CHECK_EQ(t.cuts, 12);                           /* behind the head, and each row but the last */
    CHECK_EQ(t.refused_head, 8);                    /* another version */
    for (i = 0; i < part.size; i++) {               /* the file itself */
        text copy = {NULL, 0, 0};
        dump whole;
        text_bytes(&copy, part.data, part.size);
        copy.data[i] ^= (char)(1 << (i % 8));
        if (dump_read(&whole, (const unsigned char *)copy.data, copy.size, &fault) == 0) {
            CHECK(0);
            dump_free(&whole);
        }
        text_free(&copy);
    }
    text_free(&part);
}

static int reads_row(uint32_t line, const char *file, uint64_t ticks, uint64_t squares,
                     uint64_t period) {
    text payload = {NULL, 0, 0};
    dump_writer w;
    dump_fault fault;
    dump d;
    timed_lines_parts s;
    int status;
    memset(&s, 0, sizeof s);
    dump_begin(&w, &payload, kind_lines.number);
    dump_put(&w, 1);
    dump_put_string(&w, "p");
    dump_put(&w, period);
    dump_put(&w, 0);
    dump_put(&w, 0);
    dump_put_string(&w, "f");
    dump_put_string(&w, file);
    dump_put(&w, line);
    dump_put_string(&w, "");
    dump_put(&w, ticks);
    dump_put(&w, squares);
    dump_end(&w);
    CHECK_EQ(dump_read(&d, (const unsigned char *)payload.data, payload.size, &fault), 0);
    status = kind_lines.read(&s, &d, &d.parts[0], &fault);
    kind_lines.free(&s);
    dump_free(&d);
    text_free(&payload);
    return status == 0;
}

TEST(rows_that_cannot_be_are_refused) {
    CHECK(reads_row(3, "a.c", 2, 2, 1000));
    CHECK(reads_row(0, "/a\t10", 2, 4, 1000));
    CHECK(!reads_row(3, "a.c", 0, 2, 1000));
    CHECK(!reads_row(3, "a.c", 3, 2, 1000));
    CHECK(!reads_row(3, "", 2, 2, 1000));
    CHECK(!reads_row(3, "/a\t10", 2, 2, 1000));
    CHECK(!reads_row(3, "a.c", 2, 2, 0));
}
