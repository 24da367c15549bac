/* holds, checked: a function is called through what another returns. */
typedef int (*action)(int);
static int again(int n);
static action same(action a) { return a; }
static int again(int n) { return same(again)(n + 1) + 1; }
int main(void) { return again(0); }
