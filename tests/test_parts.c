/* test_parts.c - lists of parts of a kind that is made up here: a key, and
   numbers that are added up. */
#include "test.h"
#include "base/parts.h"
#include "base/tool.h"
#include <stdlib.h>

typedef struct tally { uint64_t key, sum, same, other; char *owned; } tally;

static int alive;

static void get(void *part, dump_reader *r) {
    tally *t = (tally *)part;
    CHECK(t->key == 0 && t->sum == 0 && t->owned == NULL);
    t->owned = (char *)tool_alloc(1);
    alive++;
    t->key = dump_get(r);
    t->sum = dump_get(r);
    if (!r->reason && t->key == 99) r->reason = "a bad key";
}

static void fold(void *part, int are_same_bursts) {
    tally *t = (tally *)part;
    if (are_same_bursts) t->same++;
    else t->other++;
}

static int by_key(const void *left, const void *right) {
    return tool_order(((const tally *)left)->key, ((const tally *)right)->key);
}

static void release(void *part) {
    free(((tally *)part)->owned);
    alive--;
}

static void add(void *into, void *from) {
    ((tally *)into)->sum = tool_sum(((tally *)into)->sum, ((const tally *)from)->sum);
    release(from);
}

static const part_rules rules = {sizeof(tally), get, fold, by_key, add, release};

static int read(void **list, size_t *count, uint64_t key, uint64_t value, dump_fault *fault) {
    text file = {NULL, 0, 0};
    dump_writer w;
    dump d;
    int status;
    dump_begin(&w, &file, 5);
    dump_put(&w, key);
    dump_put(&w, value);
    dump_end(&w);
    CHECK_EQ(dump_read(&d, (const unsigned char *)file.data, file.size, fault), 0);
    status = parts_read(&rules, list, count, &d, &d.parts[0], fault);
    dump_free(&d);
    text_free(&file);
    return status;
}

TEST(equal_keys_are_added_up_and_each_part_is_folded) {
    static const uint64_t keys[] = {7, 3, 7, 9, 3, 7, 1};
    void *list = NULL;
    size_t count = 0, i;
    dump_fault fault;
    const tally *t;
    for (i = 0; i < 7; i++)
        CHECK_EQ(read(&list, &count, keys[i], (uint64_t)1 << i, &fault), 0);
    CHECK_EQ(count, 7);
    for (t = (const tally *)list, i = 0; i < 7; i++) {
        CHECK_EQ(t[i].key, keys[i]);                       /* in the order of the files */
        CHECK(t[i].same == 1 && t[i].other == 0);
    }
    count = parts_settle(&rules, list, count);
    CHECK_EQ(count, 4);
    CHECK_EQ(alive, 4);
    t = (const tally *)list;
    CHECK(t[0].key == 1 && t[1].key == 3 && t[2].key == 7 && t[3].key == 9);
    CHECK(t[0].sum == 64 && t[1].sum == 18 && t[2].sum == 37 && t[3].sum == 8);
    for (i = 0; i < 4; i++) CHECK_EQ(t[i].other, 1);
    parts_free(&rules, list, count);
    CHECK_EQ(alive, 0);
}

TEST(a_part_that_is_refused_leaves_the_list) {
    void *list = NULL;
    size_t count = 0;
    dump_fault fault;
    CHECK_EQ(read(&list, &count, 99, 1, &fault), -1);      /* the first of all */
    CHECK(count == 0 && alive == 0);
    CHECK_STR(fault.reason, "a bad key");
    CHECK_EQ(read(&list, &count, 4, 1, &fault), 0);
    CHECK_EQ(read(&list, &count, 99, 1, &fault), -1);
    CHECK_EQ(read(&list, &count, 4, UINT64_MAX, &fault), 0);
    CHECK(count == 2 && alive == 2);
    CHECK_EQ(parts_settle(&rules, list, count), 1);
    CHECK_EQ(((const tally *)list)->sum, UINT64_MAX);
    parts_free(&rules, list, 1);
    CHECK_EQ(alive, 0);
}

TEST(nothing_settles_to_nothing) {
    CHECK_EQ(parts_settle(&rules, NULL, 0), 0);
    parts_free(&rules, NULL, 0);
}

TEST(rows_move_behind_others) {
    uint32_t from[3] = {4, 5, 6}, *list = NULL, i;
    size_t count = 0, room = 0, from_count = 3, none = 0;
    list = (uint32_t *)parts_join(list, &count, &room, NULL, &none, sizeof *list);
    CHECK_EQ(count, 0);
    for (i = 0; i < 30; i++, from_count = 3) {
        list = (uint32_t *)parts_join(list, &count, &room, from, &from_count, sizeof *list);
        CHECK(from_count == 0 && count == 3 * (i + 1) && room >= count);
    }
    for (i = 0; i < 90; i++) CHECK_EQ(list[i], 4 + i % 3);
    free(list);
}

TEST(sums_and_orders) {
    CHECK(tool_sum(2, 3) == 5 && tool_sum(UINT64_MAX, 0) == UINT64_MAX);
    CHECK(tool_sum(UINT64_MAX, 1) == UINT64_MAX && tool_sum(1, UINT64_MAX) == UINT64_MAX);
    CHECK(tool_order(0, UINT64_MAX) == -1 && tool_order(UINT64_MAX, 0) == 1);
    CHECK(tool_order(5, 5) == 0);
}
