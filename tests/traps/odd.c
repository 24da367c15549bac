/* odd.c - code that a patcher could misread, and code that stands far away:
   compiled without optimisation, where loops end with a conditional jump back,
   for a fixed address, and linked so that the section .far lies hundreds of
   megabytes above the rest. Prints the same whether it is recorded or not. For
   tests/test_record_traps.sh. */
#include <stdio.h>

int odd_data(int n);
int odd_cold(int n);
int odd_far(int n);

/* Data between two instructions, as in hand-written libraries. The bytes of the
   data would be the start of an instruction that swallows the next real one. */
__asm__(".text\n.globl odd_data\n.type odd_data, @function\n"
        "odd_data:\n"
        "    .cfi_startproc\n"
        "    lea 1f(%rip), %rdx\n"
        "    xor %eax, %eax\n"
        "    jmp 2f\n"
        "1:  .byte 0x48, 0xB8, 3, 4, 5, 6, 7, 8\n"
        "2:  movzbl (%rdx), %ecx\n"
        "    add %ecx, %eax\n"
        "    inc %rdx\n"
        "    movzbl (%rdx), %ecx\n"
        "    add %ecx, %eax\n"
        "    dec %edi\n"
        "    dec %rdx\n"
        "    test %edi, %edi\n"
        "    jg 2b\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size odd_data, .-odd_data\n");

/* A loop that is closed by a part that the compiler moved away. */
__asm__(".globl odd_cold\n.type odd_cold, @function\n"
        "odd_cold:\n"
        "    .cfi_startproc\n"
        "    xor %eax, %eax\n"
        "1:  add %edi, %eax\n"
        "    dec %edi\n"
        "    jmp odd_cold_part\n"
        "2:  ret\n"
        "    .cfi_endproc\n"
        ".size odd_cold, .-odd_cold\n"
        ".section .text.unlikely,\"ax\",@progbits\n.type odd_cold_part, @function\n"
        "odd_cold_part:\n"
        "    .cfi_startproc\n"
        "    test %edi, %edi\n"
        "    jg 1b\n"
        "    jmp 2b\n"
        "    .cfi_endproc\n"
        ".size odd_cold_part, .-odd_cold_part\n"
        ".text\n");

static int odd_leaf(int n) { return n * 3 + 1; }

int odd_loop(int n) {
    int i, sum = 0;
    for (i = 0; i < n; i++) sum += i % 7 ? odd_leaf(i) : i;
    while (n-- > 0) sum ^= n;
    return sum;
}

__attribute__((section(".far"))) int odd_far(int n) {
    int i, sum = 0;
    for (i = 0; i < n; i++) sum += odd_loop(i % 20);
    return sum;
}

int main(void) {
    int i, sum = 0;
    for (i = 0; i < 200; i++) sum += odd_data(i % 9 + 1) + odd_cold(i) + odd_loop(i);
    printf("%d %d\n", sum, odd_far(1000));
    return 0;
}
