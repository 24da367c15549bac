/* ---- basics ---- */

#ifndef HOTSTREAM_RESERVE
#define HOTSTREAM_RESERVE 8
#endif
#ifndef HOTSTREAM_HASH_BITS
#define HOTSTREAM_HASH_BITS 32
#endif
#ifdef HOTSTREAM_P_GNU
#define HOTSTREAM_P_INLINE static inline __attribute__((always_inline))
#define HOTSTREAM_P_RARE __attribute__((noinline))
#else
#define HOTSTREAM_P_INLINE static inline
#define HOTSTREAM_P_RARE
#endif


static void hotstream_p_zero(void *memory, size_t bytes) {
    unsigned char *at = (unsigned char *)memory;
    while (bytes--) { *at++ = 0; }
}
