/* supported.h - the Makefile preprocesses this to learn whether patch.c can be
   built for a target: Linux on x86-64 with 64-bit pointers, gcc or clang, and a
   glibc that has _dl_find_object. */
#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__)            \
    && !defined(__TINYC__)
#include <features.h>
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 35)
recorder_is_supported
#endif
#endif
#endif
