/* holds, checked: a local hides the function in one block only. */
static int walk(int n) {
    if (n < 0) { int (*walk)(int) = 0; return walk(n); }
    return walk(n + 1) + 1;
}
int main(void) { return walk(0); }
