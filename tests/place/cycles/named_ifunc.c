/* holds, checked: a function that is chosen at the start. */
int walk(int n);
static void *choose(void) { return walk; }
int other(int n) __attribute__((ifunc("choose")));
int walk(int n) { return other(n + 1) + 1; }
int main(void) { return walk(0); }
