/* test_sharing.c - record/inside/core/sharing.c against all bursts kept in a list;
   what is false sharing and what is not; room that ends; parts of kind 14:
   read, added up, cut short, changed. */
#include "test.h"
#include "kind.inc"
#include "record/inside/core/sharing.c"
#include "base/input.h"
#include "base/tool.h"
#include "report/kinds/sharing.h"
#include "report/model/report.h"
#include <time.h>

static uint64_t seed;
static uint32_t below(uint32_t bound) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % bound;
}

enum { MS = 1000000 };
static uint64_t took_ms;                /* a burst of use() */
static uint64_t block_life;             /* of what is at or above 0x100000 */

/* Below 0x100000 each 16 bytes are an object. Above all is one block of the
   heap, from a multiple of 64 on, or of 4096 from 0x200000 on. */
static void charge(void *user, uint64_t site, uint64_t address, sharing_place *out) {
    (void)user;
    out->function = site;
    out->bytes = address < 0x100000 ? 16 : address < 0x200000 ? 64 : 4096;
    out->low = address & ~(out->bytes - 1);
    out->object = address < 0x100000 ? out->low / 16 : 9999;
    out->life = address < 0x100000 ? 0 : block_life;
}

static sharing *new_sharing(uint32_t flags) {
    sharing *s = (sharing *)calloc(1, sizeof *s);
    if (!s) abort();
    s->flags = flags;
    return s;
}

static sharing_thread *new_thread(uint32_t number) {
    sharing_thread *t = (sharing_thread *)calloc(1, sizeof *t);
    if (!t) abort();
    t->number = number;
    return t;
}

static const sharing_line *line_at(sharing *s, uint64_t line) {
    uint32_t number = *head_of(s, line);
    while (number && s->lines[number - 1].line != line) number = s->lines[number - 1].chained;
    return number ? &s->lines[number - 1] : NULL;
}

/* ---- one line of many instructions ---- */

/* A line of the stack meets all instructions of a program. A burst may not look
   through all of its rows for each of them: that would be 40 000 million steps
   here, and minutes. */
TEST(many_instructions_on_one_line) {
    enum { EACH = SHARING_SEEN / 4 * 3, ROUNDS = 4 };
    sharing *s = new_sharing(0);
    sharing_thread *t = new_thread(1);
    clock_t began = clock();
    uint32_t twice, round, n, left = 0;
    for (twice = 0; twice < 2; twice++) {
        for (round = 0; round < ROUNDS; round++) {
            for (n = 0; n < EACH; n++)
                sharing_access(t, 1 + (uint64_t)round * EACH + n, 0x1000, 8, SHARING_LOAD);
            sharing_burst(s, t, MS, MS + round, charge, NULL);
        }
        CHECK_EQ(s->rows_used, EACH * ROUNDS);
        CHECK_EQ(s->lines_used, 1);
    }
    CHECK((double)(clock() - began) / CLOCKS_PER_SEC < 20);
    for (n = 0; n < EACH * ROUNDS; n++) left += s->rows[n].loads != 2;
    CHECK_EQ(left, 0);
    drop_line(s, *head_of(s, 0x1000 >> SHARING_LINE_LOG2) - 1);
    CHECK_EQ(s->rows_used, 0);
    for (n = 0; n < SHARING_ROWS; n++) left += s->row_heads[n] != 0;
    CHECK_EQ(left, 0);
    free(s);
    free(t);
}

/* And one instruction has a row for each line. */
TEST(one_instruction_on_many_lines) {
    enum { EACH = SHARING_SEEN / 4 * 3, ROUNDS = 2 };
    sharing *s = new_sharing(0);
    sharing_thread *t = new_thread(1);
    uint32_t round, n;
    for (round = 0; round < ROUNDS; round++) {
        for (n = 0; n < EACH; n++)
            sharing_access(t, 7, 0x100000 + 64 * ((uint64_t)round * EACH + n), 8, SHARING_STORE);
        sharing_burst(s, t, MS, MS + round, charge, NULL);
    }
    CHECK_EQ(s->rows_used, EACH * ROUNDS);
    CHECK_EQ(s->lines_used, EACH * ROUNDS);
    free(s);
    free(t);
}

/* ---- sums of all bursts ---- */

enum { THREADS = 4, LINES = 6, BURSTS = 400 };
typedef struct burst {
    uint64_t ns, r, used[LINES];
    uint32_t thread;
    int stored[LINES];
} burst;

static void compare_line(const sharing_line *l, const burst *all, uint32_t line) {
    uint64_t accesses = 0, bursts = 0, together = 0, yy = 0, yr = 0;
    uint32_t n, k;
    for (n = 0; n < BURSTS; n++) {
        int met = 0;
        if (!all[n].used[line]) continue;
        bursts++;
        accesses += all[n].used[line];
        yy += all[n].used[line] * all[n].used[line];
        yr += all[n].used[line] * all[n].r;
        for (k = 0; k < n; k++) {
            met |= all[k].used[line] && all[k].thread != all[n].thread
                   && all[n].ns - all[k].ns < SHARING_NEAR_NS
                   && (all[k].stored[line] || all[n].stored[line]);
        }
        together += (uint64_t)met;
    }
    CHECK_EQ(l ? l->accesses : 0, accesses);
    CHECK_EQ(l ? l->bursts : 0, bursts);
    CHECK_EQ(l ? l->together : 0, together);
    CHECK_EQ(l ? l->yy : 0, yy);
    CHECK_EQ(l ? l->yr : 0, yr);
}

TEST(sums_are_those_of_all_bursts) {
    static burst all[BURSTS];
    sharing_thread *threads[THREADS];
    uint32_t n, i, accesses;
    for (n = 0; n < THREADS; n++) threads[n] = new_thread(n);
    for (seed = 1; seed < 4; seed++) {
        sharing *s = new_sharing(0);
        uint64_t started = seed, now = 5, sum = 0;
        memset(all, 0, sizeof all);
        for (n = 0; n < BURSTS; n++) {
            burst *b = &all[n];
            b->thread = below(THREADS);
            now += below(3) ? below(20) * MS : below(500) * MS;
            b->ns = now;
            accesses = 1 + below(12);
            for (i = 0; i < accesses; i++) {
                uint64_t address = below(LINES * 64 - 70);
                uint64_t bytes = below(20) ? 1 + below(16) : 1 + below(70);
                int what = below(4) ? SHARING_LOAD : 1 + (int)below(3);
                uint64_t line = address / 64, last = (address + bytes - 1) / 64;
                sharing_access(threads[b->thread], 1 + below(3), address, bytes, what);
                for (; line <= last; line++) {
                    b->r++;
                    b->stored[line] |= (what & SHARING_STORE) != 0;
                }
            }
            /* Of an instruction on a line the larger of its loads and stores counts. */
            for (i = 0; i < LINES; i++) b->used[i] = 0;
            for (i = 0; i < threads[b->thread]->used; i++) {
                const sharing_seen *e
                    = &threads[b->thread]->seen[threads[b->thread]->list[i]];
                b->used[e->line] += e->loads > e->stores ? e->loads : e->stores;
            }
            CHECK_EQ(threads[b->thread]->accesses, b->r);
            sum += b->r;
            sharing_burst(s, threads[b->thread], now, now, charge, NULL);
        }
        CHECK_EQ(s->accesses, sum);
        CHECK_EQ(s->bursts, BURSTS);
        for (i = 0; i < LINES; i++) compare_line(line_at(s, i), all, i);
        free(s);
        seed = started;
    }
    for (n = 0; n < THREADS; n++) free(threads[n]);
}

/* ---- what meets ---- */

typedef struct meeting {
    sharing *s;
    sharing_thread *threads[THREADS];
    uint64_t now;
} meeting;

static void begin(meeting *m) {
    uint32_t n;
    m->s = new_sharing(0);
    for (n = 0; n < THREADS; n++) m->threads[n] = new_thread(n);
    m->now = 1000 * (uint64_t)MS;
    block_life = took_ms = 0;
}

static void end(meeting *m) {
    uint32_t n;
    for (n = 0; n < THREADS; n++) free(m->threads[n]);
    free(m->s);
}

/* A burst of a thread, so long after the last one. */
static void use(meeting *m, uint32_t thread, uint64_t after_ms, uint64_t address, uint64_t bytes,
                int what, uint32_t times) {
    m->now += after_ms * MS;
    while (times--) sharing_access(m->threads[thread], 100 + address % 64, address, bytes, what);
    sharing_burst(m->s, m->threads[thread], m->now - took_ms * MS, m->now, charge, NULL);
}

static line_facts facts;
static uint32_t what_meets(meeting *m, uint64_t address) {
    const sharing_line *l = line_at(m->s, address / 64);
    memset(&facts, 0, sizeof facts);
    if (l) look_at_line(m->s, l, &facts);
    return facts.what;
}

TEST(different_bytes_are_false_and_the_same_are_true) {
    meeting m;
    begin(&m);
    use(&m, 0, 1, 0x1000, 8, SHARING_STORE, 5);
    use(&m, 1, 1, 0x1008, 8, SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_FALSE);
    CHECK_EQ(facts.contended, 10);      /* 5 can wait at most 5 times, 7 for 5 */
    CHECK_EQ(facts.falsely, 10);
    CHECK_EQ(facts.threads, 2);
    use(&m, 0, 1, 0x2000, 8, SHARING_STORE, 5);
    use(&m, 1, 1, 0x2008, 8, SHARING_LOAD, 7);
    CHECK_EQ(what_meets(&m, 0x2000), SHARING_FALSE);
    CHECK_EQ(facts.contended, 5);       /* who writes waits for nobody */
    use(&m, 0, 1, 0x3000, 8, SHARING_LOAD | SHARING_STORE, 5);
    use(&m, 1, 1, 0x3000, 8, SHARING_LOAD | SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x3000), SHARING_TRUE);
    use(&m, 0, 1, 0x4000, 8, SHARING_LOAD, 5);
    use(&m, 1, 1, 0x4008, 8, SHARING_LOAD, 7);
    CHECK_EQ(what_meets(&m, 0x4000), 0);
    use(&m, 0, 1, 0x5000, 8, SHARING_STORE, 5);
    use(&m, 0, 1, 0x5008, 8, SHARING_STORE, 5);
    CHECK_EQ(what_meets(&m, 0x5000), 0);            /* one thread */
    use(&m, 0, 1, 0x6038, 8, SHARING_STORE, 5);
    use(&m, 1, 1, 0x6040, 8, SHARING_STORE, 5);
    CHECK_EQ(what_meets(&m, 0x6000), 0);            /* two lines */
    CHECK_EQ(what_meets(&m, 0x6040), 0);
    end(&m);
}

TEST(what_a_lock_protects_is_shared_in_truth) {
    meeting m;
    uint32_t thread;
    begin(&m);
    for (thread = 0; thread < 2; thread++) {
        use(&m, thread, 1, 0x1000, 8, SHARING_STORE, 5);
        use(&m, thread, 1, 0x1008, 8, SHARING_STORE, 5);
    }
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_TRUE);
    CHECK_EQ(facts.falsely, 0);
    use(&m, 2, 1, 0x1010, 8, SHARING_LOAD, 5);      /* but this reader loses by it */
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_FALSE | SHARING_TRUE);
    CHECK_EQ(facts.contended, 25);      /* 10 of each who writes, 5 of who reads */
    CHECK_EQ(facts.falsely, 5);
    end(&m);
}

TEST(long_before_is_not_together) {
    meeting m;
    begin(&m);
    use(&m, 0, 1, 0x1000, 8, SHARING_STORE, 5);
    use(&m, 1, 250, 0x1008, 8, SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x1000), 0);
    use(&m, 0, 249, 0x1000, 8, SHARING_LOAD, 1);
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_FALSE);
    end(&m);
}

TEST(who_has_ended_meets_nobody_that_comes_later) {
    meeting m;
    begin(&m);
    use(&m, 0, 1, 0x1000, 8, SHARING_STORE, 5);
    sharing_ended(m.s, 0, m.now);
    use(&m, 1, 1, 0x1008, 8, SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x1000), 0);
    CHECK_EQ(line_at(m.s, 0x1000 / 64)->together, 0);
    use(&m, 2, 1, 0x1010, 8, SHARING_STORE, 3);     /* which does not hide those that live */
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_FALSE);
    CHECK_EQ(facts.contended, 6);
    CHECK_EQ(facts.threads, 2);
    CHECK_EQ(line_at(m.s, 0x1000 / 64)->together, 1);

    use(&m, 3, 1, 0x2000, 8, SHARING_STORE, 5);
    sharing_ended(m.s, 3, m.now);
    took_ms = 2;                                    /* it had begun before */
    use(&m, 1, 1, 0x2008, 8, SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x2000), SHARING_FALSE);
    CHECK_EQ(line_at(m.s, 0x2000 / 64)->together, 1);
    took_ms = 0;

    m.threads[0]->number = SHARING_ENDS;            /* more than are kept meet as ever */
    use(&m, 0, 1, 0x3000, 8, SHARING_STORE, 5);
    sharing_ended(m.s, SHARING_ENDS, m.now);
    use(&m, 1, 1, 0x3008, 8, SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x3000), SHARING_FALSE);
    end(&m);
}

TEST(a_burst_that_took_long_meets_nobody) {
    meeting m;
    begin(&m);
    use(&m, 0, 1, 0x1000, 8, SHARING_STORE, 5);
    took_ms = 250;
    use(&m, 1, 1, 0x1008, 8, SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x1000), 0);
    CHECK_EQ(m.s->slow, 1);
    took_ms = 0;
    use(&m, 0, 1, 0x1000, 8, SHARING_STORE, 5);     /* nor is it met */
    CHECK_EQ(what_meets(&m, 0x1000), 0);
    took_ms = 249;
    use(&m, 1, 1, 0x1008, 8, SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_FALSE);
    end(&m);
}

TEST(who_hardly_uses_a_line_has_no_say) {
    meeting m;
    begin(&m);
    use(&m, 2, 1, 0x1000, 64, SHARING_STORE, 1);
    use(&m, 0, 1, 0x1000, 8, SHARING_STORE, 1000);
    use(&m, 1, 1, 0x1008, 8, SHARING_STORE, 1000);
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_FALSE);
    CHECK_EQ(facts.threads, 2);
    use(&m, 2, 1, 0x1000, 64, SHARING_STORE, 9);
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_TRUE);
    end(&m);
}

TEST(blocks_that_had_the_same_memory_do_not_meet) {
    meeting m;
    begin(&m);
    block_life = 1;
    use(&m, 0, 1, 0x100000, 8, SHARING_STORE, 5);
    block_life = 2;
    use(&m, 1, 1, 0x100008, 8, SHARING_STORE, 7);
    CHECK_EQ(what_meets(&m, 0x100000), 0);
    use(&m, 0, 1, 0x100000, 8, SHARING_STORE, 5);   /* it is in the second block now, too */
    CHECK_EQ(what_meets(&m, 0x100000), SHARING_FALSE);
    end(&m);
}

/* ---- room that ends ---- */

TEST(a_burst_without_room_ends_and_lines_of_one_thread_make_room) {
    meeting m;
    uint32_t n, round;
    begin(&m);
    use(&m, 0, 1, 0x1000, 8, SHARING_STORE, 5);
    use(&m, 1, 1, 0x1008, 8, SHARING_STORE, 7);
    for (n = 0; n < SHARING_SEEN; n++)
        sharing_access(m.threads[0], 7, (UINT64_C(1) << 32) + n * 64, 1, SHARING_LOAD);
    CHECK_EQ(m.threads[0]->is_cut, 1);
    CHECK_EQ(m.threads[0]->accesses, SHARING_SEEN / 4 * 3);
    sharing_burst(m.s, m.threads[0], m.now, m.now, charge, NULL);
    CHECK_EQ(m.s->cut, 1);
    CHECK_EQ(m.threads[0]->is_cut, 0);
    for (round = 1; round < 8; round++) {           /* old lines: nothing is lost */
        m.now += 500 * MS;
        for (n = 0; n < SHARING_SEEN / 2; n++)
            sharing_access(m.threads[0], 7, ((uint64_t)round << 40) + n * 64, 1, SHARING_LOAD);
        sharing_burst(m.s, m.threads[0], m.now, m.now, charge, NULL);
    }
    CHECK_EQ(m.s->forgotten, 0);
    CHECK_EQ(m.s->lost, 0);
    CHECK(m.s->lines_used <= SHARING_LINES);
    for (round = 1; round < 8; round++) {           /* young ones */
        for (n = 0; n < SHARING_SEEN / 2; n++)
            sharing_access(m.threads[0], 7, ((uint64_t)round << 41) + n * 64, 1, SHARING_LOAD);
        sharing_burst(m.s, m.threads[0], m.now, m.now, charge, NULL);
    }
    CHECK(m.s->forgotten > 0);
    CHECK_EQ(m.s->lost, 0);
    CHECK_EQ(what_meets(&m, 0x1000), SHARING_FALSE); /* what is shared stays */
    end(&m);
}

TEST(addresses_at_the_end_of_memory_and_long_accesses) {
    meeting m;
    begin(&m);
    use(&m, 0, 1, UINT64_MAX - 3, 64, SHARING_STORE, 1);
    CHECK_EQ(m.s->accesses, 1);
    use(&m, 0, 1, 0x1020, 0, SHARING_STORE, 1);     /* a size that is not known: one byte */
    CHECK_EQ(m.s->accesses, 2);
    use(&m, 0, 1, 0x2020, 64 * 9, SHARING_STORE, 1);
    CHECK_EQ(m.s->accesses, 12);
    end(&m);
}

/* ---- parts ---- */

enum { STACK = 500, OTHER = 504 };      /* objects whose names are these */
static const char *name_of(void *user, int what, uint64_t number) {
    static char words[32];
    (void)user;
    if (what == SHARING_OBJECT && number == STACK) return "(stack)";
    if (what == SHARING_OBJECT && number == OTHER) return "(other memory)";
    snprintf(words, sizeof words, "%c%u", what == SHARING_FUNCTION ? 'f' : 'o', (unsigned)number);
    return number == 106 ? NULL : words;
}

static int append(void *user, const void *data, size_t size) {
    text_bytes((text *)user, data, size);
    return 0;
}

static text part_of(const sharing *s) {
    text out = {NULL, 0, 0};
    sharing_about about;
    memset(&about, 0, sizeof about);
    about.program = "p";
    about.every = 1000;
    about.burst = 100;
    about.name = name_of;
    CHECK_EQ(sharing_write(s, &about, append, &out), 0);
    return out;
}

static void share_two(meeting *m) {
    begin(m);
    use(m, 0, 1, 0x1000, 8, SHARING_STORE, 5);
    use(m, 1, 1, 0x1008, 4, SHARING_LOAD | SHARING_STORE, 7);
    use(m, 1, 1, 0x1014, 4, SHARING_LOAD, 3);
    use(m, 0, 1, 0x3000, 8, SHARING_STORE, 500);
    use(m, 2, 1, 0x3000, 8, SHARING_STORE, 400);
}

static const shared_parts *take(input *in, text *part) {
    const shared_parts *s;
    memset(in, 0, sizeof *in);
    CHECK_EQ(input_take(in, "part", part), TOOL_OK);
    input_settle(in);
    s = (const shared_parts *)input_find(in, &kind_sharing);
    CHECK(s && s->count == 1);
    return s;
}

TEST(parts_say_what_met_and_add_up) {
    meeting m;
    text part, twice = {NULL, 0, 0};
    const shared_parts *s;
    input in;
    int times;
    share_two(&m);
    part = part_of(m.s);
    for (times = 1; times <= 2; times++) {
        uint64_t by = (uint64_t)times;
        const shared_part *p;
        s = take(&in, times == 1 ? &part : &twice);
        if (!s) break;
        p = &s->parts[0];
        CHECK_EQ(p->bursts, 5 * by);
        CHECK_EQ(p->accesses, 915 * by);
        CHECK_EQ(p->rr, (25 + 49 + 9 + 250000 + 160000) * by);
        CHECK_EQ(p->line_count, 2);
        if (p->line_count == 2) {
            const shared_line *l = &p->lines[0];    /* o256, o257: 0x1000 and 0x1010 */
            CHECK(strcmp(l->objects, "o256\to257") == 0);
            CHECK_EQ(l->meets, SHARED_FALSE);
            CHECK_EQ(l->accesses, 15 * by);
            CHECK_EQ(l->contended, 10 * by);
            CHECK_EQ(l->falsely, 10 * by);
            CHECK_EQ(l->bursts, 3 * by);
            CHECK_EQ(l->together, 2 * by);
            CHECK_EQ(l->yy, (25 + 49 + 9) * by);
            CHECK_EQ(l->side_count, 3);
            CHECK_EQ(l->sides[1].offset, 8);
            CHECK_EQ(l->sides[1].bytes, 4);
            CHECK_EQ(l->sides[1].loads, 7 * by);
            CHECK_EQ(l->sides[1].stores, 7 * by);
            CHECK_EQ(l->sides[1].thread, 2);
            CHECK(strcmp(l->sides[1].function, "f108") == 0);
            CHECK_EQ(p->lines[1].meets, SHARED_TRUE);
            CHECK_EQ(p->lines[1].contended, 800 * by);
        }
        if (times == 1) {
            kind_sharing.write((void *)(uintptr_t)s, &twice);
            kind_sharing.write((void *)(uintptr_t)s, &twice);
        }
        input_free(&in);
    }
    text_free(&part);
    text_free(&twice);
    end(&m);
}

/* Two lines of one block, of two threads each. No burst uses both, and each uses
   nothing else, so that their sum of squares is that of whole bursts. The sentence
   names two threads of one line. */
TEST(lines_of_an_object_are_one_row) {
    static const uint64_t offsets[] = {0, 24, 64, 72};
    static const uint32_t times[] = {100, 103, 104, 99};
    const report_table *table = NULL;
    meeting m;
    text part;
    const shared_parts *s;
    report r;
    input in;
    uint32_t n;
    size_t i;
    begin(&m);
    for (n = 0; n < 40; n++)
        use(&m, n % 4, 1, 0x200000 + offsets[n % 4], 8, SHARING_STORE, times[n % 4]);
    use(&m, 0, 1, 0x5000, 8, SHARING_STORE, 3);
    part = part_of(m.s);
    s = take(&in, &part);
    if (s && s->parts[0].line_count == 1) {
        const shared_line *l = &s->parts[0].lines[0];
        CHECK_EQ(l->lines, 2);
        CHECK_EQ(l->accesses, 10 * (100 + 103 + 104 + 99));
        CHECK_EQ(l->yr, 10 * (100 * 100 + 103 * 103 + 104 * 104 + 99 * 99));
        CHECK_EQ(l->yy, l->yr);
    } else CHECK(0);
    memset(&r, 0, sizeof r);
    r.options.least_share = .001;
    report_make(&r, &in);
    for (i = 0; i < r.part_count; i++) {
        if (r.parts[i].table_count && strcmp(r.parts[i].tables[0]->key, "shared_lines") == 0)
            table = r.parts[i].tables[0];
    }
    CHECK(table && table->rows == 1);
    if (table && table->rows == 1) {
        CHECK(table->cells[0].real > .999);
        CHECK(table->cells[1].real > .85);      /* from */
        CHECK(table->cells[2].real > .999);     /* to */
    }
    for (i = 0; i < r.fact_count; i++) {
        if (strcmp(r.facts[i].name, "false sharing") != 0) continue;
        CHECK(strstr(r.facts[i].value, "thread 3 writes o9999 at offset 64 in"));
        CHECK(strstr(r.facts[i].value, "thread 4 writes o9999 at offset 72 in"));
        break;
    }
    CHECK(i < r.fact_count);
    report_free(&r);
    input_free(&in);
    text_free(&part);
    end(&m);
}

/* A stack changes hands when threads end, which old recorders did not look at; what is no block of the
   heap may change hands in the program. */
static void tell_of(uint32_t object, uint32_t flags, const char *caution) {
    meeting m;
    text part;
    report r;
    input in;
    size_t i;
    begin(&m);
    m.s->flags = flags;
    use(&m, 0, 1, object * 16, 8, SHARING_STORE, 500);
    use(&m, 1, 1, object * 16 + 8, 8, SHARING_STORE, 500);
    use(&m, 0, 1, object * 16, 8, SHARING_STORE, 500);
    part = part_of(m.s);
    (void)take(&in, &part);
    memset(&r, 0, sizeof r);
    r.options.least_share = .001;
    report_make(&r, &in);
    for (i = 0; i < r.fact_count && strcmp(r.facts[i].name, "false sharing") != 0; i++) { }
    if (CHECK(i < r.fact_count)) {
        const char *at = strstr(r.facts[i].value, ". If threads ");
        CHECK(strstr(r.facts[i].value, object == STACK   ? "a line on (stack): "
                                       : object == OTHER ? "a line on (other memory): "
                                                         : "a line on o777: "));
        CHECK(caution ? at && strncmp(at + 13, caution, strlen(caution)) == 0 : !at);
    }
    report_free(&r);
    input_free(&in);
    text_free(&part);
    end(&m);
}
TEST(who_may_have_had_the_memory_is_said) {
    tell_of(STACK, 0, "end");
    tell_of(STACK, SHARING_KNOWS_ENDS, NULL);
    tell_of(OTHER, 0, "end");
    tell_of(OTHER, SHARING_KNOWS_ENDS | SHARING_WHOLE, "give one another this memory");
    tell_of(777, 0, NULL);
}

/* As many lines as a part takes, of those that are used most. */
TEST(a_part_has_the_lines_that_are_used_most) {
    meeting m;
    text part;
    const shared_parts *s;
    input in;
    uint32_t n, k, count = SHARING_WRITTEN + 500;
    begin(&m);
    for (n = 0; n < 2; n++) {
        for (k = 0; k < count; k++) {
            uint32_t times = k < 500 ? 1 : 4;
            while (times--)
                sharing_access(m.threads[n], 7, 0x1000 + 64 * (uint64_t)k + 8 * n, 8, SHARING_STORE);
        }
        m.now += MS;
        sharing_burst(m.s, m.threads[n], m.now, m.now, charge, NULL);
    }
    part = part_of(m.s);
    s = take(&in, &part);
    if (s) {
        uint64_t least = UINT64_MAX;
        for (n = 0; n < s->parts[0].line_count; n++) {
            if (s->parts[0].lines[n].contended < least) least = s->parts[0].lines[n].contended;
        }
        CHECK_EQ(s->parts[0].left, 500);
        CHECK_EQ(s->parts[0].line_count, SHARING_WRITTEN);
        CHECK_EQ(least, 8);
        input_free(&in);
    }
    text_free(&part);
    end(&m);
}

/* More lines than a part takes, all used alike: some of them stand for all. */
TEST(a_part_has_some_of_many_lines_that_are_used_alike) {
    meeting m;
    text part;
    const shared_parts *s;
    input in;
    uint32_t n, k, count = 3 * SHARING_WRITTEN;
    begin(&m);
    for (n = 0; n < 2; n++) {
        for (k = 0; k < count; k++)
            sharing_access(m.threads[n], 7, 0x1000 + 64 * (uint64_t)k + 8 * n, 8, SHARING_STORE);
        m.now += MS;
        sharing_burst(m.s, m.threads[n], m.now, m.now, charge, NULL);
    }
    part = part_of(m.s);
    s = take(&in, &part);
    if (s) {
        CHECK(s->parts[0].line_count <= SHARING_WRITTEN);
        CHECK(s->parts[0].line_count > SHARING_WRITTEN / 10 * 9);
        CHECK_EQ(s->parts[0].left + s->parts[0].line_count, count);
        input_free(&in);
    }
    text_free(&part);
    end(&m);
}

TEST(cut_and_changed_parts_are_refused_or_read) {
    meeting m;
    text part;
    kind_trial t;
    share_two(&m);
    part = part_of(m.s);
    t = kind_try(&kind_sharing, &part);
    CHECK_EQ(t.cuts, 2);                /* no line, and one */
    CHECK_EQ(t.refused_head, 8);        /* another version */
    CHECK(t.refused > 40);
    text_free(&part);
    end(&m);
}
