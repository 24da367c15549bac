/* holds, checked: one cast in, another out. */
typedef void (*plain)(void);
static plain kept;
static int walk(int n) { long (*p)(long) = (long (*)(long))kept; return (int)p(n + 1) + 1; }
int main(void) { kept = (plain)walk; return walk(0); }
