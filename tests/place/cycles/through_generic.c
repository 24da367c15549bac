/* holds, checked: what _Generic chooses. */
int main(void);
static int walk(int n) { return _Generic(n, int: walk, default: main)(n + 1) + 1; }
int main(void) { return walk(0); }
