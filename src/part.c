/* ---- writing a .brst part ---- */

/* CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t base_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
    static const uint32_t nibble[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
        0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C
    };
    crc = ~crc;
    while (size--) {
        crc = nibble[(crc ^ *data) & 15] ^ crc >> 4;
        crc = nibble[(crc ^ (uint32_t)*data++ >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

/* Writes a part of a .brst file (docs/formats.md): header, chunks, end. */
typedef struct base_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} base_p_out;

static void base_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void base_p_put_block(base_p_out *out, size_t size) {
    out->crc = base_p_crc32(out->crc, out->chunk, size);
    base_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void base_p_put_flush(base_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    base_p_little(out->chunk, out->used, 2);
    base_p_put_block(out, 2 + out->used);
}

static void base_p_put(base_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) base_p_put_flush(out);
    }
}

static void base_p_put_varint(base_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        base_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void base_p_put_begin(base_p_out *out, uint32_t kind,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    base_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    base_p_little(out->chunk + 4, 1, 2);
    base_p_little(out->chunk + 6, kind, 2);
    base_p_little(out->chunk + 8, 0, 4);
    base_p_put_block(out, 12);
}

static int base_p_put_end(base_p_out *out) {
    base_p_put_flush(out);
    base_p_little(out->chunk, 0, 2);
    base_p_little(out->chunk + 2, out->total, 8);
    base_p_put_block(out, 10);
    return out->error;
}
