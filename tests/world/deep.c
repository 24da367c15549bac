/* time leaf 1 | total main 1 down 1 | calls leaf 24000 down 24024 | also main | status 0
   All work is done 1000 calls deep, on the way back. */
#include "world.h"
KEEP unsigned leaf(unsigned n);
KEEP unsigned down(unsigned n);

KEEP unsigned leaf(unsigned n) {
    unsigned x = n; /* runs 24000 */
    ROUNDS(x, 4 * unit, 1);
    return x;
}
KEEP unsigned down(unsigned n) {
    unsigned x;
    if (n == 0) return start; /* runs 24024 */
    x = down(n - 1); /* runs 24000 */
    return leaf(x) ^ x;
}
int main(int argc, char **argv) {
    unsigned i;
    unsigned x = 0;
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    for (i = 0; i < 24; i++) x ^= down(1000);
    puts(x == 7 ? "seven" : "deep");
    return 0;
}
