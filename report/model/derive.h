/* derive.h - counts of all edges and vertices of a function, from those of its
   counters; and how often functions were entered that have no counter for it,
   because all calls of them are known: as often as the vertices ran in which
   they are called. */
#ifndef MODEL_DERIVE_H
#define MODEL_DERIVE_H
#include "report/model/decisions.h"

typedef struct derived {
    uint64_t *count, *block; /* of edges, X the last, and of vertices */
} derived;

/* The functions of one set of counts, found by their vertices. */
typedef struct derive_all derive_all;
derive_all *derive_open(const edges_all *all, const decisions_all *decisions);
void derive_close(derive_all *x);

/* Returns 0; or -1 if the counters are not those of a plan of this graph. *fault, if
   it is NULL, becomes the reason why the counts must not be shown. *has_counts: no
   part may have any, and then all are 0. */
int derive_function(derive_all *x, const edges_function *f, derived *d, const char **fault,
                    int *has_counts);
void derived_free(derived *d);

/* A call that returns more often than it is made, as fork or setjmp, gives its
   stay edge a count below 0, if the counters are gcc's own: they have no
   early[]. */
int derived_may_be_below(const edges_function *f, uint32_t edge);
#endif
