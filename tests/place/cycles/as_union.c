/* holds, checked: a union of two types of pointers. */
static union { void (*plain)(void); int (*number)(int); } kept;
static int walk(int n) { return kept.number(n + 1) + 1; }
int main(void) { kept.plain = (void (*)(void))walk; return walk(0); }
