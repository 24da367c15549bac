/* test_hotstream_streams.c - what hotstream.h answers: streams against a walk
   of the whole parse tree, heats against counted occurrences, thresholds
   against all others, planted streams, the worked example. */
#define HOTSTREAM_STATIC
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include "hotstream_brute.inc"

static hotstream h;
static uint32_t input[BRUTE_MOST];

static hotstream_config config_of(uint32_t least, uint32_t most) {
    hotstream_config config;
    memset(&config, 0, sizeof config);
    config.symbols = 1;
    config.min_length = least;
    config.max_length = most;
    return config;
}

/* ---- what analyses report ---- */

typedef struct found {
    uint64_t heat, frequency;
    uint32_t length;
    hotstream_item items[64];
} found;
static found list[4000];
static uint32_t list_count;

static void take(void *user, const hotstream_stream *s) {
    found *f = &list[list_count++];
    (void)user;
    f->heat = s->heat;
    f->frequency = s->frequency;
    f->length = s->length;
    memcpy(f->items, s->items, s->length * sizeof *s->items);
}

static uint64_t analyse(uint64_t heat, int segments) {
    list_count = 0;
    return hotstream_analyse(&h, heat, segments, take, NULL);
}

static uint32_t letters(const char *text) {
    uint32_t i;
    for (i = 0; text[i]; i++) input[i] = (uint32_t)(unsigned char)text[i];
    return i;
}

static int spells(const found *f, const char *text) {
    uint32_t i;
    for (i = 0; i < f->length && text[i]; i++) {
        if (f->items[i].site != (uint64_t)(unsigned char)text[i]) return 0;
    }
    return i == f->length && !text[i];
}

static void worked_example(int eager) {
    hotstream_config config = config_of(2, 7);
    uint32_t count = letters("abaabcabcabcabc");
    hotstream_stats stats;
    config.eager = eager;
    CHECK(brute_init(&h, 128, &config) == 128);
    CHECK_EQ(brute_feed(&h, input, count), count);
    CHECK_EQ(analyse(8, 0), 12);
    CHECK_EQ(list_count, 1);
    CHECK_EQ(list[0].heat, 12);
    CHECK_EQ(list[0].frequency, 2);
    CHECK(spells(&list[0], "abcabc"));
    CHECK_EQ(hotstream_threshold(&h, .8, 0), 12);
    hotstream_get_stats(&h, &stats);
    CHECK_EQ(stats.rules, 4);
    CHECK_EQ(stats.symbols, 15);
    CHECK_EQ(hotstream_check(&h), 0);
}

TEST(the_worked_example) {
    worked_example(1);
    worked_example(0);
}

/* ---- against a walk of the parse tree ---- */

static uint32_t tree_length(uint32_t rule) {
    uint32_t i, length = 0;
    for (i = h.nodes[rule].next; i != rule; i = h.nodes[i].next) {
        uint32_t symbol = h.nodes[i].symbol;
        if (brute_is_use(symbol)) length += tree_length(symbol - 0x80000000u);
        else length += symbol != BRUTE_SEPARATOR;
    }
    return length;
}

static uint64_t meets[BRUTE_MOST];
static unsigned char hot[BRUTE_MOST];

/* Counts how often each rule is met by a walk that does not enter hot ones. */
static void tree_walk(uint32_t rule) {
    uint32_t i;
    meets[rule]++;
    if (hot[rule]) return;
    for (i = h.nodes[rule].next; i != rule; i = h.nodes[i].next) {
        if (brute_is_use(h.nodes[i].symbol)) tree_walk(h.nodes[i].symbol - 0x80000000u);
    }
}

/* How deep the deepest chain of rules above this one is: rules of level 0
   first, as the numbers of an analysis have it. */
static uint32_t tree_depth(uint32_t rule) {
    uint32_t i, most = 0;
    for (i = h.nodes[rule].next; i != rule; i = h.nodes[i].next) {
        if (brute_is_use(h.nodes[i].symbol)) {
            uint32_t depth = 1 + tree_depth(h.nodes[i].symbol - 0x80000000u);
            if (depth > most) most = depth;
        }
    }
    return most;
}

/* Whole rules only: decides rule by rule, from the outermost in, walking the
   whole tree anew each time. Any order in which users come before what they use
   gives the same. Returns the sum of heats. */
static uint64_t tree_streams(uint64_t heat, uint32_t *count) {
    uint32_t i, level, lengths[600], depths[600];
    uint64_t covered = 0;
    *count = 0;
    memset(hot, 0, sizeof hot);
    for (i = 2; i <= h.used; i++) {
        if (brute_is_guard(h.nodes[i].symbol)) {
            lengths[i] = tree_length(i);
            depths[i] = tree_depth(i);
        }
    }
    for (level = 40; level-- > 0;) {
        for (i = 2; i <= h.used; i++) {
            if (!brute_is_guard(h.nodes[i].symbol) || depths[i] != level) continue;
            if (lengths[i] < h.config.min_length || lengths[i] > h.config.max_length) continue;
            memset(meets, 0, sizeof meets);
            tree_walk(1);
            if (meets[i] && lengths[i] * meets[i] >= heat) {
                hot[i] = 1;
                covered += lengths[i] * meets[i];
                ++*count;
            }
        }
    }
    return covered;
}

TEST(streams_are_those_of_the_parse_tree) {
    hotstream_config config = config_of(2, 9);
    uint64_t seed = 5;
    uint32_t round, i, wrong = 0, seen = 0;
    for (round = 0; round < 150; round++) {
        uint32_t count = brute_random_input(&seed, input, 250), wanted = 0;
        uint64_t heat = 4 + test_random(&seed) % 30, covered, tree;
        config.eager = round & 1;
        brute_init(&h, 590, &config);
        brute_feed(&h, input, count);
        hotstream_check(&h);
        tree = tree_streams(heat, &wanted);
        covered = analyse(heat, 0);
        wrong += covered != tree || list_count != wanted;
        for (i = 0, tree = 0; i < list_count; i++) tree += list[i].heat;
        wrong += covered != tree;
        seen += list_count;
    }
    CHECK_EQ(wrong, 0);
    CHECK(seen > 300);
}

TEST(heats_are_never_above_the_truth) {
    hotstream_config config = config_of(2, 8);
    uint64_t seed = 6;
    uint32_t round, i, wrong = 0, seen = 0, segments = 0;
    for (round = 0; round < 600; round++) {
        uint32_t count = brute_random_input(&seed, input, 900), symbols = 0;
        uint64_t heat = 4 + test_random(&seed) % 40, covered, sum = 0;
        config.min_length = 2 + round % 5;
        config.eager = round & 1;
        brute_init(&h, 2000, &config);
        brute_feed(&h, input, count);
        covered = analyse(heat, round % 3 != 0);
        for (i = 0; i < count; i++) symbols += input[i] != BRUTE_SEPARATOR;
        for (i = 0; i < list_count; i++) {
            const found *f = &list[i];
            sum += f->heat;
            wrong += f->heat != f->length * f->frequency || f->heat < heat;
            wrong += f->length < config.min_length || f->length > config.max_length;
            wrong += f->heat > f->length * brute_occurrences(input, count, f->items, f->length);
        }
        wrong += sum != covered || covered > symbols;
        wrong += hotstream_check(&h) != 0;
        seen += list_count;
        if (round % 3 && covered > analyse(heat, 0)) segments++;
    }
    CHECK_EQ(wrong, 0);
    CHECK(seen > 2000);
    CHECK(segments > 0);
}

TEST(thresholds_suffice_and_the_next_does_not) {
    hotstream_config config = config_of(3, 12);
    uint64_t seed = 7;
    uint32_t round, wrong = 0, above = 0;
    for (round = 0; round < 200; round++) {
        uint32_t count = brute_random_input(&seed, input, 1500);
        double coverage = (double)(test_random(&seed) % 100) / 100;
        uint64_t heat, wanted;
        brute_init(&h, 4000, &config);
        brute_feed(&h, input, count);
        heat = hotstream_threshold(&h, coverage, 1);
        wanted = (uint64_t)(coverage * (double)h.count);
        if (wanted == 0) continue;
        if (heat > 6) {
            wrong += analyse(heat, 1) < wanted || analyse(heat + 1, 1) >= wanted;
            above++;
        } else wrong += analyse(6, 1) >= wanted && analyse(7, 1) >= wanted;
    }
    CHECK_EQ(wrong, 0);
    CHECK(above > 30);
}

/* Streams of length 12 to 30 between noise: nearly all of what was planted is
   found, by its signature. */
TEST(planted_streams_are_found) {
    enum { PLANTS = 12 };
    static uint32_t plant[PLANTS][30], length[PLANTS];
    hotstream_config config = config_of(10, 40);
    uint64_t seed = 8, covered, planted = 0;
    uint32_t i, k, round, count = 0, fresh = 100000, letter = 1;
    for (i = 0; i < PLANTS; i++) {
        length[i] = 12 + i * 18 / PLANTS;
        for (k = 0; k < length[i]; k++) plant[i][k] = letter++;
    }
    while (count + 60 < 18000) {
        i = (uint32_t)(test_random(&seed) % PLANTS);
        for (k = 0; k < length[i]; k++) input[count++] = plant[i][k];
        planted += length[i];
        for (k = (uint32_t)(test_random(&seed) % 12); k; k--) input[count++] = fresh++;
    }
    brute_init(&h, 20000, &config);
    CHECK_EQ(brute_feed(&h, input, count), count);
    covered = analyse(20, 1);
    CHECK(covered >= planted * 98 / 100 && covered <= planted);
    for (i = 0; i < PLANTS; i++) { /* each has a stream of its own, whole or nearly so */
        uint64_t heat = 0;
        for (round = 0; round < list_count; round++) {
            if (list[round].items[0].site >= plant[i][0] &&
                list[round].items[0].site <= plant[i][length[i] - 1])
                heat += list[round].heat;
        }
        CHECK(heat > planted / PLANTS / 3);
    }
}

/* A loop of 100 different references, between noise, is longer than a stream
   may be: whole rules see nothing of it. */
TEST(long_rules_are_cut_in_segments) {
    hotstream_config config = config_of(10, 40);
    uint32_t i, k, count = 0, fresh = 1000;
    uint64_t whole, cut;
    for (i = 0; i < 60; i++) {
        for (k = 0; k < 100; k++) input[count++] = 1 + k;
        input[count++] = fresh++;
    }
    brute_init(&h, 4000, &config);
    brute_feed(&h, input, count);
    whole = analyse(20, 0);
    cut = analyse(20, 1);
    CHECK_EQ(whole, 0);
    CHECK(cut >= 4800);
    for (i = 0; i < list_count; i++) {
        CHECK(list[i].length >= 10 && list[i].length <= 40);
        for (k = 1; k < list[i].length; k++)
            CHECK_EQ(list[i].items[k].site, list[i].items[0].site + k);
    }
    config.whole_rules = 1;
    brute_init(&h, 4000, &config);
    brute_feed(&h, input, count);
    CHECK_EQ(hotstream_top(&h, NULL, 0), 0);
}

/* A stream whose heat is exactly the least that counts is a stream, one below
   it is none. */
TEST(the_least_heat_counts) {
    hotstream_config config = config_of(2, 7);
    uint32_t i, k, count = letters("abaabcabcabcabc");
    brute_init(&h, 128, &config);
    brute_feed(&h, input, count);
    CHECK_EQ(analyse(12, 0), 12);
    CHECK(list_count == 1 && spells(&list[0], "abcabc"));
    CHECK_EQ(analyse(13, 0), 0);
    config = config_of(10, 40);
    for (count = 0, i = 0; i < 3; i++) { /* a rule of 40, cut off a loop of 80, seen three times */
        for (k = 0; k < 80; k++) input[count++] = 1 + k;
        input[count++] = 1000 + i;
    }
    brute_init(&h, 4000, &config);
    brute_feed(&h, input, count);
    CHECK(analyse(3 * 40, 1) > 0);
    for (k = 0, i = 0; i < list_count; i++) k = list[i].heat > k ? (uint32_t)list[i].heat : k;
    CHECK_EQ(k, 3 * 40);
    CHECK_EQ(analyse(3 * 40 + 1, 1), 0);
    for (count = 0, i = 0; i < 2; i++) { /* a stream of the least length, seen twice, is kept */
        for (k = 0; k < 10; k++) input[count++] = 1 + k;
        input[count++] = 1000 + i;
    }
    brute_init(&h, 4000, &config);
    brute_feed(&h, input, count);
    {
        hotstream_stream row[1];
        CHECK_EQ(hotstream_top(&h, row, 1), 1);
        CHECK(row[0].heat == 20 && row[0].frequency == 2);
    }
    config.heat_min = 21;
    brute_init(&h, 4000, &config);
    brute_feed(&h, input, count);
    CHECK_EQ(hotstream_top(&h, NULL, 0), 0);
}

/* ---- coverage against a greedy reference ---- */

/* Takes the substring with the largest length * occurrences among what is not
   covered, covers all its occurrences, and again. Returns the references
   covered. */
static uint64_t greedy(uint32_t *text, uint32_t count, uint32_t least, uint32_t most,
                       uint64_t heat) {
    static uint32_t next_fresh = 0x10000000;
    uint64_t covered = 0;
    for (;;) {
        uint64_t best = 0;
        uint32_t best_at = 0, best_length = 0, i, k, length;
        for (length = least; length <= most; length++) {
            for (i = 0; i + length <= count; i++) {
                uint64_t times = 0;
                uint32_t at = i;
                if (text[i] >= 0x10000000) continue;
                while (at + length <= count) {
                    for (k = 0; k < length && text[at + k] == text[i + k]; k++) {
                    }
                    if (k == length) {
                        times++;
                        at += length;
                    } else at++;
                }
                if (times >= 2 && times * length >= heat && times * length > best) {
                    best = times * length;
                    best_at = i;
                    best_length = length;
                }
            }
        }
        if (!best) return covered;
        covered += best;
        {
            uint32_t at = best_at, pattern[64];
            memcpy(pattern, text + best_at, best_length * sizeof *text);
            while (at + best_length <= count) {
                for (k = 0; k < best_length && text[at + k] == pattern[k]; k++) {
                }
                if (k == best_length) {
                    for (k = 0; k < best_length; k++) text[at++] = next_fresh++;
                } else at++;
            }
        }
    }
}

TEST(coverage_against_greedy_search) {
    hotstream_config config = config_of(4, 10);
    uint64_t seed = 9, ours = 0, theirs = 0;
    uint32_t round, i, k;
    for (round = 0; round < 12; round++) {
        uint32_t count = 0, letter = 1, fresh = 1000;
        while (count + 20 < 500) {
            i = (uint32_t)(test_random(&seed) % 5);
            for (k = 0; k < 5 + i; k++) input[count++] = letter + 20 * i + k;
            for (k = (uint32_t)(test_random(&seed) % 4); k; k--) input[count++] = fresh++;
        }
        brute_init(&h, 2000, &config);
        brute_feed(&h, input, count);
        ours += analyse(8, 1);
        theirs += greedy(input, count, 4, 10, 8);
    }
    CHECK(ours * 100 >= theirs * 98);
}

/* ---- bounded against unbounded ---- */

TEST(bounded_against_unbounded) {
    enum { PLANTS = 8 };
    hotstream_config config = config_of(10, 40);
    static uint32_t text[BRUTE_MOST];
    hotstream_stream rows[40];
    hotstream_stats stats;
    uint64_t seed = 10, all, held = 0;
    uint32_t i, k, count = 0, fresh = 1000;
    size_t streams;
    while (count + 60 < 19000) {
        i = (uint32_t)(test_random(&seed) % PLANTS);
        for (k = 0; k < 16; k++) text[count++] = 1 + 16 * i + k;
        for (k = (uint32_t)(test_random(&seed) % 5); k; k--) text[count++] = fresh++;
    }
    brute_init(&h, 20000, &config);
    brute_feed(&h, text, count);
    all = analyse(20, 1);
    brute_init(&h, 400, &config);
    for (i = 0; i < count; i++) {
        if (hotstream_feed(&h, text[i]) != 0) {
            hotstream_digest(&h);
            CHECK_EQ(hotstream_feed(&h, text[i]), 0);
        }
    }
    streams = hotstream_top(&h, rows, 40);
    hotstream_get_stats(&h, &stats);
    CHECK(stats.digests > 8);
    CHECK_EQ(stats.references, count);
    CHECK(streams >= 2 && streams <= 40);
    for (k = 0; k < streams; k++) {
        uint64_t occurrences = brute_occurrences(text, count, rows[k].items, rows[k].length);
        held += rows[k].heat;
        CHECK(rows[k].frequency <= occurrences);
        CHECK(k == 0 || rows[k].heat <= rows[k - 1].heat);
    }
    CHECK(stats.heat * 100 >= all * 80);
    CHECK(held <= stats.heat);
}
