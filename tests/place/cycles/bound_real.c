/* holds, checked: an operator hides that it is set. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { __real__ (i) = 0; n++; }
    return n;
}
