/* test_hotstream_bursty.c - the bridge: what bursty.h samples reaches
   hotstream.h burst by burst, with names, from one thread at a time. */
#define BURSTY_STATIC
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define HOTSTREAM_STATIC
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include "test.h"
#include <signal.h>

typedef struct node {
    int value;
    struct node *next;
} node;
static node nodes[12];
static uint64_t memory[1 << 15], arena[1 << 13];
static hotstream h;

static BURST_DUAL(long, walk, (const node *first), (first)) {
    long sum = 0;
    const node *n;
    for (n = first; n; n = n->next)
        BURST_BODY({
            BURST_REF(BURSTY_LOAD, &n->value);
            sum += n->value;
            BURST_REF(BURSTY_LOAD, &n->next);
        })
    return sum;
}

static void start(bursty_profile *profile, uint32_t checks, uint32_t burst) {
    bursty_config config;
    size_t i;
    for (i = 0; i < 12; i++) {
        nodes[i].value = 1;
        nodes[i].next = i < 11 ? &nodes[i + 1] : NULL;
    }
    memset(&config, 0, sizeof config);
    config.memory = arena;
    config.memory_bytes = sizeof arena;
    CHECK(hotstream_init(&h, memory, sizeof memory, NULL) > 0);
    CHECK(bursty_start(&config) > 0);
    memset(profile, 0, sizeof *profile);
    profile->every = checks;
    profile->burst = burst;
    profile->jitter = -1;
}

/* A load of `last`, thirty of cells, a store of `out` and one of `last`, again and again, across
   functions: behind a loop and behind a call. */
static int cells[30], out, last;
static BURST_DUAL(int, sum_of_cells, (int n), (n)) {
    int s = 0, i;
    for (i = 0; i < n; i++) BURST_BODY({
        BURST_REF(BURSTY_LOAD, &cells[i]);
        s += cells[i];
    })
    BURST_REF(BURSTY_STORE, &out);
    out = s;
    return s;
}
static BURST_DUAL(int, rounds, (int n), (n)) {
    int s;
    BURST_REF(BURSTY_LOAD, &last);
    s = sum_of_cells(n) + last;
    BURST_REF(BURSTY_STORE, &last);
    return last = s;
}

/* Where in a round an item stands: 0, 1 (a cell), 2 or 3. */
static int place_of(const hotstream_item *item) {
    const bursty_site *site = (const bursty_site *)(uintptr_t)item->site;
    if (strcmp(site->name, "&cells[i]") == 0) return 1;
    if (strcmp(site->name, "&out") == 0) return 2;
    return site->kind == BURSTY_LOAD ? 0 : 3;
}

TEST(streams_hold_true_neighbours_alone) {
    static const uint32_t settings[][2] = {{1000, 30}, {1000, 50}, {5000, 50}, {10000, 100}};
    bursty_profile profile;
    hotstream_stream top[100];
    hotstream_stats stats;
    size_t i, k, n, setting;
    for (setting = 0; setting < 4; setting++) {
        uint64_t heat = 0, wrong = 0;
        int round, s = 0;
        start(&profile, settings[setting][0], settings[setting][1]);
        profile.jitter = 0;
        hotstream_attach(&h, &profile);
        CHECK_EQ(bursty_set_profile(0, &profile), 0);
        for (round = 0; round < 50000; round++) s += rounds(30);
        CHECK_EQ(s, 0);
        n = hotstream_top(&h, top, 100);
        CHECK(n > 0);
        for (i = 0; i < n; i++) {
            unsigned row = 0; /* of cells */
            int is_whole = 0; /* has the stream its beginning? */
            heat += top[i].heat;
            for (k = 0; k < top[i].length; k++) {
                int now = place_of(&top[i].items[k]), before = k ? place_of(&top[i].items[k - 1]) : -1;
                if (k && now != (before + 1) % 4 && !(before == 1 && now == 1)) wrong++;
                if (now == 0) is_whole = 1;
                if (now == 1) row++;
                if (row > 30 || (now == 2 && is_whole && row != 30)) wrong++;
                if (now != 1) row = 0;
                if (now == 2) is_whole = 0;
            }
        }
        hotstream_get_stats(&h, &stats);
        CHECK_EQ(wrong, 0);
        CHECK(heat <= stats.references);
    }
}

/* In each round a mark, loads of twelve cells, something in between that may be
   missing, and loads of twelve more: cell 12 must not follow cell 11 in a
   stream. */
static const bursty_site between = {"between", "f.c", 1, BURSTY_LOAD};
static int marks, handler_ran;

static void two_parts(void (*in_between)(uint32_t mark)) {
    uint32_t mark;
    int i;
    (void)BURST_CHECK();
    mark = marks ? bursty_note_mark() : 0;
    for (i = 0; i < 12; i++) BURST_POINT(BURSTY_LOAD, "first", (uintptr_t)&cells[i]);
    in_between(mark);
    for (; i < 24; i++) BURST_POINT(BURSTY_LOAD, "second", (uintptr_t)&cells[i]);
}

static void nothing(uint32_t mark) { (void)mark; }
static void note_behind(uint32_t mark) { bursty_note_since(&between, 0, BURSTY_LOAD, mark); }

/* What a handler does while the slow path runs cannot be seen. Here it
   interrupts the action of a second profile at cell 11. */
static void on_signal(int number) {
    (void)number;
    BURST_POINT(BURSTY_LOAD, "in the handler", (uintptr_t)&last);
    handler_ran++;
}
static void interrupt(void *user, const bursty_event *e) {
    (void)user;
    if (e->value != (uintptr_t)&cells[11]) return;
    signal(SIGINT, on_signal);
    raise(SIGINT);
}

static uint64_t joined(void (*in_between)(uint32_t mark), int has_handler, uint32_t checks,
                       uint32_t burst) {
    bursty_profile profile, other;
    hotstream_stream top[100];
    uint64_t wrong = 0;
    size_t i, k, n;
    start(&profile, checks, burst);
    hotstream_attach(&h, &profile);
    CHECK_EQ(bursty_set_profile(0, &profile), 0);
    if (has_handler) {
        memset(&other, 0, sizeof other);
        other.every = BURSTY_ALWAYS;
        other.classes = BURSTY_LOAD;
        other.action = interrupt;
        CHECK_EQ(bursty_set_profile(1, &other), 0);
    }
    for (i = 0; i < 20000; i++) two_parts(in_between);
    n = hotstream_top(&h, top, 100);
    CHECK(n > 0);
    for (i = 0; i < n; i++) {
        for (k = 0; k < top[i].length; k++) {
            const hotstream_item *item = &top[i].items[k];
            /* what tells of a gap is no reference */
            CHECK_EQ(((const bursty_site *)(uintptr_t)item->site)->kind, BURSTY_LOAD);
            if (k && item->address == (uintptr_t)&cells[12] &&
                top[i].items[k - 1].address == (uintptr_t)&cells[11]) wrong++;
        }
    }
    return wrong;
}

TEST(no_stream_goes_across_a_gap) {
    CHECK(joined(nothing, 0, 500, 100) > 0); /* they are neighbours */
    CHECK_EQ(joined(note_behind, 0, 500, 100), 0); /* nobody has a mark */
    marks = 1;
    CHECK_EQ(joined(note_behind, 0, 500, 100), 0);
    CHECK_EQ(joined(note_behind, 0, 3, 15), 0); /* the mark is of another burst */
    marks = handler_ran = 0;
    CHECK_EQ(joined(nothing, 1, 500, 100), 0);
    CHECK_EQ(handler_ran, 20000);
}

TEST(references_arrive_with_names_and_addresses) {
    bursty_profile profile;
    hotstream_stream top[4];
    hotstream_stats stats;
    char name[HOTSTREAM_NAME_BYTES];
    long sum = 0;
    size_t count;
    int i;
    start(&profile, 70, 60);
    hotstream_attach(&h, &profile);
    CHECK_EQ(profile.classes, BURSTY_LOAD | BURSTY_STORE | BURSTY_BEGIN | BURSTY_END | BURSTY_GAP);
    CHECK_EQ(bursty_set_profile(0, &profile), 0);
    for (i = 0; i < 5000; i++) sum += walk(nodes);
    CHECK_EQ(sum, 60000);
    count = hotstream_top(&h, top, 4);
    hotstream_get_stats(&h, &stats);
    CHECK(count > 0);
    CHECK(stats.references > 30000 && stats.references < 70000);
    CHECK(stats.bursts > 300);
    CHECK(top[0].length >= 10);
    for (i = 0; i < (int)top[0].length; i++) {
        const char *words = hotstream_site_name(name, top[0].items[i].site);
        int is_value = strncmp(words, "&n->value\t", 10) == 0;
        CHECK(is_value || strncmp(words, "&n->next\t", 9) == 0);
        CHECK(strstr(words, "test_hotstream_bursty.c:") != NULL);
        CHECK(words[strlen(words) - 1] >= '0' && words[strlen(words) - 1] <= '9');
        CHECK(top[0].items[i].address >= (uintptr_t)nodes &&
              top[0].items[i].address < (uintptr_t)(nodes + 12));
        CHECK_EQ((top[0].items[i].address - (uintptr_t)nodes) % sizeof(node) == 0, is_value);
    }
}

/* Any class of event: calls have no address, whatever their value. */
TEST(calls_are_events_without_addresses) {
    bursty_profile profile;
    hotstream_stats stats;
    int i;
    start(&profile, 5, 20);
    profile.classes = BURSTY_USER;
    hotstream_attach(&h, &profile);
    CHECK_EQ(profile.classes, BURSTY_USER | BURSTY_BEGIN | BURSTY_END | BURSTY_GAP);
    CHECK_EQ(bursty_set_profile(0, &profile), 0);
    for (i = 0; i < 2000; i++) {
        BURST_POINT(BURSTY_USER, "a", i);
        BURST_POINT(BURSTY_USER, "b", i);
    }
    hotstream_work(&h, 0);
    hotstream_get_stats(&h, &stats);
    CHECK_EQ(stats.different, 2);
    CHECK(stats.references > 2500);
}

/* Two threads' bursts by hand: the second is left out until the first has
   ended. */
TEST(bursts_of_two_threads_do_not_mix) {
    static const bursty_site site = {"p", "f.c", 7, BURSTY_LOAD};
    static const bursty_site *const stacks[2][64] = {{NULL}, {NULL}};
    bursty_profile profile;
    bursty_event event;
    hotstream_stats stats;
    start(&profile, 5, 20);
    hotstream_attach(&h, &profile);
    memset(&event, 0, sizeof event);
    event.site = &site;
#define SEND(thread_, kind_) \
    (event.kind = (kind_), event.stack = stacks[thread_], profile.action(profile.user, &event))
    SEND(0, BURSTY_LOAD); /* no burst has begun */
    SEND(0, BURSTY_BEGIN);
    SEND(0, BURSTY_LOAD);
    SEND(1, BURSTY_BEGIN);
    SEND(1, BURSTY_LOAD);
    SEND(0, BURSTY_LOAD);
    SEND(1, BURSTY_END);
    SEND(0, BURSTY_LOAD);
    SEND(0, BURSTY_END);
    SEND(0, BURSTY_LOAD);
    SEND(1, BURSTY_BEGIN);
    SEND(1, BURSTY_LOAD);
    SEND(1, BURSTY_END);
    hotstream_work(&h, 0);
    hotstream_get_stats(&h, &stats);
    CHECK_EQ(stats.references, 4);
    CHECK_EQ(stats.bursts, 1);
}

/* A burst that a longjmp has left has no end: the next one begins anew. */
TEST(a_burst_without_an_end_is_no_neighbour) {
    bursty_profile profile;
    hotstream_stats stats;
    hotstream_stream top;
    bursty_event event;
    int i;
    start(&profile, 100, 10);
    hotstream_attach(&h, &profile);
    memset(&event, 0, sizeof event);
    event.site = &between;
    event.value = (uintptr_t)&cells[0];
    for (i = 0; i < 6; i++) {
        event.kind = i % 2 ? BURSTY_LOAD : BURSTY_BEGIN;
        profile.action(profile.user, &event);
    }
    (void)hotstream_top(&h, &top, 1); /* works off the buffer */
    hotstream_get_stats(&h, &stats);
    CHECK_EQ(stats.references, 3);
    CHECK_EQ(stats.bursts, 2); /* gaps between three */
}
