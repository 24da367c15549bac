/* holds, checked: an inner one of its name, and another step. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { int i = 0; for (;; i = 1) n += i; }
    return n;
}
