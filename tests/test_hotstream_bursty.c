/* test_hotstream_bursty.c - the bridge: what bursty.h samples reaches
   hotstream.h burst by burst, with names, from one thread at a time. */
#define BURSTY_STATIC
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define HOTSTREAM_STATIC
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include "test.h"

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
    CHECK_EQ(profile.classes, BURSTY_LOAD | BURSTY_STORE | BURSTY_BEGIN | BURSTY_END);
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
    CHECK_EQ(profile.classes, BURSTY_USER | BURSTY_BEGIN | BURSTY_END);
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
