/* ---- start ---- */

#if BURSTY_MEMORY > 0
static uint64_t bursty_p_memory[(BURSTY_MEMORY + 7) / 8];
#else
#define bursty_p_memory NULL
#endif

/* Zeroes what the last start has used. */
static void bursty_p_zero_used(void) {
    const size_t slots = (size_t)bursty_p_all.index_mask + 1;
    if (!bursty_p_all.threads) return;
    bursty_p_zero(bursty_p_all.threads, bursty_p_threads() * sizeof(bursty_p_thread));
    bursty_p_zero(bursty_p_all.rows, bursty_p_all.row_count * sizeof(bursty_p_row));
    bursty_p_zero(bursty_p_all.index, slots * 4);
    bursty_p_zero_paths();
    bursty_p_zero_axis();
}

/* Lays everything out in memory; wanted: config.timeline. */
static void bursty_p_lay_out(unsigned char *memory, size_t bytes, int ticks, uint32_t wanted) {
    const size_t all = bytes;
    size_t threads = bytes / 4 / sizeof(bursty_p_thread), rows, slots, paths;
    if (threads == 0) threads = 1;
    if (threads > BURSTY_P_MOST) threads = BURSTY_P_MOST;
    bursty_p_all.threads = (bursty_p_thread *)(void *)memory;
    bursty_p_all.thread_room = (uint32_t)threads;
    memory += threads * sizeof(bursty_p_thread);
    paths = bursty_p_lay_out_paths(memory, ticks ? bytes / 8 & ~(size_t)7 : 0);
    memory += paths;
    bytes -= threads * sizeof(bursty_p_thread) + paths;
#ifdef BURSTY_P_AXIS
    paths = bursty_p_lay_out_axis(memory, ticks ? all / 4 : 0, wanted);
    memory += paths;
    bytes -= paths;
#endif
    (void)wanted;
    (void)all;
    slots = bursty_p_divide(bytes,
                            sizeof(bursty_p_row), &rows);
    bursty_p_all.rows = (bursty_p_row *)(void *)memory;
    bursty_p_all.index = (uint32_t *)(void *)(bursty_p_all.rows + rows);
    bursty_p_all.row_room = (uint32_t)rows;
    bursty_p_all.index_mask = (uint32_t)slots - 1;
    bursty_p_all.thread_count = bursty_p_all.row_count = 0;
}

static int bursty_p_valid(const bursty_profile *p) {
    return (p->every <= BURSTY_P_BUSY || p->every == BURSTY_ALWAYS)
           && p->burst <= BURSTY_P_BUSY && p->jitter <= 100;
}

/* Would two profiles count the same events in the hot table? */
static int bursty_p_counted_twice(const bursty_p_settings *now, int profile,
                                  const bursty_profile *p) {
    uint32_t classes = p->classes ? p->classes : (uint32_t)BURSTY_ANY;
    int i;
    for (i = 0; i < BURSTY_PROFILES && !p->action; i++) {
        const bursty_p_slot *s = &now->slot[i];
        if (i != profile && s->used && !s->set.action && (s->set.classes & classes)) return 1;
    }
    return 0;
}

/* `stamp` differs from the one before, so that threads see the change. */
static void bursty_p_put_slot(bursty_p_slot *slot, const bursty_profile *p, uint32_t stamp) {
    bursty_profile *set = &slot->set;
    slot->used = p != NULL;
    slot->stamp = stamp;
    if (p) *set = *p;
    if (set->every == 0) set->every = 990;
    if (set->burst == 0) set->burst = 10;
    if (set->jitter == 0) set->jitter = 80;
    if (set->jitter < 0) set->jitter = 0;
    if (set->classes == 0) set->classes = BURSTY_ANY;
}

/* The first settings: profile 0, and the companion's. */
static void bursty_p_first_settings(const bursty_config *config) {
    bursty_p_settings first;
    bursty_profile *own = &bursty_p_all.companion.profile, profile;
    const uint32_t next = (bursty_p_all.generation / BURSTY_P_BUFFERS + 1) * BURSTY_P_BUFFERS;
    uint32_t i;
    bursty_p_zero(&first, sizeof first);
    bursty_p_put_slot(&first.slot[0], &config->profile, next);
    if (bursty_p_all.companion.start && BURSTY_PROFILES > 1) {
        profile = *own;
        if (profile.every == 0) {
            profile.every = config->profile.every;
            profile.burst = config->profile.burst;
            profile.jitter = config->profile.jitter;
        }
        if (bursty_p_all.companion.start(config) == 0)
            bursty_p_put_slot(&first.slot[BURSTY_PROFILES - 1], &profile, next);
    }
    for (i = 0; i < BURSTY_P_BUFFERS; i++) bursty_p_buffer[i].busy = 0;
    bursty_p_fill(0, &first, next ? next : (uint32_t)BURSTY_P_BUFFERS);
    BURSTY_P_RELEASE(&bursty_p_all.generation, next ? next : (uint32_t)BURSTY_P_BUFFERS);
}

BURSTY_API void bursty_join(const bursty_companion *companion) {
    bursty_p_all.companion = *companion;
}

BURSTY_API uint32_t bursty_start(const bursty_config *config) {
    static bursty_config zero;
    static int is_zero = 1; /* the static memory */
    unsigned char *memory;
    size_t bytes, skip;
    int ticks;
#if defined(BURSTY_BARE) && defined(__ELF__) && !defined(BURSTY_STATIC)
    if (bursty_joins) bursty_joins();
#endif
    if (!config) config = &zero;
    memory = (unsigned char *)(config->memory ? config->memory : bursty_p_memory);
    bytes = config->memory ? config->memory_bytes : BURSTY_MEMORY;
    if (!memory || !bursty_p_valid(&config->profile)) return 0;
    if (!bursty_p_valid(&bursty_p_all.companion.profile)) return 0;
    if (config->tick_hz < -1 || config->tick_hz > 100000) return 0;
    if (config->watch < -1 || config->watch > 2) return 0;
    if (config->budget_ppm && !bursty_p_has_clock(config)) return 0;
    skip = (0 - (uintptr_t)memory) & 7;
    if (bytes < skip + sizeof(bursty_p_thread) + 16 * sizeof(bursty_p_row)) return 0;
    memory += skip;
    bytes -= skip;
    bursty_p_end_time();
    if (!is_zero) bursty_p_zero_used();
    is_zero = config->memory != NULL; /* static memory stays clean for the next start */
    if (config->memory) bursty_p_zero(memory, bytes);
    ticks = bursty_p_plan_time(config);
    bursty_p_all.config = *config;
    bursty_p_lay_out(memory, bytes, ticks, config->timeline);
    bursty_p_all.lost_threads = bursty_p_all.cleared = 0;
    bursty_p_all.seed_is = config->seed ? BURSTY_P_SEED_GIVEN : BURSTY_P_NO_SEED;
#ifdef BURSTY_P_DRAWS_SEED
    if (!config->seed) {
        bursty_p_all.config.seed = bursty_p_draw_seed();
        bursty_p_all.seed_is = BURSTY_P_SEED_DRAWN;
    }
#endif
    bursty_p_begin_children();
    bursty_p_begin_fibers();
    bursty_p_begin_frames();
    bursty_p_begin_budget(config);
    bursty_p_first_settings(config);
    if (ticks) bursty_p_begin_time();
    BURSTY_P_RELEASE(&bursty_p_all.epoch, bursty_p_all.epoch + 1 ? bursty_p_all.epoch + 1 : 1);
    BURSTY_P_HERE.n = 0;
    bursty_p_look_now();
    return bursty_p_all.thread_room;
}
