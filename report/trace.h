/* trace.h - bursty report of the trace of a program (bursty cc --trace). */
#ifndef TOOLS_TRACE_H
#define TOOLS_TRACE_H
#include "base/input.h"

/* Do the arguments name a trace, and no form that is made of counts alone? */
int trace_is_wanted(int argc, char **argv);
/* bursty report for it. Returns a TOOL_ status. */
int trace_report(int argc, char **argv);
/* Adds the counts of a whole trace, as coverage. Returns a TOOL_ status, after a
   message. */
int trace_counts(input *in, const char *path);
#endif
