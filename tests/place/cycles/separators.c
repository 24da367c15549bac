/* holds, checked: a loop between digits with quotes in them. */
int main(void) {
    volatile int n = 1'0;
    while (n) n = 2;
    return 2'000 + n;
}
