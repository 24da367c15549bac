/* hand | time parse 3 emit 1 | calls parse 24000 emit 24000 | pairs round>parse 24000 | also round main | axes threads | status 0
   Scopes by hand, in threads. */
#include "hand.h"
KEEP unsigned parse(unsigned n);
KEEP unsigned emit(unsigned n);
KEEP unsigned rounds(unsigned calls);

KEEP unsigned parse(unsigned n) {
    unsigned x = n;
    BURST_SCOPE("parse");
    ROUNDS(x, 3 * n, 1);
    BURST_LEAVE();
    return x;
}
KEEP unsigned emit(unsigned n) {
    unsigned x = n;
    BURST_SCOPE("emit");
    ROUNDS(x, n, 2);
    BURST_LEAVE();
    return x;
}
KEEP unsigned rounds(unsigned calls) {
    unsigned i;
    unsigned x = 0;
    BURST_SCOPE("round");
    for (i = 0; i < calls; i++) {
        x ^= parse(unit);
        x ^= emit(unit);
    }
    BURST_LEAVE();
    return x;
}
int main(int argc, char **argv) {
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    begin(100, 10, 7, 0);
    in_threads(rounds, 24000);
    return end(argc, argv);
}
