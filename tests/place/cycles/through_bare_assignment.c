/* holds, checked: the same without the second pair of brackets. */
typedef int (*action)(int);
int step(int n);
action next;
int step(int n) { if (next = step) (*next)(n + 1); return n; }
int main(void) { return step(0); }
