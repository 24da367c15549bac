/* hcct_measures.h - how good an answer is: the measures of section 5.1 of the
   paper, against a full tree of the same events. */
#ifndef HCCT_MEASURES_H
#define HCCT_MEASURES_H
#include "hcct.h"
#include "report/kinds/contexts.h"

typedef struct hcct_share {
    uint32_t a, b;
} hcct_share; /* a / b */

/* H: truly hot contexts. P: possible ones, whose upper bound reaches the
   threshold. Q: certain ones, whose lower bound does. R: P and all its callers.
   H1, H2: the largest weight in R, and of all. */
typedef struct hcct_measures {
    uint64_t contexts, total;            /* of the full tree, without the root; N */
    uint64_t hot_true, hot_found;        /* |H|, |P and H| */
    uint64_t possible, certain, tree;    /* |P|, |Q|, |R| */
    uint64_t false_positives;            /* |P \ H| */
    uint64_t false_negatives;            /* |H \ P| */
    uint64_t certain_wrong;              /* |Q \ H| */
    uint64_t certain_right;              /* |Q and H| */
    uint64_t bad;                        /* possible, though below floor((phi - epsilon) N) */
    uint64_t cold;                       /* |R| - |P| */
    uint64_t underestimates;             /* known contexts whose upper bound is below the truth */
    uint64_t overestimates;              /* known contexts whose lower bound is above the truth */
    uint64_t hottest_found, hottest;     /* H1, H2 */
    double overlap;                      /* percent of N that R has */
    double max_uncovered, avg_uncovered; /* weight outside of R, in percent of H1 */
    double cover[3];                     /* at tau = 1/10, 1/20, 1/100: percent */
    double max_error, avg_error;         /* of the upper bound, over P and H; percent */
    double max_error_lower, avg_error_lower;
} hcct_measures;

/* full was made by HCCT_FULL. in_tree[0..t->count) becomes 1 for R. */
void hcct_measure(const hcct *full, const contexts_tree *t, hcct_share phi, hcct_share epsilon,
                  unsigned char *in_tree, hcct_measures *m);
/* Adds the tree, which must not be scaled, to c. Its keys stay as they are. */
contexts_tree *hcct_to_contexts(contexts *c, const hcct *t);
#endif
