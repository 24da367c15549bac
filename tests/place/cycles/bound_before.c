/* holds, checked: its address was taken before. */
static volatile int n;
int main(void) {
    int i, *p = &i;
    for (i = 0; i < 3; i++) { *p = 0; n++; }
    return n;
}
