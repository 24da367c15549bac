/* holds, checked: _Generic hides that it is set. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { _Generic(0, int: i) = 0; n++; }
    return n;
}
