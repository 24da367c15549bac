/* test_hash.c - the tool's hash table: it finds what was put in and nothing
   else, keys that were chosen for other hash functions do not crowd, and the
   seed differs from run to run. */
#include "test.h"
#include "base/hash.h"
#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

typedef struct list {
    uint64_t *at;
    hash_table places;
    size_t count, asked;
} list;

static int is_item(const void *owner, uint32_t number, const void *key) {
    list *l = (list *)(uintptr_t)owner;
    l->asked++;
    return l->at[number - 1] == *(const uint64_t *)key;
}

static uint32_t put(list *l, uint64_t key) {
    uint32_t *place = hash_place(&l->places, hash_numbers(key, 1), is_item, l, &key);
    if (*place) return *place;
    l->at[l->count++] = key;
    return *place = (uint32_t)l->count;
}

static uint32_t find(const list *l, uint64_t key) {
    return hash_find(&l->places, hash_numbers(key, 1), is_item, l, &key);
}

/* Slots that are looked at to find every item once, for each item. */
static double looks(const hash_table *t) {
    size_t at, sum = 0;
    for (at = 0; at < t->room; at++) {
        if (!t->slots[at].number) continue;
        sum += 1 + ((at - t->slots[at].hash) & (t->room - 1));
    }
    return t->used ? (double)sum / (double)t->used : 0;
}

static void list_free(list *l) {
    hash_free(&l->places);
    free(l->at);
    memset(l, 0, sizeof *l);
}

#if !defined(_WIN32)
static uint64_t hash_of_a_child(void) {
    uint64_t hash = 0;
    int ends[2];
    pid_t child;
    if (pipe(ends) != 0) return 0;
    child = fork();
    if (child == 0) {
        hash = hash_numbers(1, 2);
        _exit(write(ends[1], &hash, sizeof hash) != (long)sizeof hash);
    }
    close(ends[1]);
    if (read(ends[0], &hash, sizeof hash) != (long)sizeof hash) hash = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return hash;
}

/* The first test: a process that has hashed once keeps its seed, and its
   children have it. */
TEST(each_process_has_a_seed_of_its_own) {
    uint64_t a = hash_of_a_child(), b = hash_of_a_child();
    CHECK(a && b && a != b);
    CHECK(hash_numbers(1, 2) != a && hash_numbers(1, 2) == hash_numbers(1, 2));
    CHECK(hash_of_a_child() == hash_of_a_child());
}
#endif

TEST(finds_what_is_there_and_nothing_else) {
    enum { MANY = 5000 };
    list l = {NULL, {NULL, 0, 0}, 0, 0};
    uint64_t i, found = 0, strange = 0;
    CHECK_EQ(find(&l, 1), 0);
    l.at = (uint64_t *)malloc(MANY * sizeof *l.at);
    for (i = 0; i < MANY; i++) CHECK_EQ(put(&l, 3 * i), i + 1);
    for (i = 0; i < MANY; i++) found += find(&l, 3 * i) == i + 1 && put(&l, 3 * i) == i + 1;
    for (i = 0; i < MANY; i++) strange += find(&l, 3 * i + 1);
    CHECK_EQ(found, MANY);
    CHECK_EQ(strange, 0);
    CHECK_EQ(l.places.used, MANY);
    CHECK(l.places.room >= 2 * MANY);
    CHECK(l.asked < 2 * MANY + 16); /* the owner is asked where hashes are equal, and no more */
    hash_empty(&l.places);
    l.count = 0;
    CHECK_EQ(find(&l, 3), 0);
    CHECK_EQ(put(&l, 7), 1);
    hash_empty(&l.places);
    CHECK_EQ(find(&l, 7), 0);
    list_free(&l);
}

TEST(items_of_one_hash_are_told_apart) {
    list l = {NULL, {NULL, 0, 0}, 0, 0};
    uint64_t keys[] = {5, 6, 7}, i;
    l.at = keys;
    for (i = 0; i < 3; i++) {
        uint32_t *place = hash_place(&l.places, 99, is_item, &l, &keys[i]);
        CHECK_EQ(*place, 0);
        *place = (uint32_t)i + 1;
    }
    for (i = 0; i < 3; i++) CHECK_EQ(hash_find(&l.places, 99, is_item, &l, &keys[i]), i + 1);
    hash_free(&l.places);
}

/* Multiples of a power of two, and numbers whose products with well-known
   factors are such. */
TEST(chosen_keys_do_not_crowd) {
    static const uint64_t factors[] = {1, UINT64_C(0x9E3779B97F4A7C15), UINT64_C(2654435761)};
    enum { MANY = 20000 };
    size_t f;
    unsigned shift;
    for (f = 0; f < sizeof factors / sizeof *factors; f++) {
        uint64_t inverse = factors[f];
        int step;
        for (step = 0; step < 6; step++) inverse *= 2 - factors[f] * inverse;
        CHECK_EQ(inverse * factors[f], 1);
        for (shift = 0; shift < 48; shift += 6) {
            list l = {NULL, {NULL, 0, 0}, 0, 0};
            uint64_t i;
            l.at = (uint64_t *)malloc(MANY * sizeof *l.at);
            for (i = 0; i < MANY; i++) put(&l, (i << shift) * inverse);
            CHECK_EQ(l.count, MANY);
            CHECK(looks(&l.places) < 2);
            list_free(&l);
        }
    }
}

TEST(every_byte_counts) {
    char a[20], b[20];
    size_t size, i;
    for (size = 0; size < sizeof a; size++) {
        memset(a, 'x', sizeof a);
        CHECK(hash_bytes(a, size) == hash_bytes(a, size));
        CHECK(size == 0 || hash_bytes(a, size) != hash_bytes(a, size - 1));
        for (i = 0; i < size; i++) {
            memset(b, 'x', sizeof b);
            b[i] = 'y';
            CHECK(hash_bytes(a, size) != hash_bytes(b, size));
        }
    }
    CHECK(hash_string("ab") == hash_bytes("ab", 2));
    CHECK(hash_numbers(1, 2) != hash_numbers(2, 1));
}
