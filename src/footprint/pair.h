/* ---- functions: two threads (All-Window Profiling, section 2) ---- */

/* You provide the storage. The fields are private; footprint_pair_get_stats
   reads them. */
typedef struct footprint_pair {
    uint64_t now, number;            /* accesses so far: of both, of thread 1 */
    uint64_t lost, end;
    uint64_t dropped_time;           /* end of the latest run that was dropped */
    struct footprint_p_pair_run  *runs;
    struct footprint_p_pair_mark *marks;
    struct footprint_p_pair_cell *cells, *scratch;
    uint32_t run_count, run_max, mark_count, mark_max, columns, flags;
    uint32_t is_joined, is_thinned;  /* is_joined: the latest access was thread 1's */
    double   c;
    size_t   table_bytes;
} footprint_pair;

/* Lays an empty footprint_pair out in memory[0..bytes). A config of NULL is
   all defaults. Returns how many runs of thread 1 fit before it is full, or 0
   if memory is too small. Then every access counts as lost. */
FOOTPRINT_API uint32_t footprint_pair_init(footprint_pair *pair, void *memory, size_t bytes,
                                           const footprint_config *config);
/* Returns the number of bytes that footprint_pair_init needs for so many runs
   of thread 1. */
FOOTPRINT_API size_t   footprint_pair_bytes(const footprint_config *config, uint32_t runs);
/* Says that `thread` (0 or 1) made the next `count` accesses. */
FOOTPRINT_API void     footprint_pair_run(footprint_pair *pair, int thread, uint64_t count);
FOOTPRINT_API void     footprint_pair_get_stats(const footprint_pair *pair, footprint_stats *out);
/* Returns an access number A: every window that starts at A or earlier and ends
   at the latest access is counted as holding footprint_bin_low(bin) accesses of
   thread 1 or more. Returns 0 if there is none. */
FOOTPRINT_API uint64_t footprint_pair_mark_time(const footprint_pair *pair, uint32_t bin);

/* Fills *profile, whose table goes to memory[0..bytes), and counting goes on.
   Where a profile counts blocks, this one counts accesses of thread 1.
   Returns 0, or -1 if bytes is less than footprint_pair_snapshot_bytes. */
FOOTPRINT_API int    footprint_pair_snapshot(const footprint_pair *pair,
                                             footprint_profile *profile, void *memory,
                                             size_t bytes);
FOOTPRINT_API size_t footprint_pair_snapshot_bytes(const footprint_pair *pair);
