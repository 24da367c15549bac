/* time first 2 second 1 | total part 3 | also part main | axes threads time | status 0
   Each thread does one thing and then another, so that looks which favour an age of
   threads favour one of them. */
#include "world.h"
KEEP unsigned first(unsigned n);
KEEP unsigned second(unsigned n);
KEEP unsigned part(unsigned calls);

KEEP unsigned first(unsigned n) {
    unsigned x = start;
    ROUNDS(x, 2 * n, 1);
    return x;
}
KEEP unsigned second(unsigned n) {
    unsigned x = start;
    ROUNDS(x, n, 2);
    return x;
}
KEEP unsigned part(unsigned calls) {
    unsigned x = first(calls * unit);
    return x ^ second(calls * unit);
}
int main(int argc, char **argv) {
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    if (in_threads(part, 24000)) {
        puts("a thread could not start");
        return 9;
    }
    puts("done");
    return 0;
}
