/* holds, checked: a builtin hides that it is set. */
static volatile int n;
int main(void) {
    for (int i = 0; i < 3; i++) { __builtin_choose_expr(1, i, 0) = 0; n++; }
    return n;
}
