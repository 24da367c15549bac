/* ---- basics ---- */

/* A test makes these tight. */
#ifndef HOTSTREAM_P_RESERVE
#define HOTSTREAM_P_RESERVE 8       /* free nodes with which the grammar counts as full */
#endif
#ifndef HOTSTREAM_P_HASH_BITS
#define HOTSTREAM_P_HASH_BITS 32    /* of a digram */
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
    while (bytes--) *at++ = 0;
}
