/* before_after.h - today's names for version 0.1.0. It stands for the headers that this version
   lacks (dualpath.h, hotl.h, interleave.h), so that before_after.py builds the same benches. */
#if defined(BURSTY_H) && !defined(BURST_ENTRY)
#define BURST_ENTRY BURST_HERE
#define BURST_DUAL  BURST_FN
#define BEFORE
#endif

#if defined(FOOTPRINT_H) && !defined(HOTL_OPEN)
#define HOTL_OPEN
typedef footprint hotl;
typedef footprint_config hotl_config;
static inline uint32_t hotl_open(hotl *averages, const hotl_config *config) {
    hotl_config only = *config;
    only.flags = FOOTPRINT_AVERAGE;
    return footprint_open(averages, &only);
}
#define hotl_access_many footprint_access_many
#define hotl_close       footprint_close

typedef footprint_pair interleave;
typedef footprint_config interleave_config;
#define interleave_bytes footprint_pair_bytes
#define interleave_init  footprint_pair_init
#define interleave_run   footprint_pair_turn
#endif
