/* tasks.c - two tasks on a Cortex-M3, which a timer's interrupt switches at any
   instruction: in a check, in an event of a burst, between the stores of a scope.
   What each of them did is known; run.sh holds the host's report against it. */
#define BURSTY_NO_TLS
#define BURSTY_STACK 8
#define BURSTY_MEMORY 3072
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "board.h"

enum { STACK = 256, TURNS = 20000 };
static bursty_fiber motor = { .name = "motor" }, radio = { .name = "radio" };
static uint32_t stack[2][STACK], *stack_at[2];
static uint32_t switches, running, turns_of_motor, turns_of_radio;
static volatile uint32_t sink;

uint32_t *next_stack(uint32_t *at);
uint32_t *next_stack(uint32_t *at) {
    stack_at[running] = at;
    running = !running;
    switches++;
    (void)bursty_fiber_switch(running ? &motor : &radio);
    return stack_at[running];
}

/* As PendSV does in an RTOS. */
__attribute__((naked)) void board_tick(void) {
    __asm__ volatile("mrs r0, psp\n\tstmdb r0!, {r4-r11}\n\tpush {r3, lr}\n\tbl next_stack\n\t"
                     "pop {r3, lr}\n\tldmia r0!, {r4-r11}\n\tmsr psp, r0\n\tbx lr");
}

static __attribute__((noinline)) void leaf(uint32_t n) {
    BURST_SCOPE("leaf");
    sink += n;
    BURST_LEAVE();
}
static __attribute__((noinline)) void drive(uint32_t n) {
    BURST_SCOPE("drive");
    leaf(n);
    BURST_LEAVE();
}
static __attribute__((noinline)) void send(uint32_t n) {
    BURST_SCOPE("send");
    leaf(n);
    leaf(n);
    BURST_LEAVE();
}

static void run_motor(void) {
    for (;;) drive(turns_of_motor++);
}
static void run_radio(void) {
    board_timer(1);
    while (turns_of_radio < TURNS) send(turns_of_radio++);
    board_timer(0);
}

/* f runs on a task's stack. */
static __attribute__((noinline)) void on_stack(uint32_t *top, void (*f)(void)) {
    __asm__ volatile("msr psp, %0\n\tmovs r3, #2\n\tmsr control, r3\n\tisb\n\tblx %1\n\t"
                     "movs r3, #0\n\tmsr control, r3\n\tisb"
                     : : "r"(top), "r"(f) : "r0", "r1", "r2", "r3", "r12", "lr", "cc", "memory");
}

static int to_board(void *file, const void *data, size_t size) {
    return board_write(*(const int *)file, data, size);
}

static void dump(const char *name) {
    int file = board_open(name);
    board_equal("dump", (uint32_t)bursty_write(to_board, &file), 0);
    board_close(file);
}

static void print(const char *what, uint32_t number) {
    board_print(what);
    board_print_number(number);
}

int main(void) {
    static bursty_config config;
    bursty_stats stats;
    uint32_t checks, told;
    config.profile.every = 97;
    config.profile.burst = 3;
    config.seed = 1;
    board_equal("threads that fit", bursty_start(&config), 1);
    /* The motor begins with eight registers, and with what an interrupt saves. */
    stack_at[1] = &stack[1][STACK - 16];
    stack[1][STACK - 2] = (uint32_t)(uintptr_t)run_motor;
    stack[1][STACK - 1] = 0x01000000u;
    (void)bursty_fiber_switch(&radio);
    on_stack(&stack[0][STACK], run_radio);
    (void)bursty_fiber_switch(NULL);
    bursty_get_stats(&stats);
    checks = 3 * turns_of_radio + 2 * turns_of_motor;
    told = (uint32_t)stats.checks;
    print("    turns: drive ", turns_of_motor);
    print(" send ", turns_of_radio);
    print("; checks ", checks);
    print(", told ", told);
    print("; events ", (uint32_t)stats.events);
    print("; switches ", switches);
    board_print("\n");
    board_equal("many switches", switches > 1000, 1);
    board_equal("the motor ran", turns_of_motor > TURNS / 2, 1);
    board_equal("checks, within a twentieth",
                told * 20u > checks * 19u && told * 20u < checks * 21u, 1);
    board_equal("lost", (uint32_t)stats.lost, 0);
    dump("tasks.brst");
    board_end();
    return 0;
}
