/* ---- memory ---- */

/* | thread 0 | thread 1 | ... | path 0 | ... | its index | row 0 | row 1 | ... | index |

   A quarter of the memory is thread records; an eighth, if something ticks, the
   table of paths; at most a quarter, if config.timeline asks for it, the axis of
   time (axis.c); the rest is the hot table. Threads are numbered in the order
   in which they register. A later thread may take over the record of one that
   has ended. Static memory begins as zeros and is zeroed again only as far as
   it was used, so pages that nobody needs are never touched. */
enum { BURSTY_P_FREE, BURSTY_P_USED, BURSTY_P_ENDED };
#define BURSTY_P_UNSTARTED 1000u       /* checks until a thread asks again if there was a start  */
#define BURSTY_P_SPAN UINT32_C(65536)  /* the longest wait until a thread looks at new settings */
#define BURSTY_P_EVER UINT64_MAX       /* `left` of a profile whose phase never ends            */
#if defined(BURSTY_NO_TLS) || defined(BURSTY_P_SHARED)
#define BURSTY_P_RECENT 32u  /* rows; a shared object that is loaded late has little room in TLS */
#else
#define BURSTY_P_RECENT 256u
#endif
enum { BURSTY_P_SUMS = 8, BURSTY_P_CLASSES = 7, BURSTY_P_ALL_SUMMED = 1024, BURSTY_P_ONE_OF = 8 };
typedef struct bursty_p_row {
    const bursty_site *site, *caller;
    struct bursty_p_row *touched;      /* see bursty_p_fold, and the five sums that end with xy */
    bursty_p_count sum[BURSTY_P_SUMS]; /* count, weight, ticks, bursts, first, yy, ys, xy       */
    uint32_t start;                    /* with start_high: of the weight, modulo 2^40           */
    uint16_t thread;
    uint8_t start_high, class_number;  /* bit of the class; 6: of several, or of none           */
} bursty_p_row;

/* One profile on one thread. Its phases are gap, burst, gap, burst, ... */
typedef struct bursty_p_sampler {
    bursty_profile set;
    uint64_t left;            /* checks until the phase ends                 */
    uint32_t stamp;           /* of the settings in `set`                    */
    uint32_t in_burst;
    uint32_t number;          /* of the burst                                */
    uint32_t awake_left;      /* bursts until hibernation                    */
    uint32_t gap;             /* the mean length of gaps                     */
    uint32_t weight_256, times, chosen;         /* see bursty_p_number       */
    uint32_t began;           /* checks of the thread before the burst       */
    uint64_t memory[4];       /* of the action                               */
} bursty_p_sampler;

#ifdef BURSTY_BARE
#define BURSTY_P_NAME 16
#else
#define BURSTY_P_NAME 32
#endif
typedef struct bursty_p_thread {
    uint32_t state, number, reuses, paths; /* paths: rows of the table of paths */
    uint32_t timer;           /* 1 + its id, or 0 */
#ifdef BURSTY_P_WATCHER
    uint32_t watched, system; /* see watcher.c: may it look; what the system calls the thread */
    uint32_t pending;         /* the row of a look that is not charged yet, or 0 */
    uint32_t found;           /* what that look found: running, waiting, ready or unknown */
    uint32_t asks;            /* what the system calls a thread that it is to be asked about, or 0 */
    uint32_t seen;            /* the row of the last look, or 0 */
    const bursty_here *here;
    const volatile uint32_t *processor; /* where it ran last; NULL: not known */
    int64_t unpaid_ns;        /* its CPU time less what looks have paid for; see watcher.c */
    uint64_t ran_ns;          /* the thread's CPU time at the last look, or as far as it is paid */
    uint32_t waits_in;        /* axis.c: the row that it waits in, or 0 */
    uint32_t woke;            /* its CPU time has moved since the look before */
    bursty_p_count waits_from, looked_at; /* us; looked_at 0: not yet */
#endif
#ifdef BURSTY_P_TICKER
    uint32_t owed;            /* ticks whose signal is on its way; see watcher.c */
    uint32_t carried;         /* ticks that go with the next signal */
#endif
    char name[BURSTY_P_NAME];
    bursty_p_count checks, burst_checks, lost, bursts[BURSTY_PROFILES], events[BURSTY_PROFILES];
    bursty_p_count class_sum[2 * BURSTY_P_CLASSES]; /* bursts, xx, bursts, xx, ...    */
    bursty_p_count begins[BURSTY_PROFILES];         /* how often the profile began anew */
    uint32_t random;          /* from here on zero when a thread registers   */
    uint32_t in_slow;         /* 1: delivering an event; 2: at a look        */
    uint32_t kept;            /* the word to go on with after the event      */
    uint32_t span;            /* checks from the last look to the next       */
    uint32_t counted;         /* of those that have passed: in `checks` before */
    uint32_t live;            /* profiles in a burst                         */
    uint32_t generation;      /* of the settings that were taken over        */
    uint32_t until_new;       /* checks until it asks for new ones           */
    uint32_t opening;         /* of bursty_poll                              */
    uint32_t active, framed, acting; /* that run, get BEGIN or END, have an action */
    uint32_t same_settings, plain; /* keep.c: a look leaves new ones alone; see there */
    uint64_t phase_checks, factor, factor_used, pace[4]; /* see bursty_p_pace */
    uint32_t gap; /* profiles whose burst misses events since its last one */
    bursty_p_sampler sampler[BURSTY_PROFILES];
} bursty_p_thread;

static struct {
    bursty_config config;
    uint32_t epoch, opening, lost_threads;
    uint32_t seed_is, cleared;   /* BURSTY_P_SEED_...; how often it was cleared since the start */
    uint32_t forks, forks_known; /* of this process, counted before and behind each */
    uint32_t generation; /* of the published settings, see there */
    uint32_t budget;     /* config.budget_ppm, if there is a clock */
    int32_t no_time;     /* BURSTY_NO_TIME_... */
    bursty_companion companion;
    bursty_p_thread *threads;
    uint32_t thread_room, thread_count;
    bursty_p_row *rows;
    uint32_t *index;
    uint32_t row_room, row_count, index_mask;
} bursty_p_all;

static BURSTY_P_TLS struct {
    bursty_p_thread *thread;
    uint32_t epoch, ended, summing; /* summing: profiles in a burst with sums */
    uint32_t marked; /* the last burst gave a mark, and its sums wait for what follows (since.c) */
    bursty_p_count *only;      /* events, if one profile is in a burst and counts all classes */
    uint32_t weight_256, room; /* of these, and checks of the burst, or 0                     */
    bursty_p_row *touched, *recent[BURSTY_P_RECENT]; /* bursty_p_fold, BURSTY_P_PLACE         */
#if BURSTY_FRAMES > 0
    struct bursty_p_framed *framed; /* its frames, from its first one on */
#endif
} bursty_p_mine;

static const bursty_site bursty_p_burst_site = { "(burst)", "", 0, BURSTY_BEGIN };
#if BURSTY_STACK > 0 || BURSTY_P_TICKS
static const bursty_site bursty_p_deep_site = { "(deep)", "", 0, BURSTY_P_SCOPE_CALL };
#endif

static uint32_t bursty_p_threads(void) {
    uint32_t count = BURSTY_P_ACQUIRE(&bursty_p_all.thread_count);
    return count < bursty_p_all.thread_room ? count : bursty_p_all.thread_room;
}

static void bursty_p_zero(void *memory, size_t bytes) {
    unsigned char *byte = (unsigned char *)memory;
    while (bytes--) *byte++ = 0;
}

/* The innermost of depth scopes, or NULL. */
BURSTY_P_STEP const bursty_site *bursty_p_caller(uint32_t depth) {
#if BURSTY_STACK > 0
    if (BURSTY_P_UNLIKELY(depth != 0)) {
        return depth <= BURSTY_STACK ? BURSTY_P_HERE.stack[depth - 1] : &bursty_p_deep_site;
    }
#endif
    (void)depth;
    return NULL;
}

/* How many slots an index needs for rows of so many bytes that share `bytes`
   with it: a power of 2, at most a quarter of the memory. *rows becomes the
   number of rows: at most 3/4 of the slots. So a search always ends, at an
   empty slot. */
static size_t bursty_p_divide(size_t bytes, size_t row_bytes, size_t *rows) {
    size_t slots = 1;
    while (slots < bytes / (row_bytes + 4) && slots < (size_t)1 << 28) slots *= 2;
    while (slots > 1 && slots * 4 > bytes / 4) slots /= 2;
    *rows = (bytes - slots * 4) / row_bytes;
    if (*rows > slots - slots / 4) *rows = slots - slots / 4;
    return slots;
}
