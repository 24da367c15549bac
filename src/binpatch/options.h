/* ---- options ---- */

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) && !defined(__TINYC__)           \
    && defined(__linux__) && defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define BINPATCH_SUPPORTED 1            /* code of this process can be hooked */
#endif
