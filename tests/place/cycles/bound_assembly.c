/* holds, checked: assembly sets it. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { __asm__ volatile("" : "=r"(i) : "0"(0)); n++; }
    return n;
}
