/* verdicts.h - which tests failed: a list of names, a JUnit report, or a log of
   ctest. */
#ifndef MODEL_VERDICTS_H
#define MODEL_VERDICTS_H
#include <stddef.h>

typedef struct verdict {
    char *name, *group;        /* group: JUnit's classname, or NULL */
    int has_failed, is_skipped;
    int is_used;               /* a run had that name */
} verdict;

typedef struct verdicts {      /* all zero: empty */
    verdict *list;
    size_t count, room;
    int is_whole;              /* passing tests are in it, too */
    int is_typed;              /* names, not a file */
    const char *given;
} verdicts;

enum { VERDICT_UNKNOWN, VERDICT_PASSED, VERDICT_FAILED };

/* value: names with commas, or a file. Returns a TOOL_ status, after a
   message. */
int  verdicts_read(verdicts *v, const char *value);
/* The same of what a file holds; path is for messages. */
int  verdicts_parse(verdicts *v, const char *path, const char *data, size_t size);
/* Says what became of a test, and marks the verdict as used. If one of several tests
   of that name failed, it has failed. */
int  verdicts_of(verdicts *v, const char *test);
/* Does that name stand for several tests, of which some failed and some did not? */
int  verdicts_differ(const verdicts *v, const char *test);
/* Says what names on both sides do not meet: all tests that had a run were asked
   by verdicts_of. what: "file is called", in front of a name; cure: stands behind
   it; left_out: how many were unknown; ambiguous: the first name that
   verdicts_differ, or NULL. Returns a TOOL_ status. */
int  verdicts_check(const verdicts *v, const char *what, const char *cure, size_t left_out,
                    const char *ambiguous);
void verdicts_free(verdicts *v);
#endif
