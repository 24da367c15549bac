/* holds, checked: the same with brackets around the name. */
typedef int (*action)(int);
static int again(int n);
static action same(action a) { return a; }
static int again(int n) { return (same)(again)(n + 1) + 1; }
int main(void) { return again(0); }
