/* ---- room near the code ---- */

static int binpatch_p_reaches(uint64_t a, uint64_t b) {
    uint64_t far = a > b ? a - b : b - a;
    return far < INT32_MAX - 2 * (uint64_t)BINPATCH_P_BLOCK;
}

static uint64_t binpatch_p_map(uint64_t at, uint64_t bytes, unsigned protection) {
    /* private, anonymous; at a fixed place, but over nothing else */
    long got = binpatch_p_call(BINPATCH_P_MMAP, at, bytes, protection,
                               at ? 0x100022 : 0x22, ~UINT64_C(0), 0);
    if (got < 0 && got > -4096) return 0;
    if (at && (uint64_t)got != at) { /* a kernel before 4.17 takes it for a wish */
        (void)binpatch_p_call(BINPATCH_P_MUNMAP, (uint64_t)got, bytes, 0, 0, 0, 0);
        return 0;
    }
    return (uint64_t)got;
}

/* The free place for a block that is nearest to `at`, and directly below a
   mapping; 0: none within reach. */
static uint64_t binpatch_p_gap(uint64_t at) {
    binpatch_p_file f;
    binpatch_p_mapping m;
    uint64_t end = 65536, best = 0;
    if (binpatch_p_open(&f, "/proc/self/maps") != 0) return 0;
    while (binpatch_p_next_mapping(&f, &m)) {
        if (!m.is_stack && m.lo >= end + BINPATCH_P_BLOCK) { /* a stack grows down */
            uint64_t place = m.lo - BINPATCH_P_BLOCK;
            if (binpatch_p_reaches(place, at)
                && (!best
                    || (place > at ? place - at : at - place)
                           < (best > at ? best - at : at - best))) {
                best = place;
            }
        }
        end = m.hi;
    }
    binpatch_p_close(&f);
    return best;
}

/* The number of a block near the code that has room for a stub, or -1. It is
   writable then. */
static int binpatch_p_block(uint64_t at) {
    uint32_t n;
    uint64_t base;
    for (n = 0; n < binpatch_p.block_count; n++) {
        base = binpatch_p.blocks[n].base;
        if (binpatch_p_reaches(base, at)
            && binpatch_p.blocks[n].used + BINPATCH_P_STUB <= BINPATCH_P_BLOCK) {
            return binpatch_p_protect(base, base + BINPATCH_P_BLOCK, 7) == 0 ? (int)n
                                                                             : -1;
        }
    }
    if (n == BINPATCH_P_BLOCKS || !(base = binpatch_p_gap(at))
        || !(base = binpatch_p_map(base, BINPATCH_P_BLOCK, 7))) {
        return -1;
    }
    {
        binpatch_p_mover m
            = binpatch_p_moving((void *)(uintptr_t)base, BINPATCH_P_COMMON, base);
        binpatch_p_emit_common(&m, binpatch_p_entered, 0);
    }
    binpatch_p.blocks[n].base = base;
    binpatch_p.blocks[n].used = BINPATCH_P_COMMON;
    binpatch_p.block_count++;
    return (int)n;
}

static void binpatch_p_seal(uint64_t at, uint64_t bytes) {
    (void)binpatch_p_protect(at, at + bytes, BINPATCH_P_CODE);
}
