/* failing.h - what separates failing tests from passing ones: lines, branches and
   functions that the failing ones ran and the others did not. */
#ifndef MODEL_FAILING_H
#define MODEL_FAILING_H
#include "report/model/coverage.h"

/* Finds the suspects and adds their table, if the options name tests that
   failed. */
void failing_table(report *r, coverage_all *made);
/* Says of which tests that failed no run is there. Returns a TOOL_ status. */
int  failing_check(const report *r, const coverage_all *made);
#endif
