/* holds, checked: the end of a scope calls. */
static int dive(int n);
static void ended(int *n) { dive(*n + 1); }
static int dive(int n) { __attribute__((cleanup(ended))) int kept = n; return kept; }
int main(void) { return dive(0); }
