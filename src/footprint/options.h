/* ---- options ---- */

#if defined(__GNUC__) || defined(__clang__)             /* clang-cl defines the second alone */
#define FOOTPRINT_P_GNU
#endif
#if defined(FOOTPRINT_P_GNU) || defined(__TINYC__)
#define FOOTPRINT_P_UNUSED __attribute__((unused))
#else
#define FOOTPRINT_P_UNUSED
#endif
#ifdef FOOTPRINT_STATIC
#define FOOTPRINT_API FOOTPRINT_P_UNUSED static
#elif defined(FOOTPRINT_P_GNU) && !defined(_WIN32)
#define FOOTPRINT_API extern __attribute__((visibility("hidden")))
#else
#define FOOTPRINT_API extern
#endif
