/* twice.c - calls that may return a second time: what a compiler knows of them
   by their names holds for one call in one function, and not for a copy of
   it. */
#include "cc/read/twice.h"

const char *cc_returns_twice(const cc_tokens *t, uint32_t i) {
    static const char *const names[] = {"setjmp",      "_setjmp",          "sigsetjmp",
                                        "__sigsetjmp", "__builtin_setjmp", "vfork"};
    size_t k;
    for (k = 0; cc_is_name(t, i) && k < sizeof names / sizeof *names; k++) {
        if (cc_spells(t, i, names[k])) return names[k];
    }
    return NULL;
}
