/* ---- options ---- */

#if defined(__GNUC__) || defined(__clang__)             /* clang-cl defines the second alone */
#define BINPATCH_P_GNU
#endif
#if defined(BINPATCH_P_GNU) || defined(__TINYC__)
#define BINPATCH_P_UNUSED __attribute__((unused))
#else
#define BINPATCH_P_UNUSED
#endif
#ifdef BINPATCH_STATIC
#define BINPATCH_API BINPATCH_P_UNUSED static
#elif defined(BINPATCH_P_GNU) && !defined(_WIN32)
#define BINPATCH_API extern __attribute__((visibility("hidden")))
#else
#define BINPATCH_API extern
#endif

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) && !defined(__TINYC__)           \
    && defined(__linux__) && defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define BINPATCH_SUPPORTED 1            /* code of this process can be hooked */
#endif
