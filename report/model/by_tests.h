/* by_tests.h - which tests ran what: runs with BURSTY_TEST=name in their
   environment. */
#ifndef MODEL_BY_TESTS_H
#define MODEL_BY_TESTS_H
#include "report/model/coverage.h"

/* The name of a test by its number; the number behind the last is that of runs
   without one, "(without a test)". */
const char *by_tests_name(const coverage_all *made, size_t test);
/* How many there are, runs without a test among them if there are some. 0: no
   test has a name. */
size_t by_tests_count(const coverage_all *made);

/* Adds a table of tests, and if the options name a line, one of the tests that
   ran it. */
void by_tests_tables(report *r, const coverage_all *made);
/* Why that FILE:LINE cannot be looked for, or NULL. */
const char *by_tests_refuse(const coverage_all *made, const char *place);
#endif
