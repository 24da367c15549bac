/* time alone 1 spin 1 spun 2 | total part 3 | calls alone 24000 spin 24000 spun 24000 leaf 24000 | pairs spun>leaf 24000 part>spin 24000 | also part main | axes threads time | status 5
   A quarter of the work is in main, the rest in `part`, in threads. */
#include "world.h"
KEEP unsigned leaf(unsigned n);
KEEP unsigned alone(unsigned n);
KEEP unsigned spin(unsigned n);
KEEP unsigned spun(unsigned n);
KEEP unsigned part(unsigned calls);

KEEP unsigned leaf(unsigned n) {
    return n * 3 + start; /* runs 24000 */
}
KEEP unsigned alone(unsigned n) {
    unsigned x = start; /* runs 24000 */
    ROUNDS(x, n, 1);
    return x;
}
KEEP unsigned spin(unsigned n) {
    unsigned x = start; /* runs 24000 */
    ROUNDS(x, n, 2);
    return x;
}
KEEP unsigned spun(unsigned n) {
    unsigned x = leaf(n); /* runs 24000 */
    ROUNDS(x, 2 * n, 3);
    return x;
}
KEEP unsigned part(unsigned calls) {
    unsigned i;
    unsigned x = 0;
    for (i = 0; i < calls; i++) {
        x ^= spin(unit);
        x ^= spun(unit); /* runs 24000 */
    }
    return x;
}
int main(int argc, char **argv) {
    unsigned i;
    unsigned x = 0;
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    for (i = 0; i < 24000; i++) {
        x ^= alone(unit);
        end_frame(i, 800);
    }
    if (in_threads(part, 24000)) {
        puts("a thread could not start");
        return 9;
    }
    puts(x == 7 ? "seven" : "24000 each");
    return 5;
}
