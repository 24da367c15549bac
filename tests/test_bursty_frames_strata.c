/* test_bursty_frames_strata.c - slow frames on a machine that is busy: what a
   tick stands for where the system looks at timers only when it may take the
   processor away. A clock that is called by hand. */
#include "test.h"
#include "base/input.h"
#include "base/tool.h"
#include "report/model/frames.h"
#define BURSTY_NO_TIMERS
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <math.h>

static uint64_t now_ns, cpu_ns;
static uint64_t read_clock(void *user) { return (void)user, now_ns; }
static uint64_t read_cpu_clock(void *user) { return (void)user, cpu_ns; }

/* 60 slow frames: 50 that were preempted, .25 ms of CPU time and 4 ticks of 1 ms
   each, for timers are looked at where the processor is taken away; and 10 that
   worked for 5 ms, with 5 ticks. A tick stands for .0625 ms in those, for 1 in
   these. */
TEST(ticks_stand_for_the_cpu_time_of_their_stratum) {
    input in;
    text dumped = {NULL, 0, 0};
    const frames *s;
    const frames_of_kind *kind;
    frames_units units;
    frames_difference d;
    uint32_t i;
    bursty_config config;
    memset(&config, 0, sizeof config);
    config.watch = -1;
    config.tick_hz = 1000;
    config.frame_slow_ns = 1000000;
    config.frame_clock = read_clock;
    config.frame_cpu_clock = read_cpu_clock;
    CHECK(bursty_start(&config) != 0);
    for (i = 0; i < 1000; i++) {
        const int is_preempted = i % 20 == 3, works = i % 100 == 50;
        BURST_SCOPE("all");
        bursty_frame("frame");
        if (works) {
            BURST_SCOPE("work");
            bursty_tick(5);
            BURST_LEAVE();
        } else if (is_preempted || i % 20 == 1) {
            bursty_tick(4);
        }
        now_ns += works ? 5000000 : is_preempted ? 8250000 : 250000;
        cpu_ns += works ? 5000000 : 250000;
        BURST_LEAVE();
    }
    bursty_frame(NULL);
    memset(&in, 0, sizeof in);
    CHECK_EQ(bursty_write(text_write, &dumped), 0);
    CHECK_EQ(input_take(&in, "dump", &dumped), TOOL_OK);
    input_settle(&in);
    s = (const frames *)input_find(&in, &kind_frames);
    if (!CHECK(s != NULL) || !CHECK_EQ(s->kinds.count, 1)) return;
    kind = &s->kinds.at[0];
    CHECK_EQ(kind->classes[FRAMES_SLOW].frames, 60);
    CHECK_EQ(kind->stratum_count, 2);
    units = frames_units_of(kind);
    for (i = 0; i < kind->function_count; i++) {
        const char *name = s->sites.at[kind->functions[i].site].name;
        d = frames_differ_in(kind, &units, &kind->functions[i], FRAMES_SELF);
        if (!strcmp(name, "work")) CHECK(fabs(d.slow - 50. / 60) < 1e-6 && d.low > 0);
        else CHECK(fabs(d.slow - 12.5 / 60) < 1e-6 && fabs(d.other - .25) < 1e-6 && d.high < .3);
    }
    input_free(&in);
    text_free(&dumped);
}

