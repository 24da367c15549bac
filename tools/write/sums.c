/* sums.c - one table that any spreadsheet or database adds up: sums of a fleet
   are sums of its rows.

       program,measure,unit,function,file,line,count,sum,sum_squares

   A row is one function of one program, by one measure. What was seen came in
   independent pieces (ticks; bursts): `count` of them, whose sum and sum of
   squares stand here. Over many files,

       select function, sum(count) n, sum(sum) s, 2 * sqrt(sum(sum_squares)) error ... group by ...

   is the sum with its 95 % interval, s - error to s + error. That takes the
   number of pieces as luck, too; so it is a little too wide for shares near 1.
   A number that is exact has count 0 and no squares. Names are raw where
   --no-demangle says so; name, file and line tell functions apart. */
#include "model/report.h"

static void write_sums(const report *r, text *out) {
    size_t i;
    text_add(out, "program,measure,unit,function,file,line,count,sum,sum_squares\n");
    for (i = 0; i < r->sum_count; i++) {
        const report_sum *s = &r->sums[i];
        text_csv(out, s->program);
        text_format(out, ",%s,%s,", s->measure, s->unit);
        text_csv(out, s->function);
        text_add(out, ",");
        text_csv(out, s->file);
        text_format(out, ",%lu,", (unsigned long)s->line);
        text_real(out, s->count);
        text_add(out, ",");
        text_real(out, s->sum);
        text_add(out, ",");
        text_real(out, s->squares);
        text_add(out, "\n");
        save_some(r->out, out);
    }
}

static int has_sums(const report *r) { return r->sum_count != 0; }

const report_writer writer_sums = {
    "sums",
    "counts, sums and sums of squares of functions as one CSV table, for fleets",
    REPORT_USES_NAMES,
    0,
    write_sums,
    has_sums,
    NULL,
};
