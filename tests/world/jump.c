/* calls outer 6000 middle 6000 leave 6000 after 6000 | pairs outer>middle 6000 middle>leave 6000 | also main once | status 0
   Each round leaves three functions by longjmp. */
#include "world.h"
#include <setjmp.h>
static jmp_buf out;
static volatile unsigned sum;
KEEP void leave(unsigned n);
KEEP void middle(unsigned n);
KEEP void outer(unsigned n);
KEEP void after(unsigned n);
KEEP void once(unsigned n);

KEEP void leave(unsigned n) {
    sum += n; /* runs 6000 */
    longjmp(out, 1); /* runs 6000 */
}
KEEP void middle(unsigned n) {
    leave(n + 1); /* runs 6000 */
    sum += 7; /* runs 0 */
}
KEEP void outer(unsigned n) {
    middle(n + 1); /* runs 6000 */
    sum += 7; /* runs 0 */
}
KEEP void after(unsigned n) {
    sum += n; /* runs 6000 */
}
KEEP void once(unsigned n) {
    if (!setjmp(out))
        outer(n); /* runs 6000 */
    else
        after(n); /* runs 6000 */
}
int main(void) {
    unsigned i;
    for (i = 0; i < 6000; i++) once(i);
    printf("%u\n", sum);
    return 0;
}
