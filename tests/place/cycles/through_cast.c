/* holds, checked: a cast in front of the name. */
static int walk(int n) { return ((int (*)(long))walk)(n + 1) + 1; }
int main(void) { return walk(0); }
