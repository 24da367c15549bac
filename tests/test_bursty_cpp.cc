// test_bursty_cpp.cc - what only C++ has: exceptions through scopes, loops and dual functions; threads that end by themselves.
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "test.h"
#include <stdexcept>
#include <thread>

static uint64_t calls, returns, depth_wrong;
static uint32_t depth_now;
static void see(void *, const bursty_event *e) {
    if (e->kind & BURSTY_CALL) calls++;
    if (e->kind & BURSTY_RETURN) returns++;
    if (e->depth > depth_now + 100) depth_wrong++;
}

static void start(uint32_t checks, uint32_t bursts) {
    bursty_config config = {};
    config.profile.every = checks;
    config.profile.burst = bursts;
    config.profile.jitter = -1;
    config.profile.action = see;
    calls = returns = 0;
    bursty_start(&config);
}

static void thrower(int n) {
    BURST_SCOPE("thrower");
    if (n == 0) throw std::runtime_error("deep");
    thrower(n - 1);
}

TEST(exceptions_run_the_scopes_ends) {
    start(BURSTY_ALWAYS, 0);
    for (int i = 0; i < 1000; i++) {
        try {
            thrower(i % 20);
        } catch (const std::runtime_error &) {}
        CHECK_EQ(bursty_depth(), 0);
    }
    CHECK_EQ(calls, returns);
    CHECK_EQ(calls, 50 * (20 * 21 / 2));
}

static BURST_DUAL(int, dual_thrower, (int n), (n)) {
    if (n == 0) throw std::runtime_error("dual");
    return dual_thrower(n - 1) + 1;
}

static int naive(uint32_t n, uint32_t stop, uint64_t *seen) {
    for (uint32_t i = 0; i < n; i++) {
        if (BURST_CHECK()) ++*seen;
        if (i == stop) throw std::runtime_error("naive");
    }
    return 0;
}

static int strips(uint32_t n, uint32_t stop, uint64_t *seen) {
    BURST_FOR_LEAF(uint32_t, i, 0, n, {
        BURST_IF_RECORDING(++*seen);
        if (i == stop) { throw std::runtime_error("strips"); }
    })
    return 0;
}

TEST(an_exception_gives_back_the_strip) {
    uint64_t random = 5;
    for (int round = 0; round < 300; round++) {
        uint64_t seen[2] = {0, 0};
        uint32_t word[2];
        uint64_t state = random;
        for (int form = 0; form < 2; form++) {
            random = state;
            start(7 + static_cast<uint32_t>(round), 3);
            for (int k = 0; k < 20; k++) {
                const uint32_t n = static_cast<uint32_t>(test_random(&random) % 500),
                               stop = static_cast<uint32_t>(test_random(&random) % 1000);
                try {
                    (form ? strips : naive)(n, stop, &seen[form]);
                } catch (const std::runtime_error &) {}
            }
            word[form] = BURSTY_P_HERE.n;
        }
        CHECK_EQ(seen[0], seen[1]);
        CHECK_EQ(word[0], word[1]);
    }
    start(9, 3);
    for (int i = 0; i < 1000; i++) {
        try {
            dual_thrower(i % 10);
        } catch (const std::runtime_error &) {}
    }
    bursty_stats stats;
    bursty_get_stats(&stats);
    CHECK_EQ(stats.checks, 5500);
}

TEST(threads_end_by_themselves) {
    start(99, 1);
    for (int i = 0; i < 50; i++) {
        std::thread worker([] {
            for (int k = 0; k < 100; k++) {
                BURST_POINT(BURSTY_USER, "lambda", k);
            }
        });
        worker.join();
    }
    bursty_stats stats;
    bursty_get_stats(&stats);
    CHECK_EQ(stats.threads, 2);
    CHECK_EQ(stats.ended, 1);
    CHECK_EQ(stats.checks, 5000);
}

struct widget {
    int n;
    BURSTY_P_UNUSED int method() const {
        BURST_SCOPE("widget::method");
        BURST_ENTRY();
        return n;
    }
    template <class T> T twice(T x) const {
        BURST_SCOPE("widget::twice");
        return x + x;
    }
};

TEST(methods_and_templates) {
    start(BURSTY_ALWAYS, 0);
    const widget w = {4};
    CHECK_EQ(w.method() + w.twice(3), 10);
    CHECK_EQ(calls, 3);
}
