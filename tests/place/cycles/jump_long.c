/* but, unchecked: longjmp comes back for ever. */
#include <setjmp.h>
static jmp_buf place;
static volatile int n;
int main(void) {
    setjmp(place);
    n++;
    longjmp(place, 1);
}
