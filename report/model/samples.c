/* samples.c - which samples a report shows: their seeds, so that a run can be
   made again. */
#include "base/json.h"
#include "report/kinds/samples.h"
#include "report/model/report.h"
#include <string.h>

static void fill(void *columns, report *r, const void *state, const input *in) {
    const samples *s = (const samples *)state;
    text value = {NULL, 0, 0};
    size_t i, without = 0, with = 0, said = 0;
    (void)in;
    *(const samples **)columns = s;
    for (i = 0; i < s->count; i++) {
        without += s->at[i].how == SAMPLE_NO_SEED;
        with += s->at[i].how != SAMPLE_BY_LOOKS;
    }
    if (with > 1) text_format(&value, "%lu samples", (unsigned long)with);
    for (i = 0; i < s->count && with <= 4; i++) {
        if (s->at[i].how == SAMPLE_BY_LOOKS) continue;
        if (value.size) text_add(&value, said ? ", " : ": ");
        samples_say(&s->at[i], &value);
        said++;
    }
    if (without)
        text_add(&value, ". Without a seed all devices look at the same moments after they "
                         "start: pass a number that differs (config.seed)");
    if (value.size) text_bytes(&value, "", 1);
    if (value.size) report_add_fact(r, REPORT_PLAIN, "seed", value.data);
    text_free(&value);
}

static void json(const void *columns, const report *r, text *out) {
    static const char *const ways[] = {"none", "given", "drawn", "looks"};
    const samples *s = *(const samples *const *)columns;
    size_t i;
    (void)r;
    text_add(out, "[");
    for (i = 0; i < s->count; i++) {
        size_t n = 0;
        json_comma(out, i);
        text_add(out, "{");
        json_field(out, &n, "seed", s->at[i].seed);
        json_field_string(out, &n, "how", ways[s->at[i].how]);
        json_field(out, &n, "cleared", s->at[i].again);
        json_field_string(out, &n, "program", s->at[i].program);
        text_add(out, "}");
    }
    text_add(out, "]");
}

const report_section section_samples = {&kind_samples, "samples", sizeof(const samples *), fill,
                                        json, NULL};
