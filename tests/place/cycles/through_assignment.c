/* holds, checked: an assignment in a condition, then a call by *. */
static int (*next)(int);
static int step(int n) {
    if ((next = step)) return (*next)(n + 1) + 1;
    return 0;
}
int main(void) { return step(0); }
