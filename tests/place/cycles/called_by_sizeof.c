/* but, unchecked: the bound of a type that sizeof measures. */
static int dive(int n);
static int dive(int n) { return (int)sizeof(int[dive(n + 1)]); }
int main(void) { return dive(0); }
