/* calls long_of 2000 text_of 1000 main 1 | pairs text_of>long_of 2000 main>text_of 1000 | status 0
   Bounds of arrays call functions, on several lines and under a condition. */
#include "world.h"
KEEP unsigned long_of(unsigned n);
KEEP unsigned text_of(unsigned n);

KEEP unsigned long_of(unsigned n) {
    return n % 7 + 1 + start % 2; /* runs 2000 */
}
KEEP unsigned text_of(unsigned n) {
    char text[long_of(n) /* runs 1000 */
              + 4];
    char more[n % 2 == 0 || n % 4 == 1 /* runs 1000 */
                  ? long_of(n) + 1  /* runs 750 */
                  : 9];
    char *names[2][1 + (n % 4 == 3 ? long_of(n) : 1)]; /* runs 1000 */
    text[0] = more[0] = (char)n;                      /* runs 1000 */
    names[1][0] = text;
    return (unsigned)names[1][0][0] + (unsigned)sizeof more;
}
int main(void) {
    unsigned i, x = 0;
    for (i = 0; i < 1000; i++) x ^= text_of(i);
    printf("%u\n", x);
    return 0;
}
