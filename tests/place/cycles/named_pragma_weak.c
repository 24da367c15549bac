/* holds, checked: a pragma that makes two names one. */
int other(int n);
int walk(int n) { return other(n + 1) + 1; }
#pragma weak other = walk
int main(void) { return walk(0); }
