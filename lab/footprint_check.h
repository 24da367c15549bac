/* footprint_check.h - `bursty-lab footprint --check`: footprint.h beside the
   exact answers. */
#ifndef FOOTPRINT_CHECK_H
#define FOOTPRINT_CHECK_H
#include "footprint.h"
#include "lab/exact_windows.h"

enum { CHECK_CURVES = 5 };
extern const uint32_t check_percents[CHECK_CURVES];   /* 0, 5, 50, 95, 100 */

typedef struct footprint_check {
    exact_windows exact;
    uint64_t window_max;
    int must_agree;                               /* c = 1: then no cell may be wrong */
    /* of bin b: numbers of the depths low and K(low) + 1 */
    uint32_t bins, *at, *reach;
    uint64_t too_large, too_small;                /* windows counted wrongly, over all accesses */
    uint64_t cells, cells_wrong;                  /* of the table; wrong is not exact */
    double percentile_error[CHECK_CURVES], miss_error;
} footprint_check;

void check_start(footprint_check *k, double c, uint64_t window_max);
/* Call it after fp has counted access number `now`. */
void check_access(footprint_check *k, footprint *fp, uint64_t now, uint64_t block);
/* Compares the whole tables. */
void check_end(footprint_check *k, const footprint_profile *p);
/* Has the check found a fault so far? */
int check_failed(const footprint_check *k);
/* Returns how many windows that end now are counted wrongly. times[] has all
   accesses of the thread that counts. */
uint64_t check_pair(const footprint_pair *pair, double c, const uint64_t *times,
                    uint64_t number);
#endif
