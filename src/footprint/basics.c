/* ---- what all three counters share ---- */

enum {
    FOOTPRINT_P_FIRST = 8000,        /* blocks that an open makes room for */
    FOOTPRINT_P_AHEAD = 12           /* accesses from asking memory for a bucket to needing it */
};
#define FOOTPRINT_P_LARGE ((size_t)1 << 20)        /* bytes from which asking ahead pays */

static void footprint_p_zero(void *memory, size_t bytes) {
    unsigned char *p = (unsigned char *)memory;
    while (bytes--) *p++ = 0;
}

static void footprint_p_copy(void *to, const void *from, size_t bytes) {
    uint64_t *t = (uint64_t *)to;                  /* all that is copied are such words */
    const uint64_t *f = (const uint64_t *)from;
    for (; bytes; bytes -= sizeof *t) *t++ = *f++;
}

/* Takes room for `count` things from base + *at on, and returns where it
   begins. If base is NULL only *at moves on. */
static void *footprint_p_take(unsigned char *base, uint64_t *at, uint64_t count,
                              size_t size) {
    void *taken = base ? base + *at : NULL;
    *at += (count * size + 15) & ~UINT64_C(15);
    return taken;
}

static uint64_t footprint_p_hash(uint64_t block) {
    return (block ^ block >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

/* With sampling at 2^-k a block is left out unless the low k bits of another
   hash are 0. All bits of this hash are well mixed, so the blocks that remain
   do not cluster. */
static int footprint_p_left_out(uint32_t sample_log2, uint64_t block) {
    block = (block ^ block >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    block = (block ^ block >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    block ^= block >> 33;
    return (block & ((UINT64_C(1) << sample_log2) - 1)) != 0;
}

/* Copies a config and fills in its defaults. Returns how many accesses can be
   counted: until then no cell of a table overflows. */
static uint64_t footprint_p_settings(footprint_config *to, const footprint_config *from,
                                     uint32_t *columns) {
    uint64_t width, window_max, end;
    footprint_p_zero(to, sizeof *to);
    if (from) *to = *from;
    to->c = to->c > 0 ? (to->c > 1 ? 1 : to->c < .01 ? .01 : to->c) : .9;
    window_max = to->window_max ? to->window_max : UINT32_MAX;
    *columns = footprint_bin(window_max < 1023 ? 1023 : window_max) + 1;
    to->window_max = footprint_bin_high(*columns - 1);
    if (to->blocks_max == 0 || to->blocks_max > UINT32_C(1) << 30)
        to->blocks_max = UINT32_C(1) << 30;
    if (to->sample_log2 > 24) to->sample_log2 = 24;
    if (to->block_log2 == 0) to->block_log2 = 6;
    if (to->block_log2 > 63) to->block_log2 = 63;
    width = to->window_max - footprint_bin_low(*columns - 1) + 1;
    end = UINT64_MAX / width;
    return end < (UINT64_C(1) << 34) - 1 ? (UINT64_C(1) << 34) - 1 : end;
}

/* Returns the last block of address[0..bytes). What would lie behind the end of
   the address space is left out. */
static uint64_t footprint_p_last_block(const void *address, size_t bytes,
                                       uint32_t block_log2) {
    uintptr_t first = (uintptr_t)address, last = first + (bytes ? bytes - 1 : 0);
    if (last < first) last = UINTPTR_MAX;
    return (uint64_t)last >> block_log2;
}

/* An estimate of the number of blocks is never above that of accesses. */
static uint64_t footprint_p_blocks(uint64_t estimate, uint64_t accesses) {
    return estimate < accesses ? estimate : accesses;
}

/* Returns the size of a table that is full at three quarters with so many
   blocks. */
static uint32_t footprint_p_slots(const footprint_config *config, uint64_t blocks) {
    if (blocks > config->blocks_max) blocks = config->blocks_max;
    if (blocks < 60) blocks = 60;
    return (uint32_t)(blocks + (blocks + 2) / 3 + 4);
}
