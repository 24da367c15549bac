/* points.h - which functions and loops get a check, and the text of the
   checks. */
#ifndef CC_POINTS_H
#define CC_POINTS_H
#include "cc/put/edit.h"
#include "cc/read/graph.h"

typedef enum cc_entries {
    CC_ENTRIES_SAFE, CC_ENTRIES_ALL, CC_ENTRIES_LEAF, CC_ENTRIES_NONE,
    CC_ENTRIES_TIME           /* what calls something or has a loop */
} cc_entries;
enum { CC_LOOPS_ALL = -1, CC_LOOPS_NONE = -2 };

typedef struct cc_choice {
    cc_entries entries;
    int loops;                /* k: loops that are not k-boring; or CC_LOOPS_ALL, CC_LOOPS_NONE */
    const char *const *only;  /* patterns with * and ?, ended by NULL: no other functions */
    const char *const *not_these;
    int scope;                /* the entry check records the return, too */
    int ticks;                /* and a signal may look at any moment */
    int dual;                 /* two copies, of which a check chooses one */
    int twins;                /* second copies find those of other files: cc/inside/twins.c */
    int keep_events;          /* an entry without a check still records its event in a burst */
    const char *plan;         /* the text of the plan, or NULL */
    size_t plan_size;
    const char *tls_model;    /* NULL: the compiler's */
    int no_tls;
    int keeps;                /* checks in assembly, as in bursty.h: CC_KEEPS_... */
} cc_choice;
enum { CC_KEEPS_NOT, CC_KEEPS_BY_ADDRESS, CC_KEEPS_BY_OPERAND };

/* Sets `checked` of flows and loops, and `why`. Sets *missed to NULL, or to why
   the plan says nothing of the file. */
void cc_decide(cc_unit *u, cc_flow *flows, const char *file, const cc_choice *choice,
               const char **missed);
/* What the plan says of this file: its lines, with the file's own name. *missed
   as above. */
void cc_plan_of_unit(const char *plan, size_t size, const char *file, text *out,
                     const char **missed);
/* On which graph the plan chooses the checks of this file: that of the source,
   or what the optimizer has left. */
typedef enum cc_plan_way { CC_PLAN_UNKNOWN, CC_PLAN_SOURCE, CC_PLAN_LATE } cc_plan_way;
cc_plan_way cc_way_of_plan(const char *plan, size_t size, const char *file);
/* Returns -1 and a line number if the plan is none. */
int cc_plan_check(const char *plan, size_t size, uint32_t *line);

/* What has one copy although two were asked for. */
typedef struct cc_refusal {
    uint32_t name, token;     /* tokens: the function, the place */
    const char *reason;
} cc_refusal;

typedef struct cc_refusals {
    cc_refusal *list;         /* to be freed */
    uint32_t count;
} cc_refusals;

/* May this function be rewritten, and is it asked for? */
int cc_is_wanted(const cc_unit *u, const cc_function *f, const cc_choice *choice);

/* The edits of the checks, and the declarations that must stand in front of
   them. unit: a name that no other object of a program has. Returns how many
   checks there are. */
uint32_t cc_points(cc_unit *u, const cc_flow *flows, const cc_choice *choice, uint64_t unit,
                   cc_edits *edits, text *front, cc_refusals *refused);
#endif
