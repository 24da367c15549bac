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

/* Where the C++ library is not loaded there is none. gold gives a weak function
   in a program without PIE an address of its own all the same, so the table of
   addresses is asked. */
static terminator (*setter(void))(terminator) {
    terminator (*found)(terminator) = set_terminate;
#if defined(__x86_64__) && defined(__ELF__) && !defined(__ILP32__)
    __asm__(".weak _ZSt13set_terminatePFvvE\n\t"
            "mov{q _ZSt13set_terminatePFvvE@GOTPCREL(%%rip), %0|"
            " %0, QWORD PTR _ZSt13set_terminatePFvvE@GOTPCREL[rip]}" : "=r"(found));
#endif
    return found;
}

/* In front of what the program itself does before main. */
__attribute__((constructor(101))) static void start(void) {
    terminator (*set)(terminator) = setter();
    if (set && bursty_cover_write) theirs = set(at_terminate);
}
