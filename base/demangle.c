/* demangle.c - C++ names, by the __cxa_demangle of the machine's C++ library;
   Rust's, by demangle_rust.c; and D's, by demangle_d.c.

   A mangled name may point back at its own parts, each of which may do the
   same, so that a short name stands for one that fills the memory. With r such
   references it cannot grow by more than 3^(r/3). A name with more than MOST of
   them, or a very long one, is left as it is. */
#ifndef _WIN32
#define _DEFAULT_SOURCE 1
#endif
#include "base/demangle.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <dlfcn.h>
#endif

enum { MOST = 16, LONGEST = 1000 };

typedef char *cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

static cxa_demangle *find(void) {
    cxa_demangle *function = NULL;
#if !defined(_WIN32) && defined(RTLD_LAZY)
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib"};
    size_t i;
    for (i = 0; i < sizeof libraries / sizeof *libraries && !function; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY), *symbol;
        if (!library) continue;
        symbol = dlsym(library, "__cxa_demangle");
        memcpy(&function, &symbol, sizeof symbol);    /* the standard has no cast for this */
    }
#endif
    return function;
}

/* S_, S0_, T_, ...: not St, Sa and their like, which are fixed words. */
static int references(const char *name) {
    int count = 0;
    for (; *name; name++) {
        if ((*name == 'S' || *name == 'T') &&
            (name[1] == '_' || (name[1] >= '0' && name[1] <= '9') ||
             (name[1] >= 'A' && name[1] <= 'Z')))
            count++;
    }
    return count;
}

static char *demangle_all(const char *name) {
    static cxa_demangle *function;
    static int is_sought;
    char *readable, *clean;
    int status = -1;
    if (name[0] == '_' && name[1] == '_' && name[2] == 'Z') name++;       /* as macOS has them */
    if (name[0] != '_' || strlen(name) > LONGEST) return NULL;
    if (name[1] == 'D') return demangle_d(name);
    clean = demangle_rust(name);
    if (clean || name[1] != 'Z' || references(name) > MOST) return clean;
    if (!is_sought) function = find();
    is_sought = 1;
    readable = function ? function(name, NULL, NULL, &status) : NULL;
    if (!readable) return NULL;
    clean = status == 0 ? text_name(readable, strlen(readable)) : NULL;
    free(readable);
    return clean;
}

/* What follows a name in brackets, as symbols_name has it, stays. */
char *demangle(const char *name) {
    char mangled[LONGEST + 1], *readable;
    size_t size = strcspn(name, " ");
    text whole = {NULL, 0, 0};
    if (!name[size] || size > LONGEST || *name != '_') return demangle_all(name);
    memcpy(mangled, name, size);
    mangled[size] = 0;
    readable = demangle_all(mangled);
    if (!readable) return NULL;
    text_add(&whole, readable);
    text_add(&whole, name + size);
    free(readable);
    return text_take(&whole);
}
