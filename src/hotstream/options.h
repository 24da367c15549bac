/* ---- options ---- */

#if defined(__GNUC__) || defined(__clang__)             /* clang-cl defines the second alone */
#define HOTSTREAM_P_GNU
#endif
#if defined(HOTSTREAM_P_GNU) || defined(__TINYC__)
#define HOTSTREAM_P_UNUSED __attribute__((unused))
#else
#define HOTSTREAM_P_UNUSED
#endif
#ifdef HOTSTREAM_STATIC
#define HOTSTREAM_API HOTSTREAM_P_UNUSED static
#elif defined(HOTSTREAM_P_GNU) && !defined(_WIN32)
#define HOTSTREAM_API extern __attribute__((visibility("hidden")))
#else
#define HOTSTREAM_API extern
#endif
