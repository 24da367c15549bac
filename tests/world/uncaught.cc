/* calls fall 15 leaf 3000 | also main | status 134
   Ends by an exception that nobody catches: a message on standard error and
   SIGABRT. test_record_guest.sh has other deaths, as -DDIES. */
#include "world.h"
#include <cassert>
#include <csignal>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
extern "C" void stack_is_bad() __asm__("__stack_chk_fail");
static volatile unsigned sum;
KEEP static void leaf(unsigned n) {
    sum += n; /* runs 3000 */
}
KEEP static void fall(unsigned n) {
    if (n == 0) throw std::runtime_error("boo"); /* runs 15 */
    fall(n - 1);
    sum += 7; /* runs 0 */
}
int main() {
    for (unsigned i = 0; i < 3000; i++) leaf(i);
    try {
        fall(9);
    } catch (const std::exception &) {
        std::puts("caught");
        std::fflush(stdout);
    }
#ifdef DIES
    try {
        fall(4);
    } catch (const std::exception &) {
        DIES;
    }
#endif
    fall(4);
    return 0;
}
