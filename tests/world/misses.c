/* misses far near | also main | status 0
   `far` reads one byte of each line of 64 MB: nothing but misses. `near` reads
   the same 4 KB: nothing but hits. Nobody else reads or writes much. */
#include "world.h"
enum { FAR = 64 << 20, NEAR = 4096 };
static unsigned char *large;
static unsigned char small[NEAR];
KEEP unsigned far(unsigned from);
KEEP unsigned near(unsigned from);

KEEP unsigned far(unsigned from) {
    unsigned x = 0;
    unsigned i;
    for (i = 0; i < 64; i++) x += large[(from + i) * 64u % FAR];
    return x;
}
KEEP unsigned near(unsigned from) {
    unsigned x = 0;
    unsigned i;
    for (i = 0; i < 64; i++) x += small[(from + i) * 64u % NEAR];
    return x;
}
int main(void) {
    unsigned i;
    unsigned x = 0;
    large = (unsigned char *)calloc(1, FAR);
    if (!large) return 1;
    for (i = 0; i < 30000; i++) {
        x += far(i * 64);
        x += near(i * 64);
    }
    printf("%u\n", x);
    return 0;
}
