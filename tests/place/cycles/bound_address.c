/* holds, checked: its address is taken in brackets. */
static volatile int n;
static void reset(int *p) { *p = 0; n++; }
int main(void) {
    for (int i = 0; i < 3; i++) reset(&(i));
    return n;
}
