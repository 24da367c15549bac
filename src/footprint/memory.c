/* ---- memory layout ---- */

enum {
    FOOTPRINT_P_T = 32,              /* recent blocks; the low end of a bin */
    FOOTPRINT_P_GROUP = 4,           /* G: marks that share a slack */
    FOOTPRINT_P_YOUNG = 512,         /* ages below it are counted one by one */
    FOOTPRINT_P_MARK_YOUNG = 1024,   /* the same for the marks of low ends below it */
    FOOTPRINT_P_RING = 128           /* misses until `recent` is copied to the ring's end */
};
#define FOOTPRINT_P_FOLD UINT64_C(0x80000000)      /* accesses until 32-bit counters are emptied */

typedef struct footprint_p_mark {
    uint64_t since, low, high, from, moved;        /* but for since: see "marks without slack" */
    uint64_t born;
    uint32_t row, cell;              /* indices of cells; cell: the bin low .. high */
} footprint_p_mark;
/* sum and square apart: side by side, gcc adds to both at once, which takes
   four instructions more. */
typedef struct footprint_p_moment { uint64_t sum, count, square; } footprint_p_moment;

/* F of mark j: the low end of a bin. */
static uint64_t footprint_p_low(uint32_t j) {
    return footprint_bin_low(footprint_bin(FOOTPRINT_P_T) + 1 + j);
}

/* Its slack: see "marks". */
static uint64_t footprint_p_slack(const footprint *fp, uint32_t j) {
    uint64_t less = footprint_p_low(j) - 1;
    return fp->config.c >= 1 ? 0 : (uint64_t)((double)less / fp->config.c + 1e-9) - less;
}

/* Lays the blocks out from base on. If base is NULL it only returns how many
   bytes they take. */
#define FOOTPRINT_P_TAKE(field, type, count) \
    fp->field = (type *)footprint_p_take(base, &at, (count), sizeof(type))
static uint64_t footprint_p_layout_blocks(footprint *fp, unsigned char *base, uint32_t slots) {
    uint64_t at = 0;
    fp->slots = slots;
    fp->cap = slots - slots / 4;
    fp->buckets = slots + slots / 4;
    FOOTPRINT_P_TAKE(slot, footprint_entry, slots + UINT64_C(1));  /* one in reserve: thinning */
    FOOTPRINT_P_TAKE(index, uint32_t, fp->buckets);
    FOOTPRINT_P_TAKE(live, uint64_t, slots / 64 + 2);
    FOOTPRINT_P_TAKE(after, uint32_t, fp->is_linked ? slots + UINT64_C(2) : 0);
    fp->blocks_bytes = (size_t)at;
    return at;
}

/* The same for the tables. Their size depends on the most slots there can ever
   be. */
static uint64_t footprint_p_layout_tables(footprint *fp, unsigned char *base, uint32_t slots) {
    const uint32_t T = FOOTPRINT_P_T, low = footprint_bin(T), columns = fp->columns;
    uint32_t marks, young;
    uint64_t at = 0, rows, cells;
    int forget = (fp->flags & FOOTPRINT_FORGET) != 0;
    marks = footprint_bin(forget ? (uint64_t)slots - slots / 4 + T - 1 : (uint64_t)slots + T) - low;
    if (marks > columns - 1 - low) marks = columns - 1 - low;   /* no window has so many blocks */
    young = footprint_bin(FOOTPRINT_P_MARK_YOUNG) - 1 - low;
    if (young > marks) young = marks;
    rows = low + marks + 1 + 8 * fp->config.sample_log2 + (forget ? 0u : 64u);  /* to 2^-8 */
    cells = low + 1 + (uint64_t)marks * (columns - low - 1);
    cells -= (uint64_t)marks * (marks ? marks - 1 : 0) / 2;
    fp->mark_max = marks;
    fp->mark_young = young;
    fp->rows = (uint32_t)rows;
    fp->cell_count = (size_t)cells;
    FOOTPRINT_P_TAKE(gap, footprint_p_gap, columns + 1);
    FOOTPRINT_P_TAKE(scratch, footprint_p_moment, columns + 1);
    FOOTPRINT_P_TAKE(ring, footprint_entry, FOOTPRINT_P_RING + T + 4);
    FOOTPRINT_P_TAKE(shifted, uint32_t, T * FOOTPRINT_P_YOUNG);
    FOOTPRINT_P_TAKE(reused, uint32_t, T * FOOTPRINT_P_YOUNG);
    FOOTPRINT_P_TAKE(events, footprint_p_moment, (T + 2) * (uint64_t)columns);
    FOOTPRINT_P_TAKE(born, uint64_t, T + 1);
    FOOTPRINT_P_TAKE(depth, uint64_t, rows);
    at = footprint_p_layout_bursts(&fp->bursts, base, at, fp->flags, fp->rows, columns);
    FOOTPRINT_P_TAKE(before, uint64_t, forget ? 0u : rows * columns);
    FOOTPRINT_P_TAKE(place, uint32_t, marks + 16);
    FOOTPRINT_P_TAKE(cut, uint32_t, marks + 16);
    FOOTPRINT_P_TAKE(lead, uint32_t, marks / FOOTPRINT_P_GROUP + 33);
    FOOTPRINT_P_TAKE(pending, uint32_t, marks / FOOTPRINT_P_GROUP + 33);
    FOOTPRINT_P_TAKE(slack, uint32_t, marks / FOOTPRINT_P_GROUP + 33);
    FOOTPRINT_P_TAKE(mark, footprint_p_mark, marks);
    FOOTPRINT_P_TAKE(young, int32_t, (uint64_t)young * FOOTPRINT_P_MARK_YOUNG);
    FOOTPRINT_P_TAKE(cells, footprint_p_moment, cells);
    fp->table_bytes = (size_t)at;
    return at;
}

static uint64_t footprint_p_measure(footprint *fp, uint32_t slots) {
    return footprint_p_layout_tables(fp, NULL, slots) + footprint_p_layout_blocks(fp, NULL, slots);
}

static uint32_t footprint_p_start(footprint *fp, void *tables, uint32_t most, void *blocks,
                                  uint32_t slots) {
    footprint_p_layout_tables(fp, (unsigned char *)tables, most);
    footprint_p_layout_blocks(fp, (unsigned char *)blocks, slots);
    footprint_p_zero(tables, fp->table_bytes);
    footprint_p_zero(blocks, fp->blocks_bytes);
    fp->top = fp->ring + FOOTPRINT_P_RING;
    if (fp->is_linked) fp->after[fp->bottom] = fp->next;
    return fp->cap;
}

static void footprint_p_configure(footprint *fp, const footprint_config *config) {
    footprint_p_zero(fp, sizeof *fp);
    fp->end = footprint_p_settings(&fp->config, config, &fp->columns);
    fp->flags = fp->config.flags & (FOOTPRINT_FORGET | FOOTPRINT_BURSTS);
    fp->sample_log2 = fp->config.sample_log2;
    fp->depth_first = footprint_bin((uint64_t)FOOTPRINT_P_T << fp->sample_log2);
    fp->next = 2;
    fp->bottom = 1;
    fp->is_followed = 1;
    fp->is_linked = footprint_p_slack(fp, 0) == 0;
    fp->is_fast = (uint32_t)footprint_p_is_fast();
    fp->folded = FOOTPRINT_P_FOLD < fp->end ? FOOTPRINT_P_FOLD : fp->end;
}

FOOTPRINT_API size_t footprint_bytes(const footprint_config *config, uint32_t blocks) {
    footprint fp;
    uint64_t bytes;
    footprint_p_configure(&fp, config);
    bytes = footprint_p_measure(&fp, footprint_p_slots(&fp.config, blocks)) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes,
                                      const footprint_config *config) {
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, room;
    unsigned char *base = (unsigned char *)memory + skip;
    uint32_t slots = 64, step, most;
    footprint_p_configure(fp, config);
    fp->config.alloc = NULL;
    most = footprint_p_slots(&fp->config, UINT64_MAX);
    room = memory != NULL && bytes > skip ? bytes - skip : 0;
    if (footprint_p_measure(fp, slots) > room) {
        footprint_p_zero(fp, sizeof *fp);
        return 0;
    }
    for (step = UINT32_C(1) << 30; step; step /= 2) {
        if (step <= most - slots && footprint_p_measure(fp, slots + step) <= room) slots += step;
    }
    footprint_p_measure(fp, slots);
    return footprint_p_start(fp, base, slots, base + fp->table_bytes, slots);
}

FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config) {
    uint32_t most, slots;
    footprint_p_configure(fp, config);
    most = footprint_p_slots(&fp->config, UINT64_MAX);
    slots = footprint_p_slots(&fp->config, FOOTPRINT_P_FIRST);
    footprint_p_layout_tables(fp, NULL, most);
    footprint_p_layout_blocks(fp, NULL, slots);
    if (fp->config.alloc) {
        fp->tables = fp->config.alloc(fp->config.user, fp->table_bytes);
        fp->blocks = fp->config.alloc(fp->config.user, fp->blocks_bytes);
    }
    if (fp->tables && fp->blocks)
        return footprint_p_start(fp, fp->tables, most, fp->blocks, slots);
    footprint_close(fp);
    return 0;
}

FOOTPRINT_API void footprint_close(footprint *fp) {
    if (fp->tables && fp->config.release) fp->config.release(fp->config.user, fp->tables);
    if (fp->blocks && fp->config.release) fp->config.release(fp->config.user, fp->blocks);
    footprint_p_zero(fp, sizeof *fp);
}

static void footprint_p_grow(footprint *fp, uint64_t slots) {
    footprint old = *fp;
    uint64_t most = footprint_p_slots(&fp->config, UINT64_MAX);
    if (slots > most) slots = most;
    if (slots <= fp->slots || !fp->config.alloc || fp->flags & FOOTPRINT_FULL) return;
    footprint_p_layout_blocks(fp, NULL, (uint32_t)slots);
    fp->blocks = fp->config.alloc(fp->config.user, fp->blocks_bytes);
    if (!fp->blocks) {
        *fp = old;
        return;
    }
    footprint_p_layout_blocks(fp, (unsigned char *)fp->blocks, (uint32_t)slots);
    footprint_p_copy(fp->slot, old.slot, old.next * sizeof *fp->slot);
    footprint_p_zero(fp->live, (fp->slots / 64 + 2) * sizeof *fp->live);
    footprint_p_copy(fp->live, old.live, (old.slots / 64 + 2) * sizeof *fp->live);
    if (fp->config.release) fp->config.release(fp->config.user, old.blocks);
}
