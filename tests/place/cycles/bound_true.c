/* holds, ends: three rounds, as it says. */
static volatile int n;
static int use(int i) { return i; }
int main(void) {
    for (int i = 0; i < 3; i++) n += use(i);
    return n;
}
