/* ---- types ---- */

enum {                               /* flags of a config, of footprint_stats and of a profile */
    FOOTPRINT_AVERAGE     = 1,       /* a profile of a footprint_average: averages alone */
    FOOTPRINT_FORGET      = 2,       /* drops the oldest blocks when full, instead of sampling */
    FOOTPRINT_FULL        = 4,       /* blocks did not fit; cure: memory or blocks_max */
    FOOTPRINT_ENDED       = 8,       /* accesses came after accesses_max; cure: window_max */
    FOOTPRINT_INTERLEAVED = 16,      /* a profile of a footprint_pair */
    FOOTPRINT_DIFFERENCE  = 32,      /* windows that ended in a phase, not in a whole run */
    FOOTPRINT_SATURATED   = 64,      /* a sum of profiles stays at the greatest number */
    FOOTPRINT_BURSTS      = 128      /* a sample: accesses are missing between bursts */
};
enum { FOOTPRINT_GROUPS = 16 };      /* bursts are put into so many groups; their spread tells
                                        how far a sample can be trusted */

/* The settings of all three counters. A zero in a field asks for its default. A
   footprint_average is always exact and samples when it is full: it reads no c.
   A footprint_pair reads c and window_max alone. */
typedef struct footprint_config {
    double   c;                      /* precision c of the paper: 0.01 to 1; default 0.9 */
    uint64_t window_max;             /* longest window, rounded up to its bin; at least
                                        1023; default 2^32 - 1 */
    uint32_t blocks_max;             /* makes room for no more blocks than that; default 2^30 */
    uint32_t flags;                  /* FOOTPRINT_FORGET, FOOTPRINT_BURSTS */
    uint32_t sample_log2;            /* k <= 24: follows one block in 2^k, no guarantee */
    uint32_t block_log2;             /* bytes of a block, as a power of 2; default 6 (64 bytes) */
    void *(*alloc)(void *user, size_t bytes);            /* for an open; may return NULL */
    void  (*release)(void *user, void *memory);
    void  *user;
} footprint_config;

typedef struct footprint_stats {
    uint64_t accesses;               /* counted ones */
    uint64_t lost;                   /* not counted, as they came after accesses_max */
    uint64_t accesses_max;
    uint64_t blocks;                 /* different ones; an estimate if blocks are sampled; of a
                                        footprint_pair: thread 1's accesses */
    uint64_t forgotten;              /* dropped ones; each is a new block when it returns */
    size_t   memory_bytes;           /* all memory */
    size_t   blocks_bytes;           /* the part that grows with the number of blocks */
    uint32_t flags, sample_log2;     /* sample_log2 grows when memory is full */
} footprint_stats;

/* The sum of the footprints of all windows of exactly
   footprint_bin_high(column) accesses. */
typedef struct footprint_total {
    uint64_t windows;                /* how many windows those are; 0 if they were not counted */
    uint64_t low, high;              /* the sum is low + 2^64 high */
} footprint_total;

/* What was counted. All three counters fill one of these, and all answers come
   from it. */
typedef struct footprint_profile {
    uint64_t accesses, blocks, forgotten;                /* as in footprint_stats */
    uint64_t last_window;            /* length of the whole run; 0: it was not counted */
    uint64_t last_blocks;            /* its footprint */
    double   c;                      /* the guarantee; the least one of those added up */
    uint32_t flags, sample_log2, block_log2;
    uint32_t rows;                   /* bins of footprints */
    uint32_t columns;                /* bins of window lengths */
    uint64_t *at_least;              /* [row * columns + column]: see footprint_at_least */
    uint64_t *depth;                 /* [row]: reuses by LRU stack distance (1: a repeat) */
    footprint_total *total;          /* [column] */
    uint64_t *reuse;                 /* [column], and behind them longer ones: reuses by the length
                                        of the window from use to use; NULL: not known */
    uint64_t bursts;                 /* how many there are; 0: one whole run */
    uint32_t groups;                 /* FOOTPRINT_GROUPS, or 0: there are none */
    uint64_t *group_depth;           /* [group * rows + row]: reuses as in depth */
    uint64_t *group_cut;             /* the same of first accesses in bursts: the n-th block of a
                                        burst was used at a stack distance of n or more, if ever */
    footprint_total *group_total;    /* [group * columns + column] */
} footprint_profile;

typedef struct footprint_entry {
    uint64_t block, time;
} footprint_entry;

/* Private: what footprint_burst keeps, for a footprint and for a
   footprint_average. */
typedef struct footprint_bursts {
    struct footprint_p_gap *open;    /* [column]: gaps that are no reuses */
    struct footprint_p_gap *length;  /* [column]: bursts that have ended, by accesses + 2 */
    footprint_total *total;          /* as in a profile; all three are NULL without groups */
    uint64_t *depth, *cut;
    uint64_t origin;                 /* accesses before the burst under way */
    uint64_t first;                  /* first accesses until then */
    uint64_t longest;                /* accesses of the longest burst that has ended */
    uint64_t count;                  /* bursts that have ended */
    uint64_t turned;                 /* access at which the group last changed */
    uint32_t group, rows;
} footprint_bursts;
