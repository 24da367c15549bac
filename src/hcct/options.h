/* ---- options ---- */

#if defined(__GNUC__) || defined(__clang__)
#define HCCT_P_GNU
#endif
#if defined(HCCT_P_GNU) || defined(__TINYC__)
#define HCCT_P_UNUSED __attribute__((unused))
#else
#define HCCT_P_UNUSED
#endif
#ifdef HCCT_STATIC
#define HCCT_API HCCT_P_UNUSED static
#elif defined(HCCT_P_GNU) && !defined(_WIN32)
#define HCCT_API extern __attribute__((visibility("hidden")))
#else
#define HCCT_API extern
#endif
