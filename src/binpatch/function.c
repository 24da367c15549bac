/* ---- the function: where it ends, what would be displaced ---- */

/* An executable or library begins with its program headers in memory. One of
   them leads to .eh_frame_hdr: for each function a pair of distances, in rising
   order, to its code and to what tells its length. */

typedef struct binpatch_p_place {
    binpatch_p_mapping m; /* of an address */
    uint64_t text_lo, text_hi;
    uint64_t base, base_bytes; /* its file's first mapping; 0: no file begins there */
} binpatch_p_place;

static uint64_t binpatch_p_read(uint64_t address, unsigned bytes) {
    const uint8_t *p = (const uint8_t *)(uintptr_t)address;
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | p[bytes];
    return value;
}

static uint64_t binpatch_p_signed(uint64_t address) {
    typedef int32_t __attribute__((aligned(1), may_alias)) anywhere;
    return (uint64_t)(int64_t)*(const anywhere *)(uintptr_t)address;
}

/* Code of one file may stand in several mappings that touch: pages that were
   written are told apart. text_lo, text_hi: all of them. Returns 0; 1: there is no
   such mapping; -1: they cannot be read. */
static int binpatch_p_find(uint64_t address, binpatch_p_place *out) {
    binpatch_p_file f;
    binpatch_p_mapping m, first;
    uint64_t lo = 0, hi = 0, device = 0, inode = 0;
    int found = 0;
    first.lo = first.hi = first.device = first.inode = 0;
    if (binpatch_p_open(&f, "/proc/self/maps") != 0) return -1;
    while (binpatch_p_next_mapping(&f, &m)) {
        int is_code = (m.protection & BINPATCH_P_CODE) == BINPATCH_P_CODE;
        int goes_on = is_code && m.lo == hi && m.device == device && m.inode == inode;
        if (found && !goes_on) break;
        if (m.offset == 0 && m.inode && m.protection & BINPATCH_P_R) first = m;
        if (!goes_on) lo = m.lo;
        hi = is_code ? m.hi : 0;
        device = m.device;
        inode = m.inode;
        if (found || (address >= m.lo && address < m.hi)) {
            if (!found) {
                out->m = m;
                out->base = m.inode && m.inode == first.inode && m.device == first.device
                                ? first.lo
                                : 0;
                out->base_bytes = first.hi - first.lo;
            }
            found = 1;
            out->text_lo = lo;
            out->text_hi = m.hi;
        }
    }
    binpatch_p_close(&f);
    return !found;
}

/* The range in the table of unwind information that holds the address. */
static int binpatch_p_range(const binpatch_p_place *where, uint64_t address, uint64_t *lo,
                            uint64_t *hi) {
    uint64_t base = where->base, header = 0, bias = base, table, low = 0, high, at, begin;
    uint64_t headers, n, count;
    if (!base || binpatch_p_read(base, 4) != 0x464C457F) return -1;
    headers = base + binpatch_p_read(base + 32, 8);
    count = binpatch_p_read(base + 56, 2);
    if (headers - base + count * 56 > where->base_bytes) return -1;
    for (n = 0; n < count; n++) {
        uint64_t h = headers + n * 56, type = binpatch_p_read(h, 4);
        if (type == 1 && binpatch_p_read(h + 8, 8) == 0)
            bias = base - binpatch_p_read(h + 16, 8);
        if (type == 0x6474E550) header = binpatch_p_read(h + 16, 8);
    }
    if (!header) return -1;
    header += bias;
    /* version 1; .eh_frame by 4 bytes; their count; pairs of 4 bytes from the header */
    if (binpatch_p_read(header, 1) != 1 || (binpatch_p_read(header + 1, 1) & 15) % 8 != 3
        || binpatch_p_read(header + 2, 2) != 0x3B03) {
        return -1;
    }
    table = header + 12;
    high = binpatch_p_read(header + 8, 4);
    while (low < high) { /* pairs before low begin at the address or before it */
        uint64_t middle = low + (high - low) / 2;
        if (header + binpatch_p_signed(table + middle * 8) <= address) low = middle + 1;
        else high = middle;
    }
    if (low == 0) return -1;
    begin = header + binpatch_p_signed(table + (low - 1) * 8);
    at = header + binpatch_p_signed(table + (low - 1) * 8 + 4)
         + 8; /* behind length and CIE */
    *lo = begin;
    if (at + binpatch_p_signed(at) == begin) *hi = begin + binpatch_p_read(at + 4, 4);
    else if (binpatch_p_read(at, 8) == begin) *hi = begin + binpatch_p_read(at + 8, 8);
    else return -1;
    return address < *hi ? 0 : -1;
}

typedef struct binpatch_p_target {
    uint64_t lo, hi;       /* the function */
    uint64_t end;          /* of the displaced bytes */
    uint32_t instructions; /* that are displaced */
    int calls;             /* the last one calls */
} binpatch_p_target;

static const uint8_t *binpatch_p_code(uint64_t address) {
    return (const uint8_t *)(uintptr_t)address;
}

/* Are these bytes the distance of a jump or call? The byte before must fit, and
   then the code decides, read from the start of its function. */
static int binpatch_p_is_distance(const binpatch_p_place *where, uint64_t at,
                                  unsigned bytes) {
    const uint8_t *p = binpatch_p_code(at);
    uint64_t lo, hi;
    x86decode_insn i;
    if (bytes == 4) {
        if (p[-1] != 0xE8 && p[-1] != 0xE9 && (p[-2] != 0x0F || (p[-1] & 0xF0) != 0x80))
            return 0;
    } else if (p[-1] != 0xEB && (p[-1] & 0xF0) != 0x70 && (p[-1] & 0xFC) != 0xE0)
        return 0;
    if (binpatch_p_range(where, at, &lo, &hi) != 0) return 1;
    while (lo <= at) {
        if (!x86decode(binpatch_p_code(lo), (size_t)(hi - lo), &i)) return 1;
        lo += i.length;
        if (lo == at + bytes)
            return i.immediate_size == bytes && i.kind != X86DECODE_PLAIN;
    }
    return 0;
}

/* Does any code of the module jump between the displaced instructions? Parts of
   the function may stand elsewhere (.cold), and assembly has several entries. */
static int binpatch_p_is_entered(const binpatch_p_place *where,
                                 const binpatch_p_target *t) {
    uint64_t inside = t->lo + 1, bytes = t->end - inside, at;
    uint64_t near_lo = t->lo - 128, near_hi = t->end + 128;
    if (t->instructions == 1) return 0;
    for (at = where->text_lo + 2; at + 4 <= where->text_hi; at++) {
        if (at + 4 + binpatch_p_signed(at) - inside < bytes
            && binpatch_p_is_distance(where, at, 4)) {
            return 1;
        }
    }
    if (near_lo < where->text_lo + 2) near_lo = where->text_lo + 2;
    if (near_hi > where->text_hi) near_hi = where->text_hi;
    for (at = near_lo; at < near_hi; at++) {
        uint64_t to = at + 1 + (uint64_t)(int64_t)(int8_t)*binpatch_p_code(at);
        if (to - inside < bytes && binpatch_p_is_distance(where, at, 1)) return 1;
    }
    return 0;
}

/* The function itself must be known whole, and not jump who knows where. */
static int binpatch_p_look(const binpatch_p_target *t) {
    uint64_t at;
    x86decode_insn i;
    for (at = t->lo; at < t->hi; at += i.length) {
        if (!x86decode(binpatch_p_code(at), (size_t)(t->hi - at), &i))
            return BINPATCH_UNKNOWN;
        if (i.kind == X86DECODE_JUMP_INDIRECT && t->instructions > 1
            && !(i.memory && i.base == X86DECODE_RIP)) {
            return BINPATCH_INDIRECT;
        }
    }
    return 0;
}

/* Returns 0 and fills in t, or the reason why nothing is displaced there. */
static int binpatch_p_judge(uint64_t function, size_t bytes,
                            const binpatch_p_place *where, binpatch_p_target *t) {
    x86decode_insn i;
    uint64_t lo = 0, limit = where->text_hi - function;
    int reason, leaves = 0;
    t->lo = t->end = function;
    t->hi = 0;
    t->instructions = 0;
    if (bytes) t->hi = function + (bytes < limit ? bytes : limit);
    else if (binpatch_p_range(where, function, &lo, &t->hi) != 0 || lo != function)
        t->hi = 0;
    do {
        uint64_t room = (t->hi ? t->hi : where->text_hi) - t->end;
        if (t->hi && room == 0) return BINPATCH_SHORT;
        if (!t->hi && leaves) return BINPATCH_NO_END;
        if (!x86decode(binpatch_p_code(t->end), (size_t)room, &i))
            return BINPATCH_UNKNOWN;
        t->end += i.length;
        t->instructions++;
        leaves = i.kind == X86DECODE_JUMP || i.kind == X86DECODE_RETURN
                 || i.kind == X86DECODE_JUMP_INDIRECT || i.kind == X86DECODE_TRAP;
        t->calls = i.kind == X86DECODE_CALL || i.kind == X86DECODE_CALL_INDIRECT;
    } while (t->end < function + 5);
    /* No table has the stubs of the PLT. A stub is the code that leads to its jump. */
    if (!t->hi && leaves) t->hi = t->end;
    if (!t->hi) return BINPATCH_NO_END;
    reason = binpatch_p_look(t);
    return reason ? reason : binpatch_p_is_entered(where, t) ? BINPATCH_INSIDE : 0;
}
