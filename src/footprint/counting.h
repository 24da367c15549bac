/* ---- functions: all windows (All-Window Profiling, section 3) ---- */

/* You provide the storage. The fields are private; footprint_get_stats reads
   them. */
typedef struct footprint {
    footprint_entry *top;            /* the recent blocks, latest first; there are `filled` */
    uint64_t now;                    /* number of the latest access, from 1 */
    uint64_t wake;                   /* from that access on footprint_p_wake runs first */
    uint64_t repeats;                /* accesses to the same block as the one before */
    uint64_t end, folded;            /* last access to count; next time to empty counters */
    uint64_t start;                  /* access at which the sampling ratio last changed */
    uint64_t sampled;                /* accesses to blocks that are followed, since start */
    uint64_t first, followed;        /* first accesses; of those followed since start */
    uint64_t forgotten, lost;
    uint64_t gone, gone_low, gone_high;                  /* forgotten since start; times' sum */
    footprint_bursts bursts;
    uint32_t filled, tracked;        /* blocks in recent; in recent and slots */
    uint32_t next, slots, cap;       /* next free slot; room; how many live ones make it full */
    uint32_t bottom;                 /* no slot up to this one is live */
    uint32_t buckets;                /* of index */
    uint32_t marks, mark_max, mark_young, exact;         /* exact: so many marks have no slack */
    uint32_t made;                   /* so many marks have a row */
    uint32_t columns, rows, depth_first, flags, sample_log2;
    uint32_t is_fast, is_overfull, is_followed;          /* is_followed: the latest access */
    uint32_t is_thinned;             /* `before` has windows */
    footprint_entry *ring, *slot;
    uint32_t *index, *shifted, *reused;
    uint64_t *live;
    int32_t  *young;
    uint32_t *place, *cut;           /* by mark */
    uint32_t *lead, *pending, *slack;                    /* by group of marks */
    struct footprint_p_mark   *mark;
    struct footprint_p_gap    *gap;
    struct footprint_p_moment *cells, *events, *scratch;
    uint64_t *born, *depth, *before;
    size_t   table_bytes, blocks_bytes, cell_count;
    void     *tables, *blocks;       /* what config.release gets */
    footprint_config config;
    uint8_t  nearby[1024];           /* counts recent blocks by hash */
    uint32_t *after;                 /* of a live slot: the next one. If is_linked */
    uint32_t is_linked;              /* there are marks without slack */
} footprint;

/* Lays an empty footprint out in memory[0..bytes). A config of NULL is all
   defaults. Returns how many different blocks fit, or 0 if none do. Then every
   access counts as lost. */
FOOTPRINT_API uint32_t footprint_init(footprint *fp, void *memory, size_t bytes,
                                      const footprint_config *config);
/* The same in memory from config->alloc, which grows as blocks come. Returns 0
   if there is none. */
FOOTPRINT_API uint32_t footprint_open(footprint *fp, const footprint_config *config);
/* From then on, as after an init that failed, all accesses are lost. */
FOOTPRINT_API void     footprint_close(footprint *fp);
/* Returns the number of bytes that footprint_init needs for so many blocks. */
FOOTPRINT_API size_t   footprint_bytes(const footprint_config *config, uint32_t blocks);

FOOTPRINT_API void footprint_access(footprint *fp, uint64_t block);
FOOTPRINT_API void footprint_access_many(footprint *fp, const uint64_t *blocks, size_t count);
/* Counts `count` more accesses to the block of the latest access, in the time
   of one. */
FOOTPRINT_API void footprint_access_repeat(footprint *fp, uint64_t count);
/* Counts an access to every block that address[0..bytes) lies in, from low to
   high. What lies behind the end of the address space is left out. */
FOOTPRINT_API void footprint_reference(footprint *fp, const void *address, size_t bytes);

/* Accesses were left out here. No window spans the gap, and what a block's
   first access behind it finds in a cache is unknown. Does nothing if there was
   no access since the last call. */
FOOTPRINT_API void footprint_burst(footprint *fp);

FOOTPRINT_API void     footprint_get_stats(const footprint *fp, footprint_stats *out);
/* Returns an access number A: windows from A or earlier up to the latest access
   are counted as touching footprint_bin_low(bin) blocks or more. So a cache of
   that many blocks has forgotten what was last used before A. Returns 0 if
   there is no such window. */
FOOTPRINT_API uint64_t footprint_mark_time(footprint *fp, uint32_t bin);

/* Fills *profile, whose tables go to memory[0..bytes), and counting goes on.
   Returns 0, or -1 if bytes is less than footprint_snapshot_bytes returns. */
FOOTPRINT_API int    footprint_snapshot(footprint *fp, footprint_profile *profile, void *memory,
                                        size_t bytes);
FOOTPRINT_API size_t footprint_snapshot_bytes(const footprint *fp);
