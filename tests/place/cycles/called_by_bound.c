/* but, unchecked: the bound of a pointer to an array. */
static int dive(int n);
static int dive(int n) { int (*p)[dive(n + 1)] = 0; return p == 0; }
int main(void) { return dive(0); }
