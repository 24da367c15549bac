/* holds, checked: the right side of a comma. */
static int seen;
static int walk(int n) { return (seen++, walk)(n + 1) + 1; }
int main(void) { return walk(0); }
