/* holds, checked: a statement expression sets it. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { ({ i = 0; }); n++; }
    return n;
}
