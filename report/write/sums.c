/* sums.c - one table that any spreadsheet or database adds up: sums of a fleet
   are sums of its rows.

       program,measure,unit,function,file,line,count,sum,sum_squares,sum_products,sampled

   A row is one function of one program, by one measure, or what all functions
   of a program make together. What was seen came in independent pieces (ticks;
   bursts): `count` of them, whose sum and sum of squares stand here, and the sum
   of the products of what a burst saw of this function and of all. From sums of
   these over many files follows the interval that the report of all of them
   has; docs/fleet.md has the queries. A number that is exact has count 0 and no
   squares. Names are raw where --no-demangle says so; name, file and line tell
   functions apart. */
#include "report/model/report.h"
#include <math.h>

/* Fifteen digits. What went beyond its range is not 0 to those who add up, as
   the word "inf" is to sqlite. */
static void add_number(text *out, double number) {
    text_add(out, ",");
    if (number < HUGE_VAL) text_format(out, "%.15g", number);
    else text_add(out, "9e999");
}

static void write_sums(const report *r, text *out) {
    size_t i;
    text_add(out, "program,measure,unit,function,file,line,count,sum,sum_squares,"
                  "sum_products,sampled\n");
    for (i = 0; i < r->sum_count; i++) {
        const report_sum *s = &r->sums[i];
        text_csv(out, s->program);
        text_format(out, ",%s,%s,", s->measure, s->unit);
        text_csv(out, s->function);
        text_add(out, ",");
        text_csv(out, s->file);
        text_format(out, ",%lu", (unsigned long)s->line);
        add_number(out, s->count);
        add_number(out, s->sum);
        add_number(out, s->squares);
        add_number(out, s->products);
        add_number(out, s->sampled);
        text_add(out, "\n");
        save_some(r->out, out);
    }
}

static int has_sums(const report *r) { return r->sum_count != 0; }

const report_writer writer_sums = {
    "sums",
    "counts and sums of functions as one CSV table whose rows add up, for fleets",
    REPORT_USES_NAMES,
    0,
    write_sums,
    has_sums,
    NULL,
};
