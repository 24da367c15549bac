/* holds, checked: it is set through its address. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { (*(&(i))) = 0; n++; }
    return n;
}
