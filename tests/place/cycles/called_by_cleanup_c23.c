/* holds, checked: the same in brackets of newer C. */
static int dive(int n);
static void ended(int *n) { dive(*n + 1); }
static int dive(int n) { [[gnu::cleanup(ended)]] int kept = n; return kept; }
int main(void) { return dive(0); }
