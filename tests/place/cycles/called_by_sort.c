/* holds, checked: qsort calls the function that calls it. */
#include <stdlib.h>
static int order(const void *a, const void *b) {
    int two[2] = {2, 1};
    qsort(two, 2, sizeof *two, order);
    return a == b;
}
int main(void) { return order(0, 0); }
