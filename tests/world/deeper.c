/* time leaf 1 | total main 1 down 1 | also main | status 0
   All work is done up to 100 000 calls deep, on the way back. */
#include "world.h"
KEEP unsigned leaf(unsigned n);
KEEP unsigned down(unsigned n);

KEEP unsigned leaf(unsigned n) {
    unsigned x = n;
    ROUNDS(x, unit / 2, 1);
    return x;
}
KEEP unsigned down(unsigned n) {
    unsigned x;
    if (n == 0) return start;
    x = down(n - 1);
    return leaf(x) ^ x;
}
int main(int argc, char **argv) {
    unsigned i;
    unsigned x = 0;
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    for (i = 0; i < 2; i++) x ^= down(100000);
    puts(x == 7 ? "seven" : "deep");
    return 0;
}
