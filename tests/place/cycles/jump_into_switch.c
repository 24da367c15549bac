/* holds, checked: cases inside of a loop. */
int main(void) {
    volatile int n = 0;
    switch (n) {
        do {
        case 0: n = 1;
        case 1: n = 2;
        } while (n);
    }
    return 0;
}
