/* holds, checked: a name for the linker. */
int other(int n) __asm__("wa" "lk");
int walk(int n) { return other(n + 1) + 1; }
int main(void) { return walk(0); }
