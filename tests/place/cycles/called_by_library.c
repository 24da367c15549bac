/* holds, checked: fopen calls the malloc of the program. */
#include <stdio.h>
#include <stdlib.h>
static char room[4096];
void *malloc(size_t size) {
    return fopen("/dev/null", "r") && size < sizeof room ? room : NULL;
}
int main(void) { return malloc(1) == NULL; }
