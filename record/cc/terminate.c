/* terminate.c - how a program of C++ ends that nobody catches: std::terminate
   calls abort from within the C++ library, which the linker's --wrap does not
   see. So the counts are written before that. */
#include "edges.h"
#include <stdlib.h>

typedef void (*terminator)(void);
extern terminator set_terminate(terminator mine)
    __asm__("_ZSt13set_terminatePFvvE") __attribute__((weak));
extern int bursty_cover_write(void) __attribute__((weak, visibility("hidden")));

static terminator theirs;

__attribute__((noreturn)) static void at_terminate(void) {
    if (bursty_cover_write) bursty_cover_write();
    if (theirs) theirs();
    abort();
}

/* In front of what the program itself does before main. */
__attribute__((constructor(101))) static void start(void) {
    if (set_terminate && bursty_cover_write) theirs = set_terminate(at_terminate);
}
