/* ---- an access ---- */

/* Counts the deepest blocks, whose ages are not young. Returns how many are
   left to be counted. */
static FOOTPRINT_P_APART uint32_t footprint_p_shift_old(footprint *fp, uint32_t count) {
    const footprint_entry *top = fp->top;
    uint64_t next = fp->now + 1;
    for (; count > 0 && next - top[count - 1].time >= FOOTPRINT_P_YOUNG; count--)
        footprint_p_shifted_far(fp, count - 1, next - top[count - 1].time, 1);
    return count;
}

#define FOOTPRINT_P_UP(X) \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) \
    X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define FOOTPRINT_P_DOWN(X) \
    X(31) X(30) X(29) X(28) X(27) X(26) X(25) X(24) X(23) X(22) X(21) X(20) X(19) X(18) X(17) \
    X(16) X(15) X(14) X(13) X(12) X(11) X(10) X(9) X(8) X(7) X(6) X(5) X(4) X(3) X(2) X(1)

/* The block at place q moves on by one, in two instructions. `shifted` is the
   address of time 0. */
#define FOOTPRINT_P_DEEPER(q) \
    ++*(uint32_t *)(shifted + (uintptr_t)top[q].time * 4 + (q) * 4 * FOOTPRINT_P_YOUNG);
#define FOOTPRINT_P_DEEPER_CASE(q) FOOTPRINT_P_FALL case q: FOOTPRINT_P_DEEPER(q - 1)
/* The first `count` recent blocks move on. */
static FOOTPRINT_P_ALWAYS void footprint_p_shift(footprint *fp, const footprint_entry *top,
                                                 uint32_t count) {
    uint64_t next = fp->now + 1;
    uintptr_t shifted = FOOTPRINT_P_TIME_0(fp->shifted, FOOTPRINT_P_YOUNG, next);
    if (FOOTPRINT_P_UNLIKELY(next - top[count - 1].time >= FOOTPRINT_P_YOUNG))
        count = footprint_p_shift_old(fp, count);
    switch (count) {
        case 32: FOOTPRINT_P_DEEPER(31)
        FOOTPRINT_P_DOWN(FOOTPRINT_P_DEEPER_CASE)
        FOOTPRINT_P_FALL
        default: break;
    }
}

/* The block in top[0] is neither recent nor known: it is a new one. */
static FOOTPRINT_P_APART void footprint_p_push_new(footprint *fp) {
    footprint_p_new_block(fp);
    if (fp->marks < fp->mark_max && fp->tracked == footprint_p_low(fp->marks))
        footprint_p_add_mark(fp, footprint_p_next_live(fp->live, fp->bottom), fp->now);
}

static FOOTPRINT_P_APART void footprint_p_push(footprint *fp, uint64_t block, uint64_t hash) {
    footprint_entry *top = fp->top, *out;
    uint64_t out_hash, since;
    uint32_t q, p, s, bucket = footprint_p_bucket(fp, hash), marks, filled = fp->filled;
    FOOTPRINT_P_PREFETCH(&fp->slot[fp->index[bucket]]);
    if (filled) footprint_p_shift(fp, top, filled);
    if (FOOTPRINT_P_UNLIKELY(top == fp->ring)) {
        top = fp->ring + FOOTPRINT_P_RING;
        for (q = filled; q-- > 0; ) top[q] = fp->ring[q];
    }
    fp->top = --top;
    top->block = block;
    top->time = fp->now;
    ++*footprint_p_near(fp, hash);
    if (FOOTPRINT_P_UNLIKELY(filled < FOOTPRINT_P_T)) {
        fp->born[++fp->filled] = fp->now;
        footprint_p_new_block(fp);
        return;
    }
    out = top + FOOTPRINT_P_T;
    out_hash = footprint_p_hash(out->block);
    --*footprint_p_near(fp, out_hash);
    if (FOOTPRINT_P_UNLIKELY(fp->next == fp->slots)) {
        footprint_p_renumber(fp);
        bucket = footprint_p_bucket(fp, hash);
    }
    p = fp->index[footprint_p_find(fp, block, bucket)];
    since = fp->slot[p].time;
    if (since > fp->bursts.origin) {               /* it is live: see the invariants */
        footprint_p_gap_far(fp->gap, fp->columns, fp->now - since + 1, fp->sample_log2);
        footprint_p_unlink(fp, p);
    } else p = 1;
    bucket = footprint_p_find(fp, out->block, footprint_p_bucket(fp, out_hash));
    s = fp->next++;
    fp->slot[s] = *out;
    fp->live[s >> 6] |= UINT64_C(1) << (s & 63);
    fp->index[bucket] = s;
    if (fp->is_linked) fp->after[s] = s + 1;
    marks = footprint_p_count(fp, p);
    if (p > 1) footprint_p_depth(fp, marks + fp->depth_first, 1);
    else footprint_p_push_new(fp);
}

static FOOTPRINT_P_APART void footprint_p_change_far(footprint *fp, uint64_t block) {
    footprint_entry *top = fp->top, *entry;
    uint32_t q = 0;
    uint64_t y;
    while (q < fp->filled && top[q].block != block) q++;
    if (q == fp->filled) {
        footprint_p_push(fp, block, footprint_p_hash(block));
        return;
    }
    footprint_p_shift(fp, top, q);
    entry = top + q;
    y = fp->now - entry->time + 1;
    if (y >= FOOTPRINT_P_YOUNG) footprint_p_reused_far(fp, q, y, 1);
    else fp->reused[FOOTPRINT_P_REUSED(q, y)]++;
    for (; entry > top; entry--) entry[0] = entry[-1];
    top->block = block;
    top->time = fp->now;
}

/* The block is not at the top, and T blocks are recent. Only the branch that
   finds the block cannot be foreseen, and from there each step is four
   instructions. */
#define FOOTPRINT_P_FIND(q) \
    if (top[q].block == block) { \
        y = next - top[q].time; \
        if (FOOTPRINT_P_UNLIKELY(y >= FOOTPRINT_P_YOUNG)) goto older; \
        fp->reused[FOOTPRINT_P_REUSED(q, y)]++; \
        goto from_##q; \
    }
#define FOOTPRINT_P_STEP(q) from_##q: FOOTPRINT_P_DEEPER(q - 1) top[q] = top[q - 1];
static FOOTPRINT_P_APART void footprint_p_change(footprint *fp, uint64_t block) {
    footprint_entry *top = fp->top;
    uint64_t next = fp->now + 1, y, hash = footprint_p_hash(block);
    uintptr_t shifted = FOOTPRINT_P_TIME_0(fp->shifted, FOOTPRINT_P_YOUNG, next);
    if (*footprint_p_near(fp, hash)) {
        FOOTPRINT_P_UP(FOOTPRINT_P_FIND)
    }
    footprint_p_push(fp, block, hash);
    return;
older:
    footprint_p_change_far(fp, block);
    return;
    FOOTPRINT_P_DOWN(FOOTPRINT_P_STEP)
    top->block = block;
    top->time = next - 1;
}

static FOOTPRINT_P_ALWAYS void footprint_p_access_each(footprint *fp, const uint64_t *blocks,
                                                       size_t count, int ahead) {
    footprint_entry *top = fp->top;
    uint64_t first = top->block, now = fp->now, start = now, end = now + count;
    uint32_t *reused = fp->reused + FOOTPRINT_P_REUSED(1, 2);
    size_t swapped = 0, changed = 0;
    for (; now < end; now++) {
        const uint64_t *at = blocks + (size_t)(now - start);
        uint64_t block = *at;
        if (ahead && end - now > FOOTPRINT_P_AHEAD) {
            uint64_t soon = footprint_p_hash(at[FOOTPRINT_P_AHEAD / 2]);
            uint64_t later = footprint_p_hash(at[FOOTPRINT_P_AHEAD]);
            uint32_t s = fp->index[footprint_p_bucket(fp, soon)];
            FOOTPRINT_P_PREFETCH(&fp->index[footprint_p_bucket(fp, later)]);
            FOOTPRINT_P_PREFETCH(&fp->slot[s]);
        }
        if (block == first) continue;
        if (block == top[1].block && now - top[1].time < FOOTPRINT_P_YOUNG - 2) {
            reused[now - top[1].time]++;
            swapped++;
            top[1].block = first;
            top[1].time = now;
            top->block = first = block;
            continue;
        }
        top->time = now;
        fp->now = now + 1;
        changed++;
        footprint_p_change(fp, block);
        top = fp->top;
        first = block;
    }
    top->time = fp->now = now;
    fp->shifted[FOOTPRINT_P_AT(0, 2)] += (uint32_t)swapped;
    fp->repeats += count - swapped - changed;
}

/* ---- entries ---- */

/* Does what is due before an access. Returns 0 if the access has been dealt
   with. */
static void footprint_p_thin(footprint *fp);
static FOOTPRINT_P_APART int footprint_p_wake(footprint *fp, uint64_t block) {
    if (fp->now >= fp->end) {
        fp->lost = footprint_p_sat_add(fp->lost, 1);
        fp->flags |= FOOTPRINT_ENDED;
        return 0;
    }
    if (fp->now >= fp->folded) {
        footprint_p_fold(fp);
        fp->folded = fp->now + FOOTPRINT_P_FOLD;
    }
    if (fp->is_overfull) footprint_p_thin(fp);
    fp->wake = fp->folded < fp->end ? fp->folded : fp->end;
    if (fp->sample_log2 || fp->filled < FOOTPRINT_P_T) fp->wake = 0;
    fp->is_followed = fp->sample_log2 == 0 || !footprint_p_left_out(fp->sample_log2, block);
    if (!fp->is_followed) {
        fp->now++;
        return 0;
    }
    if (fp->filled && fp->top->block == block) {           /* there may be accesses in between */
        footprint_access_repeat(fp, 1);
        return 0;
    }
    fp->sampled++;
    if (fp->filled == FOOTPRINT_P_T) return 1;
    fp->now++;
    footprint_p_change_far(fp, block);
    return 0;
}

FOOTPRINT_API void footprint_access(footprint *fp, uint64_t block) {
    if (FOOTPRINT_P_UNLIKELY(fp->now >= fp->wake) && !footprint_p_wake(fp, block)) return;
    fp->now++;
    if (fp->top->block != block) {
        footprint_p_change(fp, block);
        return;
    }
    fp->top->time = fp->now;
    fp->repeats++;
}

FOOTPRINT_API void footprint_access_many(footprint *fp, const uint64_t *blocks, size_t count) {
    const uint64_t *end = blocks + count;
    int ahead = fp->blocks_bytes > FOOTPRINT_P_LARGE;
    FOOTPRINT_ASSERT(blocks != NULL || count == 0);
    while (blocks < end) {
        size_t most = (size_t)(end - blocks) < 1024 ? (size_t)(end - blocks) : 1024;
        uint32_t next = fp->next;
        if (fp->now >= fp->wake || next == fp->slots) {
            footprint_access(fp, *blocks++);
            continue;
        }
        if (most > fp->wake - fp->now) most = (size_t)(fp->wake - fp->now);
        if (most > fp->slots - next) most = fp->slots - next;
        if (ahead) footprint_p_access_each(fp, blocks, most, 1);
        else footprint_p_access_each(fp, blocks, most, 0);
        blocks += most;
        /* Asking ahead pays where there are many misses. Renumbering looks like
           many. */
        ahead = fp->blocks_bytes > FOOTPRINT_P_LARGE && fp->next - next > 128;
    }
}

FOOTPRINT_API void footprint_access_repeat(footprint *fp, uint64_t count) {
    uint64_t most = fp->end - fp->now;
    if (fp->now == fp->bursts.origin) return;
    if (count > most) {
        fp->flags |= FOOTPRINT_ENDED;
        fp->lost = footprint_p_sat_add(fp->lost, count - most);
        count = most;
    }
    fp->now += count;
    if (!fp->is_followed) return;
    if (fp->sample_log2 && count) {
        footprint_p_reused_far(fp, 0, fp->now - count - fp->top->time + 2, 1);
        footprint_p_reused_far(fp, 0, 2, count - 1);
        fp->sampled += count;
    }
    fp->top->time = fp->now;
    fp->repeats += count;
}

FOOTPRINT_API void footprint_reference(footprint *fp, const void *address, size_t bytes) {
    uint64_t block = (uint64_t)(uintptr_t)address >> fp->config.block_log2;
    uint64_t last = footprint_p_last_block(address, bytes, fp->config.block_log2);
    for (; block < last; block++) footprint_access(fp, block);
    footprint_access(fp, last);
}
