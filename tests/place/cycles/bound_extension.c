/* holds, checked: a keyword hides that it is set. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { (__extension__ i) = 0; n++; }
    return n;
}
