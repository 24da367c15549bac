/* ---- functions: profiles and what they answer ---- */

/* Makes an empty profile to which others can be added. With FOOTPRINT_BURSTS in
   flags it has room for the groups of samples. Without, a sum of samples has no
   intervals. Returns 0, or -1 if bytes is less than footprint_profile_bytes
   returns. */
FOOTPRINT_API int    footprint_profile_init(footprint_profile *profile, uint32_t rows,
                                            uint32_t columns, uint32_t flags, void *memory,
                                            size_t bytes);
FOOTPRINT_API size_t footprint_profile_bytes(uint32_t rows, uint32_t columns, uint32_t flags);
/* Adds all windows of another profile. No window of the sum spans both.
   Returns 0, or -1 if `into` has too few rows or columns, or holds profiles of
   another kind of counter or of blocks of another size. */
FOOTPRINT_API int footprint_add(footprint_profile *into, const footprint_profile *other);
/* Leaves in `later` the windows that ended after `earlier`, a snapshot of the
   same counter. Returns 0, or -1 if `earlier` is not earlier. */
FOOTPRINT_API int footprint_subtract(footprint_profile *later, const footprint_profile *earlier);

/* Return the bin of a value in the paper's 8-wide histogram; a bin's least and
   greatest value. */
FOOTPRINT_API uint32_t footprint_bin(uint64_t value);
FOOTPRINT_API uint64_t footprint_bin_low(uint32_t bin);
FOOTPRINT_API uint64_t footprint_bin_high(uint32_t bin);

/* Returns how many windows have a length in window_bin: all of them; those
   whose footprint is footprint_bin_low(bin) or more. */
FOOTPRINT_API uint64_t footprint_windows(const footprint_profile *p, uint32_t window_bin);
FOOTPRINT_API uint64_t footprint_at_least(const footprint_profile *p, uint32_t window_bin,
                                          uint32_t bin);
/* The curves of the paper's Figures 1 and 2. Returns the bin of the least
   footprint that `percent` (0 to 100) of the windows do not exceed, or
   UINT32_MAX if there are no windows. The true value lies in
   [footprint_bin_low(bin), footprint_bin_high(bin) / c]. */
FOOTPRINT_API uint32_t footprint_percentile(const footprint_profile *p, uint32_t window_bin,
                                            uint32_t percent);
/* Returns the share of accesses that miss in an LRU cache of so many blocks,
   from stack distances; exact at c = 1 and the high end of a bin. Returns -1
   for less than 2^sample_log2 blocks, where sampling cannot tell. Of bursts it
   is an estimate, and -1 where fewer than half of the bursts touch so many
   blocks: see "samples". */
FOOTPRINT_API double footprint_miss_ratio(const footprint_profile *p, double blocks);
/* The 95 % interval of that, if the profile is a sample of bursts. Returns 0,
   or -1 if it is none, if the ratio is not known, or if there are too few
   bursts. */
FOOTPRINT_API int footprint_miss_interval(const footprint_profile *p, double blocks,
                                          double *low, double *high);

/* Returns the average footprint of all windows of `window` accesses (Xiang et
   al., PACT 2011). It is exact at the high ends of bins and interpolated in
   between. Of bursts it is an estimate, and -1 where fewer than half of the
   bursts are so long. */
FOOTPRINT_API double footprint_average_of(const footprint_profile *p, double window);
/* The 95 % interval of that, as footprint_miss_interval. */
FOOTPRINT_API int footprint_average_interval(const footprint_profile *p, double window,
                                             double *low, double *high);
/* Returns the window length, in accesses, at which the average footprint
   reaches `blocks`, or -1 if it never does (Xiang et al., ASPLOS 2013). */
FOOTPRINT_API double footprint_fill_time(const footprint_profile *p, double blocks);
/* Returns the share of accesses whose block was last used more than `window`
   accesses ago, or never before. Returns -1 if that is not known: of bursts, and
   of profiles that an older version wrote. */
FOOTPRINT_API double footprint_reuse_after(const footprint_profile *p, double window);
/* Returns the share of accesses that miss in an LRU cache of so many blocks,
   as averages estimate it: footprint_reuse_after of the window that fills the
   cache. It assumes that reuse is alike at all times, and never grows with the
   cache. Returns -1 where footprint_reuse_after does, and for less than
   2^sample_log2 blocks, where sampling cannot tell. */
FOOTPRINT_API double footprint_miss_ratio_by_average(const footprint_profile *p, double blocks);

#ifndef FOOTPRINT_NO_FILES
/* Writes the profile as one part of a .brst file (docs/formats.md). `write`
   returns 0 to go on. Returns 0, or -1 if write returned anything else. */
FOOTPRINT_API int footprint_write(const footprint_profile *p, const char *name,
                                  int (*write)(void *user, const void *data, size_t size),
                                  void *user);
#endif
