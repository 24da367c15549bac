/* holds, checked: a macro sets it. */
static volatile int n;
#define RESET(x) (x) = 0
static void use(int i) { n += i; }
int main(void) {
    for (int i = 0; i < 3; i++) { use(i); RESET(i); }
    return n;
}
