/* holds, checked: what exit calls asks for the next exit */
#include <stdlib.h>
static void again(void) {
    atexit(again);
    exit(0);
}
int main(void) {
    again();
    return 0;
}
