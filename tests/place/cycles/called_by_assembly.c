/* but, checked: assembly calls a function by its name. */
int dive(int n);
static void go(void) {
#ifdef __x86_64__
    __asm__ volatile("sub $128, %%rsp\n\tcall\tdive\n\tadd $128, %%rsp" : : : "rax", "rcx", "rdx",
                     "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#else
#error this machine
#endif
}
int dive(int n) { go(); return n; }
int main(void) { return dive(0); }
