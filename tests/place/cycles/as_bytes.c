/* holds, checked: a pointer whose bytes are copied into one of another type. */
#include <string.h>
static long (*kept)(long, long);
static void walk(int n) { kept(n + 1, 1); kept(n, 2); }
int main(void) { void (*p)(int) = walk; memcpy(&kept, &p, sizeof p); walk(0); return 0; }
