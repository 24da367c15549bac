/* holds, checked: the same with bsearch. */
#include <stdlib.h>
static int order(const void *a, const void *b) {
    static const int one[1] = {1};
    return bsearch(one, one, 1, sizeof *one, order) == a && a == b;
}
int main(void) { return order(0, 0); }
