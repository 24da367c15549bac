/* callers.h - functions of which all calls are known: static ones that nobody
   takes the address of. Such a function was entered as often as the vertices
   ran in which it is called, so it needs one counter less than others, and one
   without branches needs none.

       read(p)   no counter      <-  a vertex of f, counted or derived
                                 <-  another one of g

   It holds for functions that return at once (exits.h), so that no activation
   ends in them, and for calls in front of which nothing in the same expression
   may have left it. */
#ifndef CC_CALLERS_H
#define CC_CALLERS_H
#include "cc/put/cover.h"

/* graphs: of each function of the file, as built; without a graph there is a
   reason. Returns for each function whether its calls are known; to be freed. */
uint8_t *cc_callers_known(cc_unit *u, const cc_cfg *graphs);
/* Says of each function that may be left whether it has one call only, which is
   alone in its vertex: where it is inlined, a place in it implies that call. */
void cc_callers_only(cc_unit *u, const cc_cfg *graphs, uint8_t *only);
#endif
