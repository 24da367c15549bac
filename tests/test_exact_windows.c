/* test_exact_windows.c - the list that `bursty-lab footprint --check` compares
   with, against an array that is searched and shifted at each access. */
#include "test.h"
#include "lab/exact_windows.h"
#include <string.h>

enum { MOST = 3000, DEPTHS = 7, BINS = 130 };
static const uint64_t depths[DEPTHS] = {1, 2, 3, 10, 64, 65, 1500};

static struct {
    uint64_t block[MOST], time[MOST];             /* the newest first */
    uint32_t blocks;
    uint64_t now, cold, reuse[DEPTHS + 1], windows[DEPTHS][BINS];
} slow;

static uint32_t bin_of(uint64_t value) {
    uint32_t bin = 0;
    for (; value >= 16; value /= 2) bin += 8;
    return bin + (uint32_t)value;
}

static uint64_t bin_low(uint32_t bin) {
    return bin < 16 ? bin : (uint64_t)(8 + bin % 8) << (bin / 8 - 1);
}

/* Windows that end now and begin at `since` or earlier, by their lengths. */
static void add_windows(uint64_t *windows, uint64_t since) {
    uint64_t length = slow.now - since + 1;
    while (length <= slow.now) {
        uint32_t bin = bin_of(length);
        uint64_t end = bin_low(bin + 1) - 1;
        if (end > slow.now) end = slow.now;
        windows[bin] += end - length + 1;
        length = end + 1;
    }
}

static void slow_access(uint64_t block) {
    uint32_t at = 0, i, above = 0;
    slow.now++;
    while (at < slow.blocks && slow.block[at] != block) at++;
    while (above < DEPTHS && depths[above] <= at + 1) above++;
    if (at == slow.blocks) {
        slow.blocks++;
        slow.cold++;
    } else slow.reuse[above]++;
    memmove(slow.block + 1, slow.block, at * sizeof *slow.block);
    memmove(slow.time + 1, slow.time, at * sizeof *slow.time);
    slow.block[0] = block;
    slow.time[0] = slow.now;
    for (i = 0; i < DEPTHS && depths[i] <= slow.blocks; i++)
        add_windows(slow.windows[i], slow.time[depths[i] - 1]);
}

static uint64_t seed;
static uint64_t below(uint64_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

/* Blocks spread over all 64 bits, some near the top. */
static uint64_t spread(uint64_t n) { return n % 5 ? n * UINT64_C(0x9E3779B97F4A7C15) : ~n; }

static void compare(uint64_t accesses, uint64_t (*next)(uint64_t now)) {
    exact_windows e;
    uint64_t n, wrong_times = 0, wrong_cells = 0;
    uint32_t i, bin;
    memset(&slow, 0, sizeof slow);
    seed = accesses;
    exact_start(&e, depths, DEPTHS);
    for (n = 0; n < accesses; n++) {
        uint64_t block = spread(next(n));
        slow_access(block);
        exact_access(&e, block);
        for (i = 0; i < DEPTHS; i++) {
            uint64_t is = depths[i] <= slow.blocks ? slow.time[depths[i] - 1] : 0;
            wrong_times += exact_time(&e, i) != is;
        }
        if (n % 997 && n + 1 < accesses) continue; /* the tables on the way, and in the end */
        for (i = 0; i < DEPTHS; i++)
            for (bin = 1; bin < BINS; bin++)
                wrong_cells += exact_at_least(&e, i, bin) != slow.windows[i][bin];
    }
    CHECK_EQ(wrong_times, 0);
    CHECK_EQ(wrong_cells, 0);
    CHECK_EQ(e.cold, slow.cold);
    for (i = 0; i <= DEPTHS; i++) CHECK_EQ(e.reuse[i], slow.reuse[i]);
    exact_free(&e);
}

static uint64_t few(uint64_t now) { (void)now; return below(70); }
static uint64_t many(uint64_t now) { (void)now; return below(2500); }
static uint64_t cycle(uint64_t now) { return now % 65; }
static uint64_t one(uint64_t now) { (void)now; return 0; }
static uint64_t phases(uint64_t now) { return now / 3000 * 7 + below(now / 3000 % 2 ? 9 : 300); }

/* Places for 1023 blocks are packed after 4095 accesses. */
TEST(few_blocks_are_packed_again_and_again) { compare(13000, few); }
TEST(many_blocks_grow_between) { compare(17000, many); }
TEST(each_access_is_to_the_oldest) { compare(9000, cycle); }
TEST(one_block_alone) { compare(9000, one); }
TEST(phases_of_two_sizes) { compare(12000, phases); }
TEST(nothing_at_all) { compare(0, one); }
