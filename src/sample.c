/* ---- which sample this is ---- */

/* What tells this build from others: of an ELF image the checksum of its first
   bytes, where headers and the build-id are; else 0. */
BASE_P_SLOW uint32_t base_p_build_of(const unsigned char *image) {
    static const unsigned char magic[4] = { 0x7f, 'E', 'L', 'F' };
    uint32_t i;
    for (i = 0; image && i < 4; i++) {
        if (image[i] != magic[i]) return 0;
    }
    return image ? base_p_crc32(0, image, 1024) : 0; /* a page of it is there */
}

/* again: how often the process has begun to count anew. */
BASE_P_SLOW int base_p_write_sample(const uint32_t *seed_how_again, uint32_t build, const char *program,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    base_p_out out;
    size_t length = 0;
    uint32_t i;
    while (program && program[length]) length++;
    base_p_put_begin(&out, 24, write, user);
    base_p_put_varint(&out, 1);
    for (i = 0; i < 3; i++) base_p_put_varint(&out, seed_how_again[i]);
    base_p_put_varint(&out, build);
    base_p_put_varint(&out, length);
    base_p_put(&out, program, length);
    return base_p_put_end(&out);
}
