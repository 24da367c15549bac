/* holds, checked: a parameter that has the name of a function. */
static int walk(int (*apply)(int), int n);
static int apply(int n) { return walk(apply, n + 1) + 1; }
static int walk(int (*apply)(int), int n) { return apply(n); }
int main(void) { return apply(0); }
