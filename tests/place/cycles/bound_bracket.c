/* holds, checked: the counter goes down in brackets. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { (i)--; n++; }
    return n;
}
