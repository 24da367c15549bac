/* test_misses.c - record/inside/core/caches.c against a list that is searched from the
   front, record/inside/core/misses.c against sums of all bursts, and parts of kind 13:
   read, added up, cut short, changed. */
#include "test.h"
#include "kind.inc"
#include "record/inside/core/misses.h" /* lab/misses.c has its functions */
#include "base/input.h"
#include "base/tool.h"
#include "report/kinds/misses.h"
#include "report/kinds/phases.h"

static uint64_t seed;
static uint32_t below(uint32_t bound) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % bound;
}

/* ---- caches ---- */

enum { PILE = 1 << 14 };
typedef struct pile { uint64_t block[PILE]; uint32_t count; } pile; /* the latest first */

/* How many other blocks were used since this one; the pile's count if it is new. */
static uint32_t take(pile *p, uint64_t block) {
    uint32_t depth = 0, answer;
    while (depth < p->count && p->block[depth] != block) depth++;
    answer = depth;
    if (depth == p->count) {
        if (p->count < PILE) p->count++;
        else depth--;
    }
    memmove(p->block + 1, p->block, depth * sizeof *p->block);
    p->block[0] = block;
    return answer;
}

TEST(caches_miss_as_a_searched_list_does) {
    static pile p;
    uint64_t sizes[CACHES_SIZES], block;
    uint32_t count, range, i, n, depth, wanted, before;
    for (seed = 1; seed < 4000; seed += 7) {
        uint64_t started = seed, last = 0;
        caches c;
        void *memory;
        int is_same = 1;
        count = 1 + below(CACHES_SIZES);
        for (i = 0; i < count; i++) sizes[i] = (last += 1 + below(6)) * 64;
        memory = tool_alloc(caches_bytes(sizes, count));
        memset(memory, 0, caches_bytes(sizes, count));
        caches_init(&c, memory, sizes, count);
        p.count = 0;
        range = 1 + below(30);
        for (n = 0; n < 1500; n++) {
            if (below(400) == 0) {
                caches_empty(&c);
                p.count = 0;
            }
            block = below(range);
            before = p.count;
            depth = take(&p, block);
            wanted = 0;
            for (i = 0; i < count; i++) wanted += depth >= sizes[i] / 64;
            if (depth == before || wanted == count) wanted |= CACHES_FIRST; /* forgotten */
            is_same &= caches_access(&c, block) == wanted;
        }
        CHECK(is_same);
        free(memory);
        seed = started;
    }
}

TEST(sizes_that_cannot_be) {
    static const uint64_t none[] = {63}, down[] = {1024, 512}, same[] = {1024, 1050};
    static const uint64_t much[] = {UINT64_C(1) << 60}, five[] = {64, 128, 192, 256, 320};
    CHECK_EQ(caches_bytes(none, 1), 0);
    CHECK_EQ(caches_bytes(none, 0), 0);
    CHECK_EQ(caches_bytes(down, 2), 0);
    CHECK_EQ(caches_bytes(same, 2), 0);
    CHECK_EQ(caches_bytes(much, 1), 0);
    CHECK_EQ(caches_bytes(five, 5), 0);
    CHECK(caches_bytes(five, 4) > 0);
}

/* ---- misses: sites are 1 to SITES, the function of a site is its half, the object of an address
   is its 4 kB ---- */

enum { SITES = 8, OBJECTS = 6, BURSTS = 60, LONGEST = 3000 };

static void charge_by_rule(void *user, uint64_t site, uint64_t address, uint64_t *function,
                           uint64_t *object) {
    (void)user;
    *function = 1 + site / 2;
    *object = address >> 12;
}

static const char *name_by_rule(void *user, uint32_t what, uint64_t number) {
    static char words[32];
    (void)user;
    snprintf(words, sizeof words, "%c%u",
             what == MISSES_FUNCTION ? 'f' : what == MISSES_OBJECT ? 'o' : 's', (unsigned)number);
    return words;
}

static int to_text(void *user, const void *data, size_t size) {
    text_bytes((text *)user, data, size);
    return 0;
}

static text write_part_of(const misses *m, const char *program) {
    text out = {NULL, 0, 0};
    misses_about about;
    memset(&about, 0, sizeof about);
    about.program = program;
    about.every = 1000;
    about.burst = 10;
    about.labels[0] = "L1d";
    about.name = name_by_rule;
    CHECK_EQ(misses_write(m, &about, to_text, &out), 0);
    return out;
}

typedef struct truth {
    uint64_t misses[2], unknown[2], bursts[2], xx[2], xr[2], rr, counted;
    uint64_t f[2][SITES + 2], funknown[2][SITES + 2], fyy[2][SITES + 2], fxy[2][SITES + 2];
    uint64_t pair[2][SITES + 2][OBJECTS + 1];
} truth;

static misses *new_misses(const uint64_t *sizes, uint32_t count, uint32_t flags) {
    size_t bytes = misses_bytes(sizes, count);
    void *memory = tool_alloc(bytes);
    memset(memory, 0, bytes);
    return misses_init(memory, sizes, count, flags, charge_by_rule, NULL);
}

/* Random bursts, told to m, and counted here in full. */
static void run_bursts(misses *m, const uint64_t *sizes, truth *t) {
    static pile p;
    static uint64_t site[LONGEST], address[LONGEST];
    static uint32_t depth[LONGEST], before[LONGEST];
    uint32_t burst, n, i;
    memset(t, 0, sizeof *t);
    for (burst = 0; burst < BURSTS; burst++) {
        uint32_t count = below(LONGEST), range = 1 + below(OBJECTS * 64);
        uint32_t half = below(count + 1); /* accesses come as they like: checks are halved */
        uint64_t x[2] = {0}, y[2][SITES + 2] = {{0}};
        p.count = 0;
        for (n = 0; n < count; n++) {
            uint32_t block = below(range);
            site[n] = 1 + (block / 32 + below(2)) % SITES;
            address[n] = block * UINT64_C(64) + below(60);
            before[n] = p.count;
            depth[n] = take(&p, block);
            if (n == half) misses_middle(m);
            misses_access(m, site[n], address[n], 1 + below(4));
        }
        if (half == count && below(2)) misses_middle(m); /* or it ends in its first half */
        misses_burst(m);
        if (half == count) continue;
        for (n = half; n < count; n++) {
            for (i = 0; i < 2; i++) {
                uint64_t size = sizes[i] / 64;
                if (depth[n] == before[n] && before[n] < size) {
                    t->unknown[i]++;
                    t->funknown[i][1 + site[n] / 2]++;
                }
                else if (depth[n] >= size) {
                    x[i]++;
                    y[i][1 + site[n] / 2]++;
                    t->pair[i][1 + site[n] / 2][address[n] >> 12]++;
                }
            }
        }
        t->rr += (uint64_t)(count - half) * (count - half);
        t->counted += count - half;
        for (i = 0; i < 2; i++) {
            t->misses[i] += x[i];
            t->bursts[i] += x[i] > 0;
            t->xx[i] += x[i] * x[i];
            t->xr[i] += x[i] * (count - half);
            for (n = 0; n < SITES + 2; n++) {
                t->f[i][n] += y[i][n];
                t->fyy[i][n] += y[i][n] * y[i][n];
                t->fxy[i][n] += y[i][n] * x[i];
            }
        }
    }
}

static const missed_row *row_named(const missed_part *p, uint32_t what, const char *name,
                                   const char *other) {
    size_t i;
    for (i = 0; i < p->row_count; i++) {
        const missed_row *row = &p->rows[i];
        if (row->what == what && !strcmp(row->name, name) && !strcmp(row->other, other)) return row;
    }
    return NULL;
}

static void compare(const missed_part *p, const truth *t, uint64_t times) {
    uint32_t i, f, o;
    CHECK_EQ(p->counted, times * t->counted);
    CHECK_EQ(p->rr, times * t->rr);
    CHECK_EQ(p->size_count, 2);
    for (i = 0; i < 2; i++) {
        CHECK_EQ(p->sizes[i].misses, times * t->misses[i]);
        CHECK_EQ(p->sizes[i].unknown, times * t->unknown[i]);
        CHECK_EQ(p->sizes[i].bursts, times * t->bursts[i]);
        CHECK_EQ(p->sizes[i].xx, times * t->xx[i]);
        CHECK_EQ(p->sizes[i].xr, times * t->xr[i]);
        for (f = 1; f <= 1 + SITES / 2; f++) {
            char name[16], object[16];
            const missed_row *row;
            snprintf(name, sizeof name, "f%u", (unsigned)f);
            row = row_named(p, MISSED_FUNCTION, name, "");
            CHECK_EQ(row ? row->at[i].misses : 0, times * t->f[i][f]);
            CHECK_EQ(row ? row->at[i].unknown : 0, times * t->funknown[i][f]);
            CHECK_EQ(row ? row->at[i].yy : 0, times * t->fyy[i][f]);
            CHECK_EQ(row ? row->at[i].xy : 0, times * t->fxy[i][f]);
            for (o = 0; o < OBJECTS; o++) {
                snprintf(object, sizeof object, "o%u", (unsigned)o);
                row = row_named(p, MISSED_PAIR, name, object);
                CHECK_EQ(row ? row->at[i].misses : 0, times * t->pair[i][f][o]);
            }
        }
    }
}

static const uint64_t two_sizes[2] = {32 * 64, 150 * 64};

TEST(sums_are_those_of_all_bursts_and_parts_add_up) {
    for (seed = 100; seed < 103; seed++) {
        misses *m = new_misses(two_sizes, 2, 0);
        truth t;
        text part, twice = {NULL, 0, 0};
        input in;
        const missed_parts *s;
        uint64_t started = seed;
        run_bursts(m, two_sizes, &t);
        CHECK(t.misses[1] > 0 && t.unknown[1] > 0 && t.misses[0] > t.misses[1]);
        part = write_part_of(m, "p");
        memset(&in, 0, sizeof in);
        CHECK_EQ(input_take(&in, "one", &part), TOOL_OK);
        input_settle(&in);
        s = (const missed_parts *)input_find(&in, &kind_misses);
        CHECK(s && s->count == 1);
        if (s) compare(&s->parts[0], &t, 1);
        if (s) kind_misses.write((void *)(uintptr_t)s, &twice);
        if (s) kind_misses.write((void *)(uintptr_t)s, &twice);
        input_free(&in);
        memset(&in, 0, sizeof in);
        CHECK_EQ(input_take(&in, "two", &twice), TOOL_OK);
        input_settle(&in);
        s = (const missed_parts *)input_find(&in, &kind_misses);
        CHECK(s && s->count == 1);
        if (s) compare(&s->parts[0], &t, 2);
        input_free(&in);
        text_free(&part);
        text_free(&twice);
        free(m);
        seed = started;
    }
}

TEST(a_whole_run_has_every_access) {
    misses *m = new_misses(two_sizes, 2, MISSES_WHOLE);
    static pile p;
    uint64_t wanted[2] = {0};
    uint32_t n, i, depth;
    seed = 5;
    p.count = 0;
    for (n = 0; n < 20000; n++) {
        uint32_t block = below(200);
        uint32_t before = p.count;
        depth = take(&p, block);
        for (i = 0; i < 2; i++) wanted[i] += depth == before || depth >= two_sizes[i] / 64;
        misses_access(m, 1 + block % SITES, block * UINT64_C(64), 4);
    }
    CHECK_EQ(m->size[0].misses, wanted[0]);
    CHECK_EQ(m->size[1].misses, wanted[1]);
    CHECK_EQ(m->size[0].unknown, 0);
    CHECK_EQ(m->at, 20000);
    free(m);
}

/* The slices hold every access and every miss, wherever the run ends, and a reader
   takes them. */
TEST(slices_of_a_whole_run_are_readable_wherever_it_ends) {
    static const uint64_t lengths[] = {1, PHASES_PIECE - 1, PHASES_PIECE, PHASES_PIECE + 1,
                                       UINT64_C(129) * PHASES_PIECE - 1, UINT64_C(5000000)};
    uint32_t n, is_cut;
    for (n = 0; n < 12; n++) {
        misses *m = new_misses(two_sizes, 2, MISSES_WHOLE);
        uint64_t i, missed = 0, length = lengths[n / 2];
        text part = {NULL, 0, 0};
        misses_about about;
        const sliced_parts *s;
        input in;
        is_cut = n % 2;                         /* the recorder is off for a moment, often */
        for (i = 0; i < length; i++) {
            misses_access(m, 1 + i % SITES, i * 64, 4);
            if (is_cut && i % 50021 == 0) misses_burst(m);
        }
        memset(&about, 0, sizeof about);
        about.program = "p";
        about.name = name_by_rule;
        CHECK_EQ(misses_write_phases(m, &about, to_text, &part), 0);
        memset(&in, 0, sizeof in);
        CHECK_EQ(input_take(&in, "slices", &part), TOOL_OK);
        input_settle(&in);
        s = (const sliced_parts *)input_find(&in, &kind_phases);
        CHECK(s && s->count == 1);
        if (s && s->count == 1) {
            CHECK_EQ(s->parts[0].accesses, length);
            for (i = 0; i < s->parts[0].count; i++) missed += s->parts[0].slices[i].misses;
            CHECK_EQ(missed, length);
        }
        input_free(&in);
        text_free(&part);
        free(m);
    }
}

TEST(an_access_to_several_blocks_is_one_to_each) {
    misses *m = new_misses(two_sizes, 2, 0);
    misses_access(m, 1, 60, 8);
    CHECK_EQ(m->at, 2);
    misses_access(m, 1, 128, 640);
    CHECK_EQ(m->at, 12);
    misses_access(m, 1, UINT64_MAX - 3, 100);       /* not round the end of memory */
    CHECK_EQ(m->at, 13);
    misses_access(m, 1, 0, 0);
    CHECK_EQ(m->at, 14);
    free(m);
}

TEST(full_rows_are_counted) {
    static const uint64_t one[1] = {64};
    misses *m = new_misses(one, 1, 0);
    uint64_t n;
    misses_middle(m);
    for (n = 0; n < 3 * MISSES_ROWS; n++) misses_access(m, 1 + n, n << 6, 1);
    misses_burst(m);
    CHECK_EQ(m->bursts, 1);
    CHECK_EQ(m->counted, 3 * MISSES_ROWS);
    CHECK_EQ(m->size[0].misses + m->size[0].unknown, m->counted); /* the size has all */
    CHECK(m->lost > 0);
    misses_access(m, 1, 0, 1);
    CHECK_EQ(m->at, 1);                             /* the next burst goes on, */
    misses_burst(m);
    CHECK_EQ(m->bursts, 1);                         /* and without a second half it is none */
    free(m);
}

/* ---- parts that are cut short or changed ---- */

TEST(cut_and_changed_parts_are_refused_or_read) {
    misses *m = new_misses(two_sizes, 2, 0);
    kind_trial tried;
    truth t;
    text part;
    seed = 9;
    run_bursts(m, two_sizes, &t);
    part = write_part_of(m, "cut");
    tried = kind_try(&kind_misses, &part);
    CHECK(tried.first_cut >= 24);                   /* its head */
    CHECK(tried.cuts < tried.size / 10);            /* those that end behind a row */
    CHECK_EQ(tried.refused_head, 8);                /* another version */
    CHECK(tried.refused > 160);
    text_free(&part);
    free(m);
}
