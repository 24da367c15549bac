/* ---- types ---- */

enum {                          /* config.algorithm. Files have these; older ones 1 and 2 as well */
    HCCT_SPACE_SAVING = 0,      /* section 4.1: counts M contexts, evicts the smallest. Take this */
    HCCT_LOSSY = 3,             /* section 4.2, Lossy Counting: drops contexts below epsilon N */
    HCCT_STICKY = 4,            /* Sticky Sampling: its bounds hold with a chance of 1 - delta */
    HCCT_FULL = 5               /* section 3: keeps every context, exact while the arena lasts */
};
#define HCCT_KEY_DEEP UINT32_MAX /* a reserved key: it stands for frames that are not known */

typedef int (*hcct_write_fn)(void *user, const void *data, size_t size); /* 0 to go on, else stop */
typedef const char *(*hcct_name_fn)(void *user, uint32_t key);           /* NULL: it has no name */

/* What config.sums gives: four numbers, and the calls in each of so many groups of
   bursts. */
enum { HCCT_GROUPS = 8, HCCT_SUMS = 4 + HCCT_GROUPS };

/* A position of a stack: the node of the running context, and what is
   private. */
typedef struct hcct_place {
    uint32_t cursor, depth, returns, over, cut;
} hcct_place;

enum { HCCT_UNSTORED_KEYS = 16 };
/* A stack of calls. You provide the storage; the fields are private. */
typedef struct hcct_fiber {
    hcct_place at;
    uint32_t *returns;
    uint32_t return_max;
    uint32_t unstored[HCCT_UNSTORED_KEYS];
    struct hcct_fiber *next;
} hcct_fiber;

typedef struct hcct_config {    /* a zero anywhere means the default */
    uint32_t algorithm;         /* default HCCT_SPACE_SAVING */
    uint32_t monitored;         /* M, how many contexts are counted. Default: 3/4 of what fits */
    uint32_t one_over_epsilon;  /* Lossy and Sticky: 1 / the error allowed. Default M */
    uint32_t one_over_phi;      /* Sticky: 1 / the share that is hot. Default: a fifth of that */
    uint32_t one_over_delta;    /* Sticky: 1 / the chance to fail. Default 100 */
    uint32_t depth_limit;       /* deeper calls are not stored. Default: no limit */
    uint32_t fold;              /* n > 0 folds recursion: a call whose key is that of the running
                                   context or of one of its n - 1 nearest callers goes back there */
    uint32_t *returns;          /* memory that folding needs: one word for each open call */
    uint32_t return_count;
    uint32_t history;           /* adaptive bursts: how many stacks are remembered. Default: none */
    uint32_t reenable;          /* k: a known stack gets a burst once in k times. 0: never again */
    uint32_t cache_slots;       /* of the cache for finding a child; 1 means none. Default: a
                                   quarter of the contexts that fit, 16384 at most */
    uint64_t seed;              /* of the random numbers of Sticky and of adaptive bursts */
    void (*sums)(void *user, uint32_t node, uint64_t *numbers); /* NULL, or: hcct_write adds
                                   these for each node, HCCT_SUMS of them, see docs/formats.md.
                                   user: sums_user */
    void *sums_user;
    const char *unit;           /* what weights are, a word of 31 letters, digits, - or _ at most:
                                   "misses". Reports show it. NULL: calls */
} hcct_config;

typedef struct hcct_context {
    uint32_t node, key, depth;
    int certain;                /* hcct_hottest: the lower bound reaches the threshold as well */
    int cold;                   /* it is only known as a caller of others */
    uint64_t lower, upper;      /* lower <= true weight <= upper */
} hcct_context;

typedef struct hcct_stats {
    uint64_t total;             /* N, all weight that was offered */
    uint64_t bound_of_absent;   /* no context outside the tree weighs more. Divided by total it is
                                   the epsilon that was reached; more memory makes it smaller */
    uint64_t lost;              /* weight in N that had no place, because one path filled the arena:
                                   give more memory, a depth_limit or fold */
    uint64_t below_depth_limit; /* weight not in N: below depth_limit or beyond `returns` */
    uint64_t outside_any_context; /* weight not in N: hcct_add at the root */
    uint64_t scaled_total;      /* what N stands for, see hcct_scale_to. Else N */
    uint64_t unmatched;         /* leaves without an enter: was a longjmp overlooked? */
    uint64_t repaired;          /* calls that were closed because a caller of theirs was left */
    uint64_t sweeps, evictions; /* passes over the arena, and counts that they took away */
    uint64_t evicted_for_space; /* nodes freed because the arena was full: give more memory */
    uint64_t visits;            /* nodes that sweeps looked at */
    uint64_t burst_points;      /* hcct_burst_begin: burst_new + burst_again + burst_skipped */
    uint64_t burst_new, burst_again, burst_skipped;
    uint64_t bytes;             /* of the memory, that were ever touched */
    uint32_t rate_shift;        /* Sticky: it samples one event in 2^rate_shift */
    uint32_t capacity;          /* contexts that fit */
    uint32_t nodes, peak_nodes; /* contexts that are there; that ever were at one time */
    uint32_t monitored, monitored_max; /* contexts that have a count; M */
    uint32_t node_bytes;
    int weighted;               /* a weight above 1 was seen */
    int purges_quarters;        /* Space-Saving: weights differ so much: sweeps evict a quarter */
    int saturated;              /* some counter reached its maximum and stays there */
} hcct_stats;

typedef struct hcct hcct;
