/* calls deepest 6000 middle 6000 after 6000 | pairs middle>deepest 6000 | also main once | status 0
   Each round throws an exception that is caught three calls further up; what
   lies between has a destructor. */
#include "world.h"
#include <stdexcept>
#include <string>
static volatile unsigned sum;
struct Closer {
    ~Closer() { sum += 1; }
};
KEEP static void deepest(unsigned n) {
    sum += n; /* runs 6000 */
    throw std::runtime_error("boo"); /* runs 6000 */
}
KEEP static void middle(unsigned n) {
    Closer closer;
    deepest(n + 1);
    sum += 7; /* runs 0 */
}
KEEP static void after(unsigned n) {
    sum += n; /* runs 6000 */
}
KEEP static void once(unsigned n) {
    try {
        middle(n); /* runs 6000 */
    } catch (const std::exception &) {
        after(n); /* runs 6000 */
    }
}
int main() {
    for (unsigned i = 0; i < 6000; i++) once(i);
    std::printf("%u\n", sum);
    return 0;
}
