/* holds, checked: what a builtin chooses. */
static int walk(int n) { return __builtin_choose_expr(1, walk, 0)(n + 1) + 1; }
int main(void) { return walk(0); }
