/* holds, checked: an alias. */
int other(int n);
int walk(int n) { return other(n + 1) + 1; }
int other(int n) __attribute__((alias("walk")));
int main(void) { return walk(0); }
