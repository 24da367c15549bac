/* ---- linkage ---- */

#if defined(__GNUC__) || defined(__clang__)             /* clang-cl defines the second alone */
#define BASE_P_GNU
#endif
#if defined(BASE_P_GNU) || defined(__TINYC__)
#define BASE_P_UNUSED __attribute__((unused))
#else
#define BASE_P_UNUSED
#endif
#ifdef BASE_STATIC
#define BASE_API BASE_P_UNUSED static
#elif defined(BASE_P_GNU) && !defined(_WIN32)
#define BASE_API extern __attribute__((visibility("hidden")))
#else
#define BASE_API extern
#endif
