/* ---- options ---- */

#ifdef HCCT_H
#error "include bursty.h before hcct.h, which then keeps the calling contexts of the program"
#endif

#ifdef BURSTY_TINY
#undef BURSTY_BARE
#define BURSTY_BARE
#undef BURSTY_NO_TLS
#define BURSTY_NO_TLS
#undef BURSTY_STACK
#define BURSTY_STACK 0
#endif
#if defined(__STDC_HOSTED__) && !__STDC_HOSTED__
#undef BURSTY_BARE
#define BURSTY_BARE
#endif
#ifndef BURSTY_STACK
#if defined(__STDC_HOSTED__) && !__STDC_HOSTED__
#define BURSTY_STACK 0
#else
#define BURSTY_STACK 64
#endif
#endif
#if defined(__GNUC__) || defined(__clang__) /* clang-cl defines the second alone */
#define BURSTY_P_GNU
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86)) /* its atomics are x86's */
#define BURSTY_P_MSVC
#endif
#if defined(BURSTY_P_GNU) || defined(__TINYC__)
#define BURSTY_P_UNUSED __attribute__((unused))
#else
#define BURSTY_P_UNUSED
#endif
#if defined(BURSTY_MODULES) && !defined(BURSTY_OFF)
#if !defined(__ELF__) || defined(BURSTY_STATIC) || defined(BURSTY_NO_TLS)
#error "BURSTY_MODULES: for ELF systems, and not with BURSTY_STATIC or BURSTY_NO_TLS"
#endif
#undef BURSTY_PORTABLE /* the thunks of checks in assembly are those of one module */
#define BURSTY_PORTABLE
#undef BURSTY_TLS_MODEL
#define BURSTY_TLS_MODEL "initial-exec"
#endif
#if defined(BURSTY_OFF)
#define BURSTY_API BURSTY_P_UNUSED static inline
#define BURSTY_P_OFF(...) { __VA_ARGS__; }
#elif defined(BURSTY_STATIC)
#define BURSTY_API BURSTY_P_UNUSED static
#elif defined(BURSTY_MODULES)
#define BURSTY_API extern __attribute__((visibility("default")))
#elif defined(BURSTY_P_GNU) && !defined(_WIN32)
#define BURSTY_API extern __attribute__((visibility("hidden")))
#else
#define BURSTY_API extern
#endif
#ifndef BURSTY_OFF
#define BURSTY_P_OFF(...) ; /* what follows a declaration is its body when off */
#endif
#if defined(__PIC__) && !defined(__PIE__)
#define BURSTY_P_SHARED /* code for a shared object */
#ifndef BURSTY_MODULES
#define BURSTY_P_APART  /* of which the program need not know */
#endif
#endif

#define BURSTY_P_CAT2(a, b) a##b
#define BURSTY_P_CAT(a, b) BURSTY_P_CAT2(a, b)
#ifdef __cplusplus
#define BURSTY_P_TO(type, x) type(x) /* -Wold-style-cast */
#define BURSTY_P_CAST(type, x) static_cast<type>(x)
#else
#define BURSTY_P_TO(type, x) ((type)(x))
#define BURSTY_P_CAST(type, x) ((type)(x))
#endif
#ifdef __COUNTER__
#define BURSTY_P_UNIQUE __COUNTER__ /* two scopes may stand on one line */
#else
#define BURSTY_P_UNIQUE __LINE__
#endif
