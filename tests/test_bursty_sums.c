/* test_bursty_sums.c - the sums over bursts that intervals are made of, against
   a reference that keeps every burst.

   The same work runs twice. First an action notes each event, row by row and
   burst by burst, in plain arrays, and the sums are taken from these by their
   definition. Then bursty.h counts, and the tool's reader takes its sums from a
   dump. Both runs draw the same bursts. The sums of a thread's first 1024
   bursts are exact; later ones are estimates of it. */
#include "test.h"
#include "report/kinds/sampled.h"
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <math.h>
#include <setjmp.h>

/* ---- the reference ---- */

enum { ROWS = 64, BURSTS = 24000 };

typedef struct reference_row {
    const bursty_site *site, *caller;
    uint32_t thread;
} reference_row;

typedef struct reference {
    reference_row row[ROWS];
    uint32_t rows, bursts;
    uint32_t weight[BURSTS];
    unsigned char has_ended[BURSTS];
    uint32_t count[BURSTS][ROWS];
    uint32_t live[2][2]; /* by thread and profile: the burst, counted from 1 */
} reference;

static reference noted;
static uint32_t running_thread; /* only one runs at a time */

static uint32_t row_of(const bursty_site *site, const bursty_site *caller) {
    uint32_t i;
    for (i = 0; i < noted.rows; i++) {
        const reference_row *row = &noted.row[i];
        if (row->site == site && row->caller == caller && row->thread == running_thread) return i;
    }
    if (noted.rows == ROWS) abort();
    noted.row[i].site = site;
    noted.row[i].caller = caller;
    noted.row[i].thread = running_thread;
    return noted.rows++;
}

static void note(void *user, const bursty_event *e) {
    uint32_t *live = &noted.live[running_thread][*(const uint32_t *)user];
    const bursty_site *caller = NULL;
    if (e->kind & BURSTY_BEGIN) {
        if (noted.bursts == BURSTS) abort();
        *live = ++noted.bursts;
        noted.weight[*live - 1] = e->weight_256;
    } else if (e->kind & BURSTY_END) {
        noted.has_ended[*live - 1] = 1;
    } else if (!(e->kind & BURSTY_RETURN)) {
#if BURSTY_STACK > 0
        if (e->depth) caller = e->stack[e->depth - 1];
#endif
        noted.count[*live - 1][row_of(e->site, caller)]++;
    }
}

static uint64_t weight_in(uint32_t burst, uint32_t row) {
    return ((uint64_t)noted.count[burst][row] * noted.weight[burst] + 128) / 256;
}

static uint32_t class_of(uint32_t row) { return noted.row[row].site->kind & BURSTY_ANY; }

/* The sum of weights in a burst of all rows of the thread that have something
   in common. */
static uint64_t weight_of_site(uint32_t burst, uint32_t like) {
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < noted.rows; i++) {
        if (noted.row[i].site == noted.row[like].site) sum += weight_in(burst, i);
    }
    return sum;
}

static uint64_t weight_of_class(uint32_t burst, uint32_t class_bit) {
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < noted.rows; i++) {
        if (class_of(i) == class_bit) sum += weight_in(burst, i);
    }
    return sum;
}

/* ---- the work: what it does depends on its seed alone ---- */

static uint64_t drawn;
static uint32_t below(uint32_t limit) { return (uint32_t)(test_random(&drawn) % limit); }

static void (*before_step)(uint32_t step); /* what a test does in the middle */

static void small(void) { BURST_ENTRY(); }
static void nested(uint32_t depth);
static void middle(uint32_t depth) {
    BURST_SCOPE("middle");
    if (depth) nested(depth - 1);
    small();
    BURST_LEAVE();
}
static void nested(uint32_t depth) {
    uint32_t i, turns = below(4);
    BURST_SCOPE("nested");
    for (i = 0; i < turns; i++) {
        BURST_LOOP();
        small();
        if (depth && below(2)) middle(depth - 1);
    }
    if (below(3) == 0) BURST_POINT(BURSTY_USER, "point", i);
    BURST_LEAVE();
}
/* Stretches in which one function alone runs, so that bursts differ. */
static void work(uint64_t seed, uint32_t steps) {
    uint32_t i, k;
    drawn = seed;
    for (i = 0; i < steps; i++) {
        if (before_step) before_step(i);
#ifdef BURSTY_POLL
        bursty_poll(i % 7 < 3);
#endif
        if (below(5) == 0) {
            uint32_t turns = below(60);
            for (k = 0; k < turns; k++) small();
        } else {
            nested(4);
        }
    }
}

/* ---- both runs ---- */

typedef struct bytes {
    unsigned char data[1 << 16];
    size_t size;
} bytes;

static int to_bytes(void *user, const void *data, size_t size) {
    bytes *b = (bytes *)user;
    if (size > sizeof b->data - b->size) return 1;
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

static void read_dump(tally *s) {
    static bytes b;
    dump d;
    dump_fault fault;
    memset(s, 0, sizeof *s);
    b.size = 0;
    CHECK_EQ(bursty_write(to_bytes, &b), 0);
    CHECK_EQ(dump_read(&d, b.data, b.size, &fault), 0);
    CHECK_EQ(kind_sampled.read(s, &d, &d.parts[0], &fault), 0);
    dump_free(&d);
}

/* A clock that makes bursts dear at one time and cheap at another. */
static uint64_t irregular_now;
static uint64_t irregular_clock(void *user) {
    (void)user;
    irregular_now += irregular_now / 4096 % 5 ? 40 : 4000;
    return irregular_now;
}

typedef struct setting {
    bursty_profile profile[2]; /* the second one: off, or of other classes */
    uint32_t budget_ppm;
    uint32_t seed;
} setting;

static void start(const setting *s, int is_reference) {
    static const uint32_t numbers[2] = {0, 1};
    bursty_config config;
    int i;
    bursty_poll(0);
    memset(&config, 0, sizeof config);
    config.seed = s->seed;
    config.budget_ppm = s->budget_ppm;
    config.clock = irregular_clock;
    irregular_now = 0;
    for (i = 0; i < 2; i++) {
        bursty_profile p = s->profile[i];
        if (is_reference) {
            p.action = note;
            p.user = (void *)(uintptr_t)&numbers[i];
            p.classes = (p.classes ? p.classes : (uint32_t)BURSTY_ANY) | BURSTY_BEGIN | BURSTY_END;
        }
        if (i == 0) {
            config.profile = p;
            CHECK(bursty_start(&config) > 0);
        } else if (!p.off) {
            CHECK_EQ(bursty_set_profile(1, &p), 0);
        }
    }
}

static const sampled_record *find(const tally *s, uint32_t like) {
    const reference_row *row = &noted.row[like];
    size_t i;
    for (i = 0; i < s->rows.count; i++) {
        const sampled_record *r = &s->rows.at[i];
        const sampled_site *caller = r->caller == TALLY_NO_SITE ? NULL : &s->sites.at[r->caller];
        if (s->threads.at[r->thread].number != row->thread) continue;
        if (strcmp(s->sites.at[r->site].name, row->site->name) != 0) continue;
        if (s->sites.at[r->site].line != row->site->line) continue;
        if (caller ? row->caller && caller->line == row->caller->line : !row->caller) return r;
    }
    return NULL;
}

static void compare_row(const tally *s, uint32_t like) {
    const sampled_record *got = find(s, like);
    uint64_t count = 0, bursts = 0, yy = 0, ys = 0, xy = 0;
    uint32_t b;
    for (b = 0; b < noted.bursts; b++) {
        uint64_t y = weight_in(b, like);
        count += noted.count[b][like];
        if (!noted.has_ended[b] || !noted.count[b][like]) continue;
        bursts++;
        yy += y * y;
        ys += y * weight_of_site(b, like);
        xy += y * weight_of_class(b, class_of(like));
    }
    CHECK(got != NULL || count == 0);
    if (!got) return;
    CHECK_EQ(got->count, count);
    CHECK_EQ(got->sums != NULL, bursts > 0);
    if (!got->sums) return;
    CHECK_EQ(got->sums->bursts, bursts);
    CHECK_EQ(got->sums->yy, yy);
    CHECK_EQ(got->sums->ys, ys);
    CHECK_EQ(got->sums->xy, xy);
}

/* The firsts of a site's rows are the bursts that saw it. A burst belongs to
   one thread. */
static void compare_sites(const tally *s) {
    uint32_t like, other, b;
    for (like = 0; like < noted.rows; like++) {
        uint64_t bursts = 0, firsts = 0;
        for (b = 0; b < noted.bursts; b++) {
            bursts += noted.has_ended[b] && weight_of_site(b, like) > 0;
        }
        for (other = 0; other < noted.rows; other++) {
            const sampled_record *row = find(s, other);
            if (noted.row[other].site != noted.row[like].site) continue;
            if (row && row->sums) firsts += row->sums->firsts;
        }
        CHECK_EQ(firsts, bursts);
    }
}

static void compare_classes(const tally *s) {
    uint32_t class_bit, b;
    size_t i;
    for (class_bit = 1; class_bit <= BURSTY_USER; class_bit *= 2) {
        uint64_t bursts = 0, xx = 0, got_bursts = 0, got_xx = 0;
        for (b = 0; b < noted.bursts; b++) {
            uint64_t x = weight_of_class(b, class_bit);
            if (!noted.has_ended[b]) continue;
            bursts += x > 0;
            xx += x * x;
        }
        for (i = 0; i < s->classes.count; i++) {
            if (s->classes.at[i].class_bit != class_bit) continue;
            got_bursts += s->classes.at[i].bursts;
            got_xx += s->classes.at[i].xx;
        }
        CHECK_EQ(got_bursts, bursts);
        CHECK_EQ(got_xx, xx);
    }
}

static void compare(void) {
    tally s;
    uint32_t i;
    read_dump(&s);
    CHECK(noted.rows > 0);
    for (i = 0; i < noted.rows; i++) compare_row(&s, i);
    compare_sites(&s);
    compare_classes(&s);
    kind_sampled.free(&s);
}

/* A burst that is over ends at the next look at the schedule, as it will for
   the dump. */
static void end_reference(void) {
    bursty_stats stats;
    bursty_get_stats(&stats);
}

static void run_both(const setting *s, uint32_t steps) {
    memset(&noted, 0, sizeof noted);
    start(s, 1);
    work(s->seed, steps);
    end_reference();
    start(s, 0);
    work(s->seed, steps);
    compare();
}

static setting with(uint32_t checks, uint32_t burst, uint32_t seed) {
    setting s;
    memset(&s, 0, sizeof s);
    s.profile[0].every = checks;
    s.profile[0].burst = burst;
    s.profile[1].off = 1;
    s.seed = seed;
    return s;
}

/* ---- later bursts, of which one of 8 is summed ---- */

enum { FIRST = 1024, ONE_OF = 8 };

/* A sum over all bursts, and how far an estimate may be off: 5 standard errors
   of one that takes each later burst with a chance of 1 in 8, by itself. */
typedef struct estimate {
    double all, variance;
} estimate;

static void add_burst(estimate *e, uint32_t burst, uint64_t value) {
    double v = (double)value;
    e->all += v;
    if (burst >= FIRST) e->variance += (double)(ONE_OF - 1) * v * v;
}

static void is_near(const estimate *e, uint64_t got) {
    CHECK(fabs((double)got - e->all) <= 5 * sqrt(e->variance) + .5);
}

/* What is counted once though it stands for 8: the first ones, and an eighth of
   the later ones. */
static void is_near_eighth(uint64_t first, uint64_t later, uint64_t got) {
    double wanted = (double)first + (double)later / (double)ONE_OF;
    CHECK(fabs((double)got - wanted) <= 5 * sqrt((double)later * 7 / 64));
}

/* Returns whether a sum is another one than that over all bursts. */
static int estimate_row(const tally *s, uint32_t like) {
    const sampled_record *got = find(s, like);
    estimate yy = {0, 0}, ys = {0, 0}, xy = {0, 0};
    uint64_t count = 0, weight = 0, seen[2] = {0, 0};
    uint32_t b;
    for (b = 0; b < noted.bursts; b++) {
        uint64_t y = weight_in(b, like);
        count += noted.count[b][like];
        weight += (uint64_t)noted.count[b][like] * noted.weight[b];
        if (!noted.has_ended[b] || y == 0) continue;
        seen[b >= FIRST]++;
        add_burst(&yy, b, y * y);
        add_burst(&ys, b, y * weight_of_site(b, like));
        add_burst(&xy, b, y * weight_of_class(b, class_of(like)));
    }
    CHECK(got != NULL && got->sums != NULL);
    if (!got || !got->sums) return 0;
    CHECK_EQ(got->count, count);
    CHECK_EQ(got->weight_256, weight);
    is_near_eighth(seen[0], seen[1], got->sums->bursts);
    is_near(&yy, got->sums->yy);
    is_near(&ys, got->sums->ys);
    is_near(&xy, got->sums->xy);
    return (double)got->sums->yy < yy.all || (double)got->sums->yy > yy.all;
}

static void estimate_site(const tally *s, uint32_t like) {
    uint64_t seen[2] = {0, 0}, firsts = 0;
    uint32_t other, b;
    for (b = 0; b < noted.bursts; b++) {
        seen[b >= FIRST] += noted.has_ended[b] && weight_of_site(b, like) > 0;
    }
    for (other = 0; other < noted.rows; other++) {
        const sampled_record *row = find(s, other);
        if (noted.row[other].site == noted.row[like].site) firsts += row->sums->firsts;
    }
    is_near_eighth(seen[0], seen[1], firsts);
}

static void estimate_class(const sampled_class *of) {
    estimate bursts = {0, 0}, xx = {0, 0};
    uint32_t b;
    for (b = 0; b < noted.bursts; b++) {
        uint64_t x = weight_of_class(b, of->class_bit);
        if (!noted.has_ended[b]) continue;
        add_burst(&bursts, b, x > 0);
        add_burst(&xx, b, x * x);
    }
    is_near(&bursts, of->bursts);
    is_near(&xx, of->xx);
}

static void run_long(const setting *s) {
    tally dumped;
    uint32_t i, differ = 0;
    memset(&noted, 0, sizeof noted);
    start(s, 1);
    work(s->seed, 20000);
    end_reference();
    start(s, 0);
    work(s->seed, 20000);
    CHECK(noted.bursts > FIRST + 500);
    read_dump(&dumped);
    CHECK_EQ(dumped.rows.count, noted.rows);
    for (i = 0; i < noted.rows; i++) differ += (uint32_t)estimate_row(&dumped, i);
    CHECK(differ > 3);
    for (i = 0; i < noted.rows; i++) estimate_site(&dumped, i);
    CHECK_EQ(dumped.classes.count, 3);
    for (i = 0; i < dumped.classes.count; i++) estimate_class(&dumped.classes.at[i]);
    kind_sampled.free(&dumped);
}

/* ---- tests ---- */

TEST(sums_are_those_of_the_bursts) {
    uint32_t seed;
    for (seed = 1; seed <= 3; seed++) {
        setting one = with(20, 1, seed), ten = with(40, 10, seed), many = with(900, 300, seed);
        run_both(&one, 1000);
        run_both(&ten, 1000);
        run_both(&many, 1000);
    }
}

TEST(later_bursts_are_estimated) {
    setting short_ones = with(60, 3, 21), long_ones = with(60, 30, 22), regular = with(70, 6, 23);
    regular.profile[0].jitter = -1;
    run_long(&short_ones);
    run_long(&long_ones);
    run_long(&regular);
}

#ifndef BURSTY_POLL
static void odd(void) { BURST_ENTRY(); }
static void rare(void) { BURST_ENTRY(); }

/* Each eighth burst is another one than the rest, and there is no jitter. */
TEST(what_is_summed_has_no_stride) {
    setting s = with(10, 1, 24);
    tally dumped;
    uint32_t i, k;
    size_t r;
    s.profile[0].jitter = -1;
    start(&s, 0);
    for (i = 0; i < FIRST + 8000; i++) {
        for (k = 0; k < 11; k++) {
            if (i < FIRST) small();
            else if (i == FIRST + 3) rare();
            else if (i % 8 == 5) odd();
            else small();
        }
    }
    read_dump(&dumped);
    CHECK_EQ(dumped.rows.count, 3);
    for (r = 0; r < dumped.rows.count; r++) {
        const sampled_record *row = &dumped.rows.at[r];
        const char *name = dumped.sites.at[row->site].name;
        CHECK(row->sums != NULL); /* there are some even if only bursts without sums saw the row */
        if (!row->sums) continue;
        if (strcmp(name, "odd") == 0) {
            CHECK_EQ(row->count, 1000);
            CHECK(row->sums->bursts > 70 && row->sums->bursts < 180);
            CHECK_EQ(row->sums->yy, row->sums->bursts * 8 * 11 * 11);
        } else if (strcmp(name, "rare") == 0) {
            CHECK_EQ(row->count, 1);
            CHECK_EQ(row->sums->yy, row->sums->bursts * 8 * 11 * 11);
        } else {
            CHECK_EQ(row->count, FIRST + 8000 - 1001);
        }
    }
    CHECK_EQ(dumped.classes.count, 1);
    CHECK_EQ(dumped.classes.at[0].bursts, FIRST + 8000);
    CHECK_EQ(dumped.classes.at[0].xx, (FIRST + 8000) * 11 * 11);
    kind_sampled.free(&dumped);
}
#endif

TEST(weights_differ_from_burst_to_burst) {
    setting s = with(110, 12, 5);
    s.budget_ppm = 300000;
    run_both(&s, 2000);
}

TEST(two_profiles_have_their_own_bursts) {
    setting s = with(50, 9, 6);
    s.profile[0].classes = BURSTY_CALL | BURSTY_RETURN;
    s.profile[1] = s.profile[0];
    s.profile[1].off = 0;
    s.profile[1].every = 31;
    s.profile[1].burst = 14;
    s.profile[1].classes = BURSTY_BACKEDGE | BURSTY_USER;
    run_both(&s, 1500);
}

/* ---- actions that do not return ---- */

#ifndef BURSTY_POLL
static jmp_buf bound_jump;
static uint32_t bounds, jumps_at; /* each jumps_at-th BEGIN or END jumps */
static void jump_at_bound(void *user, const bursty_event *e) {
    (void)user;
    if ((e->kind & (BURSTY_BEGIN | BURSTY_END)) && ++bounds % jumps_at == 0) {
        longjmp(bound_jump, 1);
    }
}

/* Calls small(). Returns whether it counted; -1: an action jumped out. */
static int small_or_jump(void) {
    if (setjmp(bound_jump)) {
        bursty_set_depth(0);
        return -1;
    }
    small();
    return (bursty_in_burst() & 1) != 0;
}

/* Profile 0 counts, and profile 1 jumps at its bounds. A jump ends the burst of
   profile 0, or finds it ended: no row's count of one burst may get into the
   next one. */
static void sums_with_jumps(setting s, uint32_t kind, uint32_t checks, uint32_t burst) {
    bursty_profile p;
    tally dumped;
    uint64_t part = 0, parts = 0, weight, yy = 0;
    uint32_t i, jumped = 0;
    memset(&p, 0, sizeof p);
    p.every = checks;
    p.burst = burst;
    p.jitter = -1;
    p.classes = kind;
    p.action = jump_at_bound;
    s.profile[0].jitter = -1;
    weight = s.profile[0].every / s.profile[0].burst + 1;
    start(&s, 0);
    CHECK_EQ(bursty_set_profile(1, &p), 0);
    bounds = 0;
    for (i = 0; i < 6000 || part; i++) {
        int counts = small_or_jump();
        if (counts > 0) {
            part++;
        } else if (part) {
            yy += part * weight * part * weight;
            parts++;
            part = 0;
        }
        jumped += counts < 0;
    }
    CHECK(jumped > 10 && parts > 40);
    read_dump(&dumped);
    CHECK_EQ(dumped.rows.count, 1);
    CHECK(dumped.rows.count == 1 && dumped.rows.at[0].sums);
    if (dumped.rows.count == 1 && dumped.rows.at[0].sums) {
        CHECK_EQ(dumped.rows.at[0].sums->bursts, parts);
        CHECK_EQ(dumped.rows.at[0].sums->yy, yy);
    }
    kind_sampled.free(&dumped);
}

TEST(a_jump_out_of_a_bound_ends_bursts) {
    for (jumps_at = 2; jumps_at <= 4; jumps_at++) {
        sums_with_jumps(with(50, 10, 1), BURSTY_END, 50, 10);
        sums_with_jumps(with(50, 10, 1), BURSTY_BEGIN, 50, 10);
        sums_with_jumps(with(120, 40, 1), BURSTY_BEGIN, 29, 1);
        sums_with_jumps(with(120, 40, 1), BURSTY_END, 29, 2);
    }
}
#endif

/* Second copies go on recording when their burst has ended (since.c), here one
   event in it and two behind 6 checks: all of them are that burst's, also in the
   later ones of which one of 8 is summed, and when nothing follows. */
#if !defined(BURSTY_POLL)
static void rounds_behind(uint32_t rounds, uint64_t *bursts) {
    static const bursty_site site = { "behind", "x", 1, BURSTY_CALL };
    uint32_t i, k, mark;
    for (i = 0; i < rounds; i++) {
        (void)BURST_CHECK();
        mark = bursty_note_mark();
        *bursts += mark != 0;
        bursty_note_since(&site, 0, BURSTY_CALL, mark);
        for (k = 0; k < 3; k++) {
            (void)BURST_CHECK();
            BURST_LOOP(); /* in assembly, where there is some */
        }
        bursty_note_since(&site, 0, BURSTY_CALL, mark);
        bursty_note_since(&site, 0, BURSTY_CALL, mark);
    }
}

static void check_behind(uint64_t bursts) {
    tally dumped;
    uint32_t i, found = 0;
    read_dump(&dumped);
    for (i = 0; i < dumped.rows.count; i++) {
        const sampled_record *row = &dumped.rows.at[i];
        if (strcmp(dumped.sites.at[row->site].name, "behind") != 0) continue;
        CHECK(row->sums != NULL);
        if (!row->sums) continue;
        found++;
        CHECK_EQ(row->sums->bursts, bursts);
        CHECK_EQ(row->sums->yy, bursts * 33 * 33);
    }
    CHECK_EQ(found, 1);
    kind_sampled.free(&dumped);
}

TEST(what_second_copies_count_belongs_to_their_burst) {
    setting s = with(40, 4, 1);
    uint64_t bursts = 0, before;
    int i;
    s.profile[0].jitter = -1;
    start(&s, 0);
    rounds_behind(400, &bursts);
    CHECK(bursts > 30);
    check_behind(bursts);
    /* Who reads behind a burst, before the next one begins, has that burst. */
    for (before = bursts, i = 0; bursts == before && i < 50; i++) rounds_behind(1, &bursts);
    check_behind(bursts);
    /* Settings change behind a burst, before the next one begins. */
    bursty_set_profile(0, NULL);
    rounds_behind(100, &bursts);
    check_behind(bursts);
}
#endif

static uint32_t dumps_in_burst;
static void dump_now(uint32_t step) {
    tally s;
    if (step % 10) return;
    dumps_in_burst += bursty_in_burst() != 0;
    read_dump(&s);
    kind_sampled.free(&s);
}

TEST(dumps_in_the_middle_of_a_burst_change_nothing) {
    setting s = with(40, 35, 7);
    before_step = dump_now;
    run_both(&s, 600);
    before_step = NULL;
    CHECK(dumps_in_burst > 10);
}

static const setting *changed;
static int changes_reference;
static void change_settings(uint32_t step) {
    static const uint32_t number = 0;
    bursty_profile p = changed->profile[0];
    if (step % 20) return;
    p.burst = 1 + step % 17;
    if (changes_reference) {
        p.action = note;
        p.user = (void *)(uintptr_t)&number;
        p.classes = (uint32_t)BURSTY_ANY | BURSTY_BEGIN | BURSTY_END;
    }
    CHECK_EQ(bursty_set_profile(0, &p), 0);
}

TEST(new_settings_end_a_burst) {
    setting s = with(30, 12, 8);
    changed = &s;
    before_step = change_settings;
    memset(&noted, 0, sizeof noted);
    changes_reference = 1;
    start(&s, 1);
    work(8, 800);
    end_reference();
    changes_reference = 0;
    start(&s, 0);
    work(8, 800);
    compare();
    before_step = NULL;
}

#ifndef BURSTY_POLL
TEST(a_full_profile_has_no_sums) {
    setting s = with(BURSTY_ALWAYS, 0, 9);
    bursty_profile p = s.profile[0];
    tally dumped;
    size_t i;
    start(&s, 0);
    work(9, 100);
    p.every = 1u << 30;
    CHECK_EQ(bursty_set_profile(0, &p), 0); /* ends the burst */
    read_dump(&dumped);
    CHECK(dumped.rows.count > 3);
    CHECK_EQ(dumped.classes.count, 0);
    for (i = 0; i < dumped.rows.count; i++) {
        CHECK(dumped.rows.at[i].count > 0);
        CHECK(dumped.rows.at[i].sums == NULL);
    }
    kind_sampled.free(&dumped);
}

/* A burst's weight above 2^32 is more than the sums can hold: they say so, and
   do not wrap. */
TEST(sums_stop_when_they_are_full) {
    setting s = with(1000, 1000, 10);
    tally dumped;
    size_t i, full = 0;
    s.profile[0].awake_count = 4;
    s.profile[0].hibernate_count = 1u << 30;
    s.profile[0].jitter = -1; /* begins awake */
    start(&s, 0);
    for (i = 0; i < 20000; i++) small();
    read_dump(&dumped);
    for (i = 0; i < dumped.rows.count; i++) {
        const sampled_sums *sums = dumped.rows.at[i].sums;
        if (!sums) continue;
        full += sums->yy == UINT64_MAX && sums->ys == UINT64_MAX && sums->xy == UINT64_MAX;
    }
    CHECK_EQ(full, 1);
    CHECK_EQ(dumped.classes.count, 1);
    CHECK(dumped.classes.count == 1 && dumped.classes.at[0].xx == UINT64_MAX);
    kind_sampled.free(&dumped);
}

/* What a burst counted before bursty_clear is in no sum. */
TEST(clearing_in_a_burst) {
    setting s = with(1u << 20, 100, 11);
    tally dumped;
    uint32_t i;
    s.profile[0].jitter = -1;
    start(&s, 0);
    while (!bursty_in_burst()) small();
    for (i = 0; i < 60; i++) small();
    bursty_clear();
    for (i = 0; i < 200; i++) small();
    CHECK(!bursty_in_burst());
    read_dump(&dumped);
    CHECK_EQ(dumped.rows.count, 1);
    CHECK(dumped.rows.count == 1 && dumped.rows.at[0].sums);
    if (dumped.rows.count == 1 && dumped.rows.at[0].sums) {
        uint64_t y = (dumped.rows.at[0].weight_256 + 128) / 256;
        CHECK(dumped.rows.at[0].count > 0 && dumped.rows.at[0].count < 50);
        CHECK_EQ(dumped.rows.at[0].sums->bursts, 1);
        CHECK_EQ(dumped.rows.at[0].sums->yy, y * y);
    }
    kind_sampled.free(&dumped);
}
#endif

/* ---- threads ---- */

#if !defined(BURSTY_NO_TLS) && defined(__GNUC__) && !defined(_WIN32) && !defined(BURSTY_POLL)
#include <pthread.h>

static void *work_aside(void *unused) {
    uint64_t kept = drawn;
    void (*step)(uint32_t) = before_step;
    (void)unused;
    before_step = NULL;
    running_thread = 1;
    work(99, 150);
    bursty_thread_end(); /* mostly inside a burst; the next one takes the record over */
    running_thread = 0;
    before_step = step;
    drawn = kept;
    return NULL;
}

/* Runs another thread from its beginning to its end while this one may be in a
   burst. */
static void run_aside(uint32_t step) {
    pthread_t thread;
    if (step % 100 != 50) return;
    CHECK_EQ(pthread_create(&thread, NULL, work_aside, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

TEST(bursts_of_threads_nest) {
    setting s = with(60, 50, 12);
    before_step = run_aside;
    run_both(&s, 700);
    before_step = NULL;
    CHECK(noted.row[noted.rows - 1].thread <= 1);
}
#else
TEST(bursts_of_threads_nest) { SKIP("threads are tested where bursty.h and pthread.h have them"); }
#endif
