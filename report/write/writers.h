/* writers.h - writers that other writers build on. */
#ifndef WRITERS_H
#define WRITERS_H
#include "report/model/report.h"

extern const report_writer writer_json;           /* the page carries it */
extern const report_writer writer_csv;            /* it shows the rows beyond rows_shown */
extern const report_writer writer_order;          /* its names are the linker's */
extern const report_writer writer_text;           /* the default of `bursty report` */

/* What is missing, a paragraph for each loss: it comes before all numbers. */
void text_losses(text *out, const report *r);
/* Words of prose, in lines. */
void text_wrapped(text *out, const report *r, const char *words);
/* A table's labels and rows, at most so many of them (0: as many as the text
   shows). Returns how many more there are. */
size_t text_rows(text *out, const report *r, const report_table *table, size_t most);
#endif
