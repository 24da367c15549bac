/* time old 1 | lines old | library later old | also main | status 0
   While the program runs, another library takes the name of the one that it
   uses: lines and names are those of the old one, or none. */
#include "world.h"
#if defined LIBRARY_old
PLAIN_NAME unsigned old(unsigned n);
KEEP unsigned old(unsigned n) {
    unsigned x = n;
    ROUNDS(x, n, 1);
    return x;
}
#elif defined LIBRARY_later


PLAIN_NAME unsigned young(unsigned n);
KEEP unsigned young(unsigned n) {
    unsigned x = n;
    ROUNDS(x, n, 2);
    return x;
}
#else
#include <dlfcn.h>
int main(int argc, char **argv) {
    void *library = dlopen(HERE "/libold.so", RTLD_NOW);
    unsigned (*old)(unsigned) = NULL;
    unsigned x;
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    *(void **)&old = library ? dlsym(library, "old") : NULL;
    if (!old) return 3;
    x = old(unit) ^ (unsigned)rename(HERE "/liblater.so", HERE "/libold.so");
    x ^= old(unit * 50000);
    puts(x == 7 ? "seven" : "replaced");
    return 0;
}
#endif
