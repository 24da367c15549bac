/* holds, checked: the counter is set in brackets. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { (i) = 0; n++; }
    return n;
}
