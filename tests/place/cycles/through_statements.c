/* holds, checked: the value of a statement expression. */
static int walk(int n) { return ({ int m = n; (void)m; walk; })(n + 1) + 1; }
int main(void) { return walk(0); }
