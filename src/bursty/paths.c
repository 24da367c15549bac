/* ---- the tree of paths ---- */

#if BURSTY_P_TICKS

/* row 1 | main          row 2 | main > update     row 3 | main > update > collide     row 4 | ...
           parent 0              parent 1                  parent 2

   A row is one path of scopes on one thread: key (site, parent, thread). Rows
   are found by open addressing and claimed by compare-and-swap, as in
   bursty.h's hot table: index holds a row's number, or 0. Invariant: a row is
   written by its thread alone, or by the watcher alone, its parent has a
   smaller number, and a row in the index never moves. So a handler never waits,
   wherever it interrupts. */

/* Counts are 64-bit where such a load is atomic. Elsewhere they are 32-bit, and
   saturate: that is more than a year of ticks. */
#if UINTPTR_MAX > UINT32_MAX
typedef uint64_t bursty_p_tick_count;
#define BURSTY_P_TICK_MOST UINT64_MAX
#else
typedef uint32_t bursty_p_tick_count;
#define BURSTY_P_TICK_MOST UINT32_MAX
#endif

enum { BURSTY_P_TICK_COUNT, BURSTY_P_TICK_SLOW, BURSTY_P_TICK_SQUARES, BURSTY_P_TICK_WRITTEN,
#ifdef BURSTY_P_WATCHER
       BURSTY_P_TICK_WAITING = BURSTY_P_TICK_WRITTEN, BURSTY_P_TICK_SUMS
#else
       BURSTY_P_TICK_SUMS = BURSTY_P_TICK_WRITTEN
#endif
};

typedef struct bursty_p_tick_row {
    const bursty_site *site;
    /* count, of these in the slow path, sum of squares of n; looks that found
       it waiting */
    bursty_p_tick_count sum[BURSTY_P_TICK_SUMS];
    uint32_t parent, thread;         /* parent: a row's number, or 0                          */
    uint32_t order;                  /* among the rows of its thread, from 0                  */
} bursty_p_tick_row;

static const bursty_site bursty_p_outside = { "(outside)", "", 0, BURSTY_CALL | BURSTY_FRAME };
static struct {
    uint32_t on; /* 0: no tick is charged; 1: it is; 2: paused */
    bursty_p_tick_row *rows;
    uint32_t *index;
    uint32_t row_room, row_count, index_mask, period_us;
    bursty_p_tick_count lost, cut, late, untimed, astray;
    uint32_t fold;
    uint32_t usual; /* what a look counts for that nothing has made rarer or more frequent */
#ifdef BURSTY_P_WATCHER
    uint32_t is_watched;
#endif
#ifdef BURSTY_P_TICKER
    uint32_t is_sent; /* the watcher's thread sends ticks */
#endif
} bursty_p_ticks;

/* Does the watcher look, and nobody else charge? */
#ifdef BURSTY_P_WATCHER
#define BURSTY_P_IS_WATCHED bursty_p_ticks.is_watched
#else
#define BURSTY_P_IS_WATCHED 0u
#endif

/* Does it send ticks? */
#ifdef BURSTY_P_TICKER
#define BURSTY_P_IS_SENT bursty_p_ticks.is_sent
#else
#define BURSTY_P_IS_SENT 0u
#endif

/* Takes `bytes` of memory for rows and index. Returns how many it needs: all,
   or 0 if that is too little for 4 rows. */
static size_t bursty_p_lay_out_paths(unsigned char *memory, size_t bytes) {
    size_t rows, slots = bursty_p_divide(bytes, sizeof(bursty_p_tick_row), &rows);
    bursty_p_ticks.row_room = bursty_p_ticks.row_count = 0;
    if (rows < 4) return 0;
    bursty_p_ticks.rows = (bursty_p_tick_row *)(void *)memory;
    bursty_p_ticks.index = (uint32_t *)(void *)(bursty_p_ticks.rows + rows);
    bursty_p_ticks.row_room = (uint32_t)rows;
    bursty_p_ticks.index_mask = (uint32_t)slots - 1;
    return bytes;
}

static void bursty_p_zero_paths(void) {
    const size_t slots = (size_t)bursty_p_ticks.index_mask + 1;
    if (!bursty_p_ticks.rows) return;
    bursty_p_zero(bursty_p_ticks.rows, bursty_p_ticks.row_count * sizeof(bursty_p_tick_row));
    bursty_p_zero(bursty_p_ticks.index, slots * 4);
    bursty_p_ticks.rows = NULL;
    bursty_p_ticks.row_count = bursty_p_ticks.row_room = 0;
}

/* For a count with one writer. */
static void bursty_p_tick_add(bursty_p_tick_count *c, bursty_p_tick_count v) {
    bursty_p_tick_count sum = BURSTY_P_ACQUIRE(c) + v;
    BURSTY_P_RELEASE(c, sum < v ? BURSTY_P_TICK_MOST : sum);
}

static bursty_p_tick_count bursty_p_tick_square(uint32_t n) {
#if UINTPTR_MAX > UINT32_MAX
    return (uint64_t)n * n;
#else
    return n > UINT16_MAX ? BURSTY_P_TICK_MOST : n * n;
#endif
}

/* For a count with several. Returns what it was. */
static bursty_p_tick_count bursty_p_tick_add_shared(bursty_p_tick_count *c, uint32_t v) {
#if defined(BURSTY_NO_TLS)
    const bursty_p_tick_count before = *c;
    bursty_p_tick_add(c, v);
    return before;
#elif defined(BURSTY_P_MSVC) && UINTPTR_MAX > UINT32_MAX
    return (bursty_p_tick_count)_InterlockedExchangeAdd64((volatile long long *)c, (long long)v);
#elif defined(BURSTY_P_MSVC)
    return (bursty_p_tick_count)_InterlockedExchangeAdd((volatile long *)c, (long)v);
#else
    return __atomic_fetch_add(c, v, __ATOMIC_RELAXED);
#endif
}

static uint32_t bursty_p_tick_claim(void) {
    uint32_t count;
    do {
        count = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
        if (count >= bursty_p_ticks.row_room) return 0;
    } while (!bursty_p_cas(&bursty_p_ticks.row_count, count, count + 1));
    return count + 1;
}

/* The number of the row (site, parent, thread), made at first sight; 0 if the
   table is full. */
static uint32_t bursty_p_tick_child(const bursty_site *site, uint32_t parent, uint32_t thread) {
    uint32_t h = (uint32_t)((uintptr_t)site >> 3) * UINT32_C(0x9E3779B1), fresh = 0, number;
    h = (h ^ h >> 15 ^ parent) * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 13 ^ thread) * UINT32_C(0xC2B2AE35);
    for (h ^= h >> 16;; h++) {
        uint32_t *slot = &bursty_p_ticks.index[h & bursty_p_ticks.index_mask];
        const bursty_p_tick_row *row;
        number = BURSTY_P_ACQUIRE(slot);
        if (number == 0) {
            if (!fresh) {
                bursty_p_tick_row *made;
                fresh = bursty_p_tick_claim();
                if (!fresh) return 0;
                made = &bursty_p_ticks.rows[fresh - 1];
                made->parent = parent;
                made->order = BURSTY_P_MOST == 1 ? fresh - 1 : bursty_p_all.threads[thread - 1].paths++;
                made->thread = thread;
                BURSTY_P_RELEASE(&made->site, site);
            }
            if (bursty_p_cas(slot, 0, fresh)) return fresh;
            number = BURSTY_P_ACQUIRE(slot);
        }
        row = &bursty_p_ticks.rows[number - 1];
        if (row->site == site && row->parent == parent && row->thread == thread) return number;
    }
}

#if BURSTY_STACK > 0
/* The row that a scope below row goes back to, as recursion is folded; 0:
   none. */
static uint32_t bursty_p_tick_folds(const bursty_site *site, uint32_t row) {
    uint32_t k;
    for (k = 0; k < bursty_p_ticks.fold && row; k++) {
        if (bursty_p_ticks.rows[row - 1].site == site) return row;
        row = bursty_p_ticks.rows[row - 1].parent;
    }
    return 0;
}
#endif

/* The row of a thread's path: of depth scopes, the first of which stand in
   stack, and of `inner` if that is not NULL. n ticks are to be charged to it:
   where the table is full it is a scope further out, or 0, and they are
   counted. */
static uint32_t bursty_p_tick_place(uint32_t thread, uint32_t depth,
                                    const bursty_site *const volatile *stack,
                                    const bursty_site *inner, uint32_t n) {
    uint32_t row = 0, next = 0;
#if BURSTY_STACK > 0
    uint32_t i;
#endif
    if (depth == 0) row = next = bursty_p_tick_child(&bursty_p_outside, 0, thread);
#if BURSTY_STACK > 0
    for (i = 0; i < depth && i < BURSTY_STACK; i++) {
        const bursty_site *site = stack[i];
        next = bursty_p_tick_folds(site, row);
        if (!next) next = bursty_p_tick_child(site, row, thread);
        if (!next) break;
        row = next;
    }
    if (inner && depth < BURSTY_STACK && next) {
        uint32_t outer = depth ? row : 0;
        next = bursty_p_tick_folds(inner, outer);
        if (!next) next = bursty_p_tick_child(inner, outer, thread);
        if (next) row = next;
    }
    depth = depth > BURSTY_STACK && next;
#else
    (void)stack;
    (void)inner;
#endif
    if (depth && next == row) next = bursty_p_tick_child(&bursty_p_deep_site, row, thread);
    if (next) row = next;
    if (!next) bursty_p_tick_add_shared(row ? &bursty_p_ticks.cut : &bursty_p_ticks.lost, n);
    return row;
}

#ifdef BURSTY_P_AXIS
static void bursty_p_axis_tick(uint32_t row, uint32_t n);
#endif
static void bursty_p_tick_charge_row(uint32_t row, uint32_t n, int is_slow) {
    bursty_p_tick_count *sum = bursty_p_ticks.rows[row - 1].sum;
    bursty_p_tick_add(&sum[BURSTY_P_TICK_COUNT], n);
    bursty_p_tick_add(&sum[BURSTY_P_TICK_SQUARES], bursty_p_tick_square(n));
    if (is_slow) bursty_p_tick_add(&sum[BURSTY_P_TICK_SLOW], n);
#ifdef BURSTY_P_AXIS
    bursty_p_axis_tick(row, n);
#endif
}

/* The slow path of bursty.h runs while the word is a large number (its
   BUSY). */
BURSTY_P_STEP int bursty_p_is_busy(uint32_t word) { return (int32_t)word >= 0 && word >> 29 != 0; }

static void bursty_p_tick_charge_at(uint32_t n, uint32_t depth,
                                    const bursty_site *const volatile *stack,
                                    const bursty_site *inner, uint32_t busy) {
    uint32_t thread, row;
    const bursty_p_thread *record;
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) != 1) return; /* nobody asked, or a pause */
    if (BURSTY_P_IS_WATCHED) return;
    record = bursty_p_registered();
    thread = !record ? 0 : BURSTY_P_MOST == 1 ? 1 : record->number + 1;
    if (thread == 0 || n == 0) {
        bursty_p_tick_add_shared(&bursty_p_ticks.lost, n);
        return;
    }
    row = bursty_p_tick_place(thread, depth, stack, inner, n);
    if (!row) return;
    bursty_p_tick_charge_row(row, n, bursty_p_is_busy(busy));
#if BURSTY_FRAMES > 0
    bursty_p_frame_tick(bursty_p_mine.framed, row, n);
#endif
}

/* The program may be in the middle of changing its stack of scopes; it writes
   the stack before the depth. `inner`, if it is not NULL, is a scope whose
   function is running, but which is not on the stack. */
static void bursty_p_tick_charge(uint32_t n, const bursty_site *inner) {
    volatile uint32_t *word = &BURSTY_P_HERE.n, *place = &BURSTY_P_HERE.depth;
    const bursty_site *const volatile *stack = NULL;
    uint32_t busy = *word, depth = *place;
#if BURSTY_STACK > 0
    stack = BURSTY_P_HERE.stack;
#endif
    bursty_p_tick_charge_at(n, depth, stack, inner, busy);
}

#endif /* BURSTY_P_TICKS */
