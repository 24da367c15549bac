/* ---- functions ---- */

/* Lays an empty tree out in memory[0..bytes). config may be NULL. Returns how
   many contexts fit. 0 means: do not use the tree, for the memory is too small,
   or the algorithm is not there. */
HCCT_API uint32_t hcct_init(hcct *t, void *memory, size_t bytes, const hcct_config *config);
/* Returns the bytes that hcct_init needs for so many contexts. */
HCCT_API size_t hcct_bytes(const hcct_config *config, uint32_t contexts);
/* Goes on in a larger memory that begins with the bytes of the old one, as
   after realloc. Both must be aligned to 8. Returns how many contexts fit now,
   or 0: it refused and nothing happened. */
HCCT_API uint32_t hcct_grow(hcct *t, void *memory, size_t bytes);

/* A call of key begins below the running context (sections 3 and 4). Weight 0
   only goes there. */
HCCT_API void hcct_enter(hcct *t, uint32_t key, uint64_t weight);
/* The running call ends. */
HCCT_API void hcct_leave(hcct *t);
/* Leaves calls until `depth` are open, then enters key. For who keeps a stack of
   calls: it need not say when one ends. */
HCCT_API void hcct_enter_at(hcct *t, uint32_t depth, uint32_t key, uint64_t weight);
/* The same with weight 1, but only where that takes a few instructions. It is for a
   hook that inlines them (HCCT_STATIC). Returns 1; or 0 if it has done nothing. */
HCCT_API int hcct_enter_known(hcct *t, uint32_t depth, uint32_t key);
/* Credits weight to the running context. */
HCCT_API void hcct_add(hcct *t, uint64_t weight);
/* The nearest open call of key ends, and all calls that it made. Returns 1, or
   0 if none is open. Of calls without a place it knows the HCCT_UNSTORED_KEYS
   outermost; others fit any key. */
HCCT_API int hcct_leave_key(hcct *t, uint32_t key);
/* Returns where the running stack stands. */
HCCT_API hcct_place hcct_position(const hcct *t);
/* Closes all calls above a position that is still on the stack. */
HCCT_API void hcct_return_to(hcct *t, const hcct_place *place);

/* A second stack begins, at the root or, if `here`, where the running one
   stands. It stays in use until hcct_fiber_end. returns is its memory for
   folding; NULL if there is none. */
HCCT_API void hcct_fiber_start(hcct *t, hcct_fiber *fiber, int here, uint32_t *returns,
                               uint32_t return_count);
/* Events now belong to this stack; NULL is the first one. */
HCCT_API void hcct_fiber_switch(hcct *t, hcct_fiber *fiber);
/* Gives up a stack. It must not be the running one. */
HCCT_API void hcct_fiber_end(hcct *t, hcct_fiber *fiber);

/* Section 5.3, bursting. Goes to the context stack[0..depth), outermost call
   first, and counts none of these calls. Returns the weight to pass to every
   hcct_enter of this burst. It is 1 without a history or for a new stack. For a
   stack in the history it is config.reenable, once in that many bursts, or else
   0. 0 means: skip this burst. */
HCCT_API uint32_t hcct_burst_begin(hcct *t, const uint32_t *stack, uint32_t depth);
/* Closes all calls. */
HCCT_API void hcct_burst_end(hcct *t);
/* total is the weight of the whole run, of which bursts saw a part: bounds are
   scaled up to it. */
HCCT_API void hcct_scale_to(hcct *t, uint64_t total);
HCCT_API void hcct_get_stats(const hcct *t, hcct_stats *out);
/* Returns (section 2) a hot context's least weight at phi = a / b: floor(phi
   N), at least 1. */
HCCT_API uint64_t hcct_threshold(const hcct *t, uint32_t a, uint32_t b);
/* Section 4: fills rows[0..max) with the hottest contexts whose upper bound
   reaches the threshold of phi = a / b, by lower bound, then upper bound, depth
   and path. Returns how many it filled. If bound_of_absent is below the threshold and
   there are rows enough, no hot context is missing. */
HCCT_API uint32_t hcct_hottest(const hcct *t, uint32_t a, uint32_t b, hcct_context *rows,
                               uint32_t max);
/* Walks all nodes, callers before what they call: returns the node after
   `node`; 0 begins and ends.
   *depth is kept up to date and must be 0 at the start. */
HCCT_API uint32_t hcct_next(const hcct *t, uint32_t node, uint32_t *depth);
/* Returns the caller's node. 0 is the root. */
HCCT_API uint32_t hcct_parent(const hcct *t, uint32_t node);
/* Returns the node of key below parent, or 0 if it is not in the tree. */
HCCT_API uint32_t hcct_find(const hcct *t, uint32_t parent, uint32_t key);
/* Fills all fields but depth and certain, which become 0. */
HCCT_API void hcct_get_context(const hcct *t, uint32_t node, hcct_context *out);
/* Fills keys with the last max keys of the path to node. Returns the depth of
   node. */
HCCT_API uint32_t hcct_path(const hcct *t, uint32_t node, uint32_t *keys, uint32_t max);

/* Writes the tree as a .brst part of kind 2 (docs/formats.md). name may be
   NULL. Returns 0, or -1 if write returned something else. */
HCCT_API int hcct_write(const hcct *t, hcct_name_fn name, void *name_user, hcct_write_fn write,
                        void *user);

/* You provide the storage; the fields are private. */
struct hcct {
    uint32_t *words;            /* the nodes */
    uint32_t *cache, *hash;     /* lookup tables */
    uint64_t *history;          /* signatures of stacks that had a burst */
    void *memory;
    hcct_fiber run;             /* the running stack */
    ptrdiff_t at;               /* recent[at] is the running context's node, */
    ptrdiff_t stop, stop_full;  /* enter of weight 1 is plain while at is below: in Space-Saving, */
    ptrdiff_t stop_any;         /* in full trees; and any enter: in all trees */
    uint32_t low;               /* recent[0] is the node at depth low */
    uint32_t recent[32];
    hcct_stats stats;           /* some are kept up to date, others computed when asked for */
    uint64_t floor;             /* part of bound_of_absent: what was evicted had at most this */
    uint64_t boundary;          /* N at which Lossy sweeps next, and Sticky doubles its rate */
    uint64_t seed;
    uint32_t algorithm, stride; /* stride: words of a node */
    uint32_t used;              /* node numbers handed out, the root included */
    uint32_t free_list;         /* nodes to use again */
    uint32_t cache_mask, hash_slots, hash_fill, history_fill;
    uint32_t width, events;     /* Lossy: 1 / epsilon; events since the boundary was passed */
    uint32_t one_over_phi, one_over_delta, depth_limit;
    int prunes_late;            /* several cursors live: only sweeps prune */
    int padded;                 /* the memory given was not aligned */
    hcct_fiber *running;        /* where to save `run`; NULL is `main` */
    hcct_fiber *fibers, main;
    hcct_config config;
};
