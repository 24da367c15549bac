/* holds, checked: a pointer in a section that the system walks. */
static void start(void) { for (;;) start(); }
__attribute__((section(".init_array"), used)) static void (*first)(void) = start;
int main(void) { return 0; }
