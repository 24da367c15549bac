/* holds, checked: a stream has a function of the program behind it. */
#define _GNU_SOURCE
#include <stdio.h>
static ssize_t fill(void *cookie, char *bytes, size_t size) {
    cookie_io_functions_t own = {fill, 0, 0, 0};
    FILE *file = fopencookie(cookie, "r", own);
    (void)size;
    bytes[0] = (char)fgetc(file);
    return 1;
}
int main(void) { char byte; return (int)fill(0, &byte, 1); }
