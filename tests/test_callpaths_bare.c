/* test_callpaths_bare.c - hcct.h behind bursty.h in a bare build, where no
   constructor runs: nothing is called, and contexts are recorded. */
#define BURSTY_BARE
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#include "bursty.h"
#include "hcct.h"
#include "test.h"
#include <string.h>

static uint32_t room; /* of one of eight trees */

static void leaf(void) {
    BURST_SCOPE("leaf");
    BURST_LEAVE();
}

static void record(void) {
    bursty_config config;
    int i;
    memset(&config, 0, sizeof config);
    config.profile.every = BURSTY_ALWAYS;
    CHECK(bursty_start(&config) > 0);
    {
        BURST_SCOPE("outer");
        for (i = 0; i < 1000; i++) leaf();
        BURST_LEAVE();
    }
}

/* Returns how many contexts fit into a tree. */
static uint32_t holds(uint32_t calls, uint32_t contexts) {
    callpaths_stats stats;
    callpaths_get_stats(&stats);
    CHECK_EQ(stats.calls, calls);
    CHECK_EQ(stats.lost, 0);
    CHECK_EQ(stats.contexts, contexts);
    return stats.room;
}

TEST(contexts_are_recorded_without_a_call) {
#ifndef __ELF__
    CHECK_EQ(callpaths_setup(NULL), 0);
#endif
    record();
    room = holds(1001, 2);
    record(); /* a second start */
    CHECK_EQ(holds(1001, 2), room);
}

/* What the user has set up stays. */
TEST(a_setup_is_kept) {
    callpaths_config config;
    memset(&config, 0, sizeof config);
    config.threads = 1;
    CHECK_EQ(callpaths_setup(&config), 0);
    record();
    CHECK(holds(1001, 2) > 4 * room);
}
