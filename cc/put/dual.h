/* dual.h - functions and loops in two copies: a check chooses, and the second
   copy records. */
#ifndef CC_DUAL_H
#define CC_DUAL_H
#include "cc/put/points.h"

/* What points.c and dual.c share while they put checks into a file. */
typedef struct cc_writer {
    cc_unit *u;
    const cc_flow *flows;
    const cc_choice *choice;
    cc_edits *edits;
    text sites;
    uint32_t count;           /* of sites */
    char table[40];
} cc_writer;

#define CC_NO_SITE UINT32_MAX

/* Flags beside the kind of a site: this tool put it there; no check stands
   there, so that it is only an event inside of bursts; and only a second copy
   has it. */
enum { CC_PLACED = 512, CC_EVENT_ALONE = 1024, CC_SECOND_COPY = 2048 };

/* A place in the table: the function at token `name`, the line of `token`; kind
   as in bursty.h. CC_PLACED is added. */
uint32_t cc_add_site(cc_writer *w, uint32_t name, uint32_t token, int kind);
/* A check, or an event: a test that records only inside of a burst. Both come as an
   expression and as a declaration. second: the event stands in the second copy, at the
   place that the check before it has in the first one. */
void cc_check_expression(const cc_writer *w, text *out, uint32_t site);
void cc_event_expression(const cc_writer *w, text *out, uint32_t site, int kind, int second);
char *cc_check_declaration(const cc_writer *w, uint32_t site);
char *cc_event_declaration(const cc_writer *w, uint32_t site, int kind, int second);
/* The expression as a declaration. It frees the text. */
char *cc_as_declaration(text *expression, uint32_t site);
/* The thread's word. */
const char *cc_word(const cc_writer *w);

typedef struct cc_dual cc_dual;
/* Decides which functions and loops get two copies, and makes the text of the
   second ones. */
cc_dual *cc_dual_begin(cc_writer *w);
/* Puts the choice into a function's entry or a loop's body. Returns 0, or -1:
   there is one copy, and the caller puts a plain check. */
int cc_dual_entry(cc_dual *d, uint32_t function);
int cc_dual_loop(cc_dual *d, uint32_t function, uint32_t loop);
/* Has it one copy and no check, and is it called in second copies? Then it tests
   for a burst. */
int cc_dual_tests(const cc_dual *d, uint32_t function);
/* Appends the second copies of functions to the file. *list gets what has one
   copy, and why. */
void cc_dual_end(cc_dual *d, cc_refusals *list);
#endif
