/* holds, checked: a pointer that was one to void. */
static void *kept;
static int walk(int n) { return ((int (*)(int))kept)(n + 1) + 1; }
int main(void) { kept = (void *)walk; return walk(0); }
