/* json.c - the model as JSON (docs/formats.md); also what the HTML page carries and draws. */
#include "model/report.h"
#include <float.h>

/* Readers keep numbers in doubles: what those cannot tell apart from its neighbours is written as the last they can. */
static void add_count(text *out, uint64_t count) {
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    text_number(out, count < most ? count : most);
}

static void add_field(text *out, const char *name, uint64_t count) {
    text_format(out, "\"%s\":", name);
    add_count(out, count);
}

/* Before every item of a list but the first. */
static void add_comma(text *out, size_t item) { text_add(out, item ? ",\n" : "\n"); }

static void add_item(const report_item *item, int is_pair, text *out) {
    text_add(out, "{");
    add_field(out, "site", item->site);
    if (is_pair) { text_add(out, ","); add_field(out, "caller", item->caller); }
    text_add(out, ",");
    add_field(out, "sampled", item->sampled);
    text_add(out, ",");
    add_field(out, "estimated", item->estimated);
    text_format(out, ",\"share\":%.6g", item->share);
    if (report_error(item->sampled) > 0) text_format(out, ",\"error\":%.4g", report_error(item->sampled));
    else text_add(out, ",\"error\":null");
    text_format(out, ",\"time_ns\":%.6g,\"time_share\":%.6g}", item->time_ns, item->time_share);
}

static void add_programs(const tally *s, text *out) {
    size_t i;
    text_add(out, "\"programs\":[");
    for (i = 0; i < s->programs.count; i++) {
        const tally_program *program = &s->programs.at[i];
        add_comma(out, i);
        text_add(out, "{\"name\":");
        text_json(out, program->name);
        text_add(out, ",");
        add_field(out, "clock_hz", program->clock_hz); text_add(out, ",");
        add_field(out, "checks", program->checks);     text_add(out, ",");
        add_field(out, "events", program->events);     text_add(out, ",");
        add_field(out, "lost", program->lost);
        text_add(out, "}");
    }
    text_add(out, "],\n");
}

static void add_profiles(const tally *s, text *out) {
    size_t i;
    text_add(out, "\"profiles\":[");
    for (i = 0; i < s->profiles.count; i++) {
        const tally_profile *profile = &s->profiles.at[i];
        add_comma(out, i);
        text_add(out, "{");
        add_field(out, "program", profile->program);               text_add(out, ",");
        add_field(out, "number", profile->number);                 text_add(out, ",");
        add_field(out, "check_count", profile->check_count);       text_add(out, ",");
        add_field(out, "burst_count", profile->burst_count);       text_add(out, ",");
        add_field(out, "jitter_percent", profile->jitter_percent); text_add(out, ",");
        add_field(out, "classes", profile->classes);               text_add(out, ",");
        add_field(out, "flags", profile->flags);                   text_add(out, ",");
        add_field(out, "bursts", profile->bursts);                 text_add(out, ",");
        add_field(out, "events", profile->events);
        text_add(out, "}");
    }
    text_add(out, "],\n");
}

static void add_threads(const tally *s, text *out) {
    size_t i;
    text_add(out, "\"threads\":[");
    for (i = 0; i < s->threads.count; i++) {
        const tally_thread *thread = &s->threads.at[i];
        add_comma(out, i);
        text_add(out, "{\"name\":");
        text_json(out, thread->name);
        text_format(out, ",\"ended\":%s,", thread->flags & THREAD_ENDED ? "true" : "false");
        add_field(out, "program", thread->program);           text_add(out, ",");
        add_field(out, "number", thread->number);             text_add(out, ",");
        add_field(out, "checks", thread->checks);             text_add(out, ",");
        add_field(out, "burst_checks", thread->burst_checks); text_add(out, ",");
        add_field(out, "events", thread->events);             text_add(out, ",");
        add_field(out, "lost", thread->lost);
        text_add(out, "}");
    }
    text_add(out, "],\n");
}

static void add_sampled(const report *r, text *out) {
    const tally *s = r->sampled;
    size_t i;
    text_add(out, "{\n");
    add_programs(s, out);
    add_profiles(s, out);
    add_threads(s, out);
    text_add(out, "\"sites\":[");
    for (i = 0; i < s->sites.count; i++) {
        add_comma(out, i);
        text_add(out, "{\"name\":");
        text_json(out, s->sites.at[i].name);
        text_add(out, ",\"file\":");
        text_json(out, s->sites.at[i].file);
        text_format(out, ",\"line\":%lu,\"kind\":%lu}", (unsigned long)s->sites.at[i].line, (unsigned long)s->sites.at[i].kind);
    }
    text_add(out, "],\n\"functions\":[");
    for (i = 0; i < r->functions.count; i++) { add_comma(out, i); add_item(&r->functions.at[i], 0, out); }
    text_add(out, "],\n");
    add_field(out, "functions_left_out", r->functions_left_out);
    text_add(out, ",\n\"pairs\":[");
    for (i = 0; i < r->pairs.count; i++) { add_comma(out, i); add_item(&r->pairs.at[i], 1, out); }
    text_add(out, "],\n");
    add_field(out, "pairs_left_out", r->pairs_left_out);
    text_format(out, ",\n\"callers_unknown\":%.6g}", r->callers_unknown);
}

static void add_column32(const char *name, const uint32_t *column, size_t count, text *out) {
    size_t i;
    text_format(out, ",\n\"%s\":[", name);
    for (i = 0; i < count; i++) { if (i) text_add(out, ","); text_number(out, column[i]); }
    text_add(out, "]");
}

static void add_column64(const char *name, const uint64_t *column, size_t count, text *out) {
    size_t i;
    text_format(out, ",\n\"%s\":[", name);
    for (i = 0; i < count; i++) { if (i) text_add(out, ","); add_count(out, column[i]); }
    text_add(out, "]");
}

static void add_tree(const report_tree *tree, text *out) {
    size_t i;
    text_add(out, "{\"algorithm\":");
    text_json(out, tree->algorithm);
    text_add(out, ",");
    add_field(out, "total", tree->total);
    text_add(out, ",");
    add_field(out, "absent", tree->absent);
    text_add(out, ",");
    add_field(out, "unmatched", tree->unmatched);
    text_format(out, ",\"of_sample\":%s", tree->is_of_sample ? "true" : "false");
    text_add(out, ",\n\"names\":[");
    for (i = 0; i < tree->name_count; i++) { if (i) text_add(out, ","); text_json(out, tree->names[i]); }
    text_add(out, "]");
    add_column32("parent", tree->parent, tree->count, out);
    add_column32("name", tree->name, tree->count, out);
    add_column64("lower", tree->lower, tree->count, out);
    add_column64("upper", tree->upper, tree->count, out);
    text_add(out, "}");
}

/* JSON has no infinity; a damaged profile's averages may. */
static void add_numbers(const double *numbers, size_t count, text *out) {
    size_t i;
    for (i = 0; i < count; i++) {
        if (i) text_add(out, ",");
        if (numbers[i] > -DBL_MAX && numbers[i] < DBL_MAX) text_format(out, "%.9g", numbers[i]);
        else text_add(out, "null");
    }
}

static void add_curve(const report_curve *curve, text *out) {
    text_add(out, "{\"label\":");
    text_json(out, curve->label);
    text_add(out, ",\"x\":[");
    add_numbers(curve->x, curve->count, out);
    text_add(out, "],\"y\":[");
    add_numbers(curve->y, curve->count, out);
    text_add(out, "]}");
}

static void add_footprint(const report_footprint *f, text *out) {
    size_t i;
    text_add(out, "{\"title\":");
    text_json(out, f->title);
    text_add(out, ",");
    add_field(out, "accesses", f->accesses);
    text_add(out, ",");
    add_field(out, "distinct", f->distinct);
    text_format(out, ",\"block_bytes\":%.0f,\"c\":%.6g,\"pair\":%s,\"worth\":", f->block_bytes, f->c,
                f->is_pair ? "true" : "false");
    text_json(out, f->worth);
    text_add(out, ",\"reading\":");
    text_json(out, f->reading);
    text_add(out, ",\n\"percentiles\":[");
    for (i = 0; i < REPORT_PERCENTILES; i++) { add_comma(out, i); add_curve(&f->percentile[i], out); }
    text_add(out, "],\n\"average\":");
    add_curve(&f->average, out);
    text_add(out, ",\n\"miss_ratio\":");
    add_curve(&f->miss_ratio, out);
    text_add(out, "}");
}

void report_json(const report *r, text *out) {
    size_t i;
    text_add(out, "{\"bursty\":1,\n\"title\":");
    text_json(out, r->title);
    text_add(out, ",\n\"notes\":[");
    for (i = 0; i < r->notes.count; i++) {
        add_comma(out, i);
        text_add(out, "{\"name\":");
        text_json(out, r->notes.at[i].name);
        text_add(out, ",\"value\":");
        text_json(out, r->notes.at[i].value);
        text_add(out, "}");
    }
    text_add(out, "],\n\"sampled\":");
    if (r->sampled->programs.count) add_sampled(r, out); else text_add(out, "null");
    text_add(out, ",\n\"contexts\":[");
    for (i = 0; i < r->trees.count; i++) { add_comma(out, i); add_tree(&r->trees.at[i], out); }
    text_add(out, "],\n\"footprints\":[");
    for (i = 0; i < r->footprints.count; i++) { add_comma(out, i); add_footprint(&r->footprints.at[i], out); }
    text_add(out, "]}\n");
}
