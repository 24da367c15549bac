/* frames.c - bursty-lab frames: a game with two hitches, played on a clock of
   its own, so that what slow frames do more is known. Each run goes through
   bursty_frame, a dump and the report's model.

   A frame updates 6 ms and draws 3 ms, each a little more or less, and then
   waits for the display. One frame of 200 also collects garbage, 15 to 23 ms,
   and one of 300 loads a piece of the world, 2 ms and 20 ms of waiting for a
   file. Frames above 18 ms are slow. The truth is the difference of the means
   over two million frames, without ticks.

   On a busy machine others want the processor. The system looks at its timers
   every 4 ms of its own clock: ticks that have come due meanwhile come together
   then, and every third time the processor goes to others, for 4, 8 or 12 ms.
   Now and then somebody has it for half a millisecond, at any moment. */
#include "lab/frames.h"
#include "base/input.h"
#include "base/tool.h"
#include "report/model/frames.h"
#include <stdlib.h>
#include <string.h>

#define BURSTY_STATIC
#define BURSTY_NO_TIMERS
#define BURSTY_FRAMES 1
#define BURSTY_STACK 8
#define BURSTY_IMPLEMENTATION
#include "bursty.h"

enum { MS = 1000000, FRAME_NS = 16666667, SLOW_NS = 18 * MS, LONG_RUN = 2000000,
       SYSTEM_NS = 4 * MS };

typedef struct game {
    uint64_t random, now_ns, cpu_ns, next_ns; /* next: the CPU time of the next tick */
    uint64_t tick_ns;                         /* 0: no ticks */
    int is_regular;
    uint64_t system_ns;                       /* when a busy system looks at timers next, or 0 */
    uint64_t divisor;                         /* of all durations */
    uint64_t spent_ns[GAME_CAUSES];           /* in this frame */
} game;

static double part(game *g) { /* from 0 to 1 */
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return (double)(g->random >> 11) / 9007199254740992.0;
}

static uint64_t gap(game *g) {
    return g->is_regular || g->system_ns ? g->tick_ns : (uint64_t)((.5 + part(g)) * (double)g->tick_ns);
}

static void wait_for(game *g, uint64_t ns) {
    g->spent_ns[GAME_WAITING] += ns;
    g->now_ns += ns;
    while (g->system_ns && g->system_ns <= g->now_ns) g->system_ns += SYSTEM_NS;
}

/* The ticks that are due. */
static void tick(game *g) {
    uint32_t n = 0;
    for (; g->tick_ns && g->cpu_ns >= g->next_ns; n++) g->next_ns += gap(g);
    if (n) bursty_tick(n);
}

static void run(game *g, int cause, double ms) {
    uint64_t left = (uint64_t)(ms * (double)MS) / g->divisor;
    if (cause == GAME_WAITING) {
        wait_for(g, left);
        return;
    }
    g->spent_ns[cause] += left;
    while (g->system_ns && g->system_ns - g->now_ns <= left) {
        const uint64_t ns = g->system_ns - g->now_ns;
        left -= ns;
        g->now_ns += ns;
        g->cpu_ns += ns;
        tick(g);
        g->system_ns += SYSTEM_NS;
        if (part(g) < 1. / 3) wait_for(g, (uint64_t)SYSTEM_NS * (1 + (uint64_t)(3 * part(g))) - 1);
    }
    if (g->system_ns && part(g) < (double)left / 50e6) wait_for(g, MS / 2);
    g->now_ns += left;
    g->cpu_ns += left;
    if (!g->system_ns) tick(g);
}

static void update(game *g) {
    BURST_SCOPE("update");
    run(g, GAME_UPDATE, 6 * (.8 + .4 * part(g)));
    BURST_LEAVE();
}

static void draw(game *g) {
    BURST_SCOPE("draw");
    run(g, GAME_DRAW, 3 * (.9 + .2 * part(g)));
    BURST_LEAVE();
}

static void collect(game *g) {
    BURST_SCOPE("collect");
    run(g, GAME_COLLECT, 15 + 8 * part(g));
    BURST_LEAVE();
}

static void load(game *g) {
    BURST_SCOPE("load");
    run(g, GAME_LOAD, 2 * (.5 + part(g)));
    run(g, GAME_WAITING, 20 * (.5 + part(g)));
    BURST_LEAVE();
}

/* Plays one frame. Returns its length in ns. */
static uint64_t play(game *g, uint32_t frame) {
    const uint64_t began = g->now_ns;
    memset(g->spent_ns, 0, sizeof g->spent_ns);
    update(g);
    if (g->is_regular ? frame % 200 == 57 : part(g) < 1. / 200) collect(g);
    if (g->is_regular ? frame % 300 == 111 : part(g) < 1. / 300) load(g);
    draw(g);
    if (g->divisor == 1 && g->now_ns - began < FRAME_NS)
        run(g, GAME_WAITING, (double)(FRAME_NS - (g->now_ns - began)) / (double)MS);
    return g->now_ns - began;
}

static uint64_t clock_of(void *user) { return ((const game *)user)->now_ns; }
static uint64_t cpu_clock_of(void *user) { return ((const game *)user)->cpu_ns; }

static game begin(const game_options *o, uint64_t seed) {
    game g;
    int i;
    memset(&g, 0, sizeof g);
    g.random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (i = 0; i < 8; i++) (void)part(&g);
    g.is_regular = o->is_regular;
    g.divisor = o->divisor ? o->divisor : 1;
    if (o->is_busy) g.system_ns = 1 + (uint64_t)(part(&g) * (double)SYSTEM_NS);
    return g;
}

static void find_truth(const game_options *o, game_cause *causes) {
    static const char *const names[GAME_CAUSES] = {"update", "draw", "collect", "load",
                                                   "(waiting)"};
    double sums[2][GAME_CAUSES] = {{0}}, frames_of[2] = {0, 0};
    game g = begin(o, UINT64_C(1) << 40);
    uint32_t i, k;
    for (i = 0; i < LONG_RUN; i++) {
        const int is_slow = play(&g, i) > SLOW_NS / g.divisor;
        frames_of[is_slow]++;
        for (k = 0; k < GAME_CAUSES; k++) sums[is_slow][k] += (double)g.spent_ns[k];
    }
    for (k = 0; k < GAME_CAUSES; k++) {
        memset(&causes[k], 0, sizeof causes[k]);
        causes[k].name = names[k];
        causes[k].truth = (sums[1][k] / frames_of[1] - sums[0][k] / frames_of[0]) / (double)MS;
    }
}

static frames_difference said_of(const frames *s, const frames_of_kind *kind, const char *name) {
    const frames_units units = frames_units_of(kind);
    frames_function none;
    size_t i;
    memset(&none, 0, sizeof none);
    if (*name == '(') return frames_differ_waiting(kind);
    for (i = 0; i < kind->function_count; i++) {
        const frames_function *f = &kind->functions[i];
        if (strcmp(s->sites.at[f->site].name, name) == 0)
            return frames_differ_in(kind, &units, f, FRAMES_SELF);
    }
    return frames_differ_in(kind, &units, &none, FRAMES_SELF);
}

static int play_once(const game_options *o, uint64_t seed, game_cause *causes) {
    game g = begin(o, seed);
    bursty_config config;
    text file = {NULL, 0, 0};
    input in;
    const frames *s;
    uint32_t i, k;
    int status = -1;
    memset(&config, 0, sizeof config);
    memset(&in, 0, sizeof in);
    config.tick_hz = (int32_t)(1000000 / o->tick_us);
    config.watch = -1;
    config.frame_slow_ns = SLOW_NS / g.divisor;
    config.frame_clock = clock_of;
    config.frame_cpu_clock = cpu_clock_of;
    config.clock_user = &g;
    (void)bursty_start(&config);
    g.tick_ns = (uint64_t)o->tick_us * 1000;
    g.next_ns = (uint64_t)(part(&g) * (double)g.tick_ns);
    for (i = 0; i < o->frames; i++) {
        bursty_frame("frame");
        (void)play(&g, i);
    }
    bursty_frame(NULL);
    (void)bursty_write(text_write, &file);
    if (input_take(&in, "the game", &file) == TOOL_OK) {
        input_settle(&in);
        s = (const frames *)input_find(&in, &kind_frames);
        for (k = 0; s && s->kinds.count && k < GAME_CAUSES; k++) {
            const frames_difference d = said_of(s, &s->kinds.at[0], causes[k].name);
            causes[k].sum += d.more;
            causes[k].sum_of_halves += (d.high - d.low) / 2;
            causes[k].held += d.has_range && d.low <= causes[k].truth && causes[k].truth <= d.high;
            causes[k].told += d.has_range && (d.low > 0 || d.high < 0);
            status = 0;
        }
    }
    input_free(&in);
    text_free(&file);
    return status;
}

int game_play(const game_options *o, uint32_t runs, game_cause causes[GAME_CAUSES]) {
    uint32_t i;
    find_truth(o, causes);
    for (i = 1; i <= runs; i++) {
        if (play_once(o, i, causes) != 0) return -1;
    }
    return 0;
}

/* ---- the command -------------------------------------------------------------------------- */

static const char usage[] =
    "usage: bursty-lab frames [OPTIONS]      no trace: it plays a game of its own\n"
    "\n"
    "  --runs N           with seeds 1 to N: 40\n"
    "  --frames N         of a run, 60 a second: 3600\n"
    "  --tick-us N        CPU time between two ticks: 10000\n"
    "  --regular          ticks and hitches keep step; else gaps between ticks are a half to one\n"
    "                     and a half, and each frame may have a hitch\n"
    "  --busy             others want the processor, too, and ticks come when the system looks\n"
    "  --shorter N        all durations are N times shorter, and no frame waits for the display\n";

static int run_frames(int argc, char **argv) {
    game_options o = {3600, 10000, 0, 0, 1};
    game_cause causes[GAME_CAUSES];
    uint32_t runs = 40, k;
    tool_option option;
    if (tool_wants_help(argc, argv)) {
        fputs(usage, stdout);
        return TOOL_OK;
    }
    tool_options_once(&option, argc, argv, "");
    while (tool_next(&option)) {
        uint32_t *number = tool_is(&option, "--", "runs")      ? &runs
                           : tool_is(&option, "--", "frames")  ? &o.frames
                           : tool_is(&option, "--", "tick-us") ? &o.tick_us
                           : tool_is(&option, "--", "shorter") ? &o.divisor
                                                               : NULL;
        if (tool_is(&option, "--", "regular")) o.is_regular = 1;
        else if (tool_is(&option, "--", "busy")) o.is_busy = 1;
        else if (!number) return tool_no_option(&option, "frames");
        else {
            const char *value = tool_value(&option);
            char *end;
            unsigned long n;
            if (!value) return TOOL_BAD_INPUT;
            n = strtoul(value, &end, 10);
            if (*value < '0' || *value > '9' || *end || n == 0 || n > 1000000)
                return tool_error("%s: not a number from 1 to 1000000", value);
            *number = (uint32_t)n;
        }
    }
    if (option.files) return tool_error("frames takes no file: it plays a game of its own");
    if (game_play(&o, runs, causes) != 0) return TOOL_FAILED;
    printf("%u runs of %u frames\n%-10s  %9s  %9s  %9s  %6s  %6s\n", (unsigned)runs,
           (unsigned)o.frames, "cause", "truth_ms", "mean_ms", "half_ms", "held", "told");
    for (k = 0; k < GAME_CAUSES; k++) {
        printf("%-10s  %9.3f  %9.3f  %9.3f  %5.1f%%  %5.1f%%\n", causes[k].name, causes[k].truth,
               causes[k].sum / runs, causes[k].sum_of_halves / runs, 100. * causes[k].held / runs,
               100. * causes[k].told / runs);
    }
    return TOOL_OK;
}

const tool_command lab_frames = {"frames", "do intervals of slow frames hold the truth?",
                                 run_frames};
