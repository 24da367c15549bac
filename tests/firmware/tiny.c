/* tiny.c - BURSTY_TINY on a board: the main loop and a timer interrupt both
   check, each in a context of its own, and both must see exactly the events
   that the paper's Figure 3, written out literally, says they see. */
#define BURSTY_TINY
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "board.h"
#include "isr.h"

enum { CHECKS = 20000 };

#if defined(__AVR__)
#define CHECK_COST 24 /* cycles */
#else
#define CHECK_COST 6 /* instructions */
#endif

static uint32_t events, value_sum;

static void seen(void *user, const bursty_event *event) {
    (void)user;
    events++;
    value_sum += (uint32_t)event->value;
}

/* Figure 3 of the paper over checks whose values are 0, 1, 2 ... */
static void figure_3(
    uint32_t every, uint32_t burst, uint32_t checks, uint32_t *count, uint32_t *sum) {
    uint32_t n_check = every, n_instr = 0, i;
    *count = *sum = 0;
    for (i = 0; i < checks; i++) {
        if (--n_check != 0) continue;
        n_check = 1;
        if (n_instr == 0) n_instr = burst;
        else if (--n_instr == 0) {
            n_check = every;
            continue;
        }
        ++*count;
        *sum += i;
    }
}

static void set(uint32_t every, uint32_t burst, int32_t jitter) {
    static bursty_profile profile;
    profile.every = every;
    profile.burst = burst;
    profile.jitter = jitter;
    profile.action = seen;
    events = value_sum = 0;
    bursty_set_profile(0, &profile);
}

static __attribute__((noinline)) void work(uint32_t checks) {
    uint32_t i;
    for (i = 0; i < checks; i++) BURST_POINT(BURSTY_USER, "work", i);
}

/* Counted in cycles (AVR) or executed instructions (RISC-V) over eight points
   on the fast path. */
static __attribute__((noinline)) void eight_points(void) {
    BURST_POINT(BURSTY_USER, "a", 0);
    BURST_POINT(BURSTY_USER, "b", 0);
    BURST_POINT(BURSTY_USER, "c", 0);
    BURST_POINT(BURSTY_USER, "d", 0);
    BURST_POINT(BURSTY_USER, "e", 0);
    BURST_POINT(BURSTY_USER, "f", 0);
    BURST_POINT(BURSTY_USER, "g", 0);
    BURST_POINT(BURSTY_USER, "h", 0);
}
static __attribute__((noinline)) void no_point(void) { __asm__ volatile(""); }

static void cost(void) {
    uint32_t before, plain, with;
    set(100000000u, 1, -1);
    before = board_cycles();
    no_point();
    plain = board_cycles() - before;
    before = board_cycles();
    eight_points();
    with = board_cycles() - before;
    if (plain == 0) return;
    board_print("    eight checks cost: ");
    board_print_number((uint16_t)(with - plain));
    board_print("\n");
    board_equal("within the budget", (uint16_t)(with - plain) <= CHECK_COST * 8u, 1);
}

int main(void) {
    uint32_t count, sum;

    set(97, 5, -1);
    isr_start(11, 2);
    board_timer(1);
    work(CHECKS);
    board_timer(0);
    figure_3(97, 5, CHECKS, &count, &sum);
    board_equal("events of the main loop", events, count);
    board_equal("sum of their values", value_sum, sum);
    figure_3(11, 2, isr_ticks * ISR_CHECKS, &count, &sum);
    board_equal("events of the interrupt", isr_events, count);
    board_equal("sum of their values", isr_value_sum, sum);
    board_equal("the interrupt came often", isr_ticks > 100u, 1);

    set(90, 10, 0); /* the default jitter: the rate stays */
    work(CHECKS);
    board_equal(
        "one check in ten is seen, within a tenth", events > CHECKS / 11 && events < CHECKS / 9, 1);
    cost();
    board_end();
    return 0;
}
