/* main.c - a whole firmware for a Cortex-M3 that says where its time goes: docs/firmware.md builds
   it and runs it in qemu (-M mps2-an385).

   SysTick interrupts the program a thousand times a second and charges the scope that it
   interrupts. The dump goes to the host by semihosting, or with -DTO_UART out of the serial line.
   What a program of your own needs of this file: the four lines above the include, the scopes, one
   line in the interrupt, and bursty_write with a function that sends bytes. */
#define BURSTY_NO_TLS
#define BURSTY_STACK 8          /* how deep scopes may lie in one another */
#define BURSTY_MEMORY 5120      /* bytes for functions and pairs of them */
#define BURSTY_TICKS
#define BURSTY_IMPLEMENTATION
#include "bursty.h"

/* ---- the board ---- */

#define WORD(address) (*(volatile uint32_t *)(address))
#define SYSTICK_CONTROL WORD(0xE000E010u)
#define SYSTICK_RELOAD WORD(0xE000E014u)
#define SYSTICK_COUNT WORD(0xE000E018u)
#define UART_DATA WORD(0x40004000u)
#define UART_STATE WORD(0x40004004u)    /* bit 0: the transmitter is full */
#define UART_CONTROL WORD(0x40004008u)  /* bit 0: transmit */
#define UART_DIVISOR WORD(0x40004010u)
enum { CLOCK_HZ = 25000000, TICK_HZ = 1000 };

#ifndef TO_RTT
/* The host's file by semihosting: an operation, and the address of its words. */
static uintptr_t host(uintptr_t operation, const void *words) {
    register uintptr_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = words;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}
enum { HOST_OPEN = 0x01, HOST_CLOSE = 0x02, HOST_WRITE = 0x05, HOST_EXIT = 0x20 };

static void leave(int status) {
    uintptr_t words[2];
    words[0] = 0x20026u; /* the application ends */
    words[1] = (uintptr_t)status;
    for (;;) host(HOST_EXIT, words);
}
#endif

#ifdef TO_RTT
#include "rtt.h"
static __attribute__((noinline)) void leave(int status) {
    for (;;) __asm__ volatile("" :: "r"(status));
}
static int open_line(void) {
    rtt_start();
    return 0;
}
static int close_line(int line) {
    (void)line;
    return rtt_flush();
}
static int send(void *line, const void *data, size_t size) { return rtt_send(line, data, size); }
#elif defined TO_UART
static int open_line(void) {
    UART_DIVISOR = 16;
    UART_CONTROL = 1;
    return 0;
}
static int close_line(int line) {
    (void)line;
    return 0;
}
static int send(void *line, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    (void)line;
    while (size-- > 0) {
        while (UART_STATE & 1u) { }
        UART_DATA = *byte++;
    }
    return 0;
}
#else
static int open_line(void) {
    static const char name[] = "board.brst";
    uintptr_t words[3];
    words[0] = (uintptr_t)name;
    words[1] = 5; /* "wb" */
    words[2] = sizeof name - 1;
    return (int)host(HOST_OPEN, words);
}
static int close_line(int line) {
    uintptr_t words[1];
    words[0] = (uintptr_t)line;
    return host(HOST_CLOSE, words) != 0;
}
static int send(void *line, const void *data, size_t size) {
    uintptr_t words[3];
    words[0] = (uintptr_t)*(int *)line;
    words[1] = (uintptr_t)data;
    words[2] = size;
    return host(HOST_WRITE, words) != 0; /* how many bytes were left over */
}
#endif

/* ---- the program ---- */

static volatile uint32_t sink;
static void work(uint32_t n) {
    while (n--) sink = sink * 3u + 1u;
}

static void read_sensors(void) {
    BURST_SCOPE("read_sensors");
    work(200);
    BURST_LEAVE();
}

static void filter(void) {
    BURST_SCOPE("filter");
    work(700);
    BURST_LEAVE();
}

static void control(void) {
    BURST_SCOPE("control");
    read_sensors();
    filter();
    work(100);
    BURST_LEAVE();
}

static int main_loop(void) {
    static bursty_config config; /* static: all zero, the default */
    uint32_t i;
    int line, failed;
    config.tick_hz = TICK_HZ;
    config.seed = 1; /* on a board: the chip's number mixed with a count of its starts */
    if (bursty_start(&config) == 0) return 1;
    SYSTICK_RELOAD = CLOCK_HZ / TICK_HZ - 1;
    SYSTICK_COUNT = 0;
    SYSTICK_CONTROL = 7; /* the processor's clock, the interrupt, on */
    for (i = 0; i < 5000; i++) control();
    SYSTICK_CONTROL = 0;
    line = open_line();
    failed = bursty_write(send, &line);
    failed |= close_line(line);
    return failed != 0;
}

/* ---- what a reset begins with ---- */

extern uint32_t link_data_from[], link_data[], link_data_end[], link_bss_end[], link_stack_top[];

void reset(void);
void reset(void) {
    const uint32_t *from = link_data_from;
    uint32_t *to = link_data;
    while (to < link_data_end) *to++ = *from++;
    while (to < link_bss_end) *to++ = 0;
    leave(main_loop());
}
static void tick(void) { bursty_tick(1); }
static void fault(void) { leave(3); }

/* The first word is the stack, the others are handlers; 15 is SysTick's. */
typedef union vector {
    uint32_t *stack;
    void (*handler)(void);
} vector;
extern const vector vectors[16];
__attribute__((section(".vectors"), used)) const vector vectors[16] = {
    [0] = {.stack = link_stack_top}, [1] = {.handler = reset}, [2] = {.handler = fault},
    [3] = {.handler = fault}, [4] = {.handler = fault}, [5] = {.handler = fault},
    [6] = {.handler = fault}, [15] = {.handler = tick}};

/* gcc calls these of its own accord, also with -ffreestanding. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
void *memcpy(void *to, const void *from, size_t size) {
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    while (size--) *t++ = *f++;
    return to;
}
void *memset(void *to, int byte, size_t size) {
    unsigned char *t = (unsigned char *)to;
    while (size--) *t++ = (unsigned char)byte;
    return to;
}
