/* knees.h - where a curve of misses over the size of a cache falls, in words. */
#ifndef MODEL_KNEES_H
#define MODEL_KNEES_H
#include "base/text.h"

typedef struct knees_size { double bytes; const char *label; } knees_size;   /* "L1d" */

typedef struct knees_curve {
    const double *blocks, *misses;                /* both ascend and descend; 0 to 1 */
    const double *low, *high;                     /* 95 % intervals of a sample; or NULL */
    size_t count;
    double block_bytes;
    double c; /* what is said of a size holds for between that size and size / c; 0: not known */
} knees_curve;

/* A sentence for each of the steepest falls, at most three and from the smallest
   size on, and one for each of the sizes. Nothing if there is none. */
void knees_say(const knees_curve *curve, const knees_size *sizes, size_t size_count, text *out);
#endif
