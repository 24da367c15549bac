/* rv32.c - RISC-V, 32 bits (qemu: virt, -bios none): reset, machine timer,
   semihosting. */
#include "semihosting.h"

#define MTIMECMP_LOW  (*(volatile uint32_t *)0x02004000u)
#define MTIMECMP_HIGH (*(volatile uint32_t *)0x02004004u)
#define MTIME_LOW     (*(volatile uint32_t *)0x0200BFF8u)

void reset(void);
void start(void);
void trap(void);

__attribute__((naked, section(".vectors"))) void reset(void) {
    __asm__ volatile(".option push\n .option norelax\n la gp, __global_pointer$\n .option pop\n"
                     "la sp, link_stack_top\n j start");
}

/* Machine timer: interrupt 7. Anything else is a fault of the program. */
__attribute__((interrupt("machine"), aligned(4))) void trap(void) {
    uintptr_t cause;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    if (cause != 0x80000007u) {
        board_print("FAILED: trap\n");
        board_exit(3);
    }
    MTIMECMP_LOW = MTIME_LOW + 7u;
    board_tick();
}

void board_timer(int on) {
    MTIMECMP_HIGH = on ? 0u : 0xFFFFFFFFu;
    MTIMECMP_LOW = MTIME_LOW + 7u;
    if (on)
        __asm__ volatile("csrs mie, %0\n csrs mstatus, %1" : : "r"(0x80u), "r"(0x8u) : "memory");
    else    __asm__ volatile("csrc mstatus, %0" : : "r"(0x8u) : "memory");
}

/* Executed instructions: exact under -icount. */
uint32_t board_cycles(void) {
    uint32_t count;
    __asm__ volatile("csrr %0, minstret" : "=r"(count));
    return count;
}

void start(void) {
    __asm__ volatile("csrw mtvec, %0" : : "r"((uintptr_t)trap));
    semihosting_start();
}
