/* holds, checked: the same, declared by a loop. */
static int dive(int n);
static void ended(int *n) { dive(*n + 1); }
static int dive(int n) { for (int __attribute__((cleanup(ended))) i = n; i > n; i--); return n; }
int main(void) { return dive(0); }
