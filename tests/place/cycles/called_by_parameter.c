/* but, checked: a parameter whose bound calls. */
static int dive(int n);
static int wide(int n, int list[dive(n + 1)]) { return n + (list == 0); }
static int dive(int n) { return wide(n, 0) + 1; }
int main(void) { return dive(0); }
