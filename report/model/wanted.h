/* wanted.h - the options of `bursty report` that are of coverage alone: what is
   told of (--filter, --exclude, --diff), how much there must be (--fail-under)
   and for which line (--tests-of). */
#ifndef MODEL_WANTED_H
#define MODEL_WANTED_H
#include "base/tool.h"
#include "report/model/chosen.h"
#include "report/model/report.h"
#include "report/model/verdicts.h"

enum { WANTED_LINES, WANTED_BRANCHES, WANTED_FUNCTIONS, WANTED_MCDC, WANTED_SHARES };

typedef struct wanted {
    chosen chosen;
    double percent[WANTED_SHARES]; /* below 0: nothing is wanted */
    const char *fail_under, *diff; /* as they were given, or NULL */
    verdicts failing;
    const char **maps;             /* OLD=NEW (roots.h); ended by NULL, or NULL */
    int is_given;                  /* one of the options was, other than --failing */
} wanted;

/* Those of them that may stand several times. */
#define WANTED_MANY "--filter --exclude --map"

void wanted_begin(wanted *w);
/* Takes an option. Returns a TOOL_ status, or -1: it is another option. */
int  wanted_option(wanted *w, report *r, tool_option *option);
/* Before dumps are read: opens the door to sources and reads the diff. Returns
   a TOOL_ status, after a message. */
int  wanted_open(wanted *w, report *r, const char *source_root);
/* In front of input_settle: sources get their new names. */
void wanted_rename(const wanted *w, input *in);
/* Behind input_settle and in front of report_make. */
void wanted_take(wanted *w, const input *in);
/* Refuses options for a dump without coverage, and counts that no table belongs
   to. Returns a TOOL_ status, after a message. */
int  wanted_check(const wanted *w, const report *r, const input *in, const report_writer *writer,
                  const char *file);
/* Says which shares are too low. Returns TOOL_OK or TOOL_FOUND. */
int  wanted_judge(const wanted *w, const report *r);
void wanted_end(wanted *w);
#endif
