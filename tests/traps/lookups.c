/* lookups.c - a program with a table of its return addresses, as the collector
   of native OCaml has one: who is not in the table is an error. One of the
   functions has a jump table, too. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern const uintptr_t frames[], frames_end[];
int f0(int), f1(int), f2(int), f3(int), f4(int), f5(int);
int look_up(int n);
static volatile int found[6];

__attribute__((noinline)) int look_up(int n) {
    uintptr_t back = (uintptr_t)__builtin_return_address(0);
    const uintptr_t *p;
    for (p = frames; p < frames_end; p++) {
        if (*p == back) {
            found[p - frames]++;
            return n + (int)(p - frames);
        }
    }
    printf("a frame is not known\n");
    exit(3);
}

#define CALLER(k)                                                                                  \
    __asm__(".text\n.p2align 4\n.globl f" #k "\n.type f" #k ", @function\nf" #k ":\n"              \
            ".cfi_startproc\n sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                            \
            " nop\n nop\n call look_up\n"                                                          \
            ".Lback" #k ":\n add $8, %rsp\n.cfi_adjust_cfa_offset -8\n ret\n.cfi_endproc\n"        \
            ".size f" #k ", .-f" #k "\n")
CALLER(0);
CALLER(1);
CALLER(2);
CALLER(3);
CALLER(4);
__asm__(".text\n.p2align 4\n.globl f5\n.type f5, @function\nf5:\n"
        ".cfi_startproc\n sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        " mov %edi, %eax\n and $1, %eax\n lea .Lcases(%rip), %rdx\n"
        " movslq (%rdx,%rax,4), %rax\n add %rdx, %rax\n jmp *%rax\n"
        ".Lodd:\n inc %edi\n.Leven:\n call look_up\n"
        ".Lback5:\n add $8, %rsp\n.cfi_adjust_cfa_offset -8\n ret\n.cfi_endproc\n"
        ".size f5, .-f5\n"
        ".section .rodata\n.p2align 2\n.Lcases: .long .Leven-.Lcases, .Lodd-.Lcases\n"
        ".data\n.p2align 3\n.globl frames\nframes:\n"
        ".quad .Lback0, .Lback1, .Lback2, .Lback3, .Lback4, .Lback5\n"
        ".globl frames_end\nframes_end:\n.quad 0\n.text\n");

int main(void) {
    unsigned sum = 0;
    int n;
    for (n = 0; n < 20000; n++)
        sum = sum * 31 + (unsigned)(f0(n) + f1(n) + f2(n) + f3(n) + f4(n) + f5(n));
    for (n = 0; n < 6; n++) sum += (unsigned)found[n];
    printf("%u\n", sum);
    return 0;
}
