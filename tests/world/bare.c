/* time hot_asm 2 c_fun 1 | total main 3 | also main | status 0
   A function of assembly without unwind rules, as nasm writes it. */
#include "world.h"
PLAIN_NAME unsigned hot_asm(unsigned n);
__asm__(".text\n.globl hot_asm\n.type hot_asm,@function\nhot_asm:\n"
        "mov %edi,%ecx\nmov %edi,%eax\n"
        "1: imul $1664525,%eax,%eax\nadd $1013904223,%eax\ndec %ecx\njnz 1b\nret\n"
        ".size hot_asm,.-hot_asm\n");
KEEP unsigned c_fun(unsigned n);
KEEP unsigned c_fun(unsigned n) {
    unsigned x = start;
    __asm__ volatile("1: imul $1664525,%0,%0\nadd $1013904225,%0\ndec %1\njnz 1b"
                     : "+r"(x), "+r"(n));
    return x;
}
int main(int argc, char **argv) {
    unsigned i;
    unsigned x = 0;
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    for (i = 0; i < 4000; i++) {
        x ^= hot_asm(unit * 16);
        x ^= c_fun(unit * 8);
    }
    puts(x == 7 ? "seven" : "bare");
    return 0;
}
