/* holds, checked: a function that a typedef declares. */
typedef int body(int);
body walk;
body other;
int other(int n) { return walk(n + 1) + 1; }
int walk(int n) { return other(n) + 1; }
int main(void) { return walk(0); }
