/* cortexm.c - Cortex-M0 (qemu: microbit) and Cortex-M3 (qemu: mps2-an385):
   vectors, SysTick, semihosting. */
#include "semihosting.h"

#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010u)
#define SYSTICK_RELOAD  (*(volatile uint32_t *)0xE000E014u)
#define SYSTICK_COUNT   (*(volatile uint32_t *)0xE000E018u)

extern uint32_t link_stack_top[];
void reset(void);
void fault(void);

void reset(void) { semihosting_start(); }
void fault(void) {
    board_print("FAILED: fault\n");
    board_exit(3);
}

/* A period that shares no factor with any loop below drifts through every
   instruction of the check. */
void board_timer(int on) {
    SYSTICK_RELOAD = 13u;
    SYSTICK_COUNT = 0;
    SYSTICK_CONTROL = on ? 7u : 0u;     /* processor clock, interrupt, enable */
}

uint32_t board_cycles(void) { return 0; }

/* The first word is the stack, the rest are handlers. */
typedef union vector { uint32_t *stack; void (*handler)(void); } vector;
extern const vector vectors[16];
__attribute__((section(".vectors"), used)) const vector vectors[16] = {
    [0] = { .stack = link_stack_top },
    [1] = { .handler = reset },
    [2] = { .handler = fault },
    [3] = { .handler = fault },
    [4] = { .handler = fault },
    [5] = { .handler = fault },
    [6] = { .handler = fault },
    [11] = { .handler = fault },
    [12] = { .handler = fault },
    [14] = { .handler = fault },
    [15] = { .handler = board_tick }
};
