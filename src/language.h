/* ---- language ---- */

/* Microsoft's compiler and -std=gnu90 say less about themselves, and take
   it. */
#if defined(__STRICT_ANSI__) && !defined(__cplusplus) \
    && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "this header is C99 and C++11: compile with -std=c99 or newer in place of -ansi"
#endif
