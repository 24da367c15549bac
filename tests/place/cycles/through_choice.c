/* holds, checked: one of two functions. */
static int stop(int n) { return n; }
static int walk(int n) { return (n < 0 ? stop : walk)(n + 1) + 1; }
int main(void) { return walk(0); }
