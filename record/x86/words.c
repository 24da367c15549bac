/* ---- words and addresses ---- */

static uint32_t x86_p_u32(const void *p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

static uint64_t x86_p_address(const void *p) {
    return (uint64_t)(uintptr_t)p;
}
static const uint8_t *x86_p_at(uint64_t address) {
    return (const uint8_t *)(uintptr_t)address;
}

static int32_t x86_p_s32(const void *p) {
    return (int32_t)x86_p_u32(p);
}
static uint64_t x86_p_u64(const void *p) {
    uint64_t value;
    memcpy(&value, p, 8);
    return value;
}

static uint64_t x86_p_uleb(const uint8_t **p) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *(*p)++;
        if (shift < 64) value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && shift < 80);
    return value;
}

static int64_t x86_p_sleb(const uint8_t **p) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *(*p)++;
        if (shift < 64) value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && shift < 80);
    if (shift < 64 && byte & 64) value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}
