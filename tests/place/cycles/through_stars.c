/* holds, checked: as many stars as one likes. */
static int walk(int n) { return (***walk)(n + 1) + (&walk != 0); }
int main(void) { return walk(0); }
