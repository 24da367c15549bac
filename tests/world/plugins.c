/* time first 1 second 2 | calls first 40000 second 40000 | library first second | also main turn find | status 0
   Two plugins take turns: open, call, close. The second comes to lie where the
   first lay. */
#include "world.h"
#if defined LIBRARY_first
PLAIN_NAME unsigned first(unsigned n);
KEEP unsigned first(unsigned n) {
    unsigned x = n; /* runs 40000 */
    ROUNDS(x, n / 2, 1);
    return x;
}
#elif defined LIBRARY_second
PLAIN_NAME unsigned second(unsigned n);
KEEP unsigned second(unsigned n) {
    unsigned x = n; /* runs 40000 */
    ROUNDS(x, n, 2);
    return x;
}
#else
#include <dlfcn.h>
static unsigned (*find(void *library, const char *name))(unsigned) {
    unsigned (*found)(unsigned) = NULL;
    *(void **)&found = library ? dlsym(library, name) : NULL;
    if (!found) {
        puts(dlerror());
        exit(3);
    }
    return found;
}
static unsigned turn(const char *file, const char *name) {
    void *library = dlopen(file, RTLD_NOW);
    unsigned (*plugin)(unsigned) = find(library, name);
    unsigned i;
    unsigned x = 0;
    for (i = 0; i < 2000; i++) x ^= plugin(unit);
    dlclose(library);
    return x;
}
int main(int argc, char **argv) {
    unsigned i;
    unsigned x = 0;
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    for (i = 0; i < 20; i++) {
        x ^= turn(HERE "/libfirst.so", "first");
        x ^= turn(HERE "/libsecond.so", "second");
    }
    puts(x == 7 ? "seven" : "in turn");
    return 0;
}
#endif
