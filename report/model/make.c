/* make.c - a report of all that there is: what was lost, and the sections one after
   the other. */
#include "report/model/report.h"

void report_make(report *r, const input *in) {
    const part_kind *kind;
    report_add_losses(r, in);
    for (kind = kind_after(0); kind; kind = kind_after(kind->number)) {
        const void *state = input_find(in, kind);
        size_t i;
        for (i = 0; state && section_list[i]; i++) {
            if (section_list[i]->kind != kind) continue;
            section_list[i]->fill(report_begin_part(r, section_list[i]), r, state, in);
            report_end_part(r);
        }
    }
}
