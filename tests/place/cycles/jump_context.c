/* but, unchecked: setcontext comes back for ever. */
#include <ucontext.h>
static ucontext_t place;
static volatile int n;
int main(void) {
    getcontext(&place);
    n++;
    setcontext(&place);
    return 0;
}
