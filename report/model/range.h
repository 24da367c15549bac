/* range.h - a report of a part of the run: --from and --to. */
#ifndef MODEL_RANGE_H
#define MODEL_RANGE_H
#include "base/input.h"

typedef struct range {                            /* us since the log's zero */
    int has_from, has_to;
    uint64_t from, to;                            /* to: the first that is not in it */
} range;

/* "1.5", "1.5s", "200ms", "2min". Returns a TOOL_ status, after a message. */
int range_read(const char *option, const char *value, uint64_t *us);
/* From a log of ticks in time makes counts of ticks in the range, in the place of
   those of the run, and drops all that has no moment. Call it with a settled `in`; it
   leaves it settled. *note: what was dropped, in words; "": nothing. To be freed.
   Returns a TOOL_ status, after a message; path: for that. */
int range_apply(const range *g, input *in, const char *path, char **note);
#endif
