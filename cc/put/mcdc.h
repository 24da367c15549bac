/* mcdc.h - one mark for each run of a decision, instead of one for each outcome
   of a condition.

   A condition is an operand without && || ! on top. A decision is a largest
   tree of conditions. A `?:` belongs to it if its value decides. The
   walk over a function (cfg.c) says here what it passes, in its first run to
   find out which decisions there are, and in its second to get the text of each
   way out of a condition. All functions take NULL for "branches alone". */
#ifndef CC_MCDC_H
#define CC_MCDC_H
#include "cc/put/cover.h"

typedef struct cc_mcdc cc_mcdc;

/* is_bits: marks are bits. table: the name of the array of marks. */
cc_mcdc *cc_mcdc_new(cc_unit *u, const cc_request *request, const char *table);
void cc_mcdc_free(cc_mcdc *m);

/* ---- what the walk passes ---- */

/* A new function; emit: the second run. */
void cc_mcdc_function(cc_mcdc *m, int emit);
/* A decision of the tokens first .. last, whose outcomes lead to the vertices
   yes and no. */
void cc_mcdc_begin(cc_mcdc *m, uint32_t first, uint32_t last, uint32_t yes, uint32_t no);
void cc_mcdc_end(cc_mcdc *m);
/* The && || or joining ?: that an operand is, behind brackets and !; 0: it is a
   condition. *flips: an odd number of ! stands before it. */
uint32_t cc_mcdc_operator(const cc_unit *u, uint32_t list, int *flips);
/* Left operands have been passed and the right one, which begins now, decides
   if it leads to `absorbing`; cc_mcdc_close: it ends. */
uint32_t cc_mcdc_left(const cc_mcdc *m);
void cc_mcdc_close(cc_mcdc *m, uint32_t left, uint32_t right, uint32_t absorbing);
/* The next condition is an arm of a joining ?:. */
void cc_mcdc_arm(cc_mcdc *m);
/* A condition begins at this vertex; then either it is a constant that leads to
   a vertex, or it has two edges. */
void cc_mcdc_condition(cc_mcdc *m, uint32_t from, uint32_t list);
void cc_mcdc_constant(cc_mcdc *m, uint32_t to);
void cc_mcdc_ways(cc_mcdc *m, uint32_t t, uint32_t yes, uint32_t f, uint32_t no);
/* In the second run: the text of a way of the condition that cc_mcdc_condition
   has begun; plain: the branch's own mark, or NULL. NULL: there is none. */
const char *cc_mcdc_text(cc_mcdc *m, int way, const char *plain);
/* Must it be made an int, for the sake of the other arm? */
int cc_mcdc_is_arm(const cc_mcdc *m);
/* The variables that a function needs, as a declaration, or NULL. */
const char *cc_mcdc_locals(cc_mcdc *m);

/* ---- what cover.c asks ---- */

/* After the plan of a function: its edges get marks instead of slots. */
void cc_mcdc_plan(cc_mcdc *m, uint32_t function, cc_cfg *g, uint32_t first_slot, uint32_t slots,
                  cc_result *result);
/* All marks so far. */
uint32_t cc_mcdc_marks(const cc_mcdc *m);
/* Appends the part of kind 6. */
void cc_mcdc_part(const cc_mcdc *m, uint64_t key, text *part);
/* The function that large decisions call; empty if there are none. */
void cc_mcdc_front(const cc_mcdc *m, text *front);
#endif
