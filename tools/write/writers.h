/* writers.h - writers that other writers build on. */
#ifndef WRITERS_H
#define WRITERS_H
#include "model/report.h"

extern const report_writer writer_json;           /* the page carries it */
extern const report_writer writer_text;           /* the default of `bursty report` */
#endif
