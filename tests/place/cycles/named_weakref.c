/* holds, checked: a weak reference. */
int walk(int n);
static int other(int n) __attribute__((weakref("walk")));
int walk(int n) { return other(n + 1) + 1; }
int main(void) { return walk(0); }
