/* ---- options ---- */

#if defined(__GNUC__) || defined(__clang__)
#define EDGEPROF_P_GNU
#endif
#if defined(EDGEPROF_P_GNU) || defined(__TINYC__)
#define EDGEPROF_P_UNUSED __attribute__((unused))
#else
#define EDGEPROF_P_UNUSED
#endif
#ifdef EDGEPROF_STATIC
#define EDGEPROF_API EDGEPROF_P_UNUSED static
#elif defined(EDGEPROF_P_GNU) && !defined(_WIN32)
#define EDGEPROF_API extern __attribute__((visibility("hidden")))
#else
#define EDGEPROF_API extern
#endif

#ifdef EDGEPROF_WIDE
typedef uint32_t edgeprof_index;
#else
typedef uint16_t edgeprof_index;
#endif
