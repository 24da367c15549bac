/* semihosting.h - board.h's text, files and exit by ARM semihosting, which qemu
   offers on Arm and RISC-V alike: an operation number, the address of a block
   of machine words, and a trap that the debugger or emulator answers. */
#include "board.h"

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_EXIT_EXTENDED = 0x20,
    OPEN_WRITE_BINARY = 5
};

static uintptr_t semihosting(uintptr_t operation, const void *block) {
#if defined(__arm__)
    register uintptr_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
#else /* the three instructions must be uncompressed and on one page */
    register uintptr_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = block;
    __asm__ volatile(".balign 16\n .option push\n .option norvc\n"
                     " slli x0, x0, 0x1f\n ebreak\n srai x0, x0, 7\n .option pop"
                     : "+r"(a0) : "r"(a1) : "memory");
    return a0;
#endif
}

void board_print(const char *text) { semihosting(SYS_WRITE0, text); }

void board_exit(int status) {
    uintptr_t block[2];
    block[0] = 0x20026u;            /* ADP_Stopped_ApplicationExit */
    block[1] = (uintptr_t)status;
    for (;;) semihosting(SYS_EXIT_EXTENDED, block);
}

int board_open(const char *path) {
    uintptr_t block[3], length = 0;
    while (path[length]) length++;
    block[0] = (uintptr_t)path;
    block[1] = OPEN_WRITE_BINARY;
    block[2] = length;
    return (int)semihosting(SYS_OPEN, block);
}

int board_write(int file, const void *data, size_t size) {
    uintptr_t block[3];
    block[0] = (uintptr_t)file;
    block[1] = (uintptr_t)data;
    block[2] = size;
    return semihosting(SYS_WRITE, block) != 0;    /* it returns how many bytes were left over */
}

void board_close(int file) {
    uintptr_t block[1];
    block[0] = (uintptr_t)file;
    semihosting(SYS_CLOSE, block);
}

/* gcc calls these of its own accord for struct copies and loops, also under
   -ffreestanding. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);

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

int memcmp(const void *left, const void *right, size_t size) {
    const unsigned char *l = (const unsigned char *)left, *r = (const unsigned char *)right;
    for (; size; size--, l++, r++) if (*l != *r) return *l < *r ? -1 : 1;
    return 0;
}

/* What a reset leaves to software: initialised data comes out of flash, the
   rest becomes zero. */
extern uint32_t link_data_from[], link_data[], link_data_end[], link_bss_end[];

static inline void semihosting_start(void) {
    const uint32_t *from = link_data_from;
    uint32_t *to = link_data;
    while (to < link_data_end) *to++ = *from++;
    while (to < link_bss_end)  *to++ = 0;
    board_exit(main());
}
