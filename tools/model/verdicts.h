/* verdicts.h - which tests failed: a list of names, a JUnit report, or a log of
   ctest. */
#ifndef MODEL_VERDICTS_H
#define MODEL_VERDICTS_H
#include <stddef.h>

typedef struct verdict {
    char *name, *group;        /* group: JUnit's classname, or NULL */
    int has_failed, is_used;   /* is_used: a run had that name */
} verdict;

typedef struct verdicts {      /* all zero: empty */
    verdict *list;
    size_t count, room;
    int is_whole;              /* passing tests are in it, too */
    const char *given;
} verdicts;

enum { VERDICT_UNKNOWN, VERDICT_PASSED, VERDICT_FAILED };

/* value: names with commas, or a file. Returns a TOOL_ status, after a
   message. */
int  verdicts_read(verdicts *v, const char *value);
/* What became of a test; marks what is used. Of several of its name one that
   failed counts. */
int  verdicts_of(verdicts *v, const char *test);
void verdicts_free(verdicts *v);
#endif
