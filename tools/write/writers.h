/* writers.h - writers that other writers build on. */
#ifndef WRITERS_H
#define WRITERS_H
#include "model/report.h"

extern const report_writer writer_json;           /* the page carries it */
extern const report_writer writer_csv;            /* it shows the rows beyond rows_shown */
extern const report_writer writer_order;          /* its names are the linker's */
extern const report_writer writer_text;           /* the default of `bursty report` */
#endif
