/* texts.h - the source text of functions, for the page. */
#ifndef TEXTS_H
#define TEXTS_H
#include "report/model/report.h"

/* Adds `,"texts":[{file, line, lines}..]`: the text of the functions that stand
   first in the tables, from two lines before each to its end. Nothing, if no
   source is found, the form shows none, or coverage shows whole files. Cost:
   each file is read once. */
void texts_json(const report *r, text *out);
#endif
