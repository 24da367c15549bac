/* holds, checked: a pointer that was a number on its way. */
static long kept;
static int walk(int n) { return ((int (*)(int))kept)(n + 1) + 1; }
int main(void) { kept = (long)walk; return walk(0); }
